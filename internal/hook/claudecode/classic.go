package claudecode

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/transcript"
)

// Versions without function hooks have settings hooks alone, which cannot replace a
// conversation. There the whole of it is stored before Claude Code summarises it, and
// its summary is followed by a digest of the facts.

// classic is the input of a settings hook.
type classic struct {
	Session    string         `json:"session_id"`
	Transcript string         `json:"transcript_path"`
	Dir        string         `json:"cwd"`
	Source     string         `json:"source"`
	Tool       string         `json:"tool_name"`
	Call       string         `json:"tool_use_id"`
	Response   jsontext.Value `json:"tool_response"`
}

func (c *classic) by() *caller {
	return &caller{Session: c.Session, Transcript: c.Transcript, Dir: c.Dir}
}

// classicAnswer is the output of a settings hook.
type classicAnswer struct {
	Output classicOutput `json:"hookSpecificOutput"`
}

type classicOutput struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext,omitzero"`
	Result  any    `json:"updatedToolOutput,omitzero"`
}

// preCompact stores the conversation before Claude Code summarises it.
func preCompact(ctx context.Context, h *hook.Host, e *classic) (any, error) {
	name, err := e.by().file()
	if err == nil {
		_, err = h.Import(ctx, hook.Ask{Format: transcript.ClaudeCode, Path: name, Dir: e.Dir})
	}
	return nil, err
}

// digestTokens is how large a digest may be: Claude Code takes 10,000 characters.
const digestTokens = 2000

// sessionStart adds a digest to the summary of a conversation (M4).
func sessionStart(ctx context.Context, h *hook.Host, e *classic) (any, error) {
	if e.Source != "compact" {
		return nil, nil //nolint:nilnil // nothing to say
	}
	name, err := e.by().file()
	if err != nil {
		return nil, err
	}
	s, err := h.Import(ctx, hook.Ask{Format: transcript.ClaudeCode, Path: name, Dir: e.Dir})
	if err != nil {
		return nil, err
	}
	r := strategy.SummaryRequest{Log: s.Log(), Range: tenfold.Range{ToTurn: max(s.Log().Turns()-1, 0)}, DryRun: true}
	for entry := range s.Log().Entries() {
		if entry.Branch == "" {
			r.Entries = append(r.Entries, entry)
		}
	}
	d, err := summary.Digest{Tokens: digestTokens}.Summarize(ctx, r)
	if err != nil || strings.TrimSpace(d.Text) == "" {
		return nil, err
	}
	text := d.Text + "\n\nTenfold keeps the whole conversation: tenfold conversation print " + s.ID()
	return classicAnswer{classicOutput{Event: "SessionStart", Context: text}}, nil
}

// postToolUse shortens a large result before a model sees it (V3).
func postToolUse(ctx context.Context, h *hook.Host, e *classic) (any, error) {
	out, err := trim(ctx, h, &called{
		caller: *e.by(), Tool: e.Tool, Call: e.Call, Result: e.Response, Text: string(e.Response),
	})
	if s, ok := out.(shortened); ok && err == nil {
		return classicAnswer{classicOutput{Event: "PostToolUse", Result: s.Result}}, nil
	}
	return nil, err
}
