package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/trigger"
)

// writer is a summarizer that does as it is told.
type writer func(ctx context.Context) (strategy.SummaryResult, error)

func (w writer) Summarize(ctx context.Context, _ strategy.SummaryRequest) (strategy.SummaryResult, error) {
	return w(ctx)
}

func fails(err error) writer {
	return func(context.Context) (strategy.SummaryResult, error) { return strategy.SummaryResult{}, err }
}

// summarised asks for a summary of all by w.
func summarised(t *testing.T, w strategy.Summarizer) session.Request {
	t.Helper()
	by, err := strategy.Parse("summarize")
	if err != nil {
		t.Fatal(err)
	}
	r := all()
	r.Strategies = []strategy.Strategy{by}
	r.Options.Summarizer = w
	return r
}

// failures are what a log says went wrong.
func failures(s *session.Session) []tenfold.CompactionFailed {
	var found []tenfold.CompactionFailed
	for e := range s.Log().Entries() {
		if f, ok := e.Payload.(tenfold.CompactionFailed); ok {
			found = append(found, f)
		}
	}
	return found
}

// A6: a failure is recorded with the tokens now, the limit and whether it is
// exceeded, and the log stays as it was otherwise.
func TestA6FailureIsRecorded(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	version, tokens := s.Log().Version(), s.Projection().Tokens()
	broken := errors.New("the line is dead")
	r := summarised(t, fails(broken))
	r.Options.Window = tokens - 1
	if _, err := s.Compact(t.Context(), r); !errors.Is(err, broken) {
		t.Fatalf("the error is %v", err)
	}
	got := failures(s)
	if len(got) != 1 || s.Log().Version() != version+1 || s.Projection().Tokens() != tokens {
		t.Fatalf("%+v at version %d", got, s.Log().Version())
	}
	if f := got[0]; !strings.Contains(f.Error, "the line is dead") || f.Tokens != tokens || f.Limit != tokens-1 || !f.Exceeded {
		t.Errorf("%+v", f)
	}
	// Another process sees it, and a limit that is not reached is said too.
	r.Options.Window = 1 << 20
	if _, err := s.Compact(t.Context(), r); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	again, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(again); len(got) != 2 || got[1].Exceeded || got[1].Limit != 1<<20 {
		t.Errorf("%+v", got)
	}
}

// What was paid for a summary that was not taken is in the record, so that it is counted.
func TestA6WhatAFailureCostIsRecorded(t *testing.T) {
	paid := tenfold.Usage{Model: "m", Input: 900, Output: 30, Cost: new(0.25)}
	for name, w := range map[string]writer{
		"failed": func(context.Context) (strategy.SummaryResult, error) {
			return strategy.SummaryResult{Usage: paid}, errors.New("cut off")
		},
		"refused": func(context.Context) (strategy.SummaryResult, error) { return strategy.SummaryResult{Usage: paid}, nil },
	} {
		s := mustCreate(t, newService(t), 3)
		r := summarised(t, w)
		r.Trigger = trigger.Always()
		if _, err := s.Compact(t.Context(), r); err == nil {
			t.Fatal(name + ": it did not fail")
		}
		if got := failures(s); len(got) != 1 || got[0].Usage == nil || got[0].Usage.Input != 900 || *got[0].Usage.Cost != 0.25 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What is not a failure leaves no trace: a dry run, an interrupt, a refusal of what
// a person asked for (C6). One of what a trigger asked for does (A6).
func TestA6WhatIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	empty := writer(func(context.Context) (strategy.SummaryResult, error) { return strategy.SummaryResult{}, nil })
	for name, test := range map[string]struct {
		by      strategy.Summarizer
		set     func(*session.Request)
		context context.Context
		records int
	}{
		"dry run": {fails(errors.New("no")), func(r *session.Request) { r.Options.DryRun = true }, t.Context(), 0},
		"interrupt": {writer(func(context.Context) (strategy.SummaryResult, error) {
			cancel()
			return strategy.SummaryResult{}, ctx.Err()
		}), nil, ctx, 0},
		"refused":   {empty, nil, t.Context(), 0},
		"automatic": {empty, func(r *session.Request) { r.Trigger = trigger.Always() }, t.Context(), 1},
		"dropped": {
			writer(func(context.Context) (strategy.SummaryResult, error) {
				return strategy.SummaryResult{Dropped: true}, nil
			}),
			func(r *session.Request) { r.Trigger = trigger.Always() }, t.Context(), 0,
		},
	} {
		s := mustCreate(t, newService(t), 3)
		version := s.Log().Version()
		r := summarised(t, test.by)
		if test.set != nil {
			test.set(&r)
		}
		_, _ = s.Compact(test.context, r) // what it gives is for other tests
		if got := failures(s); len(got) != test.records || s.Log().Version() != version+int64(test.records) {
			t.Errorf("%s: %+v at version %d", name, got, s.Log().Version())
		}
	}
}

// A6: a rival that writes meanwhile does not keep a failure from being recorded.
func TestA6FailureAfterALostRace(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	_, err := s.Compact(t.Context(), summarised(t, writer(func(context.Context) (strategy.SummaryResult, error) {
		rival(t, svc, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("me first")})
		return strategy.SummaryResult{}, errors.New("no")
	})))
	if err == nil || len(failures(s)) != 1 || s.Log().Turns() != 4 {
		t.Errorf("%v: %+v", err, failures(s))
	}
}

