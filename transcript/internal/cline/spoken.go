package cline

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/purpose"
)

// spoken takes what a person said out of the result of a call that they did not refuse:
// of one they approved with a note, of a command they did not wait for, and of a task
// that was said to be done. It is a message of theirs as much as one in text is. What a
// command or a file holds may look the same, so that only the place that the tool writes
// it to counts.
func (d *cline) spoken(r *tenfold.ToolResult) (said []tenfold.Part) {
	const running, feedback = "Command is still running", "The user provided the following feedback:\n<feedback>\n"
	for i, p := range r.Parts {
		if p.File != nil {
			continue
		}
		if note, rest, ok := approval(p.Text); ok && i == 0 {
			r.Parts[i].Text, said = rest, append(said, tenfold.TextPart(note))
			continue
		}
		switch d.calls[r.CallID] {
		case "execute_command":
			at := strings.LastIndex(p.Text, feedback)
			if i == 0 && at >= 0 && strings.HasPrefix(p.Text, running) && strings.HasSuffix(p.Text, "\n</feedback>") {
				r.Parts[i].Text, said = strings.TrimRight(p.Text[:at], "\n"), append(said, tenfold.TextPart(p.Text[at:]))
			}
		case "attempt_completion":
			if _, ok := purpose.Framed(p.Text); ok {
				r.Parts[i].Text, said = "", append(said, p)
			}
		}
	}
	return said
}

// approval cuts the note of an approval off the result that follows it.
func approval(text string) (note, rest string, ok bool) {
	const approved, end = "The user approved this operation and provided the following context:\n<feedback>\n", "\n</feedback>"
	if strings.HasPrefix(text, approved) {
		if at := strings.Index(text, end); at >= 0 {
			at += len(end)
			return text[:at], strings.TrimLeft(text[at:], "\n"), true
		}
	}
	if !strings.HasPrefix(text, `{"status":"approved",`) {
		return "", "", false
	}
	in := jsontext.NewDecoder(strings.NewReader(text))
	var record struct{ Feedback string }
	if json.UnmarshalDecode(in, &record, json.MatchCaseInsensitiveNames(true)) != nil || record.Feedback == "" {
		return "", "", false
	}
	return approved + record.Feedback + end, strings.TrimLeft(text[in.InputOffset():], "\n"), true
}
