package pi

import (
	"cmp"
	"context"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.Pi, About: "pi session files (*.jsonl)", Recognise: recognise, Import: importFile, Export: export, Client: &client,
		Homes: []string{".pi/agent/sessions"}, HomeEnv: "PI_CODING_AGENT_DIR", HomeBase: ".pi/agent",
		Sessions: []string{"*/*.jsonl"}, Ran: [][]string{{"cwd"}},
	}
}

// piType reports whether an object is a line of pi.
func piType(o intake.Object) bool {
	switch o.Values["type"] {
	case "session":
		return o.Has("id", "timestamp") && (o.Has("cwd") || o.Has("version"))
	case "message":
		return o.Inner["message"].Has("role") && (o.Has("id", "parentId") || o.Has("timestamp"))
	case "model_change":
		return o.Has("modelId")
	case "thinking_level_change":
		return o.Has("thinkingLevel")
	case "compaction":
		return o.Has("summary") && (o.Has("firstKeptEntryId") || o.Has("firstKeptEntryIndex"))
	case "branch_summary", "custom_message", "custom", "label", "session_info", "context_edit", "usage":
		return o.Has("id", "parentId")
	}
	return false
}

// piMessageAlone reports whether an object is an assistant's message of pi
// without its line.
func piMessageAlone(o intake.Object) bool {
	return o.Values["role"] == "assistant" && o.Has("content", "api", "provider", "model", "usage")
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if s.Shape != intake.ShapeLines && s.Shape != intake.ShapeObject || len(s.Objects) == 0 {
		return intake.No
	}
	if len(s.Objects) == 1 && piMessageAlone(s.Objects[0]) {
		return intake.Certain
	}
	switch {
	case !s.Mostly(piType):
		return intake.No
	case s.Objects[0].Values["type"] == "session" && piType(s.Objects[0]):
		return intake.Certain
	}
	return intake.Likely
}

// importFile reads the session files of pi: a line is an entry of a tree that
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
//	compaction by Tenfold         an unknown kind, which hides nothing
//	a line that hangs elsewhere   compaction that hides the abandoned stretch
//	aborted, failed responses     a turn of their own, that one hides
//	system                        config_delta
//	context_edit                  one that hides the response it leaves out
//	usage                         a usage entry
//	everything else               an unknown kind "pi.<type>"
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	head, err := src.Head()
	if err != nil {
		return err
	}
	p := &pi{Session: engine.NewSession(src, sink, intake.Pi), byID: map[string]int32{}, leaf: -1}
	parse := func(raw []byte) { p.rec.Parse(&p.Scan, raw) }
	if s := intake.NewHead(head, src.Name).JSON; s.Shape == intake.ShapeObject && len(s.Objects) == 1 && piMessageAlone(s.Objects[0]) {
		return p.ReadOne(ctx, func(raw []byte) {
			if parse(raw); p.Scan.Err == nil {
				parse(walk.AppendCompact(nil, raw))
			}
		}, func(int) error { return p.record(&p.rec, 1) })
	}
	return p.ReadLines(ctx, parse, func(line int) error { return p.record(&p.rec, line) })
}

// pi is one import.
type pi struct {
	engine.Session
	rec   Record
	model string

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
func (p *pi) record(r *Record, line int) error {
	r.line = line
	p.At(r.time())
	if p.Conv.ID == "" {
		name := r.id
		if r.Typ != "session" {
			name = ""
		}
		p.Named(name, r.raw)
	}
	if r.kind != '{' {
		p.records = append(p.records, -1)
		return p.KeepValue(line, r.raw)
	}
	if r.Typ == "session" {
		p.records = append(p.records, -1)
		return p.Keep(p.Ids.Unique("session"), "pi.session", r.raw)
	}
	id := p.Ids.Record(r.id, r.raw)
	p.attach(r, id)
	err := p.body(r, id)
	n := &p.nodes[len(p.nodes)-1]
	if n.turn = -1; p.Place.Opened {
		n.turn, n.step = int32(p.Place.Turn), int32(p.Place.Step) //nolint:gosec // an import has far fewer entries
	}
	return err
}

// body emits what a line says.
func (p *pi) body(r *Record, id string) error {
	if r.twice {
		p.Warn.Add(r.line, "line has a member twice and was kept as it is", "lines have a member twice and were kept as they are")
		return p.unknown(r, id)
	}
	switch r.Typ {
	case "message", "":
		return p.message(r, id)
	case "custom_message":
		r.Msg.role = "custom"
		return p.message(r, id)
	case "branch_summary":
		w := engine.Finder{Scan: &p.Scan, Raw: r.raw}
		if !w.IsString(r.Summary) || len(r.Summary.Of(r.raw)) == 2 {
			return p.unknown(r, id)
		}
		text := piBranchBefore + shield.Tags(w.Text(r.Summary), "summary") + piBranchAfter
		return p.showSynthetic(r, id, tenfold.Request, tenfold.Text(text), w.Cuts)
	case "compaction":
		return p.compaction(r, id)
	case "context_edit":
		return p.edit(r, id)
	case "usage":
		return p.spent(r, id)
	case "model_change":
		p.model = r.modelID
		return p.Emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: tenfold.ConfigDelta{Model: r.modelID}})
	case "thinking_level_change":
		if !r.level.Found() {
			return p.unknown(r, id)
		}
		extra := `{"thinkingLevel":` + string(r.level.Of(r.raw)) + "}"
		return p.Emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: tenfold.ConfigDelta{Extra: extra}})
	case "session_info":
		p.Conv.Title = r.name
	}
	return p.unknown(r, id)
}

// unknown keeps a line that no model sees (L4).
func (p *pi) unknown(r *Record, id string) error {
	return p.Keep(id, tenfold.Kind("pi."+cmp.Or(r.Typ, "untyped")), r.raw)
}

// How pi words for its model what is not a message of a person or a model.
const (
	piCompactionBefore = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	piCompactionAfter  = "\n</summary>"
	piBranchBefore     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
	piBranchAfter      = "</summary>"
)

// A summary must not end the element that pi puts it in.
func CompactionSummary(s string) string {
	return piCompactionBefore + shield.Tags(s, "summary") + piCompactionAfter
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
func (r *Record) time() time.Time {
	if t := engine.ReadTime(r.stamp); !t.IsZero() {
		return t
	}
	if r.Typ == "" && r.Msg.millis > 0 {
		return time.UnixMilli(int64(r.Msg.millis)).UTC()
	}
	return time.Time{}
}
