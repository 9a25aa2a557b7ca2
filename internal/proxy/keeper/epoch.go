package keeper

import (
	"bytes"
	"context"
	"errors"
	"time"

	"tenfold"
	"tenfold/internal/telemetry"
	"tenfold/provider"
	"tenfold/session"
)

// settle brings the log up to a request, and has the controller do what is due
// before it is sent: with the frozen prefix that follows the request goes.
func (t *thread) settle(ctx context.Context, ex *exchange) {
	err := t.trySettle(ctx, ex)
	for try := 1; errors.Is(err, errLeft) && try < raceTries; try++ { // another history took the log over in between
		err = t.trySettle(ctx, ex)
	}
	if err != nil {
		t.recordFailure(err)
		return
	}
	t.noteDecision(session.Decision{}, true)
}

func (t *thread) trySettle(ctx context.Context, ex *exchange) error {
	defer func() { t.log.early = nil }()
	err := t.storeOnly(ctx, ex, ex.length)
	if err == nil {
		err = t.ready(ctx)
	}
	if err == nil && t.urgent(ex) {
		_, err = t.log.control.SettleUrgentAlong(ctx, func(view *tenfold.Projection) { t.drawAlong(ex, view) })
	}
	if err == nil {
		_, err = t.redraw(ex, false)
	}
	return err
}

// settleBeside has the controller do what is due by a request while the model answers
// it: the request that follows begins the epoch.
func (t *thread) settleBeside(ctx context.Context, ex *exchange) {
	if !t.newestIs(ex) {
		return // which has it done itself
	}
	if err := t.storeOnly(ctx, ex, ex.length); err != nil {
		t.recordFailure(err)
		return
	}
	t.settleAhead(ctx, ex, false)
}

// settleAtRest has the controller do what is due while nobody waits, as the person reads
// the answer. The request that follows begins the epoch as any other goes on (X9).
func (t *thread) settleAtRest(ctx context.Context, ex *exchange) {
	if t.newestIs(ex) {
		t.settleAhead(ctx, ex, true)
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.settling = false
}

// settleAhead does it. What the model thinks is bound to what it was shown (B1): where
// it thought, or is still at it, the request that brings the answer back is needed
// to show the view, and all but the answer is drawn for it.
func (t *thread) settleAhead(ctx context.Context, ex *exchange, answered bool) session.Decision {
	d := session.Decision{Action: session.Wait}
	if t.log.session == nil {
		return d
	}
	err := t.ready(ctx)
	if err == nil {
		settle := t.log.control.SettleBeside
		if answered {
			settle = t.log.control.SettleAhead
		}
		d, err = settle(ctx)
	}
	shown := false
	switch {
	case err != nil || d.Action == session.Wait:
	case ex.r == nil, len(t.log.story.chains) > ex.length: // the request that follows draws it
	case answered && !ex.thinks():
		shown, err = t.redraw(ex, true)
	case t.log.control.Epoch().ID != t.log.epoch:
		err = t.prepare(ex)
	}
	if err != nil {
		if !errors.Is(err, errLeft) { // else the request that follows finds its own
			t.recordFailure(err)
		}
		return session.Decision{Action: session.Wait}
	}
	t.noteDecision(d, shown)
	return d
}

// newestIs tells whether a request is the newest of a history that is edited.
func (t *thread) newestIs(ex *exchange) bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return t.passing == "" && t.newest == ex && !ex.began.Before(t.rest)
}

// ready takes in what others wrote, and the configuration of the model.
func (t *thread) ready(ctx context.Context) error {
	c := &t.log
	if c.session != nil {
		if err := c.session.Refresh(ctx); t.isGone(err) {
			return errForgotten
		} else if err != nil {
			return err
		}
		if t.isTakenBack() {
			if err := t.copyOf(ctx, c.session, c.story.at); err != nil {
				return err
			}
		}
	}
	if c.session == nil {
		return errors.New("nothing of the history is in the store")
	}
	return t.configure()
}

// urgent tells whether something may be due that a request cannot go without, or that is
// free by now and was not done before it came.
func (t *thread) urgent(ex *exchange) bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return t.passing == "" && (!t.cooled || t.pace.Waits(t.estimate(ex), t.added(ex), 0))
}

func (t *thread) passesThrough() bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return t.passing != ""
}

