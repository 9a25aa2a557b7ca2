package transcript

import (
	"context"
	"strings"
	"time"

	"tenfold"
)

// geminiCLIImporter reads the chat files of Gemini CLI in both layouts: one JSON
// object with the messages, and JSON lines. In lines a message may come again
// with more, {"$set":…} changes the session, its messages included, and
// {"$rewindTo":…} takes messages back.
//
//	user                      turn_start + user_message
//	gemini                    thoughts as reasoning, text, calls, results, usage
//	model, when it changes    config_delta
//	<state_snapshot>          compaction with the snapshot as summary
//	a message again           what is new in it; a message that changed is
//	                          hidden by an overlay and stands again
//	$rewindTo                 compaction that hides what was taken back
//	everything else           an unknown kind "gemini-cli.<type>"
type geminiCLIImporter struct{}

func geminiCLIHandler() handler {
	return handler{
		format: GeminiCLI, about: "Gemini CLI chats (session-*.json, *.jsonl)", importer: geminiCLIImporter{},
		exporter: geminiCLIExporter{}, homes: []string{".gemini/tmp"},
	}
}

// geminiCLIType reports whether an object is a message or a session of Gemini CLI.
func geminiCLIType(o object) bool {
	if o.has("sessionId", "projectHash") {
		return true
	}
	if o.kinds["$set"] == '{' || o.kinds["$rewindTo"] == '"' {
		return len(o.names) == 1
	}
	switch o.values["type"] {
	case "user", "gemini", "info", "error", "warning":
		return o.has("id", "timestamp") && (o.has("content") || !o.whole) && !o.has("message") && !o.has("uuid") && !o.has("data")
	}
	return false
}

// Recognise implements [Importer].
func (geminiCLIImporter) Recognise(h Head) Confidence {
	s := h.json
	if (s.shape != shapeLines && s.shape != shapeObject) || len(s.objects) == 0 {
		return No
	}
	ours, all, sure := 0, 0, false
	for _, o := range s.objects {
		if geminiCLIType(o) {
			ours++
			sure = sure || o.has("sessionId", "projectHash") || o.values["type"] == "gemini"
		}
		if o.whole || geminiCLIType(o) {
			all++
		}
	}
	switch {
	case 2*ours <= all:
		return No
	case sure:
		return Certain
	}
	return Maybe
}

// Import implements [Importer].
func (geminiCLIImporter) Import(ctx context.Context, src Source, sink Sink) error {
	head, err := src.head()
	if err != nil {
		return err
	}
	g := &geminiCLI{emitter: emitter{sink: sink, place: &rootLog{}, conv: Conversation{Format: GeminiCLI}}, src: src, scan: scanner{cost: blockCost}, known: map[string]int{}, answered: map[string]bool{}}
	if newHead(head, src.Name).json.shape == shapeObject {
		return withDocument(ctx, src, GeminiCLI, g.document)
	}
	r := newLineReader(ctx, src)
	err = r.records(GeminiCLI, func(raw []byte) error {
		g.rec.parse(&g.scan, raw)
		return g.scan.err
	}, func() error { return g.record(&g.rec, r.number) })
	if err != nil {
		return err
	}
	return g.finish()
}

// document reads a file that is one object over several lines.
func (g *geminiCLI) document(d document) error {
	g.rec.parse(&g.scan, d.raw)
	if g.scan.err != nil {
		return d.broken(g.scan.err)
	}
	if err := g.record(&g.rec, 0); err != nil {
		return err
	}
	return g.finish()
}

// gemini is one import.
type geminiCLI struct {
	emitter
	src  Source
	scan scanner
	rec  geminiCLIRecord

	line    int
	title   string
	model   string
	visible bool
	// over says that what stands before is hidden to the end of its turn: what
	// comes next needs another.
	over bool
	// history is what the model sees, by message; known finds its ids.
	history []*geminiCLIState
	known   map[string]int
	// answered are the calls that have a result.
	answered map[string]bool
	// restart is the list that a resumed session begins with, until what comes
	// next tells whether it is all.
	restart   *geminiCLIRecord
	restartID string
}

