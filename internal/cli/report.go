package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/strategy"
)

// report is what a compaction did or would do, for people and for machines.
type report struct {
	conversation string
	source       *sourceJSON
	dryRun       bool
	// turns and entries are the log's, as it was read.
	turns, entries int
	plan           strategy.Plan
	// view is the conversation with the compaction in effect.
	view *tenfold.Projection
	// compactions are the ids of the overlays made; none on a dry run.
	compactions []string
	// kept are the settings that the conversation keeps since, or no longer.
	kept     []config.Setting
	warnings []string
	// failed is the error to end with once all reports are told.
	failed error
	// resume are the commands with which a client goes on with what was written.
	resume []string
	// said are notes that were told already.
	said []string
	// target is what the view was to fit, if anything.
	target strategy.Target
	// quotes are the summaries that a dry run would have asked for (C8).
	quotes []quoteJSON
	// from is the conversation that this one was forked from, if it was.
	from string
	// parted is why the file is a conversation of its own, if it is.
	parted *partedJSON
}

// total is what the raw conversation and its view cost.
func (r *report) total() tenfold.Count { return r.view.Totals().All() }

// spans cuts the view; overlays that are no more than proposed have no id.
func (r *report) spans() []strategy.Span {
	spans := strategy.Spans(r.view)
	for i := range spans {
		if !r.dryRun {
			break // all have one
		}
		spans[i].By = slices.DeleteFunc(spans[i].By, func(id string) bool {
			o, there := r.view.Log().Lookup(id)
			return (!there || o.Seq > r.plan.Version) && !slices.Contains(r.compactions, id)
		})
	}
	return spans
}

// row is a line of the report.
type row struct {
	label, where  string
	before, after int
	changed       bool
	tail          []string
}

// report writes the report for people: a line for each span, and the sum.
func (a *app) report(r *report) {
	if r.parted != nil {
		a.tellParted(r.source.Path, r.conversation, r.parted, r.dryRun)
	}
	defer a.tellSettings(r)
	if r.plan.Nothing != "" {
		a.printf("Nothing to compact: %s.\n", r.plan.Nothing)
		return
	}
	var rows []row
	for _, s := range r.spans() {
		rows = append(rows, spanRow(s))
	}
	a.rows(append(rows, totalRow("Total", "", r.total())))
	a.tellWritten(r)
	a.tellTarget(r)
}

func spanRow(s strategy.Span) row {
	w := row{label: "Kept", where: spanWhere(s), before: s.Before, after: s.After, changed: s.Compacted}
	if s.Compacted {
		w.label = "Compacted"
	}
	if s.Config {
		w.label, w.where = "System", "prompt and tools"
	}
	for _, words := range []string{slotWords(s.Slots), fateWords(s)} {
		if s.Compacted && words != "" {
			w.tail = append(w.tail, words)
		}
	}
	return w
}

func totalRow(label, where string, all tenfold.Count) row {
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

// slotWords says what overlays touch.
func slotWords(slots []string) string {
	names := make([]string, len(slots))
	for i, slot := range slots {
		names[i] = slot
		switch slot {
		case "tool_calls":
			names[i] = "tools"
		case "tool_definitions":
			names[i] = "tool definitions"
		}
	}
	order := []string{"summary", "turns", "reasoning", "tools", "texts", "attachments"}
	slices.SortStableFunc(names, func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) })
	return strings.Join(names, ", ")
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

// rows writes rows with their columns aligned. Where they are wider than the
// terminal, the last column goes to lines of its own; where that is narrower
// still, so do the numbers.
func (a *app) rows(rows []row) {
	var label, where, before, after int
	for _, w := range rows {
		label = max(label, len(w.label))
		where = max(where, ansi.StringWidth(w.where))
		before = max(before, len(thousands(w.before)))
		after = max(after, ansi.StringWidth(w.afterWords()))
	}
	gap := 5
	if a.width > 0 && label+2+where+gap+before+after+2+18 > a.width {
		gap = 2
	}
	indent := label + 2
	below := a.width > 0 && indent+where+gap+before+after > a.width
	for _, w := range rows {
		head := pad(w.label, label)
		switch w.label {
		case "Compacted":
			head = a.paint(green, head)
		case "Kept", "System":
			head = a.paint(faint, head)
		default:
			head = a.paint(bold, head)
		}
		numbers, tail := w.afterWords(), strings.Join(w.tail, "   ")
		line := pad(w.where, where) + strings.Repeat(" ", gap) + padLeft(thousands(w.before), before)
		if below {
			line = thousands(w.before)
		}
		if below && w.where != "" {
			a.line(indent, head+"  "+w.where)
			head = pad("", label)
		}
		full := indent + ansi.StringWidth(line) + after + 2 + ansi.StringWidth(tail)
		switch {
		case tail == "":
			a.line(indent, head+"  "+line+numbers)
		case a.width == 0 || full <= a.width:
			a.printf("%s  %s%s  %s\n", head, line, pad(numbers, after), tail)
		default:
			a.line(indent, head+"  "+line+numbers)
			for _, part := range w.tail {
				a.line(indent+1, strings.Repeat(" ", indent)+a.paint(faint, part))
			}
		}
	}
}

// afterWords is what follows the first number.
func (w row) afterWords() string {
	if !w.changed {
		if w.before == 1 {
			return " token"
		}
		return " tokens"
	}
	return " → " + thousands(w.after) + " tokens"
}
