package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Table is a piece of a report: a line for each policy.
type Table struct {
	Title string
	// About is a sentence or two on how to read it.
	About   string
	Columns []string
	Rows    []TableRow
}

// A TableRow is one line of a table.
type TableRow struct {
	Name  string
	Cells []string
}

// missing stands for a figure that there is none of.
const missing = "–"

// Tables writes a summary as tables: the figures at the main horizon, recall by
// horizon, by format, by source and by cut, and what the families keep at the
// recall of others.
func (r *Result) Tables(s Summary) []Table {
	tables := []Table{r.figures(s.Groups[0])}
	if len(r.Options.Horizons) > 1 {
		tables = append(tables, r.byHorizon(s.Groups[0]))
	}
	for _, by := range []string{"format", "source", "cut"} {
		groups := slices.DeleteFunc(slices.Clone(s.Groups), func(g Group) bool { return g.By != by })
		if len(groups) > 1 {
			tables = append(tables, r.byGroup(by, groups))
		}
	}
	if t := r.ablations(s.Groups[0]); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	if t := r.equalTable(s); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	return append(tables, r.spendingTables(s)...)
}

func (r *Result) figures(g Group) Table {
	t := Table{
		Title: "Recall over " + horizonWords(r.Options.Main()),
		About: "kept: tokens of the view over those of the prefix. CUR: what is used later and stands in a readable line, with its 95 % interval; " +
			"p10: nine sessions in ten do better; strict: in nearly the whole line; present: anywhere; results: of what only results held. " +
			"dense: share of lines that are names alone. user: short messages that stand whole. trail: changed files with their last state. " +
			"stale: reads of files that changed later. invalid: what providers would refuse.",
		Columns: []string{"kept", "CUR", "95 %", "p10", "strict", "present", "results", "dense", "user", "trail", "stale", "invalid"},
	}
	alone := true // of one session there is neither interval nor percentile
	for _, row := range g.Rows {
		alone = alone && row.Kept.Sessions < 2
	}
	for _, row := range g.Rows {
		if row.Horizon != r.Options.Main() {
			continue
		}
		interval, p10, invalid := missing, missing, missing
		if row.CUR.OK() {
			interval = fmt.Sprintf("%.3f–%.3f", row.CUR.Low, row.CUR.High)
			p10 = fmt.Sprintf("%.3f", row.CUR.P10)
		}
		if row.Violations >= 0 {
			invalid = strconv.Itoa(row.Violations)
		}
		t.Rows = append(t.Rows, TableRow{row.Policy, []string{
			inPercent(row.Kept), decimal(row.CUR), interval, p10, decimal(row.Strict), decimal(row.Presence), decimal(row.ResultOnly),
			decimal(row.Density), decimal(row.User), decimal(row.Trail), decimal(row.Stale), invalid,
		}})
	}
	if alone {
		const interval, p10 = 2, 3
		t.Columns = slices.Delete(t.Columns, interval, p10+1)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, interval, p10+1)
		}
	}
	return t
}

func (r *Result) byHorizon(g Group) Table {
	t := Table{Title: "CUR by horizon", About: "How many requests after the cut are looked at."}
	for _, h := range r.Options.Horizons {
		t.Columns = append(t.Columns, horizonName(h))
	}
	for _, p := range r.Options.Policies {
		var cells []string
		for _, row := range g.Rows {
			if row.Policy == p.text {
				cells = append(cells, decimal(row.CUR))
			}
		}
		t.Rows = append(t.Rows, TableRow{p.text, cells})
	}
	return t
}

func (r *Result) byGroup(by string, groups []Group) Table {
	t := Table{Title: "CUR by " + by, About: "Over " + horizonWords(r.Options.Main()) + "; kept tokens below it."}
	var counted []string
	for _, g := range groups {
		t.Columns = append(t.Columns, g.Name)
		n := 0
		for _, row := range g.Rows {
			n = max(n, row.Kept.Sessions)
		}
		counted = append(counted, strconv.Itoa(n))
	}
	for _, p := range r.Options.Policies {
		curs, kept := TableRow{Name: p.text}, TableRow{}
		for _, g := range groups {
			for _, row := range g.Rows {
				if row.Policy == p.text && row.Horizon == r.Options.Main() {
					curs.Cells = append(curs.Cells, decimal(row.CUR))
					kept.Cells = append(kept.Cells, inPercent(row.Kept))
				}
			}
		}
		t.Rows = append(t.Rows, curs, kept)
	}
	t.Rows = append(t.Rows, TableRow{"sessions", counted})
	return t
}

// withoutKey names the ingredient that a strategy is measured without.
const withoutKey = "without="

// ablations holds each policy that lacks an ingredient against the same one
// with all.
func (r *Result) ablations(g Group) Table {
	t := Table{
		Title: "Without each ingredient", Columns: []string{"kept", "CUR", "change", "strict", "dense"},
		About: "What recall is lost, or gained, where one part of the strategy is switched off.",
	}
	rows := map[string]Row{}
	for _, row := range g.Rows {
		if row.Horizon == r.Options.Main() {
			rows[row.Policy] = row
		}
	}
	told := map[string]bool{}
	for _, p := range r.Options.Policies {
		whole, without := splitWithout(p.text)
		full, ok := rows[whole]
		if row := rows[p.text]; ok && without != "" && row.CUR.OK() {
			if !told[whole] {
				told[whole] = true
				t.Rows = append(t.Rows, TableRow{whole, []string{inPercent(full.Kept), decimal(full.CUR), "", decimal(full.Strict), decimal(full.Density)}})
			}
			t.Rows = append(t.Rows, TableRow{"  without " + without, []string{
				inPercent(row.Kept), decimal(row.CUR), fmt.Sprintf("%+.3f", row.CUR.Mean-full.CUR.Mean), decimal(row.Strict), decimal(row.Density),
			}})
		}
	}
	return t
}

// splitWithout takes the parameter that leaves something out off a policy.
func splitWithout(policy string) (whole, without string) {
	name, parameters, _ := strings.Cut(policy, ":")
	var rest []string
	for parameter := range strings.SplitSeq(parameters, ",") {
		if value, ok := strings.CutPrefix(parameter, withoutKey); ok {
			without = value
			continue
		}
		rest = append(rest, parameter)
	}
	return name + ":" + strings.Join(rest, ","), without
}

func (r *Result) equalTable(s Summary) Table {
	t := Table{
		Title: "Tokens at equal recall", Columns: []string{"CUR", "keeps", "instead of", "part"},
		About: "What a policy keeps at the CUR of another, read off the line through its targets.",
	}
	for _, e := range s.Equals {
		if e.Horizon != r.Options.Main() || strings.Contains(e.Family, withoutKey) {
			continue
		}
		t.Rows = append(t.Rows, TableRow{e.Family + " as " + e.Policy, []string{
			fmt.Sprintf("%.3f", e.CUR), percent(e.Kept), percent(e.Other), fmt.Sprintf("%.2f", e.Kept/e.Other),
		}})
	}
	return t
}

// decimal writes the mean of a share with three digits.
func decimal(e Estimate) string {
	if !e.OK() {
		return missing
	}
	return fmt.Sprintf("%.3f", e.Mean)
}

func inPercent(e Estimate) string {
	if !e.OK() {
		return missing
	}
	return percent(e.Mean)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", share*100) }

func horizonName(n int) string {
	if n == All {
		return "all"
	}
	return strconv.Itoa(n)
}

func horizonWords(n int) string {
	switch n {
	case All:
		return "all requests after the cut"
	case 1:
		return "the request after the cut"
	}
	return "the " + strconv.Itoa(n) + " requests after the cut"
}
