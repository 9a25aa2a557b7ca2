package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

func said(id string) tenfold.Entry {
	return tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: tenfold.Text("words of " + id)}}
}

// Appends that are written together have each its own outcome, and where one spoils
// the statement none is written, so that each can be written alone.
func testGroups(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	for _, id := range []string{"a", "b", "c", "uncommitted", "locked"} {
		if err := s.Create(t.Context(), store.Conversation{ID: id}, said("first of "+id)); err != nil {
			t.Fatal(err)
		}
	}
	batch := func(log string, expected int64, ids ...string) store.Batch {
		b := store.Batch{Conversation: log, Expected: expected}
		for _, id := range ids {
			b.Entries = append(b.Entries, said(id))
		}
		return b
	}
	if _, err := admin.Exec(t.Context(), `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'XX123'; END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON tenfold_conversations DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW WHEN (NEW.name = 'uncommitted') EXECUTE FUNCTION refuse()`); err != nil {
		t.Fatal(err)
	}
	locking, err := admin.Begin(t.Context())
	if err == nil {
		_, err = locking.Exec(t.Context(), "SELECT FROM tenfold_conversations WHERE name = 'locked' FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = locking.Rollback(context.WithoutCancel(t.Context())) }()
	for name, test := range map[string]struct {
		batches  []store.Batch
		versions []int64 // 0 where it is not written
		code     string
	}{
		"each":   {[]store.Batch{batch("c", store.AnyVersion, "1", "2"), batch("b", 7, "3"), batch("none", 0, "4"), batch("a", 1, "5")}, []int64{3, 0, 0, 2}, ""},
		"known":  {[]store.Batch{batch("a", store.AnyVersion, "6"), batch("b", 1, "first of b")}, []int64{0, 0}, codeUnique},
		"commit": {[]store.Batch{batch("a", store.AnyVersion, "9"), batch("uncommitted", 1, "10")}, []int64{0, 0}, "XX123"},
		"locked": {[]store.Batch{batch("a", store.AnyVersion, "7"), batch("locked", 1, "8")}, []int64{0, 0}, "55P03"},
	} {
		g := &grouper{} // of its own, as the timer of an earlier group would take its members
		for _, b := range test.batches {
			c, err := newColumns(b.Entries)
			if err != nil {
				t.Fatal(err)
			}
			s.hashWords(c, s.keys.Load())
			m, err := newMember(s.keys.Load(), b, c)
			if err != nil {
				t.Fatal(err)
			}
			g.waiting = append(g.waiting, m)
		}
		members := slices.Clone(g.waiting)
		s.writeGroup(g, g.next(t.Context()))
		for i, m := range members {
			<-m.done
			if m.version != test.versions[i] && m.written || m.written != (test.versions[i] > 0) || Code(m.err) != test.code {
				t.Errorf("%s: append %d: written %v, version %d, %v", name, i, m.written, m.version, m.err)
			}
		}
		if g.writing != 0 {
			t.Errorf("%s: others would wait for nobody", name)
		}
	}
	var got []string
	for _, log := range []string{"a", "b", "c"} {
		for e, err := range s.Entries(t.Context(), log, 1) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(log, e.Seq, " ", e.ID))
		}
	}
	if want := []string{"a2 5", "c2 1", "c3 2"}; !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	t.Run("more", func(t *testing.T) { more(t, s, admin) })
	t.Run("meanwhile", func(t *testing.T) { meanwhile(t, s, locking) })
}

// A shelf is a queue that notes how it was asked.
type shelf struct{ asked [][]any }

func (q *shelf) Enqueue(_ context.Context, _ pgx.Tx, _ int, due []any) error {
	q.asked = append(q.asked, due)
	if slices.Contains(due, any("bad")) {
		return errors.New("no room")
	}
	return nil
}

