// Package display writes conversations for people: entries, overlays, figures and
// tables, as wide as the terminal is.
package display

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/purpose"
	"tenfold/tool"
)

// Block is one thing to print.
type Block struct {
	Turn    int
	Branch  string
	Time    time.Time
	Payload tenfold.Payload
	Mark    string
}

// Printer prints a conversation as text.
type Printer struct {
	*command.App
	// Full also prints complete calls and results, and entries that no model sees.
	Full bool
	// Turn is the turn printed last; -1 before the first.
	Turn int
	out  bool // something was flushed

	folds []fold
}

// FirstOut flushes the first lines at once; the rest as the buffer fills.
func (p *Printer) FirstOut() error {
	if p.out {
		return nil
	}
	p.out = true
	return p.Flush()
}

// The columns of a call and of a result without --full, if there is no terminal.
const (
	argumentsWidth = 100
	ResultWidth    = 200
)

// Print prints a block, below the heading of its turn. What no model sees is printed
// with Full, or if it is worth a note.
func (p *Printer) Print(b Block) {
	if !b.Payload.Kind().Visible() && !p.Full {
		if _, notable := notes(b.Payload); !notable {
			return
		}
	}
	p.heading(b)
	switch v := b.Payload.(type) {
	case tenfold.UserMessage:
		switch {
		case v.Purpose != tenfold.Request:
			p.text(terminal.Faint, string(v.Purpose), b, p.cut(report.PartsText(v.Parts)))
		case v.Synthetic:
			p.text(terminal.Cyan, "user (not typed by a person)", b, report.PartsText(v.Parts))
		default:
			said, host := p.apart(v)
			p.text(terminal.Cyan, "user", b, said)
			if host != "" {
				p.text(terminal.Faint, "added by the host", Block{}, p.cut(host))
			}
		}
		for _, at := range v.Attachments {
			p.Line(2, "  "+p.Paint(terminal.Faint, "attached "+terminal.VisibleLine(at.Name)+", "+number.Size(len(at.Content))))
			if p.Full {
				p.lines(at.Content)
			}
		}
	case tenfold.AssistantMessage:
		p.Line(2, p.Paint(terminal.Green, "assistant")+p.marks(b))
		p.said(v.Text)
	case tenfold.Reasoning:
		p.text(terminal.Faint, "reasoning", b, report.EntryText(v))
	case tenfold.ToolCall:
		p.call(v, b)
	case tenfold.ToolResult:
		p.result(v, b)
	case tenfold.ProviderItem:
		p.text(terminal.Faint, "item of "+terminal.VisibleLine(v.Provider), b, p.cut(v.Data))
	default:
		if note, _ := notes(b.Payload); note != "" {
			note = "· " + terminal.VisibleLine(note)
			if p.Width > 0 {
				note = ansi.Truncate(note, p.Width, "…")
			}
			p.Printf("%s\n", p.Paint(terminal.Faint, note))
		}
	}
}

