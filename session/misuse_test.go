package session_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// What names no entry, no turn and no branch of the conversation is an error that
// says what there is, and writes nothing.
func TestWhatIsNotThereIsNamed(t *testing.T) {
	svc := session.NewService(memory.New())
	entries := append(talk(4), tenfold.Entry{Branch: "main.sub", Payload: tenfold.UserMessage{Parts: tenfold.Text("look")}})
	s, err := svc.Create(t.Context(), session.Create{Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	version := s.Log().Version()
	for _, c := range []struct {
		name, says string
		try        func() error
	}{
		{"rewind before the log", "entries 1..", func() error { _, err := s.Rewind(t.Context(), -1, ""); return err }},
		{"rewind behind the log", "entries 1..", func() error { _, err := s.Rewind(t.Context(), version+1, ""); return err }},
		{"fork before the log", "entries 1..", func() error { _, err := svc.Fork(t.Context(), s, session.Fork{Through: -1}); return err }},
		{"fork behind the log", "entries 1..", func() error {
			_, err := svc.Fork(t.Context(), s, session.Fork{Through: version + 1})
			return err
		}},
		{"fork fewer than no turns", "0 for all", func() error { _, err := svc.Fork(t.Context(), s, session.Fork{Last: -1}); return err }},
		{"plan for another branch", `"main.sub"`, func() error {
			_, err := s.Plan(t.Context(), session.Request{Branch: "sub"})
			return err
		}},
		{"run no strategy", "strategy 1 of 1 is nil", func() error {
			_, err := s.Plan(t.Context(), session.Request{Strategies: []strategy.Strategy{nil}})
			return err
		}},
		{"append no payload", "entry 2 of 2", func() error {
			return s.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{})
		}},
	} {
		err := c.try()
		if v := s.Log().Version(); v != version {
			t.Errorf("%s: %d entries were written", c.name, v-version)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want one that says %q", c.name, err, c.says)
		}
		if strings.Contains(c.says, "entries") && !errors.Is(err, session.ErrNoEntry) {
			t.Errorf("%s: %v is not ErrNoEntry", c.name, err)
		}
	}
	for _, branch := range []string{"main", "main.sub"} {
		if _, err := s.Plan(t.Context(), session.Request{Branch: branch}); err != nil {
			t.Errorf("branch %s: %v", branch, err)
		}
	}
}

// S-16: a plan made by hand that changes nothing writes nothing.
func TestAPlanByHandThatChangesNothing(t *testing.T) {
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{Entries: talk(4)})
	if err != nil {
		t.Fatal(err)
	}
	version := s.Log().Version()
	for _, c := range []tenfold.Compaction{{FromTurn: 3, ToTurn: 1, Turns: tenfold.Omit}, {ToTurn: 1}} {
		got, err := s.Apply(t.Context(), strategy.Plan{Version: version, Compactions: []tenfold.Compaction{c}})
		if err != nil || got.Outcome != session.Nothing || got.Reason == "" || s.Log().Version() != version {
			t.Errorf("%+v: %s %q, %v, %d entries written", c, got.Outcome, got.Reason, err, s.Log().Version()-version)
		}
	}
}

