package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// fickle is a store whose appends fail when they are told to.
type fickle struct {
	store.Store
	fail func() error // nil for none
	// halted is how many entries a read gives before it fails; 0 for all.
	halted int
}

var errDisk = errors.New("the disk is gone")

func (f *fickle) Append(ctx context.Context, b store.Batch) (int64, error) {
	if f.fail != nil {
		if err := f.fail(); err != nil {
			return 0, err
		}
	}
	return f.Store.Append(ctx, b)
}

func (f *fickle) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		n := 0
		for e, err := range f.Store.Entries(ctx, id, after) {
			if n++; f.halted > 0 && n > f.halted {
				e, err = tenfold.Entry{}, errDisk
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// shown is what a session shows: the log, the view, and the bodies made of it.
type shown struct {
	Version, Projected int64
	Entries            []tenfold.Entry
	Items              []tenfold.Item
	Totals             tenfold.Totals
	Overlays           []tenfold.Overlay
	Bodies             []string
}

func look(t rapid.TB, s *session.Session) shown {
	t.Helper()
	p := s.Projection()
	out := shown{
		Version: s.Log().Version(), Projected: p.Version(), Entries: slices.Collect(s.Log().Entries()),
		Items: slices.Collect(p.Items()), Totals: p.Totals(), Overlays: slices.Collect(p.Overlays()),
	}
	for i := range out.Overlays {
		out.Overlays[i].Unchanged = nil // tells of the time when the overlay came
	}
	for _, f := range body.Profiles() {
		body, err := f.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		out.Bodies = append(out.Bodies, string(body))
	}
	return out
}

// L8: an append that the store refuses, for whatever reason, leaves the session
// byte for byte as it was, and all that is appended later comes out as if it had
// never been tried.
func TestL8FailedAppendChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(40).Draw(t, "log")
		st := &fickle{Store: memory.New()}
		defer st.Close()
		s, err := session.NewService(st).Create(context.Background(), session.Create{ID: "c"})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		for len(entries) > 0 {
			n := rapid.IntRange(1, min(6, len(entries))).Draw(t, "batch")
			tried := append(slices.Clone(entries[:n]), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "more"}})
			before := look(t, s)
			for name, fail := range map[string]func() error{
				"an error":   func() error { return errDisk },
				"a conflict": func() error { return &store.ConflictError{Conversation: "c", Actual: 99} },
				"an interrupted context": func() error {
					return context.Canceled
				},
				"a panic": func() error { panic(errDisk) },
			} {
				st.fail = fail
				err := caught(func() error { return s.Append(ctx, tried...) })
				if err == nil {
					t.Fatalf("%s is not told", name)
				}
				if d := cmp.Diff(before, look(t, s)); d != "" {
					t.Fatalf("%s changed the session (-before +after):\n%s", name, d)
				}
			}
			st.fail = nil
			if err := s.Append(ctx, entries[:n]...); err != nil {
				t.Fatal(err)
			}
			entries = entries[n:]
		}
		other, err := session.NewService(st).Open(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(look(t, other), look(t, s)); d != "" {
			t.Fatalf("the session is not what the store holds (-store +session):\n%s", d)
		}
		c, err := st.Conversation(ctx, "c")
		if err != nil || c.Stats != session.Stats(s.Projection()) {
			t.Fatalf("stored figures are %+v, %v; want %+v", c.Stats, err, session.Stats(s.Projection()))
		}
	})
}

func caught(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return do()
}

// A context that ended before an append, and a read that stops in the middle,
// leave a session to go on with.
func TestInterruptedSessionGoesOn(t *testing.T) {
	st := &fickle{Store: memory.New()}
	defer st.Close()
	svc := session.NewService(st)
	one, err := svc.Create(t.Context(), session.Create{ID: "c", Entries: talk(2)})
	if err != nil {
		t.Fatal(err)
	}
	two, err := svc.Open(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	before := look(t, one)
	if err := one.Append(ended, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "late"}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("an ended context gives %v", err)
	}
	if d := cmp.Diff(before, look(t, one)); d != "" {
		t.Fatalf("an ended context changed the session:\n%s", d)
	}
	more := talk(4)[10:]
	for i := range more {
		more[i].ID += "'"
	}
	if err := two.Append(t.Context(), more...); err != nil {
		t.Fatal(err)
	}
	st.halted = 3
	if err := one.Refresh(t.Context()); !errors.Is(err, errDisk) {
		t.Fatalf("a read that breaks off gives %v", err)
	}
	if read := look(t, one); read.Version != read.Projected || read.Totals.Log().Entries != int(read.Version) {
		t.Fatalf("the log is at %d, the projection at %d with %+v", read.Version, read.Projected, read.Totals.Log())
	}
	st.halted = 0
	if err := one.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(look(t, two), look(t, one)); d != "" {
		t.Fatalf("after all was read (-other +this):\n%s", d)
	}
}

// T1s: an append allocates as much in a long conversation as in a short one,
// compacted or not: a few blocks, and no copy of anything.
func TestAppendAllocatesTheSameHoweverLongTheLog(t *testing.T) {
	cost := func(n, compactions int) (allocations, bytes float64) {
		entries := logtest.Long(n + 2000)
		s := grown(t, entries[:n], compactions)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, e := range fresh(entries[n:]) {
			if err := s.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			_ = s.Projection().Tokens()
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / 2000, float64(after.TotalAlloc-before.TotalAlloc) / 2000
	}
	most, much := 3.25, 60_000 // the stub of a result is made with it
	if corpustest.UnderRace {
		most += 1.25 // the race detector keeps the JSON package's copy of a payload on the heap
		much = 20_000
	}
	_, short := cost(2000, 0)
	for _, compactions := range []int{0, 1, 50} {
		allocations, long := cost(much, compactions)
		if long > 2*short {
			t.Errorf("after %d compactions: %.0f bytes an append in a log of %d, %.0f in one of 2,000", compactions, long, much, short)
		}
		if allocations > most {
			t.Errorf("after %d compactions: %.2f allocations an append", compactions, allocations)
		}
	}
}
