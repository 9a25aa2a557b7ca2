package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/token"

	"tenfold/internal/web/look"
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

// sessions are the conversations that are opened, each for one goroutine at a time.
type sessions struct {
	service *session.Service
	*shelf
	open map[string]*opened // guarded by the mutex of the shelf
}

// A shelf bounds what is opened of several stores together.
type shelf struct {
	mu   sync.Mutex
	all  map[*sessions]struct{}
	used int64 // counts uses, so that the one used longest ago is known
}

func newShelf() *shelf { return &shelf{all: map[*sessions]struct{}{}} }

// of gives the sessions of a store; close them when they are not needed any more.
func (b *shelf) of(service *session.Service) *sessions {
	s := &sessions{service: service, shelf: b, open: map[string]*opened{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[s] = struct{}{}
	return s
}

// close forgets all that is open.
func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, s)
	clear(s.open) // timers still know of s
}

// opened is a conversation in memory. What stands below lock is only touched by
// who holds it: it has room for one.
type opened struct {
	lock chan struct{}
	// users and used are guarded by the mutex of sessions; size too.
	users int
	used  int64
	size  int64
	idle  *time.Timer // forgets it

	session *session.Session // nil before the first use, and after trouble
	row     store.Conversation
	// What follows is kept up with the log of the session, each by what reads it.
	calibration token.Calibration
	epochs      look.Epochs
	columns     look.Columns
	views       map[string]*tenfold.Projection // of branches
	judged      map[string]judgement           // by provider
	// control is kept, for it reads no more than what is new (status.go).
	control *session.Controller
}

// with runs f on a conversation at its newest version.
func (s *sessions) with(ctx context.Context, id string, f func(*opened) error) error {
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
		o.session = nil
		return err
	}
	return f(o)
}

// refresh reads what is new. A conversation that was deleted and made again is
// another one.
func (o *opened) refresh(ctx context.Context, service *session.Service, row store.Conversation) error {
	if o.session != nil && (row.Version < o.session.Log().Version() || !row.Created.Equal(o.row.Created)) {
		// It may also be that this row was read before another request appended.
		again, err := service.Find(ctx, row.ID)
		if err != nil {
			return err
		}
		if row = again; row.Version < o.session.Log().Version() || !row.Created.Equal(o.row.Created) {
			o.session = nil
		}
	}
	if o.session != nil && row.Version > o.session.Log().Version() {
		err := o.catchUp(ctx)
		if errors.Is(err, session.ErrReplaced) {
			o.session = nil
		} else if err != nil {
			return err
		}
	}
	if o.session == nil {
		opened, err := service.Open(ctx, row.ID)
		if err != nil {
			return err
		}
		o.session, o.control = opened, nil
		o.calibration, o.epochs, o.columns, o.views = token.Calibration{}, look.Epochs{}, look.Columns{}, nil
		o.judged = nil
	}
	o.row = row
	return nil
}

// catchUp reads what others appended.
func (o *opened) catchUp(ctx context.Context) error {
	before := o.session.Log().Version()
	if err := o.session.Refresh(ctx); err != nil {
		return err
	}
	for e := range o.session.Log().After(before) {
		if _, ok := e.Payload.(tenfold.ConfigDelta); ok {
			o.control = nil // settings of the conversation may be other ones
		}
	}
	return nil
}

func (s *sessions) acquire(id string) *opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[id]
	if o == nil {
		o = &opened{lock: make(chan struct{}, 1)}
		s.open[id] = o
	}
	o.users++
	s.used++
	o.used = s.used
	return o
}

// release gives one back, and lets go of those used longest ago where there are too
// many.
func (s *sessions) release(id string, o *opened) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.users--; o.users == 0 {
		if o.session == nil {
			delete(s.open, id)
		} else {
			o.size = o.session.Log().Version()
			if o.idle == nil {
				o.idle = time.AfterFunc(longestIdle, func() { s.forgetUnused(id) })
			} else {
				o.idle.Reset(longestIdle)
			}
		}
	}
	for {
		of, oldest, many, entries, longest := s, "", 0, int64(0), int64(0)
		for other := range s.all {
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

// forgetUnused forgets a conversation that nobody uses.
func (s *sessions) forgetUnused(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.open[id]; o != nil && o.users == 0 {
		delete(s.open, id)
	}
}
