package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/report"
	"tenfold/strategy"
)

// compactReport is the report of one compaction, with what printing it takes. Its
// exported fields are what --json prints.
type compactReport struct {
	report.Report
	kept []config.Setting
	// failed is the error to end with once all reports are printed.
	failed error
	// said are notes that were printed already.
	said []string
}

// newCompactReport is [report.New].
func newCompactReport(conversation string, log *tenfold.Log, plan strategy.Plan, view *tenfold.Projection, target strategy.Target, ids ...string) *compactReport {
	return &compactReport{Report: report.New(conversation, log, plan, view, target, ids...)}
}

// keeps adds the settings that the conversation keeps from now on.
func (r *compactReport) keeps(entries []tenfold.Entry) { r.kept = r.Keep(entries) }

// printReport prints the report: a line for each span, and the total.
func (a *app) printReport(r *compactReport) {
	if r.Parted != nil {
		a.printParted(r.Source.Path, r.Conversation, r.Parted, r.DryRun)
	}
	defer a.printSettings(r)
	if r.Nothing != "" {
		a.Printf("Nothing to compact: %s.\n", r.Nothing)
		if r.Target != nil && !r.Target.Met {
			a.printTarget(r.Target)
		}
		a.printTheirs(r.Theirs)
		return
	}
	var rows []row
	for _, s := range r.Drawn() {
		rows = append(rows, spanRow(s))
	}
	a.rows(append(rows, totalRow("Total", "", r.Tokens)))
	a.printFigures(r.Tokens)
	for _, c := range r.Plan().Compactions {
		w := report.WrittenOf(c.Summary)
		if paid(w) == "" {
			continue
		}
		a.fold("Summary", "by "+terminal.VisibleLine(paid(w)))
		if w.Artifacts != nil && w.Artifacts.Summary != "" && !r.DryRun {
			a.fold("", terminal.VisibleLine(nearPath(w.Artifacts.Summary)))
		}
	}
	a.printTarget(r.Target)
	a.printTheirs(r.Theirs)
}

// printSettings prints which settings of --cfg the conversation keeps from now
// on, and which no longer.
func (a *app) printSettings(r *compactReport) {
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

// printNotes prints what the strategies reported, once each, and warns of a
// summary that was left out (C6). Why nothing was done is in the report.
func (a *app) printNotes(r *compactReport) {
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

// fold prints a line of the report. On a narrow terminal its text continues
// below itself.
func (a *app) fold(label, text string) {
	const indent = 11
	head := a.Paint(terminal.Bold, label) + terminal.Pad("", indent-len(label))
	lines := []string{text}
	if a.Width > indent+20 {
		lines = terminal.Wrap(text, a.Width-indent)
	}
	for _, line := range lines {
		a.Printf("%s%s\n", head, line)
		head = terminal.Pad("", indent)
	}
}

// row is a line of the report.
type row struct {
	label, where  string
	before, after int
	changed       bool
	tail          []string
}

func spanRow(s strategy.Span) row {
	w := row{label: "Kept", where: spanWhere(s), before: s.Before, after: s.After, changed: s.Compacted || len(s.Slots) > 0}
	if s.Compacted {
		w.label = "Compacted"
	}
	if s.Config {
		w.label, w.where = "System", "prompt and tools"
	}
	for _, words := range []string{slotWords(s.Slots), fateWords(s)} {
		if w.changed && words != "" {
			w.tail = append(w.tail, words)
		}
	}
	return w
}

func totalRow(label, where string, all report.Tokens) row {
	w := row{label: label, where: where, before: all.Before, after: all.After, changed: all.Before != all.After}
	if words := smaller(all.Before, all.After); words != "" {
		w.tail = []string{"(" + words + ")"}
	}
	return w
}

// spanWhere names a span's turns, and its steps where it ends inside a turn.
func spanWhere(s strategy.Span) string {
	where := turnWords(s.FromTurn, s.ToTurn)
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

func turnWords(from, to int) string {
	if from == to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + ".." + strconv.Itoa(to)
}

// slotWords names what overlays change.
func slotWords(slots []string) string {
	order := []string{"summary", "turns", "reasoning", "tool_calls", "texts", "attachments"}
	names := slices.Clone(slots)
	slices.SortStableFunc(names, func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) })
	return strings.NewReplacer("tool_calls", "tools", "_", " ").Replace(strings.Join(names, ", "))
}

// fateWords counts a span's entries: "(412 entries: 31 omitted, 207 stripped)".
func fateWords(s strategy.Span) string {
	var parts []string
	for _, f := range slices.Backward(tenfold.Fates()) {
		if n := s.Fates[f]; n > 0 && f != tenfold.Kept {
			parts = append(parts, thousands(n)+" "+f.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + count(s.Entries, "entry", "entries") + ": " + strings.Join(parts, ", ") + ")"
}

// rows prints rows in aligned columns. Where they are wider than the terminal,
// the last column moves to lines of its own, then the numbers.
func (a *app) rows(rows []row) {
	var label, where, before, after int
	for _, w := range rows {
		label = max(label, len(w.label))
		where = max(where, ansi.StringWidth(w.where))
		before = max(before, len(thousands(w.before)))
		after = max(after, ansi.StringWidth(w.afterWords()))
	}
	gap := 5
	if a.Width > 0 && label+2+where+gap+before+after+2+18 > a.Width {
		gap = 2
	}
	indent := label + 2
	below := a.Width > 0 && indent+where+gap+before+after > a.Width
	for _, w := range rows {
		c := terminal.Bold
		switch w.label {
		case "Compacted":
			c = terminal.Green
		case "Kept", "System":
			c = terminal.Faint
		}
		head := a.Paint(c, terminal.Pad(w.label, label)) + "  "
		numbers, words, tail := terminal.Pad(w.where, where)+strings.Repeat(" ", gap)+terminal.PadLeft(thousands(w.before), before), w.afterWords(), strings.Join(w.tail, "   ")
		if below {
			numbers = thousands(w.before)
			if w.where != "" {
				a.Line(indent, head+w.where)
				head = terminal.Pad("", indent)
			}
		}
		if tail != "" && (a.Width == 0 || indent+ansi.StringWidth(numbers)+after+2+ansi.StringWidth(tail) <= a.Width) {
			a.Printf("%s%s%s  %s\n", head, numbers, terminal.Pad(words, after), tail)
			continue
		}
		a.Line(indent, head+numbers+words)
		for _, part := range w.tail {
			a.Line(indent+1, terminal.Pad("", indent)+a.Paint(terminal.Faint, part))
		}
	}
}

// afterWords is what follows the first number.
func (w row) afterWords() string {
	switch {
	case w.changed:
		return " → " + thousands(w.after) + " tokens"
	case w.before == 1:
		return " token"
	}
	return " tokens"
}
