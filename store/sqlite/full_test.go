package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
)

// A full disk: the append fails and says why, nothing of it is written, what
// is there can be read, and once there is room appends go on.
func TestFull(t *testing.T) {
	s := opened(t, withMaxPages(100))
	fillUp(t, s, func() {})
}

// room makes some on the disk, once it is full.
func fillUp(t *testing.T, s *Store, room func()) {
	t.Helper()
	for _, id := range []string{"a", "b"} {
		if err := s.Create(t.Context(), store.Conversation{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Repeat("some words ", 900)
	version := map[string]int64{}
	var err error
	for i := 0; err == nil; i++ {
		if i == 10_000 {
			t.Fatal("the disk does not get full")
		}
		id := string("ab"[i%2])
		var batch []tenfold.Entry
		for j := range 3 {
			batch = append(batch, tenfold.Entry{ID: fmt.Sprintf("%d.%d", i, j), Payload: tenfold.AssistantMessage{Text: text}})
		}
		var v int64
		if v, err = s.Append(t.Context(), store.Batch{Conversation: id, Expected: version[id], Entries: batch}); err == nil {
			version[id] = v
		}
	}
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "full") || !strings.Contains(err.Error(), "free some disk space") {
		t.Errorf("a full disk gives %v", err)
	}
	for _, id := range []string{"a", "b"} {
		n := int64(0)
		for _, err := range s.Entries(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if c, err := s.Conversation(t.Context(), id); n != version[id] || c.Version != n || err != nil {
			t.Errorf("log %s had %d entries, has %d and version %d, %v", id, version[id], n, c.Version, err)
		}
	}
	room()
	if err := s.Delete(t.Context(), "a", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	small := tenfold.Entry{ID: "small", Payload: tenfold.AssistantMessage{Text: "there is room"}}
	if v, err := s.Append(t.Context(), store.Batch{Conversation: "b", Expected: version["b"], Entries: []tenfold.Entry{small}}); err != nil || v != version["b"]+1 {
		t.Errorf("with room again an append gives %d, %v", v, err)
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: "room"}); err != nil || len(hits) != 1 {
		t.Errorf("with room again a search gives %v, %v", hits, err)
	}
}
