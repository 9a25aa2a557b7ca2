package pi

import (
	"cmp"
	"context"
	"time"

	"tenfold/internal/hook"
)

// coldest is the shortest time for which a provider keeps a prompt's cache.
const coldest = 5 * time.Minute

// start answers session_start: whether to compact now, while the provider's cache
// is cold anyway, so that it costs nothing (V2). Most sessions begin without it, and
// are not to wait for their files to be read: those with a warm cache, and those of
// which a compaction would not leave less than a quarter of the context.
func start(ctx context.Context, h *hook.Host, e input) (any, error) {
	settings, err := h.Configure(e.Cwd)
	if err != nil {
		return nil, err
	}
	after := cmp.Or(time.Duration(settings.Conversation.Compaction.Micro.ColdAfter), coldest)
	if e.Last.IsZero() || h.Now().Sub(e.Last) < after || e.Used > 0 && e.Used < e.Window/4 {
		return nil, nil
	}
	a, err := e.ask()
	if err != nil {
		return nil, err
	}
	worth, _, err := h.Cold(ctx, a)
	if err != nil || !worth {
		return nil, err
	}
	return map[string]bool{"compact": true}, nil
}
