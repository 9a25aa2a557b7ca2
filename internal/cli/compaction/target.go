package compaction

import (
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/number"
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
		parts = append(parts, alwaysWords[s.What]+" "+number.Thousands(s.Tokens))
	}
	return strings.Join(parts, ", ")
}

// printTarget prints how a target was met, and what always stays.
func printTarget(a *command.App, t *report.Target) {
	if t == nil {
		return
	}
	words, share := number.Count(t.Tokens, "token"), strconv.FormatFloat(t.Share, 'g', 6, 64)+" %"
	if t.Share > 0 {
		words += " (" + share + " of " + number.Thousands(t.Now) + ")"
	}
	if t.Met {
		words += ", met with " + number.Thousands(t.After)
	} else {
		words += ", missed by " + number.Thousands(t.Over)
	}
	if t.Injected > 0 {
		words += "; the client adds " + number.Thousands(t.Injected) + " of standing instructions itself"
	}
	display.PrintLabelled(a, "Target", words)
	if t.Room > 0 {
		display.PrintLabelled(a, "Room", number.Count(t.Room, "token")+" instead: prompt and tools, which leave no room, and "+share+" of the rest")
	}
	gave := ""
	if t.GaveWay > 0 {
		gave = "; " + number.CountOf(t.GaveWay, "entry", "entries") + " gave way"
	}
	if t.Always > 0 {
		display.PrintLabelled(a, "Always", number.CountOf(t.Always, "token stays", "tokens stay")+" in any case: "+alwaysSaid(t, 0)+gave)
	}
	if !t.Met {
		why := "nothing could be compacted"
		switch {
		case t.Room > 0 && t.After <= t.Room:
			why = "prompt and tools leave no room in it; the rest was brought to " + share + " of its own size"
		case t.Always > 0:
			why = "what always stays takes " + number.Thousands(t.Always) + " (" + alwaysSaid(t, 3) + ")"
		}
		a.Warn("target missed by " + number.Count(t.Over, "token") + ": " + why)
	}
}
