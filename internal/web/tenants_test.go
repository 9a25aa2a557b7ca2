package web

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/remote"
)

// Every operation says what a token needs, in the table and in the document, and the
// table names no other.
func TestEveryOperationHasScopes(t *testing.T) {
	t.Parallel()
	s := &Server{}
	s.declare()
	known := []string{scopeRead, scopeAppend, scopeCompact, scopeAdmin, scopeOperator}
	found := map[string]bool{}
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			found[op.OperationID] = true
			need := scopes[op.OperationID]
			if len(need) == 0 || slices.ContainsFunc(need, func(one string) bool { return !slices.Contains(known, one) }) {
				t.Errorf("%s %s: operation %s has no scopes in the table", op.Method, path, op.OperationID)
			}
			if len(op.Security) != 1 || !slices.Equal(op.Security[0][tokenScheme], need) {
				t.Errorf("%s %s: the document says %v, the table %v", op.Method, path, op.Security, need)
			}
			if op.Method != http.MethodGet && slices.Contains(need, scopeRead) && !door.OnlyReads(path) {
				t.Errorf("%s %s needs no more than to read", op.Method, path)
			}
		}
	}
	for name := range scopes {
		if !found[name] && !strings.HasPrefix(name, "store") {
			t.Errorf("there is no operation %s", name)
		}
	}
}

// hosting is a server of tenants with a token for each scope.
type hosting struct {
	*tenant.Registry
	*Tenants
	url    string
	db     *postgres.Database
	closed *sync.Map // tenants whose room was closed
}

