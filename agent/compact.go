package agent

import (
	"fmt"

	"tenfold/session"
)

// settle does about the request that is about to be sent what the controller says
// (A1–A8). A stop is given where the request cannot be sent.
func (w *worker) settle() (*Stop, error) {
	if w.branch != "" {
		return w.settleBranch()
	}
	for range maxRounds {
		w.mu.Lock()
		d, err := w.control.Next(w.ctx)
		w.mu.Unlock()
		if err != nil {
			return nil, err
		}
		switch d.Action {
		case session.Compact:
			if d, err = w.carryOut(d); err != nil {
				return nil, err
			}
			if d.Action == session.Compacted || d.Action == session.Failed {
				continue
			}
		case session.Exceeded:
			w.emit(Event{Compaction: &d})
		}
		if d.Action == session.Exceeded {
			return &Stop{Reason: Exceeded, Detail: fmt.Sprintf("%s (%s)", d.Reason, d.Problem.Hint)}, nil
		}
		// Where somebody else compacts the conversation the request is sent all the
		// same: what comes of it is appended behind, and the plan holds (D3).
		return nil, nil
	}
	return nil, nil
}

// maxRounds bounds how many compactions come before one request: clearing old
// results, and one attempt.
const maxRounds = 8

// carryOut runs a decision to compact, and tells of it.
func (r *run) carryOut(d session.Decision) (session.Decision, error) {
	begins := d
	r.emit(Event{Compaction: &begins})
	r.mu.Lock()
	d, err := r.control.Run(r.ctx, d)
	r.past.read(r.session.Log())
	r.mu.Unlock()
	r.tell()
	if d.Action != session.Compact { // it ended
		r.emit(Event{Compaction: &d})
		r.gauged()
	}
	return d, err
}

// ask asks the controller for a compaction now. Done is set where it compacted.
func (r *run) ask(wish session.Wish, done *bool) error {
	r.mu.Lock()
	d, err := r.control.Ask(r.ctx, wish)
	r.past.read(r.session.Log())
	r.mu.Unlock()
	r.tell()
	if err != nil {
		return err
	}
	if d.Action == session.Compact {
		d, err = r.carryOut(d)
	} else {
		r.emit(Event{Compaction: &d})
	}
	if done != nil {
		*done = d.Action == session.Compacted
	}
	return err
}
