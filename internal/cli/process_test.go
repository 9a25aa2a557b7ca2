package cli

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/corpustest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/sqlite"
)

// child is tenfold as a process of its own, on a store.
func child(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe, args...)
	c.Env = append(os.Environ(), childEnv+"=1", "TENFOLD_STORE=sqlite://"+path)
	return c
}

// saved writes a session in our own format: a conversation of so many turns,
// each with a request, a call, its result and an answer.
func saved(t *testing.T, name, id string, turns int) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"tenfold":1,"conversation":{"id":%q,"title":"much"}}`+"\n", id)
	for i := range turns {
		for j, payload := range []string{
			`"kind":"turn_start"`,
			fmt.Sprintf(`"kind":"user_message","text":"ask %d"`, i),
			fmt.Sprintf(`"kind":"reasoning","text":"what is asked in turn %d needs a look at the shelf"`, i),
			fmt.Sprintf(`"kind":"tool_call","call_id":"c%d","name":"look","arguments":"{}"`, i),
			fmt.Sprintf(`"kind":"tool_result","call_id":"c%d","text":%q`, i, strings.Repeat("flour, water, salt and time; ", 20)),
			fmt.Sprintf(`"kind":"assistant_message","text":"answer %d"`, i),
		} {
			fmt.Fprintf(&b, `{"id":"e%d.%d","time":"2026-01-02T03:04:05Z",%s}`+"\n", i, j, payload)
		}
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// logOf reads a conversation as it stands in a store; nil when it is not
// there.
func logOf(t *testing.T, path, id string) *session.Session {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s, err := session.NewService(st).Open(t.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An interrupt leaves a conversation whole or not there at all, and the exit
// code says that it was one.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	dir := t.TempDir()
	turns := 6000
	if !corpustest.All() {
		turns = 1000
	}
	if corpustest.UnderRace {
		turns = 300
	}
	big := filepath.Join(dir, "big.jsonl")
	saved(t, big, "big", turns)
	interrupted := 0
	var whole time.Duration
	signals := []os.Signal{nil, os.Interrupt, os.Interrupt, os.Interrupt, syscall.SIGTERM, os.Interrupt, os.Interrupt}
	// On a busy machine what the first run took says little of the others: it is tried
	// again at earlier moments, until one is met.
	for i := 0; i < len(signals) || interrupted == 0 && i < 8*len(signals); i++ {
		sig := signals[min(i, len(signals)-1)]
		path := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		args := []string{"conversation", "import", big}
		if i%2 == 1 {
			args = []string{"compact", big}
		}
		c := child(t, path, args...)
		var errs bytes.Buffer
		c.Stderr = &errs
		began := time.Now()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if sig != nil { // at different moments of the work
			time.Sleep(whole * time.Duration(i%len(signals)) / 8 / time.Duration(1+i/len(signals)))
			_ = c.Process.Signal(sig)
		}
		err := c.Wait()
		if sig == nil {
			if err != nil {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			whole = time.Since(began)
		}
		code := c.ProcessState.ExitCode()
		want := command.ExitInterrupted
		if sig == syscall.SIGTERM {
			want = command.ExitTerminated
		}
		s := logOf(t, path, "big")
		switch {
		case code == command.ExitOK && s == nil:
			t.Errorf("%d: all went well, and nothing is there", i)
		case code != command.ExitOK && code != want && code != -1: // a signal can come before anybody listens
			t.Errorf("%d: the exit code is %d\n%s", i, code, errs.String())
		case code == want && !strings.HasPrefix(errs.String(), "error: cancelled"):
			t.Errorf("%d: it says %s", i, errs.String())
		case s != nil && s.Log().Version() < int64(6*turns):
			t.Errorf("%d: %d entries are there", i, s.Log().Version())
		}
		if code == want {
			interrupted++
		}
		// What was interrupted goes on when asked again.
		if out, err := child(t, path, "conversation", "import", big).CombinedOutput(); err != nil {
			t.Errorf("%d: again: %v\n%s", i, err, out)
		}
		if s := logOf(t, path, "big"); s == nil || s.Log().Turns() != turns {
			t.Errorf("%d: it is not whole the second time", i)
		}
	}
	if interrupted == 0 {
		t.Error("no signal came in time to interrupt anything")
	}
}

// Several processes work on one store at once: each gets its way, and the log
// is right.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.db")
	const rounds, grows = 8, 3
	saved(t, filepath.Join(dir, "0.jsonl"), "shared", grows)
	if out, err := child(t, path, "c", "import", filepath.Join(dir, "0.jsonl")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var work sync.WaitGroup
	each := func(args func(round int) []string) {
		work.Go(func() {
			for i := range rounds {
				if out, err := child(t, path, args(i)...).CombinedOutput(); err != nil {
					t.Errorf("%v: %v\n%s", args(i), err, out)
				}
			}
		})
	}
	each(func(i int) []string {
		return []string{"c", "compact", "shared", "--strategy", "strip-reasoning", "--from", "0", "--to", fmt.Sprint(i % 3)}
	})
	each(func(i int) []string {
		return []string{"c", "compact", "shared", "--strategy", "strip-tools", "--keep", fmt.Sprint(i % 2), "--target", "50%"}
	})
	for i := 1; i <= rounds; i++ {
		saved(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), "shared", grows*(i+1))
	}
	each(func(i int) []string {
		return []string{"c", "import", filepath.Join(dir, fmt.Sprintf("%d.jsonl", i+1))}
	})
	work.Wait()
	s := logOf(t, path, "shared")
	l := s.Log()
	// Every entry of the transcript is there once, in order; all else are
	// compactions.
	var want []string
	for i := range grows * (rounds + 1) {
		for j := range 6 {
			want = append(want, fmt.Sprintf("e%d.%d", i, j))
		}
	}
	var got []string
	overlays := 0
	for e := range l.Entries() {
		if e.Payload.Kind() == tenfold.KindCompaction {
			overlays++
			continue
		}
		got = append(got, e.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d entries of the transcript, want %d:\n%v", len(got), len(want), got)
	}
	if overlays < 2 {
		t.Errorf("there are %d overlays", overlays)
	}
	// And what the listing remembers of it is true.
	st, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	c, err := st.Conversation(context.Background(), "shared")
	if err != nil {
		t.Fatal(err)
	}
	if c.Stats != session.Stats(s.Projection()) || c.Version != l.Version() {
		t.Errorf("the listing says %+v at version %d; it is %+v at %d", c.Stats, c.Version, session.Stats(s.Projection()), l.Version())
	}
}

// A program that is killed between writing the files of a summary and storing it
// leaves them behind; "rm" finds them by their names, and no other's.
func TestRemoveFindsWhatAKillLeft(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	path, file, files := filepath.Join(dir, "t.db"), filepath.Join(dir, "big.jsonl"), filepath.Join(dir, "t.sessions")
	saved(t, file, "big", 40)
	run := func(args ...string) {
		t.Helper()
		if out, err := child(t, path, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run("conversation", "import", file)
	// Somebody holds the store, so that the program waits with its files written.
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	c := child(t, path, "compact", file, "--strategy", "summarize")
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() []os.DirEntry {
		found, err := os.ReadDir(files)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return found
	}
	// One file has two names for a moment, the one it was written under and its own.
	finished := func() bool {
		found := left()
		return slices.ContainsFunc(found, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), "summarizer-input-") }) &&
			slices.ContainsFunc(found, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), "summary-") })
	}
	for begun := time.Now(); !finished() && time.Since(begun) < 5*time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if s := logOf(t, path, "big"); s == nil || !finished() {
		t.Fatalf("%d files are left of a summary that was not stored\n%s", len(left()), said.String())
	} else if _, ok := s.Projection().Undoable(); ok {
		t.Fatal("the summary was stored")
	}
	other := filepath.Join(files, "summary-big-2-20260102T030405Z.md")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run("conversation", "rm", "big", "--yes")
	if found := left(); len(found) != 1 || found[0].Name() != filepath.Base(other) {
		t.Errorf("after rm there are %v", found)
	}
}
