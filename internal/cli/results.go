package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
	"tenfold/summary"
	"tenfold/token"
)

// printParted says why a file became a conversation of its own.
func (a *app) printParted(path, id string, p *report.Parted, dryRun bool) {
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
	a.fold("Parted", terminal.VisibleLine(path)+" no longer continues conversation "+terminal.VisibleLine(p.From)+": it "+how+" from turn "+
		strconv.Itoa(p.Turn)+" on. "+now+terminal.VisibleLine(id)+".")
}

// overlayWhere names the turns that an overlay covers.
func overlayWhere(c tenfold.Compaction) string {
	where := turnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + thousands(*c.ToStep)
	}
	return where
}

// overlayWords are what an overlay changes and who made it, for a line about it.
func overlayWords(o report.Overlay) []string {
	parts := []string{slotWords(o.Slots)}
	switch {
	case o.Profile != "":
		parts = append(parts, "profile "+terminal.VisibleLine(o.Profile))
	case o.Strategy != "":
		parts = append(parts, terminal.VisibleLine(o.Strategy))
	}
	if o.Source != "" {
		parts = append(parts, "by "+terminal.VisibleLine(o.Source))
	}
	if by := paid(o.Summary); by != "" {
		parts = append(parts, "summary by "+terminal.VisibleLine(by))
	}
	return parts
}

// overlayWhy describes an overlay in one phrase.
func overlayWhy(c tenfold.Compaction) string {
	why := strings.Join(overlayWords(report.OverlayOf(tenfold.Overlay{Compaction: c}, token.Scale{})), ", ")
	if c.Reason != "" {
		why += ": " + terminal.VisibleLine(c.Reason)
	}
	return why
}

// paid is who was paid for the summary; empty where nobody was.
func paid(w *report.Written) string {
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
	return by + ", " + figures(u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost)
}

// figures are tokens read and written, and the price where it is known.
func figures(input, output int, cost *float64) string {
	text := count(input, "token", "tokens") + " in, " + thousands(output) + " out"
	if cost != nil {
		text += ", " + dollars(*cost)
	}
	return text
}

// printArtifacts names the files of a summary.
func (a *app) printArtifacts(w *report.Written) {
	if w == nil || w.Artifacts == nil {
		return
	}
	for _, f := range []string{w.Artifacts.Input, w.Artifacts.Summary} {
		if f != "" {
			a.Printf("    %s\n", a.Paint(terminal.Faint, terminal.VisibleLine(nearPath(f))))
		}
	}
}

// nearPath makes a path relative to the working directory, if it is below it.
func nearPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	near, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(near) {
		return path
	}
	return near
}