// An id that was given before would have its entry left out as one that is stored, and
// with it what was said, or what a compaction or an undo did: it is an error, and nothing
// is lost without a word.
func TestIDsThatRepeatAreRefused(t *testing.T) {
	t.Parallel()
	st, ctx := memory.New(), t.Context()
	counter := func() func() string {
		n := 0
		return func() string { n++; return fmt.Sprint("id", n) }
	}
	said := []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("hi")}},
		{Payload: tenfold.Reasoning{Text: "hm, let me see"}},
		{Payload: tenfold.AssistantMessage{Text: "hi"}},
	}
	s, err := session.NewService(st, session.WithIDs(counter())).Create(ctx, session.Create{ID: "one", Entries: said})
	if err != nil {
		t.Fatal(err)
	}
	for name, ids := range map[string]func() string{
		"begins again": counter(), "never changes": func() string { return "same" }, "is empty": func() string { return "" },
	} {
		service := session.NewService(st, session.WithIDs(ids))
		again, err := service.Open(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Append(ctx, said...); err == nil || !strings.Contains(err.Error(), "new each time") || again.Log().Version() != 4 {
			t.Errorf("%s: %v, %d entries", name, err, again.Log().Version())
		}
		if name == "begins again" {
			continue
		}
		if _, err := service.Create(ctx, session.Create{ID: name, Entries: said}); err == nil || !strings.Contains(err.Error(), "new each time") {
			t.Errorf("%s: created with %v", name, err)
		}
	}
	if _, err := session.NewService(st, session.WithIDs(func() string { return "" })).Create(ctx, session.Create{}); err == nil {
		t.Error("a conversation has an empty id")
	}
	// A program that begins again for each command repeats the ids of the last one.
	compact := func(s *session.Session) error {
		_, err := s.Compact(ctx, session.Request{Strategies: []strategy.Strategy{strategy.StripReasoning{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}})
		return err
	}
	undo := func(s *session.Session) error { _, err := s.Undo(ctx); return err }
	redo := func(s *session.Session) error { _, err := s.Redo(ctx); return err }
	for i, command := range []struct {
		counted bool
		do      func(*session.Session) error
		refused bool
	}{
		{true, compact, false},
		{false, undo, false},
		{true, compact, true},
		{false, compact, false},
		{true, undo, false},
		{false, redo, false},
		{true, undo, true},
	} {
		ids := rand.Text
		if command.counted {
			ids = counter()
		}
		s, err := session.NewService(st, session.WithIDs(ids)).Open(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		if err := command.do(s); (err != nil) != command.refused || err != nil && !strings.Contains(err.Error(), "new each time") {
			t.Errorf("command %d: %v", i, err)
		}
	}
	if err := s.Refresh(ctx); err != nil || s.Log().Version() != 9 {
		t.Errorf("%d entries, %v", s.Log().Version(), err)
	}
}

// A target or a projection that a program got wrong is an error, and not the default.
func TestTargetsThatAreNone(t *testing.T) {
	t.Parallel()
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{Entries: talk(9)})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []strategy.Target{
		strategy.Share(math.NaN()), strategy.Share(-5), strategy.Share(math.Inf(1)), strategy.Share(101), strategy.Tokens(-4), {Tokens: 5, Share: -1},
	} {
		for name, r := range map[string]session.Request{
			"the request": {Target: target},
			"fit":         {Strategies: []strategy.Strategy{strategy.Fit{Target: target}}},
			"auto's fit":  {Strategies: []strategy.Strategy{strategy.Auto{Fit: target}}},
			"a profile's": {Strategies: []strategy.Strategy{strategy.Profile{Title: "own", Fit: target}}},
		} {
			plan, err := s.Plan(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), "invalid target") {
				t.Errorf("%s in %s plans %d → %d tokens, %v", target, name, plan.Before, plan.After, err)
			}
		}
	}
	if _, err := session.PlanOver(t.Context(), nil, session.Request{}, time.Time{}); err == nil {
		t.Error("nothing is planned over")
	}
}

// What an option is given as nil is as without it; a service without a store would fail
// far from where it was made.
func TestNilOptionsAndStore(t *testing.T) {
	t.Parallel()
	service := session.NewService(memory.New(), session.WithCounter(nil), session.WithClock(nil), session.WithIDs(nil))
	s, err := service.Create(t.Context(), session.Create{Entries: []tenfold.Entry{{Payload: tenfold.AssistantMessage{Text: "hi"}}}})
	if err != nil || s.Log().Tokens() == 0 {
		t.Errorf("%v", err)
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "no store") {
			t.Errorf("without a store it says %q", said)
		}
	}()
	session.NewService(nil)
}
