package transcript

import (
	"context"
	"strconv"
	"time"

	"tenfold"
)

// qwenImporter reads the chat files of Qwen Code: a line is a record of a tree
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
type qwenImporter struct{}

func qwenHandler() handler {
	return handler{
		format: QwenCode, about: "Qwen Code chats (*.jsonl)", importer: qwenImporter{}, homes: []string{".qwen/projects", ".qwen/tmp"},
	}
}

// Recognise implements [Importer].
func (qwenImporter) Recognise(h Head) Confidence {
	if s := h.json.shape; s != shapeLines && s != shapeObject {
		return No
	}
	ours, all, sure := 0, 0, false
	for _, o := range h.json.objects {
		if !o.whole && !o.has("uuid") {
			continue
		}
		all++
		switch o.values["type"] {
		case "user", "assistant", "tool_result", "system":
			if o.has("uuid", "parentUuid") && !o.has("isSidechain") {
				ours++
				sure = sure || o.inner["message"].has("parts") || o.has("systemPayload")
			}
		}
	}
	if sure && 2*ours > all {
		return Certain
	}
	return No
}

// Import implements [Importer].
func (qwenImporter) Import(ctx context.Context, src Source, sink Sink) error {
	q := &qwen{
		emitter: emitter{sink: sink, place: &rootLog{}, conv: Conversation{Format: QwenCode}},
		src:     src, scan: scanner{cost: blockCost}, at: map[string]int{}, compacted: map[int]string{},
	}
	r := newLineReader(ctx, src)
	err := r.records(QwenCode, func(raw []byte) error {
		q.rec.parse(&q.scan, raw)
		return q.scan.err
	}, func() error { return q.record(&q.rec, r.number) })
	if err != nil {
		return err
	}
	if q.conv.ID == "" {
		q.conv.ID = nameID(src.Name, QwenCode)
	}
	if !q.visible {
		q.warn.add(0, "file without messages: the conversation is empty", "")
	}
	return q.end()
}

// qwen is one import.
type qwen struct {
	emitter
	src     Source
	scan    scanner
	rec     qwenRecord
	calls   nameless
	model   string
	visible bool
	over    bool // what stands before is hidden to the end of its turn
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
	if q.conv.ID == "" {
		if q.conv.ID = contentID(q.src.Name, QwenCode, r.raw); r.session != "" {
			q.conv.ID, q.conv.Named = conversationID(r.session), true
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, r.stamp); err == nil {
		q.emitter.at(t.UTC())
	}
	id := "line:" + digest(r.raw)
	if plainID(r.uuid) {
		id = r.uuid
	}
	id = q.ids.unique(id)
	if r.uuid != "" {
		if err := q.attach(r, id, line); err != nil {
			return err
		}
	}
	if err := q.body(r, id, line); err != nil {
		return err
	}
	if n := len(q.path); r.uuid != "" && q.place.opened {
		q.path[n-1].turn, q.path[n-1].step = q.place.turn, q.place.step
	}
	return nil
}

// attach enters a record into the path. What it leaves is hidden.
func (q *qwen) attach(r *qwenRecord, id string, line int) error {
	if _, ok := q.at[r.uuid]; ok {
		q.path = append(q.path, qwenNode{turn: -1}) // a record in several lines
		return nil
	}
	parent, ok := q.at[r.parent]
	switch {
	case r.parent == "" || len(q.path) == 0:
		parent = -1
	case !ok:
		q.warn.add(line, "record hangs from one that was left or is not there and was read as a child of the one before",
			"records hang from ones that were left or are not there and were read as children of the ones before")
		parent = len(q.path) - 1
	}
	for parent >= 0 && parent+1 < len(q.path) && q.path[parent+1].uuid == "" {
		parent++ // more lines of the same record
	}
	if parent+1 < len(q.path) {
		if err := q.leave(parent, id, line); err != nil {
			return err
		}
	}
	n := qwenNode{uuid: r.uuid, turn: -1}
	if parent >= 0 {
		n.turn, n.step = q.path[parent].turn, q.path[parent].step
	}
	q.at[r.uuid] = len(q.path)
	q.path = append(q.path, n)
	return nil
}

// leave hides what stands after a record of the path.
func (q *qwen) leave(parent int, id string, line int) error {
	for _, n := range q.path[parent+1:] {
		delete(q.at, n.uuid)
	}
	for at := parent + 1; at < len(q.path); at++ {
		if target := q.compacted[at]; target != "" {
			if err := q.emit(tenfold.Entry{ID: id + "/revoked/" + strconv.Itoa(at), Payload: tenfold.CompactionRevoked{Target: target}}); err != nil {
				return err
			}
		}
		delete(q.compacted, at)
	}
	q.path = q.path[:parent+1]
	kept := qwenNode{turn: -1}
	if parent >= 0 {
		kept = q.path[parent]
	}
	if !q.place.opened || (kept.turn == q.place.turn && kept.step == q.place.step) {
		return nil
	}
	q.warn.add(line, "branch was left and is hidden by an overlay", "branches were left and are hidden by overlays")
	q.over = true
	hide := tenfold.Compaction{FromTurn: max(kept.turn, 0), ToTurn: q.place.turn, Turns: tenfold.Omit, Source: "import", Reason: "branch left in qwen-code"}
	if err := q.emit(tenfold.Entry{ID: id + "/left", Payload: hide}); err != nil || kept.turn < 0 {
		return err
	}
	show := hide
	show.ToTurn, show.Turns, show.ToStep = kept.turn, tenfold.Keep, &kept.step
	return q.emit(tenfold.Entry{ID: id + "/left/0", Payload: show})
}

// body emits what a record says.
func (q *qwen) body(r *qwenRecord, id string, line int) error {
	switch {
	case r.kind != '{' || r.twice || r.content.twice || misplaced(r.content.parts, r.typ == "assistant"):
		q.warn.add(line, "record could not be understood and was kept as it is", "records could not be understood and were kept as they are")
	case r.typ == "system" && r.subtype == "chat_compression" && len(r.history) > 0:
		return q.compressed(r, id)
	case r.typ == "system" && r.title != "":
		q.conv.Title = r.title
	case r.typ == "assistant" || ((r.typ == "user" || r.typ == "tool_result") && r.content.has):
		return q.message(r, id)
	}
	name := r.typ
	if name == "" {
		name = "untyped"
	}
	return q.keep(id, tenfold.Kind("qwen-code."+name), r.raw)
}

// message emits a message, with its source on its first entry.
func (q *qwen) message(r *qwenRecord, id string) error {
	if r.typ == "assistant" && r.model != "" && r.model != q.model {
		q.model = r.model
		if err := q.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: r.model}}); err != nil {
			return err
		}
	}
	w := &contentWriter{scan: &q.scan, raw: r.raw}
	entries := q.entries(w, &r.content, id, r.typ == "assistant", r.failed)
	if len(entries) == 0 {
		if err := q.keep(id, tenfold.Kind("qwen-code."+r.typ), r.raw); err != nil {
			return err
		}
	} else {
		entries[0].Source = splice(r.raw, w.cuts)
	}
	if err := q.show(entries); err != nil {
		return err
	}
	u := r.usage
	if r.typ != "assistant" || u.input|u.output|u.thoughts == 0 {
		return nil
	}
	return q.emit(tenfold.Entry{ID: id + "/usage", MessageID: id, Payload: tenfold.Usage{
		Model: q.model, Input: max(u.input+u.tool-u.cached, 0), Output: u.output + u.thoughts, CacheRead: u.cached,
	}})
}

