package serve

import (
	"os"
	"path/filepath"
	"testing"

	"tenfold/store"
)

// The agent of a conversation works where the server was started, or below: a
// transcript cannot open another directory to it.
func TestAnAgentWorksWhereTheServerDoes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"project", "file"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("file", "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.TempDir(), "away"); err != nil {
		t.Fatal(err)
	}
	whole, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		"": "", dir: whole, filepath.Join(dir, "project"): filepath.Join(whole, "project"),
		filepath.Join(dir, "gone"): "", filepath.Join(dir, "file", "f"): "", filepath.Join(dir, "away"): "", filepath.Dir(dir): "", "/": "", filepath.Join(dir, "project", ".."): whole,
	} {
		if got := workplace(store.Conversation{Origin: store.Origin{Directory: from}}); got != want {
			t.Errorf("a conversation of %s: %q, not %q", from, got, want)
		}
	}
}
