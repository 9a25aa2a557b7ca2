package tenant_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
)

// TestTenants holds what shares a server.
func TestTenants(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, test := range map[string]func(*testing.T, *fleet){
		"Registry": testRegistry, "Tokens": testTokens, "Refused": testRefused, "Rotate": testRotate, "Used": testUsed, "Limits": testLimits,
		"Quotas": testQuotas, "Guard": testGuard, "Erased": testErased, "ErasedMeanwhile": testErasedMeanwhile, "Audit": testAudit, "Unrecorded": testUnrecorded, "Database": testDatabaseGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newFleet(t, server))
		})
	}
	t.Run("Store", func(t *testing.T) {
		t.Parallel()
		if os.Getenv("TENFOLD_TEST_ALL") == "" {
			t.Skip("Guard tests each method; TENFOLD_TEST_ALL=1 runs the suite of stores over it")
		}
		f := newFleet(t, server)
		n := 0
		var mu sync.Mutex
		storetest.Run(t, func(t *testing.T) store.Store {
			mu.Lock()
			n++
			one := f.create(t, "store-"+strconv.Itoa(n), tenant.Limits{Entries: new(int64(1e9)), Bytes: new(int64(1e15))})
			mu.Unlock()
			st, err := f.db.TenantNumbered(t.Context(), one.ID)
			if err != nil {
				t.Fatal(err)
			}
			g := tenant.Guard(st, tenant.NewGate(f.Registry, one.ID))
			t.Cleanup(func() { _ = g.Close() })
			return g
		})
	})
}

type fleet struct {
	*tenant.Registry
	db  *postgres.Database
	url string
}

