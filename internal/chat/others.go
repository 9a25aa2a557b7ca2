package chat

import (
	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/purpose"
)

// showOthers shows an entry that another program added to the conversation. The answer
// under way goes on behind it.
func (m *model) showOthers(e tenfold.Entry) {
	if e.Branch != "" {
		return
	}
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		if text := purpose.Said(p); text != "" {
			m.blankLine()
			m.say(terminal.Faint, "Said in another program:")
			m.sayMarked("> ", terminal.Bold, sanitise(text))
		}
	case tenfold.AssistantMessage:
		m.blankLine()
		m.say(terminal.Faint, "Answered in another program:")
		var whole stream
		for _, c := range whole.add([]byte(p.Text)) {
			m.showMarkdown(c)
		}
		if c, some := whole.end(); some {
			m.showMarkdown(c)
		}
	case tenfold.ToolCall:
		m.rememberCall("", p, terminal.Excerpt(p.Arguments, 200))
	case tenfold.ToolResult:
		m.showResult("", p)
	}
}
