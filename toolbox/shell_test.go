package toolbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenfold"
	"tenfold/containment"
	"tenfold/toolbox"
)

func TestShell(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	for _, c := range []struct {
		command, want string
		outcome       tenfold.Outcome
	}{
		{"pwd -P; echo out; echo err >&2", realPath(t, b.dir) + "\nout\nerr\n", tenfold.Success},
		{"true", "[no output]", tenfold.Success},
		{"exit 3", "[exit code 3]", "exit 3"},
		{"echo x; false", "x\n[exit code 1]", "exit 1"},
		{"printf x", "x\n", tenfold.Success},
		{"cat; echo read", "read\n", tenfold.Success},
		{"tty; test -t 1 || echo none", "not a tty\nnone\n", tenfold.Success},
		{"(exec 2>&-; : < /dev/tty) || echo none", "none\n", tenfold.Success},
		{"kill -SEGV $$", "[ended by a signal: signal: segmentation fault", tenfold.Failed},
		{"printf '\\033[31mred\\033[0m 1%%\\r50%%\\r100%%\\r\\n\\377\\007end'", "100%\n\uFFFDend\n", tenfold.Success},
		{"if [", "syntax error", "exit 2"},
		{"nosuchcommand", "nosuchcommand: command not found\n[exit code 127]", "exit 127"},
	} {
		if got := b.outcome("shell", c.outcome, "command", c.command); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.command, got, c.want)
		}
	}
	b.want(b.call("shell", "command", " \n"), "error: the command is empty")
	b.want(b.call("shell", "command", "echo \x00"), "error: a command cannot hold a NUL byte")
	b.want(b.call("shell", "command", "true", "timeout", 0), "error: timeout must be a number of seconds, not 0")
	b.want(b.call("shell", "command", "true", "timeout", -5), "error: timeout must be")
}

func realPath(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestShellDoesNotHaveKeys(t *testing.T) {
	t.Setenv("SOME_API_KEY", "sk-1")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "sk-2")
	t.Setenv("OWN_NAME", "sk-3")
	t.Setenv("BASH_ENV", "/does/not/exist")
	t.Setenv("HARMLESS", "kept")
	b := newBench(t, toolbox.Options{Secrets: []string{"OWN_NAME"}})
	b.want(b.call("shell", "command", "env"), "!sk-", "!BASH_ENV", "HARMLESS=kept", "TERM=dumb", "GIT_TERMINAL_PROMPT=0")
}

func TestShellOutputIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{Limit: 3000})
	got := b.outcome("shell", "exit 7", "command", "seq 1 200000; exit 7")
	b.want(got, "1\n2\n3\n", "lines, 1,288,895 bytes in all, left out …]", "\n199999\n200000\n[exit code 7]")
	if len(got) > 3000 {
		t.Errorf("%d bytes", len(got))
	}
	got = b.call("shell", "command", "head -c 3000000 /dev/zero | tr '\\0' x")
	b.want(got, "xxx\n[… the middle of 3,000,000 bytes left out …]\nxxx")
	if len(got) > 3000 {
		t.Errorf("%d bytes", len(got))
	}
}

