package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

func newService(t *testing.T) *session.Service {
	t.Helper()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var mu sync.Mutex
	n := 0
	return session.NewService(
		st,
		session.WithClock(func() time.Time { return clock }),
		session.WithIDs(func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("id-%03d", n)
		}),
	)
}

// talk makes turns of a request, a call with its result, and an answer.
func talk(turns int) []tenfold.Entry {
	var out []tenfold.Entry
	add := func(p tenfold.Payload) {
		out = append(out, tenfold.Entry{ID: fmt.Sprintf("e%02d", len(out)+1), Payload: p})
	}
	for i := range turns {
		add(tenfold.TurnStart{})
		add(tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("request %d", i))})
		id := fmt.Sprintf("call%d", i)
		add(tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"ls"}`})
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("one file\nand another file\nand a third file, all of them here")})
		add(tenfold.AssistantMessage{Text: "done"})
	}
	return out
}

func mustCreate(t *testing.T, svc *session.Service, turns int) *session.Session {
	t.Helper()
	s, err := svc.Create(t.Context(), session.Create{ID: "c1", Title: "a test", Entries: talk(turns)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func items(s *session.Session) []tenfold.Item { return slices.Collect(s.Projection().Items()) }

func all() session.Request {
	return session.Request{Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}
}

func TestPlanApplyUndoRedo(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 5)
	raw := items(s)
	plan, err := s.Plan(t.Context(), session.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Range.String(); got != "0..1" || len(plan.Compactions) != 1 {
		t.Fatalf("the default plan covers %s with %d compactions, want 0..1 with 1", got, len(plan.Compactions))
	}
	if s.Log().Version() != 25 || len(items(s)) != len(raw) {
		t.Fatal("planning wrote something")
	}
	applied, err := s.Apply(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	overlays := applied.Overlays
	if len(overlays) != 1 || overlays[0].Compaction.Profile != "default" || overlays[0].Compaction.Source != "user" {
		t.Fatalf("applied %+v", overlays)
	}
	compacted := items(s)
	if d := cmp.Diff(plan.After, s.Projection().Tokens()); d != "" {
		t.Fatalf("the plan promised other totals (-plan +applied):\n%s", d)
	}
	undone, err := s.Undo(t.Context())
	if err != nil || len(undone) != 1 || undone[0].ID != overlays[0].ID || undone[0].Live {
		t.Fatalf("undid %+v, %v", undone, err)
	}
	if d := cmp.Diff(raw, items(s)); d != "" {
		t.Fatalf("undo is not exact:\n%s", d)
	}
	if _, err := s.Undo(t.Context()); !errors.Is(err, session.ErrNothingToUndo) {
		t.Fatalf("a second undo gives %v", err)
	}
	if _, err := s.Redo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(compacted, items(s)); d != "" {
		t.Fatalf("redo is not exact:\n%s", d)
	}
	if _, err := s.Redo(t.Context()); !errors.Is(err, session.ErrNothingToRedo) {
		t.Fatalf("a second redo gives %v", err)
	}
}

func TestUndoAllTakesBackEveryCompaction(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 4)
	raw := items(s)
	for _, name := range []string{"strip-tools", "strip-reasoning:", "strip-tool-results"} {
		st, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		r := all()
		r.Strategies = []strategy.Strategy{st}
		plan, err := s.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
	}
	undone, err := s.UndoAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(undone) == 0 {
		t.Fatal("nothing was undone")
	}
	if d := cmp.Diff(raw, items(s)); d != "" {
		t.Fatalf("undo of all is not exact:\n%s", d)
	}
}

// S-16: a plan that changes nothing says why, and writes nothing.
func TestS16NothingToDo(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	plan, err := s.Plan(t.Context(), session.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "the range holds no turns (3 of 3 kept)"; plan.Nothing != want {
		t.Fatalf("nothing to do because %q, want %q", plan.Nothing, want)
	}
	light, err := strategy.FindProfile("light")
	if err != nil {
		t.Fatal(err)
	}
	r := all()
	r.Strategies = []strategy.Strategy{light}
	plan, err = s.Plan(t.Context(), r)
	if err != nil || plan.Nothing == "" || len(plan.Compactions) != 0 {
		t.Fatalf("a log without reasoning gives %+v, %v", plan.Compactions, err)
	}
	version := s.Log().Version()
	if c, err := s.Apply(t.Context(), plan); err != nil || c.Overlays != nil || c.Outcome != session.Nothing || s.Log().Version() != version {
		t.Fatalf("applying nothing wrote %v, %v", c.Overlays, err)
	}
}

// L8: the loser of a race is told, by type, and nothing of it is written.
func TestL8LostRaceIsATypedConflict(t *testing.T) {
	svc := newService(t)
	first := mustCreate(t, svc, 2)
	second, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := second.Plan(t.Context(), all())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Append(t.Context(), tenfold.Entry{ID: "new", Payload: tenfold.TurnStart{}}); err != nil {
		t.Fatal(err)
	}
	_, err = second.Apply(t.Context(), plan)
	var conflict *store.ConflictError
	if !errors.As(err, &conflict) || conflict.Expected != 10 || conflict.Actual != 11 {
		t.Fatalf("the lost race gives %v", err)
	}
	if got := second.Log().Version(); got != 10 {
		t.Fatalf("the loser's log is at %d", got)
	}
	if err := second.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Apply(t.Context(), plan); !errors.As(err, &conflict) {
		t.Fatalf("a plan for an old version gives %v", err)
	}
	if plan, err = second.Plan(t.Context(), all()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
}

// L9: appending again what is there is no error and changes nothing.
func TestL9AppendAgain(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 2)
	if err := s.Append(t.Context(), talk(2)...); err != nil {
		t.Fatal(err)
	}
	if got := s.Log().Version(); got != 10 {
		t.Fatalf("the log grew to %d", got)
	}
	if err := s.Append(t.Context(), talk(3)...); err != nil {
		t.Fatal(err)
	}
	if got := s.Log().Version(); got != 15 {
		t.Fatalf("the log is at %d, want only the new turn added", got)
	}
	reopened, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(slices.Collect(s.Log().Entries()), slices.Collect(reopened.Log().Entries())); d != "" {
		t.Fatalf("what was stored differs:\n%s", d)
	}
}

func TestPinOfNothingWritesNothing(t *testing.T) {
	s := mustCreate(t, newService(t), 2)
	was := s.Log().Version()
	if err := errors.Join(s.Pin(t.Context()), s.Unpin(t.Context())); err != nil || s.Log().Version() != was {
		t.Errorf("%d entries, %v", s.Log().Version()-was, err)
	}
}

func TestPinShieldsFromAllOverlays(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 2)
	if err := s.Pin(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(t.Context(), all())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if f, _, _ := s.Projection().Fate(4); f != tenfold.Kept {
		t.Errorf("the pinned result is %s", f)
	}
	if err := s.Unpin(t.Context(), 3); err != nil { // the call: the other half (P8)
		t.Fatal(err)
	}
	if f, _, _ := s.Projection().Fate(4); f != tenfold.Stripped {
		t.Errorf("the unpinned result is %s", f)
	}
	if err := s.Pin(t.Context(), 99); !errors.Is(err, session.ErrNoEntry) {
		t.Errorf("pinning an entry that is not there gives %v", err)
	}
}

func TestCreateFindListDelete(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 2)
	if _, err := svc.Create(t.Context(), session.Create{ID: "c1"}); !errors.Is(err, store.ErrExists) {
		t.Errorf("an id in use gives %v", err)
	}
	if _, err := svc.Create(t.Context(), session.Create{ID: "c2"}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Find(t.Context(), "c"); !errors.Is(err, session.ErrAmbiguous) {
		t.Errorf("a prefix of two gives %v", err)
	}
	if c, err := svc.Find(t.Context(), "c1"); err != nil || c.Title != "a test" {
		t.Errorf("found %+v, %v", c, err)
	}
	if _, err := svc.Find(t.Context(), "x"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown id gives %v", err)
	}
	listed := 0
	for c, err := range svc.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if listed++; c.ID == "c1" {
			if d := cmp.Diff(session.Stats(s.Projection()), c.Stats); d != "" {
				t.Errorf("the listing's figures differ:\n%s", d)
			}
		}
	}
	if listed != 2 {
		t.Errorf("%d conversations are listed", listed)
	}
	hits, err := svc.Search(t.Context(), store.Query{Text: "third file"})
	if err != nil || len(hits) != 2 {
		t.Errorf("found %d, %v", len(hits), err)
	}
	if err := svc.Delete(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Open(t.Context(), "c1"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted conversation opens with %v", err)
	}
}

// appendUntilIn appends, after a lost race again.
func appendUntilIn(t *testing.T, s *session.Session, e tenfold.Entry) {
	t.Helper()
	for {
		err := s.Append(context.Background(), e)
		if err == nil {
			return
		}
		var conflict *store.ConflictError
		if !errors.As(err, &conflict) {
			t.Error(err)
			return
		}
		if err := s.Refresh(context.Background()); err != nil {
			t.Error(err)
			return
		}
	}
}

// Writers that retry on conflict lose nothing and never both win a version.
func TestConcurrentSessions(t *testing.T) {
	svc := newService(t)
	mustCreate(t, svc, 1)
	const writers, each = 8, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, err := svc.Open(context.Background(), "c1")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				e := tenfold.Entry{ID: fmt.Sprintf("w%d-%d", w, i), Payload: tenfold.AssistantMessage{Text: "x"}}
				appendUntilIn(t, s, e)
			}
		})
	}
	wg.Wait()
	s, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Log().Version(); got != 5+writers*each {
		t.Fatalf("the log has %d entries, want %d", got, 5+writers*each)
	}
}

func TestWatchStreamsWhatIsAppended(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(chan string, 16)
	done := make(chan error, 1)
	go func() {
		for e, err := range svc.Watch(ctx, "c1", 3) {
			if err != nil {
				done <- err
				return
			}
			seen <- e.ID
		}
		done <- nil
	}()
	want := func(id string) {
		t.Helper()
		if got := <-seen; got != id {
			t.Fatalf("saw %s, want %s", got, id)
		}
	}
	want("e04")
	want("e05")
	if err := s.Append(t.Context(), tenfold.Entry{ID: "later", Payload: tenfold.TurnStart{}}); err != nil {
		t.Fatal(err)
	}
	want("later")
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestCancelledAppendWritesNothing(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Append(ctx, tenfold.Entry{Payload: tenfold.TurnStart{}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled append gives %v", err)
	}
	if got := s.Log().Version(); got != 5 {
		t.Fatalf("the log is at %d", got)
	}
}

// What a transcript tells no time of is of the time of what it came with: the state that
// it begins with was else of the import, and headed the first turn so.
func TestEntriesWithoutATimeAreOfTheTimeOfTheOthers(t *testing.T) {
	svc := newService(t)
	was := time.Date(2025, 5, 6, 7, 8, 9, 0, time.UTC)
	s, err := svc.Create(t.Context(), session.Create{ID: "c1", Entries: []tenfold.Entry{
		{Payload: tenfold.Unknown{Name: "a.state"}}, {Payload: tenfold.TurnStart{}}, {Time: was, Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "hi"}}); err != nil {
		t.Fatal(err)
	}
	for e := range s.Log().Entries() {
		if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); e.Seq < 4 && !e.Time.Equal(was) || e.Seq == 4 && !e.Time.Equal(want) {
			t.Errorf("%d is of %v", e.Seq, e.Time)
		}
	}
}
