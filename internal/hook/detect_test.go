package hook_test

import (
	"os"
	"path/filepath"
	"runtime"
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

// What a program says of its version is looked for in the beginning of what it prints, and
// no more of that is kept.
func TestOnlyTheBeginningIsReadForAVersion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nif [ -n \"$LATE\" ]; then i=0; while [ $i -lt 1000 ]; do echo 'no version here'; i=$((i+1)); done; fi\necho client 2.1.3\n"
	if err := os.WriteFile(filepath.Join(dir, "client"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for late, want := range map[string]string{"": "2.1.3", "1": ""} {
		t.Setenv("LATE", late)
		if found := hook.Find(t.Context(), hook.About{Commands: []string{"none", "client"}}); found.Version != want || found.Path != filepath.Join(dir, "client") {
			t.Errorf("late %q: %+v, want %s", late, found, want)
		}
	}
}
