package display

import (
	"strconv"

	"tenfold/internal/cli/command"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/token"
)

// FiguresWords say where the figures come from: "calibrated (1.38 × o200k)", or
// "estimate (o200k)".
func FiguresWords(t report.Tokens) string {
	if t.Method != string(token.Calibrated) {
		return string(token.Estimate) + " (" + t.Method + ")"
	}
	return t.Method + " (" + strconv.FormatFloat(t.Ratio, 'f', 2, 64) + " × " + t.Counter() + ")"
}

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
	PrintLabelled(a, "Figures", FiguresWords(t))
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
