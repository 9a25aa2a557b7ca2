package display

import (
	"tenfold/internal/cli/command"
	"tenfold/internal/number"
	"tenfold/internal/report"
)

// OutsideWords say what each request holds that the conversation does not; empty
// where that is not known.
func OutsideWords(t report.Tokens) string {
	if t.Outside < 100 {
		return ""
	}
	// It is a difference of two figures: no digit after the second is known.
	round := 1
	for t.Outside/round >= 100 {
		round *= 10
	}
	return "about " + number.Thousands((t.Outside+round/2)/round*round) + " more tokens in each request, such as the system prompt and tools"
}

// PrintFigures prints where the figures of a report come from.
func PrintFigures(a *command.App, t report.Tokens) {
	PrintLabelled(a, "Figures", t.Figures())
	if outside := OutsideWords(t); outside != "" {
		PrintLabelled(a, "Outside", outside)
	}
}

// TheirsWords say what the compactions of the original tool had saved.
func TheirsWords(t *report.Theirs) string {
	return number.Count(t.Compactions, "compaction") + " of the original tool had saved " + number.Thousands(t.Tokens) + " of " + number.Count(t.Raw, "token")
}

// PrintTheirs says what the original tool's compactions had saved.
func PrintTheirs(a *command.App, t *report.Theirs) {
	if t != nil {
		PrintLabelled(a, "Earlier", TheirsWords(t))
	}
}