// A7: what a success records: the trigger's reason, tokens before and after, the
// model, what it cost, its files; and how many compactions there are.
func TestA7SuccessIsRecorded(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	files := tenfold.Artifacts{Input: "in.md", Summary: "out.md"}
	r := summarised(t, writer(func(context.Context) (strategy.SummaryResult, error) {
		return strategy.SummaryResult{Text: "S", Model: "a/b", Usage: tenfold.Usage{Input: 9, Output: 2}, Artifacts: &files}, nil
	}))
	r.Trigger = trigger.Always()
	before := s.Projection().Tokens()
	for n := 1; n <= 2; n++ {
		c, err := s.Compact(t.Context(), r)
		if err != nil || c.Outcome != session.Applied || c.Count != n || !c.Plan.Asked {
			t.Fatalf("%+v, %v", c, err)
		}
		if _, err := s.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := c.Overlays[0].Compaction
		if got.Reason == "" || got.TokensBefore != before || got.TokensAfter >= before || got.Summary.Model != "a/b" || *got.Summary.Usage != (tenfold.Usage{Input: 9, Output: 2}) || *got.Summary.Artifacts != files {
			t.Errorf("%+v %+v", got, got.Summary)
		}
	}
}

// D3: a digest costs nothing, so that it is made anew when another writer came
// first; what a model was paid for, or a person looked at, is not.
func TestD3WhatIsMadeAnew(t *testing.T) {
	for name, test := range map[string]struct {
		result strategy.SummaryResult
		calls  int
	}{
		"digest":          {strategy.SummaryResult{Text: "S", Model: summary.DigestName}, 2},
		"after a model":   {strategy.SummaryResult{Text: "S", Model: summary.DigestName, Usage: tenfold.Usage{Model: "a/b", Input: 3}}, 1},
		"model":           {strategy.SummaryResult{Text: "S", Model: "a/b"}, 1},
		"reviewed digest": {strategy.SummaryResult{Text: "S", Model: summary.DigestName, Reviewed: true}, 1},
	} {
		svc := newService(t)
		s := mustCreate(t, svc, 3)
		calls := 0
		c, err := s.Compact(t.Context(), summarised(t, writer(func(context.Context) (strategy.SummaryResult, error) {
			if calls++; calls == 1 {
				rival(t, svc, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("me first")})
			}
			return test.result, nil
		})))
		if err != nil || c.Outcome != session.Applied || calls != test.calls || c.Rebased != (test.calls == 1) {
			t.Errorf("%s: %d calls, %s, rebased %v, %v", name, calls, c.Outcome, c.Rebased, err)
		}
	}
}

// M6: hooks before and after a compaction may veto it, or replace its plan, and
// are told how it ended.
func TestM6Hooks(t *testing.T) {
	var before func(strategy.Plan) (strategy.Plan, error)
	var ended []session.Result
	var failed []error
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}), session.WithHooks(session.Hooks{
		Before: func(_ context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
			return before(plan)
		},
		After: func(_ context.Context, _ *session.Session, c session.Result, err error) {
			ended, failed = append(ended, c), append(failed, err)
		},
	}))
	s := mustCreate(t, svc, 3)
	version := s.Log().Version()
	compact := func() (session.Result, error) { return s.Compact(t.Context(), all()) }

	before = func(plan strategy.Plan) (strategy.Plan, error) { return plan, session.ErrVetoed }
	if c, err := compact(); err != nil || c.Outcome != session.Vetoed || c.Reason == "" || s.Log().Version() != version {
		t.Errorf("veto: %+v, %v", c, err)
	}
	before = func(plan strategy.Plan) (strategy.Plan, error) {
		plan.Compactions = nil
		return plan, nil
	}
	if c, err := compact(); err != nil || c.Outcome != session.Nothing || c.Reason == "" || s.Log().Version() != version {
		t.Errorf("nothing left: %+v, %v", c, err)
	}
	broken := errors.New("the hook broke")
	before = func(plan strategy.Plan) (strategy.Plan, error) { return plan, broken }
	if _, err := compact(); !errors.Is(err, broken) || len(failures(s)) != 1 {
		t.Errorf("broken: %v, %+v", err, failures(s))
	}
	before = func(strategy.Plan) (strategy.Plan, error) {
		return strategy.Plan{Compactions: []tenfold.Compaction{{ToTurn: 0, Turns: tenfold.Omit}}}, nil
	}
	if c, err := compact(); err != nil || c.Outcome != session.Applied || c.Overlays[0].Compaction.Turns != tenfold.Omit {
		t.Errorf("replaced: %+v, %v", c, err)
	}
	if len(ended) != 4 || ended[0].Outcome != session.Vetoed || !errors.Is(failed[2], broken) || ended[3].Count != 1 {
		t.Errorf("told of %+v, %v", ended, failed)
	}

	// A plan that is applied by hand is shown too.
	plan, err := s.Plan(t.Context(), all())
	if err != nil {
		t.Fatal(err)
	}
	before = func(plan strategy.Plan) (strategy.Plan, error) { return plan, session.ErrVetoed }
	if _, err := s.Apply(t.Context(), plan); !errors.Is(err, session.ErrVetoed) || len(ended) != 5 {
		t.Errorf("apply: %v", err)
	}
	before = func(plan strategy.Plan) (strategy.Plan, error) { return plan, nil }
	if made, err := s.Apply(t.Context(), plan); err != nil || len(made.Overlays) != 1 || ended[5].Outcome != session.Applied {
		t.Errorf("apply: %+v, %v", made, err)
	}
}
