package listing_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/listing"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// counted counts what is read of a listing.
type counted struct {
	store.Store
	read, whole int
	after       func() // a page was read
}

func (s *counted) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	page, err := s.Store.Page(ctx, after, limit)
	s.read += len(page)
	if s.after != nil {
		s.after()
	}
	return page, err
}

func (s *counted) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	s.whole++
	return s.Store.Conversations(ctx)
}

// A page costs what it shows, and what it passes over, whatever else there is.
func TestPage(t *testing.T) {
	st := &counted{Store: memory.New()}
	svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
	began := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for i := range 2000 {
		c := store.Conversation{ID: fmt.Sprintf("c%04d", i), Created: began.Add(-time.Duration(i) * time.Second)}
		if err := st.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	all := func(store.Conversation) bool { return true }
	third := func(c store.Conversation) bool { return c.ID[4]%3 == 0 }
	for _, test := range []struct {
		name        string
		limit, most int
		passes      func(store.Conversation) bool
		found       int
		last        string
		next        bool
	}{
		{"some", 50, 51, all, 50, "c0049", true},
		{"one", 1, 2, all, 1, "c0000", true},
		{"a few of many", 50, 51 + 102, third, 50, "c0123", true},
		{"all", 2000, 2001, all, 2000, "c1999", false},
		{"no limit", math.MaxInt, 0, all, 2000, "c1999", false},
		{"none", 50, 2001, func(store.Conversation) bool { return false }, 0, "", false},
	} {
		st.read = 0
		found, next, err := listing.Page(t.Context(), svc, nil, test.limit, test.passes)
		if err != nil || len(found) != test.found || (next != nil) != test.next || st.read > test.most || len(found) > 0 && found[len(found)-1].ID != test.last {
			t.Errorf("%s: %d of %d read, the last %+v, then %v, %v", test.name, len(found), st.read, found[max(len(found)-1, 0):], next, err)
		}
	}
	if st.whole != 1 { // that of one moment
		t.Errorf("the whole list is read %d times", st.whole)
	}
	behind := &listing.Walk{After: &store.Place{Updated: began.Add(-1995 * time.Second), ID: "c1995"}}
	if found, next, err := listing.Page(t.Context(), svc, behind, math.MaxInt, all); len(found) != 4 || next != nil || err != nil {
		t.Errorf("without a limit %d are behind one, %v, %v", len(found), next, err)
	}
	seen := 0
	for next := (*listing.Walk)(nil); ; {
		found, behind, err := listing.Page(t.Context(), svc, next, 300, third)
		if err != nil {
			t.Fatal(err)
		}
		if seen += len(found); behind == nil {
			break
		}
		next = behind
	}
	if seen != 800 {
		t.Errorf("page by page there are %d", seen)
	}
}

// A walk misses no conversation, and none as it is at last, whatever is appended to
// meanwhile; it ends, and a round costs what changed since the one before.
func TestWalkMissesNone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		st := &counted{Store: memory.New()}
		svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
		n := rapid.IntRange(0, 40).Draw(t, "conversations")
		began := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		for i := range n {
			if err := st.Create(t.Context(), store.Conversation{ID: fmt.Sprintf("c%04d", i), Created: began.Add(-time.Duration(i/2) * time.Second)}); err != nil {
				t.Fatal(err)
			}
		}
		limit, only := rapid.IntRange(1, 6).Draw(t, "limit"), rapid.IntRange(1, 3).Draw(t, "only")
		passes := func(c store.Conversation) bool { return int(c.ID[4])%only == 0 }
		left := rapid.IntRange(0, 60).Draw(t, "appends")
		seen, walk := map[string]int64{}, (*listing.Walk)(nil)
		for pages := 0; ; pages++ {
			found, next, err := listing.Page(t.Context(), svc, walk, limit, passes)
			if err != nil || len(found) > limit || pages > 2*n+2*60 {
				t.Fatalf("page %d of %d: %v", pages, len(found), err)
			}
			for _, c := range found {
				seen[c.ID] = c.Version
			}
			if walk = next; walk == nil {
				break
			}
			for range min(left, rapid.IntRange(0, 3).Draw(t, "now")) {
				left--
				began = began.Add(time.Second)
				e := tenfold.Entry{ID: fmt.Sprint(left), Payload: tenfold.UserMessage{Parts: tenfold.Text("x")}}
				id := fmt.Sprintf("c%04d", rapid.IntRange(0, n-1).Draw(t, "which"))
				if _, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{e}, Now: began}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for c, err := range st.Store.Conversations(t.Context()) {
			if version, ok := seen[c.ID]; err != nil || passes(c) && (!ok || version != c.Version) {
				t.Errorf("%s was seen: %v, of version %d and not %d; %v", c.ID, ok, version, c.Version, err)
			}
		}
	})
	st := &counted{Store: memory.New()}
	svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
	for i := range 500 {
		if err := st.Create(t.Context(), store.Conversation{ID: fmt.Sprint(i), Created: time.Unix(int64(i), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	all := func(store.Conversation) bool { return true }
	_, walk, err := listing.Page(t.Context(), svc, nil, 100, all)
	if _, err := st.Append(t.Context(), store.Batch{Conversation: "7", Entries: []tenfold.Entry{{ID: "x", Payload: tenfold.TurnStart{}}}, Now: time.Unix(1000, 0)}); err != nil {
		t.Fatal(err)
	}
	for err == nil && walk.After != nil {
		_, walk, err = listing.Page(t.Context(), svc, walk, 100, all)
	}
	st.read = 0
	found, walk, err := listing.Page(t.Context(), svc, walk, 100, all)
	if len(found) != 1 || found[0].ID != "7" || walk != nil || err != nil || st.read > 101 {
		t.Errorf("at the end come %d, %v, %v; %d are read", len(found), walk, err, st.read)
	}
}

// What changes between two statements of one page is missed by none of them either.
func TestWalkMissesNoneWithinAPage(t *testing.T) {
	t.Parallel()
	st := &counted{Store: memory.New()}
	svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
	for i := range 100 {
		if err := st.Create(t.Context(), store.Conversation{ID: fmt.Sprint(i), Created: time.Unix(int64(i), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	passes := func(c store.Conversation) bool { return c.ID == "7" }
	st.after = func() {
		st.after = nil // once, behind the first statement
		if _, err := st.Append(t.Context(), store.Batch{Conversation: "7", Entries: []tenfold.Entry{{ID: "x", Payload: tenfold.TurnStart{}}}, Now: time.Unix(1000, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	found, walk, err := listing.Page(t.Context(), svc, nil, 10, passes)
	if len(found) != 0 || walk == nil || err != nil {
		t.Fatalf("%d are found, %v, %v", len(found), walk, err)
	}
	if found, walk, err = listing.Page(t.Context(), svc, walk, 10, passes); len(found) != 1 || walk != nil || err != nil {
		t.Errorf("then %d are found, %v, %v", len(found), walk, err)
	}
}

// A session that says nothing was not gone on with on the day that it was imported.
func TestWhenASessionEnded(t *testing.T) {
	began, said, stored := time.Unix(1, 0), time.Unix(2, 0), time.Unix(3, 0)
	for _, test := range []struct {
		stats store.Stats
		ended time.Time
	}{
		{store.Stats{Turns: 1, Ended: said}, said},
		{store.Stats{Turns: 1}, stored}, // of an earlier release
		{store.Stats{}, began},
	} {
		from, to := listing.Span(store.Conversation{Created: began, Updated: stored, Stats: test.stats})
		if from != began || to != test.ended {
			t.Errorf("%+v: from %v to %v", test.stats, from, to)
		}
	}
}
