package summary

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An answer is what a model is asked for (M1a).
type answer struct {
	Summary     string   `json:"summary"`
	ActiveFiles []string `json:"active_files"`
	OpenTasks   []string `json:"open_tasks"`
}

// Text writes the answer out; empty when there is no summary in it.
func (a answer) Text() string {
	text := strings.TrimSpace(a.Summary)
	if text == "" {
		return ""
	}
	for _, list := range []struct {
		title string
		items []string
	}{{"Active files", a.ActiveFiles}, {"Open tasks", a.OpenTasks}} {
		begun := false
		for _, item := range list.items {
			item = strings.Join(strings.Fields(item), " ")
			if item == "" {
				continue
			}
			if !begun {
				text += "\n\n" + list.title + ":"
				begun = true
			}
			text += "\n- " + item
		}
	}
	return text
}

var errBroken = errors.New("the answer is broken JSON")

// parseAnswer reads what a model said. A JSON object may stand in a fence or
// among words; what is no JSON at all is taken at its word (M1a). What began
// as JSON and is none is an error.
func parseAnswer(text string) (answer, error) {
	text = strings.TrimSpace(text)
	inner := unfenced(text)
	if a, ok := decodeAnswer(inner); ok {
		return a, nil
	}
	if strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[") {
		return answer{}, errBroken
	}
	if from, to := strings.Index(text, `{"`), strings.LastIndexByte(text, '}'); from >= 0 && to > from {
		if a, ok := decodeAnswer(text[from : to+1]); ok {
			return a, nil
		}
	}
	return answer{Summary: text}, nil
}

// decodeAnswer wants an object with a summary; lists of anything but
// texts are left out, since the summary counts.
func decodeAnswer(text string) (answer, bool) {
	members := map[string]jsontext.Value{}
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &members, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return answer{}, false
	}
	var a answer
	if v, ok := members["summary"]; !ok || json.Unmarshal(v, &a.Summary, jsontext.AllowInvalidUTF8(true)) != nil {
		return answer{}, false
	}
	for name, list := range map[string]*[]string{"active_files": &a.ActiveFiles, "open_tasks": &a.OpenTasks} {
		if v, ok := members[name]; ok && json.Unmarshal(v, list, jsontext.AllowInvalidUTF8(true)) != nil {
			*list = nil
		}
	}
	return a, true
}

// unfenced takes a fence of Markdown off a text that is nothing else.
func unfenced(text string) string {
	rest, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	_, body, ok := strings.Cut(rest, "\n")
	if !ok {
		return text
	}
	body = strings.TrimSpace(body)
	return strings.TrimSpace(strings.TrimSuffix(body, "```"))
}
