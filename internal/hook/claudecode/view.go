package claudecode

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// row is a message that Claude Code has: one block of the conversation.
type row struct {
	// Handle is the id of its line in the session's file.
	Handle string `json:"h"`
	// Role is user or assistant.
	Role string `json:"r"`
	// Text is the beginning of what a user's message or result says. Length is how
	// long everything in the row is, arguments too, in UTF-16 units.
	Text   string `json:"t"`
	Length int    `json:"n"`
	// Results are the ids of the calls that it answers.
	Results []string `json:"d"`
}

// message is one of an answer: a row to keep, or one that Claude Code makes.
type message struct {
	Keep    *int     `json:"keep,omitzero"`
	Role    string   `json:"role,omitzero"`
	Text    string   `json:"text,omitzero"`
	Uses    []use    `json:"toolUses,omitzero"`
	Results []result `json:"toolResults,omitzero"`
}

type use struct {
	ID    string         `json:"tool_use_id"`
	Tool  string         `json:"tool"`
	Input jsontext.Value `json:"input"`
}

type result struct {
	ID    string `json:"tool_use_id"`
	Text  string `json:"text"`
	Error bool   `json:"isError"`
}

// view gives a projection as messages that replace the rows. No thinking is in it:
// what stood before it has changed (B1, B2).
func view(p *tenfold.Projection, rows []row) ([]message, error) {
	m := newMatcher(p.Log(), rows)
	var out []message
	if text := p.Continuation(); text != "" {
		out = append(out, message{Role: "user", Text: text})
	}
	for it := range p.Items() {
		switch q := it.Payload.(type) {
		case tenfold.UserMessage:
			if at, ok := m.user(it, q); ok {
				out = append(out, message{Keep: &at})
			} else if text := said(it, q); text != "" {
				out = append(out, message{Role: "user", Text: text})
			}
		case tenfold.AssistantMessage:
			if strings.TrimSpace(q.Text) != "" {
				out = append(out, message{Role: "assistant", Text: q.Text})
			}
		case tenfold.ToolCall:
			input := jsontext.Value(q.Arguments)
			if !input.IsValid() || input.Kind() != '{' {
				return nil, fmt.Errorf("call %s: its arguments are not a JSON object", q.CallID)
			}
			out = append(out, message{Role: "assistant", Uses: []use{{q.CallID, q.Name, input}}})
		case tenfold.ToolResult:
			if at, ok := m.result(it, q); ok {
				out = append(out, message{Keep: &at})
			} else {
				out = append(out, message{Role: "user", Results: []result{{q.CallID, textOf(q.Parts), q.IsError}}})
			}
		default:
			// Reasoning, and items that nobody but the provider can make.
		}
	}
	return out, nil
}

// said is what a user's message says, without the note, which stands before the
// view.
func said(it tenfold.Item, u tenfold.UserMessage) string {
	parts := u.Parts
	if it.Noted {
		parts = parts[1:]
	}
	text := textOf(parts)
	for _, a := range u.Attachments {
		text = joined(text, "[Attached file: "+a.Name+"]\n"+a.Content)
	}
	return text
}

// textOf joins the texts of parts; a file that cannot be sent again is named.
func textOf(parts []tenfold.Part) string {
	text := ""
	for _, p := range parts {
		switch {
		case p.File != nil:
			text = joined(text, "["+strings.TrimSpace("File: "+p.File.Name+" "+p.File.MediaType)+"]")
		case p.Text != "":
			text = joined(text, p.Text)
		}
	}
	return text
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// matcher finds the rows that show entries whole. A row has the id of its line in
// the file. After a replacement the lines are new ones, and what they say tells.
type matcher struct {
	byID   map[string]int
	texts  map[string][]int
	blocks map[string]int // entries that a model sees, by the id of the line
	newest int            // where the results begin that no response came after
}

func newMatcher(l *tenfold.Log, rows []row) *matcher {
	m := &matcher{byID: map[string]int{}, texts: map[string][]int{}, blocks: map[string]int{}}
	for i, r := range rows {
		if r.Role != "user" {
			m.newest = i + 1
			continue
		}
		m.byID[r.Handle] = i
		if len(r.Results) == 0 {
			key := textKey(r.Text, r.Length)
			m.texts[key] = append(m.texts[key], i)
		}
	}
	for e := range l.Entries() {
		if e.Payload.Kind().Visible() {
			m.blocks[lineOf(e.ID)]++
		}
	}
	return m
}

// lineOf is the id of the line that an entry came from.
func lineOf(id string) string {
	if i := strings.IndexAny(id, "/#"); i >= 0 {
		return id[:i]
	}
	return id
}

// clip is how many UTF-16 units of a text the plug-in sends.
const clip = 200

func textKey(text string, length int) string {
	units := utf16.Encode([]rune(text))
	return fmt.Sprint(length) + " " + string(utf16.Decode(units[:min(len(units), clip)]))
}

// keyOf is the key of a text that is all there.
func keyOf(text string) string { return textKey(text, units(text)) }

// units is how long a text is for JavaScript.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// whole reports whether an item shows all that its line says.
func (m *matcher) whole(it tenfold.Item) bool {
	return it.Fate == tenfold.Kept && m.blocks[lineOf(it.ID)] == 1
}

// user finds the row of a message.
func (m *matcher) user(it tenfold.Item, u tenfold.UserMessage) (int, bool) {
	if !m.whole(it) {
		return 0, false
	}
	var text strings.Builder
	parts := u.Parts
	if it.Noted {
		parts = parts[1:]
	}
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	key := keyOf(text.String())
	list := m.texts[key]
	at, ok := m.byID[lineOf(it.ID)]
	if !ok {
		if len(list) == 0 {
			return 0, false
		}
		at = list[0]
	}
	// Of equal texts each row is used once.
	for i, other := range list {
		if other == at {
			m.texts[key] = append(list[:i:i], list[i+1:]...)
		}
	}
	return at, true
}

// result finds the row of a result with an image that the model has not seen yet:
// one of the step under way. Text is made anew, for a result that is kept leads
// Claude Code back to the call before the replacement when it resumes.
func (m *matcher) result(it tenfold.Item, r tenfold.ToolResult) (int, bool) {
	if !m.whole(it) || !slices.ContainsFunc(r.Parts, func(p tenfold.Part) bool { return p.File != nil }) {
		return 0, false
	}
	at, ok := m.byID[lineOf(it.ID)]
	return at, ok && at >= m.newest
}

// shortens reports whether messages are worth replacing the rows with: a tenth
// shorter (A4).
func shortens(messages []message, rows []row) bool {
	before, after := 0, 0
	for _, r := range rows {
		before += r.Length
	}
	for _, m := range messages {
		if m.Keep != nil {
			after += rows[*m.Keep].Length
		}
		after += units(m.Text)
		for _, u := range m.Uses {
			after += units(string(u.Input))
		}
		for _, r := range m.Results {
			after += units(r.Text)
		}
	}
	return 10*after <= 9*before
}
