package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
)

// Who asks in a conversation in which another program is answering is told so. Ctrl-C
// while the model answers keeps what there is: the exit code says so, and the next query
// goes on.
func TestInterruptedQuery(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"c.toml":     "[model]\nname = \"demo/m\"\n[providers.demo]\ntype = \"script\"\nfile = \"play.jsonl\"\n[providers.next]\ntype = \"script\"\nfile = \"next.jsonl\"\n",
		"play.jsonl": `{"text":"half of an answer","chunk":4,"hang":true,"at":2}`,
		"next.jsonl": `{"text":"Done."}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(dir, "t.db")
	c := child(t, store, "query", "--config", filepath.Join(dir, "c.toml"), "how?")
	said := &watched{wrote: make(chan struct{}, 1)}
	var errs bytes.Buffer
	c.Stdout, c.Stderr = said, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait()
	}()
	select {
	case <-said.wrote:
		beside := child(t, store, "query", "--config", filepath.Join(dir, "c.toml"), "--model", "next/m", "and?")
		var told bytes.Buffer
		beside.Stderr = &told
		if out, err := beside.Output(); string(out) != "Done.\n" || err != nil || !strings.Contains(told.String(), "warning: another program has this conversation open") {
			t.Errorf("beside it: %q %v\n%s", out, err, told.String())
		}
		_ = c.Process.Signal(os.Interrupt)
	case <-ended: // on its own: its exit code says so
	}
	<-ended
	if code := c.ProcessState.ExitCode(); code != command.ExitInterrupted || !strings.HasPrefix(said.String(), "half") || !strings.Contains(errs.String(), `"tenfold query" goes on with it`) || !strings.Contains(errs.String(), "no answer: interrupted: the next run goes on") {
		t.Errorf("the exit code is %d\n%s\n%s", code, said, errs.String())
	}
	out, err := child(t, store, "query", "--config", filepath.Join(dir, "c.toml"), "--model", "next/m", "-p").CombinedOutput()
	if !strings.HasPrefix(string(out), "Done.\n") || err != nil || strings.Contains(string(out), "another program") {
		t.Errorf("it goes on with %q %v", out, err)
	}
	printed, err := child(t, store, "c", "print").Output()
	if text := string(printed); err != nil || strings.Count(text, "how?") != 1 || !strings.Contains(text, "half") {
		t.Errorf("%v\n%s", err, text)
	}
}
