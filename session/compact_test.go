package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/trigger"
)

// meddled is a strategy during whose work somebody else writes.
type meddled struct {
	strategy.Strategy
	times  int
	meddle func(time int)
}

func (m *meddled) Propose(ctx context.Context, p *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	m.times++
	m.meddle(m.times)
	return m.Strategy.Propose(ctx, p, o)
}

// told proposes one overlay, whatever it sees.
type told struct{ c tenfold.Compaction }

func (told) Name() string { return "told" }

func (s told) Propose(context.Context, *tenfold.Projection, strategy.Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{s.c}, nil
}

func summaryOf(from, to int, step *int) tenfold.Compaction {
	return tenfold.Compaction{FromTurn: from, ToTurn: to, ToStep: step, Summary: &tenfold.Summary{Text: "S"}}
}

// rival opens the conversation a second time and appends to it.
func rival(t *testing.T, svc *session.Service, payloads ...tenfold.Payload) {
	t.Helper()
	s, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	var entries []tenfold.Entry
	for _, p := range payloads {
		entries = append(entries, tenfold.Entry{Payload: p})
	}
	if err := s.Append(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
}

func TestCompactPlansAgainAfterALostRace(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	strip, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	m := &meddled{Strategy: strip, meddle: func(time int) {
		if time < 3 {
			rival(t, svc, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("me first")})
		}
	}}
	r := all()
	r.Strategies = []strategy.Strategy{m}
	c, err := s.Compact(t.Context(), r)
	if err != nil || c.Outcome != session.Applied || c.Attempts != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := c.Overlays[0].Compaction.ToTurn; got != 4 {
		t.Errorf("the plan that was applied ends at turn %d, want 4: that of the newest version", got)
	}
}

// Who lost the race against another that compacted asks the trigger again: there may be
// room now.
func TestCompactAsksTheTriggerAgainAfterALostRace(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	strip, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	r := all()
	r.Trigger = trigger.Tokens(s.Projection().Tokens())
	r.Strategies = []strategy.Strategy{&meddled{Strategy: strip, meddle: func(time int) {
		planned++
		if time == 1 {
			rival(t, svc, tenfold.Compaction{Turns: tenfold.Omit})
		}
	}}}
	c, err := s.Compact(t.Context(), r)
	if err != nil || c.Outcome != session.Nothing || !strings.Contains(c.Reason, "tokens") || len(c.Plan.Compactions) > 0 {
		t.Errorf("%s, %q, %+v, %v", c.Outcome, c.Reason, c.Plan.Compactions, err)
	}
	if planned != 1 {
		t.Errorf("it planned %d times", planned)
	}
}

// D3: an append that lands during a summary call does not throw the summary
// away if its range was not touched.
func TestD3SummaryIsRebased(t *testing.T) {
	step := 0
	for _, test := range []struct {
		name    string
		c       tenfold.Compaction
		came    []tenfold.Payload
		outcome session.Outcome
		toStep  *int
	}{
		{"new turn", summaryOf(0, 1, nil), []tenfold.Payload{tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("more")}}, session.Applied, nil},
		{"turn goes on", summaryOf(0, 2, nil), []tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text("more")}}, session.Applied, &[]int{1}[0]},
		{"beyond the step", summaryOf(0, 2, &step), []tenfold.Payload{tenfold.UserMessage{Parts: tenfold.Text("more")}}, session.Applied, &step},
		{"other policy", summaryOf(0, 1, nil), []tenfold.Payload{tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}}, session.Applied, nil},
		{"other summary", summaryOf(0, 1, nil), []tenfold.Payload{summaryOf(1, 2, nil)}, session.Superseded, nil},
		{"summary elsewhere", summaryOf(0, 0, nil), []tenfold.Payload{summaryOf(1, 2, nil)}, session.Applied, nil},
		{"pin", summaryOf(0, 1, nil), []tenfold.Payload{tenfold.Pin{Entries: []string{"e01"}}}, session.Superseded, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			svc := newService(t)
			s := mustCreate(t, svc, 3)
			m := &meddled{Strategy: told{test.c}, meddle: func(int) { rival(t, svc, test.came...) }}
			r := all()
			r.Strategies = []strategy.Strategy{m}
			c, err := s.Compact(t.Context(), r)
			if err != nil || c.Outcome != test.outcome || m.times != 1 {
				t.Fatalf("%s after %d calls: %s, %v", c.Outcome, m.times, c.Reason, err)
			}
			if c.Outcome == session.Superseded {
				if c.Reason == "" || len(c.Overlays) > 0 {
					t.Errorf("superseded with %+v", c)
				}
				return
			}
			got := c.Overlays[0].Compaction.ToStep
			if (got == nil) != (test.toStep == nil) || (got != nil && *got != *test.toStep) || !c.Rebased {
				t.Errorf("rebased to %+v", c.Overlays[0].Compaction)
			}
			for it := range s.Projection().Items() {
				if m, ok := it.Payload.(tenfold.UserMessage); ok && m.Parts[0].Text == "more" {
					return
				}
			}
			if _, ok := test.came[len(test.came)-1].(tenfold.UserMessage); ok {
				t.Error("what came meanwhile is hidden")
			}
		})
	}
}

