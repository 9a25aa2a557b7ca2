package wire_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"tenfold"
)

// flat gives what a body of OpenAI's says as lines, so that how it is divided into
// messages does not matter; what the system says apart, and the note as well, for
// where it stands may differ.
func flat(t rapid.TB, raw []byte) (lines, system []string, note bool) {
	t.Helper()
	var b struct {
		Messages, Input []map[string]any
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for _, m := range append(b.Messages, b.Input...) {
		if m["role"] == "system" || m["role"] == "developer" {
			system = append(system, fmt.Sprint(m))
			continue
		}
		say := func(v any) {
			kind, text := "", fmt.Sprint(v)
			if part, ok := v.(map[string]any); ok && part["text"] != nil {
				kind, text = fmt.Sprint(part["type"]), fmt.Sprint(part["text"])
			}
			if tenfold.IsNote(text) {
				_, text, _ = strings.Cut(text, "\n")
			}
			if text = strings.Trim(text, "\n"); text != "" {
				lines = append(lines, fmt.Sprint(m["role"], m["type"], kind, text))
			}
		}
		switch content := m["content"].(type) {
		case []any:
			for _, part := range content {
				say(part)
			}
		case nil:
		default:
			say(content)
		}
		delete(m, "content")
		if list, ok := m["output"].([]any); ok { // alone, a text needs no list
			texts := make([]string, len(list))
			for i, part := range list {
				if texts[i] = fmt.Sprint(part); part.(map[string]any)["text"] != nil {
					texts[i] = fmt.Sprint(part.(map[string]any)["text"])
				}
			}
			m["output"] = strings.Join(texts, "\n")
		}
		if len(m) > 2 || m["role"] == nil {
			lines = append(lines, fmt.Sprint(m))
		}
	}
	return lines, system, strings.Contains(string(raw), "[Earlier parts are shortened: ")
}

// alike reports whether two bodies say the same.
func alike(t rapid.TB, a, b []byte) bool {
	t.Helper()
	x, systemX, _ := flat(t, a)
	y, systemY, _ := flat(t, b)
	return slices.Equal(x, y) && slices.Equal(systemX, systemY)
}
