package held

import (
	"context"
	"errors"
	"sync"
	"time"

	"tenfold"
	"tenfold/internal/web/look"
	"tenfold/session"
	"tenfold/store"
	"tenfold/token"
)

// How much is kept open: so many conversations, and so many entries in all of them
// together but the longest, at about a kilobyte each. Those used last stay. One that is
// longer than all of that would else be read whole for each request. What nobody asks
// for is let go after a while: it may have been deleted, by whichever program.
const (
	mostOpen    = 64
	mostEntries = 500_000
	longestIdle = 10 * time.Minute
)

// Sessions are the conversations of one store that are opened, each for one goroutine at a time.
type Sessions struct {
	service *session.Service
	shelf   *Shelf
	open    map[string]*Conversation // guarded by the mutex of the shelf
}

// A Shelf bounds what is opened of several stores together.
type Shelf struct {
	mu   sync.Mutex
	all  map[*Sessions]struct{}
	used int64 // counts uses, so that the one used longest ago is known
}

// NewShelf makes an empty shelf.
func NewShelf() *Shelf { return &Shelf{all: map[*Sessions]struct{}{}} }

// Of gives the sessions of a store; close them when they are not needed any more.
func (b *Shelf) Of(service *session.Service) *Sessions {
	s := &Sessions{service: service, shelf: b, open: map[string]*Conversation{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[s] = struct{}{}
	return s
}

// Close forgets all that is open.
func (s *Sessions) Close() {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	delete(s.shelf.all, s)
	clear(s.open) // timers still know of s
}

// A Conversation is one in memory. What stands below lock is only touched by
// who holds it: it has room for one.
type Conversation struct {
	lock chan struct{}
	// users and used are guarded by the mutex of the shelf; size too.
	users int
	used  int64
	size  int64
	idle  *time.Timer // forgets it

	Session *session.Session // nil before the first use, and after trouble
	Row     store.Conversation
	// What follows is kept up with the log of the session, each by what reads it.
	calibration token.Calibration
	Epochs      look.Epochs
	Columns     look.Columns
	views       map[string]*tenfold.Projection // of branches
	Judged      map[string]look.Judgement      // by provider
	// Control is kept, for it reads no more than what is new (status.go).
	Control *session.Controller
}

// With runs f on a conversation at its newest version. The id may be shortened.
func (s *Sessions) With(ctx context.Context, id string, f func(*Conversation) error) error {
	row, err := s.service.Find(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		s.forgetUnused(id)
	}
	if err != nil {
		return err
	}
	o := s.acquire(row.ID)
	defer func() { s.release(row.ID, o) }()
	select {
	case o.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-o.lock }()
	if err := o.refresh(ctx, s.service, row); err != nil {
		o.Session = nil
		return err
	}
	return f(o)
}

// refresh reads what is new. A conversation that was deleted and made again is
// another one.
func (o *Conversation) refresh(ctx context.Context, service *session.Service, row store.Conversation) error {
	if o.Session != nil && (row.Version < o.Session.Log().Version() || !row.Created.Equal(o.Row.Created)) {
		// It may also be that this row was read before another request appended.
		again, err := service.Find(ctx, row.ID)
		if err != nil {
			return err
		}
		if row = again; row.Version < o.Session.Log().Version() || !row.Created.Equal(o.Row.Created) {
			o.Session = nil
		}
	}
	if o.Session != nil && row.Version > o.Session.Log().Version() {
		err := o.catchUp(ctx)
		if errors.Is(err, session.ErrReplaced) {
			o.Session = nil
		} else if err != nil {
			return err
		}
	}
	if o.Session == nil {
		opened, err := service.Open(ctx, row.ID)
		if err != nil {
			return err
		}
		o.Session, o.Control = opened, nil
		o.calibration, o.Epochs, o.Columns, o.views = token.Calibration{}, look.Epochs{}, look.Columns{}, nil
		o.Judged = nil
	}
	o.Row = row
	return nil
}

// catchUp reads what others appended.
func (o *Conversation) catchUp(ctx context.Context) error {
	before := o.Session.Log().Version()
	if err := o.Session.Refresh(ctx); err != nil {
		return err
	}
	for e := range o.Session.Log().After(before) {
		if _, ok := e.Payload.(tenfold.ConfigDelta); ok {
			o.Control = nil // settings of the conversation may be other ones
		}
	}
	return nil
}

func (s *Sessions) acquire(id string) *Conversation {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	o := s.open[id]
	if o == nil {
		o = &Conversation{lock: make(chan struct{}, 1)}
		s.open[id] = o
	}
	o.users++
	s.shelf.used++
	o.used = s.shelf.used
	return o
}

// release gives one back, and lets go of those used longest ago where there are too
// many.
func (s *Sessions) release(id string, o *Conversation) {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	if o.users--; o.users == 0 {
		if o.Session == nil {
			delete(s.open, id)
		} else {
			o.size = o.Session.Log().Version()
			if o.idle == nil {
				o.idle = time.AfterFunc(longestIdle, func() { s.forgetUnused(id) })
			} else {
				o.idle.Reset(longestIdle)
			}
		}
	}
	for {
		of, oldest, many, entries, longest := s, "", 0, int64(0), int64(0)
		for other := range s.shelf.all {
			many += len(other.open)
			for id, o := range other.open {
				entries, longest = entries+o.size, max(longest, o.size)
				if o.users == 0 && (oldest == "" || o.used < of.open[oldest].used) {
					of, oldest = other, id
				}
			}
		}
		if oldest == "" || (many <= mostOpen && entries-longest <= mostEntries) {
			return
		}
		delete(of.open, oldest)
	}
}

// Holds reports whether a conversation is in memory, and nobody works on it.
func (s *Sessions) Holds(id string) bool {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	o := s.open[id]
	return o != nil && o.users == 0
}

// forgetUnused forgets a conversation that nobody uses.
func (s *Sessions) forgetUnused(id string) {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	if o := s.open[id]; o != nil && o.users == 0 {
		delete(s.open, id)
	}
}
