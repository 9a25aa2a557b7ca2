package tenant_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/store"
)

func testLimits(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{RequestsPerSecond: new(0.01)}) // so that no pause of the test lets one more through
	g, free := tenant.NewGate(f.Registry, one.ID), tenant.NewGate(f.Registry, 1)
	var limit *tenant.LimitError
	for n := range 2 {
		err := g.Request(t.Context())
		if (err != nil) != (n == 1) || err != nil && (!errors.As(err, &limit) || limit.After <= 0 || limit.After > 101*time.Second || !says(err, "limit_requests", "0.01 a second")) {
			t.Errorf("request %d: %v", n, err)
		}
		if err := free.Request(t.Context()); err != nil {
			t.Errorf("a tenant without a limit: %v", err)
		}
	}
	if err := f.SetLimits(t.Context(), operator, one.ID, tenant.Limits{JobsAtOnce: 2}); err != nil {
		t.Fatal(err)
	}
	if err := g.Request(t.Context()); err != nil {
		t.Errorf("without the limit: %v", err)
	}
	if l, err := f.Limits(t.Context(), one.ID); err != nil || l.JobsAtOnce != 2 || l.RequestsPerSecond != nil {
		t.Errorf("%s, %v", l, err)
	}
}

func turn(id string) tenfold.Entry {
	return tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: strings.Repeat("bread ", 20)}}
}

