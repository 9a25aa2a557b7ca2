package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// peek is a strategy that proposes nothing and tells its options.
type peek struct {
	strategy.Strategy
	see func(strategy.Options)
}

func (peek) ChoosesEnd() bool { return true }

func (p peek) Propose(_ context.Context, _ *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	p.see(o)
	return nil, nil
}

// V1: within an epoch a view only grows: what it began with stays at its front,
// item by item, whatever is appended; a compaction or an undo begins another.
func TestV1WithinAnEpochAViewOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := memory.New()
		defer st.Close()
		s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).Create(context.Background(), session.Create{ID: "c"})
		if err != nil {
			t.Fatal(err)
		}
		c := s.Control(session.Live{})
		var epoch session.Epoch
		var frozen []tenfold.Item
		reasons := false
		for _, e := range logtest.Entries(40).Draw(t, "log") {
			if err := c.Appended(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			now := slices.Collect(c.Frozen())
			if c.Epoch() != epoch {
				epoch, frozen = c.Epoch(), now
				switch e.Payload.Kind() {
				case tenfold.KindCompaction, tenfold.KindCompactionRevoked, tenfold.KindPin, tenfold.KindUnpin:
				default:
					t.Fatalf("a %s begins an epoch", e.Payload.Kind())
				}
				continue
			}
			// P11a: what stands for the result of an open call changes until that
			// comes, and required reasoning when its loop closes, as what signs words does
			// (P10a). A view with nothing in it has no front to keep.
			newest, _ := s.Log().Entry(s.Log().Version())
			said, _ := newest.Payload.(tenfold.AssistantMessage)
			reasons = reasons || e.Payload.Kind() == tenfold.KindReasoning || said.Signature != ""
			open := slices.ContainsFunc(frozen, func(it tenfold.Item) bool { return it.Added == tenfold.AddedPlaceholder })
			if open || reasons || len(frozen) == 0 {
				frozen = now
				continue
			}
			if len(now) < len(frozen) || cmp.Diff(frozen, now[:len(frozen)]) != "" {
				t.Fatalf("a %s changes what the epoch began with:\n%s", e.Payload.Kind(), cmp.Diff(frozen, now))
			}
		}
	})
}

// V1: the requests of an agent begin alike between two compactions.
func TestV1RequestsOfAnEpochBeginAlike(t *testing.T) {
	r := run(t, memory.New())
	r.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 3000}
	r.reopen()
	var epoch session.Epoch
	var before []tenfold.Item
	epochs := 0
	for turn := range 12 {
		r.turn()
		for range 3 {
			r.settle()
			now := slices.Collect(r.c.Session().Projection().Items())
			switch {
			case r.c.Epoch() != epoch:
				epoch = r.c.Epoch()
				epochs++
			case len(before) > 0 && (len(now) < len(before) || cmp.Diff(before, now[:len(before)]) != ""):
				t.Fatalf("turn %d: in one epoch\n%s", turn, cmp.Diff(before, now))
			}
			before = now
			r.call(600)
		}
		r.say()
	}
	if epochs < 3 {
		t.Errorf("only %d epochs", epochs)
	}
}

// V2: the target leaves room for so many turns as the last ones were; never less
// than a quarter of the budget, never more than half of what there is where
// somebody asks.
func TestV2TargetIsTheBudgetWithoutTheTurnsWanted(t *testing.T) {
	for _, test := range []struct{ turns, each, wanted, want int }{
		{4, 500, 10, 8000 - 10*500},
		{4, 500, 2, 8000 - 2*500},
		{4, 500, 100, 2000},
		{8, 100, 1, 8000 - 100},
	} {
		r := run(t, memory.New())
		r.live.Turns = test.wanted
		r.reopen()
		for range test.turns {
			r.add(tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("word", test.each))})
		}
		s := r.status()
		if want := max(min(test.want, s.Tokens/2), 1); s.Growth != test.each || s.Target != want {
			t.Errorf("%+v: a turn adds %d, the target is %d of %d tokens; want %d", test, s.Growth, s.Target, s.Tokens, want)
		}
	}
}

// V2: a client that asks far below our limit has a smaller one, for which the target leaves room;
// a person who asks leaves the limit where it is.
func TestV2TheTargetGoesByTheLimitOfAClientThatAsks(t *testing.T) {
	for by, want := range map[session.Asker]int{session.ByClient: 10_000, session.ByPerson: 20_000} {
		r := run(t, memory.New())
		r.live.Turns, r.live.Micro.Stake, r.live.Request.Options.Window = 30, 1000, 1_000_000
		r.reopen()
		for range 4 {
			r.add(tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("word", 10_000))}, tenfold.AssistantMessage{Text: "Yes."})
		}
		d, err := r.c.Ask(t.Context(), session.Wish{By: by, Idle: true})
		if err != nil || d.Target < want*9/10 || d.Target > want*11/10 {
			t.Errorf("%s: the target is %d, %v; want about %d", by, d.Target, err, want)
		}
	}
}

// cooling is a turn that begins behind results of so many tokens, whose cache gets cold.
func cooling(t *testing.T, tokens int) *running {
	t.Helper()
	r := run(t, memory.New())
	r.live.Micro = session.LiveMicro{ClearAtLeast: 1000, ColdAfter: 5 * time.Minute}
	r.live.Turns = 30
	r.reopen()
	r.turn()
	r.call(tokens / 2)
	r.call(tokens / 2)
	r.say()
	r.turn()
	return r
}

// V2: cold is free: between turns, with no model, and where there is something
// worth removing.
func TestV2ColdIsFree(t *testing.T) {
	r := cooling(t, 4500)
	r.want(r.settle(), session.GoOn, session.Ready)
	r.clock.pass(6 * time.Minute)
	d := r.settle()
	r.want(d, session.Compacted, session.Ready)
	if !strings.Contains(d.Reason, "cold since") || r.status().Tokens > 2000+100 {
		t.Errorf("%s: %d tokens", d.Reason, r.status().Tokens)
	}
	r.want(r.settle(), session.GoOn, session.Ready)

	r = cooling(t, 2500) // not worth it: the target is 2,000
	r.clock.pass(time.Hour)
	r.want(r.settle(), session.GoOn, session.Ready)

	r = cooling(t, 4500) // inside a turn
	r.call(100)
	r.clock.pass(time.Hour)
	r.want(r.settle(), session.GoOn, session.Ready)

	r = cooling(t, 4500) // a model would be paid
	r.live.Auto.Strategies = []strategy.Strategy{strategy.Summarize{}}
	r.live.Request.Options.Summarizer = quoting{}
	r.reopen()
	r.clock.pass(time.Hour)
	r.want(r.next(), session.GoOn, session.Ready)
}
