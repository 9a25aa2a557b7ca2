package session

import (
	"context"
	"errors"
	"time"

	"tenfold"
	"tenfold/strategy"
)

// A Job is a compaction to be made in the background, by a session that nobody
// else works with.
type Job struct {
	// ID makes it safe to repeat: its overlays have ids that follow from it, so that
	// of any number of workers, at once or one after the other, one writes them.
	ID string
	// Prefix is [store.Work.Prefix] as of when it became due; empty takes any.
	Prefix string
	// Planned, if set, is told of each plan before it is applied, and of what was made
	// of one that failed: what it cost is spent then, whatever comes of it.
	Planned func(context.Context, strategy.Plan) error
}

// A BusyError says that somebody else compacts the conversation right now. Nothing
// was done.
type BusyError struct {
	// Until is when their time is over.
	Until time.Time
}

// Error implements error.
func (e *BusyError) Error() string { return "another compaction of the conversation is under way" }

// Background makes a compaction that became due ([WithDue]), as
// [Controller.Run] would if a request waited for it, but beside the conversation:
// it plans for the version that the session has read, holds the plan against what
// came meanwhile (live V4), and writes the overlays at the newest version or not
// at all. Only they are written: who asks the controller sees no attempt under way.
//
// It is Repeated where the job was done before; Superseded where the view was
// changed by somebody since it became due; and Nothing, with the reason, where it
// fits by now, nothing can go, or too little of it would (A4). That its summary was
// refused is an error, a [*strategy.RefusedError], and that somebody else compacts it
// right now a [*BusyError].
func (s *Session) Background(ctx context.Context, live Live, j Job) (Result, HeldOut, error) {
	c, held, err := s.background(ctx, live, j)
	if errors.Is(err, ErrVetoed) {
		c.Outcome, c.Reason, err = Vetoed, err.Error(), nil
	}
	c.Count = s.compactions()
	s.service.hooks.after(ctx, s, c, err)
	return c, held, err
}

func (s *Session) background(ctx context.Context, live Live, j Job) (c Result, held HeldOut, err error) {
	if err := s.Refresh(ctx); err != nil {
		return c, held, err
	}
	control := s.Control(live)
	state := control.state()
	began := prefixKey(s.id, control.past.epoch)
	nothing := func(why string) (Result, HeldOut, error) {
		c.Outcome, c.Reason = Nothing, why
		return c, held, nil
	}
	fires, why := control.fires()
	_, tight := control.isFull()
	done := s.overlaysOf(j.ID)
	switch {
	case len(done) > 0:
		c.Outcome, c.Overlays = Repeated, done
		return c, held, nil
	case j.Prefix != "" && j.Prefix != began:
		c.Outcome, c.Reason = Superseded, errSuperseded
		return c, held, nil
	case state == Compacting:
		return c, held, &BusyError{control.past.over()}
	case !control.live.Auto.Enabled:
		return nothing("automatic compaction is off")
	case control.past.undone && !tight:
		return nothing("a compaction was undone: automatic compaction waits until one is requested, or the next request does not fit")
	case !fires && !tight:
		return nothing("it fits by now")
	}
	wish := Wish{By: ByTrigger, Reason: why}
	r := control.asRequest(wish, control.target(wish))
	r.ID, r.Reason, r.Progress = j.ID, why, progress
	refused := r.notice()
	bounded, stop := context.WithTimeout(ctx, control.timeout())
	defer stop()
	plan, err := s.Plan(bounded, r)
	c.Plan = plan
	if j.Planned != nil {
		if told := j.Planned(ctx, plan); err == nil {
			err = told
		}
	}
	switch {
	case err != nil:
		return c, held, err
	case len(plan.Compactions) == 0 && refused.err != nil:
		return c, held, refused.err
	case len(plan.Compactions) == 0:
		return nothing(plan.Nothing)
	}
	return s.commitUnless(ctx, r, plan, func() bool {
		state := control.state()
		return state == Compacting || prefixKey(s.id, control.past.epoch) != began
	})
}

const errSuperseded = "the view was changed by another compaction, an undo or a pin"

// GiveUp records that the last attempt at a job failed (A6), once.
func (s *Session) GiveUp(ctx context.Context, live Live, job string, failure error) error {
	if err := s.Refresh(ctx); err != nil {
		return err
	}
	return s.recordAs(ctx, "failed_"+job, live.Request, tenfold.Usage{}, failure)
}
