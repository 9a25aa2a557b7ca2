package cli

import (
	"strconv"

	"tenfold/problem"
	"tenfold/session"
	"tenfold/strategy"
)

// aim reads --target.
func (r *rangeFlags) aim(req *session.Request) error {
	if !r.flags.Flags().Changed("target") {
		return nil
	}
	target, err := strategy.ParseTarget(r.target)
	if err != nil {
		return badValue("--target", err)
	}
	req.Target = target
	return nil
}

type targetJSON struct {
	// Tokens is what the view may cost; where the target is a share, Always of
	// them stay whatever it is, on top of the share.
	Tokens int  `json:"tokens"`
	Always int  `json:"always,omitzero"`
	Met    bool `json:"met"`
	// Over is by how many tokens it was missed.
	Over int `json:"over"`
}

func (r *report) targetJSON() *targetJSON {
	if !r.target.Set() {
		return nil
	}
	t := targetJSON{Tokens: r.target.Limit(r.view)}
	if fitted := r.plan.Fitted; fitted != nil && r.target.Share > 0 {
		t.Tokens, t.Always = fitted.Always+fitted.Lines, fitted.Always
	}
	t.Over = max(r.view.Tokens()-t.Tokens, 0)
	t.Met = t.Over == 0
	return &t
}

// tellTarget says whether the target was met.
func (a *app) tellTarget(r *report) {
	t := r.targetJSON()
	if t == nil {
		return
	}
	how := "met"
	if !t.Met {
		how = "missed by " + thousands(t.Over)
	}
	beside := ""
	if t.Always > 0 {
		beside = " (" + thousands(t.Always) + " that always stay, " + thousands(t.Tokens-t.Always) + " for lines)"
	}
	a.printf("%s  %s%s, %s\n", a.paint(bold, "Target"), count(t.Tokens, "token", "tokens"), beside, how)
	if !t.Met {
		a.warn("the target is missed by " + count(t.Over, "token", "tokens") + ": " + whyMissed)
	}
}

// whyMissed says what keeps the rest.
const whyMissed = "short messages of yours, the last step, the plan, pins and what is outside the range always stay"

// missed is the error for a target that was missed with nothing done about it.
func missed(reports ...*report) error {
	for _, r := range reports {
		if t := r.targetJSON(); t != nil && !t.Met && r.plan.Nothing != "" {
			return &problem.Error{
				Code:    "target_missed",
				Problem: "the conversation has " + strconv.Itoa(t.Over) + " tokens too many for the target, and nothing could be made smaller",
				Hint:    whyMissed + "; --from, --to and --keep say what may be compacted",
			}
		}
	}
	return nil
}
