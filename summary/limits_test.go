package summary_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary"
)

// failing is a summarizer that cannot.
type failing struct{ err error }

func (f failing) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	return strategy.SummaryResult{Model: "failing"}, f.err
}

// A6: when every rung fails, the error is that of the last, and those of the
// others are among the failures.
func TestA6LadderReturnsTheLastError(t *testing.T) {
	first, last := errors.New("no network"), errors.New("no disk")
	got, err := summary.Ladder{failing{first}, failing{last}}.Summarize(t.Context(), strategy.SummaryRequest{})
	if !errors.Is(err, last) {
		t.Errorf("the error is %v, want %v", err, last)
	}
	if len(got.Failures) != 1 || !errors.Is(got.Failures[0], first) {
		t.Errorf("the failures are %v, want %v", got.Failures, first)
	}
	if _, err := (summary.Ladder{failing{last}}).Summarize(t.Context(), strategy.SummaryRequest{}); !errors.Is(err, last) {
		t.Errorf("the error of the only rung is %v, want %v", err, last)
	}
}

// C6: a summary with which the view is one token smaller is taken; one with
// which it is as large as before is refused.
func TestC6SummaryOfEqualSizeIsRefused(t *testing.T) {
	l := talk(t, "t", "u Fix it.", "a "+strings.Repeat("It is fixed. ", 60))
	p := tenfold.Project(l)
	saved := -1
	for size := 4; ; size += 4 {
		made, failed := compact(t, l, digest{strings.Repeat("word", size/4)}, 0, 0)
		if len(made.Compactions) > 0 {
			saved = p.Tokens() - p.With(made.Compactions[0]).Tokens()
			continue
		}
		if refused := (*strategy.RefusedError)(nil); len(failed) != 1 || !errors.As(failed[0], &refused) {
			t.Errorf("the failures are %v", failed)
		}
		break
	}
	if saved != 1 {
		t.Errorf("the largest summary taken saves %d tokens, want 1", saved)
	}
}
