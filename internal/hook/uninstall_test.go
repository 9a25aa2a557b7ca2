package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/internal/hook"
)

// Of a file that Tenfold made, nothing is left where a person put only blanks around it.
func TestUninstallTakesItsOwnFileWithBlanks(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "-")
	before := tree(t, p.Home)
	if _, err := h.Install(adapter{content: "x", version: 1}, p, false); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(p.Home, ".agent", "settings.json")
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, append([]byte("\n"), append(text, "\n \n"...)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Uninstall(installed(t, h), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
}

// Where one file cannot be written, those before it are put back: removed ones with their modes,
// renamed ones under their names.
func TestUninstallIsWholeOrNotAtAll(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "{}")
	script, changed := filepath.Join(p.Home, ".agent", "tenfold.sh"), filepath.Join(p.Home, ".agent", "tenfold.js")
	client := adapter{version: 1, extra: []hook.File{{Path: script, Content: []byte("#!"), Executable: true}, {Path: changed, Content: []byte("x")}}}
	if _, err := h.Install(client, p, false); err != nil {
		t.Fatal(err)
	}
	put(t, changed, "mine", 0o600)
	settings := filepath.Join(p.Home, ".agent", "settings.json")
	long := filepath.Join(p.Home, strings.Repeat("x", 250)) // nothing fits behind the name
	if err := os.Rename(settings, long); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(long, settings); err != nil {
		t.Fatal(err)
	}
	before := tree(t, p.Home)
	if _, err := h.Uninstall(installed(t, h), false); err == nil {
		t.Fatal("a file was written under a name that is too long")
	}
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Errorf("not put back:\n%s", diff)
	}
}
