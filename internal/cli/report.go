package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/strategy"
)

// report is what a compaction did or would do. Its exported fields are what
// --json prints.
type report struct {
	Conversation string `json:"conversation"`
	// From is the conversation that this one was forked from, if it was.
	From    string      `json:"from,omitzero"`
	Source  *sourceJSON `json:"source,omitzero"`
	Turns   int         `json:"turns"`
	Entries int         `json:"entries"`
	DryRun  bool        `json:"dry_run"`
	Nothing string      `json:"nothing,omitzero"`
	// Refused has the reason for each summary that was refused.
	Refused []string    `json:"refused,omitempty"`
	Tokens  tokensJSON  `json:"tokens"`
	Target  *targetJSON `json:"target,omitzero"`
	// Theirs is what compactions of the tool that wrote the session had saved
	// before.
	Theirs      *theirsJSON      `json:"theirs,omitzero"`
	Spans       []spanJSON       `json:"spans"`
	Steps       []stepJSON       `json:"steps"`
	Compactions []compactionJSON `json:"compactions"`
	// Quotes are the summaries that a dry run would have requested (C8).
	Quotes []quoteJSON `json:"quotes,omitempty"`
	// Settings are those that the conversation keeps from now on, or no longer.
	Settings []keptJSON `json:"settings,omitempty"`
	Warnings []string   `json:"warnings"`
	// Resume are the commands that resume what --out wrote.
	Resume []string `json:"resume,omitempty"`
	// Path is where "resume" put the session.
	Path string `json:"path,omitzero"`
	// Parted is set where the file no longer continues what it held before.
	Parted *partedJSON `json:"parted,omitzero"`

	plan  strategy.Plan
	view  *tenfold.Projection // with the compaction in effect
	spans []strategy.Span
	kept  []config.Setting
	// failed is the error to end with once all reports are printed.
	failed error
	// said are notes that were printed already.
	said []string
}

type (
	spanJSON struct {
		Config       bool           `json:"config,omitzero"`
		FromTurn     *int           `json:"from_turn,omitzero"`
		ToTurn       *int           `json:"to_turn,omitzero"`
		FromStep     *int           `json:"from_step,omitzero"`
		ToStep       *int           `json:"to_step,omitzero"`
		Fate         string         `json:"fate"`
		By           []string       `json:"by,omitempty"`
		Slots        []string       `json:"slots,omitempty"`
		Entries      int            `json:"entries"`
		Fates        map[string]int `json:"fates,omitempty"`
		TokensBefore int            `json:"tokens_before"`
		TokensAfter  int            `json:"tokens_after"`
	}
	stepJSON struct {
		Strategy     string   `json:"strategy"`
		Entries      int      `json:"entries"`
		TokensBefore int      `json:"tokens_before"`
		TokensAfter  int      `json:"tokens_after"`
		Notes        []string `json:"notes,omitempty"`
	}
	compactionJSON struct {
		ID      string       `json:"id"`
		Summary *writtenJSON `json:"summary,omitzero"`
	}
)

// newReport reports a plan over a log: view has it in effect, as the overlays
// with these ids, none on a dry run.
func newReport(conversation string, log *tenfold.Log, plan strategy.Plan, view *tenfold.Projection, target strategy.Target, ids ...string) *report {
	r := &report{
		Conversation: conversation, Turns: log.Turns(), Entries: int(log.Version()), Nothing: plan.Nothing, Refused: plan.Refused,
		Tokens: totalsJSON(view, plan.Scale), Target: newTargetJSON(target, plan, view), Theirs: newTheirsJSON(plan.Base(), plan.Scale),
		plan: plan, view: view, spans: strategy.Spans(view),
	}
	scaleSpans(r.spans, plan.Scale)
	for i, s := range r.spans {
		// Overlays that are only proposed have no id.
		r.spans[i].By = slices.DeleteFunc(s.By, func(id string) bool {
			o, there := view.Log().Lookup(id)
			return (!there || o.Seq > plan.Version) && !slices.Contains(ids, id)
		})
		r.Spans = append(r.Spans, newSpanJSON(r.spans[i]))
	}
	for _, s := range plan.Steps {
		r.Steps = append(r.Steps, stepJSON{s.Strategy, s.Entries, plan.Scale.Tokens(s.Before), plan.Scale.Tokens(s.After), s.Notes})
	}
	for i, id := range ids {
		one := compactionJSON{ID: id}
		if i < len(plan.Compactions) {
			one.Summary = newWrittenJSON(plan.Compactions[i].Summary)
		}
		r.Compactions = append(r.Compactions, one)
	}
	return r
}

