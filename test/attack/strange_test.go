package attack

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
)

// strangeNames are of tenants and of conversations: as odd as is allowed, and the same
// in both tenants. Nobody's is another's.
func strangeNames(t *testing.T, w *world, _, theirs secrets) {
	for _, name := range []string{"0", "a-", "select", "public", "tenfold", strings.Repeat("z", 63), "x--y"} {
		p := w.party(t, name)
		if got := w.must(t, p.token, "GET", "/api/conversations", nil); strings.Contains(got, `"id"`) {
			t.Errorf("tenant %q begins with %.300s", name, got)
		}
	}
	one, other := w.party(t, "one"), w.party(t, "other")
	for _, id := range []string{".", "..", "/"} { // which no address names
		if a := w.call(t, one.token, "POST", "/api/conversations", map[string]any{"id": id}); a.status != http.StatusBadRequest || !strings.Contains(a.body, "choose another id") {
			t.Errorf("a conversation of the id %q: %d %s", id, a.status, a.body)
		}
	}
	for i, id := range []string{
		".x", "...", "../" + theirs.id, "a/b", "%2e%2e", "%00", "a b", " ", "é", "e\u0301", "\u202eabc", "';DROP TABLE tenfold_entries;--", `"`, "?q=1", "#1", "events", "{id}",
		strings.Repeat("x", 500), "日本語", "*", "%", "_", "\\", "job_1", "-1", "null",
	} {
		for _, p := range []*party{one, other} {
			secret := fmt.Sprintf("secret%d%s", i, p.Name)
			_, err := session.NewService(p.store).Create(t.Context(), session.Create{
				ID: id, Title: secret, Entries: []tenfold.Entry{{ID: id, Payload: tenfold.TurnStart{}}, {ID: id + "u", Payload: tenfold.UserMessage{Parts: tenfold.Text(secret)}}},
				Origin: store.Origin{Key: id},
			})
			if err != nil {
				t.Fatalf("%q: %v", id, err)
			}
		}
		for _, p := range []*party{one, other} {
			rival := map[*party]*party{one: other, other: one}[p]
			for _, path := range []string{"", "/entries", "/outline", "/view", "/export", "/search?q=secret" + fmt.Sprint(i) + rival.Name} {
				a := w.call(t, p.token, "GET", "/api/conversations/"+url.PathEscape(id)+path, nil)
				tells := strings.Contains(a.body, fmt.Sprintf("secret%d%s", i, rival.Name)) && a.status != http.StatusTemporaryRedirect // which repeats the question
				if a.status >= 500 || tells {
					t.Errorf("%s asks for %q%s: %d %.300s", p.Name, id, path, a.status, a.body)
				}
				if path == "" && a.status == http.StatusOK && !strings.Contains(a.body, fmt.Sprintf("secret%d%s", i, p.Name)) {
					t.Errorf("%s asks for %q and gets %.300s", p.Name, id, a.body)
				}
			}
		}
	}
}