func newHosting(t *testing.T, server *pgtest.Server) *hosting {
	t.Helper()
	db, err := postgres.OpenDatabase(context.Background(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &hosting{Registry: tenant.NewRegistry(db), db: db, closed: &sync.Map{}}
	h.Tenants = NewTenants(h.Registry, func(ctx context.Context, i *tenant.Identity, g *tenant.Gate) (Options, io.Closer, error) {
		st, err := db.TenantNumbered(ctx, i.Tenant)
		if err != nil {
			return Options{}, nil, err
		}
		guarded := tenant.Guard(st, g)
		return Options{Backend: &lent{service: session.NewService(guarded)}, Store: remote.Handler(guarded)}, closing(func() error {
			h.closed.Store(i.Tenant, true)
			return guarded.Close()
		}), nil
	})
	guard := door.NewGuard(door.Access{Token: "the operator's own token", Tenants: h.Tenants})
	s := httptest.NewServer(guard.Handler(http.NotFoundHandler()))
	t.Cleanup(func() {
		s.Close()
		if err := errors.Join(h.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	h.url = s.URL
	return h
}

type closing func() error

func (c closing) Close() error { return c() }

// tenant makes a tenant and a token for each scope.
func (h *hosting) tenant(t *testing.T, name string, l tenant.Limits) (number int, tokens map[tenant.Scope]string) {
	t.Helper()
	made, err := h.Create(t.Context(), tenant.Actor{Token: tenant.Operator}, name, l)
	if err != nil {
		t.Fatal(err)
	}
	tokens = map[tenant.Scope]string{}
	for _, scope := range tenant.AllScopes() {
		tokens[scope] = h.token(t, made.ID, scope)
	}
	return made.ID, tokens
}

func (h *hosting) token(t *testing.T, number int, scope tenant.Scope) string {
	t.Helper()
	_, secret, err := h.CreateToken(t.Context(), tenant.Actor{Token: tenant.Operator}, number, tenant.NewToken{Label: string(scope), Scopes: tenant.Scopes{scope}})
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// ask sends a request with a token, and reads what comes.
func (h *hosting) ask(t *testing.T, token, method, path, body string) (status int, answer string, header http.Header) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text), got.Header
}

func (h *hosting) dial(t *testing.T, token string) *remote.Store {
	t.Helper()
	return dialStore(t, h.url, token)
}

// TestTenants holds what shares a database's server.
func TestTenants(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	h := newHosting(t, server)
	for name, test := range map[string]func(*testing.T, *hosting){
		"Scopes": testScopes, "Own": testOwn, "Tokens": testTokensOverTheAPI, "Limits": testLimits, "Refused": testRefused, "Streams": testStreamsEnd,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
	t.Run("Rooms", func(t *testing.T) {
		t.Parallel()
		testRooms(t, newHosting(t, server))
	})
}

// Each operation of the document is asked for with each scope.
func testScopes(t *testing.T, h *hosting) {
	_, tokens := h.tenant(t, "scopes", tenant.Limits{})
	s := &Server{}
	s.declare()
	fill := strings.NewReplacer("{id}", "none", "{seq}", "1", "{qid}", "q", "{compaction}", "all", "{token}", "none")
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			if strings.HasPrefix(path, door.StorePath) || op.OperationID == "labOf" {
				continue // frames; and what streams without an end
			}
			for _, scope := range tenant.AllScopes() {
				need := scopes[op.OperationID]
				may := slices.Equal(need, []string{string(scope)}) || scope == tenant.Admin && !slices.Contains(need, scopeOperator)
				status, answer, _ := h.ask(t, tokens[scope], op.Method, fill.Replace(path), "")
				if refused := status == http.StatusForbidden && strings.Contains(answer, `"code":"scope"`); refused == may || status == http.StatusUnauthorized || status == http.StatusInternalServerError {
					t.Errorf("%s %s with %s: %d %.200s", op.Method, path, scope, status, answer)
				}
			}
		}
	}
	for _, path := range []string{"/", "/c/none", "/api/none", "/app.js"} {
		if status, answer, _ := h.ask(t, tokens[tenant.Admin], http.MethodGet, path, ""); status != http.StatusNotFound {
			t.Errorf("GET %s: %d %.100s", path, status, answer)
		}
	}
}

// A token sees and changes what is its tenant's, by the API and as a store.
func testOwn(t *testing.T, h *hosting) {
	_, ours := h.tenant(t, "ours", tenant.Limits{})
	_, theirs := h.tenant(t, "theirs", tenant.Limits{})
	c, other := h.dial(t, ours[tenant.Admin]), h.dial(t, theirs[tenant.Admin])
	if err := c.Create(t.Context(), store.Conversation{ID: "loaf", Title: "rye"}, tenfold.Entry{ID: "1", Payload: tenfold.AssistantMessage{Text: "needle"}}); err != nil {
		t.Fatal(err)
	}
	status, answer, _ := h.ask(t, ours[tenant.Read], http.MethodGet, "/api/conversations/loaf/export", "")
	if status != http.StatusOK || !strings.Contains(answer, "needle") {
		t.Errorf("our own: %d", status)
	}
	for _, path := range []string{"/api/conversations", "/api/conversations/loaf", "/api/search?q=needle", "/api/conversations/loaf/rows"} {
		if _, answer, _ := h.ask(t, theirs[tenant.Admin], http.MethodGet, path, ""); strings.Contains(answer, "rye") || strings.Contains(answer, `"total":1`) {
			t.Errorf("GET %s tells another tenant: %s", path, answer)
		}
	}
	if _, err := other.Conversation(t.Context(), "loaf"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("as a store: %v", err)
	}
	if err := other.Delete(t.Context(), "loaf", store.AnyVersion); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if err := other.Create(t.Context(), store.Conversation{ID: "loaf"}); err != nil {
		t.Errorf("the same name: %v", err)
	}
	// A token that may only append begins a conversation and sees none.
	if status, answer, _ := h.ask(t, ours[tenant.Append], http.MethodPost, "/api/conversations", `{"title":"a"}`); status != http.StatusCreated {
		t.Errorf("begin: %d %s", status, answer)
	}
	if _, err := h.dial(t, ours[tenant.Append]).Conversation(t.Context(), "loaf"); err == nil || !strings.Contains(err.Error(), "lacks the scope read") {
		t.Errorf("read as a store with append alone: %v", err)
	}
	_, audit, _ := h.ask(t, ours[tenant.Admin], http.MethodGet, "/api/audit", "")
	for _, want := range []string{`"action":"export"`, `"subject":"loaf"`, `"label":"read"`, `refused: the token lacks the scope read`} {
		if !strings.Contains(audit, want) {
			t.Errorf("the audit log has no %s: %s", want, audit)
		}
	}
	if strings.Contains(audit, `"id"`) {
		t.Errorf("the audit log shows numbers of rows: %s", audit)
	}
}

// An admin token manages the tokens of its own tenant.
func testTokensOverTheAPI(t *testing.T, h *hosting) {
	_, ours := h.tenant(t, "tokens", tenant.Limits{})
	theirs, _ := h.tenant(t, "not-tokens", tenant.Limits{})
	admin := ours[tenant.Admin]
	status, answer, _ := h.ask(t, admin, http.MethodPost, "/api/tokens", `{"label":"ci","scopes":["read"],"seconds":3600}`)
	var made MadeToken
	if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated || made.Scopes.String() != "read" {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	works := func(token string) bool {
		status, _, _ := h.ask(t, token, http.MethodGet, "/api/conversations", "")
		return status == http.StatusOK
	}
	if !works(made.Secret) {
		t.Error("a new token does not work")
	}
	_, answer, _ = h.ask(t, admin, http.MethodPost, "/api/tokens/"+made.ID+"/rotate", `{"grace":60}`)
	var next MadeToken
	if err := json.Unmarshal([]byte(answer), &next); err != nil || !works(next.Secret) || !works(made.Secret) {
		t.Errorf("rotated: %s %v", answer, err)
	}
	if status, answer, _ := h.ask(t, admin, http.MethodDelete, "/api/tokens/"+next.ID, ""); status != http.StatusOK || works(next.Secret) {
		t.Errorf("revoked: %d %s", status, answer)
	}
	all, err := h.Tokens(t.Context(), theirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		for _, ask := range []string{http.MethodDelete + " /api/tokens/" + one.ID, http.MethodPost + " /api/tokens/" + one.ID + "/rotate"} {
			method, path, _ := strings.Cut(ask, " ")
			if status, answer, _ := h.ask(t, admin, method, path, `{}`); status != http.StatusNotFound {
				t.Errorf("another tenant's token: %d %s", status, answer)
			}
		}
	}
	_, answer, _ = h.ask(t, admin, http.MethodGet, "/api/tokens", "")
	if strings.Count(answer, `"label"`) != 6 || strings.Contains(answer, "hash") || strings.Contains(answer, made.Secret) {
		t.Errorf("the list: %s", answer)
	}
	for _, body := range []string{`{"label":"x","scopes":["operator"]}`, `{"label":"x","scopes":[]}`, `{"label":"","scopes":["read"]}`, `{"label":"x","scopes":["read"],"seconds":-1}`, `{"label":"x","scopes":["read"],"tenant":1}`} {
		if status, answer, _ := h.ask(t, admin, http.MethodPost, "/api/tokens", body); status/100 != 4 {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if status, answer, _ := h.ask(t, ours[tenant.Read], http.MethodGet, "/api/tenant", ""); status != http.StatusOK || !strings.Contains(answer, `"name":"tokens"`) || !strings.Contains(answer, `"scopes":["read"]`) {
		t.Errorf("who am I: %d %s", status, answer)
	}
}

func testLimits(t *testing.T, h *hosting) {
	_, tokens := h.tenant(t, "limits", tenant.Limits{RequestsPerSecond: new(0.02), Entries: new(int64(1))})
	status, answer, header := 0, "", http.Header{}
	for range 2 {
		status, answer, header = h.ask(t, tokens[tenant.Read], http.MethodGet, "/api/meta", "")
	}
	if after, _ := strconv.Atoi(header.Get("Retry-After")); status != http.StatusTooManyRequests || after < 1 || after > 51 || header.Get("Content-Type") != shape.ProblemType || !strings.Contains(answer, `"code":"limit_requests"`) || !strings.Contains(answer, `"hint"`) {
		t.Errorf("%d %s %v", status, answer, header)
	}
	_, tokens = h.tenant(t, "quotas", tenant.Limits{Entries: new(int64(1))})
	body := `{"entries":[{"id":"1","kind":"user_message","text":"a"},{"id":"2","kind":"user_message","text":"b"}]}`
	if status, answer, _ := h.ask(t, tokens[tenant.Admin], http.MethodPost, "/api/conversations", `{"id":"c"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	status, answer, header = h.ask(t, tokens[tenant.Admin], http.MethodPost, "/api/conversations/c/entries", body)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") != "60" || !strings.Contains(answer, `"code":"limit_entries"`) || !strings.Contains(answer, "delete conversations") {
		t.Errorf("%d %s %v", status, answer, header)
	}
	for _, overlay := range []string{`"pin","entries":["x"]`, `"of_a_newer_program"`} {
		status, answer, _ := h.ask(t, tokens[tenant.Append], http.MethodPost, "/api/conversations/c/entries", `{"entries":[{"id":"1","kind":`+overlay+`}]}`)
		if status != http.StatusForbidden || !strings.Contains(answer, `"detail":"entries[0]: a `) {
			t.Errorf("an overlay with append: %d %s", status, answer)
		}
	}
}

// Who shows what is not a valid token gets one answer, and no other way in.
func testRefused(t *testing.T, h *hosting) {
	_, tokens := h.tenant(t, "refused", tenant.Limits{})
	valid := tokens[tenant.Admin]
	for token, code := range map[string]string{
		valid[:len(valid)-1]: "token_malformed", valid + "a": "token_malformed", "tf_": "token_malformed",
		valid[:len(valid)-1] + "@":                      "token_malformed",
		valid[:len(valid)-52] + strings.Repeat("a", 52): "token_unknown",
		"tf_99_aaaaaaaaaaaa_" + strings.Repeat("a", 52): "token_unknown",
	} {
		status, answer, header := h.ask(t, token, http.MethodGet, "/api/conversations", "")
		if status != http.StatusUnauthorized || !strings.Contains(answer, `"code":"`+code+`"`) || !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") || strings.Contains(answer, "refused") {
			t.Errorf("%s: %d %s %v", token, status, answer, header)
		}
	}
	if status, answer, _ := h.ask(t, "the operator's own token", http.MethodGet, "/api/conversations", ""); status != http.StatusNotFound || !strings.Contains(answer, "404") {
		t.Errorf("the operator's token goes to %d %s", status, answer)
	}
	// A store of one person has no tenants.
	alone := httptest.NewServer(door.NewGuard(door.Access{Token: "the operator's own token"}).Handler(http.NotFoundHandler()))
	defer alone.Close()
	one := &hosting{url: alone.URL}
	if status, answer, _ := one.ask(t, valid, http.MethodGet, "/api/conversations", ""); status != http.StatusUnauthorized || !strings.Contains(answer, "no tenants") {
		t.Errorf("without tenants: %d %s", status, answer)
	}
	s, _ := server(t, nil)
	for _, path := range []string{"/api/tenant", "/api/tokens", "/api/audit"} {
		if p := get[shape.Problem](t, s, path, http.StatusUnprocessableEntity); p.Code != "single_tenant" || !strings.Contains(p.Hint, "PostgreSQL") {
			t.Errorf("%s without tenants: %+v", path, p)
		}
	}
}

// A stream ends when its token does.
func testStreamsEnd(t *testing.T, h *hosting) {
	number, tokens := h.tenant(t, "streams", tenant.Limits{})
	if err := h.dial(t, tokens[tenant.Append]).Create(t.Context(), store.Conversation{ID: "c"}); err != nil {
		t.Fatal(err)
	}
	s, err := tenant.ParseSecret(tokens[tenant.Read])
	if err != nil {
		t.Fatal(err)
	}
	begun, ended := make(chan int, 1), make(chan error, 1)
	follow := func(token string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/conversations/c/events", http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer got.Body.Close()
		if begun <- got.StatusCode; got.StatusCode == http.StatusOK {
			_, err = io.Copy(io.Discard, got.Body)
		}
		ended <- err
	}
	go follow(tokens[tenant.Read])
	if status := <-begun; status != http.StatusOK {
		t.Fatal(status)
	}
	time.Sleep(tenant.Fresh + 100*time.Millisecond) // it is looked at, and goes on
	select {
	case err := <-ended:
		t.Fatalf("the stream of a valid token ended: %v", err)
	default:
	}
	if _, err := h.RevokeToken(t.Context(), tenant.Actor{Token: tenant.Operator}, number, s.ID()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Minute):
		t.Error("the stream goes on")
	}
}

// Rooms are made once, kept while they are used, and closed when there are too many.
func testRooms(t *testing.T, h *hosting) {
	h.most = 2
	tokens := map[int]string{}
	for _, name := range []string{"a", "b", "c", "d"} {
		number, all := h.tenant(t, name, tenant.Limits{})
		tokens[number] = all[tenant.Read]
	}
	numbers := slices.Sorted(maps.Keys(tokens))
	use := func(number int) {
		if status, answer, _ := h.ask(t, tokens[number], http.MethodGet, "/api/conversations", ""); status != http.StatusOK {
			t.Errorf("%d %s", status, answer)
		}
	}
	var at sync.WaitGroup
	for range 8 {
		at.Go(func() { use(numbers[0]) })
	}
	at.Wait()
	busy, err := h.acquire(t.Context(), &tenant.Identity{Tenant: numbers[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range numbers[1:] {
		use(number)
	}
	h.closing.Wait()
	for i, number := range numbers {
		if _, closed := h.closed.Load(number); closed != (i == 1 || i == 2) {
			t.Errorf("room %d of 4 is closed: %t", i, closed)
		}
	}
	h.release(numbers[0], busy)
	use(numbers[1]) // made again
	h.closing.Wait()
	if len(h.rooms) != 2 {
		t.Errorf("%d rooms", len(h.rooms))
	}
	if _, err := h.acquire(t.Context(), &tenant.Identity{Tenant: 999}); err == nil {
		t.Error("a room for nobody")
	}
	if len(h.rooms) > 2 {
		t.Errorf("what could not be made stays: %d rooms", len(h.rooms))
	}
}
