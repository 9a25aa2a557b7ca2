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
	if t := r.foundTable(); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	if t := r.heldOutTable(s); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	return slices.Concat(tables, r.spendingTables(s), r.liveTables(s))
}

// figures is the table of all measures.
func (r *Result) figures(g Group) Table {
	t := Table{
		Title: "Recall over " + horizonWords(r.Options.Main()),
		About: "kept: tokens of the view over those of the prefix. CUR: names used later that stand in a readable line; EDR: edits made later whose old text stands " +
			"contiguous, both with a 95 % interval. p10: nine sessions in ten have more. edits: ready ones of all. strict: in nearly the whole line; present: anywhere; " +
			"results: of what only results held. run: the median kept line stands among so many. marks: lines that are only marks. dense: lines that are names alone. " +
			"user: short messages that stand whole. trail: changed files with their last state. stale: reads of files that changed later. invalid: what providers would refuse.",
	}
	alone := true // of one session there is neither interval nor percentile
	for _, row := range g.Rows {
		alone = alone && row.Figures[Kept].Sessions < 2
	}
	for _, row := range g.Rows {
		if row.Horizon != r.Options.Main() {
			continue
		}
		var cells, columns []string
		put := func(column, cell string) { columns, cells = append(columns, column), append(cells, cell) }
		for _, m := range Measures() {
			e := row.Figures[m]
			put(m.info().column, m.info().write(e))
			if (m == CUR || m == EDR) && !alone {
				put("95 %", interval(e))
			}
			switch {
			case m == CUR && !alone:
				put("p10", e.shown("%.3f", e.P10))
			case m == EDR:
				put("edits", fmt.Sprintf("%d/%d", row.Ready, row.Edits))
			}
		}
		invalid := missing
		if row.Violations >= 0 {
			invalid = strconv.Itoa(int(row.Violations))
		}
		put("invalid", invalid)
		t.Columns = columns
		t.Rows = append(t.Rows, TableRow{row.Policy, cells})
	}
	return t
}

// interval is where an estimate lies with 95 %.
func interval(e Estimate) string { return e.shown("%.3f–%.3f", e.Low, e.High) }

// recalls are the measures that tables split by horizon, format, source and cut.
func recalls() []Measure { return []Measure{CUR, EDR} }

// byHorizon is a row of CUR for each policy, and one of EDR below it.
func (r *Result) byHorizon(g Group) Table {
	t := Table{Title: "CUR and EDR by horizon", About: "How many requests after the cut are looked at; EDR below CUR."}
	for _, h := range r.Options.Horizons {
		t.Columns = append(t.Columns, horizonName(h))
	}
	for _, p := range r.Options.Policies {
		for _, m := range recalls() {
			line := TableRow{}
			if m == CUR {
				line.Name = p.text
			}
			for _, row := range g.Rows {
				if row.Policy == p.text {
					line.Cells = append(line.Cells, decimal(row.Figures[m]))
				}
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t
}

func (r *Result) byGroup(by string, groups []Group) Table {
	t := Table{Title: "CUR and EDR by " + by, About: "Over " + horizonWords(r.Options.Main()) + "; EDR and kept tokens below CUR."}
	var counted []string
	for _, g := range groups {
		t.Columns = append(t.Columns, g.Name)
		n := 0
		for _, row := range g.Rows {
			n = max(n, row.Figures[Kept].Sessions)
		}
		counted = append(counted, strconv.Itoa(n))
	}
	for _, p := range r.Options.Policies {
		for _, m := range append(recalls(), Kept) {
			line := TableRow{}
			if m == CUR {
				line.Name = p.text
			}
			for _, g := range groups {
				for _, row := range g.Rows {
					if row.Policy == p.text && row.Horizon == r.Options.Main() {
						line.Cells = append(line.Cells, m.info().write(row.Figures[m]))
					}
				}
			}
			t.Rows = append(t.Rows, line)
		}
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
		Title: "Without each ingredient", Columns: []string{"kept", "CUR", "change", "EDR", "change"},
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
		row := rows[p.text]
		if !ok || without == "" || !row.Figures[CUR].OK() {
			continue
		}
		if !told[whole] {
			told[whole] = true
			t.Rows = append(t.Rows, TableRow{whole, []string{inPercent(full.Figures[Kept]), decimal(full.Figures[CUR]), "", decimal(full.Figures[EDR]), ""}})
		}
		cells := []string{inPercent(row.Figures[Kept])}
		for _, m := range recalls() {
			e := row.Figures[m]
			cells = append(cells, decimal(e), e.shown("%+.3f", e.Mean-full.Figures[m].Mean))
		}
		t.Rows = append(t.Rows, TableRow{"  without " + without, cells})
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
func decimal(e Estimate) string { return e.shown("%.3f", e.Mean) }

func inPercent(e Estimate) string { return e.shown("%.1f %%", e.Mean*100) }

// tenth writes the mean of a number with one digit.
func tenth(e Estimate) string { return e.shown("%.1f", e.Mean) }

// shown writes figures of an estimate, where there are any.
func (e Estimate) shown(format string, figures ...any) string {
	if !e.OK() {
		return missing
	}
	return fmt.Sprintf(format, figures...)
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
