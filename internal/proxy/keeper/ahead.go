package keeper

import (
	"context"

	"tenfold/session"
)

// An Expected says whose conversation is likely to be gone on with: that of an agent, as
// package transcript calls it, in a directory.
type Expected struct{ Tool, Directory string }

// mostListed is how many conversations of the store are looked at to find it.
const mostListed = 100

// An ahead is a conversation that is read before the request is there that goes on with it.
type ahead struct {
	id      string
	read    chan struct{}    // closed when it is
	session *session.Session // nil where it could not be
}

// readAhead reads the newest conversation of whoever is expected while the client starts,
// and plans what is free if the vendor's cache is cold, so that the first request of a
// client that resumes it does not wait for that (X9). Nothing is written before it is there.
func (k *keeper) readAhead(ctx context.Context, of Expected) {
	ctx, stop := context.WithTimeout(ctx, jobTime)
	defer stop()
	svc, err := k.sessions(ctx)
	if err != nil {
		return // the first request tells
	}
	a := &ahead{read: make(chan struct{})}
	n := 0
	for c, err := range svc.List(ctx) {
		if n++; err != nil || n > mostListed {
			return
		}
		if c.Origin.Tool == of.Tool && c.Origin.Directory == of.Directory && c.Origin.Mark == "" { // not of a file
			a.id = c.ID
			break
		}
	}
	if a.id == "" {
		return
	}
	k.ahead.Store(a)
	defer close(a.read)
	defer func() {
		if p := recover(); p != nil {
			k.Fail(of.Tool, "start", "internal error: "+describe(p))
		}
	}()
	s, err := svc.Open(ctx, a.id)
	if err != nil {
		return
	}
	live, err := k.Configure(of.Directory, s.Projection().Config().Model)
	if err != nil {
		return
	}
	control := s.Control(live)
	if _, err := control.Resting(ctx); err == nil {
		control.ReadAhead()
		a.session = s
	}
}

// open opens a conversation, or gives the one that was read ahead, once.
func (k *keeper) open(ctx context.Context, svc *session.Service, id string) (*session.Session, error) {
	if a := k.ahead.Load(); a != nil && a.id == id && k.ahead.CompareAndSwap(a, nil) {
		select {
		case <-a.read:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if a.session != nil {
			return a.session, a.session.Refresh(ctx)
		}
	}
	return svc.Open(ctx, id)
}

// forgetAhead lets go of what was read ahead: the client began something else.
func (k *keeper) forgetAhead() {
	k.stop()
	k.ahead.Store(nil)
}
