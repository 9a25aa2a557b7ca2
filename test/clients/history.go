package clients

import (
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/test/modelserver"
)

// A Line is one thing that was said, in a form that can be compared across
// wires: ids, signatures and the way blocks are grouped aside.
type Line struct {
	Role, Kind, Name, Text string
}

// String shows a line for people.
func (l Line) String() string {
	const most = 160
	text := l.Role + " " + l.Kind + " " + l.Name + " " + l.Text
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ReplaceAll(text, "\n", "⏎")
}

// injected are the elements that clients put into requests by themselves, alone
// or before what a person said: their models see them, but nobody said them.
var injected = []string{
	"system-reminder", "environment_context", "user_instructions", "session_context", "skills_instructions",
	"permissions instructions", "INSTRUCTIONS", "tools",
}

// uninjected gives what is left of a text without such elements.
func uninjected(text string) string {
	text = strings.TrimSpace(text)
	for {
		rest := text
		for _, name := range injected {
			if strings.HasPrefix(rest, "<"+name+">") {
				_, rest, _ = strings.Cut(rest, "</"+name+">")
				rest = strings.TrimSpace(rest)
			}
		}
		if rest == text {
			return text
		}
		text = rest
	}
}

// History gives what was said in a request, without what the client put there
// by itself: messages of role system and developer, and reminders. With
// thinking, reasoning is part of it.
func History(r modelserver.Request, thinking bool) []Line {
	var lines []Line
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			// The note stands in the first message (P5a), whoever's that is; an export
			// without that message moves it to the next.
			for _, b := range m.Blocks {
				if b.Kind == modelserver.KindText && tenfold.IsNote(strings.TrimSpace(b.Text)) {
					lines = append(lines, Line{Role: "user", Kind: "text", Text: strings.TrimSpace(b.Text)})
				}
			}
			continue
		}
		answered := map[string]bool{}
		for _, b := range m.Blocks {
			if b.Kind == modelserver.KindResult && b.ID != "" {
				if answered[b.ID] {
					continue // Gemini CLI 0.61 sends results twice when it resumes
				}
				answered[b.ID] = true
			}
			if line, ok := lineOf(m.Role, b); ok && (thinking || b.Kind != modelserver.KindThinking) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func lineOf(role string, b modelserver.Block) (Line, bool) {
	l := Line{Role: role, Kind: string(b.Kind), Name: b.Name, Text: strings.TrimSpace(b.Text)}
	switch b.Kind {
	case modelserver.KindText:
		l.Text = uninjected(b.Text)
		return l, l.Text != ""
	case modelserver.KindCall:
		l.Text = canonical(b.Arguments)
	case modelserver.KindResult:
		l.Name = "" // only Gemini names the tool again
	case modelserver.KindOther:
		l.Kind, l.Text = b.Type, string(b.Raw)
	case modelserver.KindThinking:
	}
	return l, true
}

// canonical brings JSON into one form; what is not JSON stays.
func canonical(arguments string) string {
	var v any
	if json.Unmarshal([]byte(arguments), &v) != nil {
		return arguments
	}
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return arguments
	}
	return string(data)
}

// unmarshalFirst reads the first line of JSON lines.
func unmarshalFirst(lines string, v any) error {
	first, _, _ := strings.Cut(lines, "\n")
	return json.Unmarshal([]byte(first), v)
}
