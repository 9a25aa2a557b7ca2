package chat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/tool"
)

// show writes lines, which have so much room behind the margin; a mark stands in that.
func (m *model) show(mark string, lines func(room int) []string) {
	m.screen.add(func(width int) []string { return indent(mark, lines(max(width-1-len(margin), 1))) })
}

// say writes a line of the program.
func (m *model) say(c terminal.Colour, text string) { m.sayMarked("", c, text) }

// sayMarked writes lines of the program with a mark in the margin.
func (m *model) sayMarked(mark string, c terminal.Colour, text string) {
	m.show(m.paint.Paint(c, mark), func(room int) []string {
		lines := wrap(text, room)
		for i, line := range lines {
			lines[i] = m.paint.Paint(c, line)
		}
		return lines
	})
}

// row writes a row of a table: what has no room is left out.
func (m *model) row(text string) {
	m.show("", func(room int) []string { return []string{ansi.Truncate(text, room, "")} })
}

// blankLine writes an empty line.
func (m *model) blankLine() { m.screen.add(func(int) []string { return []string{""} }) }

// showPrompt writes what the person said.
func (m *model) showPrompt(text string) {
	m.blankLine()
	m.sayMarked("> ", terminal.Bold, sanitise(text))
}

// showMarkdown writes what a model said.
func (m *model) showMarkdown(c chunk) {
	if !c.joined {
		m.blankLine()
	}
	text := sanitise(c.markdown)
	m.show("", func(room int) []string {
		if !m.o.Colour {
			return wrap(text, room)
		}
		return m.paint.MarkdownLines(text, room)
	})
}

// streamText takes in text that a model has just written. What sub-agents write is not
// shown: their result is.
func (m *model) streamText(e agent.Event) {
	switch {
	case e.Branch != "":
	case e.Reasoning != "":
		if len(m.reasoning) == 0 {
			m.thinking = m.now()
		}
		m.label = "thinking"
		m.reasoning = append(m.reasoning, e.Reasoning...)
	default:
		m.label = "writing"
		m.streamed += len(e.Text)
		for _, c := range m.text.add([]byte(e.Text)) {
			m.showMarkdown(c)
		}
	}
}

// showAnswer writes the end of what a model said, with what a stream has left of it.
func (m *model) showAnswer(s *stream, end string) {
	for _, c := range s.add([]byte(end)) {
		m.showMarkdown(c)
	}
	if c, some := s.end(); some {
		m.showMarkdown(c)
	}
}

// finishText writes what is left of a message.
func (m *model) finishText() {
	m.showAnswer(&m.text, "")
	m.streamed, m.reasoning = 0, nil
}

// event takes in what happened in a run.
func (m *model) event(e agent.Event) {
	switch {
	case written(e) > 0:
		m.streamText(e)
	case e.Appended != nil:
		m.showEntry(*e.Appended, e.Others)
	case e.Running != nil:
		c := m.rememberCall(e.Branch, e.Running.Call)
		c.subject = cmp.Or(terminal.VisibleLine(e.Running.Intent.Subject), c.subject)
		c.since, c.contained = m.now(), e.Running.Contained
		m.label = "running " + terminal.CallLine("", c.Name, "")
		m.running = append(m.running, c)
	case e.Output != nil:
		m.keepPrinted(e.Branch, e.Output)
	case e.Waiting != nil:
		m.showWaiting(e.Waiting)
	case e.Compaction != nil:
		m.compaction(*e.Compaction)
	case e.Gauge != nil:
		if e.Branch == "" {
			m.gauge = *e.Gauge
		}
	case e.Stop != nil:
		m.showStop(*e.Stop)
	}
}

// keepPrinted keeps the last line of what a call prints.
func (m *model) keepPrinted(branch string, o *agent.Output) {
	for _, r := range m.running {
		if r.branch == branch && r.CallID == o.CallID {
			text := o.Text[max(len(o.Text)-1000, 0):]
			lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
			r.output = terminal.VisibleLine(lines[len(lines)-1])
		}
	}
}

// showEntry shows an entry that was appended: by this run, or by another program. The
// answer under way goes on behind what those say.
func (m *model) showEntry(e tenfold.Entry, others bool) {
	if others && e.Branch != "" {
		return
	}
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		switch text := purpose.Said(p); {
		case e.Branch != "" || p.Purpose == tenfold.Context:
		case !others:
			m.unsent = ""
		case text != "":
			m.blankLine()
			m.say(terminal.Faint, "Said in another program:")
			m.sayMarked("> ", terminal.Bold, sanitise(text))
		}
	case tenfold.AssistantMessage:
		switch {
		case e.Branch != "":
		case others:
			m.blankLine()
			m.say(terminal.Faint, "Answered in another program:")
			m.showAnswer(&stream{}, p.Text)
		default:
			m.showAnswer(&m.text, p.Text[min(m.streamed, len(p.Text)):]) // what was not streamed
			m.streamed, m.reasoning = 0, nil
		}
	case tenfold.Reasoning:
		if !others {
			m.foldReasoning(e.Branch, p)
		}
	case tenfold.ToolCall:
		m.rememberCall(e.Branch, p)
		if !others {
			m.label = "running tools"
		}
	case tenfold.ToolResult:
		runs := func(c *called) bool { return c.branch == e.Branch && c.CallID == p.CallID }
		if others && slices.ContainsFunc(m.running, runs) { // the model was told that it is interrupted; how it ends comes
			break
		}
		m.showResult(e.Branch, p)
		if !others {
			m.label = "asking the model"
		}
	}
}

