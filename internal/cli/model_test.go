package cli

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/strategy"
)

// asksFile writes a configuration with a model that plays a script, and gives
// the flags that use it.
func asksFile(t *testing.T, dir, play string) []string {
	t.Helper()
	for name, text := range map[string]string{
		"play.jsonl": play,
		"c.toml":     "[providers.demo]\ntype = \"script\"\nfile = \"play.jsonl\"\n[conversation.compaction]\nsummarizer_model = \"demo/writer\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"--config", filepath.Join(dir, "c.toml")}
}

// A pipe that says when something was written to it.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.wrote <- struct{}{}:
	default:
	}
	return w.text.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// Ctrl-C while a model hangs leaves nothing half done: the log is as it was, and
// no artifact is there, whole or in part.
func TestInterruptWhileAModelHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	for name, args := range map[string][]string{
		"conversation": {"c", "compact", "--strategy", "summarize", "--to", "3"},
		"file":         {"compact", "testdata/bakery.jsonl", "--profile", "heavy", "--keep", "1"},
		"tangents":     {"c", "compact", "--strategy", "classify-tangents", "--to", "3", "--yes"},
		"to a fork":    {"c", "compact", "--strategy", "hard-reset", "--fork"},
		"fork":         {"c", "fork", "--compact=heavy"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "t.db")
			// The script is a pipe: that it was read says that the model is about to be asked.
			flags := asksFile(t, dir, "")
			pipe := filepath.Join(dir, "play.jsonl")
			if err := os.Remove(pipe); err != nil {
				t.Fatal(err)
			}
			newPipe(t, pipe)
			if out, err := child(t, path, "c", "import", "testdata/bakery.jsonl").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			before := logOf(t, path, "7d1f6a30-bakery").Log().Version()
			c := child(t, path, append(flags, args...)...)
			errs := &watched{wrote: make(chan struct{}, 1)}
			c.Stdout, c.Stderr = io.Discard, errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			reads := 1
			if name == "file" { // the flags are looked at before the file is
				reads = 2
			}
			for range reads {
				play, err := os.OpenFile(pipe, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				// Who opens it for the next time does not meet who reads it now.
				if err := os.Remove(pipe); err != nil {
					t.Fatal(err)
				}
				newPipe(t, pipe)
				_, _ = play.WriteString(`{"hang":true}` + "\n")
				_ = play.Close()
			}
			time.Sleep(200 * time.Millisecond) // now it hangs, or will: an interrupt ends it as well
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Wait()
			if code := c.ProcessState.ExitCode(); code != command.ExitInterrupted || !strings.Contains(errs.String(), "error: cancelled") {
				t.Errorf("the exit code is %d\n%s", code, errs.String())
			}
			if after := logOf(t, path, "7d1f6a30-bakery").Log().Version(); after != before {
				t.Errorf("the log went from %d to %d entries", before, after)
			}
			if out, err := child(t, path, "c", "ls", "--json").Output(); err != nil || bytes.Count(out, []byte("\n")) != 1 {
				t.Errorf("another conversation is left: %v\n%s", err, out)
			}
			_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.Contains(file, "summar") {
					t.Errorf("left behind: %s", file)
				}
				return nil
			})
		})
	}
}

func newPipe(t *testing.T, path string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mkfifo", path).CombinedOutput(); err != nil {
		t.Skipf("no named pipes: %v %s", err, out)
	}
}

// Artifacts are kept of each summary that is stored, whoever wrote it (M5), and
// of none that is not.
func TestArtifactsOfWhatIsNotStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	good := strategy.SummaryResult{Text: "Bread was baked.", Model: "m"}
	runWith(t, nil, "", "c", "import", "testdata/bakery.jsonl")
	count := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "t.sessions", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	kept := asksFile(t, dir, `{"text":"Bread was baked."}`)
	compact := append(kept, "c", "compact", "--strategy", "summarize", "--to", "2")
	if code, _, errs := runWith(t, nil, "d\n", append(compact, "--review")...); code != command.ExitOK || count() != 0 {
		t.Errorf("dropped: %d files\n%s", count(), errs)
	}
	if code, _, errs := runWith(t, nil, "", compact...); code != command.ExitOK || count() != 2 {
		t.Errorf("stored: %d files\n%s", count(), errs)
	}
	runWith(t, nil, "", "c", "undo")
	if count() != 2 {
		t.Errorf("after undo there are %d files: what can be redone keeps its own", count())
	}
	// What the command line itself brings has none, and leaves the others alone.
	runWith(t, &scripted{result: good}, "", "c", "compact", "--strategy", "summarize", "--to", "2")
	if count() != 2 {
		t.Errorf("%d files", count())
	}
	// The digest's are kept as well (M5).
	runWith(t, nil, "", "c", "undo")
	if code, _, errs := runWith(t, nil, "", "c", "compact", "--strategy", "hard-reset"); code != command.ExitOK || count() != 4 {
		t.Errorf("digest: %d files\n%s", count(), errs)
	}
}