// geminiCLIState is a message of the history.
type geminiCLIState struct {
	id         string // of the message
	base       string // of its entries
	text       string // digest of its content
	shown      bool
	context    bool // that the client begins a session with
	prompt     bool // it opened its turn
	turn, step int
	thoughts   []string
	calls      []geminiCLICallState
	results    []string // calls that it answers itself
	usage      bool
	compaction string // id of the compaction it is
}

// geminiCLICallState holds digests of a call: parts is that of its result
// without its status.
type geminiCLICallState struct{ id, arguments, result, parts string }

// record takes one line, or the whole document.
func (g *geminiCLI) record(r *geminiCLIRecord, line int) error {
	g.line = line
	if g.conv.ID == "" {
		g.name(r)
	}
	switch {
	case r.kind != '{':
		g.warn.add(line, "line is no JSON object and was kept as it is", "lines are no JSON objects and were kept as they are")
		return g.keep(g.ids.unique("line:"+digest(r.raw)), "gemini-cli.value", r.raw)
	case r.rewindTo.found():
		if err := g.restarted(); err != nil {
			return err
		}
		return g.rewind(r)
	case r.set:
		return g.changes(r)
	case r.session != "" || r.messages != nil:
		return g.session(r)
	}
	if err := g.restarted(); err != nil {
		return err
	}
	return g.message(r.raw, &r.msg)
}

// name gives the conversation its id. A sub-agent's file may bear the id of
// the session it belongs to.
func (g *geminiCLI) name(r *geminiCLIRecord) {
	switch {
	case r.session == "":
		g.conv.ID = contentID(g.src.Name, GeminiCLI, r.raw)
	case r.agent:
		g.conv.ID, g.conv.Named = conversationID(r.session+"-"+nameID(g.src.Name, GeminiCLI)), true
	default:
		g.conv.ID, g.conv.Named = conversationID(r.session), true
	}
}

// session keeps what a file says of its session, and reads the messages if
// they stand in it.
func (g *geminiCLI) session(r *geminiCLIRecord) error {
	g.at(geminiCLITime(r.start))
	if r.summary != "" {
		g.title = r.summary
	}
	w := contentWriter{raw: r.raw}
	if r.messages != nil {
		w.cuts = append(w.cuts, cut{r.list, "[]"})
	}
	// A file that grew says another lastUpdated: the id must not know it.
	source := appendCompact(nil, []byte(splice(r.raw, w.cuts)))
	if err := g.keep(g.ids.unique("session"), "gemini-cli.session", source); err != nil {
		return err
	}
	for i := range r.messages {
		if err := g.message(r.raw, &r.messages[i]); err != nil {
			return err
		}
	}
	return nil
}

func geminiCLITime(stamp string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// message takes one message, which may be known already.
func (g *geminiCLI) message(raw []byte, m *geminiCLIMessage) error {
	g.at(geminiCLITime(m.stamp))
	if i, ok := g.known[m.id]; ok && m.id != "" {
		return g.update(raw, m, i)
	}
	return g.fresh(raw, m, true)
}

// base makes the id that a message's entries derive theirs from.
func (g *geminiCLI) base(raw []byte, m *geminiCLIMessage) string {
	if plainID(m.id) {
		return g.ids.unique(m.id)
	}
	return g.ids.unique("message:" + digest(appendCompact(nil, m.of(raw))))
}

// unknown keeps a message that no model sees (L4).
func (g *geminiCLI) unknown(raw []byte, m *geminiCLIMessage, id, name string) error {
	return g.keep(id, tenfold.Kind("gemini-cli."+name), appendCompact(nil, m.of(raw)))
}

// show emits a visible entry, in a turn that is not hidden.
func (g *geminiCLI) show(e tenfold.Entry) error {
	if g.over || !g.turned {
		g.over = false
		if err := g.turn(e.ID); err != nil {
			return err
		}
	}
	g.visible = true
	return g.emit(e)
}

func (g *geminiCLI) finish() error {
	if !g.visible {
		g.warn.add(0, "file without messages: the conversation is empty", "")
	}
	if g.conv.ID == "" {
		g.conv.ID = nameID(g.src.Name, GeminiCLI)
	}
	g.conv.Title = g.title
	return g.end()
}

// isSnapshot reports whether a text is the summary that Gemini CLI puts in the
// place of what it compressed.
func isSnapshot(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<state_snapshot>")
}

// goOn is what Gemini CLI says itself to a model that stopped too early.
const goOn = "System: Please continue."
