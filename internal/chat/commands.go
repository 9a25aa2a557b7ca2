package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/token"
)

// A command is what is entered after a slash.
type command struct {
	name, argument, help string
	// always tells that it works while the agent does.
	always bool
	do     func(m *model, argument string) tea.Cmd
}

// commands lists them in the order of /help.
func commands() []command {
	return []command{
		{"/compact", "[FOCUS]", "compact now; FOCUS says what to preserve", false, (*model).compact},
		{"/undo", "", "restore what the newest compaction hid", false, func(m *model, _ string) tea.Cmd {
			return m.undoOrRedo("undoing", "Undone", m.agent.Undo, session.ErrNothingToUndo)
		}},
		{"/redo", "", "apply it again", false, func(m *model, _ string) tea.Cmd {
			return m.undoOrRedo("redoing", "Applied again", m.agent.Redo, session.ErrNothingToRedo)
		}},
		{"/context", "", "show what takes the room", false, func(m *model, _ string) tea.Cmd { return m.withSession(m.showContext) }},
		{"/why", "[ENTRY]", "what the newest compaction did, or did to an entry", false, func(m *model, entry string) tea.Cmd {
			return m.withSession(func(s *session.Session) { m.showWhy(s, entry) })
		}},
		{"/model", "[NAME]", "show the model, or use another", false, (*model).modelCommand},
		{"/new", "", "begin a new conversation", false, func(m *model, _ string) tea.Cmd { return m.newConversation() }},
		{"/help", "", "show this", true, (*model).helpCommand},
		{"/quit", "", "leave; the conversation is kept", true, func(m *model, _ string) tea.Cmd { return m.quit() }},
	}
}

// commandOf reads a command, or says what is wrong with it. What else begins with a slash is a
// path, and part of a message.
func commandOf(text string) (c *command, argument, wrong string) {
	word, argument, _ := strings.Cut(text, " ")
	var names []string
	for _, c := range commands() {
		if c.name == word {
			return &c, strings.TrimSpace(argument), ""
		}
		names = append(names, c.name)
	}
	if len(word) < 2 || word[0] != '/' || strings.Contains(word[1:], "/") {
		return nil, "", ""
	}
	if near := problem.Nearest(word, names); near != "" {
		return nil, "", "unknown command: did you mean " + near + "?"
	}
	return nil, "", "unknown command: /help lists them"
}

func (m *model) helpCommand(string) tea.Cmd {
	lines := []string{
		"@FILE             name a file of the workspace",
		"Shift-Enter       new line; also Alt-Enter, Ctrl-J, backslash-Enter",
		"Up, Down          what was entered before",
		"Ctrl-O            show what was folded, newest first",
		"Ctrl-C            stop the agent; twice: quit",
		"Ctrl-D            quit, on an empty line",
	}
	for i, c := range commands() {
		lines = slices.Insert(lines, i, terminal.Pad(strings.TrimSpace(c.name+" "+c.argument), 18)+c.help)
	}
	m.blankLine()
	m.show("", func(room int) (shown []string) {
		for _, line := range lines {
			shown = append(shown, strings.Split(terminal.WrapLine(line, room, 18), "\n")...)
		}
		return shown
	})
	return nil
}

// undoOrRedo runs do, which undoes or redoes.
func (m *model) undoOrRedo(label, done string, do func(context.Context) ([]tenfold.Overlay, error), nothing error) tea.Cmd {
	before := m.gauge.Tokens
	a := m.agent
	return m.start(label, func(ctx context.Context, report func(tea.Msg)) error {
		overlays, err := do(ctx)
		switch {
		case errors.Is(err, nothing):
			report(saying(sentence(strings.ToUpper(nothing.Error()[:1])+nothing.Error()[1:], "")))
			return nil
		case err != nil:
			return err
		}
		text := fmt.Sprintf("%s: %s", done, number.Count(len(overlays), "overlay"))
		if after := a.Gauge().Tokens; after != before {
			text += fmt.Sprintf(", %s → %s", number.Thousands(before), number.Count(after, "token"))
		}
		report(saying(text + "."))
		return nil
	})
}

func (m *model) modelCommand(name string) tea.Cmd {
	if name == "" {
		m.say(terminal.Normal, "The model is "+sanitise(m.modelName)+".")
		others := slices.DeleteFunc(slices.Clone(m.o.Models), func(name string) bool { return name == m.modelName })
		if len(others) > 0 {
			m.say(terminal.Faint, "Others: "+terminal.VisibleLine(strings.Join(others, ", ")))
		}
		return nil
	}
	a, use := m.agent, m.o.Switch
	return m.start("changing the model", func(ctx context.Context, report func(tea.Msg)) error {
		if err := use(ctx, a, name); err != nil {
			return err
		}
		report(change(func(m *model) {
			m.modelBefore, m.modelName = m.modelName, name
			m.say(terminal.Faint, "The model is "+sanitise(name)+" now.")
			if m.closed { // it was the other one's window that was full
				m.closed, m.unfinished, m.again = false, true, func() tea.Cmd { return m.run() }
			}
		}))
		return nil
	})
}

