package geminicli

import (
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// update takes a message that came before: what is new in it is emitted under
// ids of the message, and a message that says something else than it did is
// hidden and stands again. The record is kept whole.
func (g *geminiCLI) update(raw []byte, m *geminiCLIMessage, i int) error {
	st := g.history[i]
	record := g.baseID(raw, m)
	_ = g.unknown(raw, m, record, "update")
	switch {
	case m.twice || (m.typ != "user" && m.typ != "gemini"):
		return nil
	case !st.changed(raw, m):
		return g.emitAdditions(raw, m, st, record)
	case !g.isNewest(i):
		g.Warn.Add(g.line, "message was changed after others had followed: it shows as it was",
			"messages were changed after others had followed: they show as they were")
		return nil
	}
	g.Warn.Add(g.line, "message was edited: its first version is hidden",
		"messages were edited: their first versions are hidden")
	_ = g.hide(st, record)
	g.truncate(i)
	return g.emitNew(raw, m, false)
}

// changed reports whether a message takes back what it said, rather than
// adding to it.
func (st *geminiCLIState) changed(raw []byte, m *geminiCLIMessage) bool {
	if st.text != "" && st.text != geminiCLIDigest(raw, m) {
		return true
	}
	if m.typ == "user" {
		return false
	}
	for i, t := range st.thoughts {
		if len(m.Thoughts) > 0 && (i >= len(m.Thoughts) || geminiCLIThoughtDigest(raw, m.Thoughts[i]) != t) {
			return true
		}
	}
	if len(m.Calls) < len(st.calls) {
		return len(m.Calls) > 0 || m.worded
	}
	for i, c := range st.calls {
		now := m.Calls[i]
		if now.Args.Found() && c.arguments != "" && intake.Digest(now.Args.Of(raw)) != c.arguments {
			return true
		}
		was := c.result
		if m.worded {
			was = c.parts // a part tells no status
		}
		if was != "" && geminiCLIResultDigest(raw, now) != was {
			return true
		}
	}
	return false
}

// emitAdditions emits what a message says beyond what it said. What comes after other
// messages stands after them.
func (g *geminiCLI) emitAdditions(raw []byte, m *geminiCLIMessage, st *geminiCLIState, record string) error {
	if m.typ == "user" {
		return nil
	}
	g.ChangeModel(record, m.model, &g.model)
	for _, e := range g.blocks(g.writer(raw, m, false), m, st, st.base+"/text") {
		_ = g.showIn(st, e)
	}
	return g.usage(m, st)
}

// isNewest reports whether nothing that a model sees follows in the history.
func (g *geminiCLI) isNewest(i int) bool {
	for _, st := range g.history[i+1:] {
		if st.shown || st.compaction != "" {
			return false
		}
	}
	return true
}

// truncate drops the history from a message on.
func (g *geminiCLI) truncate(i int) {
	for _, st := range g.history[i:] {
		delete(g.known, st.id)
		for _, c := range st.calls {
			delete(g.answered, c.id)
		}
		for _, id := range st.results {
			delete(g.answered, id)
		}
	}
	g.history = g.history[:i]
}

// rewind takes messages back: the one it names and all after it, or all there
// are when it names none.
func (g *geminiCLI) rewind(r *Record) error {
	id := g.Ids.Unique("line:" + intake.Digest(r.raw))
	_ = g.Keep(id, "gemini-cli.rewind", r.raw)
	to, _ := g.Scan.Unquote(r.rewindTo)
	return g.drop(g.known[to], id)
}

// drop hides the history from a message on.
func (g *geminiCLI) drop(i int, id string) error {
	var first *geminiCLIState
	for _, st := range g.history[i:] {
		if first == nil && st.shown {
			first = st
		}
	}
	for k, st := range g.history[i:] {
		if st.compaction == "" {
			continue
		}
		revoked := tenfold.Entry{ID: id + "/revoked/" + strconv.Itoa(k), Payload: tenfold.CompactionRevoked{Target: st.compaction}}
		_ = g.Emit(revoked)
	}
	g.truncate(i)
	switch {
	case i == 0 && g.Place.Opened:
		// Nothing is left, nor what a compaction had stood for.
		first = &geminiCLIState{shown: true, prompt: true}
	case first == nil:
		return nil
	}
	return g.hide(first, id)
}

// hide hides all from a message on: whole turns where it opened one, else the
// steps of its turn from its own on. What comes next opens another turn.
func (g *geminiCLI) hide(st *geminiCLIState, id string) error {
	if !st.shown {
		return nil
	}
	overlay := func(from, to int, step int, turns tenfold.Action) tenfold.Compaction {
		o := tenfold.Compaction{FromTurn: from, ToTurn: to, Turns: turns, Source: tenfold.SourceImport, Reason: "taken back in gemini-cli"}
		if step >= 0 {
			o.ToStep = &step
		}
		return o
	}
	g.Over = true
	now := g.Place.Turn
	var list []tenfold.Compaction
	switch {
	case st.prompt:
		list = append(list, overlay(st.turn, now, -1, tenfold.Omit))
	case st.step == 0:
		// A range that ends inside its turn keeps the request (P9).
		if st.turn == now {
			list = append(list, overlay(now, now, g.Place.Step, tenfold.Omit))
		} else {
			list = append(list, overlay(st.turn, st.turn, 1<<30, tenfold.Omit), overlay(st.turn+1, now, -1, tenfold.Omit))
		}
	default:
		list = append(list, overlay(st.turn, now, -1, tenfold.Omit), overlay(st.turn, st.turn, st.step-1, tenfold.Keep))
	}
	for i, o := range list {
		_ = g.Emit(tenfold.Entry{ID: id + "/hidden/" + strconv.Itoa(i), Payload: o})
	}
	return nil
}

// changes takes a change of the session. One that replaces the messages is how
// Gemini CLI writes down that it compressed or masked them.
func (g *geminiCLI) changes(r *Record) error {
	if r.summary != "" {
		g.Conv.Title = r.summary
	}
	id := g.Ids.Unique("line:" + intake.Digest(r.raw))
	_ = g.Keep(id, "gemini-cli.set", r.raw)
	if len(r.messages) == 0 {
		return nil
	}
	g.restart = nil
	if len(r.messages) < len(g.history) && g.onlyContext(r) {
		again := *r
		again.raw = slices.Clone(r.raw)
		g.restart, g.restartID = &again, id
		return nil
	}
	return g.replace(r, id)
}

// restarted takes the list that a resumed session began with for all there is.
func (g *geminiCLI) restarted() {
	if g.restart == nil {
		return
	}
	r := g.restart
	g.restart = nil
	_ = g.replace(r, g.restartID)
}

// replace has a list of messages stand for the history.
func (g *geminiCLI) replace(r *Record, id string) error {
	r.asParts()
	if done, err := g.compressed(r, id); done || err != nil {
		return err
	}
	same, from := g.commonLength(r)
	if slices.ContainsFunc(g.history[from:], func(st *geminiCLIState) bool { return st.shown || st.compaction != "" }) {
		g.Warn.Add(g.line, "list of messages replaces those before; what it leaves out or changes is hidden",
			"lists of messages replace those before; what they leave out or change is hidden")
		_ = g.drop(from, id)
	}
	for i := same; i < len(r.messages); i++ {
		if _, ok := g.known[r.messages[i].id]; ok && r.messages[i].id != "" {
			continue // twice in one list
		}
		_ = g.emitNew(r.raw, &r.messages[i], false)
	}
	return nil
}

// isUnchanged reports whether a message of a list is one of the history, unchanged.
func (g *geminiCLI) isUnchanged(r *Record, i, at int) bool {
	m, st := &r.messages[i], g.history[at]
	return m.id == st.id && !st.changed(r.raw, m)
}

// compressed reads a list of messages that begins with a snapshot and goes on
// with the last ones of the history: a compaction that kept those.
func (g *geminiCLI) compressed(r *Record, id string) (bool, error) {
	m := &r.messages[0]
	if _, ok := g.known[m.id]; ok || m.typ != "user" || m.twice || !g.Place.Opened {
		return false, nil
	}
	at := m.Content
	if len(m.Parts) == 1 {
		at = m.Parts[0].Text
	}
	w := g.writer(r.raw, m, false)
	if !w.IsString(at) || (m.Parts != nil && len(m.Parts) != 1) {
		return false, nil
	}
	text, _ := g.Scan.Unquote(at)
	if !isSnapshot(text) {
		return false, nil
	}
	kept := 1
	if len(r.messages) > 1 {
		if _, ok := g.known[r.messages[1].id]; !ok && r.messages[1].typ == "gemini" && len(r.messages[1].Calls) == 0 {
			kept = 2 // the model's thanks for the snapshot
		}
	}
	from := len(g.history) - (len(r.messages) - kept)
	if from < 0 {
		return false, nil
	}
	for i := kept; i < len(r.messages); i++ {
		if !g.isUnchanged(r, i, from+i-kept) {
			return false, nil
		}
	}
	o := engine.Summarised(g.Place.Turn, compression, text)
	over := true
	for _, st := range g.history[from:] {
		if !st.shown {
			continue
		}
		if !engine.EndBefore(&o, st.turn, st.step) {
			return true, nil // nothing goes before it
		}
		over = false
		break
	}
	g.Over = g.Over || over
	st := &geminiCLIState{id: m.id, base: id + "/compaction", text: geminiCLIDigest(r.raw, m), compaction: id + "/compaction"}
	tail := append([]*geminiCLIState{st}, g.history[from:]...)
	g.truncate(0)
	for i, one := range tail {
		g.known[one.id] = i
		for _, c := range one.calls {
			g.answered[c.id] = c.result != ""
		}
		for _, id := range one.results {
			g.answered[id] = true
		}
	}
	g.history = tail
	return true, g.Emit(tenfold.Entry{ID: st.base, Payload: o})
}
