package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/strategy"
)

// A Priced is what the input of one session costs under one policy, at one
// price.
type Priced struct {
	// Policy fires by the default rule (trigger.CacheAware).
	Policy string
	// Asked is the model whose prices were asked for; empty for the session's
	// own.
	Asked string
	// Result is what came out; with Unknown set, nothing, for want of a price.
	Result  replay.Result
	Unknown bool
}

// priced tells which policies are replayed: strategies over everything, of a
// family with several targets only the one that matters most, for a replay
// plans many times over.
func (o Options) priced() []Policy {
	var list []Policy
	for _, p := range o.Policies {
		family := slices.DeleteFunc(slices.Clone(o.Policies), func(q Policy) bool { return q.family != p.family })
		whole, without := splitWithout(p.text)
		ablation := without != "" && slices.ContainsFunc(o.Policies, func(q Policy) bool { return q.text == whole })
		if len(p.strategies) > 0 && !ablation && (len(family) == 1 || p.text == o.Focus()) {
			list = append(list, p)
		}
	}
	return list
}

// price replays a conversation under the policies.
func price(ctx context.Context, l *tenfold.Log, o Options) ([]Priced, error) {
	var out []Priced
	models := o.Models
	if len(models) == 0 {
		models = []string{""}
	}
	for _, model := range models {
		for _, p := range o.priced() {
			r, err := replay.Run(ctx, l, replay.Options{Strategies: p.strategies, Model: model, WithoutEvery: true, Prices: o.Prices, Options: strategy.Options{Source: "lab"}})
			switch {
			case errors.Is(err, replay.ErrNoPrice):
				out = append(out, Priced{Policy: p.text, Asked: model, Result: replay.Result{Model: r.Model}, Unknown: true})
			case err != nil:
				return nil, fmt.Errorf("replay %s: %w", p.text, err)
			default:
				out = append(out, Priced{Policy: p.text, Asked: model, Result: r})
			}
		}
	}
	return out, nil
}

// A Spending is what the input of all sessions with a known price costs under
// one policy.
type Spending struct {
	Policy string `json:"policy"`
	Asked  string `json:"model,omitzero"`
	// Sessions have a price, Unknown have none.
	Sessions int `json:"sessions"`
	Unknown  int `json:"unpriced"`
	// None is without any compaction, Own with those that the sessions' tools
	// made, Rule with the policy, in US dollars.
	None float64 `json:"none"`
	Own  float64 `json:"own"`
	Rule float64 `json:"rule"`
	// Firings is how often the policy fired in all, Dearer how many sessions
	// cost more with it than without.
	Firings int `json:"firings"`
	Dearer  int `json:"dearer"`
	// BreakEven is the median of the requests from which on it pays, over the
	// sessions in which it does; 0 where it does in none.
	BreakEven int `json:"break_even,omitzero"`
}

// spend adds up what the replays say, in their order.
func (r *Result) spend() []Spending {
	var list []Spending
	at := map[[2]string]int{}
	evens := map[[2]string][]int{}
	for i := range r.Sessions {
		for _, p := range r.Sessions[i].Priced {
			key := [2]string{p.Asked, p.Policy}
			j, ok := at[key]
			if !ok {
				j = len(list)
				at[key] = j
				list = append(list, Spending{Policy: p.Policy, Asked: p.Asked})
			}
			s := &list[j]
			if p.Unknown {
				s.Unknown++
				continue
			}
			s.Sessions++
			s.None += p.Result.None.Dollars
			s.Own += p.Result.Own.Dollars
			s.Rule += p.Result.Rule.Dollars
			s.Firings += p.Result.Rule.Firings
			if p.Result.Saved(p.Result.Rule) < 0 {
				s.Dearer++
			}
			if n := p.Result.Rule.BreakEven; n > 0 {
				evens[key] = append(evens[key], n)
			}
		}
	}
	for key, values := range evens {
		slices.Sort(values)
		list[at[key]].BreakEven = values[len(values)/2]
	}
	return list
}

// spendingTables writes what the input costs, a table for each model asked for.
func (r *Result) spendingTables(s Summary) []Table {
	var tables []Table
	for _, sp := range s.Spending {
		if sp.Sessions == 0 {
			continue
		}
		title := "What the input costs"
		if sp.Asked != "" {
			title += " at the prices of " + sp.Asked
		}
		if n := len(tables); n == 0 || tables[n-1].Title != title {
			about := fmt.Sprintf("US dollars for the input of all requests of %s, with prompt caching; policies fire by the default rule. "+
				"dearer: sessions that cost more; pays from: the request from which on it has cost less, in the median.", counted(sp.Sessions, "session"))
			if sp.Unknown > 0 {
				about += fmt.Sprintf(" The price of %s is not known.", counted(sp.Unknown, "session"))
			}
			tables = append(tables, Table{
				Title: title, About: about, Columns: []string{"dollars", "change", "firings", "dearer", "pays from"},
				Rows: []TableRow{{"no compaction", []string{fmt.Sprintf("%.2f", sp.None), "", "", "", ""}}},
			})
			if sp.Own != sp.None {
				tables[n].Rows = append(tables[n].Rows, TableRow{"as it was compacted", []string{fmt.Sprintf("%.2f", sp.Own), change(sp.None, sp.Own), "", "", ""}})
			}
		}
		t := &tables[len(tables)-1]
		from := missing
		if sp.BreakEven > 0 {
			from = "request " + strconv.Itoa(sp.BreakEven)
		}
		t.Rows = append(t.Rows, TableRow{sp.Policy, []string{
			fmt.Sprintf("%.2f", sp.Rule), change(sp.None, sp.Rule), strconv.Itoa(sp.Firings), strconv.Itoa(sp.Dearer), from,
		}})
	}
	return tables
}

// change is how much more or less is spent, in percent.
func change(before, after float64) string {
	if before <= 0 {
		return missing
	}
	return fmt.Sprintf("%+.0f %%", (after/before-1)*100)
}