// alive reports whether a process that wrote its id to a file still runs.
func alive(t *testing.T, file string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || len(strings.TrimSpace(string(data))) == 0 {
		t.Fatalf("no process wrote its id: %v", err)
	}
	for range 20_000 { // who is killed is not gone at once: its new parent must take note
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(data)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

func TestShellLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	b := newBench(t, toolbox.Options{})
	for seconds := 1; ; seconds *= 4 { // until the limit is one that the machine keeps what comes before in
		got := b.outcome("shell", tenfold.Failed, "command", "echo before; sh -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 1; done' & wait", "timeout", seconds)
		if stubborn, err := os.Stat(filepath.Join(b.dir, "stubborn")); (err != nil || stubborn.Size() == 0) && seconds < 60 {
			continue
		}
		b.want(got, fmt.Sprintf("before\n[stopped: the time limit of %s was reached]", time.Duration(seconds)*time.Second))
		break
	}
	if alive(t, filepath.Join(b.dir, "stubborn")) {
		t.Error("a process that ignores SIGTERM still runs")
	}
	got := b.outcome("shell", tenfold.Success, "command", "sleep 1000 & echo $! > background; echo done")
	b.want(got, "done\n")
	if alive(t, filepath.Join(b.dir, "background")) {
		t.Error("a process in the background still runs")
	}

	ctx, cancel := context.WithCancel(t.Context())
	call := toolbox.Call{Arguments: arguments("command", "echo begun; echo $$ > own; sleep 100", "timeout", 100), Output: func(string) { cancel() }}
	slow := benchAt(t, b.dir, toolbox.Options{})
	r, err := slow.tools["shell"].Run(ctx, call)
	if err != nil || r.Outcome != tenfold.Failed || textOf(r) != "begun\n[stopped: interrupted]" {
		t.Errorf("%q, %q, %v", textOf(r), r.Outcome, err)
	}
	if _, err := slow.tools["shell"].Run(ctx, call); err == nil {
		t.Error("a command was started after the end")
	}
}

// Who leaves the group and holds the output open does not hold up the call.
func TestShellWaitsForNobodyWhoLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs setsid")
	}
	b := newBench(t, toolbox.Options{})
	started := time.Now()
	got := b.outcome("shell", tenfold.Success, "command", "setsid sleep 600 & echo $! > away; sleep 0.1; echo done", "timeout", 590)
	b.want(got, "done\n")
	if took := time.Since(started); took > 5*time.Minute {
		t.Errorf("took %s", took)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(b.get("away"))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestShellLimitsAreCapped(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{MaxTimeout: 200 * time.Millisecond})
	b.want(b.outcome("shell", tenfold.Failed, "command", "sleep 60", "timeout", 2000000000), "[stopped: the time limit of 200ms was reached]")
}

func TestShellTellsWhatItPrintsAsItComes(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	var mu sync.Mutex
	var heard []string
	first := make(chan struct{})
	call := toolbox.Call{
		Arguments: arguments("command", "printf 'one\\ntw'; until [ -e go ]; do sleep 0.01; done; printf '\\033[1mo\\nend'"),
		Output: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			if heard = append(heard, text); len(heard) == 1 {
				close(first)
			}
		},
	}
	go func() {
		<-first
		b.put("go", "")
	}()
	r, err := b.run("shell", call)
	if got, want := fmt.Sprintf("%q", heard), `["one\n" "two\n" "end"]`; got != want || err != nil || textOf(r) != "one\ntwo\nend\n" {
		t.Errorf("heard %s, then %q, %v", got, textOf(r), err)
	}
}

// elsewhere is a directory that is not below the temporary one, which contained commands may
// write to: a checkout may be.
func elsewhere(t *testing.T) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, base := range []string{".", home, "/var/tmp"} {
		base, err := filepath.Abs(base)
		if err != nil {
			t.Fatal(err)
		}
		if in, err := filepath.Rel(os.TempDir(), base); err == nil && filepath.IsLocal(in) {
			continue
		}
		if dir, err := os.MkdirTemp(base, "outside"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Skip("there is no place to write to but the temporary directory")
	return ""
}

func TestContainedCommandsWriteOnlyToTheWorkspace(t *testing.T) {
	t.Parallel()
	outside := elsewhere(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(outside, "hidden")
	if err := os.WriteFile(hidden, []byte("HIDDEN"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, toolbox.Options{Hide: []string{hidden}})
	if err := containment.Check(containment.Grant{Write: []string{b.dir}}); err != nil {
		t.Skip(err) // or a home directory is in the temporary one
	}
	command := fmt.Sprintf("echo a > inside; echo b > %s/f; cat %s; head -1 %s/shell.go", outside, hidden, here)
	r, err := b.run("shell", toolbox.Call{Arguments: arguments("command", command), Contained: true})
	if err != nil {
		t.Fatal(err)
	}
	b.want(textOf(r), "package toolbox", "!HIDDEN")
	if b.get("inside") != "a\n" {
		t.Error("could not write to the workspace")
	}
	if _, err := os.Stat(filepath.Join(outside, "f")); err == nil {
		t.Error("wrote outside")
	}
	r, err = b.run("shell", toolbox.Call{Arguments: arguments("command", "exit 3"), Contained: true})
	if err != nil || textOf(r) != "[exit code 3]\n[contained: no writes outside the workspace and temporary files, no network; the person can allow more]" {
		t.Errorf("%q, %v", textOf(r), err)
	}
	// The same, not contained, can: the test tells one from the other.
	b.want(b.call("shell", "command", command), "HIDDEN")
}
