//go:build unix

package process_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenfold/toolbox/internal/process"
)

// Nothing of a program goes on where the process that runs it is killed.
func TestWhatRunsEndsWithWhoIsKilled(t *testing.T) {
	if file := os.Getenv("PROCESS_TEST_PIDS"); file != "" {
		cmd := exec.CommandContext(context.Background(), "sh", "-c", `sleep 300 & echo $$ $! > "$0.new"; mv "$0.new" "$0"; sleep 300; true`, file)
		_, err := process.Run(context.Background(), cmd, time.Hour, process.Streams{Out: io.Discard})
		t.Fatal("it ended", err)
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	runner := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWhatRunsEndsWithWhoIsKilled$")
	runner.Env = append(os.Environ(), "PROCESS_TEST_PIDS="+file)
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { _, err := os.Stat(file); return err == nil })
	waitFor(t, func() bool { return children(runner.Process.Pid) == 2 }) // the program, and what guards it
	_ = runner.Process.Kill()
	_ = runner.Wait()
	pids, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(pids)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return ended(n) })
	}
}

// children counts the processes that one has begun.
func children(pid int) (n int) {
	parents, err := exec.Command("ps", "-A", "-o", "ppid=").Output()
	if stats, _ := filepath.Glob("/proc/[0-9]*/stat"); len(stats) > 0 { // where there is no ps
		parents, err = nil, nil
		for _, stat := range stats {
			text, _ := os.ReadFile(stat)
			if _, rest, ok := strings.Cut(string(text), ") "); ok { // the state, and the parent
				parents = append(parents, strings.Fields(rest)[1]+"\n"...)
			}
		}
	}
	if err != nil {
		return 0
	}
	for parent := range strings.FieldsSeq(string(parents)) {
		if parent == strconv.Itoa(pid) {
			n++
		}
	}
	return n
}

// ended reports whether a process is gone, or only waits to be forgotten: nobody may ask
// for it in a container.
func ended(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) != nil
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}
