package hook_test

import (
	"os"
	"path/filepath"
	"testing"

	"tenfold/internal/hook"
)

// An adapter runs the program by the link that a package manager made on the PATH, which
// stays when the program is updated, and by no other program of that name.
func TestBinaryIsTheLinkOnThePath(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link, other := filepath.Join(t.TempDir(), "tenfold"), filepath.Join(t.TempDir(), "tenfold")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{filepath.Dir(link): link, filepath.Dir(other): self, t.TempDir(): self} {
		t.Setenv("PATH", dir)
		if got, err := hook.Binary(); got != want || err != nil {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
