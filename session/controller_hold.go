package session

import (
	"context"
	"time"

	"tenfold"
	"tenfold/store"
)

// holdTime is how long an attempt keeps others from the conversation after the process
// that makes it was last heard of.
const holdTime = time.Minute

// lease is how long the record of an attempt holds by itself.
func (c *Controller) lease() time.Duration {
	if c.live.Lease > 0 {
		return min(c.live.Lease, c.timeout())
	}
	return min(holdTime, c.timeout())
}

// wholeSeconds is a time as records say it, no shorter than it is.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// hold records, for as long as an attempt goes on, that it does, so that one whose
// process was killed is over soon, however long a model may take. It writes beside the
// session, which is busy; a store that does not take it now is asked again the next time.
func (c *Controller) hold(ctx context.Context, attempt string) (release func()) {
	lease := c.lease()
	if lease >= c.timeout() {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	service, id, done := c.session.service, c.session.id, make(chan struct{})
	held := tenfold.CompactionAttempt{State: tenfold.AttemptHeld, Attempt: attempt, Seconds: wholeSeconds(lease)}
	go func() {
		defer close(done)
		tick := time.NewTicker(lease / 2)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = service.note(ctx, id, held)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { stop(); <-done }
}

// note appends a record that changes no view to a conversation that is not open here.
func (s *Service) note(ctx context.Context, id string, p tenfold.Payload) error {
	now := s.now()
	entries, err := s.completeEntries(nil, []tenfold.Entry{{Payload: p}}, now, nil)
	if err != nil {
		return err
	}
	_, err = s.store.Append(ctx, store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: entries, Now: now})
	return err
}
