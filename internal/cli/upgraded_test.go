package cli

import (
	"bufio"
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// Who upgrades a store hears of it once, as older programs cannot open it any more;
// programs that read the output do not.
func TestUpgradeOfAStoreIsTold(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "t.db")
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.ToSlash(path))
	var out bytes.Buffer
	tell := func(args ...string) string {
		t.Helper()
		var told strings.Builder
		out.Reset()
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &told}
		if code := Run(t.Context(), args, term); code != command.ExitOK && args[0] != "doctor" && args[len(args)-1] != "--dry-run" { // the one finds more, the other says that it cannot look
			t.Fatalf("%v: exit code %d: %s", args, code, told.String())
		}
		return told.String()
	}
	ls := []string{"conversation", "ls"}
	if said := tell("conversation", "compact", "--dry-run"); !strings.Contains(said, "no conversations yet") {
		t.Errorf("a dry run without a store says %q", said)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a dry run makes a store")
	}
	for url, want := range map[string]string{"bogus://x": "unknown scheme", "sqlite://" + t.TempDir(): "not a regular file"} {
		if said := tell("--store", url, "conversation", "compact", "--dry-run"); !strings.Contains(said, want) {
			t.Errorf("a dry run of the store %s says %q", url, said)
		}
	}
	if made := tell(ls...); strings.Contains(made, "schema") {
		t.Errorf("a new store is announced: %q", made)
	}
	tell("conversation", "import", "../../examples/session.jsonl") // which is then active
	for _, more := range []string{"--json", "--quiet", ""} {
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.ExecContext(t.Context(), "ALTER TABLE conversations DROP COLUMN percent; PRAGMA user_version = 5")
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		// Who only looks leaves it as it is, and says so.
		tell("__complete", "conversation", "show", "")
		if more == "" {
			if said := tell("compact", "--dry-run", "../../examples/session.jsonl"); !strings.Contains(said, "not looked at") {
				t.Errorf("a dry run says %q", said)
			}
		}
		if said := tell("config", "show", "conversation.compaction.keep_last"); !strings.Contains(said, "it has schema 5, and") || !strings.Contains(out.String(), "keep_last") {
			t.Errorf("config show says %q and %q", said, out.String())
		}
		if said := tell("conversation", "compact", "--dry-run"); !strings.Contains(said, "it has schema 5, and") || !strings.Contains(said, "without --dry-run") {
			t.Errorf("a dry run of a stored conversation says %q", said)
		}
		if tell("doctor", "--json"); !strings.Contains(out.String(), "it has schema 5, and") {
			t.Errorf("doctor says %q", out.String())
		}
		args := ls
		if more != "" {
			args = append(args, more)
		}
		first, again := tell(args...), tell(args...)
		says := strings.Contains(first, "upgraded the store "+path+" from schema 5 to ") && strings.Contains(first, "older tenfold")
		if says != (more == "") || strings.Contains(again, "upgraded") {
			t.Errorf("with %q it says %q, then %q", more, first, again)
		}
	}
}
