//go:build unix

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/session"
	"tenfold/store/postgres"
)

// A tenantOf is a tenant of a fleet, with a token that may do everything.
type tenantOf struct {
	name   string
	number int
	token  string
}

// withTenants makes two tenants beside the one of whoever runs the servers.
func (f *fleet) withTenants() []*tenantOf {
	f.t.Helper()
	ctx := f.t.Context()
	db, err := postgres.OpenDatabase(ctx, f.direct)
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	all, by := []*tenantOf{{"default", 1, f.token}}, tenant.Actor{Token: tenant.Operator}
	for _, name := range []string{"alpha", "beta"} {
		r := tenant.NewRegistry(db)
		made, err := r.Create(ctx, by, name, tenant.Limits{JobsAtOnce: 4})
		if err != nil {
			f.t.Fatal(err)
		}
		_, secret, err := r.CreateToken(ctx, by, made.ID, tenant.NewToken{Label: "chaos", Scopes: tenant.AllScopes()})
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, &tenantOf{name, made.ID, secret.Reveal()})
	}
	return all
}

// strangers are the words that mark what other tenants said.
func (of *tenantOf) strangers(f *fleet) (marks []string) {
	for _, other := range f.tenants {
		if other != of {
			marks = append(marks, markOf(other.name))
		}
	}
	return marks
}

// apart asks every server for what others said: there is nothing, and there is what the
// tenant itself said.
func apart(ctx context.Context, t *testing.T, f *fleet, j *journal) {
	t.Helper()
	found := func(s *server, mark string) (n int, err error) {
		text, err := s.get(ctx, j.token, "/api/search?q="+mark)
		var page struct{ Items []json.RawMessage }
		if err == nil {
			err = json.Unmarshal([]byte(text), &page)
		}
		return len(page.Items), err
	}
	for _, s := range f.servers {
		eventually(ctx, t, "search by "+s.name, func() error {
			n, err := found(s, markOf(j.name))
			if err == nil && n == 0 {
				err = fmt.Errorf("%s finds nothing of its own", j.name)
			}
			return err
		})
		for _, mark := range j.strangers(f) {
			eventually(ctx, t, "search by "+s.name, func() error {
				n, err := found(s, mark)
				if err == nil && n > 0 {
					t.Errorf("%s finds %d entries that another said", j.name, n)
				}
				return err
			})
		}
	}
}

// owns holds a log against whose it is: each message begins with the mark of its tenant,
// and ids of writers begin with its name.
func (j *journal) owns(t *testing.T, s *session.Session) {
	t.Helper()
	for e := range s.Log().Entries() {
		if i := strings.LastIndexByte(e.ID, '-'); i > 0 && len(e.ID)-i == 8 && strings.Contains(e.ID, ".w") && !strings.HasPrefix(e.ID, j.name+".") {
			t.Errorf("entry %s is in %s of %s", e.ID, s.ID(), j.name)
		}
		if m, ok := e.Payload.(tenfold.UserMessage); ok && !strings.HasPrefix(tenfold.SearchText(m), markOf(j.name)) {
			t.Errorf("message %s in %s is not of %s", e.ID, s.ID(), j.name)
		}
	}
}

// verifyAudit holds the audit log of a tenant against its conversations: each command and
// each job that changed a view, and each deletion, is told of once, and nothing else is.
func verifyAudit(ctx context.Context, t *testing.T, r *tenant.Registry, j *journal, logs map[string]*session.Session) {
	t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for id, s := range logs {
		said := map[string]string{} // what each command did
		for e := range s.Log().Entries() {
			switch p := e.Payload.(type) {
			case tenfold.Compaction:
				said[p.Command] = "compact"
			case tenfold.CompactionRevoked:
				if said[p.Command] == "" {
					said[p.Command] = "undo"
				}
			}
		}
		for _, did := range said {
			want[did+" "+id]++
		}
	}
	for id := range j.deleted {
		want["delete "+id] = 1
	}
	all := 0
	for page := (tenant.Page{Limit: 1000}); ; {
		events, next, err := r.Events(ctx, j.number, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			gone := e.Action != "delete" && j.deleted[e.Subject]
			if made := strings.HasPrefix(e.Action, "t"); !gone && !made { // of the tenant or its tokens
				got[e.Action+" "+e.Subject]++
				all++
			}
			if e.Outcome != tenant.Done && !strings.HasPrefix(e.Action, "t") {
				t.Errorf("%s: the audit log has %s of %s: %s", j.name, e.Action, e.Subject, e.Outcome)
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	for what, n := range want {
		if got[what] != n {
			t.Errorf("%s: the audit log tells %d times of %s, which was done %d times", j.name, got[what], what, n)
		}
		delete(got, what)
	}
	for what, n := range got {
		t.Errorf("%s: the audit log tells %d times of %s, which was not done", j.name, n, what)
	}
	t.Log(j.name + ": the audit log holds " + strconv.Itoa(all) + " events of conversations")
}
