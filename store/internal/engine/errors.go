package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"tenfold/store"
)

// NoRoom begins the hint against an error that is [store.ErrFull].
const NoRoom = "free some disk space"

// Errors says of an error what was tried, where, and what may help.
type Errors struct {
	// Place is where the store is.
	Place string
	// Hint says what to try, if anything. It may be nil.
	Hint func(error) string
}

// Explain is for what concerns the whole store.
func (e Errors) Explain(op string, err error) error {
	if err == nil {
		return nil
	}
	failed := &store.FailedError{Op: op, Place: e.Place, Err: err}
	if e.Hint != nil {
		failed.Hint = e.Hint(err)
		failed.Full = strings.HasPrefix(failed.Hint, NoRoom)
	}
	return failed
}

// ExplainFor is for what concerns one conversation. The errors a caller can
// act on need no more than its id.
func (e Errors) ExplainFor(op, id string, err error) error {
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return err
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrExists):
		return fmt.Errorf("%s conversation %s: %w", op, id, err)
	}
	return e.Explain(op+" conversation "+id, err)
}

// An EntryError says which entry of a log cannot be read.
type EntryError struct {
	Seq int64
	Err error
}

// Error implements error.
func (e *EntryError) Error() string { return fmt.Sprintf("entry %d: %v", e.Seq, e.Err) }

// Unwrap gives why.
func (e *EntryError) Unwrap() error { return e.Err }

// A Gate keeps callers out of a store that is closed. Its zero value is open.
type Gate struct {
	mu     sync.RWMutex // held for reading by those inside
	closed bool
}

// Enter keeps Close waiting until Leave is called. Where Close waits already,
// for callers that came before, this one does not wait with it.
func (g *Gate) Enter() error {
	if !g.mu.TryRLock() {
		return store.ErrClosed
	}
	if g.closed {
		g.mu.RUnlock()
		return store.ErrClosed
	}
	return nil
}

// Leave ends what Enter began.
func (g *Gate) Leave() { g.mu.RUnlock() }

// Close waits until nobody is inside, and lets nobody in any more. It reports
// whether it is the first to do so.
func (g *Gate) Close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := !g.closed
	g.closed = true
	return first
}
