package transcript

import (
	"context"
	"strings"
	"time"

	"tenfold"
)

// piImporter reads the session files of pi: a line is an entry of a tree that
// id and parentId make, and the leaf is the last line. Files of version 1 have
// no ids: there each line hangs below the one before.
//
//	text, thinking, toolCall      one entry a block, MessageID = the line's
//	message.usage                 one usage a message, with its cost
//	model, when it changes        config_delta
//	user                          turn_start + user_message
//	custom, bashExecution         user_message, synthetic, as pi words it
//	branch_summary                the same
//	compaction                    an overlay over what comes before firstKept…
//	a line that hangs elsewhere   compaction that hides the abandoned stretch
//	aborted, failed responses     a turn of their own, that one hides
//	system                        config_delta
//	context_edit                  one that hides the response it leaves out
//	usage                         a usage entry
//	everything else               an unknown kind "pi.<type>"
type piImporter struct{}

func piHandler() handler {
	return handler{
		format: Pi, about: "pi session files (*.jsonl)", importer: piImporter{}, exporter: piExporter{},
		homes: []string{".pi/agent/sessions"},
	}
}

// piType reports whether an object is a line of pi.
func piType(o object) bool {
	switch o.values["type"] {
	case "session":
		return o.has("id", "timestamp") && (o.has("cwd") || o.has("version"))
	case "message":
		return o.inner["message"].has("role") && (o.has("id", "parentId") || o.has("timestamp"))
	case "model_change":
		return o.has("modelId")
	case "thinking_level_change":
		return o.has("thinkingLevel")
	case "compaction":
		return o.has("summary") && (o.has("firstKeptEntryId") || o.has("firstKeptEntryIndex"))
	case "branch_summary", "custom_message", "custom", "label", "session_info", "context_edit", "usage":
		return o.has("id", "parentId")
	}
	return false
}

// piMessageAlone reports whether an object is an assistant's message of pi
// without its line.
func piMessageAlone(o object) bool {
	return o.values["role"] == "assistant" && o.has("content", "api", "provider", "model", "usage")
}

// Recognise implements [Importer].
func (piImporter) Recognise(h Head) Confidence {
	s := h.json
	if s.shape != shapeLines && s.shape != shapeObject || len(s.objects) == 0 {
		return No
	}
	if len(s.objects) == 1 && piMessageAlone(s.objects[0]) {
		return Certain
	}
	ours, all := 0, 0
	for _, o := range s.objects {
		if piType(o) {
			ours++
		}
		if o.whole || piType(o) {
			all++
		}
	}
	switch {
	case 2*ours <= all:
		return No
	case s.objects[0].values["type"] == "session" && piType(s.objects[0]):
		return Certain
	}
	return Likely
}

// Import implements [Importer].
func (piImporter) Import(ctx context.Context, src Source, sink Sink) error {
	head, err := src.head()
	if err != nil {
		return err
	}
	p := &pi{emitter: emitter{sink: sink, place: &rootLog{}, conv: Conversation{Format: Pi}}, src: src, scan: scanner{cost: blockCost}, byID: map[string]int32{}, leaf: -1}
	if s := newHead(head, src.Name).json; s.shape == shapeObject && len(s.objects) == 1 && piMessageAlone(s.objects[0]) {
		return withDocument(ctx, src, Pi, p.document)
	}
	r := newLineReader(ctx, src)
	err = r.records(Pi, func(raw []byte) error {
		p.rec.parse(&p.scan, raw)
		return p.scan.err
	}, func() error { return p.record(&p.rec, r.number) })
	if err != nil {
		return err
	}
	return p.finish()
}

// document reads a message that stands alone, over several lines.
func (p *pi) document(d document) error {
	p.scan.reset(d.raw)
	p.scan.value()
	p.scan.end()
	if p.scan.err != nil {
		return d.broken(p.scan.err)
	}
	p.rec.parse(&p.scan, appendCompact(nil, d.raw))
	if err := p.record(&p.rec, 1); err != nil {
		return err
	}
	return p.finish()
}

// pi is one import.
type pi struct {
	emitter
	src  Source
	scan scanner
	rec  piRecord

	title string
	model string
	// over says that the next visible entry needs a turn of its own: what
	// stands before it is hidden to the end of its turn.
	over    bool
	visible bool

	nodes    []piNode
	byID     map[string]int32
	records  []int32 // node of each line, -1 for none
	leaf     int32
	segments []piSegment
	compacts []piCompaction
	walked   int
	prompt   piPrompt
	prompted int
	dropped  []int // turns of responses that broke off
}

