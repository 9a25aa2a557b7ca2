package eval

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Equal tells how much a family of policies keeps where it recalls as much
// as another policy.
type Equal struct {
	Family, Policy string
	Horizon        int
	// CUR is the policy's, Kept what the family keeps at it, Other what the
	// policy keeps.
	CUR, Kept, Other float64
}

// equals reads off the lines of the families, drawn over the logarithm of what
// is kept, where they recall as much as the baselines that have no target.
// Beyond the ends of a line nothing is told.
func equals(rows []Row) []Equal {
	lines := map[string][]Row{}
	var order []string
	for _, row := range rows {
		if row.Family == row.Policy || !row.CUR.OK() {
			continue
		}
		key := strconv.Itoa(row.Horizon) + " " + row.Family
		if lines[key] == nil {
			order = append(order, key)
		}
		lines[key] = append(lines[key], row)
	}
	var out []Equal
	for _, row := range rows {
		if row.Family != row.Policy || !row.CUR.OK() || row.Policy == "none" {
			continue
		}
		for _, key := range order {
			line := lines[key]
			if line[0].Horizon != row.Horizon || strings.HasPrefix(key, strconv.Itoa(row.Horizon)+" clairvoyant") {
				continue
			}
			if kept, ok := keptAt(line, row.CUR.Mean); ok {
				out = append(out, Equal{line[0].Family, row.Policy, row.Horizon, row.CUR.Mean, kept, row.Kept.Mean})
			}
		}
	}
	return out
}

// keptAt is what a family keeps at a recall.
func keptAt(line []Row, cur float64) (kept float64, ok bool) {
	line = slices.Clone(line)
	slices.SortFunc(line, func(a, b Row) int { return cmp.Compare(a.Kept.Mean, b.Kept.Mean) })
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		if a.CUR.Mean > cur || b.CUR.Mean < cur || b.CUR.Mean <= a.CUR.Mean || a.Kept.Mean <= 0 {
			continue
		}
		t := (cur - a.CUR.Mean) / (b.CUR.Mean - a.CUR.Mean)
		return math.Exp(math.Log(a.Kept.Mean) + t*(math.Log(b.Kept.Mean)-math.Log(a.Kept.Mean))), true
	}
	return 0, false
}

func percentWords(n int) string { return strconv.Itoa(n) + " %" }
