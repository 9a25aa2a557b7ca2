package hook_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
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
