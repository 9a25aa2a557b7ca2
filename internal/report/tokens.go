package report

import (
	"math"
	"slices"
	"strings"

	"tenfold"
	"tenfold/store"
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

// Figures say where they come from: "calibrated (1.38 × o200k)".
func (t Tokens) Figures() string {
	return token.Scale{Percent: int(math.Round(100 * t.Ratio))}.Words(t.counter)
}

// Scaled gives tokens before and after as they are shown; the counter is that of
// [CounterOf].
func Scaled(name string, before, after int, scale token.Scale) Tokens {
	t := Tokens{Before: scale.Tokens(before), After: scale.Tokens(after), Method: name, counter: name}
	if scale.Source() == token.Calibrated {
		t.Method, t.Ratio, t.Outside = string(token.Calibrated), scale.Ratio(), scale.Outside
	}
	return t
}

// Listed gives the tokens of a conversation as far as the store knows them; name is the
// counter's.
func Listed(name string, s store.Stats) Tokens {
	return Scaled(name, s.TokensBefore, s.TokensAfter, token.Scale{Percent: s.Percent})
}

// CounterName is the name of a token counter in reports: "o200k", "chars/4".
func CounterName(c tenfold.Counter) string {
	if c, ok := c.(token.Counter); ok {
		return strings.TrimSuffix(c.Name(), "_base")
	}
	return "unknown"
}

// looked is how many entries at either end of a log are counted again to learn
// what counted them, and longestLooked how many tokens they have at most: counting
// takes time.
const looked, longestLooked = 8, 2000

// CounterOf names what counted a log: "o200k". An entry keeps the figure that it was
// appended with, so that of a log whose counter was changed several did: "chars/4 and
// o200k", the one that counts now last.
func CounterOf(l *tenfold.Log) string {
	others := []tenfold.Counter{token.O200k(), token.Cl100k(), token.Heuristic{}}
	var foreign []tenfold.Entry // that it did not count
	look := func(seq int64) bool {
		e, _ := l.Entry(seq)
		if e.Tokens == 0 || e.Tokens > longestLooked || !e.Payload.Kind().Visible() {
			return false
		}
		counts := func(c tenfold.Counter) bool { return tenfold.CountPayload(c, e.Payload) == e.Tokens }
		if !counts(l.Counter()) && slices.ContainsFunc(others, counts) {
			foreign = append(foreign, e)
		}
		return true
	}
	first := int64(1)
	for n := 0; n < looked && first <= l.Version(); first++ {
		if look(first) {
			n++
		}
	}
	for n, seq := 0, l.Version(); n < looked && seq >= first; seq-- {
		if look(seq) {
			n++
		}
	}
	var names []string
	for len(foreign) > 0 { // the counter that explains most of them, until none is left
		least := foreign
		name := ""
		for _, c := range others {
			left := slices.DeleteFunc(slices.Clone(foreign), func(e tenfold.Entry) bool { return tenfold.CountPayload(c, e.Payload) == e.Tokens })
			if len(left) < len(least) {
				least, name = left, CounterName(c)
			}
		}
		foreign, names = least, append(names, name)
	}
	return strings.Join(append(names, CounterName(l.Counter())), " and ")
}

// Totals are the tokens of a whole view.
func Totals(view *tenfold.Projection, scale token.Scale) Tokens {
	c := view.Totals().All()
	return Scaled(CounterOf(view.Log()), c.Before, c.After, scale)
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
