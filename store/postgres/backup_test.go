package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// A base backup and the archived log bring back the moment before a mistake, as
// docs/life.md says.
func TestPointInTime(t *testing.T) {
	if os.Getenv("TENFOLD_TEST_ALL") != "1" {
		t.Skip("set TENFOLD_TEST_ALL=1 to restart servers and restore backups")
	}
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	admin := superuser(t, url)
	run := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	archive := server.Directory(t)
	run("ALTER SYSTEM SET archive_mode = 'on'")
	run(fmt.Sprintf("ALTER SYSTEM SET archive_command = 'test ! -f %[1]s/%%f && cp %%p %[1]s/%%f'", archive))
	server.Kill(t)
	server.Restart(t)
	admin.Reset()

	v := masters(t, 1)
	s := opened(t, tenant(t, url, "one", v), WithVault(v))
	create(t, s, "a", say("first")...)
	backup := filepath.Join(server.Directory(t), "base")
	server.Tool(t, "pg_basebackup", "--dbname="+url, "--pgdata="+backup, "--checkpoint=fast")
	if _, err := s.Append(t.Context(), store.Batch{Conversation: "a", Expected: 1, Entries: say("second", "third")}); err != nil {
		t.Fatal(err)
	}
	run("SELECT pg_create_restore_point('before the mistake')")
	if err := s.Delete(t.Context(), "a", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	var lost string
	if err := admin.QueryRow(t.Context(), "SHOW data_directory").Scan(&lost); err != nil {
		t.Fatal(err)
	}
	server.Kill(t) // the log's last file is in no archive
	restored := server.Copy(t, func(data string) {
		server.Tool(t, "pg_verifybackup", backup)
		if err := os.Rename(backup, data); err != nil {
			t.Fatal(err)
		}
		settings, err := os.OpenFile(filepath.Join(data, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(settings, "archive_mode = off\nrestore_command = 'cp %s/%%f %%p'\nrecovery_target_name = 'before the mistake'\nrecovery_target_action = promote\n", archive)
		if err := settings.Close(); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(data, "recovery.signal"), nil, 0o644)
		}
		names, _ := filepath.Glob(filepath.Join(lost, "pg_wal", "0*"))
		for _, name := range names {
			var file []byte
			if err == nil {
				file, err = os.ReadFile(name)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(data, "pg_wal", filepath.Base(name)), file, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	_, database, _ := strings.Cut(strings.TrimPrefix(url, "postgres://"), "/")
	database, _, _ = strings.Cut(database, "?")
	again := opened(t, restored.URL(database)+"&tenant=one", WithVault(v))
	if log, err := logOf(t.Context(), again, "a"); err != nil || len(log) != 3 {
		t.Errorf("%d entries are back, %v", len(log), err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // it answers before it is promoted
		_, err := again.Append(t.Context(), store.Batch{Conversation: "a", Expected: 3, Entries: say("fourth")})
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the restored database takes no append: %v", err)
		}
	}
}
