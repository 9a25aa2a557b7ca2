package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/eval"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/trigger"
)

// moneyFlags ask what compactions would have saved.
type moneyFlags struct {
	ours       bool
	strategies []string
}

// money computes what a conversation cost; nil if nothing is known.
func (a *app) money(ctx context.Context, s *session.Session, f moneyFlags) (*report.Money, error) {
	var o eval.ReplayOptions
	var names []string
	if f.ours || len(f.strategies) > 0 {
		var err error
		if o, names, err = a.replayOf(s, f.strategies); err != nil {
			return nil, err
		}
	}
	return report.MoneyOf(ctx, s.Log(), o, names...)
}

// replayOf says how a conversation would have been compacted while it went on: with
// the strategies named, or with those configured, whose names it gives.
func (a *app) replayOf(s *session.Session, strategies []string) (o eval.ReplayOptions, names []string, err error) {
	e, err := a.effective(extrasOf(s.Log())...)
	if err != nil {
		return o, nil, err
	}
	all, err := (&rangeFlags{given: noFlags, strategies: strategies}).choose(e)
	if err != nil {
		return o, nil, err
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
	return o, names, nil
}

// printMoney prints what a conversation cost.
func (a *app) printMoney(m *report.Money) {
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
func (a *app) printBalance(name string, b *report.Balance) {
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
