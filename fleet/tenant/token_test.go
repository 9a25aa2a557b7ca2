package tenant_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/fleet/tenant"
)

func testTokens(t *testing.T, f *fleet) {
	one, other := f.create(t, "one", tenant.Limits{}), f.create(t, "other", tenant.Limits{})
	made, secret := f.token(t, one.ID, tenant.Scopes{tenant.Read, tenant.Append}, time.Hour)
	if left := made.Expires.Sub(made.Created); left != time.Hour || made.State != tenant.Valid || made.Revoked != nil || made.Used != nil {
		t.Errorf("%+v", made)
	}
	for _, r := range []*tenant.Registry{f.Registry, f.another()} {
		i, err := r.Verify(t.Context(), secret.Reveal())
		if err != nil || i.Tenant != one.ID || i.Name != "one" || i.Token != made.ID || i.Label != "for read,append" || i.Scopes.String() != "read,append" {
			t.Fatalf("%+v, %v", i, err)
		}
	}
	f.token(t, other.ID, tenant.Scopes{tenant.Admin}, 0)
	all, err := f.Tokens(t.Context(), one.ID)
	if err != nil || len(all) != 1 || all[0].ID != made.ID || all[0].Label != made.Label {
		t.Errorf("%+v, %v", all, err)
	}
	if got, err := f.FindToken(t.Context(), one.ID, made.ID[:4]); err != nil || got.ID != made.ID {
		t.Errorf("%+v, %v", got, err)
	}
	for _, prefix := range []string{"", "0", made.ID + "a"} {
		if _, err := f.FindToken(t.Context(), one.ID, prefix); !says(err, "not_found") {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	if _, err := f.FindToken(t.Context(), other.ID, made.ID); !says(err, "not_found") {
		t.Errorf("another tenant finds the token: %v", err)
	}
	for what, n := range map[string]tenant.NewToken{
		"no label": {Scopes: tenant.AllScopes()}, "blank": {Label: " ", Scopes: tenant.AllScopes()}, "long": {Label: strings.Repeat("a", 101), Scopes: tenant.AllScopes()},
		"two lines": {Label: "a\nb", Scopes: tenant.AllScopes()}, "not UTF-8": {Label: "a\xff", Scopes: tenant.AllScopes()}, "no scopes": {Label: "a"}, "time": {Label: "a", Scopes: tenant.AllScopes(), For: -1},
		"unknown": {Label: "a", Scopes: tenant.Scopes{"operator"}},
	} {
		if _, _, err := f.CreateToken(t.Context(), operator, one.ID, n); !says(err, "usage") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What is stored is not a token.
	var rows string
	err = f.db.As(t.Context(), one.ID, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT string_agg(t::text, '') || (SELECT string_agg(a::text, '') FROM tenfold_audit a) FROM tenfold_tokens t").Scan(&rows)
	})
	text := secret.Reveal()
	if err != nil || !strings.Contains(rows, made.ID) || strings.Contains(rows, text[len(text)-30:]) {
		t.Errorf("%v: %s", err, rows)
	}
}

// Each reason has one answer, and only who has the secret hears of the token.
func testRefused(t *testing.T, f *fleet) {
	one, other := f.create(t, "one", tenant.Limits{}), f.create(t, "other", tenant.Limits{})
	_, expired := f.token(t, one.ID, tenant.AllScopes(), time.Microsecond)
	made, revoked := f.token(t, one.ID, tenant.AllScopes(), 0)
	_, valid := f.token(t, one.ID, tenant.AllScopes(), 0)
	server2 := f.another()
	for _, r := range []*tenant.Registry{f.Registry, server2} {
		if _, err := r.Verify(t.Context(), revoked.Reveal()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.RevokeToken(t.Context(), operator, one.ID, made.ID)
	if err != nil || got.State != tenant.Revoked {
		t.Fatalf("%+v, %v", got, err)
	}
	again, err := f.RevokeToken(t.Context(), operator, one.ID, made.ID)
	if err != nil || !again.Revoked.Equal(*got.Revoked) {
		t.Errorf("%+v, %v", again, err)
	}
	// Here at once, elsewhere soon.
	if _, err := f.Verify(t.Context(), revoked.Reveal()); !says(err, "token_revoked") {
		t.Errorf("here: %v", err)
	}
	for began, late := time.Now(), false; err == nil && !late; time.Sleep(20 * time.Millisecond) {
		late = time.Since(began) > 2*tenant.Fresh // before it asks: it may be kept waiting
		_, err = server2.Verify(t.Context(), revoked.Reveal())
	}
	if !says(err, "token_revoked") {
		t.Errorf("on another server: %v", err)
	}
	text := valid.Reveal()
	flip := func(s string, at int) string {
		b := []byte(s)
		if b[at]++; b[at] == '{' || b[at] == '8' {
			b[at] = 'a'
		}
		return string(b)
	}
	prefix := "tf_" + strconv.Itoa(one.ID) + "_"
	for _, c := range []struct{ name, token, code string }{
		{"expired", expired.Reveal(), "token_expired"},
		{"expired, wrong secret", flip(expired.Reveal(), len(text)-1), "token_unknown"},
		{"revoked", revoked.Reveal(), "token_revoked"},
		{"revoked, wrong secret", flip(revoked.Reveal(), len(text)-1), "token_unknown"},
		{"wrong secret", flip(text, len(text)-1), "token_unknown"},
		{"wrong id", flip(text, len(prefix)), "token_unknown"},
		{"another tenant's number", "tf_" + strconv.Itoa(other.ID) + "_" + text[len(prefix):], "token_unknown"},
		{"no such tenant", "tf_999_" + text[len(prefix):], "token_unknown"},
		{"cut", text[:len(text)-1], "token_malformed"},
		{"nothing", "", "token_malformed"},
		{"without what it begins with", strings.TrimPrefix(text, tenant.Prefix), "token_malformed"},
	} {
		i, err := f.Verify(t.Context(), c.token)
		if i != nil || !says(err, c.code) || !errors.Is(err, tenant.ErrDenied) || strings.Contains(err.Error(), "one") || (len(c.token) > 20 && strings.Contains(err.Error(), c.token[10:])) {
			t.Errorf("%s: %v, %v", c.name, i, err)
		}
	}
	if _, err := f.Verify(t.Context(), text); err != nil {
		t.Error(err)
	}
	// Whoever guesses is slowed down; tokens in use are not.
	guess := func(n int) error {
		_, err := f.Verify(t.Context(), prefix+strings.Repeat("a", 11)+string(rune('b'+n))+"_"+strings.Repeat("a", 52))
		return err
	}
	if err := guess(0); !says(err, "token_unknown") {
		t.Error("one guess:", err)
	}
	f.Guessed(time.Now().Add(time.Hour)) // so that the bucket is empty however long this takes
	var limit *tenant.LimitError
	if err := guess(1); !errors.As(err, &limit) || limit.After <= 0 {
		t.Error("one too many:", err)
	}
	if _, err := f.Verify(t.Context(), text); err != nil {
		t.Error("the token in use:", err)
	}
}

func testRotate(t *testing.T, f *fleet) {
	one, other := f.create(t, "one", tenant.Limits{}), f.create(t, "other", tenant.Limits{})
	old, secret := f.token(t, one.ID, tenant.Scopes{tenant.Read}, 24*time.Hour)
	if _, err := f.Verify(t.Context(), secret.Reveal()); err != nil {
		t.Fatal(err)
	}
	made, fresh, err := f.RotateToken(t.Context(), operator, one.ID, old.ID, time.Hour)
	if err != nil || made.ID == old.ID || made.Label != old.Label || made.Scopes.String() != "read" || made.Expires.Sub(made.Created) != 24*time.Hour {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, s := range []tenant.Secret{secret, fresh} {
		if _, err := f.Verify(t.Context(), s.Reveal()); err != nil {
			t.Errorf("within the grace: %v", err)
		}
	}
	graced, err := f.FindToken(t.Context(), one.ID, old.ID)
	if left := graced.Expires.Sub(made.Created); err != nil || left != time.Hour {
		t.Errorf("the old one ends after %s, %v", left, err)
	}
	// A grace is no longer life than the token had, and none ends it at once.
	// Whoever rotates it again, as the secret was lost, has a token of the same life.
	if twice, _, err := f.RotateToken(t.Context(), operator, one.ID, old.ID, 100*time.Hour); err != nil || twice.Expires.Sub(twice.Created) != 24*time.Hour {
		t.Fatalf("a second time: %+v, %v", twice, err)
	}
	if _, _, err := f.RotateToken(t.Context(), operator, one.ID, made.ID, time.Hour); err != nil { // which replaced it first
		t.Fatal(err)
	}
	if twice, _, err := f.RotateToken(t.Context(), operator, one.ID, old.ID, time.Hour); err != nil || twice.Expires.Sub(twice.Created) != 24*time.Hour {
		t.Fatalf("a third time: %+v, %v", twice, err)
	}
	endless, _ := f.token(t, one.ID, tenant.Scopes{tenant.Read}, 0)
	for n := range 3 {
		if made, _, err := f.RotateToken(t.Context(), operator, one.ID, endless.ID, time.Hour); err != nil || made.Expires != nil {
			t.Errorf("rotation %d of one without an end: %+v, %v", n+1, made, err)
		}
	}
	events, _, err := f.Events(t.Context(), one.ID, tenant.Page{})
	if err != nil || !slices.ContainsFunc(events, func(e tenant.Event) bool {
		return e.Action == "token rotate" && e.Subject == old.ID && e.Outcome == "replaced by "+made.ID+"; ends in 1h0m0s"
	}) {
		t.Errorf("the audit log has %+v, %v", events, err)
	}
	if again, _ := f.FindToken(t.Context(), one.ID, old.ID); !again.Expires.Equal(*graced.Expires) {
		t.Errorf("a longer grace: ends %s instead of %s", again.Expires, graced.Expires)
	}
	if _, _, err := f.RotateToken(t.Context(), operator, one.ID, made.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(t.Context(), fresh.Reveal()); !says(err, "token_expired") {
		t.Errorf("without a grace: %v", err)
	}
	if _, _, err := f.RotateToken(t.Context(), operator, one.ID, made.ID, 0); !says(err, "token_expired", "token create") {
		t.Errorf("an expired one: %v", err)
	}
	if _, _, err := f.RotateToken(t.Context(), operator, other.ID, old.ID, 0); !says(err, "not_found") {
		t.Errorf("by another tenant: %v", err)
	}
	if _, _, err := f.RotateToken(t.Context(), operator, one.ID, old.ID, -1); !says(err, "usage") {
		t.Error(err)
	}
	if _, err := f.RevokeToken(t.Context(), operator, other.ID, old.ID); !says(err, "not_found") {
		t.Errorf("revoked by another tenant: %v", err)
	}
	for _, id := range []string{"", "a\x00", "\xff", strings.Repeat("a", 11) + "\xff"} { // which no statement takes
		_, revoking := f.RevokeToken(t.Context(), operator, one.ID, id)
		if _, _, err := f.RotateToken(t.Context(), operator, one.ID, id, 0); !says(err, "not_found") || !says(revoking, "not_found") {
			t.Errorf("%q: %v, %v", id, err, revoking)
		}
	}
	if _, err := f.Verify(t.Context(), secret.Reveal()); err != nil {
		t.Error(err)
	}
}

// Use is written once a minute, not by each request, and not for who only knows the id.
func testUsed(t *testing.T, f *fleet) {
	made, secret := f.token(t, 1, tenant.AllScopes(), 0)
	used := func() *time.Time {
		got, err := f.FindToken(t.Context(), 1, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.Used
	}
	if _, err := f.another().Verify(t.Context(), "tf_1_"+made.ID+"_"+strings.Repeat("a", 52)); err == nil || used() != nil {
		t.Errorf("a guess: %v, used %v", err, used())
	}
	verify := func() {
		if _, err := f.another().Verify(t.Context(), secret.Reveal()); err != nil {
			t.Fatal(err)
		}
	}
	verify()
	first := used()
	verify()
	if first == nil || !used().Equal(*first) {
		t.Errorf("used %v, then %v", first, used())
	}
	f.sql(t, 1, "UPDATE tenfold_tokens SET used = used - interval '2 minutes'")
	verify()
	if !used().After(*first) {
		t.Errorf("used %v, two minutes later %v", first, used())
	}
}
