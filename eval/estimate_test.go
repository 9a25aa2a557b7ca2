package eval

import (
	"math"
	"strings"
	"testing"
)

// Sources weigh the same, sessions of one source too; the percentile is over
// all sessions.
func TestEstimate(t *testing.T) {
	samples := []sample{{"one", .2}, {"two", .6}, {"two", .8}, {"two", 1}}
	e := estimate(samples)
	if want := (.2 + .8) / 2; math.Abs(e.Mean-want) > 1e-12 || e.Sessions != 4 || e.Sources != 2 {
		t.Errorf("the mean is %g of %d sessions and %d sources, want %g", e.Mean, e.Sessions, e.Sources, want)
	}
	if want := .2 + .3*.4; math.Abs(e.P10-want) > 1e-12 {
		t.Errorf("the tenth percentile is %g, want %g", e.P10, want)
	}
	// The source with one session does not vary, the other between .6 and 1.
	if e.Low < .4 || e.High > .6 || e.Low >= e.Mean || e.High <= e.Mean {
		t.Errorf("the interval is %g to %g around %g", e.Low, e.High, e.Mean)
	}
	if again := estimate(samples); again != e {
		t.Errorf("then %+v, now %+v", e, again)
	}
	if one := estimate(samples[:1]); one.Low != .2 || one.High != .2 || one.P10 != .2 {
		t.Errorf("of one session it is %+v", one)
	}
	if none := estimate(nil); none.OK() {
		t.Errorf("of none it is %+v", none)
	}
}

// More sessions narrow the interval.
func TestIntervalNarrows(t *testing.T) {
	var few, many []sample
	for i := range 64 {
		s := sample{"one", float64(i % 2)}
		if many = append(many, s); i < 8 {
			few = append(few, s)
		}
	}
	a, b := estimate(few), estimate(many)
	if a.High-a.Low < 2*(b.High-b.Low) {
		t.Errorf("of 8 sessions it is %g wide, of 64 %g", a.High-a.Low, b.High-b.Low)
	}
	// Half of 64 coins: the standard deviation is 1/16.
	if half := (b.High - b.Low) / 2; math.Abs(half-1.96/16) > .02 {
		t.Errorf("of 64 coins it is %g to either side", half)
	}
}

// Tokens at equal recall are read off the line over the logarithm of what is
// kept, and not beyond its ends.
func TestEquals(t *testing.T) {
	row := func(policy, family string, kept, cur float64) Row {
		return Row{Policy: policy, Family: family, Horizon: 30, Figures: [measures]Estimate{Kept: {Mean: kept}, CUR: {Mean: cur, Sessions: 1}}}
	}
	rows := []Row{
		row("keep", "keep", .4, .75), row("high", "high", .9, .95), row("none", "none", 1, 1),
		row("s:target=20%", "s", .20, .9), row("s:target=5%", "s", .05, .6),
		row("clairvoyant:target=1%", "clairvoyant", .01, .5), row("clairvoyant:target=2%", "clairvoyant", .02, 1),
	}
	got := equals(rows)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	if e := got[0]; e.Family != "s" || e.Policy != "keep" || math.Abs(e.Kept-.1) > 1e-12 || e.Other != .4 {
		t.Errorf("%+v", e)
	}
}

// A session's figure is the mean over its cuts; where a cut has none it is left
// out, and so is a session without any.
func TestSamples(t *testing.T) {
	cell := func(policy string, cut int, part, whole float64) Cell {
		return Cell{Policy: policy, Cut: cut, Score: Score{Recalls: []Recall{{Horizon: All, CUR: Share{part, whole}}}, Kept: Share{1, 2}, Violations: -1}}
	}
	p, q := Policy{text: "p", family: "p"}, Policy{text: "q:target=1%", family: "q"}
	r := &Result{
		Options: Options{Policies: []Policy{p, q}, Cuts: []int{25, 50}, Horizons: []int{All}},
		Sessions: []SessionResult{
			{File: File{Name: "a", Source: "s"}, Format: "x", Cells: []Cell{cell("p", 25, 1, 4), cell("q", 25, 0, 4), cell("p", 50, 3, 4), cell("q", 50, 4, 4)}},
			{File: File{Name: "b", Source: "s"}, Format: "y", Cells: []Cell{cell("p", 50, 1, 1), cell("q", 50, 0, 0)}},
			{File: File{Name: "c", Source: "t"}, Skipped: "short"},
		},
	}
	s := r.Summarise()
	if s.Sessions != 2 || s.Sources != 1 || s.Cuts != 3 || s.Skipped != 1 {
		t.Errorf("%d sessions, %d sources, %d cuts, %d skipped", s.Sessions, s.Sources, s.Cuts, s.Skipped)
	}
	for _, want := range []struct {
		by, name, policy string
		mean             float64
		sessions         int
	}{
		{"all", "all", "p", .75, 2},
		{"all", "all", "q:target=1%", .5, 1},
		{"format", "x", "p", .5, 1},
		{"format", "y", "p", 1, 1},
		{"format", "y", "q:target=1%", 0, 0},
		{"cut", "25 %", "p", .25, 1},
		{"cut", "50 %", "p", .875, 2},
	} {
		for _, g := range s.Groups {
			for _, row := range g.Rows {
				if g.By == want.by && g.Name == want.name && row.Policy == want.policy && (row.Figures[CUR].Mean != want.mean || row.Figures[CUR].Sessions != want.sessions) {
					t.Errorf("%+v: %+v", want, row.Figures[CUR])
				}
			}
		}
	}
	if len(s.Groups) != 6 {
		t.Errorf("%d groups", len(s.Groups))
	}
	if w := s.Worst[0]; w.Name != "a" || w.Cut != 25 || w.CUR != .25 || w.Kept != .5 {
		t.Errorf("the worst case is %+v", w)
	}
	for _, table := range r.Tables(s) {
		for _, row := range table.Rows {
			if row.Name != "" && len(row.Cells) != len(table.Columns) {
				t.Errorf("%s: %q has %d cells in %d columns", table.Title, row.Name, len(row.Cells), len(table.Columns))
			}
		}
	}
}

// A worst case is named with a command that a shell takes as it stands.
func TestCommand(t *testing.T) {
	c := Case{Name: "a b/it's $x.jsonl", Policy: "fit:target=10%,without=model", Cut: 50, Horizon: All}
	if got, want := c.Command(), `tenfold lab 'a b/it'\''s $x.jsonl' --cuts 50 --horizon all --strategy fit:target=10%,without=model`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAblationsTable(t *testing.T) {
	whole, without := splitWithout("fit:target=10%,without=model")
	if whole != "fit:target=10%" || without != "model" {
		t.Errorf("%q, %q", whole, without)
	}
	row := func(policy string, cur float64) Row {
		return Row{Policy: policy, Horizon: 30, Figures: [measures]Estimate{CUR: {Mean: cur, Sessions: 1}, Kept: {Mean: .1, Sessions: 1}}}
	}
	r := &Result{Options: Options{Horizons: []int{30}, Policies: []Policy{{text: "fit:target=10%"}, {text: "fit:target=10%,without=model"}, {text: "micro"}}}}
	got := r.ablations(Group{Rows: []Row{row("fit:target=10%", .8), row("fit:target=10%,without=model", .75), row("micro", .9)}})
	if len(got.Rows) != 2 || got.Rows[1].Cells[2] != "-0.050" || !strings.Contains(got.Rows[1].Name, "model") {
		t.Errorf("%+v", got.Rows)
	}
}
