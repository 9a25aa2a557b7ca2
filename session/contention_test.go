package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/sqlite"
	"tenfold/strategy"
)

// An ack is an entry that a session was told is in the log, with the place at
// which the session then had it.
type ack struct {
	conversation string
	seq          int64
	id           string
}

// A half is one of the two programs that contend: eight writers and two
// compactors, with a service of their own.
type half struct {
	svc           *session.Service
	name          string
	conversations []string
	load          load
	// again says which errors besides a lost race are tried again; nil for
	// none. The server is away for a while in some tests.
	again func(error) bool
	acked atomic.Int64
	// writing is how many writers are not done.
	writing atomic.Int64

	mu    sync.Mutex
	acks  []ack
	tally tally
}

// A load is how much each writer and each compactor does.
type load struct{ groups, rounds int }

// entries is how many a half's writers append.
func (l load) entries() int64 { return int64(halfWriters * l.groups * 5) }

// tally counts what happened, for the test's log: a test in which nobody ever
// lost a race shows nothing.
type tally struct {
	// Conflicts are races lost, Lost errors of a server that was away, Replans
	// plans made anew, and GaveUp compactions that had to be asked for again.
	Conflicts, Lost, Applied, Repeated, Nothing, Replans, GaveUp int
}

const (
	halfWriters    = 8
	halfCompactors = 2
)

// loadFor gives a load that takes some seconds with the race detector.
func loadFor(conversations int) load {
	l := load{groups: 24, rounds: 24}
	if conversations > 1 {
		l = load{groups: 60, rounds: 120}
	}
	if testing.Short() {
		l.groups, l.rounds = l.groups/4, l.rounds/4
	}
	return l
}

// run has the writers and compactors work until all they have to do is
// acknowledged.
func (h *half) run(ctx context.Context) error {
	var errs []error
	var wg sync.WaitGroup
	start := func(role string, n int, work func(*hand) error) {
		for i := range n {
			wg.Go(func() {
				name := fmt.Sprintf("%s-%s%d", h.name, role, i)
				hash := fnv.New64a()
				_, _ = hash.Write([]byte(name))
				w := &hand{half: h, name: name, open: map[string]*session.Session{}, rand: rand.New(rand.NewPCG(1, hash.Sum64()))}
				err := work(w)
				h.mu.Lock()
				defer h.mu.Unlock()
				h.acks = append(h.acks, w.acks...)
				h.tally.add(w.tally)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", name, err))
				}
			})
		}
	}
	h.writing.Store(halfWriters)
	start("w", halfWriters, func(w *hand) error {
		defer h.writing.Add(-1)
		return w.write(ctx)
	})
	start("c", halfCompactors, func(w *hand) error { return w.compact(ctx) })
	wg.Wait()
	return errors.Join(errs...)
}

func (t *tally) add(o tally) {
	t.Conflicts += o.Conflicts
	t.Lost += o.Lost
	t.Applied += o.Applied
	t.Repeated += o.Repeated
	t.Nothing += o.Nothing
	t.Replans += o.Replans
	t.GaveUp += o.GaveUp
}

// A hand is one writer or compactor. It keeps the sessions it opened, as a
// program does, so that most of what it does begins with an old version.
type hand struct {
	*half
	name  string
	open  map[string]*session.Session
	rand  *rand.Rand
	acks  []ack
	tally tally
}

// session gives the hand's session of a conversation.
func (w *hand) session(ctx context.Context, id string) (*session.Session, error) {
	if s := w.open[id]; s != nil {
		return s, nil
	}
	var s *session.Session
	err := w.insist(ctx, func() (err error) {
		s, err = w.svc.Open(ctx, id)
		return err
	})
	if err == nil {
		w.open[id] = s
	}
	return s, err
}

// insist does something again while it fails as the server's absence makes it
// fail.
func (w *hand) insist(ctx context.Context, do func() error) error {
	for {
		err := do()
		var conflict *store.ConflictError
		if err == nil || ctx.Err() != nil || errors.As(err, &conflict) || w.again == nil || !w.again(err) {
			return err
		}
		w.tally.Lost++
		time.Sleep(20 * time.Millisecond)
	}
}

