package claudecode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold/internal/hook"
	_ "tenfold/internal/seed" // cases are drawn alike every time
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

// A message is found wherever in the tail of the file it is: also where it begins
// before what is read first, and not by lines that name it as their parent.
func TestTailHas(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		lineOf := func(id string, long int) string {
			return fmt.Sprintf(`{"parentUuid": "p%s","text":%q,"uuid":%q}`+"\n", id, strings.Repeat("x", long), id)
		}
		first := int(writeFirst)
		size := rapid.SampledFrom([]int{0, 9, 1000, first - 80, first, 2 * first})
		before, after := size.Draw(t, "before"), size.Draw(t, "after")
		text := lineOf("a", before) + lineOf("b", size.Draw(t, "it")) + lineOf("c", after)
		whole := rapid.Bool().Draw(t, "whole")
		if !whole {
			text = text[:len(text)-1]
		}
		name := filepath.Join(dir, "session.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{"a": true, "b": true, "c": whole, "pb": false, "d": false} {
			if found, err := tailHas(name, id); found != want || err != nil {
				t.Fatalf("%s: %v, %v", id, found, err)
			}
		}
	})
}
