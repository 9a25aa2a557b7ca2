package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tenfold"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/token"
)

// refusal is the last summary of a request that failed or was refused.
type refusal struct{ err error }

// notice has a request tell of summaries that came to nothing, whoever else is
// told. One that a person dropped is not a failure.
func (r *Request) notice() *refusal {
	var last refusal
	tell := r.Options.Failed
	r.Options.Failed = func(q strategy.SummaryRequest, err error) {
		if !errors.Is(err, strategy.ErrDropped) {
			last.err = err
		}
		if tell != nil {
			tell(q, err)
		}
	}
	return &last
}

// longestError is the most bytes of an error that a log keeps.
const longestError = 1000

// failed records that a compaction was tried and failed (A6): the error, how
// many tokens the view has now, the limit, whether it is exceeded, and what was paid. Nothing
// is recorded of what ended with ctx, and of a race that was lost. The error is
// the one given, joined with that of the record where it could not be written.
func (s *Session) failed(ctx context.Context, r Request, paid tenfold.Usage, err error) error {
	if _, _, _, unclear := s.projection.Resolve(r.Bounds); unclear != nil || ctx.Err() != nil || isConflict(err) || r.Options.DryRun {
		return err // the request was invalid, or this is not a failure to record
	}
	if record := s.recordAs(ctx, "", r, paid, err); record != nil && !isConflict(record) {
		return errors.Join(err, fmt.Errorf("record the failure: %w", record))
	}
	return err
}

// recordAs appends the record of a failure; with an id it is there once however often
// that is tried.
func (s *Session) recordAs(ctx context.Context, id string, r Request, paid tenfold.Usage, err error) error {
	text := err.Error()
	if len(text) > longestError {
		text = strings.ToValidUTF8(text[:longestError], "") + "…" // no half of a character
	}
	var used *tenfold.Usage
	if paid != (tenfold.Usage{}) {
		used = &paid
	}
	return s.appendLatest(ctx, func() []tenfold.Entry {
		scale := s.watcher.Scale(s.log)
		tokens, limit := scale.Tokens(s.projection.Tokens())+scale.Outside, s.window(r)
		return []tenfold.Entry{{ID: id, Payload: tenfold.CompactionFailed{Error: text, Tokens: tokens, Limit: limit, Exceeded: tokens > limit, Attempt: r.attempt, Usage: used}}}
	})
}

// isConflict tells whether another writer came first.
func isConflict(err error) bool {
	return errors.As(err, new(*store.ConflictError))
}

// window is how many tokens the conversation's model takes (T5).
func (s *Session) window(r Request) int {
	if r.Options.Window > 0 {
		return r.Options.Window
	}
	tokens, _ := token.Windows{}.Window(s.projection.Config().Model)
	return tokens
}

// compactions counts the compactions in the log.
func (s *Session) compactions() int {
	n := 0
	for o := range s.projection.Overlays() {
		if !o.Compaction.AtBirth() && !o.Compaction.Rewinds() {
			n++
		}
	}
	return n
}