// rooms are what takes room in a context, in the order of a request, by the kinds of the
// entries: a summary or a note is none, and neither is the configuration.
var rooms = []struct {
	kind  tenfold.Kind
	words string
}{
	{tenfold.KindConfigDelta, "system prompt and tools"},
	{tenfold.KindUserMessage, "user messages"},
	{tenfold.KindAssistantMessage, "answers"},
	{tenfold.KindReasoning, "reasoning"},
	{tenfold.KindToolCall, "tool calls"},
	{tenfold.KindToolResult, "tool results"},
	{"", "summaries and notes"},
	{tenfold.KindProviderItem, "other"},
}

// withSession has f look at the conversation.
func (m *model) withSession(f func(*session.Session)) tea.Cmd {
	err := m.agent.Do(func(s *session.Session) error {
		f(s)
		return nil
	})
	if err != nil {
		m.fail(err)
	}
	return nil
}

func (m *model) showContext(s *session.Session) {
	view, scale := s.Projection(), token.Calibrate(s.Log())
	takes, total := map[tenfold.Kind]int{tenfold.KindConfigDelta: view.Totals().Config.After}, 0
	for it := range view.Items() {
		kind := it.Payload.Kind()
		if it.Seq == 0 {
			kind = ""
		}
		takes[kind] += it.Tokens
	}
	for kind, tokens := range takes {
		takes[kind] = scale.Tokens(tokens)
		total += takes[kind]
	}
	m.blankLine()
	m.say(terminal.Bold, "What the next request takes")
	row := func(words string, tokens int) string {
		return terminal.Pad(words, 23) + " " + terminal.PadLeft(number.Thousands(tokens), 7)
	}
	for _, r := range rooms {
		if tokens := takes[r.kind]; tokens > 0 {
			share := tokens * 100 / max(total, 1)
			m.row(fmt.Sprintf("%s %3d %%  %s", row(r.words, tokens), share, strings.Repeat("█", share/5)))
		}
	}
	m.row(row("all of it", total))
	if all := view.Totals().All(); all.Before > all.After {
		m.say(terminal.Faint, fmt.Sprintf("%s of the log are hidden. Nothing of it is lost.", number.Count(scale.Tokens(all.Before-all.After), "token")))
	}
	m.say(terminal.Faint, m.gaugeWords(200))
}

// showWhy says why a model sees an entry as it does; without one, what was compacted last.
func (m *model) showWhy(s *session.Session, entry string) {
	view, scale := s.Projection(), token.Calibrate(s.Log())
	if entry == "" {
		m.whyCompaction(view, scale)
		return
	}
	seq, _ := strconv.ParseInt(entry, 10, 64) // what is no number names none
	e, known := s.Log().Entry(seq)
	if !known {
		m.note = fmt.Sprintf("no such entry: entries are 1 to %d", s.Log().Version())
		return
	}
	turn, step, _ := s.Log().Where(seq)
	m.blankLine()
	m.say(terminal.Bold, fmt.Sprintf("Entry %d: %s, turn %d, step %d", seq, strings.ReplaceAll(string(e.Payload.Kind()), "_", " "), turn, step))
	if !view.Reads(seq) {
		m.say(terminal.Normal, "No model sees entries of this kind or branch here.")
		return
	}
	fate, by, after := view.Fate(seq)
	m.say(terminal.Normal, fmt.Sprintf("%s: %s; %s → %s", fate, view.Why(seq), number.Thousands(scale.Tokens(e.Tokens)), number.Count(scale.Tokens(after), "token")))
	if by != "" {
		m.say(terminal.Faint, "by "+terminal.VisibleLine(by)+"; /undo restores what the newest compaction hid")
	}
}

// whyCompaction says what the newest compaction did, and what the view is now.
func (m *model) whyCompaction(view *tenfold.Projection, scale token.Scale) {
	var newest *tenfold.Overlay
	for o := range view.Overlays() { // of those of one command the first tells most
		if o.Live && (newest == nil || o.Compaction.Command == "" || o.Compaction.Command != newest.Compaction.Command) {
			newest = &o
		}
	}
	m.blankLine()
	if newest == nil {
		m.say(terminal.Normal, "Nothing is compacted.")
		return
	}
	m.say(terminal.Bold, "The newest compaction: "+report.Where(newest.Compaction))
	m.say(terminal.Normal, terminal.VisibleLine(report.Why(newest.Compaction)))
	for _, f := range tenfold.Fates() {
		if n := view.Totals().Of(f); n.Entries > 0 {
			m.say(terminal.Normal, fmt.Sprintf("%s  %s  %s → %s", terminal.Pad(f.String(), 10), terminal.PadLeft(number.Thousands(n.Entries), 7),
				number.Thousands(scale.Tokens(n.Before)), number.Count(scale.Tokens(n.After), "token")))
		}
	}
	m.say(terminal.Faint, "/why ENTRY tells about one; `tenfold conversation diff` about all.")
}
