package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// dueStore notes what appends make due.
type dueStore struct {
	store.Store
	due []store.Work
}

func (d *dueStore) Append(ctx context.Context, b store.Batch) (int64, error) {
	version, err := d.Store.Append(ctx, b)
	if err == nil && b.Due != nil {
		d.due = append(d.due, *b.Due)
	}
	return version, err
}

func smallLive(*session.Session) (session.Live, error) {
	l := session.Live{Auto: session.LiveAuto{Enabled: true}}
	l.Request.Options.Window = 5000
	l.Request.Bounds.Tail = &tenfold.Tail{Tokens: 500}
	return l, nil
}

func backgrounded(t *testing.T) (*dueStore, *session.Service, *session.Session) {
	t.Helper()
	st := &dueStore{Store: memory.New()}
	svc := session.NewService(st, session.WithDue(smallLive))
	s, err := svc.Create(t.Context(), session.Create{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	return st, svc, s
}

// turn is a turn of some 600 tokens.
func turn(i string) []tenfold.Payload {
	return []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("Read part " + i + ".")},
		tenfold.ToolCall{CallID: "r" + i, Name: "Read", Arguments: `{"file_path":"/w/part_` + i + `/store.go"}`},
		tenfold.ToolResult{CallID: "r" + i, Parts: tenfold.Text(strings.Repeat("nothing of note stands in this line\n", 80))},
		tenfold.AssistantMessage{Text: "I see."},
	}
}