// guarded is the store of a tenant on a server.
func (f *fleet) guarded(t *testing.T, number int) store.Store {
	t.Helper()
	st, err := f.db.TenantNumbered(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	g := tenant.Guard(st, tenant.NewGate(f.Registry, number))
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func testQuotas(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{Entries: new(int64(5))})
	st := f.guarded(t, one.ID)
	ctx := t.Context()
	add := func(st store.Store, entries ...tenfold.Entry) error {
		_, err := st.Append(ctx, store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: entries})
		return err
	}
	if err := st.Create(ctx, store.Conversation{ID: "a"}, turn("1"), turn("2")); err != nil {
		t.Fatal(err)
	}
	if err := add(st, turn("3"), turn("4"), turn("5"), turn("6")); !says(err, "limit_entries", "limit of 5 entries", "delete") {
		t.Errorf("a batch past the limit: %v", err)
	}
	// What was refused, or not written, is not counted.
	if err := st.Create(ctx, store.Conversation{ID: "a"}, turn("1"), turn("2"), turn("3")); !errors.Is(err, store.ErrExists) {
		t.Error(err)
	}
	if err := add(st, turn("3"), turn("4"), turn("5")); err != nil {
		t.Errorf("up to the limit: %v", err)
	}
	if err := add(st, turn("6")); !says(err, "limit_entries") {
		t.Errorf("beyond it: %v", err)
	}
	// A request that comes again has the answer it had before the limit was reached (L9).
	for _, st := range []store.Store{st, f.guarded(t, one.ID)} {
		if err := add(st, turn("4"), turn("5")); err != nil {
			t.Errorf("entries that are there: %v", err)
		}
		if err := add(st, turn("5"), turn("6")); !says(err, "limit_entries") {
			t.Errorf("one that is there and one that is not: %v", err)
		}
		if err := st.Create(ctx, store.Conversation{ID: "a"}, turn("1")); !errors.Is(err, store.ErrExists) {
			t.Errorf("a conversation that is there: %v", err)
		}
		if err := st.Create(ctx, store.Conversation{ID: "none"}, turn("1")); !says(err, "limit_entries") {
			t.Errorf("one that is not: %v", err)
		}
	}
	// Another server reads the sums.
	if err := add(f.guarded(t, one.ID), turn("6")); !says(err, "limit_entries") {
		t.Errorf("on another server: %v", err)
	}
	for _, st := range []store.Store{st, f.guarded(t, one.ID)} {
		if err := st.Create(ctx, store.Conversation{ID: "b"}); !says(err, "limit_entries") {
			t.Errorf("without entries: %v", err)
		}
	}
	// What no limit counts is short.
	free, long := f.guarded(t, f.create(t, "free", tenant.Limits{}).ID), strings.Repeat("x", 16<<10+1)
	if err := free.Create(ctx, store.Conversation{ID: "a"}, turn("1")); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(text string) error{
		"title": func(text string) error { return free.SetTitle(ctx, "a", text) },
		"id":    func(text string) error { return free.Create(ctx, store.Conversation{ID: text}) },
		"first": func(text string) error { return free.Create(ctx, store.Conversation{ID: "t" + text[:9], Title: text}) },
		"of an append": func(text string) error {
			_, err := free.Append(ctx, store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{turn(text[:9])}, Origin: &store.Origin{Directory: text}})
			return err
		},
	} {
		if err := do(long); !says(err, "too_long", "16 KB") {
			t.Errorf("%s: %v", name, err)
		}
		if err := do(long[1:]); err != nil {
			t.Errorf("%s, a letter less: %v", name, err)
		}
	}
	none := f.create(t, "none", tenant.Limits{Entries: new(int64(2))})
	st = f.guarded(t, none.ID)
	for n, id := range []string{"a", "b", "c"} {
		if err := st.Create(ctx, store.Conversation{ID: id}); (err == nil) != (n < 2) {
			t.Errorf("conversation %d of 2: %v", n+1, err)
		}
	}
	if err := f.guarded(t, none.ID).Create(ctx, store.Conversation{ID: "d"}); !says(err, "limit_entries") {
		t.Errorf("on another server: %v", err)
	}
	st = f.guarded(t, one.ID)
	if c, err := st.Conversation(ctx, "a"); err != nil || c.Version != 5 {
		t.Errorf("%+v, %v", c, err)
	}
	u, err := f.Usage(ctx, one.ID)
	if err != nil || u.Conversations != 1 || u.Entries != 5 || u.Bytes < 5*120 || u.Bytes > 5*300 {
		t.Errorf("%+v, %v", u, err)
	}
	// Writers at once do not get past it together.
	if err := f.SetLimits(ctx, operator, one.ID, tenant.Limits{Entries: new(int64(15)), JobsAtOnce: 1}); err != nil {
		t.Fatal(err)
	}
	st = f.guarded(t, one.ID)
	var writers sync.WaitGroup
	for n := range 30 {
		writers.Go(func() { _ = add(st, turn("w"+strconv.Itoa(n))) })
	}
	writers.Wait()
	// Where the sums were read meanwhile, some are counted twice until the next time.
	version := int64(0)
	for end := time.Now().Add(2 * time.Minute); version < 15 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_ = add(st, turn("late"+strconv.FormatInt(version, 10)))
		c, _ := st.Conversation(ctx, "a")
		version = c.Version
	}
	if version != 15 {
		t.Errorf("30 writers: %d entries", version)
	}
	// Nor do two servers, by more than what is under way.
	both := f.create(t, "both", tenant.Limits{Entries: new(int64(200))})
	servers := []store.Store{f.guarded(t, both.ID), f.guarded(t, both.ID)}
	if err := servers[0].Create(ctx, store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	for n := range 400 {
		_ = add(servers[n%2], turn("both"+strconv.Itoa(n)))
	}
	if c, err := servers[0].Conversation(ctx, "a"); err != nil || c.Version < 200 || c.Version > 220 {
		t.Errorf("two servers: %+v, %v", c, err)
	}
	small := f.create(t, "small", tenant.Limits{Bytes: new(int64(400))})
	st = f.guarded(t, small.ID)
	if err := st.Create(ctx, store.Conversation{ID: "a"}, turn("1"), turn("2")); err != nil {
		t.Fatal(err)
	}
	if err := add(st, turn("3"), turn("4")); !says(err, "limit_bytes", "400 bytes") {
		t.Errorf("bytes: %v", err)
	}
	if err := add(f.guarded(t, small.ID), turn("3"), turn("4")); !says(err, "limit_bytes") {
		t.Errorf("bytes on another server: %v", err)
	}
}

