package serve_test

import (
	"bufio"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

var update = flag.Bool("update", false, "write what the page says anew")

// The page about the API is one shell session: a line that begins with "$ " is a
// command, and what follows it is what it says. -update writes what it says now.
func TestAPIPage(t *testing.T) {
	for _, needed := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("the page is for " + needed)
		}
	}
	page, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	token := filepath.Join(dir, ".config", "tenfold", "serve-token")
	if err := os.MkdirAll(filepath.Dir(token), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"HOME": dir, "XDG_CONFIG_HOME": dir, "XDG_DATA_HOME": dir, "TENFOLD_STORE": "memory:"} {
		t.Setenv(name, value)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, code := &screen{}, make(chan int, 1)
	a := &command.App{Now: time.Now, Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(out), Err: out}}
	go func() {
		code <- cli.Execute(ctx, a, []string{"serve", "--no-open", "--addr", "127.0.0.1:0", "--token-file", token})
	}()
	address := out.until(t, `http://127\.0\.0\.1:\d+`)

	// A line of a rare text ends what each command says.
	const ends = "\x1e"
	var script, said strings.Builder
	for line := range commands(string(data)) {
		script.WriteString(strings.ReplaceAll(line, "http://127.0.0.1:7435", address) + "\necho '" + ends + "'\n")
	}
	shell := exec.CommandContext(t.Context(), "bash", "-u")
	shell.Dir, shell.Stdin, shell.Stdout, shell.Stderr = dir, strings.NewReader(script.String()), &said, &said
	if err := shell.Run(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("the server ended with %d", got)
	}

	answers := strings.Split(said.String(), ends+"\n")
	var now strings.Builder
	inBlock, i := false, 0
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console\n"
			now.WriteString(line)
		case !inBlock:
			now.WriteString(line)
		case strings.HasPrefix(line, "$ "):
			now.WriteString(line)
			if answer := strings.Trim(answers[min(i, len(answers)-1)], "\n"); answer != "" {
				now.WriteString(answer + "\n")
			}
			i++
		}
	}
	if now.String() == string(data) {
		return
	}
	if *update {
		if err := os.WriteFile(page, []byte(now.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the page says otherwise: go test ./internal/cli/serve -run TestAPIPage -update\n%s", now.String())
}

// commands are those of a page.
func commands(page string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		inBlock := false
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "```") {
				inBlock = line == "```console\n"
			}
			if command, ok := strings.CutPrefix(line, "$ "); ok && inBlock && !yield(strings.TrimSuffix(command, "\n")) {
				return
			}
		}
	}
}
