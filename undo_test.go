package tenfold_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
)

// command is what one command does to a log: compactions, and revocations of
// overlays that they take the place of.
type command struct {
	name     string
	revoked  []string
	overlays []tenfold.Compaction
}

// fataler is a test or a property.
type fataler interface {
	Fatalf(format string, args ...any)
}

// kept appends to a log and its projection.
type kept struct {
	log *tenfold.Log
	p   *tenfold.Projection
	n   int
}

func (k *kept) append(t fataler, p tenfold.Payload) {
	k.n++
	if _, err := k.log.Append(tenfold.Entry{ID: fmt.Sprintf("k%d", k.n), Payload: p}); err != nil {
		t.Fatalf("%v", err)
	}
	k.p.Advance()
}

func (k *kept) do(t fataler, c command) {
	for _, id := range c.revoked {
		k.append(t, tenfold.CompactionRevoked{Target: id, Command: c.name})
	}
	for _, o := range c.overlays {
		o.Command = c.name
		k.append(t, o)
	}
}

// turn appends what undo or redo asks for, as one command.
func (k *kept) turn(t fataler, name string, changes []tenfold.Change) {
	for _, c := range changes {
		k.append(t, tenfold.CompactionRevoked{Target: c.Target, Command: name})
	}
	for _, c := range changes {
		for o := range k.p.Overlays() {
			if o.ID == c.Overlay.ID && o.Live != c.Overlay.Live {
				t.Fatalf("%s is to be live: %v, and is not", o.ID, c.Overlay.Live)
			}
		}
	}
}

// state is all that anybody sees of a projection.
func (k *kept) state(t *rapid.T) []any {
	var live []string
	for o := range k.p.Overlays() {
		if o.Live {
			live = append(live, o.ID)
		}
	}
	return []any{live, bodies(t, k.p), k.p.Tokens(), items(k.p)}
}

// C7: one undo takes back what one command did, to the byte, and one redo gives
// it back: commands of one overlay and of several, those that take the place of
// what was there, and those of before, of which no command is known.
func TestC7OneUndoForOneCommand(t *testing.T) {
	corpustest.Unraced(t)
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		k := &kept{log: tenfold.NewLog()}
		if _, err := k.log.Append(entries...); err != nil {
			t.Fatal(err)
		}
		k.p = tenfold.Project(k.log)
		states := [][]any{k.state(t)}
		steps := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "commands") {
			c := command{name: fmt.Sprintf("cmd%d", i)}
			for range rapid.IntRange(1, 3).Draw(t, "overlays") {
				c.overlays = append(c.overlays, logtest.Compaction().Draw(t, "overlay"))
			}
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				c.name, c.overlays = "", c.overlays[:1] // as of before
			case 1:
				for o := range k.p.Overlays() {
					if o.Live {
						c.revoked = append(c.revoked, o.ID)
					}
				}
			}
			k.do(t, c)
			steps++
			states = append(states, k.state(t))
		}
		for round := range 2 {
			for i := steps; i > 0; i-- {
				mustEqual(t, fmt.Sprintf("round %d: command %d", round, i-1), states[i], k.state(t))
				k.turn(t, fmt.Sprintf("undo%d.%d", round, i), k.p.Undo())
				mustEqual(t, fmt.Sprintf("round %d: undone command %d", round, i-1), states[i-1], k.state(t))
			}
			for i := range steps {
				k.turn(t, fmt.Sprintf("redo%d.%d", round, i), k.p.Redo())
				mustEqual(t, fmt.Sprintf("round %d: redone command %d", round, i), states[i+1], k.state(t))
			}
		}
	})
}

// omitting gives overlays that each hide a turn.
func omitting(turns ...int) []tenfold.Compaction {
	var out []tenfold.Compaction
	for _, turn := range turns {
		out = append(out, tenfold.Compaction{FromTurn: turn, ToTurn: turn, Turns: tenfold.Omit})
	}
	return out
}

func ids(changes []tenfold.Change) string {
	out := ""
	for _, c := range changes {
		word := "-"
		if c.Overlay.Live {
			word = "+"
		}
		out += word + c.Overlay.ID
	}
	return out
}