func TestCompactIsIdempotent(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	r := all()
	r.ID = "request-1"
	first, err := s.Compact(t.Context(), r)
	if err != nil || first.Outcome != session.Applied {
		t.Fatalf("%+v, %v", first, err)
	}
	version := s.Log().Version()
	again, err := s.Compact(t.Context(), r)
	if err != nil || again.Outcome != session.Repeated || again.Overlays[0].ID != first.Overlays[0].ID {
		t.Fatalf("%+v, %v", again, err)
	}
	if s.Log().Version() != version {
		t.Error("the repeated request wrote something")
	}
}

// D3: of compactions at the same time one wins; nobody's entries are lost.
func TestD3CompactorsAndWritersTogether(t *testing.T) {
	svc := newService(t)
	mustCreate(t, svc, 4)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			s, err := svc.Open(context.Background(), "c1")
			if err != nil {
				t.Error(err)
				return
			}
			r := all()
			r.ID = fmt.Sprintf("by-%d", i)
			if _, err := s.Compact(context.Background(), r); err != nil {
				t.Error(err)
			}
		})
	}
	for w := range 8 {
		wg.Go(func() {
			s, err := svc.Open(context.Background(), "c1")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 20 {
				appendUntilIn(t, s, tenfold.Entry{ID: fmt.Sprintf("w%d-%d", w, i), Payload: tenfold.AssistantMessage{Text: "x"}})
			}
		})
	}
	wg.Wait()
	s, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	compactions, written := 0, 0
	for e := range s.Log().Entries() {
		switch e.Payload.(type) {
		case tenfold.Compaction:
			compactions++
		case tenfold.AssistantMessage:
			written++
		}
	}
	if written != 4+8*20 {
		t.Errorf("%d messages are there, want %d", written, 4+8*20)
	}
	if compactions < 1 || compactions > 4 {
		t.Errorf("%d compactions are there", compactions)
	}
}

// A trigger that does not fire leaves the conversation alone and says why; one
// that does stands as the reason on the overlay.
func TestCompactAsksTheTrigger(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 5)
	r := all()
	for text, fires := range map[string]bool{"off": false, "1m": false, "10t": true} {
		var err error
		if r.Trigger, err = trigger.Parse(text); err != nil {
			t.Fatal(err)
		}
		c, err := s.Compact(t.Context(), r)
		if err != nil || (c.Outcome == session.Applied) != fires {
			t.Fatalf("%s: %s, %s, %v", text, c.Outcome, c.Reason, err)
		}
		if fires && c.Overlays[0].Compaction.Reason == "" {
			t.Errorf("%s: the overlay does not say why it was made", text)
		}
		if !fires && c.Reason == "" {
			t.Errorf("%s: no reason is given for doing nothing", text)
		}
		if fires {
			if _, err := s.Undo(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// L7: a conversation with nothing on the root still compacts when asked, and a
// sub-agent's view can be shortened by itself being named.
func TestL7CompactBranches(t *testing.T) {
	onBranch := func(branch string, entries []tenfold.Entry) []tenfold.Entry {
		for i := range entries {
			entries[i].Branch = branch
			entries[i].ID = branch + entries[i].ID
		}
		return entries
	}
	for _, test := range []struct {
		name, branch string
		entries      []tenfold.Entry
		reader       string
	}{
		{"only a branch", "", onBranch("scout", talk(12)), "scout"},
		{"a branch named", "scout.deep", append(talk(1), onBranch("scout.deep", talk(12))...), "scout.deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			svc := newService(t)
			s, err := svc.Create(t.Context(), session.Create{ID: "c1", Entries: test.entries})
			if err != nil {
				t.Fatal(err)
			}
			r := all()
			r.Branch = test.branch
			c, err := s.Compact(t.Context(), r)
			if err != nil || c.Outcome != session.Applied {
				t.Fatalf("%s: %s, %v", c.Outcome, c.Reason, err)
			}
			p := tenfold.ProjectBranch(s.Log(), test.reader)
			if p.Totals().Of(tenfold.Stripped).Entries == 0 || p.Tokens() >= p.Totals().All().Before {
				t.Errorf("the branch's reader sees %+v", p.Totals())
			}
		})
	}
}

// C4: a summary that somebody asks for takes the place of the one that is there;
// what a trigger asks for is not paid for again while there is nothing new.
func TestC4ASummaryIsMadeAgainWhereSomebodyAsks(t *testing.T) {
	s := mustCreate(t, newService(t), 3)
	calls := 0
	r := summarised(t, writer(func(context.Context) (strategy.SummaryResult, error) {
		calls++
		return strategy.SummaryResult{Text: fmt.Sprintf("S%d", calls), Model: "a/b"}, nil
	}))
	for i, test := range []struct {
		trigger trigger.Trigger
		outcome session.Outcome
		source  string
		calls   int
	}{
		{trigger.Always(), session.Applied, "auto", 1},
		{trigger.Always(), session.Nothing, "", 1},
		{nil, session.Applied, "user", 2},
		{nil, session.Applied, "user", 3},
		{trigger.Always(), session.Nothing, "", 3},
	} {
		r.Trigger = test.trigger
		c, err := s.Compact(t.Context(), r)
		if err != nil || c.Outcome != test.outcome || calls != test.calls {
			t.Fatalf("%d: %s after %d calls: %s, %v", i, c.Outcome, calls, c.Reason, err)
		}
		if c.Outcome == session.Applied && c.Overlays[0].Compaction.Source != test.source {
			t.Errorf("%d: by %s, want %s", i, c.Overlays[0].Compaction.Source, test.source)
		}
	}
	if got := items(s); len(got) != 2 || got[1].Payload.(tenfold.AssistantMessage).Text != "S3" {
		t.Errorf("%+v", got)
	}
}
