package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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

// An id that was given before would have its entry left out as one that is stored: it
// is an error, and nothing is lost without a word.
func TestIDsThatRepeatAreRefused(t *testing.T) {
	t.Parallel()
	st := memory.New()
	counter := func() func() string {
		n := 0
		return func() string { n++; return fmt.Sprint("id", n) }
	}
	s, err := session.NewService(st, session.WithIDs(counter())).Create(t.Context(), session.Create{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	one := tenfold.Entry{Payload: tenfold.TurnStart{}}
	if err := s.Append(t.Context(), one, one); err != nil {
		t.Fatal(err)
	}
	for name, ids := range map[string]func() string{"begins again": counter(), "never changes": func() string { return "same" }} {
		again, err := session.NewService(st, session.WithIDs(ids)).Open(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Append(t.Context(), one, one); err == nil || !strings.Contains(err.Error(), "new each time") || again.Log().Version() != 2 {
			t.Errorf("%s: %v, %d entries", name, err, again.Log().Version())
		}
	}
}
