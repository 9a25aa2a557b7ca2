package session_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// L9: whoever repeats from an old version what somebody else wrote reads what
// came before it, and goes on.
func TestL9AppendAgainFromAnOldVersion(t *testing.T) {
	svc := newService(t)
	stale := mustCreate(t, svc, 1)
	other, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	say := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: id}}
	}
	if err := other.Append(t.Context(), say("first"), say("second")); err != nil {
		t.Fatal(err)
	}
	if err := stale.Append(t.Context(), say("second")); err != nil {
		t.Fatal(err)
	}
	w := &hand{half: &half{}}
	if err := w.append(t.Context(), stale, []tenfold.Entry{say("third")}); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"first", "second", "third"} {
		if e, ok := stale.Log().Lookup(id); !ok || e.Seq != int64(6+i) {
			t.Errorf("%s is entry %d of the session's log, want %d", id, e.Seq, 6+i)
		}
	}
}

// L9: whoever repeats a request that came through while it planned is given
// the overlay which that left, and no other.
func TestL9CompactAgainFromAnOldVersion(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	strip, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	r := all()
	r.ID = "request"
	r.Strategies = []strategy.Strategy{&meddled{Strategy: strip, meddle: func(int) {
		rival(t, svc, tenfold.AssistantMessage{Text: "me first"})
		first, err := svc.Open(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		same := r
		same.Strategies = []strategy.Strategy{strip}
		if c, err := first.Compact(t.Context(), same); err != nil || c.Outcome != session.Applied {
			t.Fatalf("%+v, %v", c, err)
		}
		rival(t, svc, tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	}}}
	c, err := s.Compact(t.Context(), r)
	if err != nil || len(c.Overlays) != 1 || requestOf(c.Overlays[0].ID) != r.ID || c.Overlays[0].Seq != 17 {
		t.Fatalf("%s with %+v, %v", c.Outcome, c.Overlays, err)
	}
	read, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(slices.Collect(read.Log().Entries()), slices.Collect(s.Log().Entries())); d != "" {
		t.Errorf("the session has another log than is stored (-stored +session):\n%s", d)
	}
}
