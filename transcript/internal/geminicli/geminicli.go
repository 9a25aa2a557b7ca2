package geminicli

import (
	"context"
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.GeminiCLI, About: "Gemini CLI chats (session-*.json, *.jsonl)", Recognise: recognise, Import: importFile,
		Export: export, Client: &client, Homes: []string{".gemini/tmp"},
		Sessions: []string{"*/chats/session-*.json", "*/chats/session-*.jsonl"}, RanIn: projectRoot,
	}
}

// geminiCLIType reports whether an object is a message or a session of Gemini CLI.
func geminiCLIType(o intake.Object) bool {
	if o.Has("sessionId", "projectHash") {
		return true
	}
	if o.Kinds["$set"] == '{' || o.Kinds["$rewindTo"] == '"' {
		return len(o.Names) == 1
	}
	switch o.Values["type"] {
	case "user", "gemini", "info", "error", "warning":
		return o.Has("id", "timestamp") && (o.Has("content") || !o.Whole) && !o.Has("message") && !o.Has("uuid") && !o.Has("data")
	}
	return false
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if (s.Shape != intake.ShapeLines && s.Shape != intake.ShapeObject) || len(s.Objects) == 0 || !s.Mostly(geminiCLIType) {
		return intake.No
	}
	if slices.ContainsFunc(s.Objects, func(o intake.Object) bool {
		return geminiCLIType(o) && (o.Has("sessionId", "projectHash") || o.Values["type"] == "gemini")
	}) {
		return intake.Certain
	}
	return intake.Maybe
}

// importFile reads the chat files of Gemini CLI in both layouts: one JSON
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
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	head, err := src.Head()
	if err != nil {
		return err
	}
	g := &geminiCLI{Session: engine.NewSession(src, sink, intake.GeminiCLI), known: map[string]int{}, answered: map[string]bool{}}
	read := g.ReadLines
	if intake.NewHead(head, src.Name).JSON.Shape == intake.ShapeObject {
		read = g.ReadOne
	}
	return read(ctx, func(raw []byte) { g.rec.Parse(&g.Scan, raw) }, func(line int) error { return g.record(&g.rec, line) })
}

// gemini is one import.
type geminiCLI struct {
	engine.Session
	rec   Record
	line  int
	model string
	// history is what the model sees, by message; known finds its ids.
	history []*geminiCLIState
	known   map[string]int
	// answered are the calls that have a result.
	answered map[string]bool
	// restart is the list that a resumed session begins with, until what comes
	// next tells whether it is all.
	restart   *Record
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
func (g *geminiCLI) record(r *Record, line int) error {
	g.line = line
	if g.Conv.ID == "" {
		g.name(r)
	}
	switch {
	case r.kind != '{':
		return g.KeepValue(line, r.raw)
	case r.rewindTo.Found():
		g.restarted()
		return g.rewind(r)
	case r.set:
		return g.changes(r)
	case r.session != "" || r.messages != nil:
		return g.session(r)
	}
	g.restarted()
	return g.message(r.raw, &r.Msg)
}

// name gives the conversation its id. A sub-agent's file may bear the id of
// the session it belongs to.
func (g *geminiCLI) name(r *Record) {
	name := r.session
	if name != "" && r.agent {
		name += "-" + intake.NameID(g.Src.Name, intake.GeminiCLI)
	}
	g.Named(name, r.raw)
}

// session keeps what a file says of its session, and reads the messages if
// they stand in it.
func (g *geminiCLI) session(r *Record) error {
	g.At(engine.ReadTime(r.start))
	if r.summary != "" {
		g.Conv.Title = r.summary
	}
	w := engine.Finder{Raw: r.raw}
	if r.messages != nil {
		w.Cuts = append(w.Cuts, walk.Cut{Span: r.list, With: "[]"})
	}
	// A file that grew says another lastUpdated: the id must not know it.
	source := walk.AppendCompact(nil, []byte(w.Done()))
	_ = g.Keep(g.Ids.Unique("session"), "gemini-cli.session", source)
	for i := range r.messages {
		_ = g.message(r.raw, &r.messages[i])
	}
	return nil
}

// message takes one message, which may be known already.
func (g *geminiCLI) message(raw []byte, m *geminiCLIMessage) error {
	g.At(engine.ReadTime(m.stamp))
	if i, ok := g.known[m.id]; ok && m.id != "" {
		return g.update(raw, m, i)
	}
	return g.emitNew(raw, m, true)
}

// baseID makes the id that a message's entries derive theirs from.
func (g *geminiCLI) baseID(raw []byte, m *geminiCLIMessage) string {
	if intake.PlainID(m.id) {
		return g.Ids.Unique(m.id)
	}
	return g.Ids.Unique("message:" + intake.Digest(walk.AppendCompact(nil, m.Of(raw))))
}

// unknown keeps a message that no model sees (L4).
func (g *geminiCLI) unknown(raw []byte, m *geminiCLIMessage, id, name string) error {
	return g.Keep(id, tenfold.Kind("gemini-cli."+name), walk.AppendCompact(nil, m.Of(raw)))
}

// isSnapshot reports whether a text is the summary that Gemini CLI puts in the
// place of what it compressed.
func isSnapshot(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<state_snapshot>")
}

// goOn is what Gemini CLI says itself to a model that stopped too early.
const goOn = "System: Please continue."
