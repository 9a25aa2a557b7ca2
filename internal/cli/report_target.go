package cli

import (
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/strategy"
)

type (
	// targetJSON is how a target was met (F1 to F4).
	targetJSON struct {
		// Tokens is the most that the view may cost, everything counted; Share
		// the target in percent of Now, where it is one. Now is what a model saw
		// before the command, After what it sees then.
		Tokens int     `json:"tokens"`
		Share  float64 `json:"share,omitzero"`
		Now    int     `json:"now"`
		After  int     `json:"after"`
		Met    bool    `json:"met"`
		// Over is by how many tokens it was missed.
		Over int `json:"over"`
		// Injected is what the view holds beside After: the client of the export
		// puts it there itself.
		Injected int `json:"injected,omitzero"`
		// Always is what always stays, as far as it did not give way; AlwaysBy
		// has its sorts.
		Always   int          `json:"always,omitzero"`
		AlwaysBy []alwaysJSON `json:"always_by,omitempty"`
		// GaveWay counts what would always stay and had to give way.
		GaveWay int `json:"gave_way,omitzero"`
	}
	alwaysJSON struct {
		What    string `json:"what"`
		Entries int    `json:"entries,omitzero"`
		Tokens  int    `json:"tokens"`
	}
)

// newTargetJSON says how a target was met, the command's own or that of a
// strategy it ran: nil where there is none.
func newTargetJSON(target strategy.Target, plan strategy.Plan, view *tenfold.Projection) *targetJSON {
	var f strategy.Fitted
	switch {
	case plan.Fitted != nil:
		f = *plan.Fitted
		target = f.Of
	case target.Set(): // the range is empty, and nothing was tried
		f = strategy.Fitted{Of: target, Now: plan.Before, Target: target.Limit(view, plan.Scale)}
	default:
		return nil
	}
	f.After = view.Tokens() - f.Injected
	f = f.In(plan.Scale)
	t := &targetJSON{
		Tokens: f.Target, Share: target.Share * 100, Now: f.Now, After: f.After, Met: f.Met(), Over: f.Over(), Injected: f.Injected, Always: f.Least(), GaveWay: f.GaveWay,
	}
	for _, s := range f.Always {
		t.AlwaysBy = append(t.AlwaysBy, alwaysJSON{s.What, s.Entries, s.Tokens})
	}
	return t
}

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

// always lists what always stays; the first so many by size, or all in the order
// of the report.
func (t *targetJSON) always(largest int) string {
	list := slices.Clone(t.AlwaysBy)
	if largest > 0 {
		slices.SortStableFunc(list, func(a, b alwaysJSON) int { return b.Tokens - a.Tokens })
		list = list[:min(largest, len(list))]
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, alwaysWords[s.What]+" "+thousands(s.Tokens))
	}
	return strings.Join(parts, ", ")
}

// printTarget prints how a target was met, and what always stays.
func (a *app) printTarget(t *targetJSON) {
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
		a.fold("Always", count(t.Always, "token stays", "tokens stay")+" in any case: "+t.always(0)+gave)
	}
	if !t.Met {
		why := "nothing could be compacted"
		if t.Always > 0 {
			why = "what always stays takes " + thousands(t.Always) + " (" + t.always(3) + ")"
		}
		a.Warn("target missed by " + count(t.Over, "token", "tokens") + ": " + why)
	}
}
