package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy/keeper"
	"tenfold/session"
	"tenfold/store"
)

// A fullStore is one whose disk may be full.
type fullStore struct {
	store.Store
	full atomic.Bool
}

var errFull = errors.New("database or disk is full")

func (s *fullStore) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	if s.full.Load() {
		return errFull
	}
	return s.Store.Create(ctx, c, entries...)
}

func (s *fullStore) Append(ctx context.Context, b store.Batch) (int64, error) {
	if s.full.Load() {
		return 0, errFull
	}
	return s.Store.Append(ctx, b)
}

// fills gives a place whose store can be full.
func fills(t *testing.T) (*place, *fullStore) {
	p := newPlace(t)
	s := &fullStore{Store: p.store}
	p.store = s
	p.restart()
	return p, s
}

// told is what a log says and what was paid.
func told(t *testing.T, s *session.Session) (out []string) {
	t.Helper()
	for e := range s.Log().Entries() {
		raw, err := tenfold.MarshalPayload(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s", e.Branch, e.Payload.Kind(), raw))
	}
	return out
}

// V7: what goes through while the store cannot be written is stored once it can: all that
// was said, when, and what it cost, the last answer too, though nobody says that again.
func TestV7WhatTheStoreCannotTakeWaits(t *testing.T) {
	t.Parallel()
	for when, full := range map[string]func(turn int) bool{
		"from the start": func(int) bool { return true },
		"later":          func(turn int) bool { return turn > 2 },
		"for a while":    func(turn int) bool { return turn > 1 && turn < 4 },
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			p, s := fills(t)
			c, want := newClient(p, "one"), newClient(newPlace(t), "one")
			for turn := range 6 {
				s.full.Store(full(turn))
				if a, b := c.turn(200), want.turn(200); !slices.Equal(a, b) {
					t.Fatalf("turn %d is sent as %s, and with a store as %s", turn, a, b)
				}
				keeper.Rest(c.k, turn%2 == 1)
				keeper.Rest(want.k, turn%2 == 1)
			}
			keeper.Rest(c.k, true)
			keeper.Rest(want.k, true)
			if keeper.Pay(c.k); !keeper.TriesAgain(c.k) {
				t.Error("what a try could not store is never tried again")
			}
			s.full.Store(false)
			keeper.Pay(c.k)
			if n := keeper.Owed(c.k); n != 0 {
				t.Errorf("%d bytes still wait", n)
			}
			got := c.only(t)
			if a, b := told(t, got), told(t, want.only(t)); !slices.Equal(a, b) {
				t.Errorf("the log says\n%s\nand not\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
			last := time.Time{}
			for e := range got.Log().Entries() {
				if e.Payload.Kind() == tenfold.KindReasoning {
					continue // which is of the view that it was thought under
				}
				if e.Time.Before(last) {
					t.Errorf("entry %d, %s, is of %v, and the one before of %v", e.Seq, e.Payload.Kind(), e.Time, last)
				}
				last = e.Time
			}
			c.close()
			want.close()
		})
	}
}

// V7: so is what the client took back meanwhile, beside what it went on with.
func TestV7WhatWasTakenBackWaitsToo(t *testing.T) {
	t.Parallel()
	p, s := fills(t)
	c := newClient(p, "one")
	c.turn(200)
	s.full.Store(true)
	c.turn(200)
	c.user("And now?")
	c.answered(c.send(), said("That is all."))
	keeper.Rest(c.k, true)
	c.messages = c.messages[:8]
	c.n = 10
	c.turn(200)
	keeper.Rest(c.k, true)
	s.full.Store(false)
	keeper.Pay(c.k)
	c.close()
	all := ""
	for _, id := range c.conversations() {
		all += strings.Join(texts(c.open(id), false), "|") + "\n"
	}
	for _, want := range []string{"file_2.go", "file 2 is read", "And now?", "That is all.", "file 11 is read"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is lost: %s", want, all)
		}
	}
}

// V7: how much waits has a bound, and whoever looks is told where it ended, as at the end.
func TestV7WhatWaitsHasABound(t *testing.T) {
	t.Parallel()
	p, s := fills(t)
	keeper.MostOwed(p.k, 6000)
	s.full.Store(true)
	c := newClient(p, "one")
	most := 0
	for range 20 {
		c.turn(500)
		keeper.Rest(c.k, true)
		most = max(most, keeper.Owed(c.k))
	}
	if most == 0 || most > 6000 {
		t.Errorf("%d bytes wait", most)
	}
	told := slices.DeleteFunc(c.failures(), func(why string) bool { return !strings.Contains(why, "wait for a store") })
	if len(told) != 1 {
		t.Errorf("it is told as %q", told)
	}
	if err := p.k.Close(t.Context()); !errors.Is(err, errFull) || !strings.Contains(err.Error(), "1 conversation") {
		t.Errorf("closed with %v", err)
	}
}