// write appends groups of entries, each of which is a turn in three batches.
// Those of the other writers come in between, so that calls and results of
// many turns are mixed.
func (w *hand) write(ctx context.Context) error {
	for g := range w.load.groups {
		s, err := w.session(ctx, w.conversations[w.rand.IntN(len(w.conversations))])
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%d", w.name, g)
		for b, payloads := range [][]tenfold.Payload{
			{tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("request of " + name)}},
			{tenfold.ToolCall{CallID: name, Name: "shell", Arguments: `{"command":"ls -l"}`}},
			{
				tenfold.ToolResult{CallID: name, Parts: tenfold.Text("a file\nand another file\nand a third, all of them of " + name)},
				tenfold.AssistantMessage{Text: "done"},
			},
		} {
			var entries []tenfold.Entry
			for i, p := range payloads {
				entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("%s-%d-%d", name, b, i), Payload: p})
			}
			if err := w.append(ctx, s, entries); err != nil {
				return err
			}
		}
	}
	return nil
}

// append appends until it is acknowledged: at the newer version after a lost
// race (L8), and again where nobody knows whether it came through, which the
// ids make safe (L9).
func (w *hand) append(ctx context.Context, s *session.Session, entries []tenfold.Entry) error {
	for {
		err := w.insist(ctx, func() error { return s.Append(ctx, entries...) })
		if err == nil {
			break
		}
		var conflict *store.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
		w.tally.Conflicts++
		was := s.Log().Version()
		if err := w.insist(ctx, func() error { return s.Refresh(ctx) }); err != nil {
			return err
		}
		if s.Log().Version() == was {
			return fmt.Errorf("after %w there is nothing to read after %d", err, was)
		}
	}
	for _, e := range entries {
		if err := w.note(s, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// note keeps that an entry is acknowledged.
func (w *hand) note(s *session.Session, id string) error {
	e, ok := s.Log().Lookup(id)
	if !ok {
		return fmt.Errorf("%s is acknowledged, and not in the session's log", id)
	}
	w.acks = append(w.acks, ack{s.ID(), e.Seq, id})
	w.acked.Add(1)
	return nil
}

// await waits until a part of the writing is done, so that compactors have
// something to compact from the first round to the last.
func (h *half) await(round int) {
	for h.writing.Load() > 0 && h.acked.Load() < h.load.entries()*int64(round)/int64(h.load.rounds) {
		time.Sleep(time.Millisecond)
	}
}

// compact makes requests by turns of its own and such as every compactor
// makes, of both programs: one must come through, once (D3, L9).
func (w *hand) compact(ctx context.Context) error {
	strip, err := strategy.Parse("strip-tools")
	if err != nil {
		return err
	}
	for round := range w.load.rounds {
		w.await(round)
		id := w.conversations[w.rand.IntN(len(w.conversations))]
		r := all()
		r.ID = fmt.Sprintf("%s-%d", w.name, round)
		r.Strategies = []strategy.Strategy{strip}
		if round%2 == 1 {
			id = w.conversations[round%len(w.conversations)]
			r.ID = fmt.Sprintf("shared-%d", round)
		}
		s, err := w.session(ctx, id)
		if err != nil {
			return err
		}
		var c session.Compacted
		err = w.insist(ctx, func() (err error) {
			for {
				c, err = s.Compact(ctx, r)
				var conflict *store.ConflictError
				if !errors.As(err, &conflict) {
					return err
				}
				w.tally.GaveUp++ // it lost every race: the request is one to repeat (L9)
			}
		})
		if err != nil {
			return err
		}
		if err := w.compacted(s, r.ID, c); err != nil {
			return err
		}
	}
	return nil
}

// compacted counts how a compaction ended, and keeps what came of it.
func (w *hand) compacted(s *session.Session, request string, c session.Compacted) error {
	w.tally.Replans += max(c.Attempts-1, 0)
	switch c.Outcome {
	case session.Applied:
		w.tally.Applied++
	case session.Repeated:
		w.tally.Repeated++
	case session.Nothing:
		w.tally.Nothing++
		return nil
	default: // a mechanical plan is made anew, and not given up (D3)
		return fmt.Errorf("request %s is %s: %s", request, c.Outcome, c.Reason)
	}
	if len(c.Overlays) == 0 {
		return fmt.Errorf("request %s is %s without an overlay", request, c.Outcome)
	}
	for _, o := range c.Overlays {
		if requestOf(o.ID) != request {
			return fmt.Errorf("request %s is %s with the overlay %s", request, c.Outcome, o.ID)
		}
		if err := w.note(s, o.ID); err != nil {
			return err
		}
	}
	return nil
}

// requestOf is the request that a compaction's id was made of.
func requestOf(id string) string {
	request, _, _ := strings.Cut(strings.TrimPrefix(id, "cmp_"), "/")
	return request
}

// contested makes conversations of one turn each.
func contested(t *testing.T, svc *session.Service, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		id := fmt.Sprintf("c%03d", i)
		if _, err := svc.Create(t.Context(), session.Create{ID: id, Entries: talk(1)}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// checkContested checks, with eyes that saw nothing of it, what was left: what
// was acknowledged is there once (D2), where it was said to be, so that every
// version had one winner (L8); nothing else is there; no request compacted
// twice (L9); and a provider takes every conversation as it is (P10).
func checkContested(t *testing.T, st store.Store, ids []string, acks []ack) {
	t.Helper()
	won := map[string]map[string]int64{}
	for _, id := range ids {
		won[id] = map[string]int64{}
	}
	for _, a := range acks {
		if seq, ok := won[a.conversation][a.id]; ok && seq != a.seq {
			t.Errorf("%s of %s was acknowledged as %d and as %d", a.id, a.conversation, seq, a.seq)
		}
		won[a.conversation][a.id] = a.seq
	}
	initial := len(talk(1))
	svc := session.NewService(st)
	for _, id := range ids {
		var last int64
		seen, requests := map[string]bool{}, map[string]bool{}
		for e, err := range st.Entries(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if last++; e.Seq != last {
				t.Fatalf("%s: entry %d comes after %d", id, e.Seq, last-1)
			}
			if seen[e.ID] {
				t.Errorf("%s: %s is there twice", id, e.ID)
			}
			seen[e.ID] = true
			if _, ok := e.Payload.(tenfold.Compaction); ok {
				if requests[requestOf(e.ID)] {
					t.Errorf("%s: request %s compacted twice", id, requestOf(e.ID))
				}
				requests[requestOf(e.ID)] = true
			}
			if seq, ok := won[id][e.ID]; int(last) > initial && (!ok || seq != last) {
				t.Errorf("%s: entry %d is %s, which was acknowledged as %d", id, last, e.ID, seq)
			}
		}
		for name, seq := range won[id] {
			if !seen[name] {
				t.Errorf("%s: %s was acknowledged as %d, and is lost", id, name, seq)
			}
		}
		s, err := svc.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		checkShown(t, s, requests)
	}
}

// checkShown checks a conversation's projection: each compaction is an overlay
// of it, once, and the providers take it.
func checkShown(t *testing.T, s *session.Session, requests map[string]bool) {
	t.Helper()
	overlays := map[string]int{}
	for o := range s.Projection().Overlays() {
		overlays[requestOf(o.ID)]++
	}
	for request := range requests {
		if overlays[request] != 1 {
			t.Errorf("%s: request %s has %d overlays", s.ID(), request, overlays[request])
		}
	}
	if len(overlays) != len(requests) {
		t.Errorf("%s: %d overlays of %d requests", s.ID(), len(overlays), len(requests))
	}
	for _, f := range tenfold.Profiles() {
		body, err := f.Body(s.Projection())
		if err != nil {
			t.Errorf("%s: %v", s.ID(), err)
			continue
		}
		if bad := f.Validate(body); len(bad) > 0 {
			t.Errorf("%s: %s would refuse %v", s.ID(), f.Name, bad)
		}
	}
}

// digest sums up all logs as a service reads them.
func digest(ctx context.Context, svc *session.Service, ids []string) (string, error) {
	sum := sha256.New()
	for _, id := range ids {
		s, err := svc.Open(ctx, id)
		if err != nil {
			return "", err
		}
		for e := range s.Log().Entries() {
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				return "", err
			}
			_, _ = fmt.Fprintf(sum, "%s %d %s\n", id, e.Seq, line)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// report logs what happened.
func report(t *testing.T, begun time.Time, acks []ack, all tally) {
	t.Helper()
	t.Logf("%d entries acknowledged in %v: %+v", len(acks), time.Since(begun).Round(time.Millisecond), all)
}

// L9: whoever repeats from an old version what somebody else wrote reads what
// came before it, and goes on.
func TestL9AppendAgainFromAnOldVersion(t *testing.T) {
	svc := newService(t)
	stale := mustCreate(t, svc, 1)
	other, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	say := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: id}}
	}
	if err := other.Append(t.Context(), say("first"), say("second")); err != nil {
		t.Fatal(err)
	}
	if err := stale.Append(t.Context(), say("second")); err != nil {
		t.Fatal(err)
	}
	w := &hand{half: &half{}}
	if err := w.append(t.Context(), stale, []tenfold.Entry{say("third")}); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"first", "second", "third"} {
		if e, ok := stale.Log().Lookup(id); !ok || e.Seq != int64(6+i) {
			t.Errorf("%s is entry %d of the session's log, want %d", id, e.Seq, 6+i)
		}
	}
}

// L9: whoever repeats a request that came through while it planned is given
// the overlay which that left, and no other.
func TestL9CompactAgainFromAnOldVersion(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 3)
	strip, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	r := all()
	r.ID = "request"
	r.Strategies = []strategy.Strategy{&meddled{Strategy: strip, meddle: func(int) {
		rival(t, svc, tenfold.AssistantMessage{Text: "me first"})
		first, err := svc.Open(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		same := r
		same.Strategies = []strategy.Strategy{strip}
		if c, err := first.Compact(t.Context(), same); err != nil || c.Outcome != session.Applied {
			t.Fatalf("%+v, %v", c, err)
		}
		rival(t, svc, tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	}}}
	c, err := s.Compact(t.Context(), r)
	if err != nil || len(c.Overlays) != 1 || requestOf(c.Overlays[0].ID) != r.ID || c.Overlays[0].Seq != 17 {
		t.Fatalf("%s with %+v, %v", c.Outcome, c.Overlays, err)
	}
	read, err := svc.Open(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(slices.Collect(read.Log().Entries()), slices.Collect(s.Log().Entries())); d != "" {
		t.Errorf("the session has another log than is stored (-stored +session):\n%s", d)
	}
}

// Sixteen writers and four compactors in two processes, on one conversation
// and on many: nothing is lost, nothing compacted twice, and every version has
// one winner (D3, L8, L9).
func TestD3ContentionSQLite(t *testing.T) {
	for _, n := range []int{1, manyConversations} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			st, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			svc := session.NewService(st)
			ids := contested(t, svc, n)
			begun := time.Now()
			other := startOther(t, path)
			h := &half{svc: svc, name: "here", conversations: ids, load: loadFor(n)}
			if err := h.run(t.Context()); err != nil {
				t.Error(err)
			}
			acks, theirs := other.wait(t)
			theirs.add(h.tally)
			report(t, begun, append(acks, h.acks...), theirs)

			again, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			checkContested(t, again, ids, append(acks, h.acks...))
			read, err := digest(t.Context(), svc, ids)
			if err != nil {
				t.Fatal(err)
			}
			if got := other.digest(t); got != read {
				t.Errorf("the other process reads %s, this one %s", got, read)
			}
		})
	}
}

// The same over two pools of connections to a PostgreSQL that is killed and
// started again in between. One of the two stores waits for the server itself,
// the other gives the sessions its errors.
func TestD3ContentionPostgres(t *testing.T) {
	for _, n := range []int{1, manyConversations} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			server := pgtest.Start(t)
			url := server.Database(t)
			patient, stubborn := openPostgres(t, url), openPostgres(t, url, postgres.WithRetry(0))
			ids := contested(t, session.NewService(patient), n)
			begun := time.Now()
			deadline := begun.Add(time.Minute)
			halves := []*half{
				{svc: session.NewService(patient), name: "here"},
				{
					svc: session.NewService(stubborn), name: "there",
					again: func(error) bool { return time.Now().Before(deadline) },
				},
			}
			var wg sync.WaitGroup
			for _, h := range halves {
				h.conversations, h.load = ids, loadFor(n)
				wg.Go(func() {
					if err := h.run(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			killAmid(t, server, halves)
			wg.Wait()
			var acks []ack
			var both tally
			for _, h := range halves {
				acks = append(acks, h.acks...)
				both.add(h.tally)
			}
			report(t, begun, acks, both)
			checkContested(t, openPostgres(t, url), ids, acks)
			var read []string
			for _, h := range halves {
				d, err := digest(t.Context(), h.svc, ids)
				if err != nil {
					t.Fatal(err)
				}
				read = append(read, d)
			}
			if read[0] != read[1] {
				t.Errorf("the stores read %s and %s", read[0], read[1])
			}
		})
	}
}

// killAmid kills the server when a third of the writing is done, and starts it
// again.
func killAmid(t *testing.T, server *pgtest.Server, halves []*half) {
	t.Helper()
	var want int64
	for _, h := range halves {
		want += h.load.entries()
	}
	done := func() (n int64) {
		for _, h := range halves {
			n += h.acked.Load()
		}
		return n
	}
	for start := time.Now(); done() < want/3 && time.Since(start) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	server.Kill(t)
	if n := done(); n >= want {
		t.Error("the server was killed when all was done")
	}
	time.Sleep(100 * time.Millisecond)
	server.Restart(t)
}

// openPostgres gives a store, closed when the test ends.
func openPostgres(t *testing.T, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	st, err := postgres.Open(context.Background(), url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
