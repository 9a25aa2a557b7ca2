package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenfold/internal/number"
	"tenfold/internal/pause"
	"tenfold/store"
)

// What the store cannot take, because its disk is full or its server is away, waits in
// memory until it can: clients go on meanwhile, and say much of it only once.

// An owing is what the log lacks since the store failed: so many messages of a request, and
// its answer if that was heard.
type owing struct {
	ex    *exchange
	upto  int
	heard bool
}

const (
	// mostOwed is how many bytes of requests wait for the store, of all conversations.
	mostOwed = 256 << 20
	// A store that failed is tried again after payAfter, then each time after twice as long,
	// and at last each payEvery.
	payAfter, payEvery = time.Second, time.Minute
)

// errLasting marks what no other try would mend.
var errLasting = errors.New("the conversation cannot be stored as the client tells it")

func lasting(err error) error { return fmt.Errorf("%w: %w", errLasting, err) }

// deferStore has what could not be stored wait, in the place of what it includes. Jobs call it.
func (t *thread) deferStore(err error, o owing) {
	c := &t.log
	if err != nil {
		o.ex.releaseBefore()
	}
	if err == nil || errors.Is(err, errLasting) || o.upto == 0 || o.ex.r == nil || slices.ContainsFunc(c.owed, func(was owing) bool { return was.includes(o) }) {
		return
	}
	if t.holdOwed(o, err) {
		c.full = false
	} else if !c.full {
		c.full = true
		t.k.Fail(t.client, "store", fmt.Sprintf("%d MB wait for a store that cannot be written, and no more is kept: what is said now may be missing there", t.k.mostOwed>>20))
	}
}

// holdOwed keeps what is owed; false where there is no room for it.
func (t *thread) holdOwed(o owing, why error) bool {
	k, c := t.k, &t.log
	k.mu.Lock()
	defer k.mu.Unlock()
	size := len(o.ex.in.Body)
	for _, was := range c.owed {
		if o.includes(was) {
			size -= len(was.ex.in.Body)
		}
	}
	if k.unwritable = why; k.owed+size > k.mostOwed {
		return false
	}
	k.owed += size
	k.owing[t] = true
	c.owed = slices.DeleteFunc(c.owed, func(was owing) bool {
		included := o.includes(was)
		if included && was.ex != o.ex {
			if was.ex.owed = false; was.ex.done { // else it may yet be sent
				was.ex.releaseBody()
			}
		}
		return included
	})
	o.ex.owed = true
	c.owed = append(c.owed, o)
	t.storeOwedLater()
	return true
}

// includes tells whether what is owed has all of something else that is.
func (o owing) includes(was owing) bool {
	switch {
	case was.upto > o.upto, o.ex.r.Messages[was.upto-1].Chain != was.ex.r.Messages[was.upto-1].Chain:
		return false
	case !was.heard, was.ex == o.ex && o.heard:
		return true
	}
	return o.upto > was.upto && was.ex.saidIn(o.ex.r, was.upto)
}

// storeOwedLater tries the store again after a while. The caller holds the lock.
func (t *thread) storeOwedLater() {
	if t.k.closed {
		t.storeOwedAtLast()
		return
	}
	if t.pays != nil {
		return
	}
	t.payWait = min(max(2*t.payWait, payAfter), payEvery)
	t.pays = time.AfterFunc(t.payWait, func() {
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		t.pays = nil
		t.enqueue(t.tryStoreOwed)
	})
}

// storeOwedAtLast has the jobs that are left store what is owed, again for as long as Close
// waits, where the store is away and may come back. The caller holds the lock.
func (t *thread) storeOwedAtLast() {
	away := errors.Is(t.k.unwritable, store.ErrUnavailable) || errors.Is(t.k.unwritable, store.ErrLocked)
	if !away || t.lastPays || !t.running {
		return
	}
	t.lastPays = true
	t.jobs = append(t.jobs, func(ctx context.Context) {
		waited := pause.For(t.k.closing, payAfter)
		t.k.mu.Lock()
		t.lastPays = false
		t.k.mu.Unlock()
		if waited == nil {
			t.tryStoreOwed(ctx)
		}
	})
}

// tryStoreOwed is a job of its own that stores what is owed, and tries again later where that fails.
func (t *thread) tryStoreOwed(ctx context.Context) {
	err := t.storeOwed(ctx)
	if err == nil {
		return
	}
	t.log.forget()
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.k.unwritable = err
	t.storeOwedLater()
}

// storeOwed brings what is owed into the store, in the order in which it was said.
func (t *thread) storeOwed(ctx context.Context) error {
	c, k := &t.log, t.k
	for len(c.owed) > 0 {
		o := c.owed[0]
		err := t.storeAll(ctx, o.ex, o.upto, o.heard)
		if err != nil && !errors.Is(err, errLasting) {
			return err
		}
		t.recordFailure(err)
		k.mu.Lock()
		c.owed = c.owed[1:]
		o.ex.owed = false
		if k.owed -= len(o.ex.in.Body); o.ex.done && (o.ex.flushed || t.newest != o.ex) {
			o.ex.releaseBody()
		}
		if t.payWait = 0; len(c.owed) == 0 {
			delete(k.owing, t)
		}
		k.mu.Unlock()
	}
	if c.session == nil || len(c.aside) == 0 {
		return nil
	}
	err := c.session.AppendLatest(ctx, c.aside...)
	if err == nil {
		c.aside = nil
	}
	return err
}

// waiting is how many answers wait for the store. The caller holds the lock.
func (t *thread) waiting() int {
	all := map[*exchange]bool{}
	for _, o := range t.log.owed {
		if o.heard {
			all[o.ex] = true
		}
		for prev := o.ex.before; prev != nil; prev = prev.before {
			all[prev] = true
		}
	}
	return len(all)
}

// storeFailure is why the store lacks some of what was said; nil where it has all.
func (k *keeper) storeFailure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.owing) == 0 {
		return nil
	}
	return fmt.Errorf("the end of %s is lost: %w", number.Count(len(k.owing), "conversation"), k.unwritable)
}
