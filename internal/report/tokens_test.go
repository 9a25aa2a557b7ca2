package report_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/token"
)

// T3: figures say what counted them, also where the counter was changed since; an entry
// whose figure came with it says nothing of that.
func TestT3TheCounterOfALogIsTheOneThatCountedIt(t *testing.T) {
	const text = "The oven of the bakery is at 230 °C; bread_from_rye stays in for 45 minutes."
	for name, c := range map[string]struct {
		now     tenfold.Counter
		counted []tenfold.Counter
		want    string
	}{
		"one":                {token.O200k(), []tenfold.Counter{token.O200k(), token.O200k()}, "o200k"},
		"changed":            {token.O200k(), []tenfold.Counter{token.Heuristic{}, token.Heuristic{}}, "chars/4 and o200k"},
		"changed in it":      {token.Heuristic{}, []tenfold.Counter{token.O200k(), token.Heuristic{}}, "o200k and chars/4"},
		"changed at its end": {token.O200k(), append(make([]tenfold.Counter, 40), token.Heuristic{}), "chars/4 and o200k"},
		"of an import":       {token.O200k(), []tenfold.Counter{nil}, "o200k"},
		"none":               {token.Heuristic{}, nil, "chars/4"},
	} {
		l := tenfold.NewLog(tenfold.WithCounter(c.now))
		for i, by := range c.counted {
			p := tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat(text, i%3+1))}
			e := tenfold.Entry{Payload: p, Tokens: 1}
			if by != nil {
				e.Tokens = tenfold.CountPayload(by, p)
			}
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		if got := report.CounterOf(l); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
