// Package watch is what the stores share of Watch: who waits for which log,
// and how a log is followed.
package watch

import (
	"context"
	"iter"
	"sync"
	"time"

	"tenfold"
)

// A Hub wakes those who wait for logs, named by keys of the store's choice.
// Its zero value is ready.
type Hub[K comparable] struct {
	mu      sync.Mutex
	waiting map[K]map[chan struct{}]struct{}
}

// join has the channel hear of a log until leave is called. The channel holds
// one word: that there may be news is all it says.
func (h *Hub[K]) join(key K) (news <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = map[K]map[chan struct{}]struct{}{}
	}
	if h.waiting[key] == nil {
		h.waiting[key] = map[chan struct{}]struct{}{}
	}
	h.waiting[key][c] = struct{}{}
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.waiting[key], c); len(h.waiting[key]) == 0 {
			delete(h.waiting, key)
		}
	}
}

// Wake tells those who wait for a log that it may have changed.
func (h *Hub[K]) Wake(key K) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.waiting[key] {
		tell(c)
	}
}

// WakeAll tells everybody.
func (h *Hub[K]) WakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, waiting := range h.waiting {
		for c := range waiting {
			tell(c)
		}
	}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has not heard the last word yet
	}
}

// Follow gives a log's entries with after < seq: read gives those there are,
// again whenever the hub tells, and, if poll is not 0, that long after the
// last. An error of read ends the sequence; the end of ctx does so without
// one.
func (h *Hub[K]) Follow(ctx context.Context, key K, after int64, poll time.Duration, read func(after int64) iter.Seq2[tenfold.Entry, error]) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		news, leave := h.join(key) // first: what comes while reading is told
		defer leave()
		var tick <-chan time.Time
		if poll > 0 {
			t := time.NewTicker(poll)
			defer t.Stop()
			tick = t.C
		}
		for last := max(after, 0); ctx.Err() == nil; {
			for e, err := range read(last) {
				if err != nil && ctx.Err() != nil {
					return
				}
				if !yield(e, err) || err != nil {
					return
				}
				last = e.Seq
				if ctx.Err() != nil {
					return
				}
			}
			select {
			case <-news:
			case <-tick:
			case <-ctx.Done():
			}
		}
	}
}
