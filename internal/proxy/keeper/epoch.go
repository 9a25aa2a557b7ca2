package keeper

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"tenfold/provider"
	"tenfold/session"
	"tenfold/trigger"
)

// settle brings the log up to a request, and has the controller do what is due
// before it is sent: with the frozen prefix that follows the request goes.
func (t *thread) settle(ctx context.Context, ex *exchange) {
	err := t.storeOnly(ctx, ex, ex.length)
	if err == nil {
		err = t.ready(ctx)
	}
	if err == nil && !t.passes() {
		_, err = t.log.control.Settle(ctx)
	}
	if err == nil {
		err = t.redraw(ctx, ex)
	}
	if err != nil {
		t.noted(err)
		return
	}
	t.heed(session.Decision{}, true)
}

// ready takes in what others wrote, and the configuration of the model.
func (t *thread) ready(ctx context.Context) error {
	if t.log.session == nil {
		return errors.New("nothing of the history is in the store")
	}
	t.log.read = t.k.Now()
	if err := t.log.session.Refresh(ctx); err != nil {
		return err
	}
	return t.configure()
}

func (t *thread) passes() bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return t.passing != ""
}

// redraw makes the frozen prefix anew where the epoch is another one.
func (t *thread) redraw(_ context.Context, ex *exchange) error {
	c := &t.log
	epoch := c.control.Epoch()
	t.k.mu.Lock()
	was := t.frozen
	t.k.mu.Unlock()
	f := was
	if epoch.ID != c.epoch || was != nil && (was.epoch != epoch.ID || !was.holds(ex.r)) {
		if c.epoch = epoch.ID; epoch.ID != "" || was != nil {
			var err error
			if f, err = t.drawn(ex); err != nil {
				t.pass("a compaction could not be put into the request: " + err.Error())
				return err
			}
		}
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.synced = c.synced()
	switch {
	case f == was:
	case f != nil && was != nil && f.chain == was.chain && bytes.Equal(f.bytes, was.bytes):
		was.epoch = epoch.ID // of a copy, or a change of what is behind it
	default:
		t.frozen = f
		t.used, t.usedAt = 0, 0 // of another prefix
		if f != nil {
			f.epoch = epoch.ID
			t.shown.Epochs++
		}
	}
	return nil
}

// synced is the time at which the log had the epoch that it has here: when it was last
// read, or when we began it ourselves.
func (c *record) synced() time.Time {
	if e, ok := c.session.Log().Entry(c.control.Epoch().Seq); ok && e.Time.After(c.read) {
		return e.Time
	}
	return c.read
}

// drawn gives the prefix that shows the view as it is.
func (t *thread) drawn(ex *exchange) (f *frozen, err error) {
	c := &t.log
	p := c.session.Projection()
	if b := c.story.base; b != nil {
		if c.story.now, err = viewText(p, b.seq); err != nil {
			return nil, err
		}
	}
	return draw(ex.in.Protocol, ex.r, p, &c.story)
}

// lookEvery is how many tokens a log grows between two looks at it.
const lookEvery = 2000

// look asks the controller, beside the requests, whether one that follows has to
// wait for a compaction.
func (t *thread) look(ctx context.Context) {
	c := &t.log
	if c.session == nil || t.passes() {
		return
	}
	n := c.session.Log().Tokens()
	if c.looked > 0 && n-c.looked < lookEvery {
		return
	}
	if err := t.configure(); err != nil {
		t.noted(err)
		return
	}
	c.looked = max(n, 1)
	d, err := c.control.Next(ctx)
	if err != nil {
		t.noted(err)
		return
	}
	t.heed(d, false)
	c.control.ReadAhead() // or the request would take that time at which an epoch begins (X9)
}

// heed takes note of what a look at the log said. What is settled is not due.
func (t *thread) heed(d session.Decision, settled bool) {
	c := &t.log
	rule, _ := provider.CacheRuleOf(c.session.Projection().Config().Model)
	limit, lifetime := math.MaxInt, max(cmp.Or(c.live.Micro.ColdAfter, rule.Lifetime), c.live.Lifetime)
	if c.live.Auto.Enabled {
		if limit = int(tight * float64(c.control.Window())); !c.control.Undone() {
			limit = limitOf(c.control.Trigger(), c.control.Window())
		}
	}
	epoch := c.control.Epoch().ID
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.limit, t.lifetime, t.least = limit, lifetime, rule.Least
	t.version = c.session.Log().Version()
	t.due = !settled && (t.due || d.Action == session.Compact || epoch != c.epoch)
}

// limitOf is how many tokens of a window may be used before something can be due.
func limitOf(t trigger.Trigger, window int) int {
	if t == nil {
		t = trigger.Context(trigger.DefaultContext)
	}
	return min(trigger.Limit(t, window), int(tight*float64(window)))
}

// tight is the share of the window from which on a request may not fit with its
// answer (A2).
const tight = 0.95

// giveUp takes back the compactions of a history that is to go through as it comes
// from now on. What the model thought since is bound to what it was shown, so that
// the originals go without that (B1): the log tells.
func (t *thread) giveUp(ctx context.Context, ex *exchange, why string) {
	t.pass(why)
	if err := t.ready(ctx); err != nil {
		t.noted(err)
		return
	}
	if _, err := t.log.session.UndoAll(ctx); err != nil && !errors.Is(err, session.ErrNothingToUndo) {
		t.noted(err)
		return
	}
	if ex != nil {
		t.noted(t.redraw(ctx, ex))
	}
	t.heed(session.Decision{}, ex != nil)
}

// compactNow compacts because the vendor says that the context is too long.
func (t *thread) compactNow(ctx context.Context, ex *exchange) {
	err := t.storeOnly(ctx, ex, ex.length)
	if err == nil {
		err = t.ready(ctx)
	}
	var d session.Decision
	if err == nil {
		d, err = t.log.control.Ask(ctx, session.Wish{By: session.ByClient, Reason: "the vendor says that the context is too long"})
	}
	if err == nil {
		if d, err = t.log.control.Run(ctx, d); err == nil {
			err = t.redraw(ctx, ex)
		}
	}
	if err == nil && d.Action != session.Compacted {
		err = errors.New("the context is too long for the vendor: " + d.Reason)
	}
	t.noted(err)
}
