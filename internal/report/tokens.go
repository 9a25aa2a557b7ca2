package report

import (
	"strings"

	"tenfold"
	"tenfold/strategy"
	"tenfold/token"
)

// Tokens is a size before and after compaction.
type Tokens struct {
	Before int `json:"before" doc:"raw: all that was said"`
	After  int `json:"after" doc:"what a model sees"`
	// Method is "calibrated" where the figures of the object are what the
	// provider counts, by what it reported before, else the counter's name.
	Method string `json:"method" doc:"how it was counted: calibrated, by what the provider reported; else the counter's name, as o200k"`
	// Ratio is the provider's count by the counter's, and Outside what each
	// request holds that is not in the conversation; both where calibrated.
	Ratio   float64 `json:"ratio,omitzero" doc:"the provider's count by the counter's, where calibrated"`
	Outside int     `json:"outside,omitzero" doc:"what each request holds that is not in the conversation, where calibrated"`

	counter string
}

// Counter is the counter's name, calibrated or not.
func (t Tokens) Counter() string { return t.counter }

// Scaled gives tokens before and after as they are shown.
func Scaled(by tenfold.Counter, before, after int, scale token.Scale) Tokens {
	name := CounterName(by)
	t := Tokens{Before: scale.Tokens(before), After: scale.Tokens(after), Method: name, counter: name}
	if scale.Source() == token.Calibrated {
		t.Method, t.Ratio, t.Outside = string(token.Calibrated), scale.Ratio(), scale.Outside
	}
	return t
}

// CounterName is the name of a token counter in reports: "o200k", "chars/4".
func CounterName(c tenfold.Counter) string {
	if c, ok := c.(token.Counter); ok {
		return strings.TrimSuffix(c.Name(), "_base")
	}
	return "unknown"
}

// Totals are the tokens of a whole view.
func Totals(view *tenfold.Projection, scale token.Scale) Tokens {
	c := view.Totals().All()
	return Scaled(view.Log().Counter(), c.Before, c.After, scale)
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

// Theirs is what compactions of the tool that wrote a session had saved: it is
// none of what ours save.
type Theirs struct {
	Compactions int `json:"compactions"`
	// Tokens is what they saved of Raw, what the whole log costs.
	Tokens int `json:"tokens"`
	Raw    int `json:"raw"`
}

// TheirsOf is nil where the tool had compacted nothing.
func TheirsOf(view *tenfold.Projection, scale token.Scale) *Theirs {
	if view == nil {
		return nil
	}
	theirs := strategy.SavedByTool(view)
	if theirs.Compactions == 0 {
		return nil
	}
	return &Theirs{theirs.Compactions, scale.Tokens(theirs.Tokens), scale.Tokens(view.Totals().All().Before)}
}
