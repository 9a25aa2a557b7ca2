package compaction

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/provider"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/summary"
)

// While a model works a terminal shows one line: what it is at, tokens and
// dollars so far; and nothing of it is left after.
func TestModelProgress(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		synctest.Test(t, func(t *testing.T) {
			var errs bytes.Buffer
			a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(io.Discard), Err: &errs, ErrTTY: true, ErrWidth: width}}
			k := &Writers{App: a, Name: "anthropic/claude-haiku-4-5"}
			k.begin("summary of turns 0..8")
			cost := 0.0213
			time.Sleep(terminal.ProgressAfter + terminal.ProgressEvery)
			k.at(summary.Progress{Doing: summary.Reading, Done: 1, Parts: 3, Input: 98211, Output: 1204, Cost: &cost})
			time.Sleep(2 * terminal.ProgressEvery)
			k.waiting(1, &provider.Error{Kind: provider.RateLimited}, 3*time.Second)
			time.Sleep(2 * terminal.ProgressEvery)
			k.bar.End()
			drawn := errs.String()
			for _, want := range []string{"summary of turns 0..8: calling ", "summary of turns 0..8: read 1 part of 3, ", "rate limited, waiting 3s"} {
				if !strings.Contains(drawn, want) {
					t.Errorf("%d columns: no %q in\n%q", width, want, drawn)
				}
			}
			if width == 120 && !strings.Contains(drawn, "98,211 tokens in, 1,204 out, $0.0213, anthropic/claude-haiku-4-5") {
				t.Errorf("no figures in %q", drawn)
			}
			for line := range strings.SplitSeq(drawn, "\r") {
				if ansi.StringWidth(line) >= width {
					t.Errorf("%d columns: %q", width, line)
				}
			}
			if !strings.HasSuffix(drawn, "\r\x1b[K") {
				t.Errorf("the line is left: %q", drawn)
			}
		})
	}
}

// What is not a terminal sees no progress.
func TestModelProgressIsForTerminals(t *testing.T) {
	var errs bytes.Buffer
	k := &Writers{App: &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(io.Discard), Err: &errs}}, Name: "a/b"}
	k.begin("summary")
	k.at(summary.Progress{Doing: summary.Merging})
	k.waiting(1, io.EOF, time.Second)
	k.bar.End()
	if errs.Len() > 0 {
		t.Error(errs.String())
	}
}

// readOnlyStore is one on a full disk.
type readOnlyStore struct{ store.Store }

func (readOnlyStore) Writable() error { return syscall.ENOSPC }

// Nobody pays for a summary that cannot be stored.
func TestNoModelIsCalledForAStoreThatCanOnlyBeRead(t *testing.T) {
	a := &command.App{Workspace: &command.Workspace{Store: readOnlyStore{memory.New()}}}
	k := &Writers{App: a, Name: "a/b"} // calls a nil summarizer
	if _, err := k.Summarize(t.Context(), strategy.SummaryRequest{}); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}
