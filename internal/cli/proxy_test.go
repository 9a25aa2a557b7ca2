package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/proxy"
	"tenfold/test/modelserver"
)

// What is asked by way of "tenfold proxy" is answered by the upstream, is shown by
// "tenfold proxy status" while it runs, and is a conversation of the store after.
func TestProxy(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_CONFIG_HOME", data)
	up := httptest.NewServer(modelserver.New(modelserver.Sequence(modelserver.Text("A loaf takes a night."))))
	defer up.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, out := io.Pipe()
	ended := make(chan int)
	var errs bytes.Buffer
	go func() {
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(out), Err: &errs, JSON: true}
		ended <- Run(ctx, []string{"proxy", "--json", "--addr", "127.0.0.1:0", "--upstream", up.URL, "--upstream", "mine=https://user:secret@example.com/v1", "--token-file", filepath.Join(data, "token")}, term)
	}()
	line, err := bufio.NewReader(in).ReadBytes('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	var listening listeningJSON
	if err := json.Unmarshal(line, &listening); err != nil || len(listening.Bases) != len(proxy.Vendors())+1 {
		t.Fatal(err, string(line))
	}
	if strings.Contains(string(line), "secret") {
		t.Errorf("shows a password: %s", line)
	}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil || !strings.Contains(listening.Bases[0].URL, strings.TrimSpace(string(token))) {
		t.Errorf("the token of the file: %v, %s", err, listening.Bases[0].URL)
	}
	askThrough(t, listening)
	var process proxy.Process
	if err := json.Unmarshal([]byte(onTerminal(t, 0, false, "proxy", "status", "--json")), &process); err != nil || len(process.Conversations) != 1 || process.Conversations[0].Requests != 1 || process.Address != listening.Address {
		t.Errorf("status: %v, %+v", err, process)
	}
	if shown := onTerminal(t, 80, false, "proxy", "status"); !strings.Contains(shown, "claude-sonnet-4-5") {
		t.Errorf("status shows:\n%s", shown)
	}
	stop()
	if code := <-ended; code != command.ExitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	http.DefaultClient.CloseIdleConnections()
	if left, _ := filepath.Glob(filepath.Join(data, "tenfold", "proxies", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if shown := onTerminal(t, 0, false, "conversation", "search", "--all", "loaf"); !strings.Contains(shown, "How long does a loaf take?") || !strings.Contains(shown, "A loaf takes a night.") {
		t.Errorf("the store has:\n%s", shown)
	}
	if shown := onTerminal(t, 80, false, "proxy", "status"); shown != "" {
		t.Errorf("status shows:\n%s", shown)
	}
}

// V7: a proxy that cannot write where it announces itself, as on a full disk, forwards all
// the same, and says at the end that nothing was stored.
func TestProxyStartsWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", file)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	up := httptest.NewServer(modelserver.New(modelserver.Sequence(modelserver.Text("A loaf takes a night."))))
	defer up.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, out := io.Pipe()
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(out), Err: &errs, JSON: true}
		ended <- Run(ctx, []string{"proxy", "--json", "--addr", "127.0.0.1:0", "--upstream", up.URL}, term)
		_ = out.Close()
	}()
	line, err := bufio.NewReader(in).ReadBytes('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	var listening listeningJSON
	if err := json.Unmarshal(line, &listening); err != nil {
		t.Fatal(err, string(line))
	}
	askThrough(t, listening)
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code := <-ended; code != command.ExitFailed || !strings.Contains(errs.String(), "the end of 1 conversation is lost") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// What others say of themselves is shown on one line, without what controls a
// terminal, at any width.
func TestProxyStatusShows(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	s := proxy.NewServer(proxy.Options{Keeper: told{
		{ID: "0199aaaa-0000-7000-8000-000000000001", Client: "claude", Protocol: "anthropic", Model: "claude-\x1b[31mopus-4-8", Requests: 1042, Epochs: 3, Edited: 30, Sent: 51234567, Saved: 1234567, CacheRead: .934},
		{ID: "0199aaaa-0000-7000-8000-000000000002", Client: "claude", Protocol: "anthropic", Requests: 2, Sent: 1200, Passing: "the vendor refused\nan edited request"},
		{Client: "claude", Protocol: "anthropic", Requests: 2, Sent: 1200, Waiting: 2, Unwritable: "append to the store: disk full\x1b[31m"},
	}})
	server := httptest.NewServer(s)
	defer server.Close()
	u, _ := url.Parse(server.URL)
	a := &command.App{Terminal: &terminal.Terminal{Err: io.Discard}, Now: time.Now}
	remove, err := live.Announce(a, s, proxy.Process{Address: u.Host, Client: "claude\x1b[31m", Dir: "/home/kim/bread"})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	for _, width := range []int{40, 80, 120} {
		got := onTerminal(t, width, false, "proxy", "status")
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("at %d a line is %d wide: %s", width, w, line)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Errorf("controls the terminal: %q", got)
		}
		if width == 80 {
			golden(t, "proxy-status.80.txt", regexp.MustCompile(`process \d+ at \S+,`).ReplaceAllString(got, "process 1234 at 127.0.0.1:7434,"))
		}
	}
}

// told is a Keeper that knows what it was told.
type told []proxy.Conversation

func (told) Take(context.Context, proxy.Incoming) proxy.Exchange { return nil }
func (k told) Status() []proxy.Conversation                      { return k }
func (told) Close(context.Context) error                         { return nil }

// askThrough has a model answer a question through a proxy.
func askThrough(t *testing.T, to listeningJSON) {
	t.Helper()
	body := `{"model":"claude-sonnet-4-5","max_tokens":99,"tools":[{"name":"bake","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"How long does a loaf take?"}]}`
	res, err := http.Post(to.Bases[0].URL+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || !strings.Contains(string(answer), "A loaf takes a night.") {
		t.Fatal(err, string(answer))
	}
}