// record turns one line into entries.
func (p *pi) record(r *piRecord, line int) error {
	r.line = line
	p.at(r.time())
	if p.conv.ID == "" {
		if r.typ == "session" && r.id != "" {
			p.conv.ID, p.conv.Named = conversationID(r.id), true
		} else {
			p.conv.ID = contentID(p.src.Name, Pi, r.raw)
		}
	}
	if r.kind != '{' {
		p.warn.add(line, "line is no JSON object and was kept as it is", "lines are no JSON objects and were kept as they are")
		p.records = append(p.records, -1)
		return p.keep(p.ids.unique("line:"+digest(r.raw)), "pi.value", r.raw)
	}
	if r.typ == "session" {
		p.records = append(p.records, -1)
		return p.keep(p.ids.unique("session"), "pi.session", r.raw)
	}
	id := p.ids.unique(r.entryID())
	if err := p.attach(r, id); err != nil {
		return err
	}
	err := p.body(r, id)
	n := &p.nodes[len(p.nodes)-1]
	if n.turn = -1; p.place.opened {
		n.turn, n.step = int32(p.place.turn), int32(p.place.step)
	}
	return err
}

// entryID is the line's own id, or a hash of what it says.
func (r *piRecord) entryID() string {
	if plainID(r.id) {
		return r.id
	}
	return "line:" + digest(r.raw)
}

// body emits what a line says.
func (p *pi) body(r *piRecord, id string) error {
	if r.twice {
		p.warn.add(r.line, "line says a thing twice and was kept as it is", "lines say a thing twice and were kept as they are")
		return p.unknown(r, id)
	}
	switch r.typ {
	case "message", "":
		return p.message(r, id)
	case "custom_message":
		r.msg.role = "custom"
		return p.message(r, id)
	case "branch_summary":
		w := contentWriter{scan: &p.scan, raw: r.raw}
		if !w.isString(r.summary) || len(r.summary.of(r.raw)) == 2 {
			return p.unknown(r, id)
		}
		text := piBranchSummary(w.text(r.summary))
		return p.aside(r, id, tenfold.Text(text), w.cuts)
	case "compaction":
		return p.compaction(r, id)
	case "context_edit":
		return p.edit(r, id)
	case "usage":
		return p.spent(r, id)
	case "model_change":
		p.model = r.modelID
		return p.emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: tenfold.ConfigDelta{Model: r.modelID}})
	case "thinking_level_change":
		if !r.level.found() {
			return p.unknown(r, id)
		}
		extra := `{"thinkingLevel":` + string(r.level.of(r.raw)) + "}"
		return p.emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: tenfold.ConfigDelta{Extra: extra}})
	case "session_info":
		p.title = r.name
	}
	return p.unknown(r, id)
}

// unknown keeps a line that no model sees (L4).
func (p *pi) unknown(r *piRecord, id string) error {
	name := "pi.untyped"
	if r.typ != "" {
		name = "pi." + r.typ
	}
	return p.keep(id, tenfold.Kind(name), r.raw)
}

func (p *pi) finish() error {
	if !p.visible {
		p.warn.add(0, "file without messages: the conversation is empty", "")
	}
	if p.conv.ID == "" {
		p.conv.ID = nameID(p.src.Name, Pi)
	}
	p.conv.Title = p.title
	return p.end()
}

// How pi words for its model what is no message of a person or a model.
const (
	piCompactionBefore = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	piCompactionAfter  = "\n</summary>"
	piBranchBefore     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
	piBranchAfter      = "</summary>"
)

// A summary must not end the element that pi puts it in.
func piCompactionSummary(s string) string {
	return piCompactionBefore + tenfold.ShieldTags(s, "summary") + piCompactionAfter
}

func piBranchSummary(s string) string {
	return piBranchBefore + tenfold.ShieldTags(s, "summary") + piBranchAfter
}

// unwrap takes a wording off again.
func unwrap(text, before, after string) (string, bool) {
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return text, false
	}
	rest, ok = strings.CutSuffix(rest, after)
	if !ok {
		return text, false
	}
	return rest, true
}

// time is the line's, or that of a message that stands alone.
func (r *piRecord) time() time.Time {
	if t, err := time.Parse(time.RFC3339Nano, r.stamp); err == nil {
		return t.UTC()
	}
	if r.typ == "" && r.msg.millis > 0 {
		return time.UnixMilli(int64(r.msg.millis)).UTC()
	}
	return time.Time{}
}
