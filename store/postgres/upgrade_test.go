package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"tenfold"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/internal/row"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
)

// oldProgram is a program of schema 3, which knows no tenants.
type oldProgram struct{ *pgxpool.Pool }

// oldDatabase makes a database of schema 3 with a connected program and two
// logs, of which the second is empty.
func oldDatabase(t *testing.T, server *pgtest.Server, entries int) (url string, old oldProgram) {
	t.Helper()
	url = server.Database(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	files, err := fs.Sub(migrations, "schema")
	if err != nil {
		t.Fatal(err)
	}
	applied, err := database.NewStore(database.DialectPostgres, versions)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectCustom, db, files, goose.WithStore(applied), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = provider.UpTo(t.Context(), 3)
	}
	if err != nil {
		t.Fatal(err)
	}
	old = oldProgram{superuser(t, named(t, url, "tenfold"))}
	for _, id := range []string{"a", "b"} {
		if _, err := old.Exec(t.Context(), "INSERT INTO tenfold_conversations (name, id, title, origin) VALUES ($1, $1, 'kept', $2)", []byte(id), []byte("from "+id)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range entries {
		if err := old.append(t.Context(), i+1); err != nil {
			t.Fatal(err)
		}
	}
	return url, old
}

// named gives the URL of a program with a name.
func named(t *testing.T, in, name string) string {
	return changed(t, in, func(u *url.URL) {
		q := u.Query()
		q.Set("application_name", name)
		u.RawQuery = q.Encode()
	})
}

// append appends one entry to the log a.
func (old oldProgram) append(ctx context.Context, seq int) error {
	e := tenfold.Entry{ID: fmt.Sprint(seq), Payload: tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprint("quince number", seq))}}
	r, err := row.New(e, maxText)
	if err != nil {
		return err
	}
	words := newWordHasher(&keys{}, nil).hashArray(tenfold.SearchText(e.Payload))
	_, err = old.Exec(ctx, `WITH moved AS (UPDATE tenfold_conversations SET version = version + 1 WHERE name = 'a' RETURNING key, version)
		INSERT INTO tenfold_entries (conversation, seq, id, meta, text, words) SELECT key, version, $1, $2, $3, $4::text::integer[] FROM moved`,
		[]byte(e.ID), r.Meta, []byte(r.Text), words)
	return err
}

// While programs of before are connected, all is prepared for tenants and they
// go on; the switch waits until they are gone.
func testUpgrade(t *testing.T, server *pgtest.Server) {
	url, old := oldDatabase(t, server, 100)
	written := 100
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := old.append(context.Background(), written+1); err != nil {
				stopped <- err
				return
			}
			written++
		}
	}()
	_, err := Open(t.Context(), url)
	wantError(t, err, "programs of an earlier release are connected: process ", " since 2", "stop them, then open the store again")
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatalf("a program of before does not go on: %v", err)
	}
	if err := old.append(t.Context(), written+1); err != nil {
		t.Fatal(err)
	}
	written++
	old.Close()

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if s, err := Open(t.Context(), url); err != nil {
				t.Error(err)
			} else if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	checkUpgraded(t, url, written)
	again := oldProgram{superuser(t, named(t, url, "tenfold"))}
	if err := again.append(t.Context(), written+1); err == nil {
		t.Error("a program of before writes without a tenant")
	}
}

// checkUpgraded holds what is in the database against what was.
func checkUpgraded(t *testing.T, url string, written int) {
	t.Helper()
	s := opened(t, url)
	n := 0
	for e, err := range s.Entries(t.Context(), "a", 0) {
		if n++; err != nil || e.Seq != int64(n) || e.ID != fmt.Sprint(n) || tenfold.SearchText(e.Payload) != fmt.Sprint("quince number", n) {
			t.Fatalf("entry %d is %+v, %v", n, e, err)
		}
	}
	c, err := s.Conversation(t.Context(), "a")
	if n != written || err != nil || c.Version != int64(written) || c.Title != "kept" || c.Origin.Key != "from a" {
		t.Errorf("of %d entries %d are there, of %+v, %v", written, n, c, err)
	}
	if found, err := s.Imported(t.Context(), "from b"); err != nil || len(found) != 1 || found[0].ID != "b" {
		t.Errorf("found %v, %v", found, err)
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: `"number7"`}); err != nil || len(hits) != 1 || hits[0].Entry.Seq != 7 {
		t.Errorf("found %v, %v", hits, err)
	}
	for i, id := range []string{"a", "b", "a"} {
		e := tenfold.Entry{ID: fmt.Sprint("new", i), Payload: tenfold.UserMessage{Parts: tenfold.Text("medlar")}}
		if _, err := s.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{e}}); err != nil {
			t.Error(err)
		}
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: "medlar"}); err != nil || len(hits) != 3 {
		t.Errorf("found %v, %v", hits, err)
	}
	if sizes := bytesOf(t, url, "a"); sizes[0] != sizes[1] {
		t.Errorf("of a there are %d bytes, and %d are counted", sizes[1], sizes[0])
	}
}

