package geminicli

import (
	"cmp"
	"context"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

func QwenHandler() engine.Handler {
	return engine.Handler{
		Format: intake.QwenCode, About: "Qwen Code chats (*.jsonl)", Recognise: RecogniseQwen, Import: importQwen, Homes: []string{".qwen/projects", ".qwen/tmp"},
		Sessions: []string{"*/chats/*.jsonl", "*/chats/*.json"}, Ran: [][]string{{"cwd"}},
	}
}

// RecogniseQwen is for Claude Code too, whose lines are like these.
func RecogniseQwen(h intake.Head) intake.Confidence {
	if s := h.JSON.Shape; s != intake.ShapeLines && s != intake.ShapeObject {
		return intake.No
	}
	ours, all, sure := 0, 0, false
	for _, o := range h.JSON.Objects {
		if !o.Whole && !o.Has("uuid") {
			continue
		}
		all++
		switch o.Values["type"] {
		case "user", "assistant", "tool_result", "system":
			if o.Has("uuid", "parentUuid") && !o.Has("isSidechain") {
				ours++
				sure = sure || o.Inner["message"].Has("parts") || o.Has("systemPayload")
			}
		}
	}
	if sure && 2*ours > all {
		return intake.Certain
	}
	return intake.No
}

// importQwen reads the chat files of Qwen Code: a line is a record of a tree
// that uuid and parentUuid make, with a content of Gemini's API in it.
//
//	user                    turn_start + user_message
//	assistant               reasoning, text, calls, and usage
//	tool_result             results of calls
//	model, when it changes  config_delta
//	chat_compression        compaction with the summary; what was kept follows
//	a record that hangs     compaction that hides what came after the record
//	from an earlier one     it hangs from
//	everything else         an unknown kind "qwen-code.<type>"
func importQwen(ctx context.Context, src intake.Source, sink intake.Sink) error {
	q := &qwen{Session: engine.NewSession(src, sink, intake.QwenCode), at: map[string]int{}, compacted: map[int]string{}}
	return q.ReadLines(ctx, func(raw []byte) { q.rec.parse(&q.Scan, raw) }, func(line int) error { return q.record(&q.rec, line) })
}

// qwen is one import.
type qwen struct {
	engine.Session
	rec   qwenRecord
	calls chatapi.Nameless
	model string
	// path leads from the root to the last record; at finds its records.
	path []qwenNode
	at   map[string]int
	// compacted are the compactions of the path, by the place of their records.
	compacted map[int]string
}

// qwenNode is a record with the place after it; turn is -1 before any.
type qwenNode struct {
	uuid       string
	turn, step int
}

func (q *qwen) record(r *qwenRecord, line int) error {
	if q.Conv.ID == "" {
		q.Named(r.session, r.raw)
	}
	q.At(engine.ReadTime(r.stamp))
	id := q.Ids.Record(r.uuid, r.raw)
	if r.uuid != "" {
		q.attach(r, id, line)
	}
	err := q.body(r, id, line)
	if n := len(q.path); r.uuid != "" && q.Place.Opened {
		q.path[n-1].turn, q.path[n-1].step = q.Place.Turn, q.Place.Step
	}
	return err
}

// attach enters a record into the path. What it leaves is hidden.
func (q *qwen) attach(r *qwenRecord, id string, line int) {
	if _, ok := q.at[r.uuid]; ok {
		q.path = append(q.path, qwenNode{turn: -1}) // a record in several lines
		return
	}
	parent, ok := q.at[r.parent]
	switch {
	case r.parent == "" || len(q.path) == 0:
		parent = -1
	case !ok:
		q.Warn.Add(line, "record has an abandoned or missing parent and was read as a child of the record before it",
			"records have abandoned or missing parents and were read as children of the records before them")
		parent = len(q.path) - 1
	}
	for parent >= 0 && parent+1 < len(q.path) && q.path[parent+1].uuid == "" {
		parent++ // more lines of the same record
	}
	if parent+1 < len(q.path) {
		q.leave(parent, id, line)
	}
	n := qwenNode{uuid: r.uuid, turn: -1}
	if parent >= 0 {
		n.turn, n.step = q.path[parent].turn, q.path[parent].step
	}
	q.at[r.uuid] = len(q.path)
	q.path = append(q.path, n)
}

// leave hides what stands after a record of the path.
func (q *qwen) leave(parent int, id string, line int) {
	for _, n := range q.path[parent+1:] {
		delete(q.at, n.uuid)
	}
	for at := parent + 1; at < len(q.path); at++ {
		if target := q.compacted[at]; target != "" {
			_ = q.Emit(tenfold.Entry{ID: id + "/revoked/" + strconv.Itoa(at), Payload: tenfold.CompactionRevoked{Target: target}})
		}
		delete(q.compacted, at)
	}
	q.path = q.path[:parent+1]
	kept := qwenNode{turn: -1}
	if parent >= 0 {
		kept = q.path[parent]
	}
	if !q.Place.Opened || (kept.turn == q.Place.Turn && kept.step == q.Place.Step) {
		return
	}
	q.Warn.Add(line, "abandoned branch is hidden", "abandoned branches are hidden")
	q.Over = true
	hide := engine.Hidden(max(kept.turn, 0), q.Place.Turn, "branch left in qwen-code")
	_ = q.Emit(tenfold.Entry{ID: id + "/left", Payload: hide})
	if kept.turn >= 0 {
		show := hide
		show.ToTurn, show.Turns, show.ToStep = kept.turn, tenfold.Keep, &kept.step
		_ = q.Emit(tenfold.Entry{ID: id + "/left/0", Payload: show})
	}
}

// body emits what a record says.
func (q *qwen) body(r *qwenRecord, id string, line int) error {
	switch {
	case r.kind != '{' || r.twice || r.content.Twice || chatapi.Misplaced(r.content.Parts, r.typ == "assistant"):
		q.Warn.Odd(line, "record")
	case r.typ == "system" && r.subtype == "chat_compression" && len(r.history) > 0:
		return q.compressed(r, id)
	case r.typ == "system" && r.title != "":
		q.Conv.Title = r.title
	case r.typ == "assistant" || ((r.typ == "user" || r.typ == "tool_result") && r.content.Has):
		return q.message(r, id)
	}
	return q.Keep(id, tenfold.Kind("qwen-code."+cmp.Or(r.typ, "untyped")), r.raw)
}

// message emits a message, with its source on its first entry.
func (q *qwen) message(r *qwenRecord, id string) error {
	if r.typ == "assistant" {
		q.ChangeModel(id, r.model, &q.model)
	}
	w := &engine.Finder{Scan: &q.Scan, Raw: r.raw}
	entries := q.entries(w, &r.content, id, r.typ == "assistant", r.failed)
	if len(entries) == 0 {
		_ = q.Keep(id, tenfold.Kind("qwen-code."+r.typ), r.raw)
	} else {
		entries[0].Source = w.Done()
	}
	q.show(entries)
	u, counted := r.usage.usage(q.model)
	if r.typ != "assistant" || !counted {
		return nil
	}
	return q.Emit(tenfold.Entry{ID: id + "/usage", MessageID: id, Payload: u})
}

// entries gives those that a content makes.
func (q *qwen) entries(w *engine.Finder, g *chatapi.GeminiContent, id string, model, failed bool) []tenfold.Entry {
	var list []tenfold.Entry
	if model {
		q.calls.Next()
		payloads, _ := g.Said(w, &q.calls)
		return intake.Entries(id, id, "", payloads)
	}
	var parts []tenfold.Part
	for i := range g.Parts {
		p := &g.Parts[i]
		if p.Response {
			result := p.Result(w, q.calls.Result(p.ID, p.Name))
			result.IsError = result.IsError || failed
			list = append(list, tenfold.Entry{ID: id + "/result/" + strconv.Itoa(i), Payload: result})
		} else if part, ok := p.Given(w); ok {
			parts = append(parts, part)
		} else if p.Kind == '{' {
			parts = append(parts, w.UnknownPart("", p.Span))
		}
	}
	if len(parts) > 0 {
		list = append(list, tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: parts}})
	}
	return list
}

