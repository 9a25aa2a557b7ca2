package session_test

import (
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
)

// undone is a conversation whose compaction was due, made and undone.
func undone(t *testing.T) *running {
	t.Helper()
	r := due(run(t, memory.New()))
	r.live.Micro = session.LiveMicro{Enabled: true, ClearAtLeast: 100, ColdAfter: 5 * time.Minute, Stake: 1}
	r.reopen()
	r.want(r.settle(), session.Compacted, session.Ready)
	if _, err := r.c.Session().Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// C7, A2: what a person undid is not compacted again by itself, in no later turn, with
// a cold cache or after a restart, until the next request would not fit.
func TestC7UndoHoldsWhileTheNextRequestFits(t *testing.T) {
	r := undone(t)
	for range 2 {
		r.want(r.settle(), session.GoOn, session.Ready)
		r.say()
		r.clock.pass(time.Hour)
		r.turn()
		r.reopen()
		if !r.c.Undone() {
			t.Fatal("a restart forgets the undo")
		}
	}
	r.call(1000) // over 95 %
	if d := r.settle(); d.Action != session.Compacted || r.c.Undone() {
		t.Fatalf("a request that does not fit gives %s: %s", d.Action, d.Reason)
	}
}

// C7: an undo holds nobody back who asks, and a redo ends it.
func TestC7UndoHoldsUntilSomebodyAsks(t *testing.T) {
	for _, by := range []session.Asker{session.ByPerson, session.ByClient, session.ByModel} {
		r := undone(t)
		r.want(r.ask(session.Wish{By: by}), session.Compacted, session.Ready)
		if r.c.Undone() {
			t.Errorf("the undo still holds after %s asked", by)
		}
	}
	r := undone(t)
	if _, err := r.c.Session().Redo(t.Context()); err != nil || r.c.Undone() {
		t.Errorf("after a redo: %v, undone %v", err, r.c.Undone())
	}
	if _, err := r.c.Session().Undo(t.Context()); err != nil || !r.c.Undone() {
		t.Errorf("undone again: %v, undone %v", err, r.c.Undone())
	}
}

// C7: what revokes a compaction and is no undo holds nothing back: a compaction that
// takes its place, whichever stands first in the log, and the client's own record. An
// undo that gives back what was replaced is one.
func TestC7WhatIsNoUndo(t *testing.T) {
	strip := &tenfold.Policy{Action: tenfold.Strip}
	old := tenfold.Entry{ID: "old", Payload: tenfold.Compaction{Command: "1", Reasoning: strip}}
	revoked := func(id, target, command string) tenfold.Entry {
		return tenfold.Entry{ID: id, Payload: tenfold.CompactionRevoked{Target: target, Command: command}}
	}
	replacing := tenfold.Entry{ID: "new", Payload: tenfold.Compaction{Command: "2", Reasoning: strip}}
	for name, test := range map[string]struct {
		entries []tenfold.Entry
		want    bool
	}{
		"an undo":             {[]tenfold.Entry{old, revoked("r", "old", "u")}, true},
		"of no known command": {[]tenfold.Entry{old, revoked("r", "old", "")}, true},
		"replaced":            {[]tenfold.Entry{old, revoked("r", "old", "2"), replacing}, false},
		"replaced after":      {[]tenfold.Entry{old, replacing, revoked("r", "old", "2")}, false},
		"the client's own":    {[]tenfold.Entry{{ID: "own", Payload: tenfold.Compaction{Source: "import", Reasoning: strip}}, revoked("r", "own", "")}, false},
		"given back": {[]tenfold.Entry{
			old, revoked("r", "old", "2"), replacing, revoked("u1", "new", "u"), revoked("u2", "r", "u"),
		}, true},
		"a pin after": {[]tenfold.Entry{old, revoked("r", "old", "u"), {ID: "p", Payload: tenfold.Pin{}}}, true},
	} {
		r := run(t, memory.New())
		r.turn()
		r.call(100)
		for _, e := range test.entries {
			e.Time = r.clock.now
			r.append(e)
		}
		if r.c.Undone() != test.want {
			t.Errorf("%s: undone is %v", name, !test.want)
		}
	}
}
