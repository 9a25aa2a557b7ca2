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

func TestFork(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 5)
	plan, err := s.Plan(t.Context(), session.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	whole, err := svc.Fork(t.Context(), s, session.Fork{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(items(s), items(whole)); d != "" {
		t.Errorf("a fork shows something else:\n%s", d)
	}
	last, err := svc.Fork(t.Context(), s, session.Fork{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := last.Log().Turns(); got != 2 {
		t.Errorf("a fork of the last 2 turns has %d", got)
	}
	until := 1
	early, err := svc.Fork(t.Context(), s, session.Fork{Until: &until})
	if err != nil {
		t.Fatal(err)
	}
	if got := early.Log().Turns(); got != 2 {
		t.Errorf("a fork until turn 1 has %d turns", got)
	}
	beyond := 9
	if _, err := svc.Fork(t.Context(), s, session.Fork{Until: &beyond}); err == nil {
		t.Error("a fork until a turn that is not there was made")
	}
	if s.Log().Turns() != 5 {
		t.Error("forking changed the original")
	}
}

// Overlays keep their meaning in a fork of the last turns.
func TestForkMovesOverlays(t *testing.T) {
	strip := tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
	for name, policy := range map[string]tenfold.ToolPolicy{
		"by id":    {Calls: map[string]tenfold.CallPolicy{"call3@18": strip}},
		"in group": {Groups: []tenfold.CallGroup{{CallPolicy: strip, Entries: []int64{3, 18}}}},
	} {
		t.Run(name, func(t *testing.T) { forkMovesOverlays(t, policy) })
	}
}

func forkMovesOverlays(t *testing.T, policy tenfold.ToolPolicy) {
	t.Helper()
	policy.Action = tenfold.Selective
	svc := newService(t)
	s := mustCreate(t, svc, 4)
	for _, c := range []tenfold.Compaction{
		{FromTurn: 1, ToTurn: 2, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true}},
		{FromTurn: 0, ToTurn: 3, ToolCalls: &policy},
		{FromTurn: 0, ToTurn: 2, Summary: &tenfold.Summary{Text: "of what the fork does not have"}},
	} {
		if err := s.Append(t.Context(), tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Undo(t.Context()); err != nil { // the summary; its undoing goes with it
		t.Fatal(err)
	}
	if _, err := s.Redo(t.Context()); err != nil {
		t.Fatal(err)
	}
	fork, err := svc.Fork(t.Context(), s, session.Fork{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	var fates []string
	for it := range fork.Projection().Items() {
		fates = append(fates, fmt.Sprintf("%d %s %s", it.Turn, it.Payload.Kind(), it.Fate))
	}
	want := []string{
		"0 user_message kept", "0 tool_call kept", "0 tool_result kept", "0 assistant_message kept",
		"1 user_message kept", "1 tool_call kept", "1 tool_result stripped", "1 assistant_message kept",
	}
	if d := cmp.Diff(want, fates); d != "" {
		t.Error(d)
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

// V1, P9: an overlay over more turns than a copy has hides the requests of its last turn
// as before, whatever follows there, and one that ended inside that turn leaves them alone.
func TestForkOfAnOverlayThatReachesFurther(t *testing.T) {
	for _, step := range []int{-1, 0} {
		svc := newService(t)
		s := mustCreate(t, svc, 4)
		c := tenfold.Compaction{ToTurn: 2, Turns: tenfold.Omit}
		if step >= 0 {
			c.ToTurn, c.ToStep = 1, &step
		}
		if err := s.Append(t.Context(), tenfold.Entry{ID: fmt.Sprint("c", step), Payload: c}); err != nil {
			t.Fatal(err)
		}
		turn, _ := s.Log().Turn(2)
		epoch := fmt.Sprint("c", step)
		fork, err := svc.Fork(t.Context(), s, session.Fork{Through: turn.First - 1, Epoch: &epoch})
		if err != nil {
			t.Fatal(err)
		}
		if err := fork.Append(t.Context(), tenfold.Entry{ID: "later", Payload: tenfold.UserMessage{Parts: tenfold.Text("and this")}}); err != nil {
			t.Fatal(err)
		}
		for e := range fork.Log().Entries() {
			if !e.Payload.Kind().Visible() {
				continue
			}
			was := tenfold.Kept
			if e.ID != "later" {
				was, _, _ = s.Projection().Fate(e.Seq)
			}
			if is, _, _ := fork.Projection().Fate(e.Seq); is != was {
				t.Errorf("up to step %d: %s is %v in the copy, %v before", step, e.Payload.Kind(), is, was)
			}
		}
	}
}

// V1: a copy of a log up to an entry shows what an epoch showed: what was compacted or
// undone after that stays out.
func TestForkShowsAnEpoch(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 4)
	turn, _ := s.Log().Turn(2)
	strip := &tenfold.Policy{Action: tenfold.Strip}
	for _, id := range []string{"first", "second"} {
		if err := s.Append(t.Context(), tenfold.Entry{ID: id, Payload: tenfold.Compaction{FromTurn: 0, ToTurn: 1, Reasoning: strip}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: "first"}}); err != nil {
		t.Fatal(err)
	}
	all, none, first, second, unknown := (*string)(nil), "", "first", "second", "nowhere"
	for _, test := range []struct {
		epoch *string
		live  []string
	}{{all, []string{"second"}}, {&none, nil}, {&first, []string{"first"}}, {&second, []string{"first", "second"}}, {&unknown, nil}} {
		fork, err := svc.Fork(t.Context(), s, session.Fork{Through: turn.First - 1, Epoch: test.epoch})
		if err != nil {
			t.Fatal(err)
		}
		var live []string
		for o := range fork.Projection().Overlays() {
			if o.Live {
				live = append(live, o.ID)
			}
		}
		if !slices.Equal(live, test.live) || fork.Log().Turns() != 2 {
			t.Errorf("with epoch %v %q are live, in %d turns", test.epoch, live, fork.Log().Turns())
		}
	}
}
