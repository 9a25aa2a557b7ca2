package report_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/token"
)

// Ours are in estimates, and shown as the provider counts; what another tool told of its
// own compaction is its provider's count already (T3).
func TestOnlyOurFiguresAreCalibrated(t *testing.T) {
	for source, want := range map[string]int{"user": 1300, "import": 1000} {
		o := tenfold.Overlay{Compaction: tenfold.Compaction{Source: source, TokensBefore: 1000, TokensAfter: 100}}
		if got := report.OverlayOf(o, token.Scale{Percent: 130}).Before; got != want {
			t.Errorf("of source %s: %d tokens before, want %d", source, got, want)
		}
	}
}