// foldReasoning folds the reasoning of a response.
func (m *model) foldReasoning(branch string, p tenfold.Reasoning) {
	started := m.thinking
	m.reasoning, m.thinking = nil, time.Time{}
	if branch != "" || strings.TrimSpace(p.Text) == "" {
		return
	}
	title := "Thought"
	if !started.IsZero() {
		title += " for " + seconds(m.now().Sub(started))
	}
	m.sayMarked("· ", terminal.Faint, title)
	m.keepFolded(title, p.Text)
}

// showWaiting says why nothing happens. What was written so far is written again.
func (m *model) showWaiting(w *agent.Waiting) {
	m.label, m.since = "waiting", m.now()
	m.finishText()
	reason := "no answer"
	if w.Err != nil {
		reason = terminal.VisibleLine(w.Err.Error())
	}
	m.sayMarked("! ", terminal.Yellow, fmt.Sprintf("%s; trying again in %s (attempt %d)", reason, seconds(w.After), w.Attempt))
}

// compaction takes in what the controller decided (A5, A6, A7).
func (m *model) compaction(d session.Decision) {
	m.compacting, m.label = false, "asking the model"
	if m.leaving.IsZero() {
		m.note = "" // that the input is closed
	}
	switch d.Action {
	case session.Compact:
		m.finishText()
		m.compacting, m.label, m.since = true, "compacting", m.now()
		m.sayMarked("◇ ", terminal.Cyan, sentence(d.Told(), d.Reason)+" The input is closed until it is done.")
	case session.Compacted:
		m.failed, m.closed = false, false
		m.showCompacted(d)
	case session.GoOn, session.Wait:
		if d.Action == session.GoOn || d.By == session.ByPerson { // else the model waits for a call of its own
			m.say(terminal.Normal, sentence(d.Told(), d.Reason))
		}
	case session.Failed, session.Exceeded:
		m.failed, m.closed = true, m.closed || d.Action == session.Exceeded
		reason, hint := d.Why()
		m.showError(sentence(d.Told(), reason)+" Nothing was removed.", hint)
	}
}

// showCompacted says what a compaction did.
func (m *model) showCompacted(d session.Decision) {
	text := d.Told()
	if before, after := d.Result.Plan.Sizes(); before > 0 {
		text += fmt.Sprintf(" (%d %% less)", (before-after)*100/before)
	}
	if d.Result.Count > 0 && !d.Micro {
		text += fmt.Sprintf("; %s so far", number.Count(d.Result.Count, "compaction"))
	}
	m.sayMarked("◆ ", terminal.Green, text+". /undo restores it.")
}

// showStop takes in why a run ended.
func (m *model) showStop(s agent.Stop) {
	m.finishText()
	switch s.Reason {
	case agent.Answered:
		if s.Detail != "" {
			m.sayMarked("! ", terminal.Yellow, sentence(strings.ToUpper(s.Detail[:1])+s.Detail[1:], ""))
		}
	case agent.Interrupted:
		m.say(terminal.Yellow, "Stopped. What there was is kept.")
	case agent.Exceeded:
		m.closed = true
		m.showError(sentence("The context is full", s.Detail), "")
	default:
		m.sayMarked("! ", terminal.Yellow, sentence("Stopped: "+sanitise(string(s.Reason)), s.Detail))
		m.unfinished = s.Reason == agent.Limited || s.Reason == agent.CutOff
	}
}

// fail says what went wrong.
func (m *model) fail(err error) {
	p := &problem.Error{}
	_ = errors.As(err, &p)
	m.showError(terminal.VisibleLine(err.Error()), p.Hint)
}

func (m *model) showError(text, hint string) {
	m.sayMarked("✗ ", terminal.Red, text)
	if hint != "" {
		m.say(terminal.Faint, "hint: "+terminal.VisibleLine(hint))
	}
}

// sentence joins what happened and why, with a full stop.
func sentence(what, why string) string {
	if why = strings.TrimSpace(terminal.VisibleLine(why)); why != "" {
		what += ": " + why
	}
	if strings.HasSuffix(what, ".") || strings.HasSuffix(what, "…") {
		return what
	}
	return what + "."
}

// planLines shows a plan that a call keeps; none for other calls.
func planLines(c tenfold.ToolCall) []string {
	t, known := tool.Lookup(c.Name)
	if !known {
		return nil
	}
	plan, ok := t.Plan(c.Arguments)
	if !ok {
		return nil
	}
	var lines []string
	for i, item := range plan.Items {
		if i == mostPlan {
			lines = append(lines, number.Count(len(plan.Items)-i, "more item"))
			break
		}
		mark := cmp.Or(map[string]string{"completed": "[x] ", "in_progress": "[>] ", "cancelled": "[-] "}[item.Status], "[ ] ")
		lines = append(lines, mark+terminal.VisibleLine(item.Text))
	}
	return lines
}

// mostPlan is how many items of a plan are shown.
const mostPlan = 20

// seconds formats a time that a person waits.
func seconds(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(max(d.Seconds(), 0), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
