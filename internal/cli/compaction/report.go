package compaction

import (
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/strategy"
)

// Report is the report of one compaction, with what printing it takes. Its
// exported fields are what --json prints.
type Report struct {
	report.Report
	kept []config.Setting
	// failed is the error to end with once all reports are printed.
	failed error
	// said are notes that were printed already.
	said []string
	// allKept tells that all turns are among the newest, which nobody asked to keep.
	allKept bool
}

// newReport is [report.New].
func newReport(conversation string, log *tenfold.Log, plan strategy.Plan, view *tenfold.Projection, target strategy.Target, ids ...string) *Report {
	return &Report{Report: report.New(conversation, log, plan, view, target, ids...)}
}

// keeps adds the settings that the conversation keeps from now on.
func (r *Report) keeps(entries []tenfold.Entry) { r.kept = r.Keep(entries) }

// PrintReport prints the report: a line for each span, and the total.
func PrintReport(a *command.App, r *Report) {
	if r.Parted != nil {
		display.PrintParted(a, r.Source.Path, r.Conversation, r.Parted, r.DryRun)
	}
	defer printSettings(a, r)
	if r.Nothing != "" {
		why := r.Nothing + "."
		if r.allKept {
			why += " --target 10% chooses what to keep of them."
		}
		a.Printf("Nothing to compact: %s\n", why)
		if r.Target != nil && !r.Target.Met {
			printTarget(a, r.Target)
		}
		display.PrintTheirs(a, r.Theirs)
		return
	}
	var rows []display.Row
	for _, s := range r.Drawn() {
		rows = append(rows, spanRow(s))
	}
	display.PrintRows(a, append(rows, display.TotalRow("Total", "", r.Tokens)))
	display.PrintFigures(a, r.Tokens)
	for _, c := range r.Plan().Compactions {
		w := report.WrittenOf(c.Summary, r.Plan().Scale)
		if w.PaidTo() == "" {
			continue
		}
		display.PrintLabelled(a, "Summary", "by "+terminal.VisibleLine(w.PaidTo()))
		if w.Artifacts != nil && w.Artifacts.Summary != "" && !r.DryRun {
			display.PrintLabelled(a, "", terminal.VisibleLine(command.NearPath(w.Artifacts.Summary)))
		}
	}
	printTarget(a, r.Target)
	display.PrintTheirs(a, r.Theirs)
}

// printSettings prints which settings of --cfg the conversation keeps from now
// on, and which no longer.
func printSettings(a *command.App, r *Report) {
	for _, s := range r.kept {
		if s.Table {
			continue
		}
		key := terminal.VisibleLine(s.Key())
		pair, words := key, "removed from the conversation"
		if !s.Gone {
			pair, words = terminal.VisibleLine(s.Key()+" = "+s.TOML()), "kept with the conversation; remove it with --cfg "+key+"="
		}
		a.TwoParts(terminal.Normal, a.Paint(terminal.Bold, "Settings")+"   "+pair, words)
	}
}

// PrintNotes prints what the strategies reported, once each, and warns of a
// summary that was left out (C6). Why nothing was done is in the report.
func PrintNotes(a *command.App, r *Report) {
	if r.Nothing != "" {
		return
	}
	if len(r.Refused) > 0 {
		a.Warn("without a summary: " + strings.Join(r.Refused, "; "))
	}
	said := slices.Concat(r.said, r.Refused)
	for _, note := range r.Notes() {
		if !slices.Contains(said, note) {
			a.Noticef("%s", terminal.VisibleLine(note))
			said = append(said, note)
		}
	}
}

func spanRow(s strategy.Span) display.Row {
	w := display.Row{Label: "Kept", Where: spanWhere(s), Before: s.Before, After: s.After, Changed: s.Compacted || len(s.Slots) > 0}
	if s.Compacted {
		w.Label = "Compacted"
	}
	if s.Config {
		w.Label, w.Where = "System", "prompt and tools"
	}
	for _, words := range []string{report.SlotWords(s.Slots), fateWords(s)} {
		if w.Changed && words != "" {
			w.Words = append(w.Words, words)
		}
	}
	return w
}

// spanWhere names a span's turns, and its steps where it ends inside a turn.
func spanWhere(s strategy.Span) string {
	where := report.TurnWords(s.FromTurn, s.ToTurn)
	from, to := s.FromStep, s.ToStep
	switch {
	case from == nil && to == nil:
		return where
	case to == nil:
		return where + ", from step " + strconv.Itoa(*from)
	case from == nil && s.FromTurn != s.ToTurn:
		return where + ", to step " + strconv.Itoa(*to)
	case s.FromTurn != s.ToTurn:
		return "turn " + strconv.Itoa(s.FromTurn) + ", step " + strconv.Itoa(*from) + " to turn " + strconv.Itoa(s.ToTurn) + ", step " + strconv.Itoa(*to)
	}
	first := 0
	if from != nil {
		first = *from
	}
	if first == *to {
		return where + ", step " + strconv.Itoa(first)
	}
	return where + ", steps " + strconv.Itoa(first) + ".." + strconv.Itoa(*to)
}

// fateWords counts a span's entries: "(412 entries: 31 omitted, 207 stripped)".
func fateWords(s strategy.Span) string {
	var parts []string
	for _, f := range slices.Backward(tenfold.Fates()) {
		if n := s.Fates[f]; n > 0 && f != tenfold.Kept {
			parts = append(parts, number.Thousands(n)+" "+f.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + number.CountOf(s.Entries, "entry", "entries") + ": " + strings.Join(parts, ", ") + ")"
}
