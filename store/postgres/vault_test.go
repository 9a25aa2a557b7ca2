package postgres

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
	"tenfold/store/vault"
)

// masters gives a vault of master keys that are one byte repeated.
func masters(t testing.TB, current byte, older ...byte) *vault.Vault {
	t.Helper()
	var rest [][]byte
	for _, b := range older {
		rest = append(rest, bytes.Repeat([]byte{b}, vault.KeySize))
	}
	v, err := vault.New(bytes.Repeat([]byte{current}, vault.KeySize), rest...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tenant makes a tenant in the database that the URL names, encrypted where there is a
// vault, and gives the URL of its store.
func tenant(t testing.TB, url, name string, v *vault.Vault) string {
	t.Helper()
	d, err := OpenDatabase(t.Context(), url, WithVault(v))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	var id int
	err = d.As(t.Context(), Operator, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "INSERT INTO tenfold_tenants (name) VALUES ($1) RETURNING id", name).Scan(&id)
	})
	if err == nil && v != nil {
		_, err = d.Encrypt(t.Context(), id, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return url + "&tenant=" + name
}

// A connection that is lost while a tenant's keys are read is made anew: the store opens,
// as it does where the tenant itself was being read.
func testKeysLost(t *testing.T, server *pgtest.Server) {
	database := server.Database(t)
	url := tenant(t, database, "acme", masters(t, 1))
	for _, sql := range []string{
		"CREATE SEQUENCE reads", "GRANT USAGE ON SEQUENCE reads TO PUBLIC",
		`CREATE FUNCTION cut() RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
			AS $$ SELECT CASE WHEN nextval('reads') = 1 THEN pg_terminate_backend(pg_backend_pid()) ELSE true END $$`,
		"CREATE POLICY cut ON tenfold_keys AS RESTRICTIVE USING (cut())",
	} {
		if _, err := superuser(t, database).Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	s := opened(t, url, WithVault(masters(t, 1)))
	create(t, s, "c", say("hello")...)
	if all, err := logOf(t.Context(), s, "c"); err != nil || len(all) == 0 {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

// testVault has the suite that every store passes run over what is sealed.
func testVault(t *testing.T, server *pgtest.Server) {
	testTenants(t, server, func() *vault.Vault { return masters(t, 1) })
}

// testTenants has the suite that every store passes run with what seals, or nil. Each of
// its stores is a tenant of one database, which costs less than a database for each.
func testTenants(t *testing.T, server *pgtest.Server, sealing func() *vault.Vault) {
	t.Helper()
	url := server.Database(t)
	var n atomic.Int64
	again := func(t *testing.T, s store.Store) store.Store {
		again, err := Open(context.Background(), url+"&tenant=t"+strconv.Itoa(s.(*Store).tenant), WithVault(sealing()))
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	open := func(t *testing.T) store.Store {
		s := opened(t, tenant(t, url, "t"+strconv.FormatInt(n.Add(1)+1000, 10), sealing()), WithVault(sealing()))
		err := s.db.As(t.Context(), Operator, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE tenfold_tenants SET name = 't' || id WHERE id = $1", s.tenant)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	storetest.Run(t, open, storetest.Second(again), storetest.Reopen(func(t *testing.T, s store.Store) store.Store {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return again(t, s)
	}))
}

// logOf reads a log.
func logOf(ctx context.Context, s store.Store, id string) (all []tenfold.Entry, err error) {
	for e, err := range s.Entries(ctx, id, 0) {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

// say gives entries of one text each.
func say(texts ...string) (all []tenfold.Entry) {
	for _, text := range texts {
		all = append(all, tenfold.Entry{ID: "id of " + text, Time: time.Unix(1, 0).UTC(), Payload: tenfold.AssistantMessage{Text: text}})
	}
	return all
}

// create makes a conversation.
func create(t testing.TB, s store.Store, id string, entries ...tenfold.Entry) {
	t.Helper()
	if err := s.Create(t.Context(), store.Conversation{ID: id, Title: "title of " + id, Origin: store.Origin{Key: "origin of " + id}}, entries...); err != nil {
		t.Fatal(err)
	}
}

// Rows that somebody changes or moves are errors, and never another text.
func testTampered(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	one := opened(t, tenant(t, url, "one", masters(t, 1)), WithVault(masters(t, 1)))
	two := opened(t, tenant(t, url, "two", masters(t, 1)), WithVault(masters(t, 1)))
	admin := superuser(t, url)
	for _, s := range []*Store{one, two} {
		for _, id := range []string{"a", "b"} {
			create(t, s, id, say("first", "second")...)
		}
	}
	for name, sql := range map[string]string{
		"places":        "UPDATE tenfold_entries SET seq = 3 - seq + 10 WHERE conversation = $1; UPDATE tenfold_entries SET seq = seq - 10 WHERE conversation = $1",
		"texts":         "UPDATE tenfold_entries AS e SET text = o.text FROM tenfold_entries AS o WHERE e.conversation = $1 AND o.conversation = $1 AND o.seq = 3 - e.seq",
		"conversations": "UPDATE tenfold_entries AS e SET meta = o.meta, text = o.text FROM tenfold_entries AS o WHERE e.conversation = $1 AND o.conversation = $2 AND o.seq = e.seq",
		"tenants":       "UPDATE tenfold_entries AS e SET meta = o.meta, text = o.text FROM tenfold_entries AS o WHERE e.conversation = $1 AND o.conversation = $3 AND o.seq = e.seq",
		"a byte":        "UPDATE tenfold_entries SET text = set_byte(text, 20, 255 - get_byte(text, 20)) WHERE conversation = $1",
		"a head":        "UPDATE tenfold_entries SET meta = set_byte(meta, 2, 7) WHERE conversation = $1",
		"no text":       "UPDATE tenfold_entries SET text = NULL WHERE conversation = $1",
		"in the clear":  "UPDATE tenfold_entries SET meta = '\\x01', text = 'planted' WHERE conversation = $1",
		"a title":       "UPDATE tenfold_conversations AS c SET title = o.title FROM tenfold_conversations AS o WHERE c.key = $1 AND o.key = $2",
		"an origin":     "UPDATE tenfold_conversations SET origin = title WHERE key = $1",
		"a plain title": "UPDATE tenfold_conversations SET title = 'planted', sealed = false WHERE key = $1",
	} {
		id := "tampered " + name
		create(t, one, id, say("first", "second")...)
		key := func(s *Store, id string) string {
			key, _, err := s.find(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return strconv.FormatInt(key, 10)
		}
		sql = strings.NewReplacer("$1", key(one, id), "$2", key(one, "b"), "$3", key(two, "a")).Replace(sql)
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, reading := logOf(t.Context(), one, id)
		_, looking := one.Conversation(t.Context(), id)
		if err := errors.Join(reading, looking); !errors.Is(err, vault.ErrTampered) && !errors.Is(err, vault.ErrNoKey) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", name, err)
		}
		if err := one.Delete(t.Context(), id, store.AnyVersion); err != nil {
			t.Errorf("what was tampered with cannot be deleted: %v", err)
		}
	}
	for _, s := range []*Store{one, two} {
		if log, err := logOf(t.Context(), s, "a"); err != nil || len(log) != 2 {
			t.Errorf("untouched: %d entries, %v", len(log), err)
		}
	}
	// Its words are hashed so that another tenant's say nothing.
	var common int
	err := admin.QueryRow(t.Context(), "SELECT count(*) FROM tenfold_entries AS a JOIN tenfold_entries AS b ON a.tenant_id < b.tenant_id AND a.words && b.words").Scan(&common)
	if err != nil || common > 0 {
		t.Errorf("%d rows of two tenants share words, %v", common, err)
	}
	for name, opts := range map[string][]Option{"no master key": nil, "another master key": {WithVault(masters(t, 2))}} {
		_, err := Open(t.Context(), url+"&tenant=one", opts...)
		if !errors.Is(err, vault.ErrNoMaster) && !errors.Is(err, vault.ErrMaster) || !strings.Contains(err.Error(), "master key") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A tenant is encrypted, and its keys change, while programs have it open.
func testEncryptLive(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	both := masters(t, 2, 1)
	before, err := Open(t.Context(), url, WithVault(both))
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	blind := opened(t, url)
	create(t, before, "old", say("alpha", "beta")...)
	create(t, before, "other", say("alpha")...)
	d := opened(t, url, WithVault(masters(t, 1))).db
	want, err := logOf(t.Context(), before, "old")
	if err != nil {
		t.Fatal(err)
	}
	// Interrupted after the first conversation.
	stop, cancel := context.WithCancel(t.Context())
	if err := d.As(t.Context(), 1, func(ctx context.Context, tx pgx.Tx) error { return d.firstKeys(ctx, tx, 1) }); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"old", "other"} { // the second by an append
		if _, err := before.Append(stop, store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: say("gamma")}); err != nil {
			t.Fatal(err)
		}
		if id == "old" {
			if err := before.SetTitle(stop, "other", "renamed"); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	create(t, before, "new", say("alpha delta")...)
	check := func(s *Store, words map[string]int) {
		t.Helper()
		got, err := logOf(t.Context(), s, "old")
		if diff := cmp.Diff(want, got[:min(len(got), len(want))]); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for word, n := range words {
			if hits, err := s.Search(t.Context(), store.Query{Text: word}); err != nil || len(hits) != n {
				t.Errorf("%s is found %d times, not %d: %v", word, len(hits), n, err)
			}
		}
		if c, err := s.Imported(t.Context(), "origin of old"); err != nil || len(c) != 1 || c[0].Title != "title of old" {
			t.Errorf("imported: %+v, %v", c, err)
		}
		if c, err := s.Conversation(t.Context(), "other"); err != nil || c.Title != "renamed" {
			t.Errorf("other: %+v, %v", c, err)
		}
	}
	words := map[string]int{"alpha": 3, "beta": 1, "gamma": 2, "delta": 1}
	check(before, words)
	recorded := 0 // in the transaction that ends it, or not at all
	unrecorded := errors.New("it cannot be recorded")
	for i, want := range []error{unrecorded, nil, nil} { // the third time it finds nothing to do
		_, err := d.Encrypt(t.Context(), 1, func(context.Context, pgx.Tx) error {
			recorded++
			return want
		})
		if !errors.Is(err, want) || recorded != min(i+1, 2) {
			t.Fatalf("attempt %d: recorded %d times, %v", i, recorded, err)
		}
	}
	if _, err := d.Rotate(t.Context(), 1, func(context.Context, pgx.Tx) error { return unrecorded }); !errors.Is(err, unrecorded) {
		t.Errorf("a key that is not recorded is made: %v", err)
	}
	check(before, words)
	check(opened(t, url, WithVault(masters(t, 1))), words)
	if _, err := blind.Search(t.Context(), store.Query{Text: "alpha"}); !errors.Is(err, vault.ErrNoMaster) {
		t.Errorf("a program without the master key searches: %v", err)
	}
	if err := blind.Create(t.Context(), store.Conversation{ID: "blind"}); !errors.Is(err, vault.ErrNoMaster) {
		t.Errorf("a program without the master key creates: %v", err)
	}
	if _, err := blind.Append(t.Context(), store.Batch{Conversation: "old", Expected: 3, Entries: say("blind")}); !errors.Is(err, vault.ErrNoMaster) {
		t.Errorf("a program without the master key appends: %v", err)
	}
	if err := blind.SetTitle(t.Context(), "old", "blind"); !errors.Is(err, vault.ErrNoMaster) {
		t.Errorf("a program without the master key renames: %v", err)
	}
	if _, err := logOf(t.Context(), blind, "old"); !errors.Is(err, vault.ErrNoMaster) {
		t.Errorf("a program without the master key reads: %v", err)
	}
	// A new data key: what it seals is read by those that have the tenant open.
	if version, err := d.Rotate(t.Context(), 1, nil); err != nil || version != 2 {
		t.Fatalf("version %d, %v", version, err)
	}
	create(t, opened(t, url, WithVault(masters(t, 1))), "newer", say("epsilon")...)
	words["epsilon"] = 1
	check(before, words)
	var versions []int32
	if err := superuser(t, url).QueryRow(t.Context(), "SELECT array_agg(DISTINCT get_byte(meta, 2)) FROM tenfold_entries").Scan(&versions); err != nil || len(versions) != 2 {
		t.Errorf("entries are sealed by the versions %v, %v", versions, err)
	}
	// A new master key.
	if n, err := before.db.Rewrap(t.Context()); err != nil || n != 3 {
		t.Errorf("%d keys were wrapped anew, %v", n, err)
	}
	if n, err := before.db.Rewrap(t.Context()); err != nil || n != 0 {
		t.Errorf("%d keys were wrapped again, %v", n, err)
	}
	check(opened(t, url, WithVault(masters(t, 2))), words)
	if _, err := Open(t.Context(), url, WithVault(masters(t, 1))); !errors.Is(err, vault.ErrMaster) {
		t.Errorf("the old master key: %v", err)
	}
}