// entries gives those that a content makes.
func (q *qwen) entries(w *contentWriter, g *geminiContent, id string, model, failed bool) []tenfold.Entry {
	var list []tenfold.Entry
	if model {
		q.calls.next()
		payloads, _ := g.said(w, &q.calls)
		for i, p := range payloads {
			list = append(list, tenfold.Entry{ID: blockID(id, i), MessageID: id, Payload: p})
		}
		return list
	}
	var parts []tenfold.Part
	for i := range g.parts {
		p := &g.parts[i]
		if p.response {
			result := p.result(w, q.calls.result(p.id, p.name))
			result.IsError = result.IsError || failed
			list = append(list, tenfold.Entry{ID: id + "/result/" + strconv.Itoa(i), Payload: result})
		} else if part, ok := p.given(w); ok {
			parts = append(parts, part)
		} else if p.kind == '{' {
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(p.span)}})
		}
	}
	if len(parts) > 0 {
		list = append(list, tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: parts}})
	}
	return list
}

// show emits visible entries; a person's message opens a turn.
func (q *qwen) show(entries []tenfold.Entry) error {
	for _, e := range entries {
		if u, ok := e.Payload.(tenfold.UserMessage); (ok && !u.Synthetic) || q.over || !q.turned {
			q.over = false
			if err := q.turn(e.ID); err != nil {
				return err
			}
		}
		q.visible = true
		if err := q.emit(e); err != nil {
			return err
		}
	}
	return nil
}

// compressed takes the history that stands for all before it: a summary, what
// the model said to it, and messages that were kept, which stand again.
func (q *qwen) compressed(r *qwenRecord, id string) error {
	if err := q.keep(id, "qwen-code.system", r.raw); err != nil {
		return err
	}
	w := &contentWriter{scan: &q.scan, raw: r.raw}
	history := r.history
	if q.place.opened {
		o := tenfold.Compaction{ToTurn: q.place.turn, Source: "import", Reason: "compressed in qwen-code", Turns: tenfold.Omit}
		if first := &history[0]; first.role != "model" && len(first.parts) == 1 && w.isString(first.parts[0].text) {
			o.Turns, o.Summary = "", &tenfold.Summary{Text: w.text(first.parts[0].text), Placement: tenfold.PlaceMessage}
			history = history[1:]
		}
		q.over = true
		q.compacted[len(q.path)-1] = id + "/compaction"
		if err := q.emit(tenfold.Entry{ID: id + "/compaction", Payload: o}); err != nil {
			return err
		}
	}
	for i := range history {
		g := &history[i]
		if g.twice || misplaced(g.parts, g.role == "model") {
			q.warn.add(0, "kept message could not be understood", "kept messages could not be understood")
			continue
		}
		if err := q.show(q.entries(w, g, id+"/kept/"+strconv.Itoa(i), g.role == "model", false)); err != nil {
			return err
		}
	}
	return nil
}
