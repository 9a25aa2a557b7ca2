//go:build unix

package transcript

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"tenfold/internal/corpustest"
)

// A file made to have every prompt taken back takes no longer for it: ten times as
// many take some ten times the processor, and not a hundred times.
func TestClaudeCodeManyRewinds(t *testing.T) {
	corpustest.Unraced(t)
	work := func(prompts int) time.Duration {
		s := new(session).user("u", `"go"`).assistant("a", "m1", `{"type":"text","text":"ok"}`)
		for i := range prompts {
			parent := `,"parentUuid":"a"`
			if i%2 == 0 {
				parent = `,"parentUuid":null`
			}
			s.user(fmt.Sprintf("u%d", i), `"again"`, parent)
		}
		text := s.String()
		before := processor(t)
		if _, err := importText(t, "a.jsonl", text); err != nil {
			t.Fatal(err)
		}
		return processor(t) - before
	}
	work(100) // what is made once
	if few, many := work(3000), work(30_000); many > 30*few {
		t.Errorf("30,000 take %v of processor, 3,000 %v", many, few)
	}
}

// processor is what the process has used of the processor: of a clock that runs on
// while others work nothing follows.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
