package display

import (
	"slices"
	"strconv"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
)

// PrintParted says why a file became a conversation of its own.
func PrintParted(a *command.App, path, id string, p *report.Parted, dryRun bool) {
	if p == nil {
		return
	}
	how, now := p.Why, "It is now conversation "
	if p.Why == "cut" {
		how = "is cut"
	}
	if dryRun {
		now = "It would become conversation "
	}
	PrintLabelled(a, "Parted", terminal.VisibleLine(path)+" no longer continues conversation "+terminal.Word(p.From)+": it "+how+" from turn "+
		strconv.Itoa(p.Turn)+" on. "+now+terminal.VisibleLine(id)+".")
}

// PrintArtifacts names the files of a summary.
func PrintArtifacts(a *command.App, w *report.Written) {
	if w == nil || w.Artifacts == nil {
		return
	}
	for _, f := range []string{w.Artifacts.Input, w.Artifacts.Summary} {
		if f != "" {
			a.Printf("    %s\n", a.Paint(terminal.Faint, terminal.VisibleLine(command.NearPath(f))))
		}
	}
}

// LiveOverlays are the overlays in effect.
func LiveOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(slices.Collect(p.Overlays()), func(o tenfold.Overlay) bool { return !o.Live })
}
