// Package pause waits for a while, as long as anybody wants what comes after it.
package pause

import (
	"context"
	"time"
)

// For waits so long. It ends early, with the context's error, where the context does.
func For(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
