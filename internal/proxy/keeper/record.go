package keeper

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
)

// A record is the conversation of a history in the store. The jobs of the history
// use it, and those of one that leaves it, under its lock.
type record struct {
	mu      sync.Mutex
	session *session.Session
	control *session.Controller
	model   string        // that control is for
	kept    time.Duration // and how long the client asks its cache to live
	story   story
	// looked is how many tokens the log had at the last look.
	looked int
	// epoch is the one that the frozen prefix was drawn for, drawn that it was.
	epoch  string
	sketch *sketch // of the epoch that the next request begins; nil for none
	early  *early  // of the epoch that a request begins which waits; nil for none
	// rests is the conversation that is only in the store, until the next job.
	rests string
	once  *once           // what was read of the messages; nil for nothing
	aside []tenfold.Entry // what is beside the history, until that is in the store
	owed  []owing         // what the store could not take, the oldest first
	full  bool            // no more could be kept of it
}

// forget drops what is known of the store, so that it is read anew.
func (c *record) forget() {
	c.session, c.control, c.story, c.rests, c.once = nil, nil, story{}, "", nil
}

// releaseSession lets go of what a session keeps of its texts. What the log says of the history
// stays known, and whoever opens it again decides alike.
func (c *record) releaseSession() {
	if c.session != nil {
		c.rests = c.session.ID()
		c.session, c.control, c.sketch, c.once = nil, nil, nil, nil
	}
}

// reopen opens the conversation of a history that rests.
func (t *thread) reopen(ctx context.Context) error {
	id := t.log.rests
	if id == "" {
		return nil
	}
	svc, err := t.k.sessions(ctx)
	if err == nil {
		t.log.session, err = svc.Open(ctx, id)
	}
	if errors.Is(err, store.ErrNotFound) { // removed
		t.log.forget()
		return nil
	}
	if err == nil {
		looked := t.log.looked
		t.log.rests = ""
		err = t.configure()
		t.log.looked = looked
	}
	if err != nil {
		t.log.forget()
	}
	return err
}

// isGone tells that a job failed because somebody removed the conversation: its history is yet to
// be made then.
func (t *thread) isGone(err error) bool {
	gone := errors.Is(err, store.ErrNotFound) && t.log.session != nil
	if gone {
		t.log.forget()
	}
	return gone
}

// raceTries is how often what another process preempts is tried again.
const raceTries = 20

// mostMisheard is how often a client may send an answer back otherwise than it was
// heard, before nothing is stored any more that it has not sent back: each time the
// history leaves the log.
const mostMisheard = 2

// store brings the log up to so many messages of a request. What it has and the
// request does not leaves the history: that goes on in a copy, and the log stays
// as it is. Jobs call it.
func (t *thread) store(ctx context.Context, ex *exchange, upto int) error {
	err := t.storeOwed(ctx)
	if err == nil {
		err = t.storeAll(ctx, ex, upto, false)
	}
	if err != nil {
		t.log.forget()
		t.deferStore(err, owing{ex: ex, upto: min(upto, settled(ex.r.Messages))})
	}
	return err
}

// storeOnly does the same before something is compacted: what the log has behind the
// messages, such as an answer that the client lost, is not part of what the model is
// to see.
func (t *thread) storeOnly(ctx context.Context, ex *exchange, upto int) error {
	err := t.store(ctx, ex, upto)
	c := &t.log
	if err == nil && len(c.story.chains) > upto {
		c.story.cut(upto)
	}
	if err != nil || c.session == nil || isAtEnd(c.session.Projection(), c.story.at) {
		return err
	}
	if err := t.goBack(ctx, ex, upto); err != nil {
		return err
	}
	return t.store(ctx, ex, upto)
}

// storeHeard brings the log up to the answer of an exchange.
func (t *thread) storeHeard(ctx context.Context, ex *exchange) error {
	err := t.storeOwed(ctx)
	if err == nil {
		err = t.storeAll(ctx, ex, ex.length, true)
	}
	if err != nil {
		t.log.forget()
		t.deferStore(err, owing{ex, ex.length, true})
	}
	return err
}