// V7: what a long conversation says while nothing can be stored is held once, and the status
// tells how much that is, and why.
func TestV7WhatWaitsIsHeldOnce(t *testing.T) {
	t.Parallel()
	p, s := fills(t)
	s.full.Store(true)
	c := newClient(p, "one")
	for range 40 {
		c.turn(200)
		keeper.Rest(c.k, true)
	}
	if n, last := keeper.Owed(c.k), len(c.body()); n > last {
		t.Errorf("%d bytes wait, and the last request had %d", n, last)
	}
	if st := c.status(); st.Waiting != c.heard || !strings.Contains(st.Unwritable, errFull.Error()) {
		t.Errorf("of %d answers the status has %d, because %q", c.heard, st.Waiting, st.Unwritable)
	}
	s.full.Store(false)
	keeper.Pay(c.k)
	if st := c.status(); st.Waiting != 0 || st.Unwritable != "" {
		t.Errorf("all is stored, and the status has %d, because %q", st.Waiting, st.Unwritable)
	}
	c.close()
	if said := texts(c.only(t), false); len(said) != 80 {
		t.Errorf("%d texts are stored: %q", len(said), said)
	}
}

// A lockedStore waits for its lock, in vain each time it is armed.
type lockedStore struct {
	store.Store
	armed atomic.Bool
	lock  chan struct{}
}

func (s *lockedStore) Append(ctx context.Context, b store.Batch) (int64, error) {
	if s.armed.CompareAndSwap(true, false) {
		<-s.lock
		return 0, errFull
	}
	return s.Store.Append(ctx, b)
}

// V7: an answer that was heard while the store still waited to take what was said before
// it is stored with that.
func TestV7AnAnswerIsHeardBeforeTheStoreFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := &lockedStore{Store: p.store, lock: make(chan struct{})}
	p.store = s
	p.restart()
	c := newClient(p, "one")
	c.turn(200)
	keeper.Rest(c.k, true)
	c.hasty = true
	s.armed.Store(true)
	c.turn(200)
	keeper.Flush(c.k)
	close(s.lock)
	keeper.Rest(c.k, true)
	keeper.Pay(c.k)
	if failed := p.failures(); s.armed.Load() || slices.ContainsFunc(failed, func(why string) bool { return !strings.Contains(why, errFull.Error()) }) {
		t.Errorf("failures: %q", failed)
	}
	c.close()
	if said := texts(c.only(t), false); len(said) != 4 {
		t.Errorf("the log says %q", said)
	}
}

// V7: a store that cannot be opened at first is opened later.
func TestV7AStoreIsOpenedLater(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.close()
	p.unopened.Store(true)
	p.restart()
	c := newClient(p, "one")
	c.turn(200)
	keeper.Rest(c.k, true)
	p.unopened.Store(false)
	p.pass(time.Minute)
	keeper.Pay(c.k)
	c.close()
	if said := texts(c.only(t), false); len(said) != 2 {
		t.Errorf("the log says %q", said)
	}
}

// Whoever opens stores closes them once the keeper is closed: none is opened afterwards.
func TestNoStoreIsOpenedBehindClose(t *testing.T) {
	t.Parallel()
	begun, opened := make(chan struct{}), false
	k := keeper.New(keeper.Options{
		Open: func(ctx context.Context) (*session.Service, error) {
			close(begun)
			<-ctx.Done()
			time.Sleep(time.Millisecond)
			opened = true
			return nil, ctx.Err()
		},
		Expect: keeper.Expected{Recent: 1},
	})
	<-begun
	if err := k.Close(t.Context()); err != nil || !opened {
		t.Errorf("closed with %v, while the store is opened: %t", err, !opened)
	}
}

// V7: where the server of a store does not answer, one request waits for it, and no other:
// neither of that conversation nor of the next ones.
func TestV7OneRequestWaitsForAStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.close()
	answers, tries := make(chan struct{}), atomic.Int32{}
	p.k = keeper.New(keeper.Options{
		Open: func(context.Context) (*session.Service, error) {
			tries.Add(1)
			<-answers
			return nil, errors.New("no answer")
		},
		Configure: func(string, string) (session.Live, error) { return p.live, nil },
		Fail:      func(_, _, why string) { p.mu.Lock(); p.failed = append(p.failed, why); p.mu.Unlock() },
		Now:       p.clock, Patience: 20 * time.Millisecond, Look: time.Millisecond,
	})
	for _, name := range []string{"one", "two", "three"} {
		c := newClient(p, name)
		c.hasty = true
		c.messages = []string{person("Hello."), `{"role":"assistant","content":[` + said("Hi.") + `]}`}
		c.turn(200)
	}
	waited := slices.DeleteFunc(p.failures(), func(why string) bool { return !strings.Contains(why, "longer than 20ms") })
	if len(waited) != 1 || !strings.Contains(waited[0], "a look at the store") || tries.Load() != 1 {
		t.Errorf("%d tries, failures %q", tries.Load(), waited)
	}
	close(answers)
	if err := p.k.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "3 conversations is lost") {
		t.Errorf("closed with %v", err)
	}
}

