package session

import (
	"context"
	"errors"

	"tenfold"
	"tenfold/internal/telemetry"
	"tenfold/store"
)

// append appends, and is measured. It costs what appendNow costs while nobody
// listens.
func (s *Session) append(ctx context.Context, origin *store.Origin, entries []tenfold.Entry) error {
	ctx, op := telemetry.Begin(ctx, telemetry.Append, s.id)
	was := s.log.Version()
	err := s.appendNow(ctx, origin, entries)
	if err == nil {
		op.Appended(ctx, min(len(entries), int(s.log.Version()-was))) // what others wrote may have been read too
	}
	op.End(ctx, outcomeOf(err))
	return err
}

// outcomeOf is a word for how something ended; the text of an error may quote a
// conversation.
func outcomeOf(err error) telemetry.Outcome {
	switch {
	case err == nil:
		return telemetry.OK
	case isConflict(err), errors.Is(err, store.ErrExists):
		return telemetry.Conflict
	case errors.Is(err, store.ErrNotFound):
		return telemetry.NotFound
	case errors.Is(err, context.Canceled):
		return telemetry.Cancelled
	}
	return telemetry.Failed
}

// measured ends the measuring of a compaction.
func measured(ctx context.Context, op telemetry.Operation, c Result, err error) {
	if err != nil {
		op.End(ctx, outcomeOf(err))
		return
	}
	if c.Outcome == Applied {
		before, after := c.Plan.Sizes()
		op.Freed(ctx, before-after)
	}
	op.End(ctx, telemetry.Outcome(c.Outcome))
}
