package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/hook"
)

// A damaged line hides no other failure from doctor, however long it is.
func TestV7DamagedFailuresAreSkipped(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t)
	h.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(h.Data, "failures.jsonl"), []byte(strings.Repeat("\x00", 100<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Fail(hook.Failure{Client: "pi", Event: "context", Why: "no disk"})
	if all, err := h.Failures(3); err != nil || len(all) != 1 || all[0].Why != "no disk" {
		t.Errorf("%+v, %v", all, err)
	}
}
