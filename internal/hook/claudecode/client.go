// Package claudecode answers the events of Claude Code: what its plug-in, made of
// function hooks ("mods"), asks "tenfold hook claude-code EVENT" (live.md §3). The
// plug-in carries bytes; everything is decided here.
//
// A compaction is answered with the messages that replace the conversation. Those
// of the person are named by their place in what Claude Code has, so that it keeps
// them as they are, with images; all others are made anew. An assistant's message
// is never kept by its place: Claude Code would find the rest of the response in
// the file when it resumes, with the thinking that is bound to what stood before
// (B1).
package claudecode

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"tenfold/internal/hook"
)

// Client is Claude Code. The zero value is ready.
type Client struct{}

// About implements [hook.Client].
func (Client) About() hook.About {
	return hook.About{
		Name: "claude-code", Title: "Claude Code", Commands: []string{"claude"},
		Since: "2.1.250", Tested: "2.1.332", Adapter: 1,
	}
}

// Handle implements [hook.Client].
func (c Client) Handle(ctx context.Context, h *hook.Host, event string, in []byte) ([]byte, error) {
	switch event {
	case "session.compact":
		return answer(ctx, h, in, compact)
	case "session.cold":
		return answer(ctx, h, in, cold)
	case "tool.call":
		return answer(ctx, h, in, trim)
	case "PreCompact":
		return answer(ctx, h, in, preCompact)
	case "SessionStart":
		return answer(ctx, h, in, sessionStart)
	case "PostToolUse":
		return answer(ctx, h, in, postToolUse)
	}
	return nil, fmt.Errorf("%w: %q", hook.ErrUnknownEvent, event)
}

// caller is what the plug-in says of the session with each event.
type caller struct {
	Version    string `json:"version"`
	Session    string `json:"session"`
	Transcript string `json:"transcript"`
	Dir        string `json:"dir"`
	Agent      string `json:"agent"`
}

func (c *caller) by() *caller { return c }

// errShape says that an event does not look as it should (V7).
var errShape = errors.New("the event has an unexpected shape")

// answer reads an event, has it answered and writes the answer; nil is nothing to
// say.
func answer[E any, P interface {
	*E
	by() *caller
}](ctx context.Context, h *hook.Host, in []byte, do func(context.Context, *hook.Host, P) (any, error)) ([]byte, error) {
	e := P(new(E))
	if err := json.Unmarshal(in, e); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	h.Saw(e.by().Version)
	out, err := do(ctx, h, e)
	if err != nil || out == nil {
		return nil, err
	}
	data, err := json.Marshal(out)
	if err == nil && len(data) > largest {
		err = fmt.Errorf("the answer has %d bytes, more than Claude Code reads", len(data))
	}
	return data, err
}

// largest is how much of an answer Claude Code reads.
const largest = 4 << 20
