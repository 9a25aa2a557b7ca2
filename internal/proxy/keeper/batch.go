package keeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tenfold"
)

// A batch is what a log lacks of a history.
type batch struct {
	entries []tenfold.Entry
	// fits is false where the log goes on in another way, after so many messages.
	fits     bool
	messages int
	at       int64 // the last entry that the log has of them
	grows    bool  // some of them are entries of these
	bills    []*exchange
}

// addUsage adds what an exchange cost, once. An answer that is not part of the history
// was paid all the same: its usage stands on a branch of its own, so that it says
// nothing of the size of what the history shows. So does that of a request during which
// the view became another one.
func (b *batch) addUsage(ex *exchange, part bool) {
	if ex == nil || slices.Contains(b.bills, ex) {
		return
	}
	ex.k.mu.Lock()
	defer ex.k.mu.Unlock()
	if ex.billed || !ex.done || !ex.response.Known {
		return
	}
	u := ex.response.Usage
	u.Model = cmp.Or(u.Model, ex.t.shown.Model)
	e := tenfold.Entry{Time: ex.ended.UTC(), Payload: u}
	if epoch, _ := ex.t.log.begun(); !part || epoch != ex.shown {
		e.Branch = asideBranch
	}
	b.entries, b.bills = append(b.entries, e), append(b.bills, ex)
}

// asideBranch is where answers are billed that the client did not take.
const asideBranch = "aside"

// missingEntries gives what the log lacks of messages of a request.
func (t *thread) missingEntries(ex *exchange, from, upto int) (batch, error) {
	c := &t.log
	b := batch{fits: true, at: c.story.at}
	is, prev, ahead := t.logged(), (*exchange)(nil), ex.unstoredBefore()
	for i := from; i < upto; i++ {
		pieces, err := t.wire(ex).pieces(ex.r, i)
		if err != nil {
			return b, fmt.Errorf("message %d: %w", i, err)
		}
		for len(ahead) > 0 && i >= ahead[0].length {
			b.addUsage(prev, true)
			prev, ahead = ahead[0], ahead[1:]
		}
		said, shown := ex.began, "" // of a client that went on without us
		if len(ahead) > 0 {
			said = ahead[0].began
		}
		if prev != nil && ex.r.Messages[i].Model {
			said, shown = prev.answered()
		} else {
			b.addUsage(prev, true)
		}
		if !b.grows {
			known, ok := c.story.follow(is, b.at, pieces)
			if !ok {
				b.fits, b.messages = false, i
				return b, nil
			}
			b.at = lastKnown(known, b.at)
			pieces = pieces[len(known):]
		}
		b.grows = b.grows || len(pieces) > 0
		for _, p := range pieces {
			e := p.Entry
			e.Time = t.timeOf(e, said, shown)
			for has(is, e.ID) { // what was taken back was said just so
				e.ID += "'"
			}
			b.entries = append(b.entries, e)
		}
	}
	b.addUsage(prev, true)
	for _, ex := range ahead {
		if upto > ex.length {
			b.addUsage(ex, true)
		}
	}
	return b, nil
}

// answered is when an answer ended, now where that is not heard yet, and in which epoch.
func (ex *exchange) answered() (at time.Time, shown string) {
	ex.k.mu.Lock()
	defer ex.k.mu.Unlock()
	if !ex.done {
		return ex.k.Now(), ex.shown
	}
	return ex.ended, ex.shown
}

// unstoredBefore are the exchanges before one that the log lacks, the oldest first.
func (ex *exchange) unstoredBefore() (out []*exchange) {
	for prev := ex.before; prev != nil; prev = prev.before {
		out = append(out, prev)
	}
	slices.Reverse(out)
	return out
}

func has(p *tenfold.Projection, id string) bool {
	_, ok := p.Log().Lookup(id)
	return ok
}

// storeUsage has the usage stored of an exchange that the history went on without, that
// ended late, or that was beside it. The caller holds the keeper's lock.
func (t *thread) storeUsage(ex *exchange) {
	t.enqueue(func(ctx context.Context) {
		c := &t.log
		b := batch{entries: ex.textEntries()}
		switch b.addUsage(ex, ex.confirmed); {
		case len(b.entries) == 0, c.session == nil && !ex.beside:
			return
		case c.session == nil: // the history is yet to be stored
			c.aside = append(c.aside, b.entries...)
			return
		}
		err := c.session.AppendLatest(ctx, b.entries...)
		if err == nil {
			t.noteUsageStored(b)
		} else {
			c.aside = append(c.aside, b.entries...)
			t.k.mu.Lock()
			for _, ex := range b.bills {
				ex.billed = true
			}
			t.k.unwritable = err
			t.storeOwedLater()
			t.k.mu.Unlock()
		}
		if !t.isGone(err) {
			t.recordFailure(err)
		}
		if ex.beside && t.k.Spare {
			c.releaseSession()
		}
	})
}

// noteUsageStored notes what was billed, how far the log goes, and whether somebody else began
// an epoch in between.
func (t *thread) noteUsageStored(b batch) {
	changed := t.log.control != nil && t.log.control.Epoch().ID != t.log.epoch
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	for _, ex := range b.bills {
		ex.billed = true
	}
	t.shown.ID, t.version = t.log.session.ID(), t.log.session.Log().Version()
	t.due = t.due || changed
}

// append writes a batch, with the configuration that its request has.
func (t *thread) append(ctx context.Context, ex *exchange, b batch) error {
	c := &t.log
	head, err := ex.in.Protocol.Head(ex.r)
	if err != nil {
		return lasting(fmt.Errorf("the head of the request: %w", err))
	}
	entries := slices.Concat(b.entries, c.aside)
	if c.session == nil {
		if len(b.entries) == 0 {
			return nil
		}
		err := t.create(ctx, ex, head, entries)
		if c.session != nil {
			c.aside = nil
		}
		return err
	}
	if d, changed := changedConfig(c.session.Projection().Config(), head); changed {
		entries = append([]tenfold.Entry{{Time: ex.began.UTC(), Payload: d}}, entries...)
	}
	if len(entries) == 0 {
		return nil
	}
	write := c.control.AppendAhead // the request that brings it may wait for a plan
	if t.k.Spare {
		write = c.session.Append
	}
	if err = write(ctx, entries...); err == nil {
		c.aside = nil
	}
	return err
}

// changedConfig is what of a configuration is another one.
func changedConfig(is tenfold.Config, head tenfold.ConfigDelta) (d tenfold.ConfigDelta, changed bool) {
	if head.Model != "" && head.Model != is.Model {
		d.Model, changed = head.Model, true
	}
	if head.System != nil && *head.System != is.System {
		d.System, changed = head.System, true
	}
	if head.Tools != nil && !slices.Equal(*head.Tools, is.Tools) {
		d.Tools, changed = head.Tools, true
	}
	return d, changed
}
