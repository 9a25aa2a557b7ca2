package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/report"
	"tenfold/tool"
)

// block is one thing to print.
type block struct {
	turn    int
	branch  string
	time    time.Time
	payload tenfold.Payload
	mark    string
}

// printer prints a conversation as text.
type printer struct {
	*app
	full bool
	turn int
	out  bool // something was flushed

	folds []fold
}

// firstOut flushes the first lines at once; the rest as the buffer fills.
func (p *printer) firstOut() error {
	if p.out {
		return nil
	}
	p.out = true
	return p.Flush()
}

// The columns of a call and of a result without --full, if there is no terminal.
const (
	argumentsWidth = 100
	resultWidth    = 200
)

func (p *printer) print(b block) {
	if !b.payload.Kind().Visible() && !p.full {
		if _, notable := notes(b.payload); !notable {
			return
		}
	}
	p.heading(b)
	switch v := b.payload.(type) {
	case tenfold.UserMessage:
		switch {
		case v.Purpose != tenfold.Request:
			p.text(terminal.Faint, string(v.Purpose), b, p.cut(report.PartsText(v.Parts)))
		case v.Synthetic:
			p.text(terminal.Cyan, "user (not typed by a person)", b, report.PartsText(v.Parts))
		default:
			p.text(terminal.Cyan, "user", b, report.PartsText(v.Parts))
		}
		for _, at := range v.Attachments {
			p.Line(2, "  "+p.Paint(terminal.Faint, "attached "+terminal.VisibleLine(at.Name)+", "+size(len(at.Content))))
			if p.full {
				p.lines(at.Content)
			}
		}
	case tenfold.AssistantMessage:
		p.Line(2, p.Paint(terminal.Green, "assistant")+p.marks(b))
		p.said(v.Text)
	case tenfold.Reasoning:
		p.text(terminal.Faint, "reasoning", b, reasoningText(v))
	case tenfold.ToolCall:
		p.call(v, b)
	case tenfold.ToolResult:
		p.result(v, b)
	case tenfold.ProviderItem:
		p.text(terminal.Faint, "item of "+terminal.VisibleLine(v.Provider), b, p.cut(v.Data))
	default:
		if note, _ := notes(b.payload); note != "" {
			note = "· " + terminal.VisibleLine(note)
			if p.Width > 0 {
				note = ansi.Truncate(note, p.Width, "…")
			}
			p.Printf("%s\n", p.Paint(terminal.Faint, note))
		}
	}
}

// heading begins a turn.
func (p *printer) heading(b block) {
	if b.turn == p.turn {
		return
	}
	if p.turn >= 0 {
		p.Printf("\n")
	}
	p.turn = b.turn
	when := ""
	if !b.time.IsZero() {
		when = "  " + p.Paint(terminal.Faint, b.time.Local().Format("2006-01-02 15:04"))
	}
	p.Printf("%s%s\n", p.Paint(terminal.Bold, "── turn "+strconv.Itoa(b.turn)+" ──"), when)
}

// marks are the branch of an entry and what was done to it.
func (p *printer) marks(b block) string {
	out := ""
	if b.branch != "" {
		out += " " + p.Paint(terminal.Faint, "("+terminal.VisibleLine(b.branch)+")")
	}
	if b.mark != "" {
		out += " " + p.Paint(terminal.Yellow, "["+terminal.VisibleLine(b.mark)+"]")
	}
	return out
}

// text prints a speaker and a text.
func (p *printer) text(c terminal.Colour, who string, b block, text string) {
	p.Line(2, p.Paint(c, who)+p.marks(b))
	p.lines(text)
}

// lines prints an indented text.
func (p *printer) lines(text string) {
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
func (p *printer) said(text string) {
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

func (p *printer) cut(text string) string {
	if p.full {
		return text
	}
	return terminal.Excerpt(text, resultWidth)
}

func (p *printer) call(v tenfold.ToolCall, b block) {
	name := p.Paint(terminal.Bold, terminal.VisibleLine(v.Name))
	if p.full {
		p.Line(2, "→ "+name+p.marks(b))
		p.lines(v.Arguments)
		return
	}
	tail, width := "", argumentsWidth
	if p.Width > 0 { // one line
		width = max(p.Width-ansi.StringWidth(terminal.VisibleLine(v.Name))-len("→ ()  1023 bytes"), 20)
	}
	if len(v.Arguments) > width {
		tail = "  " + p.Paint(terminal.Faint, size(len(v.Arguments)))
	}
	p.Line(2, "→ "+name+"("+terminal.Excerpt(v.Arguments, width)+")"+tail+p.marks(b))
}

func (p *printer) result(v tenfold.ToolResult, b block) {
	text := strings.Trim(strings.ReplaceAll(report.PartsText(v.Parts), "\r\n", "\n"), "\n")
	word := "← result"
	if o := v.Ended(); o.Bad() {
		word = "← " + string(o)
	}
	about := size(len(text))
	if n := strings.Count(text, "\n") + 1; n > 1 {
		about = count(n, "line", "lines") + ", " + about
	}
	marks := p.marks(b)
	painted := word
	if v.Ended().Bad() {
		painted = p.Paint(terminal.Red, word)
	}
	if p.full {
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
		return "compaction of " + overlayWhere(v) + ": " + overlayWhy(v), true
	case tenfold.CompactionRevoked:
		return "undone or redone: " + v.Target, true
	case tenfold.CompactionFailed:
		return "compaction failed: " + v.Error, true
	case tenfold.CompactionAttempt:
		return strings.TrimSpace("compaction " + string(v.State) + ": " + v.Reason), false
	case tenfold.Approval:
		return strings.TrimSpace("approval " + string(v.State) + " " + v.Reason), true
	case tenfold.ConfigDelta:
		return configNote(v), len(config.SettingsOf(v.Extra)) > 0
	case tenfold.Usage:
		return "usage: " + count(v.Input, "token", "tokens") + " in, " + thousands(v.Output) + " out, " + v.Model, false
	case tenfold.Pin:
		return "pinned " + count(len(v.Entries), "entry", "entries"), true
	case tenfold.Unpin:
		return "unpinned " + count(len(v.Entries), "entry", "entries"), true
	case tenfold.Recalled:
		return "recalled " + count(len(v.Entries), "entry", "entries"), true
	}
	return "entry of kind " + string(payload.Kind()), false
}

func configNote(v tenfold.ConfigDelta) string {
	var parts []string
	if v.Model != "" {
		parts = append(parts, "model "+v.Model)
	}
	if v.System != nil {
		parts = append(parts, "system prompt of "+size(len(*v.System)))
	}
	if v.Tools != nil {
		parts = append(parts, count(len(*v.Tools), "tool", "tools"))
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

// foldsBefore marks what is omitted before an item that is printed as a block.
// What is omitted from its own turn goes below the turn's heading.
func (p *printer) foldsBefore(it tenfold.Item, b block) {
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
	for earlier < due && p.folds[earlier].fromTurn < b.turn {
		earlier++
	}
	p.writeFolds(earlier)
	if due > earlier {
		p.heading(b)
	}
	p.writeFolds(due - earlier)
}

func (p *printer) allFolds() { p.writeFolds(len(p.folds)) }

func (p *printer) writeFolds(n int) {
	for _, f := range p.folds[:n] {
		did := " by " + tagFor(f.by)
		if f.by == "" {
			did = ": " + f.why.String()
		}
		p.Line(2, p.Paint(terminal.Yellow, "⋯ "+turnWords(f.fromTurn, f.toTurn)+": "+count(f.entries, "entry", "entries")+" "+f.fate.String()+did))
	}
	p.folds = p.folds[n:]
}
