package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"tenfold/internal/cli/terminal"
	"tenfold/store/postgres/pgtest"
)

// A store on another machine serves like the local one: import and compact,
// list, undo; and what is active is remembered on this machine.
func TestStoreOnPostgreSQL(t *testing.T) {
	t.Setenv("TENFOLD_STORE", pgtest.Start(t).Database(t))
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, step := range []struct{ args, want string }{
		{"compact ../../examples/session.jsonl --strategy micro", "% smaller)"},
		{"conversation ls", "131fd58e"},
		{"conversation undo", "Undone"},
		{"conversation compact --keep 10k --strategy auto", "% smaller)"},
		{"conversation diff", "total"},
		{"conversation rm 131fd58e --yes", ""},
	} {
		var out, errs bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
		if code := run(t.Context(), strings.Fields(step.args), term); code != exitOK {
			t.Fatalf("%s: the exit code is %d: %s", step.args, code, errs.String())
		}
		if !strings.Contains(out.String(), step.want) {
			t.Errorf("%s prints\n%s", step.args, out.String())
		}
	}
}