// redraw makes the frozen prefix anew where the epoch is another one. At rest it does
// so for the request that follows, unless that has come: then it does not know what
// this one tells, and reports false.
func (t *thread) redraw(ex *exchange, atRest bool) (shown bool, err error) {
	c := &t.log
	if t.isTakenBack() { // a moment ago: what the log shows is another history
		return false, errLeft
	}
	epoch := c.control.Epoch()
	t.k.mu.Lock()
	was := t.frozen
	t.k.mu.Unlock()
	f := was
	if epoch.ID != c.epoch || epoch.ID == "" && was == nil || was != nil && (was.epoch != epoch.ID || !was.holds(ex.r)) {
		if epoch.ID != "" || was != nil || len(staleReasoning(c.session.Log())) > 0 {
			if f, err = t.drawn(ex); err != nil {
				t.passThrough("a compaction could not be put into the request: " + err.Error())
				return false, err
			}
		}
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if atRest && t.newest != ex {
		return false, nil
	}
	c.epoch, c.sketch = epoch.ID, nil
	t.epoch = epoch.ID
	switch {
	case f == was:
	case f != nil && was != nil && f.chain == was.chain && bytes.Equal(f.bytes, was.bytes):
		was.epoch = epoch.ID // of a copy, or a change of what is behind it
	default:
		t.frozen = f
		t.used, t.usedAt = 0, 0 // of another prefix
		switch {
		case f != nil:
			f.epoch = epoch.ID
		case was != nil && was.begun: // the view is what the client says itself
			t.shown.Epochs++
			telemetry.EpochBegan()
		}
	}
	return true, nil
}

// begun is the epoch that the log has, and when it began; zero before the first.
func (c *record) begun() (epoch string, at time.Time) {
	if c.control == nil {
		return "", time.Time{}
	}
	begun := c.control.Epoch()
	e, _ := c.session.Log().Entry(begun.Seq)
	return begun.ID, e.Time
}

// drawn gives the prefix that shows the view as it is.
func (t *thread) drawn(ex *exchange) (f *frozen, err error) {
	c := &t.log
	if e := c.early; e != nil && e.shows(c.session.Log()) {
		return e.frozen, nil
	}
	p := c.session.Projection()
	if err := c.story.refresh(p); err != nil {
		return nil, err
	}
	d, err := c.story.drawing(t.wire(ex), ex.r, p, c.sketch.of(c.control.Epoch().ID, ex.r, &c.story))
	if err != nil {
		return nil, err
	}
	return d.frozen()
}

// An early is a prefix that was drawn while the store wrote what it shows, up to an entry.
type early struct {
	*frozen
	last tenfold.Entry
}

// shows tells whether a log is the one that it was drawn for.
func (e *early) shows(l *tenfold.Log) bool {
	is, _ := l.Entry(l.Version())
	return is.Seq == e.last.Seq && is.ID == e.last.ID
}

// drawAlong draws the prefix for a view that is being stored. What fails is tried again when
// that is done, and told then.
func (t *thread) drawAlong(ex *exchange, view *tenfold.Projection) {
	defer func() { _ = recover() }()
	c := &t.log
	if c.early = nil; c.story.refresh(view) != nil {
		return
	}
	d, err := c.story.drawing(t.wire(ex), ex.r, view, nil)
	if err != nil {
		return
	}
	if f, err := d.frozen(); err == nil {
		last, _ := view.Log().Entry(view.Version())
		c.early = &early{f, last}
	}
}

// prepare draws what is known of the prefix for the request that follows.
func (t *thread) prepare(ex *exchange) error {
	c := &t.log
	p := c.session.Projection()
	if err := c.story.refresh(p); err != nil {
		return err
	}
	d, err := c.story.drawing(t.wire(ex), ex.r, p, nil)
	if err != nil {
		return err
	}
	c.sketch, err = d.sketch(c.control.Epoch().ID)
	return err
}

// refresh takes over the text of a story's base as a view has it by now.
func (s *story) refresh(p *tenfold.Projection) (err error) {
	if s.base != nil {
		s.now, err = viewText(p, s.base.seq)
	}
	return err
}

// askController asks the controller, beside the requests, whether something is due that nobody
// has to wait for.
func (t *thread) askController(ctx context.Context) (due bool) {
	c := &t.log
	if c.session == nil || t.passesThrough() {
		return false
	}
	n := c.session.Log().Tokens()
	if !session.LooksAgain(n, c.looked) {
		return false
	}
	if err := t.configure(); err != nil {
		t.recordFailure(err)
		return false
	}
	c.looked = max(n, 1)
	next := c.control.Next
	if !c.control.Paid() {
		next = c.control.Resting // the results of its calls come with the request: the log has them by then
	}
	d, err := next(ctx)
	if err != nil {
		t.recordFailure(err)
		return false
	}
	t.noteDecision(d, false)
	if !t.k.Spare {
		c.control.ReadAhead() // what a plan is made of comes bit by bit, and the plan sooner
	}
	return d.Action == session.Compact && !c.control.Paid()
}

// noteDecision takes note of what a look at the log said. What is settled is not due.
func (t *thread) noteDecision(d session.Decision, settled bool) {
	c := &t.log
	rule, _ := provider.CacheRuleOf(c.session.Projection().Config().Model)
	pace := c.control.Pace()
	epoch := c.control.Epoch().ID
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.pace, t.least = pace, rule.Least
	t.version = c.session.Log().Version()
	t.due = !settled && (t.due || d.Action == session.Compact && c.control.Paid() || epoch != c.epoch)
}

// giveUp takes back the compactions of a history that is to go through as it comes
// from now on. What the model thought since is bound to what it was shown, so that
// the originals go without that (B1): the log tells.
func (t *thread) giveUp(ctx context.Context, ex *exchange, why string) {
	t.passThrough(why)
	if err := t.ready(ctx); err != nil {
		t.recordFailure(err)
		return
	}
	if _, err := t.log.session.UndoAll(ctx); err != nil && !errors.Is(err, session.ErrNothingToUndo) {
		t.recordFailure(err)
		return
	}
	if ex != nil {
		_, err := t.redraw(ex, false)
		t.recordFailure(err)
	}
	t.noteDecision(session.Decision{}, ex != nil)
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
			_, err = t.redraw(ex, false)
		}
	}
	if err == nil && d.Action != session.Compacted {
		err = errors.New("the context is too long for the vendor: " + d.Reason)
	}
	t.recordFailure(err)
}
