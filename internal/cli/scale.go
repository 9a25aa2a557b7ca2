package cli

import (
	"strconv"
	"strings"

	"tenfold"
	"tenfold/strategy"
	"tenfold/token"
)

// Figures of a conversation are shown in the tokens of its provider where its log
// says how that counts, and say what they are (semantics T3). What is stored are
// estimates.

// scaled gives tokens before and after as they are shown.
func scaled(by tenfold.Counter, before, after int, scale token.Scale) tokensJSON {
	t := tokensJSON{Before: scale.Tokens(before), After: scale.Tokens(after), Method: counterName(by), counter: counterName(by)}
	if scale.Source() == token.Calibrated {
		t.Method, t.Ratio, t.Outside = string(token.Calibrated), scale.Ratio(), scale.Outside
	}
	return t
}

// counterName is the name of a token counter in reports: "o200k", "chars/4".
func counterName(c tenfold.Counter) string {
	if c, ok := c.(token.Counter); ok {
		return strings.TrimSuffix(c.Name(), "_base")
	}
	return "unknown"
}

// totalsJSON is scaled, of a whole view.
func totalsJSON(view *tenfold.Projection, scale token.Scale) tokensJSON {
	c := view.Totals().All()
	return scaled(view.Log().Counter(), c.Before, c.After, scale)
}

// words say where the figures come from: "calibrated (1.38 × o200k)", or
// "estimate (o200k)".
func (t tokensJSON) words() string {
	if t.Method != string(token.Calibrated) {
		return string(token.Estimate) + " (" + t.Method + ")"
	}
	return t.Method + " (" + strconv.FormatFloat(t.Ratio, 'f', 2, 64) + " × " + t.counter + ")"
}

// outsideWords say what each request holds that the conversation does not; empty
// where that is not known.
func (t tokensJSON) outsideWords() string {
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

// scaleSpans gives spans as they are shown; they add up to the total.
func scaleSpans(spans []strategy.Span, scale token.Scale) {
	counts := make([]tenfold.Count, len(spans))
	for i, s := range spans {
		counts[i] = tenfold.Count{Before: s.Before, After: s.After}
	}
	for i, c := range scale.Counts(counts...) {
		spans[i].Before, spans[i].After = c.Before, c.After
	}
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
func (a *app) printFigures(t tokensJSON) {
	a.fold("Figures", t.words())
	if outside := t.outsideWords(); outside != "" {
		a.fold("Outside", outside)
	}
}
