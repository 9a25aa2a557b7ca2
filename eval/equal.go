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
	Family  string `json:"family"`
	Policy  string `json:"policy"`
	Horizon int    `json:"horizon"`
	// CUR is the policy's, Kept what the family keeps at it, Other what the
	// policy keeps.
	CUR   float64 `json:"cur"`
	Kept  float64 `json:"kept"`
	Other float64 `json:"other_kept"`
}

// equals reads off the lines of the families, drawn over the logarithm of what
// is kept, where they recall as much as the baselines that have no target.
// Beyond the ends of a line nothing is told.
func equals(rows []Row) []Equal {
	lines := map[string][]Row{}
	var order []string
	for _, row := range rows {
		if row.Family == row.Policy || !row.Figures[CUR].OK() {
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
		if row.Family != row.Policy || !row.Figures[CUR].OK() || row.Policy == "none" {
			continue
		}
		for _, key := range order {
			line := lines[key]
			if line[0].Horizon != row.Horizon || strings.HasPrefix(key, strconv.Itoa(row.Horizon)+" clairvoyant") {
				continue
			}
			if kept, ok := keptAt(line, row.Figures[CUR].Mean); ok {
				out = append(out, Equal{line[0].Family, row.Policy, row.Horizon, row.Figures[CUR].Mean, kept, row.Figures[Kept].Mean})
			}
		}
	}
	return out
}

// keptAt is what a family keeps at a recall.
func keptAt(line []Row, cur float64) (kept float64, ok bool) {
	line = slices.Clone(line)
	slices.SortFunc(line, func(a, b Row) int { return cmp.Compare(a.Figures[Kept].Mean, b.Figures[Kept].Mean) })
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		if a.Figures[CUR].Mean > cur || b.Figures[CUR].Mean < cur || b.Figures[CUR].Mean <= a.Figures[CUR].Mean || a.Figures[Kept].Mean <= 0 {
			continue
		}
		t := (cur - a.Figures[CUR].Mean) / (b.Figures[CUR].Mean - a.Figures[CUR].Mean)
		return math.Exp(math.Log(a.Figures[Kept].Mean) + t*(math.Log(b.Figures[Kept].Mean)-math.Log(a.Figures[Kept].Mean))), true
	}
	return 0, false
}

func percentWords(n int) string { return strconv.Itoa(n) + " %" }
