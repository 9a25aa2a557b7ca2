package telemetry

import "testing"

func TestKindOf(t *testing.T) {
	for _, c := range []struct{ sql, kind, table string }{
		{"SELECT id FROM tenfold_conversations WHERE name = $1", "SELECT", "tenfold_conversations"},
		{"\n\tWITH moved AS (\n\tUPDATE tenfold_conversations SET x = 1) INSERT INTO tenfold_entries (a)", "INSERT", "tenfold_conversations"},
		{"WITH x AS (SELECT 1) SELECT * FROM tenfold_entries_2026_11", "SELECT", "tenfold_entries"},
		{"UPDATE tenfold_jobs.river_job SET state = 'x'", "UPDATE", "river_job"},
		{"LISTEN tenfold_told", "LISTEN", "tenfold_told"},
		{"SELECT set_config('tenfold.tenant', $1, true)", "SELECT", ""},
		{"begin;", "BEGIN", ""},
		{"select secret from somewhere", "SELECT", ""},
		{"EXPLAIN everything", other, ""},
		{"", other, ""},
		{"SELECT tenfold_words($1)", "SELECT", ""},
	} {
		if kind, table := kindOf(c.sql); kind != c.kind || table != c.table {
			t.Errorf("%q is %s of %q", c.sql, kind, table)
		}
	}
}