func TestC7WhatUndoAndRedoTurnOver(t *testing.T) {
	var entries []tenfold.Entry
	for i := range 5 {
		entries = append(entries, start(), user(fmt.Sprintf("turn %d", i)))
	}
	fresh := func() *kept {
		l := newLog(t, entries)
		return &kept{log: l, p: tenfold.Project(l)}
	}
	t.Run("nothing", func(t *testing.T) {
		k := fresh()
		for _, changes := range [][]tenfold.Change{k.p.Undo(), k.p.UndoOne(), k.p.Redo(), k.p.RedoOne()} {
			same(t, "changes", ids(changes), "")
		}
	})
	t.Run("one at a time", func(t *testing.T) {
		k := fresh()
		k.do(t, command{"a", nil, omitting(0, 1, 2)}) // k1 k2 k3
		same(t, "one", ids(k.p.UndoOne()), "-k3")
		k.turn(t, "u1", k.p.UndoOne())
		same(t, "the rest", ids(k.p.Undo()), "-k2-k1")
		k.turn(t, "u2", k.p.Undo())
		same(t, "nothing left", ids(k.p.Undo()), "")
		same(t, "redo one", ids(k.p.RedoOne()), "+k1")
		same(t, "redo", ids(k.p.Redo()), "+k1+k2")
		k.turn(t, "r1", k.p.Redo())
		same(t, "redo next", ids(k.p.Redo()), "+k3")
		k.turn(t, "r2", k.p.Redo())
		same(t, "nothing to redo", ids(k.p.Redo()), "")
		same(t, "undo all of it", ids(k.p.Undo()), "-k3-k2-k1")
	})
	t.Run("replaced", func(t *testing.T) {
		k := fresh()
		k.do(t, command{"a", nil, omitting(0)})            // k1
		k.do(t, command{"b", []string{"k1"}, omitting(1)}) // k2 k3
		same(t, "what was replaced is not there to redo", ids(k.p.Redo()), "")
		same(t, "undo", ids(k.p.Undo()), "-k3+k1")
		k.turn(t, "u", k.p.Undo())
		same(t, "redo", ids(k.p.Redo()), "-k1+k3")
		k.turn(t, "r", k.p.Redo())
		same(t, "no more", ids(k.p.Redo()), "")
		same(t, "undo again", ids(k.p.Undo()), "-k3+k1")
	})
	t.Run("of before", func(t *testing.T) {
		k := fresh()
		k.do(t, command{"", nil, omitting(0, 1)})
		same(t, "undo", ids(k.p.Undo()), "-k2")
		k.turn(t, "", k.p.Undo())
		k.turn(t, "", k.p.Undo())
		same(t, "redo", ids(k.p.Redo()), "+k1")
		k.turn(t, "", k.p.Redo())
		same(t, "redo next", ids(k.p.Redo()), "+k2")
	})
	t.Run("read back", func(t *testing.T) {
		k := fresh()
		k.do(t, command{"a", nil, omitting(0, 1)})
		k.turn(t, "u", k.p.Undo())
		again := tenfold.NewLog()
		for e := range k.log.Entries() {
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			read, err := tenfold.ParseEntry(line)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := again.Append(read); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "redo", ids(tenfold.Project(again).Redo()), "+k1+k2")
	})
	t.Run("same", func(t *testing.T) {
		one, other := omitting(1)[0], omitting(1)[0]
		one.Command = "a"
		if !record.Same(one, other) {
			t.Error("who made an overlay is not part of what it says")
		}
	})
	if got := slices.Collect(fresh().p.Overlays()); len(got) != 0 {
		t.Errorf("%d overlays", len(got))
	}
}

// C7, live X2: what a client took back is not undone; a compaction of a strategy that
// somebody named so is.
func TestC7ARewindIsNotUndone(t *testing.T) {
	for source, undoable := range map[string]bool{"import": false, "user": true, "auto": true} {
		p := project(t, user("go"), user("on"), entry(tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit, Source: source, Strategy: tenfold.StrategyRewind}))
		if _, ok := p.Undoable(); ok != undoable {
			t.Errorf("%s: undoable is %v", source, ok)
		}
	}
}

// What a client took back stays so under turns that are left out later.
func TestX2WhatWasTakenBackStaysSo(t *testing.T) {
	p := project(t, start(), user("go"), start(), user("on"), rewind(), start(), user("then"), entry(tenfold.Compaction{ToTurn: 1, Turns: tenfold.Omit}))
	for seq, want := range map[int64]bool{2: true, 4: false, 7: false} {
		if got := p.Rewound(seq); got != want {
			t.Errorf("entry %d is taken back: %v", seq, got)
		}
	}
}
