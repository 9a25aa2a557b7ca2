package tenfold_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

// state is all that can be seen of a projection and its log.
type state struct {
	Entries  []tenfold.Entry
	Places   []string
	Turns    []tenfold.Turn
	Tools    []string
	Tokens   int
	Totals   tenfold.Totals
	Items    []tenfold.Item
	Fates    []string
	Config   tenfold.Config
	Overlays []tenfold.Overlay
	Undoable string
	Redoable string
}

func stateOf(p *tenfold.Projection) state {
	l := p.Log()
	s := state{
		Entries: slices.Collect(l.Entries()), Tools: p.ToolNames(), Tokens: l.Tokens(), Totals: p.Totals(), Items: items(p),
		Config: p.Config(), Overlays: slices.Collect(p.Overlays()),
	}
	for i := range s.Overlays {
		s.Overlays[i].Unchanged = nil // tells of the time when the overlay came
	}
	for seq := int64(1); seq <= l.Version(); seq++ {
		turn, step, _ := l.Where(seq)
		s.Places = append(s.Places, fmt.Sprint(turn, "/", step, " ", l.Pair(seq)))
		fate, by, tokens := p.Fate(seq)
		s.Fates = append(s.Fates, fmt.Sprint(fate, " ", by, " ", tokens, " ", p.Why(seq), " ", p.Reads(seq)))
		if e, ok := l.Lookup(s.Entries[seq-1].ID); !ok || e.Seq != seq {
			s.Places = append(s.Places, fmt.Sprint("the id of ", seq, " finds ", e.Seq))
		}
	}
	for i := range l.Turns() {
		turn, _ := l.Turn(i)
		s.Turns = append(s.Turns, turn)
	}
	if o, ok := p.Undoable(); ok {
		s.Undoable = o.ID
	}
	for _, redo := range p.RedoOne() {
		s.Redoable = redo.Overlay.ID + " " + redo.Target
	}
	return s
}

var errRefused = errors.New("refused")

// turnDown and agree look at what they are shown, as a writer does for its
// figures.
func turnDown(p *tenfold.Projection) error {
	_ = p.Totals()
	_ = items(p)
	return errRefused
}

func agree(p *tenfold.Projection) error {
	_ = p.Totals()
	return nil
}

// L2, L8: what is refused leaves log and projection as they were, then and for
// all that comes later, whatever it was; and so does a panic.
func TestL8AppendIfTakesBackWhatIsRefused(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		others := logtest.Entries(24).Draw(t, "refused")
		for i := range others {
			others[i].ID = fmt.Sprint(rapid.SampledFrom([]string{"id", "other"}).Draw(t, "id"), i)
			others[i].MessageID += rapid.SampledFrom([]string{"", "'"}).Draw(t, "message")
		}
		l := tenfold.NewLog()
		p := tenfold.Project(l)
		for len(entries) > 0 {
			before := stateOf(p)
			from := rapid.IntRange(0, len(others)).Draw(t, "from")
			tried := others[from:min(from+rapid.IntRange(0, 6).Draw(t, "tried"), len(others))]
			if err := p.AppendIf(turnDown, tried...); !errors.Is(err, errRefused) {
				t.Fatalf("refused, and the error is %v", err)
			}
			mustEqual(t, "after a refusal", before, stateOf(p))
			func() {
				defer func() { _ = recover() }()
				_ = p.AppendIf(func(*tenfold.Projection) error { panic("the store broke") }, tried...)
			}()
			mustEqual(t, "after a panic", before, stateOf(p))
			n := rapid.IntRange(1, min(7, len(entries))).Draw(t, "batch")
			want := stateOf(p.Preview(entries[:n]...))
			if err := p.AppendIf(agree, entries[:n]...); err != nil {
				t.Fatal(err)
			}
			mustEqual(t, "what came of a batch", want, stateOf(p))
			entries = entries[n:]
		}
		again := tenfold.NewLog()
		if _, err := again.Append(slices.Collect(l.Entries())...); err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "the whole", stateOf(tenfold.Project(again)), stateOf(p))
	})
}

