package attack

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenfold/fleet/tenant"
)

// A showing is a way to show a token, which lets nobody in.
type showing struct {
	name   string
	header []string // of Authorization
	cookie string
	query  string
}

// bad are tokens, and ways to show them, that let nobody in.
func (w *world) bad(t testing.TB) (all []showing) {
	t.Helper()
	bearer := func(name, token string) { all = append(all, showing{name: name, header: []string{"Bearer " + token}}) }
	good, theirs := w.attacker.token, w.victim.token
	prefix := func(n int) string { return tenant.Prefix + strconv.Itoa(n) + "_" }
	rest := func(token string) string {
		return token[strings.IndexByte(token[len(tenant.Prefix):], '_')+len(tenant.Prefix)+1:]
	}
	secret := func(token string) string { return token[strings.LastIndexByte(token, '_')+1:] }

	expired := w.newToken(t, w.attacker.ID, tenant.NewToken{Label: "expired", Scopes: tenant.AllScopes(), For: time.Millisecond})
	revoked := w.newToken(t, w.attacker.ID, tenant.NewToken{Label: "revoked", Scopes: tenant.AllScopes()})
	parsed, err := tenant.ParseSecret(revoked)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.registry.RevokeToken(t.Context(), operator, w.attacker.ID, parsed.ID()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	bearer("expired", expired)
	bearer("revoked", revoked)
	bearer("my token under the victim's number", prefix(w.victim.ID)+rest(good))
	bearer("the victim's token under my number", prefix(w.attacker.ID)+rest(theirs))
	bearer("the victim's id with my secret", strings.TrimSuffix(theirs, secret(theirs))+secret(good))
	for _, n := range []string{"0", "-1", "01", "+2", "2147483648", "9223372036854775808", "1e1", " 2", "2 ", "٢", "0x2", ""} {
		bearer("number "+n, tenant.Prefix+n+"_"+rest(good))
	}
	bearer("of no tenant", prefix(99999)+rest(good))
	bearer("cut", good[:len(good)-1])
	bearer("longer", good+"a")
	bearer("in capitals", strings.ToUpper(good))
	bearer("another secret", good[:len(good)-1]+map[bool]string{true: "b", false: "a"}[good[len(good)-1] == 'a'])
	bearer("no secret", strings.TrimSuffix(good, secret(good)))
	bearer("wildcards", strings.TrimSuffix(good, secret(good))+strings.Repeat("%", 52))
	bearer("SQL", prefix(w.attacker.ID)+"x' OR '1'='1_"+secret(good))
	bearer("empty", "")
	bearer("the prefix alone", tenant.Prefix)
	bearer("a megabyte, nearly", tenant.Prefix+strings.Repeat("a", 30_000))
	all = append(
		all,
		showing{name: "nothing"},
		showing{name: "twice the same", header: []string{"Bearer " + good, "Bearer " + good}},
		showing{name: "mine and the victim's", header: []string{"Bearer " + good, "Bearer " + theirs}},
		showing{name: "two in one", header: []string{"Bearer " + good + ", Bearer " + theirs}},
		showing{name: "another scheme", header: []string{"Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+good))}},
		showing{name: "no scheme", header: []string{good}},
		showing{name: "in a cookie", cookie: good},
		showing{name: "in the query", query: "token=" + good},
		showing{name: "in the query, as OAuth has it", query: "access_token=" + good},
		showing{name: "a good cookie of the victim's token with a bad token", header: []string{"Bearer " + good + "x"}, cookie: theirs},
	)
	return all
}

// badTokens are refused by every operation before it looks at anything: with a problem,
// which is the same whatever is asked for, and which tells nothing.
func badTokens(t *testing.T, w *world, _, theirs secrets) {
	for _, b := range w.bad(t) {
		answers := map[string]bool{}
		for _, op := range w.ops {
			if b.query != "" && op.Method == http.MethodGet && len(op.Parameters) == 0 && op.Path == "/api/meta" {
				continue
			}
			for _, id := range []string{theirs.id, "nobody"} {
				r := op.Request(w.url(), plain(id))
				if b.query != "" {
					r.URL.RawQuery = b.query
				}
				for _, h := range b.header {
					r.Header.Add("Authorization", h)
				}
				if b.cookie != "" {
					r.AddCookie(&http.Cookie{Name: "token", Value: b.cookie})
				}
				a := w.send(t, r, "")
				if a.status == http.StatusTooManyRequests { // who tries tokens is made to wait
					a = answer{status: http.StatusUnauthorized, header: a.header}
				}
				if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
					t.Fatalf("%s: %s gives %d %.300s", b.name, op, a.status, a.body)
				}
				if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
					t.Errorf("%s: %s gives %s", b.name, op, kind)
				}
				if strings.Contains(a.body, "_"+w.attacker.token[len(w.attacker.token)-20:]) || strings.Contains(a.body, w.victim.token) {
					t.Errorf("%s: %s repeats the token", b.name, op)
				}
				hides(t, b.name, a, theirs, "")
				if a.body != "" {
					answers[a.body] = true
				}
			}
		}
		if len(answers) > 1 {
			t.Errorf("%s: the answers differ by what is asked for: %v", b.name, answers)
		}
	}
}

// scopes are asked for by every operation, as the document says: one too few is
// refused, and those that it says are enough.
func scopes(t *testing.T, w *world, _, theirs secrets) {
	for _, only := range tenant.AllScopes() {
		token := w.newToken(t, w.attacker.ID, tenant.NewToken{Label: string(only), Scopes: tenant.Scopes{only}})
		for _, op := range w.ops {
			if len(op.Scopes) == 0 {
				t.Fatalf("the document does not say what %s needs", op)
			}
			if viaStore(op) {
				continue
			}
			enough := !slices.ContainsFunc(op.Scopes, func(s string) bool { return !(tenant.Scopes{only}).Has(tenant.Scope(s)) })
			for _, id := range []string{w.fresh(t), theirs.id} {
				a := w.send(t, op.Request(w.url(), plain(id)), token)
				what := fmt.Sprintf("%s with %s for %v of %s: %d %.300s", op, only, op.Scopes, id, a.status, a.body)
				switch {
				case !enough && (a.status != http.StatusForbidden || !strings.Contains(a.body, `"scope"`)):
					t.Error(what)
				case enough && (a.status == http.StatusForbidden || a.status == http.StatusUnauthorized):
					t.Error(what)
				}
				hides(t, what, a, theirs, theirs.id)
			}
		}
	}
}
