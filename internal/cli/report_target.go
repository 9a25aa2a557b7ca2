package cli

import (
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/report"
	"tenfold/strategy"
)

// alwaysWords names the sorts of what always stays.
var alwaysWords = map[string]string{
	strategy.StandsSystem:      "prompt and tools",
	strategy.StandsContext:     "standing instructions",
	strategy.StandsMessages:    "your messages",
	strategy.StandsLastRequest: "the last request",
	strategy.StandsPins:        "pins",
	strategy.StandsPlan:        "the plan",
	strategy.StandsError:       "the open error",
	strategy.StandsHandles:     "what is under way",
	strategy.StandsRecalled:    "what the model asked for again",
	strategy.StandsLastStep:    "the last step",
	strategy.StandsOutside:     "what is outside the range",
	strategy.StandsSummaries:   "summaries",
	strategy.StandsMarks:       "marks",
}

// alwaysSaid lists what always stays; the first so many by size, or all in the order
// of the report.
func alwaysSaid(t *report.Target, largest int) string {
	list := slices.Clone(t.AlwaysBy)
	if largest > 0 {
		slices.SortStableFunc(list, func(a, b report.Always) int { return b.Tokens - a.Tokens })
		list = list[:min(largest, len(list))]
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, alwaysWords[s.What]+" "+thousands(s.Tokens))
	}
	return strings.Join(parts, ", ")
}

// printTarget prints how a target was met, and what always stays.
func (a *app) printTarget(t *report.Target) {
	if t == nil {
		return
	}
	words := count(t.Tokens, "token", "tokens")
	if t.Share > 0 {
		words += " (" + strconv.FormatFloat(t.Share, 'g', 6, 64) + " % of " + thousands(t.Now) + ")"
	}
	if t.Met {
		words += ", met with " + thousands(t.After)
	} else {
		words += ", missed by " + thousands(t.Over)
	}
	if t.Injected > 0 {
		words += "; the client adds " + thousands(t.Injected) + " of standing instructions itself"
	}
	a.fold("Target", words)
	gave := ""
	if t.GaveWay > 0 {
		gave = "; " + count(t.GaveWay, "entry", "entries") + " gave way"
	}
	if t.Always > 0 {
		a.fold("Always", count(t.Always, "token stays", "tokens stay")+" in any case: "+alwaysSaid(t, 0)+gave)
	}
	if !t.Met {
		why := "nothing could be compacted"
		if t.Always > 0 {
			why = "what always stays takes " + thousands(t.Always) + " (" + alwaysSaid(t, 3) + ")"
		}
		a.Warn("target missed by " + count(t.Over, "token", "tokens") + ": " + why)
	}
}
