package strategy_test

import (
	"errors"
	"strings"
	"testing"

	"tenfold"
	"tenfold/problem"
	"tenfold/strategy"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]strategy.Target{
		"20k": {Tokens: 20_000}, "800": {Tokens: 800}, "1.5m": {Tokens: 1_500_000}, " 300t ": {Tokens: 300},
		"10%": {Share: 0.1}, "100%": {Share: 1},
	} {
		got, err := strategy.ParseTarget(text)
		if err != nil || got != want || !got.Set() {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		if again, err := strategy.ParseTarget(got.String()); err != nil || again != got {
			t.Errorf("%q is written %s, which is %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "0", "0%", "-5", "101%", "small", "0k", "NaN%", "5 %k"} {
		got, err := strategy.ParseTarget(text)
		var p *problem.Error
		if !errors.As(err, &p) || got.Set() || !strings.Contains(p.Hint, "write tokens (20k, 20000)") {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// F1: a share is of what a model sees now, not of what the log holds.
func TestF1AShareIsOfWhatAModelSeesNow(t *testing.T) {
	l := script(t, "t", "u ask", "a *4000", "t", "u again", "a *4000")
	p := tenfold.Project(l)
	smaller := p.With(tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit})
	for _, view := range []*tenfold.Projection{p, smaller} {
		if got := (strategy.Target{Share: 0.5}).Limit(view); got != view.Tokens()/2 {
			t.Errorf("half of %d is %d", view.Tokens(), got)
		}
		if got := (strategy.Target{Tokens: 70}).Limit(view); got != 70 {
			t.Errorf("70 tokens are %d", got)
		}
	}
}
