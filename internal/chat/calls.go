package chat

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/tool"
)

// folded is something that is shown in one line, and whole on request.
type folded struct{ title, text string }

// mostFolded is how many of them can be unfolded, mostUnfolded how much of each.
const (
	mostFolded   = 50
	mostUnfolded = 1 << 20
)

// keepFolded keeps what was not shown.
func (m *model) keepFolded(title, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	m.folded = append(m.folded, folded{title, text})
	if len(m.folded) > mostFolded {
		m.folded = slices.Delete(m.folded, 0, 1)
	}
}

// showFolded writes the newest of them whole; the next time the one before it.
func (m *model) showFolded() {
	if len(m.folded) == 0 {
		m.note = "nothing left to unfold"
		return
	}
	f := m.folded[len(m.folded)-1]
	m.folded = m.folded[:len(m.folded)-1]
	m.sayMarked("▾ ", terminal.Faint, f.title)
	text, over := f.text, len(f.text)-mostUnfolded
	if over > 0 {
		text = strings.ToValidUTF8(text[:mostUnfolded], "")
	}
	text = sanitise(text)
	m.show("", func(room int) []string { return wrap(text, room) })
	if over > 0 {
		m.say(terminal.Faint, "… and "+number.Count(over, "byte")+" more")
	}
}

// lastLines is how many lines of a failure are shown.
const lastLines = 5

// showResult writes how a call ended: one line, and the last lines of a failure.
func (m *model) showResult(branch string, r tenfold.ToolResult) {
	call, took := &called{ToolCall: tenfold.ToolCall{Name: "tool"}}, ""
	if at := slices.IndexFunc(m.calls, func(c *called) bool { return c.branch == branch && c.CallID == r.CallID }); at >= 0 {
		call = m.calls[at]
		m.calls = slices.Delete(m.calls, at, at+1)
	}
	if !call.since.IsZero() {
		took = seconds(m.now().Sub(call.since))
	}
	m.running = slices.DeleteFunc(m.running, func(c *called) bool { return c == call })
	subject := call.subject
	mark, c, how := "✓ ", terminal.Green, ""
	switch outcome := tool.OutcomeOf(call.Name, r); {
	case outcome == tenfold.Failed:
		mark, c, how = "✗ ", terminal.Red, "failed"
	case outcome.Bad():
		mark, c, how = "✗ ", terminal.Red, terminal.VisibleLine(string(outcome))
	case outcome == "":
		mark, c, how = "• ", terminal.Faint, "outcome unknown"
	}
	title := terminal.CallLine(branch, call.Name, "")
	tail := strings.Trim(how+", "+took, ", ")
	plan := planLines(call.ToolCall)
	if plan != nil {
		subject = ""
	}
	m.screen.add(func(width int) []string { return []string{m.callLine(mark, c, title, subject, tail, width-1)} })
	text := tenfold.SearchText(r)
	if how != "" && c == terminal.Red {
		m.showFailure(text)
	}
	for _, line := range plan {
		m.say(terminal.Normal, line)
	}
	m.keepFolded(strings.TrimSpace(title+" "+terminal.Excerpt(subject, 60)), text)
}

// showFailure writes the last lines of what failed.
func (m *model) showFailure(text string) {
	text = strings.TrimRight(text[max(len(text)-8000, 0):], "\n ")
	lines := strings.Split(strings.ToValidUTF8(text, ""), "\n")
	lines = lines[max(len(lines)-lastLines, 0):]
	m.show("", func(room int) (shown []string) {
		for _, line := range lines {
			shown = append(shown, m.paint.Paint(terminal.Faint, "│ "+ansi.Truncate(sanitise(line), max(room-2, 1), "…")))
		}
		return shown
	})
}

// callLine is a call in one line: what does not fit goes from the subject.
func (m *model) callLine(mark string, c terminal.Colour, title, subject, tail string, width int) string {
	if tail != "" {
		tail = "  " + tail
	}
	room := width - ansi.StringWidth(mark+title+tail) - 1
	line := m.paint.Paint(c, mark) + m.paint.Paint(terminal.Bold, title)
	if room >= 4 && subject != "" {
		line += " " + ansi.Truncate(subject, room, "…")
	}
	return ansi.Truncate(line+m.paint.Paint(terminal.Faint, tail), max(width, 1), "…")
}
