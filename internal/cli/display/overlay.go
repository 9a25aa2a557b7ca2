package display

import (
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/summary"
	"tenfold/token"
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
	PrintLabelled(a, "Parted", terminal.VisibleLine(path)+" no longer continues conversation "+terminal.VisibleLine(p.From)+": it "+how+" from turn "+
		strconv.Itoa(p.Turn)+" on. "+now+terminal.VisibleLine(id)+".")
}

// OverlayWhere names the turns that an overlay covers.
func OverlayWhere(c tenfold.Compaction) string {
	where := TurnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + number.Thousands(*c.ToStep)
	}
	return where
}

// OverlayWords are what an overlay changes and who made it, for a line about it.
func OverlayWords(o report.Overlay) []string {
	parts := []string{SlotWords(o.Slots)}
	switch {
	case o.Profile != "":
		parts = append(parts, "profile "+terminal.VisibleLine(o.Profile))
	case o.Strategy != "":
		parts = append(parts, terminal.VisibleLine(o.Strategy))
	}
	if o.Source != "" {
		parts = append(parts, "by "+terminal.VisibleLine(o.Source))
	}
	if by := Paid(o.Summary); by != "" {
		parts = append(parts, "summary by "+terminal.VisibleLine(by))
	}
	return parts
}

// OverlayWhy describes an overlay in one phrase.
func OverlayWhy(c tenfold.Compaction) string {
	why := strings.Join(OverlayWords(report.OverlayOf(tenfold.Overlay{Compaction: c}, token.Scale{})), ", ")
	if c.Reason != "" {
		why += ": " + terminal.VisibleLine(c.Reason)
	}
	return why
}

// Paid is who was paid for the summary; empty where nobody was.
func Paid(w *report.Written) string {
	if w == nil {
		return ""
	}
	u := w.Usage
	switch {
	case u == nil && w.Model == summary.DigestName:
		return ""
	case u == nil:
		return w.Model
	}
	by := w.Model
	if u.Model != "" && u.Model != w.Model {
		by += " after " + u.Model
	}
	return by + ", " + Figures(u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost)
}

// Figures are tokens read and written, and the price where it is known.
func Figures(input, output int, cost *float64) string {
	text := number.Count(input, "token") + " in, " + number.Thousands(output) + " out"
	if cost != nil {
		text += ", " + number.Dollars(*cost)
	}
	return text
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
