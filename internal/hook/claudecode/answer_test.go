package claudecode

import (
	"context"
	"strings"
	"testing"

	"tenfold/internal/hook"
)

// Claude Code would read the beginning of a larger answer alone.
func TestLargeAnswerIsAnError(t *testing.T) {
	for size, fails := range map[int]bool{100: false, largest - 1000: false, largest: true} {
		out, err := answer(t.Context(), &hook.Host{}, []byte(`{}`), func(context.Context, *hook.Host, *resting) (any, error) {
			return strings.Repeat("x", size), nil
		})
		if (err != nil) != fails {
			t.Errorf("an answer of %d bytes: %v", len(out), err)
		}
	}
}
