package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenfold/internal/pause"
	"tenfold/session"
	"tenfold/store"
)

// consultController does about the request that is about to be sent what the controller says
// (A1–A8). A stop is given where the request cannot be sent.
func (w *worker) consultController() (*Stop, error) {
	if w.branch != "" {
		return w.settleBranch(w.wish.Load())
	}
	for range maxRounds {
		d, err := inSession(w.run, func() (session.Decision, error) { return w.control.Next(w.ctx) })
		began := err == nil && d.Action == session.Compact
		if began {
			d, err = w.carryOut(d)
		}
		switch {
		case err != nil:
			return nil, err
		case began && (d.Action == session.Compacted || d.Action == session.Failed):
			continue
		case d.Action != session.Exceeded:
			// Where somebody else compacts the conversation the request is sent all the
			// same: what comes of it is appended behind, and the plan holds (D3).
			return nil, nil
		case !began:
			w.emit(Event{Compaction: &d})
		}
		return &Stop{Reason: Exceeded, Detail: fmt.Sprintf("%s (%s)", d.Reason, d.Problem.Hint)}, nil
	}
	return nil, nil
}

// maxRounds bounds how many compactions come before one request: clearing old
// results, and one attempt.
const maxRounds = 8

// carryOut runs a decision to compact, and tells of it.
func (r *run) carryOut(begins session.Decision) (session.Decision, error) {
	r.emit(Event{Compaction: &begins})
	var ahead *session.Prepared
	d, err := inSession(r, func() (session.Decision, error) {
		if ahead == nil {
			ahead = r.prepared(begins)
		}
		return r.control.RunPrepared(r.ctx, begins, ahead)
	})
	if err != nil && d.Action == "" { // stopped before it was an attempt: what began ends, for whoever shows it
		d = begins
		if d.Action, d.Reason = session.Failed, err.Error(); r.ctx.Err() != nil {
			d.Reason = "interrupted"
		}
	}
	if d.Action != session.Compact { // it ended
		r.emit(Event{Compaction: &d})
		r.emitGauge()
	}
	return d, err
}

// prepare has a compaction that is near planned beside, while the steps go on. The
// plan outlives the run: a model may have been paid for it.
func (r *run) prepare() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ahead != nil || r.past.at("").state != Calling {
		return
	}
	plan := r.control.Prepare()
	if plan == nil {
		return
	}
	ahead := make(chan *session.Prepared, 1)
	r.ahead = ahead
	go func() {
		prepared, err := plan(context.WithoutCancel(r.ctx))
		if err != nil {
			prepared = nil // the attempt itself will say what is wrong
		}
		ahead <- prepared
	}()
}

// prepared is the plan that was made beside for such a decision, if one was begun:
// waiting for it takes no longer than making another. It is called with the lock held.
func (r *run) prepared(d session.Decision) (p *session.Prepared) {
	if r.ahead == nil || d.Micro || d.By != session.ByTrigger {
		return nil
	}
	select {
	case p = <-r.ahead:
	case <-r.ctx.Done():
	}
	r.ahead = nil
	return p
}

// withSession does something with the session, and tells of what came into the log. It is done
// again while another process has the store locked, as nothing of it was written then:
// what a model answered and what calls gave is not lost for that.
func (r *run) withSession(do func() error) (err error) {
	for attempt := 1; ; attempt++ {
		r.mu.Lock()
		err = do()
		r.past.read(r.session.Log())
		r.mu.Unlock()
		if !errors.Is(err, store.ErrLocked) || r.ctx.Err() != nil || attempt == maxLocked {
			break
		}
		r.emit(Event{Waiting: &Waiting{Attempt: attempt, After: lockedPause, Err: err}})
		_ = pause.For(r.ctx, lockedPause)
	}
	r.emitNewEntries()
	return err
}

// inSession is withSession for what gives something.
func inSession[T any](r *run, do func() (T, error)) (v T, err error) {
	err = r.withSession(func() (err error) {
		v, err = do()
		return err
	})
	return v, err
}

// How often something is tried while the store is locked, and the pause between two
// tries; the store itself waits for ten seconds or so each time.
const (
	maxLocked   = 60
	lockedPause = time.Second
)

// ask asks the controller for a compaction now, and gives what came of it.
func (r *run) ask(wish session.Wish) (session.Decision, error) {
	d, err := r.askController(wish)
	switch {
	case err != nil:
	case d.Action == session.Compact:
		d, err = r.carryOut(d)
	default:
		r.emit(Event{Compaction: &d})
	}
	return d, err
}

// askController asks the controller what is to be done about a wish.
func (r *run) askController(wish session.Wish) (session.Decision, error) {
	return inSession(r, func() (session.Decision, error) { return r.control.Ask(context.WithoutCancel(r.ctx), wish) })
}
