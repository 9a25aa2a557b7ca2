package serve_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/store/postgres/pgtest"
)

// Commands that only look leave a database as it is: one without tables, one of an earlier
// release, and one that has no jobs yet.
func TestLookingChangesNoSchema(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	url := pgtest.Start(t).Database(t)
	t.Setenv("TENFOLD_STORE", url)
	try := func(line string) (code int, errs string) {
		var o, e bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&o), Err: &e}
		code = cli.Execute(t.Context(), &command.App{Now: time.Now, Terminal: term}, strings.Fields(line))
		return code, e.String()
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	there := func() (has string) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(n.nspname || '.' || c.relname || a.attname, ' ' ORDER BY 1), '')
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND a.attnum > 0 AND NOT a.attisdropped`).Scan(&has); err != nil {
			t.Fatal(err)
		}
		return has
	}
	looks := []string{
		"tenant ls", "tenant limits default", "tenant audit default", "tenant retain --dry-run", "token ls default",
		"jobs ls",
	}
	check := func(what string, want int, says string) {
		t.Helper()
		before := there()
		for _, line := range looks {
			if code, errs := try(line); code != want || !strings.Contains(errs, says) {
				t.Errorf("%s, %s: exit code %d: %s", what, line, code, errs)
			}
			if after := there(); after != before {
				t.Fatalf("%s: %s changed it: %s\n%s", what, line, before, after)
			}
		}
	}
	check("without tables", command.ExitFailed, "no tables yet")
	if code, errs := try("tenant create kitchen"); code != command.ExitOK {
		t.Fatal(errs)
	}
	check("without jobs", command.ExitOK, "")
	if _, err := conn.Exec(t.Context(), "ALTER TABLE tenfold_conversations DROP COLUMN percent; DELETE FROM tenfold_schema WHERE version_id = (SELECT max(version_id) FROM tenfold_schema)"); err != nil {
		t.Fatal(err)
	}
	check("of an earlier release", command.ExitFailed, "and this program uses")
	if code, errs := try("conversation ls"); code != command.ExitOK {
		t.Fatal(errs)
	}
	if code, errs := try("jobs cancel 0000"); code == command.ExitOK || !strings.Contains(errs, "no such job") { // which makes them
		t.Fatal(errs)
	}
	if _, err := conn.Exec(t.Context(), "COMMENT ON SCHEMA tenfold_jobs IS 'jobs of Tenfold, version 1.1'"); err != nil {
		t.Fatal(err)
	}
	looks = []string{"jobs ls"}
	check("with earlier jobs", command.ExitFailed, "tables of jobs are older")
}
