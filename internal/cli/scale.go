package cli

import (
	"strconv"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/token"
)

// figuresWords say where the figures come from: "calibrated (1.38 × o200k)", or
// "estimate (o200k)".
func figuresWords(t report.Tokens) string {
	if t.Method != string(token.Calibrated) {
		return string(token.Estimate) + " (" + t.Method + ")"
	}
	return t.Method + " (" + strconv.FormatFloat(t.Ratio, 'f', 2, 64) + " × " + t.Counter() + ")"
}

// outsideWords say what each request holds that the conversation does not; empty
// where that is not known.
func outsideWords(t report.Tokens) string {
	if t.Outside < 100 {
		return ""
	}
	// It is a difference of two figures: no digit after the second is known.
	round := 1
	for t.Outside/round >= 100 {
		round *= 10
	}
	return "about " + thousands((t.Outside+round/2)/round*round) + " more tokens in each request, such as the system prompt and tools"
}

// scaleUsage gives the parts of a conversation as they are shown; those of a kind
// add up.
func scaleUsage(u *usageJSON, scale token.Scale) {
	turns := make([]tenfold.Count, len(u.Turns))
	for i, t := range u.Turns {
		turns[i] = tenfold.Count{Before: t.Before, After: t.After}
	}
	for i, c := range scale.Counts(turns...) {
		u.Turns[i].Before, u.Turns[i].After = c.Before, c.After
	}
	for _, parts := range [][]partUsage{u.Kinds, u.Tools} {
		counts := make([]tenfold.Count, len(parts))
		for i, p := range parts {
			counts[i] = tenfold.Count{Before: p.Before, After: p.After}
		}
		for i, c := range scale.Counts(counts...) {
			parts[i].Before, parts[i].After = c.Before, c.After
		}
	}
}

// printFigures prints where the figures of a report come from.
func (a *app) printFigures(t report.Tokens) {
	a.fold("Figures", figuresWords(t))
	if outside := outsideWords(t); outside != "" {
		a.fold("Outside", outside)
	}
}
