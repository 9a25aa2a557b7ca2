package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"tenfold/session"
	"tenfold/store/sqlite"
)

const (
	// otherEnv has the test binary be the other process; it is the path of
	// the store.
	otherEnv = "TENFOLD_SESSION_TEST_OTHER"
	// manyConversations is how many there are where there are many.
	manyConversations = 200
)

// TestOtherProcess is the other process of TestD3ContentionSQLite, and nothing
// when run for itself. It works as its half, prints a line for each thing it
// was told, waits until its standard input ends, which is when everybody is
// done, and prints how it then reads the logs.
func TestOtherProcess(t *testing.T) {
	path := os.Getenv(otherEnv)
	if path == "" {
		t.Skip("it is the other process of another test")
	}
	ctx := context.Background()
	st, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	svc := session.NewService(st)
	var ids []string
	for c, err := range svc.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	h := &half{svc: svc, name: "there", conversations: ids, load: loadFor(len(ids))}
	if err := h.run(ctx); err != nil {
		t.Error(err)
	}
	out := json.NewEncoder(os.Stdout)
	send := func(l line) {
		if err := out.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range h.acks {
		send(line{Conversation: a.conversation, Seq: a.seq, ID: a.id})
	}
	send(line{Tally: &h.tally})
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
	sum, err := digest(ctx, svc, h.conversations)
	if err != nil {
		t.Fatal(err)
	}
	send(line{Digest: sum})
}

// A line is what the other process prints: an ack, or the tally that ends
// them, or the digest.
type line struct {
	Conversation string
	Seq          int64
	ID           string
	Tally        *tally
	Digest       string
}

// An other is the other process as seen by the one that started it.
type other struct {
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
}

// startOther starts it.
func startOther(t *testing.T, path string) *other {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^TestOtherProcess$", fmt.Sprintf("-test.short=%v", testing.Short())}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), otherEnv+"="+path), os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &other{cmd, stdin, bufio.NewScanner(stdout)}
}

// next reads a line; what else it prints is how it failed.
func (o *other) next(t *testing.T) (l line) {
	t.Helper()
	for o.lines.Scan() {
		if err := json.Unmarshal(o.lines.Bytes(), &l); err == nil {
			return l
		}
		t.Logf("the other process: %s", o.lines.Text())
	}
	t.Fatalf("the other process ended: %v, %v", o.lines.Err(), o.cmd.Wait())
	return l
}

// wait gives what it was told, when it has done its work.
func (o *other) wait(t *testing.T) (acks []ack, all tally) {
	t.Helper()
	for {
		l := o.next(t)
		if l.Tally != nil {
			return acks, *l.Tally
		}
		acks = append(acks, ack{l.Conversation, l.Seq, l.ID})
	}
}

// digest has it read the logs, and end.
func (o *other) digest(t *testing.T) string {
	t.Helper()
	if err := o.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	sum := o.next(t).Digest
	for o.lines.Scan() {
		if text := o.lines.Text(); text != "PASS" {
			t.Logf("the other process: %s", text)
		}
	}
	if err := o.cmd.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
	return sum
}
