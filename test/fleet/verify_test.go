//go:build unix

package fleet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/fleet/tenant"
	"tenfold/session"
	"tenfold/store/postgres"
)

// verify looks at what is in the database, past the servers: all that was
// acknowledged, once, in its order, and nothing else; and conversations that every
// provider takes.
func verify(ctx context.Context, t *testing.T, f *fleet, j *journal, jobs []job) {
	t.Helper()
	db, err := postgres.OpenDatabase(ctx, f.direct)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	st, err := db.TenantNumbered(ctx, j.number)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
	found, entries, overlays := map[string]*session.Session{}, 0, 0
	for c, err := range svc.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		k := j.logs[c.ID]
		if k == nil {
			t.Errorf("conversation %s was deleted, or nobody made it", c.ID)
			continue
		}
		s, err := svc.Open(ctx, c.ID) // which holds the log to its rules
		if err != nil {
			t.Errorf("conversation %s: %v", c.ID, err)
			continue
		}
		found[c.ID] = s
		if c.Version != s.Log().Version() || c.Stats.Turns != s.Log().Turns() {
			t.Errorf("conversation %s is listed with version %d and %d turns, and has %d and %d", c.ID, c.Version, c.Stats.Turns, s.Log().Version(), s.Log().Turns())
		}
		entries += int(c.Version)
		overlays += verifyLog(t, s, k)
		j.owns(t, s)
		for _, p := range body.Profiles() {
			b, err := p.Write(s.Projection())
			if err != nil {
				t.Errorf("conversation %s for %s: %v", c.ID, p.Name, err)
				continue
			}
			for _, v := range p.Check(b) {
				t.Errorf("conversation %s for %s: %v", c.ID, p.Name, v)
			}
		}
	}
	for id := range j.logs {
		if found[id] == nil {
			t.Errorf("conversation %s is lost", id)
		}
	}
	verifyJobs(t, jobs, found)
	verifyAudit(ctx, t, tenant.NewRegistry(db), j, found)
	t.Logf("%s: %d conversations with %d entries, %d of them overlays; %v", j.name, len(found), entries, overlays, j.counts)
}

// verifyLog holds a log against what is known of it, and counts its overlays.
func verifyLog(t *testing.T, s *session.Session, k *known) (overlays int) {
	t.Helper()
	seen, last, commands := map[string]bool{}, map[string]int{}, map[string]int{}
	for e := range s.Log().Entries() {
		if seen[e.ID] {
			t.Errorf("entry %s is in %s twice", e.ID, s.ID())
		}
		seen[e.ID] = true
		if at := int(e.Seq) - 1; at < len(k.ids) && k.ids[at] != "" && k.ids[at] != e.ID {
			t.Errorf("entry %d of %s is %s; somebody read %s there", e.Seq, s.ID(), e.ID, k.ids[at])
		}
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			overlays++
			commands[c.Command]++
			continue
		}
		// Writers number what they say.
		if i := strings.LastIndexByte(e.ID, '-'); i > 0 {
			if n, err := strconv.Atoi(e.ID[i+1:]); err == nil && len(e.ID)-i == 8 {
				if n <= last[e.ID[:i]] {
					t.Errorf("entry %s of %s stands after %d of the same writer", e.ID, s.ID(), last[e.ID[:i]])
				}
				last[e.ID[:i]] = n
			}
		}
	}
	if n := int64(len(k.ids)); n > s.Log().Version() {
		t.Errorf("%s has %d entries, and somebody read %d", s.ID(), s.Log().Version(), n)
	}
	for id := range k.acked {
		if !seen[id] {
			t.Errorf("entry %s of %s was acknowledged and is lost", id, s.ID())
		}
	}
	for command, n := range k.commands {
		if commands[command] != n {
			t.Errorf("command %s on %s was acknowledged with %d overlays; it has %d", command, s.ID(), n, commands[command])
		}
	}
	// Overlays of a command stand together, as they were written in one step.
	var order []string
	for e := range s.Log().Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Command != "" {
			order = append(order, c.Command)
		}
	}
	order = slices.Compact(order)
	slices.Sort(order)
	if n := len(order); len(slices.Compact(order)) != n {
		t.Errorf("a command compacted %s twice: %v", s.ID(), order)
	}
	return overlays
}

// sameEverywhere asks every server for what a model sees, and wants one answer.
func sameEverywhere(ctx context.Context, t *testing.T, f *fleet, j *journal) {
	t.Helper()
	asked := 0
	for id := range j.logs {
		if asked++; asked > 5 {
			break
		}
		first := ""
		for _, s := range f.servers {
			eventually(ctx, t, "ask "+s.name, func() error {
				got, err := s.get(ctx, j.token, "/api/conversations/"+id+"/view")
				switch {
				case err != nil:
					return err
				case first == "":
					first = got
				case got != first:
					return fmt.Errorf("%s shows %s otherwise than the first", s.name, id)
				}
				return nil
			})
		}
	}
}
