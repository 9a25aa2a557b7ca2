package tenant

import (
	"context"
	"sync"
	"time"
)

// mostCached bounds what a cache holds; past it the oldest go.
const mostCached = 10_000

// A cache keeps what was read for a while. One reads a key at a time.
type cache[K comparable, V any] struct {
	read  func(context.Context, K) (V, error)
	fresh time.Duration
	mu    *sync.Mutex
	held  map[K]*cached[V]
}

type cached[V any] struct {
	turn chan struct{} // has room for the one who reads
	// What follows is guarded by the cache's mutex.
	at    time.Time // zero before the first time
	value V
	// failed is when the last read that failed did, and err how.
	failed time.Time
	err    error
}

func newCache[K comparable, V any](fresh time.Duration, read func(context.Context, K) (V, error)) cache[K, V] {
	return cache[K, V]{read, fresh, new(sync.Mutex), map[K]*cached[V]{}}
}

// get gives a value that is fresh. Those who wait for a read that fails have its error:
// each would wait as long for a database that is away, one after the other.
func (c *cache[K, V]) get(ctx context.Context, key K) (V, error) {
	one, value, ok := c.look(key)
	if ok {
		return value, nil
	}
	came := time.Now()
	select {
	case one.turn <- struct{}{}:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { <-one.turn }()
	if _, value, ok := c.look(key); ok { // another read it meanwhile
		return value, nil
	}
	if err := c.failure(one, came); err != nil {
		return value, err
	}
	at := time.Now() // what is read is at least as new
	value, err := c.read(ctx, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		one.at, one.value = at, value
	case ctx.Err() == nil: // else it is the trouble of this caller alone
		one.failed, one.err = time.Now(), err
	}
	return value, err
}

// failure is how a read failed since.
func (c *cache[K, V]) failure(one *cached[V], since time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.failed.After(since) {
		return one.err
	}
	return nil
}

func (c *cache[K, V]) look(key K) (one *cached[V], value V, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one = c.held[key]; one == nil {
		if len(c.held) >= mostCached {
			c.shrink()
		}
		one = &cached[V]{turn: make(chan struct{}, 1)}
		c.held[key] = one
	}
	return one, one.value, !one.at.IsZero() && time.Since(one.at) < c.fresh
}

// shrink lets go of what is not fresh, and of everything where all is.
func (c *cache[K, V]) shrink() {
	for key, one := range c.held {
		if time.Since(one.at) >= c.fresh && len(one.turn) == 0 {
			delete(c.held, key)
		}
	}
	if len(c.held) >= mostCached {
		clear(c.held)
	}
}

// stale gives what was read last, however long ago.
func (c *cache[K, V]) stale(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.held[key]
	if one == nil || one.at.IsZero() {
		return value, false
	}
	return one.value, true
}

// known reports whether a key was read before.
func (c *cache[K, V]) known(key K) bool {
	_, ok := c.stale(key)
	return ok
}

// forget has a key be read again.
func (c *cache[K, V]) forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, key)
}
