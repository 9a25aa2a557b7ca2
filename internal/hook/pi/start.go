package pi

import (
	"context"

	"tenfold/internal/hook"
)

// start answers session_start: whether to compact now, because the provider's
// cache is cold anyway (V2).
func start(ctx context.Context, h *hook.Host, e input) (any, error) {
	return nil, nil
}
