//go:build unix

package transcript

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tenfold/transcript/internal/database"
)

func makePipe(tb testing.TB, dir, name string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		tb.Skip("no named pipes here:", err)
	}
	return path
}

// A named pipe is read as standard input is, packed or not: bytes may come in
// pieces, and the end is where its writer stops.
func TestPipe(t *testing.T) {
	text := new(session).user("u1", `"go"`).user("u2", `"on"`).String()
	for name, data := range map[string]string{"plain": text, "packed": packGzip(t, text)} {
		t.Run(name, func(t *testing.T) {
			path := makePipe(t, t.TempDir(), "pipe")
			wrote := make(chan error, 1)
			go func() {
				w, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					wrote <- err
					return
				}
				for _, piece := range []string{data[:len(data)/2], data[len(data)/2:]} {
					if _, err := w.WriteString(piece); err != nil {
						wrote <- err
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				wrote <- w.Close()
			}()
			got, err := importPath(t, path, "")
			if err != nil || len(got) != 1 || len(got[0].Entries) != 4 {
				t.Errorf("%+v, %v", got, err)
			}
			if err := <-wrote; err != nil {
				t.Error(err)
			}
		})
	}
}

// A pipe that nobody writes to is an error, not a wait without end. The waiting
// is measured with a clock of the test's own.
func TestPipeNobodyWritesTo(t *testing.T) {
	path := makePipe(t, t.TempDir(), "pipe")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := importPath(t, path, "")
		var ours *Error
		if !errors.As(err, &ours) || !strings.Contains(errorText(err), "nothing came through the pipe") || ours.Hint == "" {
			t.Errorf("%v", err)
		}
		if waited := time.Since(start); waited < pipePatience || waited > 2*pipePatience {
			t.Errorf("waited %v", waited)
		}
	})
}

// A pipe whose writer says nothing is waited for, until the import is cancelled.
func TestPipeCancelled(t *testing.T) {
	path := makePipe(t, t.TempDir(), "pipe")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Import(ctx, f.Source, "", &Collector{}) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A pipe in the place of a file beside a transcript is not waited for, and one
// with a database in it is not opened a second time.
func TestPipeBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "17123456789-x")
	writeFiles(t, dir, map[string]string{"events.json": `[{"type":"turn_start"},{"type":"chat_request","content":"a"}]`})
	makePipe(t, dir, "metadata.json")
	makePipe(t, dir, "base_config.json")
	got, err := importPath(t, filepath.Join(dir, "events.json"), "")
	if err != nil || len(got) != 1 || len(got[0].Warnings) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	path := makePipe(t, t.TempDir(), "pipe.db")
	go func() {
		if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_, _ = w.WriteString(string(database.Magic) + strings.Repeat("\x00", 100))
			_ = w.Close()
		}
	}()
	if _, err := importPath(t, path, ""); err == nil || !strings.Contains(errorText(err), "cannot be read from a stream") {
		t.Errorf("%v", err)
	}
}
