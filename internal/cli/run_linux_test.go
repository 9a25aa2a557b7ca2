package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// V7: a client whose proxy is killed cannot reach its model any more, and is asked to end.
func TestRunIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codex"), []byte("#!/bin/sh\ntrap 'echo > ended; exit' TERM\necho > begun\ni=0; while [ $i -lt 2400 ]; do sleep 0.05; i=$((i+1)); done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := child(t, filepath.Join(dir, "store.db"), "run", "codex")
	c.Dir, c.Env = dir, append(c.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "TMPDIR="+dir) // what it leaves goes with the directory
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	wait := func(file string) {
		for late := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
				return
			} else if time.Now().After(late) {
				t.Fatalf("the client has not %s", file)
			}
		}
	}
	wait("begun")
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	wait("ended")
}
