package pi

import (
	"context"
	"time"

	"tenfold/internal/hook"
	"tenfold/session"
)

// coldLeast is how many tokens a compaction of a cold conversation must free.
const coldLeast = 2000

// start answers session_start: whether to compact now, while the provider's cache
// is cold anyway, so that it costs nothing (V2).
func start(ctx context.Context, h *hook.Host, e input) (any, error) {
	settings, err := h.Configure(e.Cwd)
	if err != nil {
		return nil, err
	}
	after := time.Duration(settings.Conversation.Compaction.Micro.ColdAfter)
	auto := settings.Conversation.Compaction.Auto.Enabled
	if !auto || e.Last.IsZero() || h.Now().Sub(e.Last) < after {
		return nil, nil
	}
	a, err := e.ask()
	if err != nil {
		return nil, err
	}
	a.DryRun = true
	v, err := h.Compact(ctx, a)
	if err != nil || v.Outcome != session.Planned || v.Before-v.After < coldLeast {
		return nil, err
	}
	return map[string]bool{"compact": true}, nil
}
