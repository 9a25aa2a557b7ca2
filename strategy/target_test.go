package strategy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/tool"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]strategy.Target{
		"20k": {Tokens: 20_000}, "800": {Tokens: 800}, "1.5m": {Tokens: 1_500_000}, " 300t ": {Tokens: 300},
		"10%": {Share: 0.1}, "100%": {Share: 1},
	} {
		if got, err := strategy.ParseTarget(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "0%", "-5", "101%", "small", "0k", "NaN%", "5 %k"} {
		if got, err := strategy.ParseTarget(text); err == nil || !strings.Contains(err.Error(), "write tokens (20k, 20000)") {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// steps names the steps of a plan that did something.
func steps(made strategy.Plan) string {
	var names []string
	for _, s := range made.Steps {
		if s.Entries > 0 {
			names = append(names, s.Strategy)
		}
	}
	return strings.Join(names, " ")
}

// The ladder is climbed as far as it must be, the oldest turn first, and the
// tail comes last.
func TestTargetClimbs(t *testing.T) {
	// 3 turns of 4 + 500 + 3 + 500 + 250 tokens or so.
	var lines []string
	for i := range 3 {
		lines = append(lines, "t", fmt.Sprintf("u ask%d", i), "k *2000",
			fmt.Sprintf("c r%d run {}", i), fmt.Sprintf("r r%d *2000", i), "a *1000")
	}
	l := script(t, lines...)
	p := tenfold.Project(l)
	span := tenfold.Range{ToTurn: 1}
	for _, tt := range []struct {
		tokens int
		tail   bool
		after  int
		steps  string
	}{
		{p.Tokens(), true, p.Tokens(), ""},
		{p.Tokens() - 1, true, 3259, "strip-reasoning"},
		{2900, true, 2759, "strip-reasoning"},
		{2790, true, 2759, "strip-reasoning"},
		{2500, true, 2265, "strip-reasoning strip-tools"},
		{1700, true, 1512, "strip-reasoning strip-tools hide-oldest"},
		{1400, true, 1253, "strip-reasoning strip-tools hide-oldest"},
		{1200, true, 753, "strip-reasoning strip-tools hide-oldest strip-reasoning (tail)"},
		{1200, false, 1253, "strip-reasoning strip-tools hide-oldest"},
		{1, true, 251, "strip-reasoning strip-tools hide-oldest strip-reasoning (tail) strip-tools (tail) hide-oldest (tail)"},
	} {
		o := strategy.Options{Range: span, Hints: tool.Hints{}, Source: "user"}
		target := strategy.Target{Tokens: tt.tokens, Tail: tt.tail}
		made, err := strategy.Pipeline{target}.Plan(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := steps(made); got != tt.steps || made.After.Tokens() != tt.after {
			t.Errorf("to %d tokens of %d: %d by %s, want %d by %s", tt.tokens, p.Tokens(), made.After.Tokens(), got, tt.after, tt.steps)
		}
		if proposed, err := target.Propose(context.Background(), p, o); err != nil || len(proposed) != len(made.Compactions) {
			t.Errorf("alone it proposes %d overlays, %v", len(proposed), err)
		}
	}
}

// One enormous turn is cut at a step, and its request stays.
func TestTargetInsideATurn(t *testing.T) {
	lines := []string{"t", "u do it all"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("a step %d *400", i), fmt.Sprintf("c %d run {}", i), fmt.Sprintf("r %d fine", i))
	}
	l := script(t, lines...)
	p := tenfold.Project(l)
	span := tenfold.Range{ToStep: step(15)}
	for _, limit := range []int{1500, 800, 560} {
		made, err := strategy.Pipeline{strategy.Target{Tokens: limit}}.Plan(context.Background(), p, strategy.Options{Range: span, Hints: tool.Hints{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := made.After.Tokens(); got > limit || got < limit-150 {
			t.Errorf("%d tokens for a target of %d", got, limit)
		}
		if view := shown(made.After); !strings.HasPrefix(view, "u do it all | ") {
			t.Errorf("to %d it is %s", limit, view)
		}
	}
}

// TestTargetLaws: what a target makes is a plan like any other; it is met
// wherever hiding all that may be hidden would meet it, stubs aside; nothing behind the
// range is touched while the range suffices, and never when it must not be.
func TestTargetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(48).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		if l.Turns() == 0 {
			return
		}
		span := tenfold.Range{ToTurn: rapid.IntRange(0, l.Turns()-1).Draw(t, "to")}
		span.FromTurn = rapid.IntRange(0, span.ToTurn).Draw(t, "from")
		raw := tenfold.Project(l)
		for range 4 {
			target := strategy.Target{Tokens: rapid.IntRange(1, raw.Tokens()+1).Draw(t, "target"), Tail: rapid.Bool().Draw(t, "tail")}
			var pl strategy.Pipeline
			if rapid.Bool().Draw(t, "first") {
				pl = append(pl, parseOne(t, rapid.SampledFrom([]string{"strip-tools", "dedup-tools", "micro:keep_recent=1,over=40"}).Draw(t, "strategy")))
			}
			o := able(span)
			chosen, err := pl.Plan(context.Background(), raw, o)
			if err != nil {
				t.Fatal(err)
			}
			pl = append(pl, target)
			holdComposition(t, l, o, pl, false)
			made, err := pl.Plan(context.Background(), raw, o)
			if err != nil {
				t.Fatal(err)
			}
			if made.After.Tokens() > target.Tokens {
				// A stub can cost more than the crumb it stands for.
				stubs := 12 * (made.After.Totals().Of(tenfold.Stripped).Entries + made.After.Totals().Of(tenfold.Trimmed).Entries)
				if most, ok := mostHidden(l, span, target.Tail); ok {
					least := min(made.After.With(most).Tokens(), chosen.After.With(most).Tokens()+stubs)
					if least <= target.Tokens {
						t.Fatalf("%d tokens, but hiding leaves %d and the target is %d: %+v", made.After.Tokens(), least, target.Tokens, made.Steps)
					}
				}
			}
			within := raw
			for _, c := range made.Compactions {
				if c.ToTurn > span.ToTurn {
					if !target.Tail || within.Tokens() <= target.Tokens {
						t.Fatalf("the tail is touched (%v, %d tokens for %d)", target.Tail, within.Tokens(), target.Tokens)
					}
					break
				}
				within = within.With(c)
			}
		}
	})
}

// mostHidden is the overlay that hides all a target may.
func mostHidden(l *tenfold.Log, span tenfold.Range, tail bool) (tenfold.Compaction, bool) {
	end := l.Turns() - 1
	if !tail {
		end = span.ToTurn
	}
	r := tenfold.Range{FromTurn: span.FromTurn, ToTurn: end}
	if end == l.Turns()-1 {
		last, _ := l.Turn(end)
		switch {
		case last.Steps > 1:
			r.ToStep = step(last.Steps - 2)
		case end == span.FromTurn:
			return tenfold.Compaction{}, false
		default:
			r.ToTurn--
		}
	}
	return r.On(tenfold.Compaction{Turns: tenfold.Omit}), true
}

func parseOne(t *rapid.T, text string) strategy.Strategy {
	s, err := strategy.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
