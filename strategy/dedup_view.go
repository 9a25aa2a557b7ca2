package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// view is what the calls of a log did, for the strategies that compare them.
type view struct {
	p           *tenfold.Projection
	first, last int64  // the range
	uses        []*use // of the reader's branches, in order, of the whole log
	changes     changes
}

// use is one call: what it asked, did and got.
type use struct {
	toolCall
	branch string
	tool   tool.Tool
	does   tool.Call
	*step
	// ok is set when a result came and it reports no error (S-3).
	ok   bool
	text string
}

// step is the entries between which calls run side by side.
type step struct{ from, to int64 }

// refersBack is how short an answer is that may only say that nothing changed.
const refersBack = 400

// size is the length of the result's text.
func (u *use) size() int { return len(u.text) }

// answeredBy reports whether an answer of so many bytes can stand for this
// one. An answer to the same question that is less than half as long says
// something else: that it failed, or that nothing changed since.
func (u *use) answeredBy(bytes int) bool {
	return bytes >= 0 && (bytes*2 >= u.size() || u.size() < refersBack/2)
}

// readView reads the log once. Changes count on whatever branch they were made;
// calls only where the reader sees them.
func readView(p *tenfold.Projection, o Options) *view {
	l := p.Log()
	v := &view{p: p}
	v.first, v.last = l.Extent(o.Range)
	type place struct {
		branch     string
		turn, step int
	}
	steps := map[place]*step{}
	tools := map[string]tool.Tool{}
	var all []*use
	for e := range l.Entries() {
		call, ok := e.Payload.(tenfold.ToolCall)
		if e.Seq > p.Version() {
			break
		}
		if !ok {
			continue
		}
		t, have := tools[call.Name]
		if !have {
			t = o.Tools.Tool(call.Name)
			tools[call.Name] = t
		}
		u := &use{toolCall: toolCall{call: call, seq: e.Seq}, branch: e.Branch, tool: t, does: t.Call(call.Arguments)}
		if pair := l.Pair(e.Seq); pair <= p.Version() {
			u.result = pair
		}
		turn, n, _ := l.Where(e.Seq)
		at := place{e.Branch, turn, n}
		if steps[at] == nil {
			steps[at] = &step{from: e.Seq}
		}
		u.step = steps[at]
		u.to = max(u.to, e.Seq, u.result)
		u.readResult(l)
		all = append(all, u)
	}
	for _, u := range all { // once it is known where each step ends
		v.changes.record(u)
		if p.Reads(u.seq) {
			v.uses = append(v.uses, u)
		}
	}
	return v
}

// readResult looks at the result: whether it succeeded, and whether a read that
// asked for so many lines came to the end of the file.
func (u *use) readResult(l *tenfold.Log) {
	if u.result == 0 {
		return
	}
	r := payloadOf[tenfold.ToolResult](l, u.result)
	u.ok = !tool.Failed(u.call.Name, u.call.Arguments, r) && !tool.Underway(r)
	if len(r.Parts) == 1 {
		u.text = r.Parts[0].Text
	} else {
		var b strings.Builder
		for i := range r.Parts {
			b.WriteString(r.Parts[i].Text)
		}
		u.text = b.String()
	}
	if len(u.does.Reads) != 1 {
		return
	}
	a := &u.does.Reads[0]
	if a.To == 0 || a.Part {
		return
	}
	if got := strings.Count(u.text, "\n") + 1; got < a.To-max(a.From, 1)+1 && !u.mayBePartial() {
		a.To = 0
	}
}

// cutMarks are words with which agents say that they cut a result short.
var cutMarks = []string{"truncated", "Truncated", "TRUNCATED", "clipped", "more lines"}

// mayBePartial reports whether the result may be a part of what was asked for. A file
// that holds such words is taken for one, which costs nothing but the saving.
func (u *use) mayBePartial() bool {
	return slices.ContainsFunc(cutMarks, func(mark string) bool { return strings.Contains(u.text, mark) })
}

// fates are what became of the call and of its result.
func (v *view) fates(u *use) [2]tenfold.Fate {
	call, _, _ := v.p.Fate(u.seq)
	result, _, _ := v.p.Fate(u.result)
	return [2]tenfold.Fate{call, result}
}

// shownWhole reports whether the model sees all of the call and its answer, so
// that it can stand for others. An answer that only says that nothing changed
// stands for none: it means an earlier one.
func (v *view) shownWhole(u *use) bool {
	if !u.ok || v.fates(u) != [2]tenfold.Fate{tenfold.Kept, tenfold.Kept} {
		return false
	}
	return u.size() >= refersBack || !strings.Contains(strings.ToLower(u.text), "unchanged")
}

// changeNumber gives a number that two calls share exactly where nothing between them
// may have changed their answers: the first change that touches or follows the
// call's step. False for a call beside such a change.
func (v *view) changeNumber(u *use) (int64, bool) {
	if u.tool.Dedup == tool.DedupAlways {
		return 0, true // its setting says that changes do not matter (H1)
	}
	next := v.changes.next(u)
	return next, next > u.to
}
