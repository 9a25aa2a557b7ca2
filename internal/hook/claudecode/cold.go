package claudecode

import (
	"context"
	"errors"
	"io/fs"

	"tenfold/internal/hook"
	"tenfold/transcript"
)

// resting is the event session.cold, which the plug-in makes up: nobody is working,
// a session begins or some time has passed since its last turn.
type resting struct {
	caller

	// Window is in tokens, 0 where Claude Code does not say.
	Window int `json:"window"`
}

// chilled is the answer: whether the plug-in is to ask Claude Code for a compaction.
type chilled struct {
	Compact bool `json:"compact"`
}

func cold(ctx context.Context, h *hook.Host, e *resting) (any, error) {
	name, err := e.file()
	if err != nil {
		return nil, err
	}
	worth, _, err := h.Cold(ctx, hook.Ask{Format: transcript.ClaudeCode, Path: name, Dir: e.Dir, Trigger: "cold", Window: e.Window})
	if errors.Is(err, fs.ErrNotExist) { // nothing was said yet
		return nil, nil
	}
	return chilled{worth}, err
}
