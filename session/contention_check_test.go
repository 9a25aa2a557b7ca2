package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/session"
	"tenfold/store"
)

// contested makes conversations of one turn each.
func contested(t *testing.T, svc *session.Service, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		id := fmt.Sprintf("c%03d", i)
		if _, err := svc.Create(t.Context(), session.Create{ID: id, Entries: talk(1)}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// checkContested checks, with eyes that saw nothing of it, what was left: what
// was acknowledged is there once (D2), where it was said to be, so that every
// version had one winner (L8); nothing else is there; no request compacted
// twice (L9); and a provider takes every conversation as it is (P10).
func checkContested(t *testing.T, st store.Store, ids []string, acks []ack) {
	t.Helper()
	won := map[string]map[string]int64{}
	for _, id := range ids {
		won[id] = map[string]int64{}
	}
	for _, a := range acks {
		if seq, ok := won[a.conversation][a.id]; ok && seq != a.seq {
			t.Errorf("%s of %s was acknowledged as %d and as %d", a.id, a.conversation, seq, a.seq)
		}
		won[a.conversation][a.id] = a.seq
	}
	initial := len(talk(1))
	svc := session.NewService(st)
	for _, id := range ids {
		var last int64
		seen, requests := map[string]bool{}, map[string]bool{}
		for e, err := range st.Entries(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if last++; e.Seq != last {
				t.Fatalf("%s: entry %d comes after %d", id, e.Seq, last-1)
			}
			if seen[e.ID] {
				t.Errorf("%s: %s is there twice", id, e.ID)
			}
			seen[e.ID] = true
			if _, ok := e.Payload.(tenfold.Compaction); ok {
				if requests[requestOf(e.ID)] {
					t.Errorf("%s: request %s compacted twice", id, requestOf(e.ID))
				}
				requests[requestOf(e.ID)] = true
			}
			if seq, ok := won[id][e.ID]; int(last) > initial && (!ok || seq != last) {
				t.Errorf("%s: entry %d is %s, which was acknowledged as %d", id, last, e.ID, seq)
			}
		}
		for name, seq := range won[id] {
			if !seen[name] {
				t.Errorf("%s: %s was acknowledged as %d, and is lost", id, name, seq)
			}
		}
		s, err := svc.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		checkShown(t, s, requests)
	}
}

// checkShown checks a conversation's projection: each compaction is an overlay
// of it, once, and the providers take it.
func checkShown(t *testing.T, s *session.Session, requests map[string]bool) {
	t.Helper()
	overlays := map[string]int{}
	for o := range s.Projection().Overlays() {
		overlays[requestOf(o.ID)]++
	}
	for request := range requests {
		if overlays[request] != 1 {
			t.Errorf("%s: request %s has %d overlays", s.ID(), request, overlays[request])
		}
	}
	if len(overlays) != len(requests) {
		t.Errorf("%s: %d overlays of %d requests", s.ID(), len(overlays), len(requests))
	}
	for _, f := range body.Profiles() {
		body, err := f.Write(s.Projection())
		if err != nil {
			t.Errorf("%s: %v", s.ID(), err)
			continue
		}
		if bad := f.Check(body); len(bad) > 0 {
			t.Errorf("%s: %s would refuse %v", s.ID(), f.Name, bad)
		}
	}
}

// digest sums up all logs as a service reads them.
func digest(ctx context.Context, svc *session.Service, ids []string) (string, error) {
	sum := sha256.New()
	for _, id := range ids {
		s, err := svc.Open(ctx, id)
		if err != nil {
			return "", err
		}
		for e := range s.Log().Entries() {
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				return "", err
			}
			_, _ = fmt.Fprintf(sum, "%s %d %s\n", id, e.Seq, line)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// report logs what happened.
func report(t *testing.T, begun time.Time, acks []ack, all tally) {
	t.Helper()
	t.Logf("%d entries acknowledged in %v: %+v", len(acks), time.Since(begun).Round(time.Millisecond), all)
}
