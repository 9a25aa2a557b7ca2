package eval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/strategy"
)

// Of a family with several targets the one that matters is replayed; what is no
// strategy is not, nor what is there to be held against the whole.
func TestWhatIsPriced(t *testing.T) {
	var o Options
	for _, text := range []string{
		"none", "keep-newest-10", "micro", "head-tail", "suffix:target=5%", "fit:target=5%", "fit:target=10%", "fit:target=20%", "fit:target=10%,without=model",
	} {
		p, err := ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Policies = append(o.Policies, p)
	}
	var got []string
	for _, p := range o.priced() {
		got = append(got, p.text)
	}
	if want := "keep-newest-10 micro fit:target=10%"; strings.Join(got, " ") != want {
		t.Errorf("%q are replayed, want %q", got, want)
	}
}

// Sums are over the sessions with a price; what costs more is told as that.
func TestSpending(t *testing.T) {
	one := func(policy string, none, own, rule float64, firings, even int) Priced {
		return Priced{Policy: policy, Result: replay.Result{
			None: replay.Cost{Dollars: none}, Own: replay.Cost{Dollars: own}, Rule: replay.Cost{Dollars: rule, Firings: firings, BreakEven: even},
		}}
	}
	r := &Result{Sessions: []SessionResult{
		{Priced: []Priced{one("a", 4, 3, 2, 1, 7), one("b", 4, 3, 6, 5, 0)}},
		{Priced: []Priced{{Policy: "a", Unknown: true}, {Policy: "b", Unknown: true}}},
		{Priced: []Priced{one("a", 1, 1, 1.5, 2, 0), one("b", 1, 1, 1, 0, 0)}},
	}}
	got := r.spend()
	want := []Spending{
		{Policy: "a", Sessions: 2, Unknown: 1, None: 5, Own: 4, Rule: 3.5, Firings: 3, Dearer: 1, BreakEven: 7},
		{Policy: "b", Sessions: 2, Unknown: 1, None: 5, Own: 4, Rule: 7, Firings: 5, Dearer: 1},
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Fatalf("%+v, want %+v", got, want)
	}
	tables := r.spendingTables(Summary{Spending: got})
	if len(tables) != 1 || len(tables[0].Rows) != 4 || !strings.Contains(tables[0].About, "1 session is not known") {
		t.Fatalf("%+v", tables)
	}
	for i, change := range []string{"", "-20 %", "-30 %", "+40 %"} {
		if cells := tables[0].Rows[i].Cells; len(cells) != len(tables[0].Columns) || cells[1] != change {
			t.Errorf("row %d is %q, want %q", i, cells, change)
		}
	}
}

// A session's replay is that of its strategies; a price that is not known is no
// failure.
func TestPrice(t *testing.T) {
	l := tenfold.NewLog()
	add := func(id string, p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{ID: id, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add("u", tenfold.UserMessage{Parts: tenfold.Text("go")})
	for _, id := range strings.Fields("a b c d e f g h") {
		add(id, tenfold.ToolCall{CallID: id, Name: "Bash", Arguments: `{"command":"ls"}`})
		add(id+"r", tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("word ", 4000))})
	}
	p, err := ParsePolicy("keep-newest-1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := price(t.Context(), l, Options{Policies: []Policy{p}, Models: []string{"claude-sonnet-4-5", "nonesuch"}})
	if err != nil || len(got) != 2 || got[0].Unknown || !got[1].Unknown {
		t.Fatalf("%+v, %v", got, err)
	}
	s, err := strategy.Parse("micro:keep_recent=1,over=0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Run(t.Context(), l, replay.Options{Strategies: []strategy.Strategy{s}, Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got[0].Result.Rule, r.Rule; math.Abs(a.Dollars-b.Dollars) > 1e-12 || a.Firings != b.Firings || a.Firings == 0 {
		t.Errorf("%+v, want %+v", a, b)
	}
	if _, err := price(t.Context(), l, Options{Policies: []Policy{p}}); err != nil && !errors.Is(err, replay.ErrNoPrice) {
		t.Error(err)
	}
}