// bytesOf gives how many bytes a log counts, and how many it has.
func bytesOf(t *testing.T, url, id string) (sizes [2]int64) {
	t.Helper()
	s := opened(t, url)
	for e, err := range s.Entries(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := row.New(e, maxText)
		if err != nil {
			t.Fatal(err)
		}
		sizes[1] += int64(len(r.Meta) + len(r.Text))
	}
	if err := superuser(t, url).QueryRow(t.Context(), "SELECT bytes FROM tenfold_conversations WHERE name = $1", []byte(id)).Scan(&sizes[0]); err != nil {
		t.Fatal(err)
	}
	return sizes
}

// What a migration left behind when it was ended is finished by the next.
func testInterruptedUpgrade(t *testing.T, server *pgtest.Server) {
	url, old := oldDatabase(t, server, 10)
	admin := superuser(t, url)
	tx, err := old.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	// An index that is made CONCURRENTLY waits for the end of older snapshots.
	if _, err := tx.Exec(t.Context(), "SELECT FROM tenfold_schema"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		s, err := Open(ctx, url)
		if err == nil {
			err = errors.Join(errors.New("it opened"), s.Close())
		}
		failed <- err
	}()
	unfinished := func() bool {
		var n int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_index WHERE NOT indisvalid").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n > 0
	}
	for !unfinished() {
		select {
		case err := <-failed:
			t.Fatalf("nothing waited for the snapshot: %v", err)
		default:
		}
	}
	cancel()
	if err := <-failed; Code(err) != "57014" {
		t.Errorf("what was interrupted gives %v", err)
	}
	if !unfinished() {
		t.Error("nothing was interrupted")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	old.Close()
	checkUpgraded(t, url, 10)
	if unfinished() {
		t.Error("an index was left unfinished")
	}
}

// A URL names a tenant, and one that is not there is told of.
func testTenantOfURL(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	d, err := OpenDatabase(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	id := addTenant(t, d, "acme")
	s, err := Open(t.Context(), url+"&tenant=acme")
	if err != nil {
		t.Fatal(err)
	}
	if s.TenantID() != id || s.Database().Pool().Config().ConnConfig.RuntimeParams["tenant"] != "" {
		t.Errorf("the tenant is %d, want %d", s.TenantID(), id)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, err = Open(t.Context(), url+"&tenant=nobody")
	var p *problem.Error
	if !errors.Is(err, ErrNoTenant) || !errors.As(err, &p) || p.Code != "not_found" || !strings.Contains(p.Hint, "tenfold tenant create") {
		t.Errorf("an unknown tenant gives %v", err)
	}
	// Whoever opened the URL reads in errors where the database is; a tenant does not.
	numbered, err := d.TenantNumbered(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for s, named := range map[*Store]bool{s: true, numbered: false} {
		_ = s.Close()
		if _, err := s.Append(t.Context(), store.Batch{Conversation: "c"}); !errors.Is(err, store.ErrClosed) || strings.Contains(err.Error(), "postgres://") != named {
			t.Errorf("a closed store gives %v", err)
		}
	}
	if _, err := d.TenantNumbered(t.Context(), id+1); !errors.Is(err, ErrNoTenant) {
		t.Errorf("an unknown number gives %v", err)
	}
	// Who closes one tenant's store closes no other's.
	one, err := d.TenantNumbered(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	two, err := d.Tenant(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	storetest.Conversations(t, two, 1)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := two.Conversation(t.Context(), "x"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a store of a closed database gives %v", err)
	}
}

// addTenant makes a tenant and gives its number.
func addTenant(t testing.TB, d *Database, name string) (id int) {
	t.Helper()
	err := d.As(t.Context(), Operator, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "INSERT INTO tenfold_tenants (name) VALUES ($1) RETURNING id", name).Scan(&id)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
