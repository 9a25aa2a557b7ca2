package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// A screen is what a command wrote, which others may read meanwhile.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

// until waits for a text of a pattern, and gives it.
func (s *screen) until(t *testing.T, pattern string) string {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		found := regexp.MustCompile(pattern).FindString(s.all.String())
		s.mu.Unlock()
		if found != "" {
			return found
		}
	}
	t.Fatalf("no %s in %s", pattern, s.all.String())
	return ""
}

// On a terminal the browser is opened, Enter gives a new address, and Ctrl-C ends it.
// Without one nobody is told to press Enter.
func TestServeOnATerminal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("xdg-open is of Linux")
	}
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$*\" > "+opened+".new && mv "+opened+".new "+opened+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("DISPLAY", ":0")
	terminals := true
	const address = `http://127\.0\.0\.1:\d+/\?token=[\w-]+`
	serve := func(args ...string) (out *screen, keys *io.PipeWriter, end func() int) {
		ctx, cancel := context.WithCancel(t.Context())
		in, keys := io.Pipe()
		out = &screen{}
		a := &command.App{Now: time.Now, Terminal: &terminal.Terminal{In: in, Out: bufio.NewWriter(out), Err: out, InTTY: terminals, OutTTY: true, Width: 80}}
		code := make(chan int)
		go func() { code <- cli.Execute(ctx, a, append([]string{"serve", "--store", "memory:"}, args...)) }()
		return out, keys, func() int {
			cancel()
			_ = keys.Close()
			return <-code
		}
	}
	get := func(url string) int {
		t.Helper()
		jar, _ := cookiejar.New(nil)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&http.Client{Jar: jar}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		return got.StatusCode
	}

	out, keys, end := serve()
	first := out.until(t, address)
	var said []byte
	for try := time.Now().Add(5 * time.Minute); len(said) == 0 && time.Now().Before(try); time.Sleep(5 * time.Millisecond) {
		said, _ = os.ReadFile(opened)
	}
	if string(said) != first {
		t.Errorf("the browser is opened with %q, not %q", said, first)
	}
	_, _ = io.WriteString(keys, "\n")
	second := out.until(t, `(?s)`+regexp.QuoteMeta(first)+`.*`+address)
	second = second[strings.LastIndex(second, "http"):]
	if status := get(first); status != http.StatusUnauthorized {
		t.Errorf("after Enter the address before gives %d", status)
	}
	if status := get(second); status != http.StatusOK {
		t.Errorf("the new address gives %d", status)
	}
	if code := end(); code != command.ExitOK {
		t.Errorf("Ctrl-C gives %d: %s", code, out.all.String())
	}

	_ = os.Remove(opened)
	out, _, end = serve("--no-open", "--addr", "0.0.0.0:0", "--token-file", filepath.Join(dir, "token"))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	url := out.until(t, `http://[^/]*/\?token=[\w-]+`)
	if !strings.HasPrefix(url, "http://"+host+":") {
		t.Errorf("listening to the network, the address is %s", url)
	}
	out.until(t, "not encrypted")
	if status := get(url); status != http.StatusOK {
		t.Errorf("by the name of the machine it gives %d", status)
	}
	if code := end(); code != command.ExitOK {
		t.Errorf("Ctrl-C gives %d: %s", code, out.all.String())
	}
	if said, err := os.ReadFile(opened); err == nil {
		t.Errorf("with --no-open it opens %s", said)
	}
	terminals = false
	out, _, end = serve("--no-open")
	out.until(t, "start the server again")
	end()
}
