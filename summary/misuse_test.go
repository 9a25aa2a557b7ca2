package summary_test

import (
	"strings"
	"testing"

	"tenfold/strategy"
	"tenfold/summary"
)

// A summariser that lacks what it needs says so, and does not panic in the middle of
// somebody's compaction.
func TestWhatASummariserLacks(t *testing.T) {
	for says, s := range map[string]strategy.Summarizer{
		"no Provider":               summary.Model{},
		"Of, Artifacts and Now":     summary.Recorded{Of: summary.Digest{}},
		"1 of 2 of the ladder is n": summary.Ladder{nil, summary.Digest{}},
	} {
		if _, err := s.Summarize(t.Context(), strategy.SummaryRequest{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%T: %v, want one that says %q", s, err, says)
		}
	}
	if _, err := (summary.Classifier{}).Classify(t.Context(), strategy.ClassifyRequest{}); err == nil {
		t.Error("a classifier without a model classifies")
	}
}
