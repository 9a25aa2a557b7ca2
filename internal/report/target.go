package report

import (
	"tenfold"
	"tenfold/strategy"
)

type (
	// A Target is how a target was met (F1 to F4).
	Target struct {
		// Tokens is the most that the view may cost, everything counted; Share
		// the target in percent of Now, where it is one. Now is what a model saw
		// before the command, After what it sees then.
		Tokens int     `json:"tokens"`
		Share  float64 `json:"share,omitzero" doc:"percent of now, where the target is one"`
		Now    int     `json:"now"`
		After  int     `json:"after"`
		Met    bool    `json:"met"`
		// Over is by how many tokens it was missed.
		Over int `json:"over" doc:"by how many tokens it was missed"`
		// Room is what was filled instead, where the system prompt and the tools
		// leave no room in a share: they, and that share of the rest.
		Room int `json:"room,omitzero" doc:"what was filled instead: system prompt and tools, which leave no room in the target, and the same share of the rest"`
		// Injected is what the view holds beside After: the client of the export
		// puts it there itself.
		Injected int `json:"injected,omitzero"`
		// Always is what always stays, as far as it did not give way; AlwaysBy
		// has its sorts.
		Always   int      `json:"always,omitzero" doc:"tokens of what always stays"`
		AlwaysBy []Always `json:"always_by,omitempty"`
		// GaveWay counts what would always stay and had to give way.
		GaveWay int `json:"gave_way,omitzero"`
	}
	// Always is one sort of what always stays.
	Always struct {
		What    string `json:"what"`
		Entries int    `json:"entries,omitzero"`
		Tokens  int    `json:"tokens"`
	}
)

// newTarget says how a target was met, the command's own or that of a strategy it
// ran: nil where there is none.
func newTarget(target strategy.Target, plan strategy.Plan, view *tenfold.Projection) *Target {
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
	t := &Target{
		Tokens: f.Target, Share: target.Share * 100, Now: f.Now, After: f.After, Met: f.Met(), Over: f.Over(), Room: f.Room, Injected: f.Injected, Always: f.Least(), GaveWay: f.GaveWay,
	}
	for _, s := range f.Always {
		t.AlwaysBy = append(t.AlwaysBy, Always{s.What, s.Entries, s.Tokens})
	}
	return t
}
