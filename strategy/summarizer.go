package strategy

import (
	"context"
	"errors"
	"strings"

	"tenfold"
)

// A Summarizer writes the summary that stands for a stretch of conversation.
// It is safe for concurrent use and keeps nothing of what it is shown. Its
// error means that there is no summary and why; a [*RefusedError] in it that it
// wrote one that must not be taken. A result that is no good otherwise (C6) is
// none of its business: whoever asked judges that.
type Summarizer interface {
	Summarize(ctx context.Context, r SummaryRequest) (SummaryResult, error)
}

// A Quoter is a Summarizer whose work may cost something. A dry run asks it for
// a quote and does not have it work (C8); one that quotes nothing, the zero
// Quote, and others work in dry runs as well.
type Quoter interface {
	Quote(r SummaryRequest) Quote
}

// A Quote says what a summary would take.
type Quote struct {
	Model string
	// Input is how many tokens the model would read.
	Input int
	// Cost is in US dollars, nil when unknown.
	Cost *float64
}

// A SummaryRequest is what a summarizer works from.
type SummaryRequest struct {
	// Entries are raw entries of Range, in log order (C5): all of them that no
	// client took back, but for recursive-summary only those that no prior summary
	// stands for. They belong to the log and are not to be changed.
	Entries []tenfold.Entry
	Range   tenfold.Range
	// Log is where the entries come from: what turn each is in, and which
	// result answers which call.
	Log *tenfold.Log
	// Prior and Overlap are context for recursive-summary (S-8): the texts of
	// the summaries so far, which the new one takes the place of, and the
	// first raw entries that stay.
	Prior   []string
	Overlap []tenfold.Entry
	// Focus says what must be kept; Instructions, if any, how to write.
	Focus, Instructions string
	// Budget is the most tokens a digest may have; 0 leaves it to the digest.
	Budget int
	// DryRun says that nothing is to be written anywhere.
	DryRun bool
	// View is the conversation as its own model last saw it, before anything
	// of the plan under way; nil when that is not known.
	View *tenfold.Projection
	// Judge says why a result would not be taken (C6), nil for one that would;
	// nil judges nothing. It is for summarizers that can do something else.
	Judge func(SummaryResult) error
}

// Wishes are the instructions and the focus as a stored summary has them.
func (r SummaryRequest) Wishes() string {
	if r.Focus == "" {
		return r.Instructions
	}
	return strings.TrimLeft(r.Instructions+"\nFocus: "+r.Focus, "\n")
}

// Refusal is what Judge says of a result, nil without one.
func (r SummaryRequest) Refusal(written SummaryResult) error {
	if r.Judge == nil {
		return nil
	}
	return r.Judge(written)
}

// A SummaryResult is what a summarizer wrote. With an error, Usage still says
// what was spent.
type SummaryResult struct {
	Text  string
	Model string
	// Usage sums over all calls; the zero value for none. Its Model is set
	// where another than Model was paid.
	Usage     tenfold.Usage
	Artifacts *tenfold.Artifacts
	// Notes are for whoever reads the plan. Failures are what went wrong on the
	// way to a text all the same; the hook of failures is told of each (M6).
	Notes    []string
	Failures []error
	// CutOff says that the text ends where the model ran out of tokens,
	// Declined that the model would not write one. The strategies of this package
	// take neither, nor what was dropped; one of your own has to look for itself, as
	// of an overlay it is only judged whether its summary is empty or too large (C6).
	CutOff, Declined bool
	// Reviewed says that a person looked at the text, Dropped that they did not
	// want it.
	Reviewed, Dropped bool
}

// ErrDropped is what a [RefusedError] wraps when a person dropped the summary.
var ErrDropped = errors.New("dropped")

// A RefusedError says why a summary was not taken (C6).
type RefusedError struct {
	Reason string
	err    error
}

// Error implements error.
func (e *RefusedError) Error() string { return "summary refused: " + e.Reason }

// Unwrap gives [ErrDropped], or nothing.
func (e *RefusedError) Unwrap() error { return e.err }

// A Classifier names turns that are off the task (S-13). It is safe for
// concurrent use and keeps nothing of what it is shown.
type Classifier interface {
	Classify(ctx context.Context, r ClassifyRequest) ([]Tangent, error)
}

// A ClassifyRequest is what a classifier works from: raw entries of the turns
// in question, in log order.
type ClassifyRequest struct {
	Entries []tenfold.Entry
	// Turns are those that may be named.
	Turns []int
	Log   *tenfold.Log
	Focus string
}

// A Tangent is a turn off the task.
type Tangent struct {
	Turn   int
	Reason string
	// Tokens is what the turn costs in the projection. Classifiers leave it.
	Tokens int
}
