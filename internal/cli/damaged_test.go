package cli

import (
	"bufio"
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// A conversation whose log is damaged is exported as far as it can be read, as doctor
// says to do, and the export says what is lost.
func TestExportOfADamagedConversation(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "t.db")
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.ToSlash(path))
	try := func(line string) (code int, out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&o), Err: &e}
		code = Run(t.Context(), strings.Fields(line), term)
		return code, o.String(), e.String()
	}
	damage := func(do string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.ExecContext(t.Context(), do)
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const export = "conversation export --to tenfold"
	if code, _, errs := try("conversation import ../../examples/session.jsonl"); code != command.ExitOK {
		t.Fatal(errs)
	}
	code, whole, errs := try(export)
	if code != command.ExitOK {
		t.Fatal(errs)
	}
	const search = "conversation search --all --limit 1000 first"
	if code, out, errs := try(search); code != command.ExitOK || !strings.Contains(out, "entry 5 ") {
		t.Errorf("exit code %d: %s\n%s", code, errs, out)
	}
	damage("UPDATE entries SET meta = x'' WHERE key & 0xffffffff = 5")
	code, out, errs := try(export)
	head := strings.Join(strings.SplitAfter(whole, "\n")[:5], "") // the header, and four entries
	if code != command.ExitFailed || out != head || !strings.Contains(errs, "exported the first 4 of ") || !strings.Contains(errs, "cannot be read") {
		t.Errorf("exit code %d: %s\n%s", code, errs, out)
	}
	file := filepath.Join(t.TempDir(), "page.md")
	if code, _, errs := try(export[:len("conversation export")] + " --out " + file); code != command.ExitFailed || !strings.Contains(errs, "exported the first 4 of ") {
		t.Errorf("as markdown: exit code %d: %s", code, errs)
	}
	if code, _, errs := try("conversation show"); code != command.ExitFailed || strings.Contains(errs, "exported") || !strings.Contains(errs, "save what comes before it") {
		t.Errorf("show: exit code %d: %s", code, errs)
	}
	// A search passes over what is damaged, and says so.
	if code, out, errs := try(search); code != command.ExitFailed || !strings.Contains(out, "turn unknown") || !strings.Contains(errs, "damaged entry left out, first conversation ") {
		t.Errorf("search: exit code %d: %s\n%s", code, errs, out)
	}
	damage("UPDATE entries SET meta = x'' WHERE key & 0xffffffff = 1")
	if code, out, errs := try(export); code != command.ExitFailed || out != "" || strings.Contains(errs, "exported") {
		t.Errorf("of nothing: exit code %d: %s\n%s", code, errs, out)
	}
}