// What appends do besides is done once for all that are written together, for those
// alone that are written, and none of it where one fails; alone each then has its own
// outcome.
func more(t *testing.T, s *Store, admin *pgxpool.Pool) {
	if _, err := admin.Exec(t.Context(), "CREATE TABLE noted (what text UNIQUE); GRANT ALL ON noted TO PUBLIC"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"m1", "m2", "m3"} {
		if err := s.Create(t.Context(), store.Conversation{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	q := &shelf{}
	note := func(what string) Statement { return Statement{SQL: "INSERT INTO noted VALUES ($1)", Args: []any{what}} }
	nothing := Statement{SQL: "INSERT INTO noted (what) SELECT 1 / length($1)", Args: []any{""}}
	write := func(all map[string]More) {
		g := &grouper{} // of its own, as the timer of an earlier group would take its members
		for _, id := range slices.Sorted(maps.Keys(all)) {
			c, err := newColumns([]tenfold.Entry{said(fmt.Sprint(id, len(q.asked)))})
			if err != nil {
				t.Fatal(err)
			}
			s.hashWords(c, s.keys.Load())
			m, err := newMember(s.keys.Load(), store.Batch{Conversation: id, Expected: store.AnyVersion}, c)
			if err != nil {
				t.Fatal(err)
			}
			m.more = all[id]
			g.waiting = append(g.waiting, m)
		}
		s.writeGroup(g, g.next(t.Context()))
	}
	noted := func() (all []string) {
		if err := admin.QueryRow(t.Context(), "SELECT coalesce(array_agg(what ORDER BY what), '{}') FROM noted").Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	version := func(id string) int64 {
		c, err := s.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c.Version
	}
	write(map[string]More{"m1": {Queue: q, Due: "one"}, "m2": {Statements: []Statement{note("two"), note("too")}}, "m3": {Queue: q, Due: "three"}, "none": {Statements: []Statement{note("none")}, Queue: q, Due: "none"}})
	if len(q.asked) != 1 || !slices.Equal(q.asked[0], []any{"one", "three"}) {
		t.Errorf("the queue was asked for %v", q.asked)
	}
	if got := noted(); !slices.Equal(got, []string{"too", "two"}) || version("m1") != 1 || version("m2") != 1 {
		t.Errorf("%q are noted, m1 has version %d", got, version("m1"))
	}
	for _, bad := range []map[string]More{
		{"m2": {Statements: []Statement{note("two")}}},
		{"m2": {Statements: []Statement{nothing}}},
		{"m2": {Queue: q, Due: "bad"}},
		{"none": {Statements: []Statement{note("none")}}}, // without a queue all are written in one round trip, or none is
	} {
		bad["m1"] = More{Statements: []Statement{note("half")}}
		write(bad)
		if got := noted(); !slices.Equal(got, []string{"too", "two"}) || version("m1") != 1 || version("m2") != 1 {
			t.Errorf("%q are noted although %+v failed, m1 has version %d", got, bad, version("m1"))
		}
	}
	// Whoever calls has the own outcome, in a group or after it.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			b := store.Batch{Conversation: fmt.Sprint("m", 1+i%3), Expected: store.AnyVersion, Entries: []tenfold.Entry{said(fmt.Sprint("own ", i))}}
			if i%2 == 0 {
				if _, err := s.AppendIn(t.Context(), b, More{Statements: []Statement{note(fmt.Sprint("own ", i))}}); err != nil {
					t.Errorf("append %d: %v", i, err)
				}
			} else if _, err := s.AppendIn(t.Context(), b, More{Statements: []Statement{nothing}}); Code(err) != "22012" {
				t.Errorf("append %d, which fails: %v", i, err)
			}
		})
	}
	all.Wait()
	if got := noted(); !slices.Equal(got, []string{"own 0", "own 2", "own 4", "own 6", "too", "two"}) || version("m1")+version("m2")+version("m3") != 3+4 {
		t.Errorf("%q are noted in the end", got)
	}
}

// While one append waits for a lock, all others are done, each with its own outcome.
func meanwhile(t *testing.T, s *Store, locking pgx.Tx) {
	add := func(ctx context.Context, log string, expected int64, id string) (int64, error) {
		return s.Append(ctx, store.Batch{Conversation: log, Expected: expected, Entries: []tenfold.Entry{said(id)}})
	}
	var waiting, others sync.WaitGroup
	waiting.Go(func() {
		if v, err := add(t.Context(), "locked", 1, "waits"); v != 2 || err != nil {
			t.Errorf("the one that waits: %d, %v", v, err)
		}
	})
	for i := range 6 {
		others.Go(func() {
			var conflict *store.ConflictError
			if _, err := add(t.Context(), "a", store.AnyVersion, fmt.Sprint("other ", i)); err != nil {
				t.Error(err)
			}
			if v, err := add(t.Context(), "b", store.AnyVersion, "first of b"); v != 1 || err != nil {
				t.Errorf("a known one: %d, %v", v, err)
			}
			if _, err := add(t.Context(), "b", 9, fmt.Sprint("stale ", i)); !errors.As(err, &conflict) || conflict.Actual != 1 {
				t.Errorf("a stale one: %v", err)
			}
			if _, err := add(t.Context(), "none", 0, "x"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("one to no log: %v", err)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := add(gone, "a", store.AnyVersion, fmt.Sprint("gone ", i)); !errors.Is(err, context.Canceled) {
				t.Errorf("one whose caller is gone: %v", err)
			}
		})
	}
	others.Wait()
	if err := locking.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	waiting.Wait()
	if c, err := s.Conversation(t.Context(), "a"); c.Version != 8 || err != nil {
		t.Errorf("the log has version %d, %v", c.Version, err)
	}
}

// After a group those who are likely to come again are waited for, and nobody for long.
func TestGathers(t *testing.T) { synctest.Test(t, testGathers) } // where no time passes by itself

func testGathers(t *testing.T) {
	var g grouper
	if !g.allGathered() {
		t.Error("the first is not alone at once")
	}
	g.waiting = make([]*member, 1) // who came while three were written
	if wait := g.groupDone(3, time.Minute); wait != gather || g.allGathered() {
		t.Error("one of four begins at once, or waits for", wait)
	}
	g.waiting = make([]*member, 4)
	if !g.allGathered() {
		t.Error("all are there, and wait")
	}
	g.waiting, g.late = make([]*member, 1), time.Now()
	if !g.allGathered() {
		t.Error("one waits for others that do not come")
	}
	g.waiting = make([]*member, 2*maxGroup)
	if g.groupDone(3, time.Minute); !g.allGathered() {
		t.Error("more are waited for than a group takes")
	}
	g.waiting = make([]*member, 1)
	if wait := g.groupDone(3, 0); wait != 0 || !g.allGathered() {
		t.Error("others are waited for longer than the group took")
	}
}

// A group has one append of each log, in one order; what all have left is given up.
func TestGrouper(t *testing.T) {
	var g grouper
	members := make([]*member, 2*maxGroup)
	for i := range members {
		members[i] = &member{name: fmt.Appendf(nil, "%03d", (maxGroup+1)-i%(maxGroup+2))}
	}
	g.waiting = slices.Clone(members)
	g.withdraw(members[0])
	one := g.next(t.Context())
	if len(one.members) != maxGroup || g.writing != 1 || len(g.waiting) != maxGroup-1 || slices.Contains(one.members, members[0]) {
		t.Fatalf("%d are taken and %d wait", len(one.members), len(g.waiting))
	}
	if !slices.IsSortedFunc(one.members, func(a, b *member) int { return slices.Compare(a.name, b.name) }) {
		t.Error("they are in no order")
	}
	for i, m := range one.members {
		if err := one.ctx.Err(); err != nil {
			t.Fatalf("given up while %d wait", maxGroup-i)
		}
		g.withdraw(m)
	}
	if one.ctx.Err() == nil {
		t.Error("it goes on for nobody")
	}
	if g.next(t.Context()) != nil {
		t.Error("there is room for more groups")
	}
	names := map[string]bool{}
	g.groupDone(1, 0)
	for _, m := range append(g.next(t.Context()).members, g.waiting...) {
		names[string(m.name)] = true
	}
	if len(names) != maxGroup-1 {
		t.Errorf("the other groups are of %d logs", len(names))
	}
	g.groupDone(1, 0)
	g.waiting = []*member{{name: []byte("a")}, {name: []byte("a")}, {name: []byte("b")}}
	if two := g.next(t.Context()); len(two.members) != 2 || len(g.waiting) != 1 || string(g.waiting[0].name) != "a" {
		t.Errorf("%d are taken of two logs", len(two.members))
	}
	g.waiting = nil
	g.groupDone(1, 0)
	if g.next(t.Context()) != nil || g.writing != maxGroups-1 {
		t.Error("a group of nobody")
	}
}
