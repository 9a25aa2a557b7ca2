package tenfold

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tenfold/internal/corpustest"
)

// waiting is what L6 and openCalls say of pairing, with lists and loops.
type waiting struct {
	pairs map[int64]int64
	open  []waitingCall
}

type waitingCall struct {
	seq        int64
	branch, id string
	turn, step int
}

// take pairs a result with the first call of the newest step that has an open
// one of its id.
func (w *waiting) take(l *Log, e Entry) {
	turn, step, _ := l.Where(e.Seq)
	switch p := e.Payload.(type) {
	case ToolCall:
		w.open = append(w.open, waitingCall{e.Seq, e.Branch, p.CallID, turn, step})
	case ToolResult:
		found := -1
		for i, c := range w.open {
			if c.branch != e.Branch || c.id != p.CallID {
				continue
			}
			if found < 0 || c.turn != w.open[found].turn || c.step != w.open[found].step {
				found = i
			}
		}
		if found >= 0 {
			w.pairs[w.open[found].seq], w.pairs[e.Seq] = e.Seq, w.open[found].seq
			w.open = append(w.open[:found], w.open[found+1:]...)
		}
	}
}

// L6: results find their calls, in the log and in forks of it, whatever ids
// come again, however often, in however many steps.
func TestL6ResultsFindTheirCallsAmongMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []Entry
		for i := range rapid.IntRange(0, 120).Draw(t, "entries") {
			e := Entry{ID: fmt.Sprint(i), Branch: rapid.SampledFrom([]string{"", "", "", "scout"}).Draw(t, "branch")}
			id := rapid.SampledFrom([]string{"", "call_0", "call_0", "call_0", "call_1"}).Draw(t, "call")
			switch rapid.IntRange(0, 12).Draw(t, "kind") {
			case 0:
				e.Payload = TurnStart{}
			case 1:
				e.Payload = UserMessage{Parts: Text("go on")}
			case 2:
				e.Payload = AssistantMessage{Text: "well"}
			case 3, 4, 5, 6:
				e.Payload = ToolResult{CallID: id}
			default:
				e.Payload = ToolCall{CallID: id, Name: "read"}
			}
			entries = append(entries, e)
		}
		l, want := NewLog(), waiting{pairs: map[int64]int64{}}
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for e := range l.Entries() {
			want.take(l, e)
		}
		// Grown by forks of forks, and by appends half of which are refused.
		grown := NewLog()
		p := Project(grown)
		for len(entries) > 0 {
			n := rapid.IntRange(1, min(9, len(entries))).Draw(t, "batch")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				p = p.Preview(entries[:n]...)
			case 1:
				refused := func(*Projection) error { return fmt.Errorf("no") }
				if p.AppendIf(refused, entries...) == nil {
					t.Fatal("a refusal is not told")
				}
				fallthrough
			default:
				if err := p.AppendIf(func(*Projection) error { return nil }, entries[:n]...); err != nil {
					t.Fatal(err)
				}
			}
			entries = entries[n:]
		}
		for seq := int64(1); seq <= l.Version(); seq++ {
			if l.Pair(seq) != want.pairs[seq] || p.Log().Pair(seq) != want.pairs[seq] {
				t.Fatalf("entry %d is paired with %d, in a fork with %d; want %d", seq, l.Pair(seq), p.Log().Pair(seq), want.pairs[seq])
			}
		}
	})
}

// However many calls of one id are open, in one step or in steps of their own,
// a call and a result look at the ends alone: pieces of the log in between are
// taken away here, and nobody misses them.
func TestCallsAndResultsLookAtFewOpenCalls(t *testing.T) {
	corpustest.Unraced(t)
	const many = 100_000
	for name, between := range map[string]Payload{"one step": nil, "a step each": UserMessage{Parts: Text("again")}} {
		l := NewLog()
		for range many {
			l.add(&Entry{Payload: ToolCall{CallID: "call_0", Name: "read"}})
			if between != nil {
				l.add(&Entry{Payload: between})
			}
		}
		for i := 1; i < len(l.nodes.pieces)-1; i++ {
			l.nodes.pieces[i] = nil
		}
		l.trail.begin(l)
		newest := l.n
		l.add(&Entry{Payload: ToolCall{CallID: "call_0", Name: "read"}})
		l.add(&Entry{Payload: ToolResult{CallID: "call_0"}})
		l.add(&Entry{Payload: ToolResult{CallID: "call_0"}})
		want := int64(newest - 1) // the call of the step before
		first := int64(newest + 1)
		if between == nil {
			first, want = 1, 2
		}
		if got := l.Pair(int64(newest) + 2); got != first {
			t.Errorf("%s: the first result answers call %d, want %d", name, got, first)
		}
		if got := l.Pair(int64(newest) + 3); got != want {
			t.Errorf("%s: the second result answers call %d, want %d", name, got, want)
		}
		if rows, pairs := len(l.trail.rows), len(l.trail.pairs); rows > 6 || pairs > 3 {
			t.Errorf("%s: three entries changed %d rows and %d nodes", name, rows, pairs)
		}
	}
}
