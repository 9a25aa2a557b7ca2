package compaction

import (
	"testing"

	"tenfold/strategy"
)

func TestSpanWhere(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, tt := range []struct {
		span strategy.Span
		want string
	}{
		{strategy.Span{}, "turn 0"},
		{strategy.Span{FromTurn: 1, ToTurn: 8}, "turns 1..8"},
		{strategy.Span{ToStep: n(41)}, "turn 0, steps 0..41"},
		{strategy.Span{FromStep: n(42)}, "turn 0, from step 42"},
		{strategy.Span{FromStep: n(3), ToStep: n(5)}, "turn 0, steps 3..5"},
		{strategy.Span{FromStep: n(3), ToStep: n(3)}, "turn 0, step 3"},
		{strategy.Span{ToTurn: 2, ToStep: n(5)}, "turns 0..2, to step 5"},
		{strategy.Span{ToTurn: 2, FromStep: n(5)}, "turns 0..2, from step 5"},
		{strategy.Span{ToTurn: 2, FromStep: n(5), ToStep: n(7)}, "turn 0, step 5 to turn 2, step 7"},
	} {
		if got := spanWhere(tt.span); got != tt.want {
			t.Errorf("a span is at %q, want %q", got, tt.want)
		}
	}
}
