package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"

	"tenfold/containment"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/corpustest"
	"tenfold/store/memory"
	"tenfold/store/remote"
)

// childEnv has the test binary be tenfold.
const childEnv = "TENFOLD_CLI_TEST_CHILD"

func TestMain(m *testing.M) {
	containment.Enter()
	if os.Getenv(childEnv) != "" {
		os.Exit(Main())
	}
	testscript.Main(m, map[string]func(){
		"tenfold": func() { os.Exit(Main()) },
	})
}

// TestScripts runs the promises of the command line, one script for each
// command and for each kind of mistake.
func TestScripts(t *testing.T) {
	runScripts(t, testscript.Params{Dir: "testdata/script"}, nil)
}

// TestScriptsOnAServer runs those of the "conversation" commands with their
// conversations on another machine, and with TENFOLD_TEST_ALL all of them.
func TestScriptsOnAServer(t *testing.T) {
	which := "conversation_[pu]*.txtar"
	if os.Getenv("TENFOLD_TEST_ALL") != "" {
		which = "*.txtar"
	}
	files, err := filepath.Glob(filepath.Join("testdata", "script", which))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	runScripts(t, testscript.Params{Files: files}, func(env *testscript.Env) error {
		server := httptest.NewServer(remote.Handler(memory.New()))
		env.Defer(server.Close)
		env.Setenv("TENFOLD_STORE", server.URL)
		return nil
	})
}

func runScripts(t *testing.T, p testscript.Params, more func(*testscript.Env) error) {
	t.Helper()
	plain := ""
	if corpustest.UnderRace {
		// Hundreds of processes would take minutes; the other tests of this package
		// run the same commands under the race detector.
		plain = t.TempDir()
		build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(plain, "tenfold"), "tenfold/cmd/tenfold")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as CI has built it before
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
		env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
		if plain != "" {
			env.Setenv("PATH", plain+string(filepath.ListSeparator)+env.Getenv("PATH"))
		}
		env.Setenv("TZ", "UTC")
		env.Setenv("GORACE", os.Getenv("GORACE"))
		env.Setenv("TERM", "xterm-256color")
		for _, name := range []string{"testdata/bakery.jsonl", "../../examples/session.jsonl"} {
			data, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(name)), data, 0o600); err != nil {
				return err
			}
		}
		if more != nil {
			return more(env)
		}
		return nil
	}
	p.Condition = func(name string) (bool, error) {
		if name != "server" {
			return false, errors.New("no such condition")
		}
		return more != nil, nil
	}
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"serve": startServer}
	p.UpdateScripts = os.Getenv("UPDATE_SCRIPTS") != ""
	testscript.Run(t, p)
}

// TestExample runs the first command of the README on the session that comes
// with the repository.
func TestExample(t *testing.T) {
	const session = "../../examples/session.jsonl"
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, errs bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
	if code := Run(t.Context(), []string{"compact", session}, term); code != command.ExitOK {
		t.Fatalf("the exit code is %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "% smaller)") {
		t.Errorf("the report is\n%s", out.String())
	}
}

// TestNarrow shows the report on a narrow terminal with colour: what does not
// fit goes to lines of its own, and nothing is wider than the terminal.
func TestNarrow(t *testing.T) {
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	show := func(width int, coloured bool) string {
		var out bytes.Buffer
		term := &terminal.Terminal{
			In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: io.Discard,
			OutTTY: true, OutColour: coloured, Width: width,
		}
		if code := Run(t.Context(), []string{"compact", "testdata/bakery.jsonl"}, term); code != command.ExitOK {
			t.Fatalf("the exit code is %d", code)
		}
		return out.String()
	}
	const want = `Compacted  turns 0..2    613 → 148 tokens
           reasoning, tools
           (15 entries: 3 omitted, 3 stripped)
Kept       turns 3..5    596 → 522 tokens
           reasoning
           (15 entries: 3 omitted)
Total                  1,209 → 670 tokens
           (44 % smaller)
Figures    estimate (o200k)
`
	if got := show(50, false); got != want {
		t.Errorf("the report is\n%s, want\n%s", got, want)
	}
	if got := show(50, true); ansi.Strip(got) != want || got == want {
		t.Errorf("in colour the report is\n%q", got)
	}
}

func TestJoinFrom(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"compact --from 5 a", "compact --from=5 a"},
		{"compact --from -3 a", "compact --from=-3 a"},
		{"compact --from 2d a", "compact --from=2d a"},
		{"compact --from a.jsonl", "compact --from a.jsonl"},
		{"compact --from --to 3", "compact --from --to 3"},
		{"compact a --from", "compact a --from"},
		{"compact --from=5 a", "compact --from=5 a"},
		{"compact -- --from 5", "compact -- --from 5"},
	} {
		if got := joinFrom(strings.Fields(tt.in)); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s becomes %s, want %s", tt.in, strings.Join(got, " "), tt.want)
		}
	}
}

// result reads what a command prints with --json.
func result[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// lines reads what a command prints with --json, an object a line.
func lines[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for line := range strings.Lines(text) {
		all = append(all, result[T](t, line))
	}
	return all
}

// startServer is a command of the scripts, "serve NAME ANSWER…": a server that gives
// one answer a request, files in the form of HTTP bodies, the last one again and
// again. A file whose name begins with a number has that status. The address is
// in $NAME, and what was asked is in NAME.txt: method, path, key and body.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ANSWER…")
	}
	name, answers := args[0], args[1:]
	var bodies [][]byte
	for _, file := range answers {
		bodies = append(bodies, []byte(ts.ReadFile(file)))
	}
	log := ts.MkAbs(name + ".txt")
	asked := make(chan int, 1)
	asked <- 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := <-asked
		defer func() { asked <- n + 1 }()
		body, _ := io.ReadAll(r.Body)
		var line bytes.Buffer
		line.WriteString(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + "\n")
		line.Write(append(body, '\n'))
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.Write(line.Bytes())
			_ = f.Close()
		}
		n = min(n, len(bodies)-1)
		status, _, _ := strings.Cut(answers[n], "-")
		code, err := strconv.Atoi(status)
		if err != nil {
			code = http.StatusOK
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(code)
		_, _ = w.Write(bodies[n])
	}))
	ts.Defer(s.Close)
	ts.Setenv(name, s.URL)
}
