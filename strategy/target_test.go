package strategy_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/problem"
	"tenfold/strategy"
	"tenfold/token"
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
		if got := (strategy.Target{Share: 0.5}).Limit(view, token.Scale{}); got != view.Tokens()/2 {
			t.Errorf("half of %d is %d", view.Tokens(), got)
		}
		if got := (strategy.Target{Tokens: 70}).Limit(view, token.Scale{}); got != 70 {
			t.Errorf("70 tokens are %d", got)
		}
		if got := (strategy.Target{Tokens: 70}).Limit(view, token.Scale{Percent: 140}); got != 50 {
			t.Errorf("70 tokens of a provider that counts 1.4 for one are %d", got)
		}
	}
}

// T3: a target in tokens is in the provider's; what is reported of it is met or
// missed as the plan was, and what always stays adds up.
func TestT3TargetsAreInTheProvidersTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := token.Scale{Percent: rapid.IntRange(50, 300).Draw(t, "percent")}
		target := strategy.Tokens(rapid.IntRange(1, 100_000).Draw(t, "target"))
		limit := target.Limit(nil, scale)
		f := strategy.Fitted{Of: target, Target: limit, After: max(limit+rapid.IntRange(-3, 3).Draw(t, "over"), 0)}
		if rapid.Bool().Draw(t, "share") {
			f.Of = strategy.Share(10)
		}
		for range rapid.IntRange(0, 5).Draw(t, "sorts") {
			f.Always = append(f.Always, strategy.Standing{Tokens: rapid.IntRange(0, 900).Draw(t, "tokens")})
		}
		in := f.In(scale)
		if in.Met() != f.Met() || (in.Over() > 0) == in.Met() {
			t.Fatalf("%+v is reported as %+v", f, in)
		}
		if f.Of.Tokens > 0 && in.Target != f.Of.Tokens {
			t.Fatalf("a target of %d is reported as %d", f.Of.Tokens, in.Target)
		}
		if in.Least() != scale.Tokens(f.Least()) {
			t.Fatalf("%+v adds up to %d, not %d", in.Always, in.Least(), scale.Tokens(f.Least()))
		}
	})
}
