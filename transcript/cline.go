package transcript

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"tenfold"
)

// clineImporter reads the tasks of Cline and Roo: Anthropic messages with a
// time each. Calls that older versions wrote as XML into the text stay text,
// and so do their results, for so the model saw them.
//
//	api_conversation_history.json  a list of messages
//	<id>.messages.json             the same in a record
//	isSummary + condenseParent     compaction with the summary
//	isTruncationMarker + truncationParent  compaction that omits
//	<id>.compaction.json beside    compaction of the first messages
//	ui_messages.json beside        usage and cost; tokens of condensations
type clineImporter struct{}

func clineHandler() handler {
	return handler{
		format: Cline, about: "Cline and Roo tasks (api_conversation_history.json, *.messages.json)", importer: clineImporter{},
		mains: []string{clineHistory},
	}
}

const clineHistory = "api_conversation_history.json"

// Recognise implements [Importer].
func (clineImporter) Recognise(h Head) Confidence {
	s := h.json
	base := path.Base(filepath.ToSlash(h.Name))
	if s.shape == shapeText || len(s.objects) == 0 {
		return No
	}
	list := s.objects
	if first := s.objects[0]; first.has("version", "sessionId", "messages") || (first.has("messages") && strings.HasSuffix(base, ".messages.json")) {
		list = first.items["messages"]
		if len(s.objects) > 1 {
			return No
		}
		if len(list) == 0 && first.has("version", "sessionId") {
			return Likely
		}
	} else if s.shape != shapeArray {
		return No
	}
	messages, ours := 0, 0
	for _, o := range list {
		role := o.values["role"]
		if (role != "user" && role != "assistant") || !o.has("content") {
			if o.whole {
				return No
			}
			continue
		}
		messages++
		if o.kinds["ts"] == '0' || o.has("condenseParent") || o.has("isSummary") || o.has("truncationParent") || o.has("isTruncationMarker") {
			ours++
		}
	}
	if messages > 0 && (ours > 0 || strings.HasSuffix(base, clineHistory)) {
		return Certain
	}
	return No
}

// Import implements [Importer].
func (clineImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, Cline, &cline{})
}

// cline is the dialect of Cline's and Roo's tasks.
type cline struct {
	anthropic
	bills  []clineBill
	shrunk map[string]clineShrink // by the id of the condensation
	known  map[string]bool        // keys of summaries and markers that are there
	groups map[string]*clineGroup // what they hide, by key
	hidden string                 // keys of what hides the message before
	any    bool                   // a message came
	count  int
	prefix clinePrefix
}

func (*cline) fleeting() []string {
	return []string{"cache_control", "condenseParent", "truncationParent"}
}

// name is that of the task's directory where the file's says nothing.
func (*cline) name(source string) string {
	source = filepath.ToSlash(source)
	if dir := path.Base(path.Dir(source)); path.Base(source) == clineHistory && plainID(dir) {
		return dir + ".json"
	}
	return source
}

func (*cline) alone(r *chatRecord) bool { return r.at("role").found() }

func (d *cline) open(c *chat) {
	known := d.known
	*d = cline{shrunk: map[string]clineShrink{}, known: known, groups: map[string]*clineGroup{}}
	d.typed, c.place = clineTyped, &rootLog{}
	if known == nil { // a task is one conversation: the files beside it belong to the first
		d.known = map[string]bool{}
		d.look(c)
		d.readUI(c)
	}
}

func (d *cline) begin(c *chat, r *chatRecord) error {
	d.readPrefix(c)
	return c.record(r, c.setting(r))
}

func (d *cline) message(c *chat, raw []byte, id string) error {
	var t clineTags
	t.parse(&c.in, raw)
	c.at(t.time())
	m := &d.m
	m.parse(&c.in, raw)
	w := &contentWriter{scan: &c.in, raw: raw}
	if c.in.err != nil || !m.readable(w) {
		return c.unread(id, raw)
	}
	switch {
	case t.summary && d.groups["condense "+t.condenseID] != nil:
		if err := d.condense(c, w, &t, id); err != nil {
			return err
		}
	case t.marker && d.groups["truncate "+t.truncationID] != nil:
		if err := d.truncate(c, w, &t, id); err != nil {
			return err
		}
	default:
		if err := d.shown(c, w, &t, id); err != nil {
			return err
		}
	}
	if m.role == "assistant" {
		if err := d.bill(c, &t, id); err != nil {
			return err
		}
	}
	d.count++
	return d.compactPrefix(c)
}

// shown emits a message. Where what hides messages changes, a turn begins, for
// ranges end with turns.
func (d *cline) shown(c *chat, w *contentWriter, t *clineTags, id string) error {
	keys := t.keys(d.known)
	key := strings.Join(keys, "\n")
	from := -1
	if key != d.hidden {
		d.hidden = key
		if d.m.role == "assistant" || t.summary || t.marker || !d.opensTurn(w) {
			if err := c.turn(id); err != nil {
				return err
			}
			from = c.place.turn
		}
	}
	d.any = true
	if err := d.read(c, w, id, t.summary || t.marker); err != nil {
		return err
	}
	if from < 0 {
		from = c.place.turn
	}
	for _, k := range keys {
		if g := d.groups[k]; g != nil && g.done {
			c.warnHere("message stands behind what hides it and is shown", "messages stand behind what hides them and are shown")
			continue
		}
		d.hide(k, from, c.place.turn)
	}
	return nil
}

// opensTurn reports whether the user's message that was parsed will open a
// turn with its first entry.
func (d *cline) opensTurn(w *contentWriter) bool {
	cuts := w.cuts
	defer func() { w.cuts = cuts }()
	m := d.m
	payloads, _ := m.request(w, m.role != "user", d.typed)
	u, ok := payloads[0].(tenfold.UserMessage)
	return ok && !u.Synthetic
}

// clineTyped reports whether a person wrote any of a message: what the tool
// puts in, results in text included, does not count.
func clineTyped(parts []tenfold.Part) bool {
	for _, p := range parts {
		text := strings.TrimSpace(p.Text)
		switch {
		case p.File != nil, strings.HasPrefix(text, "<environment_details>"), strings.HasPrefix(text, "[ERROR]"), text == "":
		case strings.HasPrefix(text, "[") && strings.Contains(firstLine(text), "] Result:"):
			// The person's word may follow a tool's.
			if strings.Contains(text, "<feedback>") {
				return true
			}
		case strings.Contains(text, "[TASK RESUMPTION]") && !strings.Contains(text, "<user_message>"):
		default:
			return true
		}
	}
	return false
}