// accept is shown what the figures of a batch are taken from: the projection
// with the batch.
func TestT2AppendIfShowsTheSumsWithTheBatch(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		p := tenfold.Project(tenfold.NewLog())
		for len(entries) > 0 {
			n := rapid.IntRange(1, min(5, len(entries))).Draw(t, "batch")
			var shown tenfold.Totals
			var version int64
			err := p.AppendIf(func(with *tenfold.Projection) error {
				shown, version = with.Totals(), with.Version()
				return nil
			}, entries[:n]...)
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, "totals", p.Totals(), shown)
			mustEqual(t, "version", p.Version(), version)
			entries = entries[n:]
		}
	})
}

func TestAppendIfChecksBeforeItAsks(t *testing.T) {
	p := project(t, start(), user("hello"))
	before := stateOf(p)
	err := p.AppendIf(func(*tenfold.Projection) error {
		t.Error("asked about an entry without a payload")
		return nil
	}, say("x"), tenfold.Entry{ID: "empty"})
	if !errors.Is(err, tenfold.ErrNoPayload) {
		t.Errorf("an entry without a payload gives %v", err)
	}
	same(t, "state", stateOf(p), before)
}

// C8: a preview shares no state with what it was made of, nor with other
// previews of it: each is what a log with its entries would be, whichever of them
// are made, extended or used in between.
func TestC8PreviewsShareNothing(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		base := tenfold.Project(newLogOf(t, entries[:cut]))
		var ways [][]tenfold.Entry
		for range 3 {
			way := slices.Clone(entries[cut:])
			if n := len(way); n > 0 {
				way = way[:rapid.IntRange(0, n).Draw(t, "entries")]
			}
			for _, e := range logtest.Entries(8).Draw(t, "others") {
				e.ID, e.Seq = fmt.Sprint("other ", len(way)), 0
				way = append(way, e)
			}
			ways = append(ways, way)
		}
		// A preview is extended by a second one in the middle of its entries.
		preview := func(way []tenfold.Entry) *tenfold.Projection {
			half := len(way) / 2
			return base.Preview(way[:half]...).Preview(way[half:]...)
		}
		was := stateOf(base)
		var views []*tenfold.Projection
		var states []state
		for _, way := range ways {
			views = append(views, preview(way))
			states = append(states, stateOf(views[len(views)-1]))
		}
		for i, way := range ways {
			alone := stateOf(tenfold.Project(newLogOf(t, entries[:cut])).Preview(way...))
			mustEqual(t, "a preview beside others", alone, states[i])
			mustEqual(t, "a preview later", alone, stateOf(views[i]))
		}
		mustEqual(t, "what they were made of", was, stateOf(base))
		if err := base.AppendIf(agree, entries[cut:]...); err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "what they were made of, going on", stateOf(tenfold.Project(newLogOf(t, entries))), stateOf(base))
	})
}

// The same of what lies in lists with room at their ends, which append would
// share: a preview of each length writes there, and another one after it.
func TestC8PreviewsShareNoRoom(t *testing.T) {
	for n := range 10 {
		l := tenfold.NewLog()
		entries := []tenfold.Entry{start(), user("go")}
		for i := range n {
			id := fmt.Sprint("c", i)
			entries = append(
				entries,
				tenfold.Entry{Branch: fmt.Sprint("b", i), Payload: tenfold.AssistantMessage{Text: "aside"}},
				tenfold.Entry{ID: id, Payload: tenfold.Compaction{Turns: tenfold.Omit}},
				tenfold.Entry{ID: "r" + id, Payload: tenfold.CompactionRevoked{Target: id}},
			)
		}
		entries = append(entries, tenfold.Entry{ID: "first", Payload: tenfold.Compaction{Turns: tenfold.Omit}}, tenfold.Entry{ID: "second", Payload: tenfold.Compaction{Turns: tenfold.Omit}})
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for _, reader := range []string{"", "mine"} {
			base := tenfold.ProjectBranch(l, reader)
			preview := func(branch, target string) *tenfold.Projection {
				return base.Preview(
					tenfold.Entry{ID: "say " + branch, Branch: branch, Payload: tenfold.AssistantMessage{Text: "from " + branch}},
					tenfold.Entry{ID: "undo " + target, Payload: tenfold.CompactionRevoked{Target: target}},
					tenfold.Entry{ID: "config " + target, Payload: tenfold.ConfigDelta{Model: target, Extra: `{"` + target + `":1}`}},
				)
			}
			mine := preview("mine", "first")
			was := stateOf(mine)
			theirs := preview("theirs", "second")
			_ = stateOf(theirs)
			same(t, fmt.Sprintf("%d of each, reader %q", n, reader), stateOf(mine), was)
			_ = preview("mine", "first")
			same(t, fmt.Sprintf("%d of each, reader %q, theirs", n, reader), stateOf(theirs), stateOf(preview("theirs", "second")))
		}
	}
}

