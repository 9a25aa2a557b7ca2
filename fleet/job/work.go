package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"tenfold"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// A Worker says how jobs are done.
type Worker struct {
	// Service makes the service that jobs of a store work with: the one of the
	// program, over st in the place of its own store.
	Service func(st store.Store) *session.Service
	// Live gives how a conversation is compacted by itself, with the summarizer, if
	// a model may be called: by the configuration of whoever runs the workers. The
	// store is the one of Service, whose tenant may have no model.
	Live func(*session.Session, store.Store) (session.Live, error)
	// Jobs is how many are done at once by this process.
	Jobs int
	// Log is told how each attempt ended; nil is silent.
	Log *slog.Logger
}

// task is a job as a worker sees it.
type task struct {
	id, conversation, prefix string
	last                     bool // attempt
	// created is when it was enqueued, due when this attempt could begin.
	created, due time.Time
	// trace is that of the append that made it due; empty for none.
	trace string
	// spent is told what a plan cost before it is applied.
	spent func(context.Context, tenfold.Usage) error
}

// ended is how an attempt ended that did not fail.
type ended struct {
	Outcome     string   `json:"outcome"`
	Reason      string   `json:"reason,omitempty"`
	Compactions []string `json:"compactions,omitempty"`
	Before      int      `json:"before,omitempty"`
	After       int      `json:"after,omitempty"`
}

// attempt does the work of a job once. The store is told of the overlays in one append, which
// ends the job where it can.
func (w *Worker) attempt(ctx context.Context, st store.Store, t task) (ended, error) {
	s, err := w.Service(st).Open(ctx, t.conversation)
	if errors.Is(err, store.ErrNotFound) {
		return ended{Outcome: Deleted}, nil
	}
	if err != nil {
		return ended{}, err
	}
	live, err := w.Live(s, st)
	if err != nil {
		return ended{}, err
	}
	c, _, err := s.Background(ctx, live, session.Job{
		ID: request(t.id), Prefix: prefixOf(t.prefix),
		Planned: func(ctx context.Context, plan strategy.Plan) error { return t.spent(ctx, plan.Paid()) },
	})
	busy := &session.BusyError{}
	if err != nil && t.last && ctx.Err() == nil && !errors.As(err, &busy) && !errors.Is(err, store.ErrNotFound) {
		err = errors.Join(err, s.GiveUp(ctx, live, request(t.id), err))
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ended{Outcome: Deleted}, nil
	case err != nil:
		return ended{}, err
	}
	return outcome(c), nil
}

// outcome says what came of a compaction.
func outcome(c session.Result) ended {
	e := ended{Outcome: Nothing, Reason: c.Reason}
	switch c.Outcome {
	case session.Applied, session.Repeated:
		e = ended{Outcome: Compacted}
		e.Before, e.After = c.Plan.Sizes() // as everything else says of the conversation
		for _, o := range c.Overlays {
			e.Compactions = append(e.Compactions, o.ID)
		}
	case session.Superseded:
		e.Outcome = Superseded
	case session.Vetoed:
		e.Outcome, e.Reason = Vetoed, "" // a hook's words may be about what was said
	case session.Nothing, session.Planned:
	}
	return e
}

// reason says why an attempt failed, and what to try, in words of ours: those of a
// provider or of a judge of summaries may quote what was said. The whole error of
// the last attempt is in the conversation (A6).
func reason(err error) (what, hint string) {
	var refused *strategy.RefusedError
	var asked *provider.Error
	var told *problem.Error
	switch {
	case errors.As(err, &refused):
		return "the summary was refused: it does not hold against the conversation", "choose another summarizer_model, or let fallback use the digest"
	case errors.As(err, &asked):
		what = "the model could not be called: " + strings.ReplaceAll(string(asked.Kind), "_", " ")
		if errors.As(err, &told) {
			hint = told.Hint
		}
		return what, hint
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long", "raise the provider's timeout, or choose a strategy that calls no model"
	case errors.Is(err, session.ErrNoProgress):
		return "it would free too little", ""
	case errors.Is(err, store.ErrUnavailable):
		return "the database could not be reached", ""
	case errors.Is(err, store.ErrClosed):
		return "the store was closed", ""
	case errors.As(err, new(*store.ConflictError)): // another writer came first
		return "other writers came first again and again", "try again when the conversation is quieter"
	case errors.As(err, &told) && told.Code == "config":
		return "the configuration is invalid", told.Hint
	}
	return fmt.Sprintf("the attempt failed (%s)", kindOf(err)), "look at the conversation: the last attempt records the error in it"
}

// kindOf names the innermost type of an error, of several the first one's.
func kindOf(err error) string {
	for {
		next := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			next = several.Unwrap()[0]
		}
		if next == nil {
			return strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
		}
		err = next
	}
}

// longestPause is how long a job rests at most while somebody else compacts.
const longestPause = 30 * time.Second

// pauseFor is how long a job rests while somebody else compacts its conversation.
func pauseFor(busy *session.BusyError, now time.Time) time.Duration {
	return min(max(busy.Until.Sub(now), time.Second), longestPause)
}