// show emits visible entries; a person's message opens a turn.
func (q *qwen) show(entries []tenfold.Entry) {
	for _, e := range entries {
		if u, ok := e.Payload.(tenfold.UserMessage); ok && !u.Synthetic {
			q.Open(e.ID)
		}
		_ = q.Show(e)
	}
}

// compressed takes the history that stands for all before it: a summary, what
// the model said to it, and messages that were kept, which stand again.
func (q *qwen) compressed(r *qwenRecord, id string) error {
	_ = q.Keep(id, "qwen-code.system", r.raw)
	w := &engine.Finder{Scan: &q.Scan, Raw: r.raw}
	history := r.history
	if q.Place.Opened {
		o := engine.Hidden(0, q.Place.Turn, "compressed in qwen-code")
		if first := &history[0]; first.Role != "model" && len(first.Parts) == 1 && w.IsString(first.Parts[0].Text) {
			o.Turns, o.Summary = "", &tenfold.Summary{Text: w.Text(first.Parts[0].Text), Placement: tenfold.PlaceMessage}
			history = history[1:]
		}
		q.Over = true
		q.compacted[len(q.path)-1] = id + "/compaction"
		_ = q.Emit(tenfold.Entry{ID: id + "/compaction", Payload: o})
	}
	for i := range history {
		g := &history[i]
		if g.Twice || chatapi.Misplaced(g.Parts, g.Role == "model") {
			q.Warn.Add(0, "kept message could not be understood", "kept messages could not be understood")
			continue
		}
		q.show(q.entries(w, g, id+"/kept/"+strconv.Itoa(i), g.Role == "model", false))
	}
	return nil
}
