package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
)

// An input is what is being written: text of several lines, pastes that are shown
// folded, and the completion of commands, models and files.
type input struct {
	area   textarea.Model
	dir    string
	models []string

	pastes []string // tokens that stand in the text, each with its paste behind it

	choices []string
	chosen  int
	word    string // that a choice replaces

	files   []string
	listed  time.Time
	listing bool
}

// A paste is folded if it is longer than that, or has tabs, which the editor would
// not keep. A longer one than mostPaste is not taken.
const (
	shortPaste = 600
	shortLines = 6
	mostPaste  = 16 << 20
	mostChoice = 5
	listAgain  = 10 * time.Second
)

// filesMsg is the list of the files of the workspace.
type filesMsg struct{ files []string }

func newInput(o Options, paint *terminal.Terminal) input {
	area := textarea.New()
	area.ShowLineNumbers = false
	area.EndOfBufferCharacter = ' '
	area.DynamicHeight, area.MinHeight, area.MaxHeight, area.MaxContentHeight = true, 1, 4, 5000
	area.MaxWidth = 0
	plain := textarea.StyleState{Selection: lipgloss.NewStyle().Reverse(true)}
	area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain})
	area.SetVirtualCursor(false)
	area.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("shift+enter", "alt+enter", "ctrl+j"))
	area.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	area.SetPromptFunc(len(margin), func(p textarea.PromptInfo) string {
		if p.LineNumber == 0 {
			return paint.Paint(terminal.Cyan, "> ")
		}
		return margin
	})
	area.Focus()
	return input{area: area, dir: o.Dir, models: o.Models}
}

func (in *input) resize(width, most int) {
	in.area.MaxHeight = max(most/2, 1)
	in.area.SetWidth(max(width-1, 4))
}

func (in *input) value() string { return in.area.Value() }

func (in *input) set(text string) {
	in.area.SetValue(text)
	in.area.MoveToEnd()
	in.choices = nil
}

func (in *input) lines() []string { return strings.Split(in.area.View(), "\n") }

// beforeCursor is the line that the cursor is on, up to the cursor.
func (in *input) beforeCursor() string {
	lines := strings.Split(in.area.Value(), "\n")
	if in.area.Line() >= len(lines) {
		return ""
	}
	runes := []rune(lines[in.area.Line()])
	return string(runes[:min(in.area.Column(), len(runes))])
}

// key takes in a key.
func (in *input) key(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "backspace" { // a folded paste goes as a whole
		before := in.beforeCursor()
		for at := 0; at < len(in.pastes); at += 2 {
			if token := in.pastes[at]; strings.HasSuffix(before, token) {
				in.erase(utf8.RuneCountInString(token))
				return nil
			}
		}
	}
	var cmd tea.Cmd
	in.area, cmd = in.area.Update(msg)
	return tea.Batch(cmd, in.startCompletion())
}

// other takes in what is not a key.
func (in *input) other(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	in.area, cmd = in.area.Update(msg)
	return cmd
}

func (in *input) erase(n int) {
	for range n {
		in.area, _ = in.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

// paste inserts a text, folded if it is long.
func (in *input) paste(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	lines := strings.Count(text, "\n") + 1
	if len(text) <= shortPaste && lines <= shortLines && terminal.Visible(text) == text && !strings.Contains(text, "\t") {
		in.area.InsertString(text)
		return
	}
	token := fmt.Sprintf("[pasted %d: %s, %s]", len(in.pastes)/2+1, number.Count(lines, "line"), number.Count(len(text), "byte"))
	in.pastes = append(in.pastes, token, text)
	in.area.InsertString(token)
}

// expandPastes puts the pastes in the place of their tokens.
func (in *input) expandPastes(text string) string {
	return strings.NewReplacer(in.pastes...).Replace(text)
}

// startCompletion looks for what the word before the cursor may become.
func (in *input) startCompletion() tea.Cmd {
	in.choices, in.chosen = nil, 0
	before := in.beforeCursor()
	in.word = before[strings.LastIndexAny(before, " \t")+1:]
	first := in.area.Line() == 0
	switch {
	case first && strings.HasPrefix(before, "/model "):
		in.choices = bestMatches(in.models, in.word, mostChoice)
	case first && in.word == before && strings.HasPrefix(before, "/"):
		for _, c := range commands() {
			if strings.HasPrefix(c.name, before) {
				in.choices = append(in.choices, c.name)
			}
		}
	case strings.HasPrefix(in.word, "@") && in.dir != "":
		in.choices = bestMatches(in.files, in.word[1:], mostChoice)
		if in.listing || time.Since(in.listed) < listAgain {
			break
		}
		in.listing = true
		dir := in.dir
		return func() tea.Msg { return filesMsg{listFiles(dir)} }
	}
	if slices.Equal(in.choices, []string{in.word}) {
		in.choices = nil
	}
	return nil
}

func (in *input) showCompletions(msg filesMsg) {
	in.files, in.listed, in.listing = msg.files, time.Now(), false
	in.startCompletion()
}

// choose takes in a key while there are choices; false if it is not for them.
func (in *input) choose(pressed string) bool {
	if len(in.choices) == 0 {
		return false
	}
	switch pressed {
	case "up", "ctrl+p":
		in.chosen = (in.chosen + len(in.choices) - 1) % len(in.choices)
	case "down", "ctrl+n":
		in.chosen = (in.chosen + 1) % len(in.choices)
	case "tab", "enter":
		choice := in.choices[in.chosen]
		if pressed == "enter" && choice == in.word {
			return false
		}
		if strings.HasPrefix(in.word, "@") {
			choice = "@" + choice
		}
		in.erase(utf8.RuneCountInString(in.word))
		in.area.InsertString(choice + " ")
		in.choices = nil
	case "esc":
		in.choices = nil
	default:
		return false
	}
	return true
}

// choiceLines shows the choices; a mark, and not only a colour, tells which is
// taken. Where not all have room, the last line says so.
func (in *input) choiceLines(most int) (lines []string) {
	if over := len(in.choices) - most; over > 0 && most > 1 {
		most--
		defer func() { lines = append(lines, fmt.Sprintf("%s… %d more", margin+margin, over+1)) }()
	}
	from := max(min(in.chosen-most+1, len(in.choices)-most), 0)
	for i := from; i < len(in.choices) && len(lines) < most; i++ {
		line := margin + margin + in.choices[i]
		if i == in.chosen {
			line = margin + "▸ " + in.choices[i]
		}
		lines = append(lines, line)
	}
	return lines
}
