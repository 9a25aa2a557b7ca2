package report

import (
	"context"
	"math"

	"tenfold"
	"tenfold/eval/replay"
)

// Money is what a conversation cost and what compactions saved, in US dollars.
type Money struct {
	Recorded replay.Recorded `json:"recorded"`
	// Model is the one whose prices and cache rules apply; empty without a
	// balance.
	Model string `json:"model,omitzero" doc:"whose prices and cache rules apply; left out without a balance"`
	// Unpriced reports that its price is unknown, so there is no balance.
	Unpriced bool     `json:"unpriced,omitzero" doc:"its price is unknown: no balance"`
	Own      *Balance `json:"own,omitzero" doc:"what compactions that the log holds saved"`
	Ours     *Balance `json:"ours,omitzero" doc:"what the configured strategies would have saved"`
}

// A Balance is what compactions cost and saved, in comparison with none.
type Balance struct {
	Strategies  []string `json:"strategies,omitzero"`
	Compactions int      `json:"compactions"`
	Saved       float64  `json:"saved"`
	Rewriting   float64  `json:"rewriting" doc:"cost of rewriting the prompt cache"`
	Summaries   float64  `json:"summaries"`
	Estimated   float64  `json:"summaries_estimated" doc:"part of it that is estimated, not recorded"`
	Net         float64  `json:"net" doc:"negative if they cost more than they saved"`
	BreakEven   int      `json:"break_even" doc:"break-even request, counted from 1; 0 for never"`
	Requests    int      `json:"requests"`
	TooLarge    int      `json:"too_large" doc:"requests that would not have fit the window without compaction"`
}

// MoneyOf computes what a conversation cost; nil if nothing is known. The options'
// strategies, if there are any, are replayed over it; names are how they are
// called.
func MoneyOf(ctx context.Context, l *tenfold.Log, o replay.Options, names ...string) (*Money, error) {
	m, err := replay.MoneyOf(ctx, l, o)
	if err != nil || (m.Recorded.Responses == 0 && len(o.Strategies) == 0) {
		return nil, err
	}
	out := &Money{Recorded: m.Recorded, Own: newBalance(m.Own, nil), Ours: newBalance(m.Ours, names)}
	out.Recorded.Dollars = micros(m.Recorded.Dollars)
	if out.Own != nil && out.Own.Compactions == 0 {
		out.Own = nil // no request came after them
	}
	if out.Unpriced = len(names) > 0 && m.Ours == nil; out.Unpriced || out.Own != nil || out.Ours != nil {
		out.Model = m.Model
	}
	return out, nil
}

func newBalance(b *replay.Balance, strategies []string) *Balance {
	if b == nil {
		return nil
	}
	return &Balance{
		strategies, b.Compactions, micros(b.Saved), micros(b.Rewriting), micros(b.Summaries), micros(b.Estimated), micros(b.Net()),
		b.BreakEven, b.Requests, b.TooLarge,
	}
}

// micros rounds dollars to a millionth, about the price of a token.
func micros(dollars float64) float64 { return math.Round(dollars*1e6) / 1e6 }
