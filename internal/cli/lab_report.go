package cli

import (
	"fmt"

	"tenfold/eval"
)

// tell writes what came of a run.
func (k *lab) tell(r *eval.Result, searched bool) error {
	s := r.Summarise()
	for _, row := range s.Groups[0].Rows {
		if row.Horizon == r.Options.Main() {
			k.printf("%-34s %5.1f %%  CUR %.3f [%.3f %.3f] p10 %.3f strict %.3f pres %.3f res %.3f dens %.2f user %.2f trail %.2f stale %.2f viol %d\n", row.Policy, row.Kept.Mean*100,
				row.CUR.Mean, row.CUR.Low, row.CUR.High, row.CUR.P10, row.Strict.Mean, row.Presence.Mean, row.ResultOnly.Mean, row.Density.Mean, row.User.Mean, row.Trail.Mean, row.Stale.Mean, row.Violations)
		}
	}
	for _, g := range s.Groups[1:] {
		k.printf("%s %s\n", g.By, g.Name)
		for _, row := range g.Rows {
			if row.Horizon == r.Options.Main() && row.CUR.OK() {
				k.printf("  %-34s %5.1f %% CUR %.3f (%d sessions)\n", row.Policy, row.Kept.Mean*100, row.CUR.Mean, row.CUR.Sessions)
			}
		}
	}
	for _, e := range s.Equals {
		k.printf("%s", fmt.Sprintln(e))
	}
	k.printf("%d sessions, %d sources, %d cuts, %d skipped, %d failures\n", s.Sessions, s.Sources, s.Cuts, s.Skipped, len(r.Failures))
	return nil
}
