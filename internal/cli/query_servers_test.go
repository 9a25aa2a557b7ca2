package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// shownSoFar is what was written to a terminal, and calls back with each of it.
type shownSoFar struct {
	mu   sync.Mutex
	text bytes.Buffer
	then func(text string)
}

func (s *shownSoFar) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	s.then(s.text.String())
	return len(p), nil
}

// A server of tools that does not answer is waited for where a person sees it, who can
// stop that; then nothing is said of the server.
func TestQueryWaitsForServersInTheOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sleep to start")
	}
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_CONFIG_HOME", data)
	file := filepath.Join(data, "mine.toml")
	if err := os.WriteFile(file, []byte("[model]\nname = \"ollama/m\"\n[agent.mcp.silent]\ncommand = [\"sleep\", \"60\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	errs := &shownSoFar{then: func(text string) {
		if strings.Contains(text, "start the tools") {
			stop()
		}
	}}
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&bytes.Buffer{}), Err: errs, ErrTTY: true, ErrWidth: 80}
	if code := Run(ctx, []string{"query", "--config", file, "--new", "hello"}, term); code == command.ExitOK {
		t.Error("it went well")
	}
	if text := errs.text.String(); !strings.Contains(text, "start the tools") || strings.Contains(text, "no answer within") {
		t.Errorf("it says %q", text)
	}
}
