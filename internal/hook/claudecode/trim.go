package claudecode

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
)

// called is the event tool.call: a tool has answered with a large result.
type called struct {
	caller

	Tool string `json:"tool"`
	Call string `json:"call"`
	// Text is what the model would read, and Result what Claude Code keeps of it,
	// in a shape of the tool's own.
	Text   string         `json:"text"`
	Result jsontext.Value `json:"result"`
}

// shortened is the answer: the result as Claude Code is to keep it.
type shortened struct {
	Result any `json:"result,omitzero"`
}

// whole are the tools whose results are never shortened: Claude Code numbers the
// lines of a file itself, and lets a model edit what it has read; and what a
// sub-agent reports was written to be read.
var whole = []string{"Read", "Edit", "Write", "NotebookEdit", "Agent", "Task", "Skill"}

func trim(ctx context.Context, h *hook.Host, e *called) (any, error) {
	if slices.Contains(whole, e.Tool) || e.Call == "" {
		return nil, nil //nolint:nilnil // nothing to say
	}
	var kept any
	if err := json.Unmarshal(e.Result, &kept); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	text, replace := longest(&kept)
	if len(text) < len(e.Text)*3/4 { // what the model reads is put together of several texts
		return nil, nil //nolint:nilnil // nothing to say
	}
	t, err := h.Trim(ctx, hook.Born{Session: e.Session, Dir: e.Dir, Call: e.Call, Tool: e.Tool, Text: text})
	if err != nil || t == nil {
		return nil, err
	}
	replace(t.Text)
	return shortened{kept}, nil
}

// longest finds the longest text of a JSON value, and gives what replaces it.
func longest(v *any) (text string, replace func(string)) {
	consider := func(t string, set func(string)) {
		if replace == nil || len(t) > len(text) {
			text, replace = t, set
		}
	}
	switch w := (*v).(type) {
	case string:
		consider(w, func(s string) { *v = s })
	case []any:
		for i := range w {
			if t, set := longest(&w[i]); set != nil {
				consider(t, set)
			}
		}
	case map[string]any:
		for name, one := range w {
			if t, set := longest(&one); set != nil {
				consider(t, func(s string) {
					set(s)
					w[name] = one
				})
			}
		}
	}
	return text, replace
}