func newFleet(t *testing.T, server *pgtest.Server) *fleet {
	t.Helper()
	url := server.Database(t)
	db, err := postgres.OpenDatabase(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &fleet{tenant.NewRegistry(db), db, url}
}

// another is the registry of another server.
func (f *fleet) another() *tenant.Registry { return tenant.NewRegistry(f.db) }

var operator = tenant.Actor{Token: tenant.Operator}

func (f *fleet) create(t *testing.T, name string, l tenant.Limits) tenant.Tenant {
	t.Helper()
	one, err := f.Create(context.Background(), operator, name, l)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func (f *fleet) token(t *testing.T, number int, scopes tenant.Scopes, valid time.Duration) (tenant.Token, tenant.Secret) {
	t.Helper()
	one, secret, err := f.CreateToken(t.Context(), operator, number, tenant.NewToken{Label: "for " + scopes.String(), Scopes: scopes, For: valid})
	if err != nil {
		t.Fatal(err)
	}
	return one, secret
}

// sql runs a statement as a tenant.
func (f *fleet) sql(t *testing.T, number int, text string, args ...any) {
	t.Helper()
	err := f.db.As(t.Context(), number, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, text, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// says reports whether an error has a code, and its text and hint some words.
func says(err error, code string, words ...string) bool {
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != code || p.Hint == "" {
		return false
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+"; "+p.Hint, w) {
			return false
		}
	}
	return true
}

func testRegistry(t *testing.T, f *fleet) {
	l := tenant.Limits{Entries: new(int64(10)), Bytes: new(int64(1 << 40)), Jobs: new(0), RequestsPerSecond: new(2.5), JobsAtOnce: 3, RetainDays: new(90), Models: true}
	made := f.create(t, "kitchen", l)
	got, err := f.Find(t.Context(), "kitchen")
	if err != nil || got.ID != made.ID || got.ID < 2 || got.String() != "entries 10, bytes 1099511627776, jobs 0, requests/s 2.5, jobs at once 3, retain days 90, models allowed" {
		t.Errorf("%+v, %v", got, err)
	}
	f.create(t, "bakery", tenant.Limits{})
	all, err := f.Tenants(t.Context())
	if err != nil || len(all) != 3 || all[0].Name != "bakery" || all[1].Name != "default" || all[2].Name != "kitchen" || all[0].JobsAtOnce != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for name, code := range map[string]string{"kitchen": "exists", "": "usage", "Kitchen": "usage", "a b": "usage", "-a": "usage", strings.Repeat("a", 64): "usage", "a'; DROP TABLE tenfold_tenants; --": "usage"} {
		if _, err := f.Create(t.Context(), operator, name, tenant.Limits{}); !says(err, code) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := f.Create(t.Context(), operator, "negative", tenant.Limits{Entries: new(int64(-1))}); !says(err, "usage") {
		t.Error(err)
	}
	for _, name := range []string{"nobody", "", "kitch", "a\x00", "\xff"} {
		if _, err := f.Find(t.Context(), name); !says(err, "not_found", "tenant ls") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := f.Limits(t.Context(), 77); !says(err, "not_found") {
		t.Error(err)
	}
	if err := f.SetLimits(t.Context(), operator, 77, tenant.Limits{JobsAtOnce: 1}); !says(err, "not_found") {
		t.Error(err)
	}
	if err := f.SetLimits(t.Context(), operator, made.ID, tenant.Limits{Jobs: new(-1)}); !says(err, "usage") {
		t.Error(err)
	}
	for name, want := range map[string]bool{"kitchen": true, "bakery": false, "default": false} {
		one, err := f.Find(t.Context(), name)
		if err != nil || one.Models != want {
			t.Errorf("%s: %+v, %v", name, one, err)
		}
	}
	if err := f.SetLimits(t.Context(), operator, made.ID, tenant.Limits{JobsAtOnce: 1}); err != nil {
		t.Error(err)
	}
	if one, err := f.Get(t.Context(), made.ID); err != nil || one.Models || one.String() != "jobs at once 1, models none" {
		t.Errorf("%+v, %v", one, err)
	}
}

func testAudit(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{})
	st := f.guarded(t, one.ID)
	who := &tenant.Identity{Tenant: one.ID, Name: "one", Token: "tokenofone", Label: "my agent", Scopes: tenant.Scopes{tenant.Read, tenant.Append, tenant.Compact}}
	ctx := tenant.With(t.Context(), who)
	if err := st.Create(ctx, store.Conversation{ID: "secret \x00\xff"}, turn("1"), tenfold.Entry{ID: "2", Payload: tenfold.TurnStart{}}); err != nil {
		t.Fatal(err)
	}
	write := func(id string, p tenfold.Payload) error {
		_, err := st.Append(ctx, store.Batch{Conversation: "secret \x00\xff", Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: id, Payload: p}}})
		return err
	}
	for range 2 { // what is known already is not recorded again
		if err := write("3", tenfold.Compaction{ToTurn: 0}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(write("4", tenfold.CompactionRevoked{Target: "3"}), write("5", tenfold.TurnStart{})); err != nil {
		t.Fatal(err)
	}
	for _, p := range []tenfold.Payload{tenfold.TurnStart{}, tenfold.Compaction{ToTurn: 0}} { // nor is what another writer came before
		if _, err := st.Append(ctx, store.Batch{Conversation: "secret \x00\xff", Expected: 1, Entries: []tenfold.Entry{{ID: "6", Payload: p}}}); !errors.As(err, new(*store.ConflictError)) {
			t.Error(p.Kind(), err)
		}
	}
	for range 3 {
		if err := st.Delete(ctx, "secret \x00\xff", store.AnyVersion); !errors.Is(err, tenant.ErrScope) {
			t.Error(err)
		}
	}
	if err := st.Delete(t.Context(), "secret \x00\xff", 1); !errors.As(err, new(*store.ConflictError)) { // which is not recorded
		t.Error(err)
	}
	if err := st.Delete(t.Context(), "secret \x00\xff", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	all, next, err := f.Events(t.Context(), one.ID, tenant.Page{})
	var lines []string
	for _, e := range all {
		lines = append(lines, e.Actor.Token+"|"+e.Actor.Label+"|"+e.Action+"|"+e.Subject+"|"+e.Outcome)
		if since := time.Since(e.At); since < -time.Minute || since > time.Hour {
			t.Errorf("at %s", e.At)
		}
	}
	want := []string{
		"operator||delete|secret \x00\xff|done",
		"tokenofone|my agent|delete|secret \x00\xff|refused: the token lacks the scope admin",
		"tokenofone|my agent|undo|secret \x00\xff|done",
		"tokenofone|my agent|compact|secret \x00\xff|done",
		"operator||tenant create|one|done",
	}
	if err != nil || next != "" || strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v, %q:\n%q\nwant\n%q", err, next, lines, want)
	}
	if all, _, err := f.Events(t.Context(), 1, tenant.Page{}); err != nil || len(all) != 0 {
		t.Errorf("another tenant's: %v, %v", all, err)
	}
	// Pages lose none of those of one moment, and repeat none.
	at := time.Now().Add(time.Hour)
	for n := range 7 {
		f.sql(t, one.ID, "INSERT INTO tenfold_audit (at, actor, action, subject, outcome) VALUES ($1, 'operator ', $2, '', 'done')", at.Add(time.Duration(n/5)*time.Second), "n"+strconv.Itoa(n))
	}
	for _, limit := range []int{1, 2, 3, 5, 100} {
		var got []string
		for cursor := ""; ; {
			page, next, err := f.Events(t.Context(), one.ID, tenant.Page{Since: time.Now().Add(30 * time.Minute), Cursor: cursor, Limit: limit})
			if err != nil || len(page) > limit {
				t.Fatal(len(page), err)
			}
			for _, e := range page {
				got = append(got, e.Action)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if strings.Join(got, " ") != "n6 n5 n4 n3 n2 n1 n0" {
			t.Errorf("pages of %d: %v", limit, got)
		}
	}
	for _, cursor := range []string{"x", "1", "1.x", "-1.0", "1.-1", "99999999999999999999.0", "9223372036854775807.0"} {
		if _, _, err := f.Events(t.Context(), one.ID, tenant.Page{Cursor: cursor}); !says(err, "usage", "cursor") {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// What cannot be recorded is not done: who tries it again finds no half of it.
func testUnrecorded(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{})
	st := f.guarded(t, one.ID)
	owner, err := pgx.Connect(t.Context(), f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	if err := st.Create(t.Context(), store.Conversation{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	do := map[string]func() error{
		"delete": func() error { return st.Delete(t.Context(), "b", store.AnyVersion) },
		"create with an overlay": func() error {
			return st.Create(t.Context(), store.Conversation{ID: "a"}, turn("1"), tenfold.Entry{ID: "2", Payload: tenfold.Compaction{}})
		},
		"tenant create": func() error { _, err := f.Create(t.Context(), operator, "two", tenant.Limits{}); return err },
		"tenant limits": func() error {
			return f.SetLimits(t.Context(), operator, one.ID, tenant.Limits{Jobs: new(7), JobsAtOnce: 1})
		},
	}
	for _, sql := range []string{"ALTER TABLE tenfold_audit ADD CONSTRAINT none CHECK (false) NOT VALID", "ALTER TABLE tenfold_audit DROP CONSTRAINT none"} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		recorded := strings.Contains(sql, "DROP")
		for name, do := range do {
			if err := do(); (err == nil) != recorded {
				t.Errorf("%s, recorded %t: %v", name, recorded, err)
			}
		}
		if now, err := f.Get(t.Context(), one.ID); err != nil || (now.Jobs != nil) != recorded {
			t.Errorf("limits, recorded %t: %+v, %v", recorded, now, err)
		}
	}
}

// Without the database a token is neither valid nor refused; limits hold as they were.
func testDatabaseGone(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{RequestsPerSecond: new(0.01)})
	_, secret := f.token(t, one.ID, tenant.AllScopes(), 0)
	g := tenant.NewGate(f.Registry, one.ID)
	if err := g.Request(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(t.Context(), secret.Reveal()); err == nil || errors.Is(err, tenant.ErrDenied) {
		t.Errorf("%v", err)
	}
	for _, old := range []string{"fresh", "old"} { // then those that were read last hold
		if err := g.Request(t.Context()); !says(err, "limit_requests") {
			t.Errorf("%s limits: %v", old, err)
		}
		f.Age()
	}
	if l, err := f.Limits(t.Context(), one.ID); err != nil || l.RequestsPerSecond == nil {
		t.Errorf("%+v, %v", l, err)
	}
}
