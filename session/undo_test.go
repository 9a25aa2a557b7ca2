package session_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

func bodies(t fataler, p *tenfold.Projection) [][]byte {
	var out [][]byte
	for _, f := range body.Profiles() {
		body, err := f.Write(p)
		if err != nil {
			t.Fatalf("%v", err)
		}
		out = append(out, body)
	}
	return out
}

// C7: whatever strategies a request runs, and however many overlays they make,
// one undo takes it back to the byte and one redo gives it back.
func TestC7OneRequestIsUndoneAtOnce(t *testing.T) {
	names := slices.DeleteFunc(strategy.Names(), func(name string) bool { return name == "classify-tangents" })
	names = append(names, "sliding-window:n=6", "turn-window:n=2", "micro:keep_recent=1,over=40", "purge-errors:after=1", "trim-results:head=20,tail=10,over=60")
	profiles := strategy.Profiles()
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
		entries := slices.DeleteFunc(logtest.Entries(48).Draw(t, "log"), func(e tenfold.Entry) bool {
			return e.Payload.Kind() == tenfold.KindCompaction || e.Payload.Kind() == tenfold.KindCompactionRevoked
		})
		s, err := svc.Create(ctx, session.Create{Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		states := [][][]byte{bodies(t, s.Projection())}
		for range rapid.IntRange(1, 3).Draw(t, "requests") {
			r := all()
			for range rapid.IntRange(1, 4).Draw(t, "strategies") {
				if rapid.IntRange(0, 3).Draw(t, "profile") == 0 {
					r.Strategies = append(r.Strategies, profiles[rapid.SampledFrom([]string{"default", "light", "heavy", "tenfold"}).Draw(t, "name")])
					continue
				}
				one, err := strategy.Parse(rapid.SampledFrom(names).Draw(t, "strategy"))
				if err != nil {
					t.Fatal(err)
				}
				r.Strategies = append(r.Strategies, one)
			}
			if rapid.Bool().Draw(t, "with an id") {
				r.ID = rapid.StringN(1, 9, -1).Draw(t, "id")
			}
			c, err := s.Compact(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			if c.Outcome == session.Applied {
				states = append(states, bodies(t, s.Projection()))
			}
			if len(c.Overlays) > 1 {
				several++
			}
		}
		check := func(what string, i int) {
			if !slices.EqualFunc(bodies(t, s.Projection()), states[i], bytes.Equal) {
				t.Fatalf("%s: the view after request %d is not what it was", what, i)
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			if _, err := s.Undo(ctx); err != nil {
				t.Fatal(err)
			}
			check("undo", i)
		}
		if _, err := s.Undo(ctx); !errors.Is(err, session.ErrNothingToUndo) {
			t.Fatalf("one undo more: %v", err)
		}
		for i := 1; i < len(states); i++ {
			if _, err := s.Redo(ctx); err != nil {
				t.Fatal(err)
			}
			check("redo", i)
		}
		if _, err := s.Redo(ctx); !errors.Is(err, session.ErrNothingToRedo) {
			t.Fatalf("one redo more: %v", err)
		}
		if _, err := s.UndoAll(ctx); err != nil && len(states) > 1 {
			t.Fatal(err)
		}
		check("undo of all", 0)
		for i := 1; i < len(states); i++ {
			if _, err := s.Redo(ctx); err != nil {
				t.Fatal(err)
			}
			check("redo after all", i)
		}
		wantReopened(t, svc, s)
	})
	if several == 0 {
		t.Error("no request made several overlays")
	}
}

// C7: overlays that stood in a log before commands had names go one by one, and
// so do those of a command where one alone is asked for.
func TestC7UndoOneByOne(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		undo    func(*session.Session, context.Context) ([]tenfold.Overlay, error)
		redo    func(*session.Session, context.Context) ([]tenfold.Overlay, error)
	}{
		"of before":    {"", (*session.Session).Undo, (*session.Session).Redo},
		"of a command": {"c", (*session.Session).UndoOne, (*session.Session).RedoOne},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustCreate(t, newService(t), 3)
			strip := tenfold.Policy{Action: tenfold.Strip}
			for _, id := range []string{"a", "b"} {
				c := tenfold.Compaction{ToTurn: 2, Reasoning: &strip, Command: test.command}
				if err := s.Append(t.Context(), tenfold.Entry{ID: id, Payload: c}); err != nil {
					t.Fatal(err)
				}
			}
			want := func(overlays []tenfold.Overlay, err error, id string, live bool) {
				t.Helper()
				if err != nil || len(overlays) != 1 || overlays[0].ID != id || overlays[0].Live != live {
					t.Fatalf("%+v, %v; want %s", overlays, err, id)
				}
			}
			for _, id := range []string{"b", "a"} {
				undone, err := test.undo(s, t.Context())
				want(undone, err, id, false)
			}
			for _, id := range []string{"a", "b"} {
				redone, err := test.redo(s, t.Context())
				want(redone, err, id, true)
			}
		})
	}
}

// What a fork keeps of an overlay refers to the fork's own entries, every run of
// folded calls included.
func TestForksMoveAllFoldedRuns(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3) // five entries a turn
	folded := &tenfold.Folded{Calls: 1, From: 13, To: 14, Next: &tenfold.Folded{Calls: 2, From: 3, To: 14}}
	err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{
		FromTurn: 2, ToTurn: 2,
		Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{12: {Action: tenfold.Trim, Folded: folded}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	fork, err := svc.Fork(t.Context(), s, session.Fork{ID: "fork", Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	for o := range fork.Projection().Overlays() {
		got := o.Compaction.Texts.Entries[7].Folded
		want := &tenfold.Folded{Calls: 1, From: 8, To: 9, Next: &tenfold.Folded{Calls: 2}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("folded (-want +got):\n%s", d)
		}
	}
}