// heardOf is what was answered to a request, as it is stored.
func (t *thread) heardOf(ex *exchange) []tenfold.Entry {
	t.k.mu.Lock()
	heard, shown := slices.Clone(ex.response.Entries), ex.shown
	if t.misheard > mostMisheard {
		heard = nil
	}
	t.k.mu.Unlock()
	chain := ex.r.Messages[ex.length-1].Chain
	for i := range heard {
		heard[i].ID = fmt.Sprintf("%s-%x-%d", hex.EncodeToString(chain[:8]), ex.ended.UnixNano(), i)
		heard[i].Time = t.timeOf(heard[i], ex.ended, shown)
	}
	return heard
}

func (t *thread) storeAll(ctx context.Context, ex *exchange, upto int, ends bool) error {
	for try := 1; ; try++ {
		err := t.tryStore(ctx, ex, upto, ends)
		if errors.Is(err, errForgotten) {
			return t.setAside(ctx, ex, upto)
		}
		if try < raceTries && t.isGone(err) {
			continue
		}
		if err == nil || try == raceTries || ctx.Err() != nil || !errors.As(err, new(*store.ConflictError)) && !errors.Is(err, errLeft) {
			return err
		}
		if t.log.session != nil && !errors.Is(err, errLeft) {
			if err := t.log.session.Refresh(ctx); err != nil {
				return err
			}
		}
	}
}

func (t *thread) tryStore(ctx context.Context, ex *exchange, upto int, ends bool) error {
	c := &t.log
	if c.session == nil {
		if err := t.open(ctx, ex, upto); err != nil {
			return err
		}
	}
	if t.isTakenBack() { // what is appended would stand behind what another history says
		if err := t.copyOf(ctx, c.session, c.story.at); err != nil {
			return err
		}
		return errLeft
	}
	same := c.story.common(ex.r, upto)
	if same < len(c.story.chains) && same < upto {
		c.story.cut(same) // the log may tell the same all the same
	}
	batch, err := t.missingEntries(ex, same, upto)
	if err != nil {
		return lasting(err)
	}
	if !batch.fits {
		if batch.messages == same {
			t.misheard++
		}
		return t.dropLogTail(ctx, ex, batch.messages, upto)
	}
	var heard []tenfold.Entry
	if ends && len(c.story.chains) <= ex.length { // else the client has sent it back
		heard = t.heardOf(ex)
	}
	if heard != nil && !batch.grows && !isAtEnd(t.logged(), batch.at) {
		known, ok := c.story.follow(t.logged(), batch.at, asPieces(heard))
		if !ok {
			return t.dropLogTail(ctx, ex, upto, upto)
		}
		heard = heard[len(known):]
	}
	batch.entries = append(batch.entries, heard...)
	if ends {
		batch.addUsage(ex, len(heard) > 0)
	}
	if err := t.append(ctx, ex, batch); err != nil || c.session == nil {
		return err
	}
	t.noteUsageStored(batch)
	return t.found(ex, upto)
}

func asPieces(entries []tenfold.Entry) []wire.Piece {
	out := make([]wire.Piece, len(entries))
	for i, e := range entries {
		out[i].Entry = tenfold.Entry{Payload: e.Payload}
	}
	return out
}

func (t *thread) logged() *tenfold.Projection {
	if t.log.session == nil {
		return tenfold.Project(tenfold.NewLog())
	}
	return t.log.session.Projection()
}

// found notes which entries the messages are.
func (t *thread) found(ex *exchange, upto int) error {
	c := &t.log
	p := c.session.Projection()
	for i := len(c.story.chains); i < upto; i++ {
		pieces, err := t.wire(ex).pieces(ex.r, i)
		if err != nil {
			return err
		}
		known, ok := c.story.follow(p, c.story.at, pieces)
		if !ok || len(known) < len(pieces) {
			return lasting(fmt.Errorf("message %d is not in the log as it was stored", i))
		}
		c.story.chains = append(c.story.chains, ex.r.Messages[i].Chain)
		c.story.seqs = append(c.story.seqs, known)
		t.wire(ex).logged(i, p.Log(), known)
		c.story.at = lastKnown(known, c.story.at)
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ex.before != nil && upto > ex.before.length {
		ex.before = nil
	}
	return nil
}
