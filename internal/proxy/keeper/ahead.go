package keeper

import (
	"context"
	"slices"
	"time"

	"tenfold/internal/pause"
	"tenfold/session"
	"tenfold/store"
)

// An Expected says which conversations are likely to be gone on with.
type Expected struct {
	// Tool and Directory are those of an agent, as package transcript calls it: its
	// conversations there are expected; without a Tool, all that went through a proxy.
	Tool, Directory string
	// Recent is how many of them are, those that were gone on with last; zero is one.
	Recent int
}

// Recent is how many a proxy may expect: people choose among the last few.
const Recent = 4

// Bounds of reading ahead.
const (
	// mostListed is how many conversations of the store are looked at to find what is
	// expected.
	mostListed = 100
	// mostAhead is how many tokens are read ahead, but the first conversation is however long it
	// is: as they are said about as many times four bytes, and half as much again is known of them.
	mostAhead = 2 << 20
	// aheadFor is how long what nobody goes on with is kept.
	aheadFor = time.Hour
	// yieldEvery is how often it is seen whether requests leave time.
	yieldEvery = 20 * time.Millisecond
)

// An ahead is a conversation that is read before the request is there that goes on with it.
type ahead struct {
	store.Conversation
	read    chan struct{}    // closed while nobody is at it
	session *session.Session // nil where it could not be read
	colds   time.Time        // when the vendor's cache gets cold; zero where it is, or never does
}

// finds tells whether a conversation is expected; one of a file never is.
func (e Expected) finds(c store.Conversation) bool {
	return c.Origin.Mark == "" && c.Origin.Key != "" && (e.Tool == "" || c.Origin.Tool == e.Tool && c.Origin.Directory == e.Directory)
}

// readAhead reads what is expected while no request has work to do, and plans what is free
// if the vendor's cache is cold, or as it gets cold, so that the first request of a client that
// goes on does not wait for that (X9). Nothing is written before it is there.
func (k *keeper) readAhead(ctx context.Context, of Expected) {
	defer func() {
		if p := recover(); p != nil {
			k.Fail(of.Tool, "start", "internal error: "+describe(p))
		}
	}()
	defer k.forgetAhead()
	all := k.readOnce(ctx, of)
	for end := k.Now().Add(aheadFor); ctx.Err() == nil; {
		var next *ahead
		for _, a := range all {
			if !a.colds.IsZero() && (next == nil || a.colds.Before(next.colds)) {
				next = a
			}
		}
		until := end
		if next != nil && next.colds.Before(end) {
			until = next.colds
		}
		if _ = pause.For(ctx, until.Sub(k.Now())); next == nil || !until.Before(end) {
			return
		}
		k.plansAhead(ctx, next)
	}
}

func (k *keeper) readOnce(ctx context.Context, of Expected) []*ahead {
	defer close(k.wasRead)
	all := k.expected(ctx, of)
	for _, a := range all {
		k.plansAhead(ctx, a)
	}
	return all
}

// expected finds what is expected, within the bounds.
func (k *keeper) expected(ctx context.Context, of Expected) (all []*ahead) {
	svc, err := k.sessions(ctx)
	if err != nil {
		return nil // the first request tells
	}
	tokens := 0
	newest, _ := svc.Page(ctx, nil, mostListed) // the first request tells here too
	for _, c := range newest {
		if len(all) >= max(of.Recent, 1) {
			break
		}
		if size := c.Stats.TokensBefore; of.finds(c) && (len(all) == 0 || tokens+size <= mostAhead) {
			all, tokens = append(all, &ahead{Conversation: c}), tokens+size
		}
	}
	return all
}

// plansAhead reads a conversation, unless it is open or was taken, and plans what is free.
func (k *keeper) plansAhead(ctx context.Context, a *ahead) {
	for k.hasWork() && ctx.Err() == nil {
		_ = pause.For(ctx, yieldEvery)
	}
	first := a.read == nil
	a.colds = time.Time{}
	k.mu.Lock()
	at := slices.Index(k.ahead, a)
	if open := slices.ContainsFunc(k.all, func(t *thread) bool { return t.shown.ID == a.ID }); open || !first && at < 0 || k.closed {
		k.mu.Unlock()
		return
	}
	if a.read = make(chan struct{}); first {
		k.ahead = append(k.ahead, a)
	}
	k.mu.Unlock()
	defer close(a.read)
	ctx, stop := context.WithTimeout(ctx, jobTime)
	defer stop()
	svc, err := k.sessions(ctx)
	if err == nil && first {
		a.session, err = svc.Open(ctx, a.ID)
	}
	if err != nil || a.session == nil {
		return
	}
	live, err := k.Configure(a.Origin.Directory, a.session.Projection().Config().Model)
	if err != nil {
		return
	}
	control := a.session.Control(live)
	if _, err := control.Resting(ctx); err != nil {
		a.session = nil
		return
	}
	control.ReadAhead()
	if cools := control.Pace().Cools(); cools > 0 && a.Updated.Add(cools).After(k.Now()) {
		a.colds = a.Updated.Add(cools)
	}
}

// hasWork tells whether some request has.
func (k *keeper) hasWork() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.all, func(t *thread) bool { return t.running })
}

// open opens a conversation, or gives the one that was read ahead, once.
func (k *keeper) open(ctx context.Context, svc *session.Service, id string) (*session.Session, error) {
	k.mu.Lock()
	at := slices.IndexFunc(k.ahead, func(a *ahead) bool { return a.ID == id })
	if at < 0 {
		k.mu.Unlock()
		return svc.Open(ctx, id)
	}
	a := k.ahead[at]
	read := a.read
	k.ahead = slices.Delete(k.ahead, at, at+1)
	k.mu.Unlock()
	select {
	case <-read:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k.Expect.Tool != "" {
		k.forgetAhead() // its client has told which one it goes on with
	}
	if a.session != nil {
		return a.session, a.session.Refresh(ctx)
	}
	return svc.Open(ctx, id)
}

// forgetAhead lets go of what was read ahead.
func (k *keeper) forgetAhead() {
	k.stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ahead = nil
}
