package pi

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
)

// birth answers tool_result: with what the model is to see of a large result, if
// that is to be less (V3). A result of several texts stays as it is.
func birth(ctx context.Context, h *hook.Host, e input) (any, error) {
	var blocks []block
	if err := json.Unmarshal(e.Content, &blocks); err != nil {
		return nil, err
	}
	text := -1
	for i, b := range blocks {
		if b.Type == "text" {
			if text >= 0 {
				return nil, nil
			}
			text = i
		}
	}
	if text < 0 || e.Session == "" || e.Call == "" {
		return nil, nil
	}
	t, err := h.Trim(ctx, hook.Born{
		Session: e.Session, Dir: e.Cwd, Call: e.Call, Tool: e.Tool, Arguments: string(e.Input), Text: blocks[text].Text, IsError: e.IsError,
	})
	if err != nil || t == nil {
		return nil, err
	}
	blocks[text].Text = t.Text
	return map[string][]block{"content": blocks}, nil
}

// A result is what a tool gave.
type result struct {
	Session string         `json:"session"`
	Call    string         `json:"toolCallId"`
	Tool    string         `json:"toolName"`
	Input   jsontext.Value `json:"input"`
	Content jsontext.Value `json:"content"`
	IsError bool           `json:"isError"`
}
