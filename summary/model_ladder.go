package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tenfold"
	"tenfold/strategy"
)

// A Ladder is summarisers of which the next takes over where one fails (A6):
// with an error, with a result that is refused (C6), with one that does not
// follow from the log. The usual one has two rungs: a [Model], and the digest.
// What the failed ones spent is in the usage of what is given back; why they
// failed is in its notes and failures.
//
// When ctx has ended nothing takes over: whoever waits wants to stop.
type Ladder []strategy.Summarizer

var errNoRungs = errors.New("there is no summariser")

// Summarize implements [strategy.Summarizer]. When all rungs fail the result
// is that of the last, whatever it is worth; whoever asked judges that.
func (l Ladder) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if len(l) == 0 {
		return strategy.SummaryResult{}, errNoRungs
	}
	var before strategy.SummaryResult
	for i, rung := range l {
		if rung == nil {
			return before, fmt.Errorf("summariser %d of %d of the ladder is nil: leave it out, or give one", i+1, len(l))
		}
		got, err := rung.Summarize(ctx, r)
		got = withEarlier(before, got)
		if ended := ctx.Err(); ended != nil {
			return got, ended
		}
		if i == len(l)-1 {
			return got, err
		}
		why := err
		if why == nil {
			why = r.Refusal(got)
		}
		if why == nil {
			return got, nil
		}
		before = strategy.SummaryResult{
			Model: got.Model, Usage: got.Usage, Failures: append(got.Failures, why),
			Notes: append(got.Notes, fmt.Sprintf("%s gave no summary: %v", cmp.Or(got.Model, "the summariser"), why)),
		}
	}
	return before, nil
}

// withEarlier puts what came before a result in front of it.
func withEarlier(before, got strategy.SummaryResult) strategy.SummaryResult {
	got.Notes = append(before.Notes[:len(before.Notes):len(before.Notes)], got.Notes...)
	got.Failures = append(before.Failures[:len(before.Failures):len(before.Failures)], got.Failures...)
	switch none := (tenfold.Usage{}); {
	case before.Usage == none:
		return got
	case got.Usage == none:
		got.Usage = before.Usage
	default:
		got.Usage = plus(before.Usage, got.Usage)
	}
	if got.Usage.Model == "" && before.Model != got.Model {
		got.Usage.Model = before.Model
	}
	return got
}

// plus adds usage up; a cost that is unknown makes the sum's unknown.
func plus(a, b tenfold.Usage) tenfold.Usage {
	sum := tenfold.Usage{
		Model: a.Model, Input: a.Input + b.Input, Output: a.Output + b.Output,
		CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
	}
	if a.Cost != nil && b.Cost != nil {
		cost := *a.Cost + *b.Cost
		sum.Cost = &cost
	}
	return sum
}

// Quote implements [strategy.Quoter] with that of the first rung: the others
// are asked only where it fails.
func (l Ladder) Quote(r strategy.SummaryRequest) strategy.Quote {
	if len(l) == 0 {
		return strategy.Quote{}
	}
	return quoteOf(l[0], r)
}

// quoteOf is a summarizer's quote; the zero quote for what costs nothing.
func quoteOf(s strategy.Summarizer, r strategy.SummaryRequest) strategy.Quote {
	if q, ok := s.(strategy.Quoter); ok {
		return q.Quote(r)
	}
	return strategy.Quote{}
}
