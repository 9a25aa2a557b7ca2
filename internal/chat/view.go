package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/purpose"
	"tenfold/session"
)

// mostTail is how many lines show what is being written or run.
const mostTail = 6

// liveHeight is how many lines it has.
func (m *model) liveHeight() int { lines, _ := m.live(); return len(lines) }

func (m *model) View() tea.View {
	if m.gone || m.screen.width == 0 {
		return tea.NewView("")
	}
	lines, cursor := m.live()
	v := tea.NewView(strings.Join(lines, "\n"))
	v.Cursor = cursor
	return v
}

// live builds the live area from the bottom: the gauge, the input or what is asked
// instead of it, a rule, what is under way.
func (m *model) live() ([]string, *tea.Cursor) {
	width, most := max(m.screen.width-1, 1), m.screen.most()
	var lines []string
	var cursor *tea.Cursor
	switch {
	case m.reasoned:
		lines = append([]string{m.questionTitle(width), "Why not? Enter sends it, Esc goes back."}, m.input.lines()...)
		cursor = m.cursor(2)
	case len(m.questions) > 0:
		lines = append([]string{m.questionTitle(width)}, m.offerLines(width)...)
	case m.offer != nil:
		lines = m.offerLines(width)
	case m.compacting:
		lines = []string{m.paint.Paint(terminal.Faint, "(input closed)")}
	default:
		choices := m.input.choiceLines(max(most-len(m.input.lines())-2, 1))
		lines = append(m.input.lines(), choices...)
		cursor = m.cursor(0)
	}
	bottom := cmp.Or(m.note, m.gaugeWords(width-len(margin))) // about the last key, if there is something to say
	lines = append(lines, m.paint.Paint(terminal.Faint, margin+bottom))
	above := most - len(lines)
	var top []string
	if above > 1 {
		top = []string{m.paint.Paint(terminal.Faint, strings.Repeat("─", width))}
		above--
	}
	if m.job != nil && above > 0 {
		top = append([]string{m.status()}, top...)
		if above--; above > 0 {
			top = append(m.tail(width, min(above, mostTail)), top...)
		}
	}
	if cursor != nil {
		cursor.Y += len(top)
	}
	lines = append(top, lines...)
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, width, "…")
	}
	if over := len(lines) - most; over > 0 {
		lines = lines[over:]
		if cursor != nil {
			cursor.Y = max(cursor.Y-over, 0)
		}
	}
	return lines, cursor
}

func (m *model) cursor(below int) *tea.Cursor {
	c := m.input.area.Cursor()
	if c != nil {
		c.Y += below
	}
	return c
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// status says what is under way, and for how long.
func (m *model) status() string {
	label := m.label
	if len(m.questions) > 0 {
		label = "waiting for your answer"
	}
	line := m.paint.Paint(terminal.Cyan, spinner[m.frame%len(spinner)]) + " " + label + " " + seconds(m.now().Sub(m.since))
	if n := len(m.queued); n > 0 {
		line += ", " + number.Count(n, "message") + " queued"
	}
	return line + m.paint.Paint(terminal.Faint, "  Ctrl-C stops")
}

// tail shows what runs, or the end of what is being written, in exactly so many
// lines: the input is not to jump.
func (m *model) tail(width, rows int) []string {
	var lines []string
	room := width - len(margin)
	switch {
	case len(m.running) > 0:
		from := max(len(m.running)-rows, 0)
		for _, r := range m.running[from:] {
			tail := seconds(m.now().Sub(r.since))
			if r.contained {
				tail += ", contained"
			}
			lines = append(lines, m.callLine("", terminal.Normal, terminal.CallLine(r.branch, r.Name, ""), r.subject, tail, room))
			if r.output != "" && len(m.running) == 1 && rows > 1 {
				lines = append(lines, m.paint.Paint(terminal.Faint, "│ "+ansi.Truncate(r.output, max(room-2, 1), "…")))
			}
		}
	case len(m.text.pending) > 0:
		lines = lastRows(m.text.tail(rows*room*4), room, rows)
	case len(m.reasoning) > 0:
		text := m.reasoning[max(len(m.reasoning)-rows*room*4, 0):]
		lines = lastRows(strings.ToValidUTF8(string(text), ""), room, rows)
		for i := range lines {
			lines[i] = m.paint.Paint(terminal.Faint, lines[i])
		}
	}
	lines = lines[max(len(lines)-rows, 0):]
	for i := range lines {
		lines[i] = margin + lines[i]
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines
}

func lastRows(text string, width, rows int) []string {
	lines := wrap(sanitise(text), width)
	return slices.Clone(lines[max(len(lines)-rows, 0):])
}

// gaugeWords says how full the context is, where the figure is from, what was
// spent and by which model: as much of it as has room, in this order.
func (m *model) gaugeWords(width int) string {
	g := m.gauge
	from := ""
	switch {
	case g.Method == "" || g.Tokens == 0:
	case g.Method == agent.Reported:
		from = " (reported)"
	case g.Method == "estimate":
		from = " (estimated)"
	default:
		from = " (estimated, " + terminal.VisibleLine(g.Method) + ")"
	}
	line := number.Count(g.Tokens, "token") + from
	if g.Window > 0 {
		short := fmt.Sprintf("context %d %%", g.Tokens*100/g.Window)
		line = short + ": " + number.Thousands(g.Tokens) + " of " + number.Count(g.Window, "token") + from
		if ansi.StringWidth(line) > width {
			line = short + from
		}
	}
	var parts []string
	if g.Dollars != nil && *g.Dollars > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", *g.Dollars))
	} else if g.Dollars == nil && g.Spent != (tenfold.Usage{}) {
		parts = append(parts, "cost unknown")
	}
	if m.modelName != "" {
		parts = append(parts, terminal.VisibleLine(m.modelName))
	}
	if g.Compactions > 0 {
		parts = append(parts, number.Count(g.Compactions, "compaction"))
	}
	for _, part := range parts {
		if more := line + " · " + part; ansi.StringWidth(more) <= width {
			line = more
		}
	}
	return line
}

// showGreeting begins the screen: what this is, and where the conversation stopped.
func (m *model) showGreeting() {
	m.sayMarked("● ", terminal.Cyan, strings.TrimSuffix("Tenfold, "+sanitise(m.modelName), ", "))
	m.say(terminal.Faint, "Enter sends, /help lists commands, Ctrl-C stops, Ctrl-D quits.")
	m.withSession(m.continuing)
}

// continuing shows where the conversation stopped.
func (m *model) continuing(s *session.Session) {
	if s.Log().Turns() == 0 {
		return
	}
	title := cmp.Or(sanitise(terminal.VisibleLine(s.Title())), "the conversation")
	m.say(terminal.Normal, fmt.Sprintf("Continuing %s: %s.", title, number.Count(s.Log().Turns(), "turn")))
	var asked, answer string
	for e := range s.Log().Entries() {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			if said := purpose.Said(p); e.Branch == "" && said != "" { // else a host did, or it is context
				asked, answer = said, ""
			}
		case tenfold.AssistantMessage:
			if e.Branch == "" {
				answer = p.Text
			}
		}
	}
	if asked != "" {
		m.showPrompt(terminal.Excerpt(asked, 300))
	}
	if answer != "" {
		if over := len(answer) - 4000; over > 0 {
			answer = "…" + strings.ToValidUTF8(answer[over:], "")
		}
		m.showMarkdown(chunk{markdown: answer})
	}
}
