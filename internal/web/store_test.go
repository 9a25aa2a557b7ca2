package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/web/door"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/remote"
	"tenfold/store/storetest"
)

// storeServer is a server of a store behind a guard.
func storeServer(t *testing.T, st store.Store, a door.Access) (*door.Guard, string) {
	t.Helper()
	g := door.NewGuard(a)
	s := httptest.NewServer(g.Handler(&Server{store: remote.Handler(st)}))
	t.Cleanup(s.Close)
	return g, s.URL
}

func dialStore(t *testing.T, address, token string) *remote.Store {
	t.Helper()
	c, err := remote.Open(address, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A store behind a server is a store (D1).
func TestStoreBehindTheGuard(t *testing.T) {
	if testing.Short() {
		t.Skip("package remote runs the suite without a guard")
	}
	storetest.Run(t, func(t *testing.T) store.Store {
		_, address := storeServer(t, memory.New(), door.Access{Token: "open sesame"})
		return dialStore(t, address, "open sesame")
	})
}

// Whoever has no token reads and writes nothing; a browser that is signed in has none.
func TestStoreIsForPrograms(t *testing.T) {
	t.Parallel()
	st := memory.New()
	begun := store.Conversation{ID: "a", Title: "secret"}
	if err := st.Create(t.Context(), begun, tenfold.Entry{ID: "1", Payload: tenfold.AssistantMessage{Text: "secret"}}); err != nil {
		t.Fatal(err)
	}
	g, address := storeServer(t, st, door.Access{Token: "open sesame"})
	for _, token := range []string{"", "open sesam", "Open sesame", "open sesame open sesame"} {
		c := dialStore(t, address, token)
		if _, err := c.Conversation(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "secret") {
			t.Errorf("token %q reads: %v", token, err)
		}
		if err := c.Delete(t.Context(), "a", store.AnyVersion); err == nil {
			t.Errorf("token %q deletes", token)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/store/conversations", http.NoBody)
	r.Host = "127.0.0.1"
	invited := httptest.NewRequestWithContext(t.Context(), http.MethodGet, g.Invite(), http.NoBody)
	invited.Host = r.Host
	answer := httptest.NewRecorder()
	g.Handler(&Server{}).ServeHTTP(answer, invited)
	for _, c := range answer.Result().Cookies() {
		r.AddCookie(c)
	}
	if len(r.Cookies()) != 1 {
		t.Fatalf("the browser is not signed in: %d", answer.Code)
	}
	answer = httptest.NewRecorder()
	g.Handler(&Server{store: remote.Handler(st)}).ServeHTTP(answer, r)
	if answer.Code != http.StatusUnauthorized || strings.Contains(answer.Body.String(), "secret") {
		t.Errorf("a browser's request gives %d: %s", answer.Code, answer.Body)
	}
	if _, err := st.Conversation(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// A server that only reads lets nobody write, by any method.
func TestStoreReadOnly(t *testing.T) {
	t.Parallel()
	st := memory.New()
	if err := st.Create(t.Context(), store.Conversation{ID: "a", Title: "first"}, tenfold.Entry{ID: "1", Payload: tenfold.AssistantMessage{Text: "needle"}}); err != nil {
		t.Fatal(err)
	}
	_, address := storeServer(t, st, door.Access{Token: "open sesame", ReadOnly: true})
	c := dialStore(t, address, "open sesame")
	if hits, err := c.Search(t.Context(), store.Query{Text: "needle"}); err != nil || len(hits) != 1 {
		t.Errorf("a search gives %v, %v", hits, err)
	}
	_, appending := c.Append(t.Context(), store.Batch{Conversation: "a", Expected: 1, Entries: []tenfold.Entry{{ID: "2", Payload: tenfold.TurnStart{}}}})
	for name, err := range map[string]error{
		"Append": appending, "Create": c.Create(t.Context(), store.Conversation{ID: "b"}),
		"SetTitle": c.SetTitle(t.Context(), "a", "other"), "Delete": c.Delete(t.Context(), "a", store.AnyVersion),
	} {
		if err == nil || !strings.Contains(err.Error(), "only reads") {
			t.Errorf("%s: %v", name, err)
		}
	}
	about, err := st.Conversation(t.Context(), "a")
	if _, other := st.Conversation(t.Context(), "b"); err != nil || about.Title != "first" || about.Version != 1 || !errors.Is(other, store.ErrNotFound) {
		t.Errorf("afterwards: %+v, %v, %v", about, err, other)
	}
}

// The document has the methods that a store answers, and says which only read.
func TestTheDocumentHasTheStore(t *testing.T) {
	t.Parallel()
	doc := &Server{}
	doc.declare()
	h := remote.Handler(memory.New())
	for path, item := range doc.api.OpenAPI().Paths {
		if !door.IsStore(path) {
			continue
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, http.NoBody))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != framesType {
			t.Errorf("%s: %d %s", path, w.Code, w.Header())
		}
		needed := scopesOf(item.Post)
		if reads := slices.Equal(needed, []string{scopeRead}); reads != remote.OnlyReads(path) || len(needed) == 0 {
			t.Errorf("%s needs %v", path, needed)
		}
	}
	for _, name := range []string{"delete", "append"} {
		if item := doc.api.OpenAPI().Paths[door.StorePath+name]; item == nil || item.Post.Security[0][tokenScheme][0] != map[string]string{"delete": scopeAdmin, "append": scopeAppend}[name] {
			t.Errorf("%s: %+v", name, item)
		}
	}
}