// What the configuration says of a conversation is asked once, and again when it has another model.
func TestWhatIsDueGoesByTheConfigurationThatHolds(t *testing.T) {
	t.Parallel()
	asked := 0
	svc := session.NewService(memory.New(), session.WithDue(func(s *session.Session) (session.Live, error) {
		asked++
		return smallLive(s)
	}))
	s, err := svc.Create(t.Context(), session.Create{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	for i, payload := range []tenfold.Payload{tenfold.AssistantMessage{Text: "one"}, tenfold.ConfigDelta{Model: "another"}, tenfold.AssistantMessage{Text: "two"}, tenfold.AssistantMessage{Text: "three"}} {
		say(t, s, payload)
		if want := 1 + i/2; asked != want {
			t.Errorf("after %d appends it was asked %d times, not %d", i+1, asked, want)
		}
	}
}

func TestAppendsSayWhatIsDue(t *testing.T) {
	t.Parallel()
	st, svc, s := backgrounded(t)
	for i := 0; len(st.due) == 0 && i < 20; i++ {
		say(t, s, turn(string(rune('a'+i)))...)
	}
	if len(st.due) != 1 {
		t.Fatalf("%+v", st.due)
	}
	first := st.due[0]
	e, _ := s.Log().Entry(s.Log().Version())
	if _, last := e.Payload.(tenfold.AssistantMessage); !last || first.Limit != 4000 || first.Tokens <= 4000 || first.Step != (first.Tokens-4000)/400 || first.Policy == "" || first.Prefix == "" {
		t.Errorf("%+v, after %T", first, e.Payload)
	}
	// Not again until the view has grown by a step, and then under the same prefix.
	say(t, s, tenfold.AssistantMessage{Text: "And more."})
	if len(st.due) != 1 {
		t.Errorf("again: %+v", st.due)
	}
	say(t, s, turn("x")...)
	if len(st.due) != 2 || st.due[1].Prefix != first.Prefix || st.due[1].Step <= first.Step {
		t.Errorf("grown: %+v", st.due)
	}
	// Inside a turn only what leaves no room is due (A2).
	n := len(st.due)
	say(t, s, turn("y")[:4]...)
	tight := st.due[n:]
	if len(tight) > 0 && tight[0].Tokens <= 4750 {
		t.Errorf("inside a turn: %+v", tight)
	}
	worker, err := svc.Open(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	live, _ := smallLive(nil)
	c, _, err := worker.Background(t.Context(), live, session.Job{ID: "j", Prefix: first.Prefix})
	if err != nil || c.Outcome != session.Applied || c.Overlays[0].ID != "cmp_j/0" {
		t.Fatal(c.Outcome, c.Reason, err)
	}
	// The prefix is another one now.
	n = len(st.due)
	for i := 0; len(st.due) == n && i < 20; i++ {
		for _, p := range turn("z" + string(rune('a'+i))) {
			if err := s.AppendLatest(t.Context(), tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(st.due) == n || st.due[n].Prefix == first.Prefix {
		t.Errorf("after the compaction: %+v", st.due[n:])
	}
	// Who undid a compaction is not compacted again behind their back.
	if _, err := s.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	n = len(st.due)
	say(t, s, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Thanks.")}, tenfold.AssistantMessage{Text: "Yes."})
	if len(st.due) > n && st.due[n].Tokens <= 4750 {
		t.Errorf("after an undo: %+v", st.due[n:])
	}
}

// What a provider reports counts at once.
func TestReportedUsageIsDue(t *testing.T) {
	t.Parallel()
	st, _, s := backgrounded(t)
	say(t, s, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Hello.")}, tenfold.AssistantMessage{Text: "Hi."})
	if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.Usage{Model: "m", Input: 4400, Output: 10}}); err != nil {
		t.Fatal(err)
	}
	if len(st.due) != 1 || st.due[0].Tokens != 4410 || st.due[0].Step != 1 {
		t.Errorf("%+v", st.due)
	}
}

// ready is a conversation that is due, a session of a worker and the prefix.
func ready(t *testing.T) (svc *session.Service, s, worker *session.Session, prefix string) {
	t.Helper()
	st, svc, s := backgrounded(t)
	for i := 0; len(st.due) == 0; i++ {
		say(t, s, turn(string(rune('a'+i)))...)
	}
	worker, err := svc.Open(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	return svc, s, worker, st.due[0].Prefix
}

func TestBackgroundIsDoneOnce(t *testing.T) {
	t.Parallel()
	svc, s, worker, prefix := ready(t)
	live, _ := smallLive(nil)
	j := session.Job{ID: "j", Prefix: prefix}
	// Another worker of the same job commits while this one has its plan.
	j.Planned = func(ctx context.Context, _ strategy.Plan) error {
		other, err := svc.Open(ctx, "c")
		if err == nil {
			_, _, err = other.Background(ctx, live, session.Job{ID: "j", Prefix: prefix})
		}
		return err
	}
	c, _, err := worker.Background(t.Context(), live, j)
	if err != nil || c.Outcome != session.Repeated || len(c.Overlays) != 1 || c.Count != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, _, err = s.Background(t.Context(), live, session.Job{ID: "j", Prefix: prefix}); err != nil || c.Outcome != session.Repeated || c.Count != 1 {
		t.Errorf("afterwards: %+v, %v", c, err)
	}
}

func TestBackgroundGivesWay(t *testing.T) {
	t.Parallel()
	live, _ := smallLive(nil)
	for name, meanwhile := range map[string]func(*testing.T, *session.Session){
		"a compaction": func(t *testing.T, s *session.Session) {
			c, err := s.Compact(t.Context(), session.Request{Strategies: []strategy.Strategy{strategy.StripTools{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{Tokens: 500}}})
			if err != nil || c.Outcome != session.Applied {
				t.Fatal(c, err)
			}
		},
		"a pin": func(t *testing.T, s *session.Session) {
			if err := s.Pin(t.Context(), 4); err != nil {
				t.Fatal(err)
			}
		},
		"an attempt": func(t *testing.T, s *session.Session) {
			say(t, s, tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Seconds: 3600})
		},
	} {
		for _, when := range []string{"before", "after the plan"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				_, s, worker, prefix := ready(t)
				j := session.Job{ID: "j", Prefix: prefix}
				if when == "before" {
					meanwhile(t, s)
				} else {
					j.Planned = func(context.Context, strategy.Plan) error {
						meanwhile(t, s)
						return nil
					}
				}
				c, _, err := worker.Background(t.Context(), live, j)
				busy := &session.BusyError{}
				switch {
				case name == "an attempt" && when == "before":
					if !errors.As(err, &busy) || time.Until(busy.Until) < 30*time.Minute {
						t.Errorf("%+v, %v", c, err)
					}
				case err != nil || c.Outcome != session.Superseded || c.Reason == "":
					t.Errorf("%+v, %v", c, err)
				}
				for o := range worker.Projection().Overlays() {
					if strings.HasPrefix(o.ID, "cmp_j") {
						t.Errorf("wrote %s", o.ID)
					}
				}
			})
		}
	}
}

// What came while the plan was made is held against it, and stays as it is.
func TestBackgroundGoesOnWithTheConversation(t *testing.T) {
	t.Parallel()
	_, s, worker, prefix := ready(t)
	live, _ := smallLive(nil)
	c, _, err := worker.Background(t.Context(), live, session.Job{ID: "j", Prefix: prefix, Planned: func(context.Context, strategy.Plan) error {
		say(t, s, turn("later")...)
		return nil
	}})
	if err != nil || c.Outcome != session.Applied || !c.Rebased {
		t.Fatalf("%+v, %v", c, err)
	}
	for seq := worker.Log().Version() - 5; seq < worker.Log().Version(); seq++ {
		if fate, _, _ := worker.Projection().Fate(seq); fate != tenfold.Kept {
			t.Errorf("entry %d is %v", seq, fate)
		}
	}
}

func TestBackgroundDoesNothingForNothing(t *testing.T) {
	t.Parallel()
	_, _, worker, prefix := ready(t)
	live, _ := smallLive(nil)
	roomy, off := live, live
	roomy.Request.Options.Window = 1_000_000
	off.Auto.Enabled = false
	futile := live
	futile.Auto.Strategies = []strategy.Strategy{strategy.StripReasoning{}}
	for name, l := range map[string]session.Live{"it fits": roomy, "it is off": off, "nothing can go": futile} {
		if c, _, err := worker.Background(t.Context(), l, session.Job{ID: "j", Prefix: prefix}); err != nil || c.Outcome != session.Nothing || c.Reason == "" || c.Count != 0 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}
