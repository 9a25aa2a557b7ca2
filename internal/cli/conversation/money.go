package conversation

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/live"
	"tenfold/internal/number"
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
func money(ctx context.Context, a *command.App, s *session.Session, f moneyFlags) (*report.Money, error) {
	var o replay.Options
	var names []string
	if f.ours || len(f.strategies) > 0 {
		var err error
		if o, names, err = Replay(a, s, f.strategies); err != nil {
			return nil, err
		}
	}
	return report.MoneyOf(ctx, s.Log(), o, names...)
}

// Replay says how a conversation would have been compacted while it went on: with
// the strategies named, or with those configured, whose names it gives.
func Replay(a *command.App, s *session.Session, strategies []string) (o replay.Options, names []string, err error) {
	e, err := a.Effective(command.ExtrasOf(s.Log())...)
	if err != nil {
		return o, nil, err
	}
	all, err := (&compaction.Flags{Given: compaction.NoFlags, Strategies: strategies}).Choose(e)
	if err != nil {
		return o, nil, err
	}
	for _, c := range all {
		o.Strategies = append(o.Strategies, c.Strategy)
		names = append(names, c.Name())
	}
	tail := e.Tail()
	o.Bounds, o.OpenEnd = &tenfold.Bounds{Tail: &tail}, true
	o.Options.Tools, o.Options.Subsumer = e.ToolSettings(), live.Subsumer(e.Config)
	o.Options.Window = e.Window(s.Projection().Config().Model)
	micro := e.Conversation.Compaction.Micro
	o.Rule = trigger.CacheAware{ClearAtLeast: int(micro.ClearAtLeast), ColdAfter: time.Duration(micro.ColdAfter)}
	return o, names, nil
}

// printMoney prints what a conversation cost.
func printMoney(a *command.App, m *report.Money) {
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
		responses := number.Count(r.Responses, "response")
		if r.Priced < r.Responses {
			responses = number.Thousands(r.Priced) + " of " + responses + ", without " + unpricedWords(r.Unpriced)
		}
		cached := ""
		if input := r.Input + r.CacheRead + r.CacheWrite; input > 0 {
			cached = strconv.Itoa(int(math.Round(100*float64(r.CacheRead)/float64(input)))) + " % of the input read from the cache"
		}
		a.TwoParts(terminal.Normal, first+number.Balance(r.Dollars)+" for "+responses, cached)
	}
	if m.Own != nil {
		printBalance(a, number.Count(m.Own.Compactions, "recorded compaction"), m.Own)
	}
	if m.Ours != nil {
		printBalance(a, number.Count(m.Ours.Compactions, "compaction")+" by "+strategyWords(m.Ours.Strategies), m.Ours)
	}
	if m.Unpriced && (r.Priced > 0 || r.Responses == 0) { // else it is said above
		model := cmp.Or(terminal.VisibleLine(m.Model), "an unnamed model")
		a.TwoParts(terminal.Normal, "  savings of compactions: unknown", "no price for "+model)
	}
	if m.Own != nil || m.Ours != nil {
		a.Line(0, a.Paint(terminal.Faint, "Input replayed at the price of "+terminal.VisibleLine(m.Model)+", compared with no compaction."))
	}
}

// printBalance prints the net saving of compactions and what it consists of.
func printBalance(a *command.App, name string, b *report.Balance) {
	parts := []string{number.Balance(b.Saved) + " saved"}
	if words := number.Balance(-b.Rewriting); words != number.NoDollars {
		parts = append(parts, words+" for rewriting the cache")
	}
	if words := number.Balance(-b.Summaries); words != number.NoDollars {
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
		parts = append(parts, "broke even at request "+number.Thousands(b.BreakEven)+" of "+number.Thousands(b.Requests))
	}
	if b.TooLarge > 0 {
		parts = append(parts, number.Count(b.TooLarge, "request")+" too large for the window without compaction")
	}
	a.TwoParts(terminal.Normal, "  "+name+": net "+number.Balance(b.Net), strings.Join(parts, "; "))
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