// L8: nothing of what was refused is told of what comes in its place.
func TestL8WhatComesInThePlaceOfTheRefused(t *testing.T) {
	first, one := user("go"), say("one")
	first.Source, one.Source, one.MessageID = `{"line":2}`, `{"line":3}`, "m"
	l := newLog(t, []tenfold.Entry{start(), first})
	p := tenfold.Project(l)
	if err := p.AppendIf(turnDown, on("scout", one)); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if err := p.AppendIf(agree, named("next", say("two").Payload)); err != nil {
		t.Fatal(err)
	}
	e, _ := l.Entry(3)
	same(t, "the entry", fmt.Sprint(e.ID, " ", e.Source, e.MessageID, e.Branch, show(e.Payload)), "next assistant: two")
}

// A preview goes on as if no other had been made of the same, of which each appends one more of
// something: a request, a change of the view. Reasoning that waits for its loop waits in the others
// still when it closes in one.
func TestC8PreviewsGoOnAlone(t *testing.T) {
	strip := overlay("", tenfold.Compaction{ToTurn: 9, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	omit := overlay("o", tenfold.Compaction{Turns: tenfold.Omit})
	nothing := overlay("", tenfold.Compaction{Turns: tenfold.Keep})
	loop := []tenfold.Entry{start(), user("go on"), signed("anthropic", "hm"), call("c", "t", `{}`)}
	for name, c := range map[string]struct{ more, mine, other, then []tenfold.Entry }{
		"requests": {nil, []tenfold.Entry{user("one")}, []tenfold.Entry{say("so"), user("two")}, []tenfold.Entry{say("yes")}},
		"changes":  {loop, []tenfold.Entry{nothing}, []tenfold.Entry{omit}, []tenfold.Entry{nothing}},
		"loops":    {append(loop, strip), nil, []tenfold.Entry{user("enough")}, []tenfold.Entry{user("no more")}},
	} {
		for n := range 10 {
			var entries []tenfold.Entry
			for range n {
				entries = append(entries, start(), user("go"), signed("anthropic", "hm"), say("done"), nothing)
			}
			entries = append(entries, c.more...)
			base := tenfold.Project(newLog(t, entries))
			then := c.then
			if name == "requests" { // the range ends inside the last turn
				then = append(then, overlay("", tenfold.Compaction{ToTurn: n - 1, ToStep: new(5), Turns: tenfold.Omit}))
			}
			want := stateOf(tenfold.Project(newLog(t, slices.Concat(entries, c.mine, then))))
			mine := base.Preview(c.mine...)
			_ = base.Preview(c.other...).Tokens()
			same(t, fmt.Sprintf("%s, %d turns, a preview", name, n), stateOf(mine.Preview(then...)), want)
			if err := base.AppendIf(agree, slices.Concat(c.mine, then)...); err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%s, %d turns, the projection", name, n), stateOf(base), want)
		}
	}
}

// Two previews that see the same new branch under different numbers.
func TestC8PreviewsShareNoBranches(t *testing.T) {
	aside := func(branch string) tenfold.Entry {
		return tenfold.Entry{ID: "say " + branch, Branch: branch, Payload: tenfold.AssistantMessage{Text: "from " + branch}}
	}
	base := tenfold.ProjectBranch(newLog(t, []tenfold.Entry{start(), user("go"), aside("a"), aside("a.b")}), "a.b.c")
	mine := base.Preview(aside("a.b.c"))
	was := stateOf(mine)
	_ = base.Preview(aside("other"), aside("a.b.c")).Tokens()
	same(t, "a preview beside another", stateOf(mine), was)
}
