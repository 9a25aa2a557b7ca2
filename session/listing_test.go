package session_test

import (
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
)

// What a listing shows of an imported session is what its transcript said, not
// when it was imported, compacted or forked.
func TestListing(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	began := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("east", 3600))
	service := session.NewService(memory.New(), session.WithClock(func() time.Time { return now }))
	log := tenfold.NewLog()
	add := func(id string, at time.Time, p tenfold.Payload) {
		t.Helper()
		if _, err := log.Append(tenfold.Entry{ID: id, Time: at, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add("turn", began, tenfold.TurnStart{})
	add("ask", began, tenfold.UserMessage{Parts: tenfold.Text("go")})
	locate := func(dir string) *session.Located {
		t.Helper()
		at, err := service.Locate(t.Context(), session.Import{ID: "s", Named: true, Format: "codex", Directory: dir, Created: began, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	at := locate("/home/me/bread")
	if err := at.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := func(id, dir string, ended time.Time) {
		t.Helper()
		c, err := service.Find(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if session.ToolOf(c) != "codex" || c.Origin.Directory != dir || !c.Created.Equal(began) || !c.Stats.Ended.Equal(ended) {
			t.Errorf("%s is of %q in %q, from %v to %v", id, session.ToolOf(c), c.Origin.Directory, c.Created, c.Stats.Ended)
		}
	}
	want("s", "/home/me/bread", began)

	// What no model sees does not make it longer: a pin is of today.
	if err := at.Session.Append(t.Context(), tenfold.Entry{Payload: tenfold.Pin{Entries: []string{"ask"}}}); err != nil {
		t.Fatal(err)
	}
	want("s", "/home/me/bread", began)
	fork, err := service.Fork(t.Context(), at.Session, session.Fork{ID: "fork"})
	if err != nil {
		t.Fatal(err)
	}
	want(fork.ID(), "/home/me/bread", began)

	// It goes on, and its file does not say where any more.
	later := began.Add(48 * time.Hour)
	add("answer", later, tenfold.AssistantMessage{Text: "done"})
	if err := locate("").Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("s", "/home/me/bread", later)
	want("fork", "/home/me/bread", began)
}
