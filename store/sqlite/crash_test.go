package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/store"
)

// childEnv makes the test binary a writer: its value is the writer's kind.
const childEnv = "TENFOLD_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch kind := os.Getenv(childEnv); kind {
	case "":
		goleak.VerifyTestMain(m)
	default:
		if err := child(kind, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// child writes to the log "a" of the file: "endless" without pause, printing
// each version it was told is there; "rival" 100 entries by compare-and-swap;
// "rivals" are eight writers on the logs of TestTwoProcessesManyLogs, which
// print what they won.
func child(kind, path, name string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	if kind == "rivals" {
		return rivals(ctx, s, name)
	}
	c, err := s.Conversation(ctx, "a")
	if err != nil {
		return err
	}
	version := c.Version
	if kind == "endless" {
		for {
			batch := crashBatch(version)
			if version, err = s.Append(ctx, store.Batch{Conversation: "a", Expected: version, Entries: batch}); err != nil {
				return err
			}
			fmt.Println(version)
			if version%7 == 0 { // indexing must not get in the way
				if err := s.Index(ctx); err != nil {
					return err
				}
			}
		}
	}
	for i := range 100 {
		e := tenfold.Entry{ID: fmt.Sprintf("%s-%d", name, i), Payload: tenfold.AssistantMessage{Text: name}}
		for {
			v, err := s.Append(ctx, store.Batch{Conversation: "a", Expected: version, Entries: []tenfold.Entry{e}})
			var conflict *store.ConflictError
			if errors.As(err, &conflict) {
				version = conflict.Actual
				continue
			}
			if err != nil {
				return err
			}
			version = v
			break
		}
	}
	return nil
}

// crashBatch gives what follows a version: what it holds is told by the
// version alone.
func crashBatch(version int64) (batch []tenfold.Entry) {
	for i := range version%3 + 1 {
		batch = append(batch, crashEntry(version+i+1))
	}
	return batch
}

func crashEntry(seq int64) tenfold.Entry {
	return tenfold.Entry{ID: fmt.Sprint("e", seq), Payload: tenfold.AssistantMessage{Text: strings.Repeat(fmt.Sprint(seq, " "), int(seq*37%500))}}
}

// A commit is on disk before it is acknowledged (D2), also where the operating
// system, and not the program alone, goes down.
func TestCommitsAreSynced(t *testing.T) {
	s := opened(t)
	for pragma, want := range map[string]int64{"synchronous": 2, "fullfsync": 1} {
		err := s.write(t.Context(), 0, func(tx *tx) (refusal, err error) {
			if got, ok, err := tx.number(t.Context(), "PRAGMA "+pragma); !ok || got != want || err != nil {
				t.Errorf("%s is %d, %v; want %d", pragma, got, err, want)
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkCrashed checks that a log is whole, and gives its version.
func checkCrashed(t *testing.T, path string) int64 {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := int64(0)
	for e, err := range s.Entries(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if want := crashEntry(n); e.Seq != n || e.ID != want.ID || e.Payload != want.Payload {
			t.Fatalf("entry %d reads as %d, %s", n, e.Seq, e.ID)
		}
	}
	if c, err := s.Conversation(t.Context(), "a"); err != nil || c.Version != n {
		t.Fatalf("%d entries and version %d, %v", n, c.Version, err)
	}
	if n > 0 {
		// The index agrees with the log.
		hits, err := s.Search(t.Context(), store.Query{Text: fmt.Sprint(n)})
		if want := len(strings.TrimSpace(crashEntry(n).Payload.(tenfold.AssistantMessage).Text)) > 0; err != nil || (len(hits) > 0) != want {
			t.Fatalf("entry %d is found %d times, %v", n, len(hits), err)
		}
	}
	return n
}

// newLog makes a file that holds the empty log "a".
func newLog(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path)
	if err == nil {
		err = errors.Join(s.Create(t.Context(), store.Conversation{ID: "a"}), s.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// crash lets a child write for a while and kills it. It gives the last
// version the child was told is on disk.
func crash(t *testing.T, path string, after time.Duration) int64 {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, path, "x")
	cmd.Env = append(os.Environ(), childEnv+"=endless")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	acknowledged := int64(0)
	for lines.Scan() {
		if acknowledged == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		if acknowledged, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return acknowledged
}

// D2, L10: a killed writer loses no acknowledged entry, and leaves no gap.
func TestCrash(t *testing.T) {
	t.Parallel()
	rounds := corpustest.Tries(100)
	path := ""
	for round := range rounds {
		if round%10 == 0 { // in between, crashes add up in one file
			path = newLog(t)
		}
		acknowledged := crash(t, path, time.Duration(rand.Int64N(int64(50*time.Millisecond))))
		if got := checkCrashed(t, path); got < acknowledged {
			t.Fatalf("round %d: %d entries were acknowledged, %d are there", round, acknowledged, got)
		}
	}
}

// L10: a log file torn at any place reads back as a prefix of the log that
// holds all that was in the main file.
func TestTornFile(t *testing.T) {
	t.Parallel()
	path := newLog(t)
	first := crash(t, path, 30*time.Millisecond)
	checkpointed := checkCrashed(t, path) // and closed: all is in the main file
	second := crash(t, path, 50*time.Millisecond)
	if checkpointed < first || second <= checkpointed {
		t.Fatalf("versions %d, %d, %d do not grow", first, checkpointed, second)
	}
	main, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(path + "-wal")
	if err != nil || len(wal) == 0 {
		t.Fatalf("the crash left a write-ahead log of %d bytes, %v", len(wal), err)
	}
	whole := int64(0)
	rounds := max(10, corpustest.Tries(60))
	for round := range rounds {
		cut := rand.IntN(len(wal) + 1)
		torn := wal[:cut]
		switch round {
		case 0:
			torn = wal
		case 1:
			torn = nil
		}
		if round%3 == 2 && cut > 100 { // and noise where the rest was
			torn = append(torn[:cut:cut], make([]byte, 5000)...)
			for i := range 5000 {
				torn[cut+i] = byte(rand.Int())
			}
		}
		copied := filepath.Join(t.TempDir(), "store.db")
		if err := errors.Join(os.WriteFile(copied, main, 0o600), os.WriteFile(copied+"-wal", torn, 0o600)); err != nil {
			t.Fatal(err)
		}
		got := checkCrashed(t, copied)
		if round == 0 {
			whole = got
		}
		if got < checkpointed || got > whole || round == 0 && got < second {
			t.Fatalf("cut at %d of %d: %d entries, of which %d were in the main file and %d in all", cut, len(wal), got, checkpointed, whole)
		}
	}
}

// Processes that write one log by compare-and-swap lose nothing (L8).
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := newLog(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	for _, name := range []string{"x", "y"} {
		cmd := exec.Command(exe, path, name)
		cmd.Env = append(os.Environ(), childEnv+"=rival")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	next := map[string]int{}
	n := int64(0)
	for e, err := range s.Entries(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		name, _, _ := strings.Cut(e.ID, "-")
		if e.Seq != n || e.ID != fmt.Sprintf("%s-%d", name, next[name]) {
			t.Fatalf("entry %d is %s with seq %d", n, e.ID, e.Seq)
		}
		next[name]++
	}
	if next["x"] != 100 || next["y"] != 100 {
		t.Errorf("of 100 entries each, %v are there", next)
	}
}