// A token that is still known for a moment makes nothing for a tenant that is gone.
func testErased(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{})
	st := f.guarded(t, one.ID)
	if err := st.Create(t.Context(), store.Conversation{ID: "before"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.db.Erase(t.Context(), "one", "a test", nil); err != nil {
		t.Fatal(err)
	}
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}); !errors.Is(err, tenant.ErrDenied) {
		t.Errorf("%v", err)
	}
	ctx := tenant.With(t.Context(), &tenant.Identity{Tenant: one.ID, Token: "late", Scopes: tenant.Scopes{tenant.Read}})
	if err := st.Delete(ctx, "before", store.AnyVersion); !errors.Is(err, tenant.ErrScope) { // which is recorded
		t.Errorf("%v", err)
	}
	if _, _, err := f.CreateToken(t.Context(), tenant.Actor{}, one.ID, tenant.NewToken{Label: "late", Scopes: tenant.Scopes{tenant.Read}}); !says(err, "not_found", "no such tenant") {
		t.Errorf("a token for nobody: %v", err)
	}
	if events, _, err := f.Events(t.Context(), one.ID, tenant.Page{}); err != nil || len(events) > 0 {
		t.Errorf("of a tenant that is gone, %+v are recorded, %v", events, err)
	}
	if tokens, err := f.Tokens(t.Context(), one.ID); err != nil || len(tokens) > 0 {
		t.Errorf("a tenant that is gone has %+v, %v", tokens, err)
	}
}

// What waits for the end of an erasure, to record something or to make a token, finds no
// tenant then.
func testErasedMeanwhile(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{})
	end, err := f.db.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = end.Rollback(context.Background()) }()
	for _, sql := range []string{
		"SELECT set_config('tenfold.tenant', '" + strconv.Itoa(one.ID) + "', true)", "LOCK TABLE tenfold_audit, tenfold_tokens IN SHARE ROW EXCLUSIVE MODE",
		"DELETE FROM tenfold_audit", "SELECT set_config('tenfold.tenant', '0', true)", "DELETE FROM tenfold_tenants WHERE id = " + strconv.Itoa(one.ID),
	} {
		if _, err := end.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	recorded, made := make(chan error, 1), make(chan error, 1)
	go func() { recorded <- f.Record(context.Background(), one.ID, tenant.Event{Action: "late"}) }()
	go func() {
		_, _, err := f.CreateToken(context.Background(), tenant.Actor{}, one.ID, tenant.NewToken{Label: "late", Scopes: tenant.Scopes{tenant.Read}})
		made <- err
	}()
	for until := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var waiting int
		err := f.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relation IN ('tenfold_audit'::regclass, 'tenfold_tokens'::regclass)").Scan(&waiting)
		if err != nil || time.Now().After(until) {
			t.Fatalf("%d wait, %v", waiting, err)
		}
		if waiting == 2 {
			break
		}
	}
	if err := end.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-recorded; err != nil {
		t.Errorf("recording: %v", err)
	}
	if err := <-made; !says(err, "not_found", "no such tenant") {
		t.Errorf("a token for nobody: %v", err)
	}
	if events, _, err := f.Events(t.Context(), one.ID, tenant.Page{}); err != nil || len(events) > 0 {
		t.Errorf("of a tenant that is gone, %+v are recorded, %v", events, err)
	}
}

// A guardCase is something that a scope is needed for.
type guardCase struct {
	name string
	need tenant.Scope
	do   func(ctx context.Context) error
}

