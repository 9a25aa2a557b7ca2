package cli

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/eval"
	"tenfold/internal/cli/terminal"
	"tenfold/session"
	"tenfold/trigger"
)

// moneyFlags ask what compactions would have saved.
type moneyFlags struct {
	ours       bool
	strategies []string
}

// moneyJSON is what a conversation cost and what compactions saved, in US
// dollars.
type moneyJSON struct {
	Recorded recordedJSON `json:"recorded"`
	// Model is the one whose prices and cache rules apply; empty without a
	// balance.
	Model string `json:"model,omitzero"`
	// Unpriced reports that its price is unknown, so there is no balance.
	Unpriced bool         `json:"unpriced,omitzero"`
	Own      *balanceJSON `json:"own,omitzero"`
	Ours     *balanceJSON `json:"ours,omitzero"`
}

type recordedJSON struct {
	Responses  int      `json:"responses"`
	Priced     int      `json:"priced"`
	Dollars    float64  `json:"dollars"`
	Unpriced   []string `json:"unpriced"`
	Input      int      `json:"input"`
	CacheRead  int      `json:"cache_read"`
	CacheWrite int      `json:"cache_write"`
	Output     int      `json:"output"`
}

type balanceJSON struct {
	Strategies  []string `json:"strategies,omitzero"`
	Compactions int      `json:"compactions"`
	Saved       float64  `json:"saved"`
	Rewriting   float64  `json:"rewriting"`
	Summaries   float64  `json:"summaries"`
	Estimated   float64  `json:"summaries_estimated"`
	Net         float64  `json:"net"`
	BreakEven   int      `json:"break_even"`
	Requests    int      `json:"requests"`
	TooLarge    int      `json:"too_large"`
}

// money computes what a conversation cost; nil if nothing is known.
func (a *app) money(ctx context.Context, s *session.Session, f moneyFlags) (*moneyJSON, error) {
	var o eval.ReplayOptions
	var names []string
	if f.ours || len(f.strategies) > 0 {
		e, err := a.effective(extrasOf(s.Log())...)
		if err != nil {
			return nil, err
		}
		all, err := (&rangeFlags{flags: a.settings.root, strategies: f.strategies}).choose(e)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			o.Strategies = append(o.Strategies, c.Strategy)
			names = append(names, c.Name())
		}
		tail := e.Tail()
		o.Bounds, o.OpenEnd = &tenfold.Bounds{Tail: &tail}, true
		o.Options.Tools = e.ToolSettings()
		o.Options.Window = e.Window(s.Projection().Config().Model)
		micro := e.Conversation.Compaction.Micro
		o.Rule = trigger.CacheAware{ClearAtLeast: int(micro.ClearAtLeast), ColdAfter: time.Duration(micro.ColdAfter)}
	}
	m, err := eval.MoneyOf(ctx, s.Log(), o)
	if err != nil || (m.Recorded.Responses == 0 && len(o.Strategies) == 0) {
		return nil, err
	}
	out := &moneyJSON{
		Recorded: recordedJSON{
			m.Recorded.Responses, m.Recorded.Priced, micros(m.Recorded.Dollars), m.Recorded.Unpriced,
			m.Recorded.Input, m.Recorded.CacheRead, m.Recorded.CacheWrite, m.Recorded.Output,
		},
		Own: newBalanceJSON(m.Own, nil), Ours: newBalanceJSON(m.Ours, names),
	}
	if out.Own != nil && out.Own.Compactions == 0 {
		out.Own = nil // no request came after them
	}
	if out.Unpriced = len(names) > 0 && m.Ours == nil; out.Unpriced || out.Own != nil || out.Ours != nil {
		out.Model = m.Model
	}
	return out, nil
}

func newBalanceJSON(b *eval.Balance, strategies []string) *balanceJSON {
	if b == nil {
		return nil
	}
	return &balanceJSON{
		strategies, b.Compactions, micros(b.Saved), micros(b.Rewriting), micros(b.Summaries), micros(b.Estimated), micros(b.Net()),
		b.BreakEven, b.Requests, b.TooLarge,
	}
}

// micros rounds dollars to a millionth, about the price of a token.
func micros(dollars float64) float64 { return math.Round(dollars*1e6) / 1e6 }

// printMoney prints what a conversation cost.
func (a *app) printMoney(m *moneyJSON) {
	if m == nil {
		return
	}
	r := m.Recorded
	switch first := a.Paint(terminal.Faint, terminal.Pad("Money", 14)); {
	case r.Responses == 0:
		a.Printf("%snot recorded\n", first)
	case r.Priced == 0:
		a.TwoParts(terminal.Normal, first+"unknown", "no price for "+unpricedWords(r.Unpriced))
	default:
		responses := count(r.Responses, "response", "responses")
		if r.Priced < r.Responses {
			responses = thousands(r.Priced) + " of " + responses + ", without " + unpricedWords(r.Unpriced)
		}
		cached := ""
		if input := r.Input + r.CacheRead + r.CacheWrite; input > 0 {
			cached = strconv.Itoa(r.CacheRead*100/input) + " % of the input read from the cache"
		}
		a.TwoParts(terminal.Normal, first+dollarsOf(r.Dollars)+" for "+responses, cached)
	}
	if m.Own != nil {
		a.printBalance(count(m.Own.Compactions, "compaction by its tool", "compactions by its tool"), m.Own)
	}
	if m.Ours != nil {
		a.printBalance(count(m.Ours.Compactions, "compaction", "compactions")+" by "+strategyWords(m.Ours.Strategies), m.Ours)
	}
	if m.Unpriced && (r.Priced > 0 || r.Responses == 0) { // else it is said above
		model := terminal.VisibleLine(m.Model)
		if model == "" {
			model = "an unnamed model"
		}
		a.TwoParts(terminal.Normal, "  savings of compactions: unknown", "no price for "+model)
	}
	if m.Own != nil || m.Ours != nil {
		a.Line(0, a.Paint(terminal.Faint, "Input replayed at the price of "+terminal.VisibleLine(m.Model)+", compared with no compaction."))
	}
}

// printBalance prints the net saving of compactions and what it consists of.
func (a *app) printBalance(name string, b *balanceJSON) {
	parts := []string{dollarsOf(b.Saved) + " saved"}
	if words := dollarsOf(-b.Rewriting); words != noDollars {
		parts = append(parts, words+" for rewriting the cache")
	}
	if words := dollarsOf(-b.Summaries); words != noDollars {
		words += " for summaries"
		if b.Estimated > 0 {
			words += ", estimated"
		}
		parts = append(parts, words)
	}
	switch {
	case b.Compactions == 0:
	case b.BreakEven == 0:
		parts = append(parts, "never broke even")
	default:
		parts = append(parts, "broke even at request "+thousands(b.BreakEven)+" of "+thousands(b.Requests))
	}
	if b.TooLarge > 0 {
		parts = append(parts, count(b.TooLarge, "request", "requests")+" too large for the window without compaction")
	}
	a.TwoParts(terminal.Normal, "  "+name+": net "+dollarsOf(b.Net), strings.Join(parts, "; "))
}

// strategyWords names strategies, and profiles as what they are.
func strategyWords(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = terminal.VisibleLine(strings.Replace(name, "profile:", "profile ", 1))
	}
	return strings.Join(words, " ")
}

// unpricedWords names the models that have no price.
func unpricedWords(models []string) string {
	words := make([]string, len(models))
	for i, model := range models {
		if words[i] = terminal.VisibleLine(model); model == "" {
			words[i] = "an unnamed model"
		}
	}
	return strings.Join(words, ", ")
}
