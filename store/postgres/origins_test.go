package postgres

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/postgres/pgtest"
)

// A store of an earlier release is brought to the newest schema, and keeps all
// it has.
func testUpgrade(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	old := opened(t, url)
	if err := old.Create(t.Context(), store.Conversation{ID: "a", Title: "kept"}); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"ALTER TABLE tenfold_conversations DROP COLUMN origin, DROP COLUMN mark," + // and their index
			" DROP COLUMN tool, DROP COLUMN directory, DROP COLUMN ended",
		"DELETE FROM tenfold_schema WHERE version_id >= 2",
	} {
		if _, err := old.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s := opened(t, url)
	if c, err := s.Conversation(t.Context(), "a"); err != nil || c.Title != "kept" || c.Origin != (store.Origin{}) {
		t.Errorf("it became %+v, %v", c, err)
	}
	batch := store.Batch{Conversation: "a", Entries: []tenfold.Entry{{ID: "1", Payload: tenfold.TurnStart{}}}, Origin: &store.Origin{Key: "k"}}
	if _, err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Imported(t.Context(), "k"); err != nil || len(found) != 1 || found[0].ID != "a" {
		t.Errorf("found %v, %v", found, err)
	}
}

// Looking for an origin uses its index: what it costs does not grow with the
// conversations of other origins.
func testImportedUsesItsIndex(t *testing.T, server *pgtest.Server) {
	s := opened(t, server.Database(t))
	for _, sql := range []string{
		`INSERT INTO tenfold_conversations (name, id, title, origin)
			SELECT n::text::bytea, n::text::bytea, '', ('origin ' || n)::bytea FROM generate_series(1, 5000) AS n`,
		"ANALYZE tenfold_conversations",
	} {
		if _, err := s.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := s.pool.Query(t.Context(), "EXPLAIN "+listSQL[engine.ByOrigin], []byte("origin 7"))
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if rows.Err() != nil || !strings.Contains(plan.String(), "tenfold_conversations_origin") {
		t.Errorf("the plan is\n%s%v", plan.String(), rows.Err())
	}
}