// Every method asks for its scope, and works with it.
func testGuard(t *testing.T, f *fleet) {
	one := f.create(t, "one", tenant.Limits{})
	st := f.guarded(t, one.ID)
	ctx := t.Context()
	pin := tenfold.Entry{Payload: tenfold.Pin{Entries: []string{"1"}}}
	append1 := func(ctx context.Context, e tenfold.Entry, id string) error {
		e.ID = id
		_, err := st.Append(ctx, store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{e}})
		return err
	}
	drop := func(id string) func(context.Context) error {
		return func(ctx context.Context) error { return st.Delete(ctx, id, store.AnyVersion) }
	}
	found := func(all []store.Conversation, err error) error {
		if err == nil && len(all) == 0 {
			err = errors.New("none")
		}
		return err
	}
	cases := []guardCase{
		{"Conversation", tenant.Read, func(ctx context.Context) error { _, err := st.Conversation(ctx, "a"); return err }},
		{"Conversations", tenant.Read, func(ctx context.Context) error {
			for _, err := range st.Conversations(ctx) {
				return err
			}
			return errors.New("none")
		}},
		{"Page", tenant.Read, func(ctx context.Context) error { return found(st.Page(ctx, nil, 1)) }},
		{"WithPrefix", tenant.Read, func(ctx context.Context) error { return found(st.WithPrefix(ctx, "a", 1)) }},
		{"WithHandle", tenant.Read, func(ctx context.Context) error { return found(st.WithHandle(ctx, store.Handle("a"))) }},
		{"Imported", tenant.Read, func(ctx context.Context) error { _, err := st.Imported(ctx, "k"); return err }},
		{"Entries", tenant.Read, func(ctx context.Context) error {
			for _, err := range st.Entries(ctx, "a", 0) {
				return err
			}
			return errors.New("none")
		}},
		{"Watch", tenant.Read, func(ctx context.Context) error {
			for _, err := range st.Watch(ctx, "a", 0) {
				return err
			}
			return errors.New("none")
		}},
		{"Search", tenant.Read, func(ctx context.Context) error { _, err := st.Search(ctx, store.Query{Text: "bread"}); return err }},
		{"Create", tenant.Append, func(ctx context.Context) error { return st.Create(ctx, store.Conversation{ID: "new"}, turn("1")) }},
		{"SetTitle", tenant.Append, func(ctx context.Context) error { return st.SetTitle(ctx, "a", "t") }},
		{"Append", tenant.Append, func(ctx context.Context) error { return append1(ctx, turn(""), "x") }},
		{"Append nothing", tenant.Append, func(ctx context.Context) error {
			_, err := st.Append(ctx, store.Batch{Conversation: "a", Expected: store.AnyVersion})
			return err
		}},
		{"Append an overlay", tenant.Compact, func(ctx context.Context) error { return append1(ctx, pin, "p") }},
		{"Delete", tenant.Admin, drop("new")},
	}
	for method := range reflect.TypeFor[store.Store]().Methods() {
		if method.Name != "Close" && !slices.ContainsFunc(cases, func(c guardCase) bool { return c.name == method.Name }) {
			t.Errorf("%s is not tried", method.Name)
		}
	}
	for _, c := range cases {
		if c.name == "Create" {
			_ = st.Delete(ctx, "new", store.AnyVersion)
		}
		if c.name == "Conversation" {
			if err := st.Create(ctx, store.Conversation{ID: "a"}, turn("1")); err != nil {
				t.Fatal(err)
			}
		}
		for _, scope := range tenant.AllScopes() {
			as := tenant.With(ctx, &tenant.Identity{Tenant: one.ID, Token: "t-" + string(scope), Label: "l", Scopes: tenant.Scopes{scope}})
			allowed := scope == c.need || scope == tenant.Admin
			if c.name == "Create" || c.name == "Delete" {
				_ = st.Delete(ctx, "new", store.AnyVersion)
				if c.name == "Delete" {
					_ = st.Create(ctx, store.Conversation{ID: "new"})
				}
			}
			err := c.do(as)
			if allowed && err != nil {
				t.Errorf("%s with %s: %v", c.name, scope, err)
			}
			if !allowed && (!errors.Is(err, tenant.ErrScope) || !says(err, "scope", string(c.need), "this one has "+string(scope))) {
				t.Errorf("%s with %s: %v", c.name, scope, err)
			}
			// The work of an operation may read; it may write no more than the token.
			if err := c.do(tenant.Operating(as)); (err != nil) != (!allowed && c.need != tenant.Read) && c.name != "Create" && c.name != "Delete" {
				t.Errorf("%s with %s in an operation: %v", c.name, scope, err)
			}
		}
	}
	// A batch of both needs both.
	both := store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: "b1", Payload: tenfold.TurnStart{}}, {ID: "b2", Payload: pin.Payload}}}
	for _, scopes := range []tenant.Scopes{{tenant.Append}, {tenant.Compact}, {tenant.Append, tenant.Compact}} {
		_, err := st.Append(tenant.With(ctx, &tenant.Identity{Tenant: one.ID, Token: "both", Scopes: scopes}), both)
		if (err == nil) != (len(scopes) == 2) {
			t.Errorf("a mixed batch with %s: %v", scopes, err)
		}
		if err := st.Create(tenant.With(ctx, &tenant.Identity{Tenant: one.ID, Token: "both", Scopes: scopes}), store.Conversation{ID: "both"}, both.Entries...); (err == nil) != (len(scopes) == 2) {
			t.Errorf("a mixed beginning with %s: %v", scopes, err)
		}
	}
}