// apart gives the text of a message without what the host added, and that; all of it with
// Full, and in the order in which a model sees it.
func (p *Printer) apart(v tenfold.UserMessage) (said, host string) {
	if p.Full {
		return report.PartsText(v.Parts), ""
	}
	parts := slices.Clone(v.Parts)
	var added []string
	for i, part := range parts {
		if part.File == nil && !tenfold.IsNote(part.Text) {
			if parts[i].Text, host = purpose.Apart(part.Text); host != "" {
				added = append(added, host)
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(part tenfold.Part) bool { return part.File == nil && part.Text == "" })
	return report.PartsText(parts), strings.Join(added, "\n")
}

// System prints what summaries add to the system prompt (P4).
func (p *Printer) System(text string) {
	p.text(terminal.Faint, "end of the system prompt", Block{}, text)
}

// heading begins a turn.
func (p *Printer) heading(b Block) {
	if b.Turn == p.Turn {
		return
	}
	if p.Turn >= 0 {
		p.Printf("\n")
	}
	p.Turn = b.Turn
	when := ""
	if !b.Time.IsZero() {
		when = "  " + p.Paint(terminal.Faint, b.Time.Local().Format("2006-01-02 15:04"))
	}
	p.Printf("%s%s\n", p.Paint(terminal.Bold, "── turn "+strconv.Itoa(b.Turn)+" ──"), when)
}

// marks are the branch of an entry and what was done to it.
func (p *Printer) marks(b Block) string {
	out := ""
	if b.Branch != "" {
		out += " " + p.Paint(terminal.Faint, "("+terminal.VisibleLine(b.Branch)+")")
	}
	if b.Mark != "" {
		out += " " + p.Paint(terminal.Yellow, "["+terminal.VisibleLine(b.Mark)+"]")
	}
	return out
}

// text prints a speaker and a text.
func (p *Printer) text(c terminal.Colour, who string, b Block, text string) {
	p.Line(2, p.Paint(c, who)+p.marks(b))
	p.lines(text)
}

// lines prints an indented text.
func (p *Printer) lines(text string) {
	text = strings.Trim(terminal.Visible(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			p.Printf("\n")
			continue
		}
		p.Line(2, "  "+line)
	}
}

// said prints what a model said.
func (p *Printer) said(text string) {
	width := p.Width - len("  ")
	if !p.OutColour || width < 20 || len(text) > terminal.MarkdownLimit {
		p.lines(text)
		return
	}
	for _, line := range p.MarkdownLines(terminal.Visible(strings.ReplaceAll(text, "\r\n", "\n")), width) {
		if line == "" {
			p.Printf("\n")
			continue
		}
		p.Printf("  %s\n", line)
	}
}

func (p *Printer) cut(text string) string {
	if p.Full {
		return text
	}
	return terminal.Excerpt(text, ResultWidth)
}

func (p *Printer) call(v tenfold.ToolCall, b Block) {
	name := p.Paint(terminal.Bold, terminal.VisibleLine(v.Name))
	if p.Full {
		p.Line(2, "→ "+name+p.marks(b))
		p.lines(v.Arguments)
		return
	}
	tail, width := "", argumentsWidth
	if p.Width > 0 { // one line
		width = max(p.Width-ansi.StringWidth(terminal.VisibleLine(v.Name))-len("→ ()  1023 bytes"), 20)
	}
	if len(v.Arguments) > width {
		tail = "  " + p.Paint(terminal.Faint, number.Size(len(v.Arguments)))
	}
	p.Line(2, "→ "+name+"("+terminal.Excerpt(v.Arguments, width)+")"+tail+p.marks(b))
}

func (p *Printer) result(v tenfold.ToolResult, b Block) {
	text := strings.Trim(strings.ReplaceAll(report.PartsText(v.Parts), "\r\n", "\n"), "\n")
	word := "← result"
	if o := v.Ended(); o.Bad() {
		word = "← " + string(o)
	}
	about := number.Size(len(text))
	if n := strings.Count(text, "\n") + 1; n > 1 {
		about = number.Count(n, "line") + ", " + about
	}
	marks := p.marks(b)
	painted := word
	if v.Ended().Bad() {
		painted = p.Paint(terminal.Red, word)
	}
	if p.Full {
		p.Line(2, painted+"  "+p.Paint(terminal.Faint, about)+marks)
		p.lines(text)
		return
	}
	// One line: the size and the beginning.
	width := argumentsWidth
	if p.Width > 0 {
		width = p.Width - ansi.StringWidth(word+"  "+about+"  "+marks)
	}
	begin := ""
	said := strings.TrimLeft(tool.Output(v), "\r\n")
	if first, _, _ := strings.Cut(said, "\n"); width >= 8 && strings.TrimSpace(first) != "" {
		begin = "  " + terminal.Excerpt(first, width)
	}
	p.Line(2, painted+"  "+p.Paint(terminal.Faint, about)+begin+marks)
}

// notes describes entries that no model sees. Notable ones are shown without
// --full too.
func notes(payload tenfold.Payload) (note string, notable bool) {
	switch v := payload.(type) {
	case tenfold.TurnStart:
		return "", false
	case tenfold.Compaction:
		return "compaction of " + report.Where(v) + ": " + report.Why(v), true
	case tenfold.CompactionRevoked:
		return "undone or redone: " + v.Target, true
	case tenfold.CompactionFailed:
		return "compaction failed: " + v.Error, true
	case tenfold.CompactionAttempt:
		return strings.TrimSuffix("compaction "+string(v.State)+": "+v.Reason, ": "), false
	case tenfold.Approval:
		return strings.TrimSpace("approval " + string(v.State) + " " + v.Reason), true
	case tenfold.ConfigDelta:
		return configNote(v), len(config.SettingsOf(v.Extra)) > 0
	case tenfold.Usage:
		return "usage: " + number.Count(v.Input, "token") + " in, " + number.Thousands(v.Output) + " out, " + v.Model, false
	case tenfold.Pin:
		return "pinned " + number.CountOf(len(v.Entries), "entry", "entries"), true
	case tenfold.Unpin:
		return "unpinned " + number.CountOf(len(v.Entries), "entry", "entries"), true
	case tenfold.Recalled:
		return "recalled " + number.CountOf(len(v.Entries), "entry", "entries"), true
	}
	return "entry of kind " + string(payload.Kind()), false
}

func configNote(v tenfold.ConfigDelta) string {
	var parts []string
	if v.Model != "" {
		parts = append(parts, "model "+v.Model)
	}
	if v.System != nil {
		parts = append(parts, "system prompt of "+number.Size(len(*v.System)))
	}
	if v.Tools != nil {
		parts = append(parts, number.Count(len(*v.Tools), "tool"))
	}
	for _, s := range config.SettingsOf(v.Extra) {
		switch {
		case s.Table:
		case s.Gone:
			parts = append(parts, s.Key()+" removed")
		default:
			parts = append(parts, s.Key()+" = "+s.TOML())
		}
	}
	if v.Extra != "" && len(parts) == 0 {
		parts = append(parts, "other settings")
	}
	return "configuration: " + strings.Join(parts, ", ")
}

// FoldsBefore marks what is omitted before an item that is printed as a block.
// What is omitted from its own turn goes below the turn's heading.
func (p *Printer) FoldsBefore(it tenfold.Item, b Block) {
	due := 0
	for i, f := range p.folds {
		if it.Seq > 0 && f.first > it.Seq {
			break
		}
		if it.Seq > 0 || (it.Added == tenfold.AddedSummary && f.by == it.By) {
			due = i + 1
		}
		if it.Seq == 0 && due > 0 {
			break
		}
	}
	earlier := 0
	for earlier < due && p.folds[earlier].fromTurn < b.Turn {
		earlier++
	}
	p.writeFolds(earlier)
	if due > earlier {
		p.heading(b)
	}
	p.writeFolds(due - earlier)
}

// AllFolds marks what is omitted after the last item.
func (p *Printer) AllFolds() { p.writeFolds(len(p.folds)) }

func (p *Printer) writeFolds(n int) {
	for _, f := range p.folds[:n] {
		did := " by " + terminal.Tag(f.by)
		if f.by == "" {
			did = ": " + f.why.String()
		}
		p.Line(2, p.Paint(terminal.Yellow, "⋯ "+report.TurnWords(f.fromTurn, f.toTurn)+": "+number.CountOf(f.entries, "entry", "entries")+" "+f.fate.String()+did))
	}
	p.folds = p.folds[n:]
}

// MarkFor describes what was done to an item.
func MarkFor(it tenfold.Item) string {
	switch {
	case it.Added == tenfold.AddedSummary:
		return "summary by " + terminal.Tag(it.By)
	case it.Added != 0:
		return "added for the model: " + it.Added.String()
	case it.Fate != tenfold.Kept && it.By != "":
		return it.Fate.String() + " by " + terminal.Tag(it.By)
	}
	return ""
}

// fold is a run of entries that the view omits.
type fold struct {
	first            int64
	fromTurn, toTurn int
	entries          int
	fate             tenfold.Fate
	by               string
	why              tenfold.Reason // if no overlay did it
}

// FindFolds finds the runs of entries that the view omits in some turns, for
// FoldsBefore and AllFolds.
func (p *Printer) FindFolds(view *tenfold.Projection, from, to int) {
	var folds []fold
	joined := false // whether the entry before belongs to the last fold
	for e := range view.Log().Entries() {
		if !e.Payload.Kind().Visible() || !view.Reads(e.Seq) {
			continue
		}
		turn, _, _ := view.Log().Where(e.Seq)
		if turn < from || turn > to {
			continue
		}
		fate, by, _ := view.Fate(e.Seq)
		if fate != tenfold.Omitted && fate != tenfold.Summarised {
			joined = false
			continue
		}
		f := fold{first: e.Seq, fromTurn: turn, toTurn: turn, entries: 1, fate: fate, by: by}
		if by == "" {
			f.why = view.Why(e.Seq)
		}
		if n := len(folds) - 1; joined && folds[n].fate == fate && folds[n].by == by && folds[n].why == f.why {
			folds[n].entries++
			folds[n].toTurn = max(folds[n].toTurn, turn)
			continue
		}
		folds = append(folds, f)
		joined = true
	}
	p.folds = folds
}
