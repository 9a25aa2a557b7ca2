package transcript

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/opencode"
)

// writeDatabase makes a database of SQL text and gives its path.
func writeDatabase(tb testing.TB, script string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "tool.db")
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(script); err != nil {
		tb.Fatal(err)
	}
	return path
}

func sampleDatabase(tb testing.TB, format Format) string {
	tb.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", string(format), "database.sql"))
	if err != nil {
		tb.Fatal(err)
	}
	return writeDatabase(tb, string(script))
}

func importPath(tb testing.TB, path string, from Format) ([]Collected, error) {
	tb.Helper()
	f, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var k Collector
	err = Import(context.Background(), f.Source, from, &k)
	return k.Conversations, err
}

// listing is what lies in a directory: names, sizes, times and contents.
func listing(tb testing.TB, dir string) string {
	tb.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			tb.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintln(&b, f.Name(), info.Size(), info.ModTime(), intake.Digest(data))
	}
	return b.String()
}

// The databases of the samples give the conversations of their golden files,
// and nothing beside them changes.
func TestDatabaseSamples(t *testing.T) {
	for _, format := range []Format{OpenCode, Crush} {
		t.Run(string(format), func(t *testing.T) {
			path := sampleDatabase(t, format)
			before := listing(t, filepath.Dir(path))
			got, err := importPath(t, path, "")
			if err != nil {
				t.Fatal(err)
			}
			if after := listing(t, filepath.Dir(path)); after != before {
				t.Errorf("the directory changed\nfrom:\n%sto:\n%s", before, after)
			}
			var all strings.Builder
			for _, c := range got {
				if c.Format != format {
					t.Errorf("read as %q", c.Format)
				}
				checkLaws(t, c)
				all.WriteString("conversation " + c.ID + " " + c.Title + " " + c.Created.String() + "\n" + describe(c.Entries))
				for _, text := range c.Warnings {
					all.WriteString("warning " + text + "\n")
				}
			}
			golden := filepath.Join("testdata", string(format), "database.sql.golden")
			if *update {
				if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if all.String() != string(want) {
				t.Errorf("entries differ\n got:\n%s\nwant:\n%s", all.String(), want)
			}
		})
	}
}

// A database that a running tool has open is read with what stands only in its
// log, and the tool's files stay as they are.
func TestDatabaseInUse(t *testing.T) {
	for _, format := range []Format{OpenCode, Crush} {
		t.Run(string(format), func(t *testing.T) {
			path := sampleDatabase(t, format)
			db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(WAL)&_pragma=wal_autocheckpoint(0)")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			add := `INSERT INTO message VALUES ('msg_eee4','ses_root',1780000006000,0,'{"role":"user","time":{"created":1780000006000}}');
				INSERT INTO part VALUES ('prt_new','msg_eee4','ses_root',0,0,'{"type":"text","text":"just written"}')`
			if format == Crush {
				add = `INSERT INTO messages VALUES ('m10','s1','user','[{"type":"text","data":{"text":"just written"}}]',NULL,1780000010000,1780000010000,NULL,NULL,0)`
			}
			if _, err := db.Exec(add); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
				t.Fatalf("there is no log to read: %v", err)
			}
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			before := listing(t, filepath.Dir(path))
			got, err := importPath(t, path, "")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(describe(got[0].Entries), "just written") {
				t.Error("what stands in the log only was not read")
			}
			if after := listing(t, filepath.Dir(path)); after != before {
				t.Errorf("the directory changed\nfrom:\n%sto:\n%s", before, after)
			}
			if left := listing(t, temp); left != "" {
				t.Errorf("a copy was left behind: %s", left)
			}
		})
	}
}

// A session that went on keeps its ids: a call that was running has a result
// now, and that is all that is new of it.
func TestDatabaseGrows(t *testing.T) {
	path := sampleDatabase(t, OpenCode)
	before, err := importPath(t, path, "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE part SET data = '{"type":"tool","tool":"bash","callID":"call_2","state":{"status":"completed","input":{"command":"make"},"output":"built","title":"make","metadata":{},"time":{"start":1780000005100,"end":1780000005200}}}' WHERE id = 'prt_5'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	now, err := importPath(t, path, "")
	if err != nil {
		t.Fatal(err)
	}
	checkGrown(t, before, now)
	if got, want := len(now[0].Entries)-len(before[0].Entries), 1; got != want {
		t.Errorf("%d new entries, want %d", got, want)
	}
	// The log that took both in tells the session as it is now.
	log := tenfold.NewLog()
	for _, c := range [][]Collected{before, now} {
		if _, err := log.Append(c[0].Entries...); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := Export(&out, OpenCode, View{Conversation: now[0].Conversation, Projection: tenfold.Project(log)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"status":"completed","input":{"command":"make"},"output":"built"`) {
		t.Errorf("the export does not hold the result: %s", out.String())
	}
}

// A session reads the same from the database and from its export.
func TestDatabaseLikeExport(t *testing.T) {
	got, err := importPath(t, sampleDatabase(t, OpenCode), "")
	if err != nil {
		t.Fatal(err)
	}
	c := got[0]
	c.Entries = nil
	for _, e := range got[0].Entries {
		if e.Branch == "" && e.Payload.Kind() != opencode.TodoName {
			c.Entries = append(c.Entries, e)
		}
	}
	text, warnings := exportOpenCode(t, c, false)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	again, err := importText(t, "x.json", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if again.Title != c.Title || again.Created != c.Created || !reflect.DeepEqual(again.Entries, c.Entries) {
		t.Errorf("the export reads as\n%s\nthe database as\n%s", describe(again.Entries), describe(c.Entries))
	}
	if _, warnings := exportOpenCode(t, got[0], false); len(warnings) != 1 || !strings.Contains(warnings[0], "entries of sub-agents") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestDatabaseErrors(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		from         Format
		says         string
	}{
		{"another tool's", "CREATE TABLE cookies (a); CREATE TABLE visits (b)", "", "an SQLite database of another tool: its tables are cookies, visits; databases can be read of opencode, crush"},
		{"empty", "CREATE TABLE x (a); DROP TABLE x", "", "it has no tables"},
		{"asked for another", "CREATE TABLE sessions (id); CREATE TABLE messages (session_id, parts)", OpenCode, "its tables are messages, sessions"},
		{"asked for no database", "CREATE TABLE sessions (id)", JP, "read as jp"},
		{"a column is missing", "CREATE TABLE session (id); CREATE TABLE message (id, session_id, data); CREATE TABLE part (id, data)", "", "table part has no column message_id (read as opencode)"},
		{"a column is missing in crush", "CREATE TABLE sessions (id); CREATE TABLE messages (id, session_id, parts)", "", "table messages has no column role (read as crush)"},
		{"views", "CREATE TABLE x (id); CREATE VIEW session AS SELECT id FROM x; CREATE VIEW message AS SELECT id FROM x; CREATE VIEW part AS SELECT id FROM x", "", "its tables are x"},
		{
			"a huge value", `CREATE TABLE sessions (id, blob); CREATE TABLE messages (id, session_id, role, parts);
			INSERT INTO sessions VALUES ('s', zeroblob(300000000))`, "", "row 1 of table sessions holds a value of 286 MB",
		},
		{
			"no rowid", `CREATE TABLE sessions (id PRIMARY KEY) WITHOUT ROWID; CREATE TABLE messages (id, session_id, role, parts)`, "",
			"the database cannot be read",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := importPath(t, writeDatabase(t, tt.script), tt.from)
			var ours *Error
			if !errors.As(err, &ours) || !strings.Contains(errorText(err), tt.says) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
		})
	}
	t.Run("a stream", func(t *testing.T) {
		data, err := os.ReadFile(sampleDatabase(t, Crush))
		if err != nil {
			t.Fatal(err)
		}
		err = Import(context.Background(), Source{Name: "-", Reader: bytes.NewReader(data)}, "", &Collector{})
		var ours *Error
		if !errors.As(err, &ours) || !strings.Contains(errorText(err), "cannot be read from a stream; name the file") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("crush's JSON", func(t *testing.T) {
		if _, err := (written{Crush, "x", nil}).read([]byte(`{"a":1}`), Crush); err == nil || !strings.Contains(errorText(err), ".crush/crush.db") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		f, err := Open(sampleDatabase(t, OpenCode))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if err := Import(ctx, f.Source, "", &Collector{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// counter keeps nothing and sees that conversations do not overlap.
type counter struct {
	tb            testing.TB
	conversations int
	entries       int
	open          bool
}

func (c *counter) Begin(Conversation) error {
	if c.open {
		c.tb.Error("a conversation began in another")
	}
	c.open = true
	c.conversations++
	return nil
}
func (c *counter) Entry(tenfold.Entry) error { c.entries++; return nil }
func (c *counter) End(Conversation, []string) error {
	c.open = false
	return nil
}

func TestDatabaseOfManySessions(t *testing.T) {
	corpustest.Unraced(t)
	path := writeDatabase(t, `
		CREATE TABLE session (id text PRIMARY KEY, parent_id text, time_created integer);
		CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
		CREATE INDEX m ON message (session_id);
		CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);
		CREATE INDEX p ON part (message_id);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO session SELECT 'ses_' || i, NULL, i FROM n;
		INSERT INTO message SELECT 'msg_' || id, id, time_created, '{"role":"user","time":{"created":1780000000000}}' FROM session;
		INSERT INTO part SELECT 'prt_' || id, id, '{"type":"text","text":"hello"}' FROM message;`)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	c := &counter{tb: t}
	if err := Import(context.Background(), f.Source, "", c); err != nil {
		t.Fatal(err)
	}
	if c.conversations != 1000 || c.entries != 3000 {
		t.Errorf("%d conversations of %d entries", c.conversations, c.entries)
	}
}

// Whatever stands in a database's pages, the import ends, with an error of
// ours or with conversations that obey the laws.
func TestDatabaseDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, format := range []Format{OpenCode, Crush} {
		path := sampleDatabase(t, format)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		failed, rounds := 0, corpustest.Tries(300)
		for range rounds {
			damaged := bytes.Clone(data)
			for range 1 + random.IntN(8) {
				damaged[16+random.IntN(len(damaged)-16)] = byte(random.Uint32())
			}
			if random.IntN(8) == 0 {
				damaged = damaged[:random.IntN(len(damaged)-100)+100]
			}
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := importPath(t, path, "")
			var ours *Error
			if err != nil {
				if failed++; !errors.As(err, &ours) {
					t.Fatalf("the error is not ours: %v", err)
				}
			}
			for _, c := range got {
				checkLaws(t, c)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		t.Logf("%s: %d of %d were refused", format, failed, rounds)
	}
}

// A conversation of which something could not be read is not handed on as whole.
func TestDatabaseTorn(t *testing.T) {
	const page = 4096
	for _, format := range []Format{OpenCode, Crush} {
		path := sampleDatabase(t, format)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := importPath(t, path, "")
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for at := page; at < len(data); at += page {
			torn := bytes.Clone(data)
			clear(torn[at:min(at+page, len(torn))])
			if err := os.WriteFile(path, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := importPath(t, path, "")
			if err == nil {
				continue
			}
			failed++
			for i, c := range got {
				if len(c.Entries) != len(whole[i].Entries) {
					t.Errorf("%s, page %d: conversation %s has %d of %d entries", format, at/page, c.ID, len(c.Entries), len(whole[i].Entries))
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s: nothing was refused", format)
		}
	}
}