// keeps adds the settings that the conversation keeps from now on.
func (r *report) keeps(entries []tenfold.Entry) {
	r.kept = settingsOf(entries)
	r.Settings = keptsJSON(r.kept)
}

func newSpanJSON(s strategy.Span) spanJSON {
	out := spanJSON{
		Config: s.Config, Fate: "kept", By: s.By, Slots: s.Slots, Entries: s.Entries, Fates: map[string]int{},
		TokensBefore: s.Before, TokensAfter: s.After,
	}
	if s.Compacted {
		out.Fate = "compacted"
	}
	if !s.Config {
		out.FromTurn, out.ToTurn, out.FromStep, out.ToStep = &s.FromTurn, &s.ToTurn, s.FromStep, s.ToStep
	}
	for fate, n := range s.Fates {
		out.Fates[fate.String()] = n
	}
	return out
}

// refusal is the error for a plan that does nothing because a summary was
// refused (C6); nil for any other. Model is the one that was called, if any.
func (r *report) refusal(req session.Request, model string) error {
	if len(r.Refused) == 0 || r.Nothing == "" {
		return nil
	}
	hint := "nothing was written; try again, or use another model"
	if model == "" {
		hint = "nothing was written; write a shorter summary, or choose a longer range"
	}
	for _, s := range req.Strategies {
		if p, ok := s.(strategy.Profile); ok && p.Summary != nil {
			hint += "; set summary.optional in profile " + p.Title + " to apply the rest without a summary"
		}
	}
	return &problem.Error{Code: "summary_refused", Problem: r.Nothing, Hint: hint}
}

// printReport prints the report: a line for each span, and the total.
func (a *app) printReport(r *report) {
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
	for _, s := range r.spans {
		rows = append(rows, spanRow(s))
	}
	a.rows(append(rows, totalRow("Total", "", r.Tokens)))
	a.printFigures(r.Tokens)
	for _, c := range r.plan.Compactions {
		w := newWrittenJSON(c.Summary)
		if w.paid() == "" {
			continue
		}
		a.fold("Summary", "by "+terminal.VisibleLine(w.paid()))
		if w.Artifacts != nil && w.Artifacts.Summary != "" && !r.DryRun {
			a.fold("", terminal.VisibleLine(nearPath(w.Artifacts.Summary)))
		}
	}
	a.printTarget(r.Target)
	a.printTheirs(r.Theirs)
}

// printSettings prints which settings of --cfg the conversation keeps from now
// on, and which no longer.
func (a *app) printSettings(r *report) {
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
func (a *app) printNotes(r *report) {
	if r.Nothing != "" {
		return
	}
	if len(r.Refused) > 0 {
		a.Warn("without a summary: " + strings.Join(r.Refused, "; "))
	}
	said := slices.Concat(r.said, r.Refused)
	for _, note := range stepNotes(r.plan) {
		if !slices.Contains(said, note) {
			a.Noticef("%s", terminal.VisibleLine(note))
			said = append(said, note)
		}
	}
}

// stepNotes are the notes of a plan's steps.
func stepNotes(plan strategy.Plan) []string {
	var notes []string
	for _, s := range plan.Steps {
		notes = append(notes, s.Notes...)
	}
	return notes
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

func totalRow(label, where string, all tokensJSON) row {
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
