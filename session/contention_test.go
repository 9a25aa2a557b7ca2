package session_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
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

// loadFor gives a load that takes some seconds with the race detector, or a
// quarter of it where tests do not try everything.
func loadFor(conversations int) load {
	l := load{groups: 24, rounds: 24}
	if conversations > 1 {
		l = load{groups: 60, rounds: 120}
	}
	if !corpustest.All() {
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
		var c session.Result
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
func (w *hand) compacted(s *session.Session, request string, c session.Result) error {
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
			patient, stubborn := openPostgres(t, url, postgres.WithRetry(5*time.Minute)), openPostgres(t, url, postgres.WithRetry(0))
			ids := contested(t, session.NewService(patient), n)
			begun := time.Now()
			deadline := begun.Add(5 * time.Minute)
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
	for start := time.Now(); done() < want/3 && time.Since(start) < 5*time.Minute; {
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
