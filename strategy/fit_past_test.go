package strategy_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
)

// endless is a conversation that is compacted whenever it has grown.
type endless struct {
	log   *tenfold.Log
	view  *tenfold.Projection
	index *excerpt.Index
	turns int
}

func newEndless() *endless {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	return &endless{log: l, view: tenfold.Project(l), index: excerpt.NewIndex()}
}

// grow appends turns of work until the view has so many tokens.
func (e *endless) grow(t testing.TB, tokens int, more func(turn int) tenfold.Payload) {
	t.Helper()
	for e.view.Advance(); e.view.Tokens() < tokens; e.view.Advance() {
		n := e.turns
		e.turns++
		id := fmt.Sprint("c", n)
		entries := []tenfold.Payload{
			tenfold.TurnStart{},
			tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("Now look at module_%d, it is slow in some cases, and tell me why.", n))},
			tenfold.ToolCall{CallID: id, Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"src/module_%d.go"}`, n)},
			tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat(fmt.Sprintf("func helper_%d() int { return %d }\n", n, n), 8))},
			tenfold.AssistantMessage{Text: fmt.Sprintf("module_%d calls helper_%d in a loop; that is where the time goes.", n, n)},
		}
		if p := more(n); p != nil {
			entries[1] = p
		}
		for _, p := range entries {
			if _, err := e.log.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// plan plans a fit into so many tokens, and tells how many bytes that took.
func (e *endless) plan(t testing.TB, fit strategy.Fit) (made strategy.Plan, took uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	made, err := strategy.Pipeline{fit}.Plan(t.Context(), e.view, strategy.Options{Range: everything(e.log), Index: e.index, Source: "auto"})
	runtime.ReadMemStats(&after)
	if err != nil || !made.Fitted.Met() {
		t.Fatal(err, made.Fitted)
	}
	return made, after.TotalAlloc - before.TotalAlloc
}

func nothingMore(int) tenfold.Payload { return nil }

// Issue 18: a compaction of a conversation that was compacted forty times takes no more
// than one of a conversation that was compacted ten times.
func TestV6CompactionsCostTheSame(t *testing.T) {
	corpustest.Unraced(t)
	e, fit := newEndless(), strategy.Fit{Target: strategy.Tokens(2000)}
	var took []uint64
	for range 40 {
		e.grow(t, 12_000, nothingMore)
		made, bytes := e.plan(t, fit)
		took = append(took, bytes)
		apply(t, e.log, made)
	}
	sum := func(of []uint64) (sum uint64) {
		for _, n := range of {
			sum += n
		}
		return sum
	}
	early, late := sum(took[7:12]), sum(took[35:])
	if t.Logf("%d bytes, later %d", early/5, late/5); float64(late) > 1.15*float64(early) {
		t.Errorf("a compaction takes %d bytes after ten others, %d after forty: %v", early/5, late/5, took)
	}
}

// What a person demanded, what is pinned and what the first request was stays through
// any number of compactions; what is out of reach is hidden by one overlay that names
// only what stays; undo gives back the view before, to the byte (C7).
func TestF5StaysWhenThePastIsOutOfReach(t *testing.T) {
	corpustest.Unraced(t)
	e, fit := newEndless(), strategy.Fit{Target: strategy.Tokens(2000), Recall: true}.Reaching(1, 100)
	say := func(n int) tenfold.Payload {
		switch n {
		case 0:
			return tenfold.UserMessage{Parts: tenfold.Text("Find out why the build of the whole shop is slow.")}
		case 2:
			return tenfold.UserMessage{Parts: tenfold.Text("Never push to the branch main.")}
		case 4:
			return tenfold.UserMessage{Parts: tenfold.Text("Rules of this house: tabs."), Purpose: tenfold.Context}
		}
		return nil
	}
	pin := ""
	for round := range 12 {
		e.grow(t, 8000, say)
		if pin == "" {
			at, _ := e.log.Entry(29) // the result of turn 5
			pin = at.ID
			if _, err := e.log.Append(tenfold.Entry{Payload: tenfold.Pin{Entries: []string{pin}}}); err != nil {
				t.Fatal(err)
			}
			e.view.Advance()
		}
		before := allBodies(t, e.view)
		made, _ := e.plan(t, fit)
		holdTarget(t, fit.Name(), e.view, made)
		apply(t, e.log, made)
		e.view.Advance()
		checkValid(t, fit.Name(), allBodies(t, e.view))
		checkTotals(t, e.view)
		shown := string(bytes.Join(allBodies(t, e.view), nil))
		for _, text := range []string{"why the build of the whole shop is slow", "Never push to the branch main.", "Rules of this house", "func helper_5()"} {
			if !strings.Contains(shown, text) {
				t.Errorf("round %d: %q is not in the view", round, text)
			}
		}
		if round > 2 {
			past := made.Compactions[1]
			if c := made.Compactions; c[0].TokensBefore-c[0].TokensAfter < 9*(made.Before-made.After)/10 || c[1].TokensAfter != made.After {
				t.Errorf("round %d: the overlays save %d - %d and %d - %d tokens", round, c[0].TokensBefore, c[0].TokensAfter, c[1].TokensBefore, c[1].TokensAfter)
			}
			if len(made.Compactions) != 2 || past.Turns != tenfold.Omit || past.FromTurn != 0 || len(past.Keeps.Entries) > 30 {
				t.Fatalf("round %d: the past is hidden by %+v", round, past)
			}
			for seq := range made.Compactions[0].Texts.Entries {
				if f, _, _ := e.view.Fate(seq); f == tenfold.Omitted {
					t.Errorf("round %d: message %d is named and hidden", round, seq)
				}
			}
		}
		var undo []tenfold.Entry
		for o := range e.view.Overlays() {
			if o.Seq > made.Version {
				undo = append(undo, tenfold.Entry{ID: o.ID + "/undone", Payload: tenfold.CompactionRevoked{Target: o.ID}})
			}
		}
		if after := allBodies(t, e.view.Preview(undo...)); !slices.EqualFunc(before, after, bytes.Equal) {
			t.Errorf("round %d: undone it is another view", round)
		}
	}
}

// A result that comes late stands behind its call, before what is older than it: what
// follows there is weighed as ever.
func TestF5StaysBehindALateResult(t *testing.T) {
	e, fit := newEndless(), strategy.Fit{Target: strategy.Tokens(2000)}.Reaching(1, 100)
	add := func(p tenfold.Payload) {
		if _, err := e.log.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("Watch the build, and tell me when it ends.")})
	add(tenfold.ToolCall{CallID: "late", Name: "watch_build", Arguments: `{"id":7}`})
	call, _ := e.log.Entry(e.log.Version())
	add(tenfold.Pin{Entries: []string{call.ID}})
	for round := range 5 {
		e.grow(t, 8000, func(turn int) tenfold.Payload {
			if turn == 2 {
				return tenfold.UserMessage{Parts: tenfold.Text("Never push to the branch main.")}
			}
			return nil
		})
		if round == 4 {
			add(tenfold.ToolResult{CallID: "late", Parts: tenfold.Text("build 7 is green")})
			e.view.Advance()
		}
		made, _ := e.plan(t, fit)
		apply(t, e.log, made)
		e.view.Advance()
		if shown := string(bytes.Join(allBodies(t, e.view), nil)); !strings.Contains(shown, "Never push to the branch main.") {
			t.Errorf("round %d: a demand is gone", round)
		}
	}
}

// Whatever the log, laid again and again with the past out of reach: valid, within what
// the view was, and the same as projected anew (P1).
func TestS13aLawsOutOfReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		entries := logtest.Entries(96).Draw(t, "log")
		p := tenfold.Project(l)
		for len(entries) > 0 {
			n := min(rapid.IntRange(8, 40).Draw(t, "grown by"), len(entries))
			if _, err := l.Append(entries[:n]...); err != nil {
				t.Fatal(err)
			}
			entries = entries[n:]
			if p.Advance(); l.Turns() == 0 {
				continue
			}
			fit := strategy.Fit{Target: strategy.Tokens(rapid.IntRange(20, 200).Draw(t, "target"))}.Reaching(1, rapid.IntRange(1, 20).Draw(t, "reach"))
			was := p.Tokens()
			made, err := strategy.Pipeline{fit}.Plan(context.Background(), p, able(everything(l)))
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range made.Compactions {
				if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("fit", l.Version(), ".", i), Payload: c}); err != nil {
					t.Fatal(err)
				}
			}
			if p.Advance(); p.Tokens() != made.After || made.After > was {
				t.Fatalf("%d tokens, the plan says %d, it was %d", p.Tokens(), made.After, was)
			}
			anew := allBodies(t, tenfold.Project(l))
			if checkValid(t, fit.Name(), anew); !slices.EqualFunc(anew, allBodies(t, p), bytes.Equal) {
				t.Fatal("projected anew it is another view")
			}
			checkTotals(t, p)
		}
	})
}
