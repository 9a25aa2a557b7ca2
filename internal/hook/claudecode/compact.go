package claudecode

import (
	"cmp"
	"context"
	"fmt"

	"tenfold/internal/hook"
	"tenfold/strategy"
	"tenfold/transcript"
)

// compacting is the event session.compact: Claude Code is about to compact.
type compacting struct {
	caller

	// Trigger is manual, auto, plugin or precompute; cold for a compaction that
	// the plug-in asked for (V2c).
	Trigger string `json:"trigger"`
	// Focus is what the person typed after /compact.
	Focus string `json:"focus"`
	// Window is in tokens, 0 where Claude Code does not say.
	Window int `json:"window"`
	// Rows are the messages of the conversation, one for each block.
	Rows []row `json:"rows"`
}

// replaced is the answer: the messages that replace the conversation, or why there
// is to be no compaction.
type replaced struct {
	Messages []message `json:"messages,omitzero"`
	Skip     string    `json:"skip,omitzero"`
	// Line is for the person.
	Line string `json:"line,omitzero"`
}

// enough is the share of a view that may be left where the window is full: a
// conversation that we cannot make shorter than that needs a summary.
const enough = 0.75

func compact(ctx context.Context, h *hook.Host, e *compacting) (any, error) {
	if e.Trigger == "precompute" {
		// It would ask a model for a summary ahead of time.
		return replaced{Skip: "Tenfold compacts when it is needed, without a model"}, nil
	}
	if len(e.Rows) == 0 || e.Rows[len(e.Rows)-1].Handle == "" {
		return nil, errShape
	}
	name, err := e.file()
	if err != nil {
		return nil, err
	}
	if err := awaitWritten(ctx, name, e.Rows[len(e.Rows)-1].Handle); err != nil {
		return nil, err
	}
	ask := hook.Ask{Format: transcript.ClaudeCode, Path: name, Dir: e.Dir, Trigger: e.Trigger, Focus: e.Focus, Window: e.Window}
	if e.Trigger == "manual" {
		ask.Person, ask.Target = true, strategy.Tokens(e.half())
	}
	v, err := h.Compact(ctx, ask)
	if err != nil {
		return nil, err
	}
	if e.Trigger == "auto" && float64(v.After) > enough*float64(v.Before) {
		return nil, fmt.Errorf("%d of %d tokens would be left, which is not enough room", v.After, v.Before)
	}
	messages, err := view(v.Projection(), e.Rows)
	if err != nil {
		return nil, err
	}
	if !shortens(messages, e.Rows) {
		return nil, nil
	}
	return replaced{Messages: headed(v, messages), Line: v.Line}, nil
}

// half is half of the conversation in tokens, at four characters each (T3), and at
// most two fifths of the window. What Claude Code counts has its system prompt in it,
// which may be larger than all else.
func (e *compacting) half() int {
	n := 0
	for _, r := range e.Rows {
		n += r.Length
	}
	return max(min(n/4/2, 2*cmp.Or(e.Window, unknownWindow)/5), 1)
}

// unknownWindow is taken for the window of a model that Claude Code does not say.
const unknownWindow = 200_000

// headed puts a message before a view that says what happened, to the person in its
// first line and to the model in the note (P5a).
func headed(v *hook.View, messages []message) []message {
	line := cmp.Or(v.Line, "Tenfold: this is the view of an earlier compaction; undo: tenfold conversation undo "+v.ID())
	text := transcript.Replaced(line, len(messages))
	if note := v.Projection().Note(); note != "" {
		text += "\n" + note
	}
	return append([]message{{Role: "user", Text: text}}, messages...)
}
