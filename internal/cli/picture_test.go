package cli

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// TestPicture draws the picture of the README as its reader would.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.ToSlash(filepath.Join(dir, "x.db")))
	t.Setenv("XDG_CONFIG_HOME", dir)
	svg := filepath.Join(dir, "before-after.svg")
	for _, args := range [][]string{
		{"compact", filepath.Join("..", "..", "examples", "session.jsonl")},
		{"conversation", "diff", "--svg", svg},
	} {
		var out, errs bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
		if code := Run(t.Context(), args, term); code != command.ExitOK {
			t.Fatalf("%v: the exit code is %d: %s", args, code, errs.String())
		}
	}
	got, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join("..", "..", "docs", "before-after.svg")
	if *update {
		if err := os.WriteFile(shown, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(shown)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s shows something else than the program draws; renew it with -update", shown)
	}
}
