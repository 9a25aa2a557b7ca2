package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/config"
)

// block is one thing to print.
type block struct {
	turn    int
	branch  string
	time    time.Time
	payload tenfold.Payload
	mark    string
}

// printer writes a conversation as text.
type printer struct {
	*app
	full bool
	turn int
	out  bool // something was brought out

	folds []fold
}

// firstOut brings the first lines out at once; the rest comes as the buffer
// fills.
func (p *printer) firstOut() error {
	if p.out {
		return nil
	}
	p.out = true
	return p.flush()
}

// How much of a call and of a result shows without --full, in columns, where no
// terminal says how wide it is.
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
		role := "user"
		if v.Synthetic {
			role = "user (not typed by a person)"
		}
		p.text(cyan, role, b, partsText(v.Parts))
		for _, at := range v.Attachments {
			p.line(2, "  "+p.paint(faint, "attached "+visibleLine(at.Name)+", "+size(len(at.Content))))
			if p.full {
				p.lines(at.Content)
			}
		}
	case tenfold.AssistantMessage:
		p.line(2, p.paint(green, "assistant")+p.marks(b))
		p.said(v.Text)
	case tenfold.Reasoning:
		p.text(faint, "reasoning", b, reasoningText(v))
	case tenfold.ToolCall:
		p.call(v, b)
	case tenfold.ToolResult:
		p.result(v, b)
	case tenfold.ProviderItem:
		p.text(faint, "item of "+visibleLine(v.Provider), b, p.cut(v.Data))
	default:
		if note, _ := notes(b.payload); note != "" {
			note = "· " + visibleLine(note)
			if p.width > 0 {
				note = ansi.Truncate(note, p.width, "…")
			}
			p.printf("%s\n", p.paint(faint, note))
		}
	}
}

// heading begins a turn.
func (p *printer) heading(b block) {
	if b.turn == p.turn {
		return
	}
	if p.turn >= 0 {
		p.printf("\n")
	}
	p.turn = b.turn
	when := ""
	if !b.time.IsZero() {
		when = "  " + p.paint(faint, b.time.Local().Format("2006-01-02 15:04"))
	}
	p.printf("%s%s\n", p.paint(bold, "── turn "+strconv.Itoa(b.turn)+" ──"), when)
}

// marks are the branch an entry is on and what was done to it.
func (p *printer) marks(b block) string {
	out := ""
	if b.branch != "" {
		out += " " + p.paint(faint, "("+visibleLine(b.branch)+")")
	}
	if b.mark != "" {
		out += " " + p.paint(yellow, "["+visibleLine(b.mark)+"]")
	}
	return out
}

// text writes who says something, and what.
func (p *printer) text(c colour, who string, b block, text string) {
	p.line(2, p.paint(c, who)+p.marks(b))
	p.lines(text)
}

// lines writes a text indented.
func (p *printer) lines(text string) {
	text = strings.Trim(visible(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			p.printf("\n")
			continue
		}
		p.line(2, "  "+line)
	}
}

// said writes what a model said.
func (p *printer) said(text string) {
	width := p.width - len("  ")
	if !p.outColour || width < 20 || len(text) > markdownLimit {
		p.lines(text)
		return
	}
	for _, line := range p.markdownLines(visible(strings.ReplaceAll(text, "\r\n", "\n")), width) {
		if line == "" {
			p.printf("\n")
			continue
		}
		p.printf("  %s\n", line)
	}
}

func (p *printer) cut(text string) string {
	if p.full {
		return text
	}
	return excerpt(text, resultWidth)
}

func (p *printer) call(v tenfold.ToolCall, b block) {
	name := p.paint(bold, visibleLine(v.Name))
	if p.full {
		p.line(2, "→ "+name+p.marks(b))
		p.lines(v.Arguments)
		return
	}
	tail, width := "", argumentsWidth
	if p.width > 0 { // one line
		width = max(p.width-ansi.StringWidth(visibleLine(v.Name))-len("→ ()  1023 bytes"), 20)
	}
	if len(v.Arguments) > width {
		tail = "  " + p.paint(faint, size(len(v.Arguments)))
	}
	p.line(2, "→ "+name+"("+excerpt(v.Arguments, width)+")"+tail+p.marks(b))
}

func (p *printer) result(v tenfold.ToolResult, b block) {
	text := strings.Trim(strings.ReplaceAll(partsText(v.Parts), "\r\n", "\n"), "\n")
	word := "← result"
	if v.IsError {
		word = "← error"
	}
	about := size(len(text))
	if n := strings.Count(text, "\n") + 1; n > 1 {
		about = count(n, "line", "lines") + ", " + about
	}
	marks := p.marks(b)
	painted := word
	if v.IsError {
		painted = p.paint(red, word)
	}
	if p.full {
		p.line(2, painted+"  "+p.paint(faint, about)+marks)
		p.lines(text)
		return
	}
	// One line: how much it is, and how it begins.
	width := argumentsWidth
	if p.width > 0 {
		width = p.width - ansi.StringWidth(word+"  "+about+"  "+marks)
	}
	begin := ""
	if first, _, _ := strings.Cut(text, "\n"); width >= 8 && strings.TrimSpace(first) != "" {
		begin = "  " + excerpt(first, width)
	}
	p.line(2, painted+"  "+p.paint(faint, about)+begin+marks)
}

// notes describes entries that no model sees. Those that are notable show
// without --full too.
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
			parts = append(parts, s.Key()+" taken back")
		default:
			parts = append(parts, s.Key()+" = "+s.TOML())
		}
	}
	if v.Extra != "" && len(parts) == 0 {
		parts = append(parts, "other settings")
	}
	return "configuration: " + strings.Join(parts, ", ")
}

// foldsBefore marks what was left out before an item, which is to be printed as
// a block: what is left out of its turn stands below the turn's heading.
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
		p.line(2, p.paint(yellow, "⋯ "+turnWords(f.fromTurn, f.toTurn)+": "+count(f.entries, "entry", "entries")+" "+f.fate.String()+did))
	}
	p.folds = p.folds[n:]
}