// An awayStore is one whose server is away for so many calls.
type awayStore struct {
	store.Store
	away atomic.Int32
}

func (s *awayStore) Append(ctx context.Context, b store.Batch) (int64, error) {
	if s.away.Add(-1) >= 0 {
		return 0, fmt.Errorf("append: %w", store.ErrUnavailable)
	}
	return s.Store.Append(ctx, b)
}

// V7: an answer that ends while the server of the store is away, just as the client ends, is
// stored once that is back, as long as it is waited for.
func TestV7TheLastAnswerWaitsForAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := &awayStore{Store: p.store}
	p.store = s
	p.restart()
	one, two := newClient(p, "one"), newClient(p, "two")
	one.turn(200)
	two.turn(200)
	keeper.Rest(p.k, true)
	clients := map[string]*client{"one": one, "two": two}
	for name, c := range clients {
		c.user("And now?")
		c.answered(c.send(), said("That is all, "+name+"."))
	}
	s.away.Store(4)
	if err := p.k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.away.Load() >= 0 {
		t.Fatal("nothing was tried while the store was away")
	}
	all := ""
	for _, id := range one.conversations() {
		all += strings.Join(told(t, p.open(id)), "\n")
	}
	for name := range clients {
		if n := strings.Count(all, "That is all, "+name+"."); n != 1 {
			t.Errorf("the last answer of %s is stored %d times:\n%s", name, n, all)
		}
	}
	p.k = nil

	// It is waited for no longer than Close may.
	p.restart()
	c := newClient(p, "three")
	c.turn(200)
	keeper.Rest(p.k, true)
	c.user("And now?")
	c.answered(c.send(), said("That is all."))
	s.away.Store(1 << 30)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := p.k.Close(ctx); err == nil {
		t.Error("closed, though the store is away")
	}
	p.k = nil
}

// V7: what waits is tried once more when the proxy ends, though all has been looked at.
func TestV7WhatWaitsIsStoredAtTheEnd(t *testing.T) {
	t.Parallel()
	p, s := fills(t)
	c := newClient(p, "one")
	c.turn(200)
	keeper.Rest(p.k, true)
	s.full.Store(true)
	c.user("And now?")
	c.answered(c.send(), said("That is all."))
	keeper.Rest(p.k, true)
	if keeper.Owed(p.k) == 0 {
		t.Fatal("nothing waits")
	}
	s.full.Store(false)
	if err := p.k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.k = nil
	if all := strings.Join(told(t, p.open(c.conversations()[0])), "\n"); strings.Count(all, "That is all.") != 1 {
		t.Errorf("the last answer is not stored once:\n%s", all)
	}
}

// V7: a request that is on its way keeps its bytes, whatever others of its conversation
// have waiting in its place.
func TestV7WhatIsOnItsWayKeepsItsBytes(t *testing.T) {
	t.Parallel()
	p, s := fills(t)
	s.full.Store(true)
	c := newClient(p, "one")
	c.turn(200)
	c.user("And now?")
	one := c.send()
	keeper.Rest(c.k, false)
	c.messages = append(c.messages, `{"role":"assistant","content":[`+said("That")+`]}`) // what it has of the answer
	c.user("And then?")
	two := c.send()
	keeper.Rest(c.k, false)
	if len(one.Body()) == 0 || len(two.Body()) == 0 {
		t.Errorf("%d and %d bytes are left", len(one.Body()), len(two.Body()))
	}
	one.Done(200, true)
	c.answered(two, said("That is all."))
	s.full.Store(false)
	c.close()
}

// V7: nor is the last answer lost where the client asks for a compaction meanwhile: that
// says less than was heard, or the same, but the client goes on from what was heard.
func TestV7TheLastAnswerWaitsBesideACompaction(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]int{"that has it": 0, "that leaves it out": 1} {
		p, s := fills(t)
		c := newClient(p, "one")
		for range 3 {
			c.turn(200)
		}
		s.full.Store(true)
		asking := *c
		asking.messages = slices.Clone(c.messages[:len(c.messages)-leaves])
		asking.header = c.header.Clone()
		asking.header.Set("X-Claude-Code-Request-Class", "compaction")
		asking.user("Write a summary of the conversation.")
		asking.send().Done(500, false)
		keeper.Rest(c.k, true)
		s.full.Store(false)
		keeper.Pay(c.k)
		c.close()
		all := ""
		for _, id := range c.conversations() {
			all += strings.Join(texts(c.open(id), false), "|") + "\n"
		}
		if !strings.Contains(all, "file 3 is read") {
			t.Errorf("a compaction %s: the last answer is lost: %s", name, all)
		}
		for _, f := range c.failures() {
			if strings.Contains(f, "internal error") {
				t.Errorf("a compaction %s: %s", name, f)
			}
		}
	}
}
