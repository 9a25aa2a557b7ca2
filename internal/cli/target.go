package cli

import (
	"strconv"

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
	Tokens int  `json:"tokens"`
	Met    bool `json:"met"`
	// Over is by how many tokens it was missed.
	Over int `json:"over"`
}

func (r *report) targetJSON() *targetJSON {
	if !r.target.Set() {
		return nil
	}
	limit := r.target.Limit(r.view)
	over := max(r.view.Tokens()-limit, 0)
	return &targetJSON{Tokens: limit, Met: over == 0, Over: over}
}

// tellTarget says whether the target was met, and what each step gave (S-17).
func (a *app) tellTarget(r *report) {
	t := r.targetJSON()
	if t == nil {
		return
	}
	how := "met"
	if !t.Met {
		how = "missed by " + thousands(t.Over)
	}
	a.printf("%s  %s, %s\n", a.paint(bold, "Target"), count(t.Tokens, "token", "tokens"), how)
	var lines [][2]string
	wide := 0
	for _, s := range r.plan.Steps {
		if s.Entries > 0 {
			lines = append(lines, [2]string{visibleLine(s.Strategy), tokens(s.Before, s.After)})
			wide = max(wide, len(visibleLine(s.Strategy)))
		}
	}
	for _, l := range lines {
		if a.width > 0 && 2+wide+2+len(l[1]) > a.width {
			a.printf("  %s\n    %s\n", l[0], l[1])
			continue
		}
		a.printf("  %s  %s\n", pad(l[0], wide), l[1])
	}
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
			return &failure{
				code:    "target_missed",
				message: "the conversation has " + strconv.Itoa(t.Over) + " tokens too many for the target, and nothing could be made smaller",
				hint:    whyMissed + "; --from, --to and --keep say what may be compacted",
			}
		}
	}
	return nil
}
