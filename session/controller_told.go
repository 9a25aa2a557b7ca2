package session

import "tenfold/internal/number"

// Told says in some words what was decided, or what came of it, for whoever shows it
// (A5): "Compacted: 98,211 → 9,020 tokens".
func (d Decision) Told() string {
	switch d.Action {
	case Compact:
		return "Compacting"
	case Compacted:
		what := "Compacted"
		if d.Micro {
			what = "Cleared old tool results"
		}
		if before, after := d.Result.Plan.Sizes(); before > 0 {
			what += ": " + number.Tokens(before, after)
		}
		return what
	case Failed:
		return "Compacting failed"
	case Exceeded:
		return "The context is full, and compacting it failed"
	}
	return "Nothing was compacted"
}

// Why is the reason of a decision, and a hint where a person can do something.
func (d Decision) Why() (reason, hint string) {
	if d.Problem == nil {
		return d.Reason, ""
	}
	return d.Problem.Error(), d.Problem.Hint
}
