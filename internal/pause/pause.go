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

// Telling does something that may take long, and calls tell, from the same goroutine,
// where it has taken so long.
func Telling[T any](after time.Duration, tell func(), do func() T) T {
	done := make(chan T, 1)
	go func() { done <- do() }()
	late := time.NewTimer(after)
	defer late.Stop()
	select {
	case v := <-done:
		return v
	case <-late.C:
		tell()
		return <-done
	}
}
