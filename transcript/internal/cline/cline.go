package cline

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.Cline, About: "Cline and Roo tasks (api_conversation_history.json, *.messages.json)", Recognise: recognise, Import: importFile,
		Mains: []string{History},
	}
}

const History = "api_conversation_history.json"

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	base := path.Base(filepath.ToSlash(h.Name))
	if s.Shape == intake.ShapeText || len(s.Objects) == 0 {
		return intake.No
	}
	list := s.Objects
	if first := s.Objects[0]; first.Has("version", "sessionId", "messages") || (first.Has("messages") && strings.HasSuffix(base, ".messages.json")) {
		list = first.Items["messages"]
		if len(s.Objects) > 1 {
			return intake.No
		}
		if len(list) == 0 && first.Has("version", "sessionId") {
			return intake.Likely
		}
	} else if s.Shape != intake.ShapeArray {
		return intake.No
	}
	messages, ours := 0, 0
	for _, o := range list {
		role := o.Values["role"]
		if (role != "user" && role != "assistant") || !o.Has("content") {
			if o.Whole {
				return intake.No
			}
			continue
		}
		messages++
		if o.Kinds["ts"] == '0' || o.Has("condenseParent") || o.Has("isSummary") || o.Has("truncationParent") || o.Has("isTruncationMarker") {
			ours++
		}
	}
	if messages > 0 && (ours > 0 || strings.HasSuffix(base, History)) {
		return intake.Certain
	}
	return intake.No
}

// importFile reads the tasks of Cline and Roo: Anthropic messages with a
// time each. Calls that older versions wrote as XML into the text stay text,
// and so do their results, for so the model saw them.
//
//	api_conversation_history.json  a list of messages
//	<id>.messages.json             the same in a record
//	isSummary + condenseParent     compaction with the summary
//	isTruncationMarker + truncationParent  compaction that omits
//	<id>.compaction.json beside    compaction of the first messages
//	ui_messages.json beside        usage and cost; tokens of condensations
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return chatapi.ImportChat(ctx, src, sink, intake.Cline, &cline{})
}

// cline is the dialect of Cline's and Roo's tasks.
type cline struct {
	chatapi.Anthropic
	bills  []clineBill
	shrunk map[string]clineShrink // by the id of the condensation
	known  map[string]bool        // keys of summaries and markers that are there
	groups map[string]*clineGroup // what they hide, by key
	hidden string                 // keys of what hides the message before
	calls  map[string]string      // names of tools by the ids of their calls
	any    bool                   // a message came
	count  int
	prefix clinePrefix
}

func (*cline) Fleeting() []string {
	return []string{"cache_control", "condenseParent", "truncationParent"}
}

// Name is that of the task's directory where the file's says nothing.
func (*cline) Name(source string) string {
	source = filepath.ToSlash(source)
	if dir := path.Base(path.Dir(source)); path.Base(source) == History && intake.PlainID(dir) {
		return dir + ".json"
	}
	return source
}

func (*cline) Alone(r *chatapi.ChatRecord) bool { return r.Get("role").Found() }

func (d *cline) Open(c *chatapi.Chat) {
	known := d.known
	*d = cline{shrunk: map[string]clineShrink{}, known: known, groups: map[string]*clineGroup{}, calls: map[string]string{}}
	d.Injected, d.Spoken, c.Place = clineInjected, d.spoken, &engine.RootLog{}
	if known == nil { // a task is one conversation: the files beside it belong to the first
		d.known = map[string]bool{}
		d.look(c)
		d.readUI(c)
	}
}

func (d *cline) Begin(c *chatapi.Chat, r *chatapi.ChatRecord) error {
	d.readPrefix(c)
	return c.Record(r, c.Setting(r))
}

func (d *cline) Message(c *chatapi.Chat, raw []byte, id string) error {
	var t clineTags
	t.parse(&c.In, raw)
	c.At(chatapi.UnixTime(t.ts))
	m := &d.M
	m.Parse(&c.In, raw)
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	if c.In.Err != nil || !m.Readable(w) {
		return c.Unread(id, raw)
	}
	switch {
	case t.summary && d.groups["condense "+t.condenseID] != nil:
		_ = d.condense(c, w, &t, id)
	case t.marker && d.groups["truncate "+t.truncationID] != nil:
		d.truncate(c, w, &t, id)
	default:
		_ = d.shown(c, w, &t, id)
	}
	if m.Role == "assistant" {
		for _, b := range m.Blocks {
			if id, name := b.Call(); name != "" {
				d.calls[id] = name
			}
		}
		d.addUsage(c, &t, id)
	}
	d.count++
	return d.compactPrefix(c)
}

// shown emits a message. Where what hides messages changes, a turn begins, for
// ranges end with turns.
func (d *cline) shown(c *chatapi.Chat, w *engine.Finder, t *clineTags, id string) error {
	keys := t.keys(d.known)
	key := strings.Join(keys, "\n")
	from := -1
	if key != d.hidden {
		d.hidden = key
		if d.M.Role == "assistant" || t.summary || t.marker || !d.opensTurn(w) {
			c.Turn(id)
			from = c.Place.Turn
		}
	}
	d.any = true
	_ = d.Read(c, w, id, t.summary || t.marker)
	if from < 0 {
		from = c.Place.Turn
	}
	for _, k := range keys {
		if g := d.groups[k]; g != nil && g.done {
			c.WarnHere("message follows what hides it and is shown", "messages follow what hides them and are shown")
			continue
		}
		d.hide(k, from, c.Place.Turn)
	}
	return nil
}

// opensTurn reports whether the user's message that was parsed will open a
// turn with its first entry.
func (d *cline) opensTurn(w *engine.Finder) bool {
	cuts := w.Cuts
	defer func() { w.Cuts = cuts }()
	payloads, _ := d.Request(w, d.M.Role != "user")
	u, ok := payloads[0].(tenfold.UserMessage)
	return ok && !u.Synthetic
}

// clineInjected gives how many parts at the start of a message are the tool's: what it
// puts in, and results in text, of which the heading may stand in a part of its own. What a
// person said of a call stands behind those.
func clineInjected(parts []tenfold.Part) int {
	result := false // behind a heading
	for i, p := range parts {
		text := strings.TrimSpace(p.Text)
		if _, said := purpose.Framed(text); said {
			return i
		}
		switch {
		case strings.HasPrefix(text, "[") && strings.Contains(text, "] Result:"):
			result = true
		case result, text == "" && p.File == nil, strings.HasPrefix(text, "<environment_details>"), strings.HasPrefix(text, "[ERROR]"),
			strings.HasPrefix(text, "[TASK RESUMPTION]"):
		default:
			return i
		}
	}
	return len(parts)
}
