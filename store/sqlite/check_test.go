package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tenfold"
	"tenfold/store"
)

// A check finds a whole file whole, and pages that were overwritten.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []tenfold.Entry
	for range 2000 {
		entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("e%d", len(entries)), Payload: tenfold.AssistantMessage{Text: "some text that takes room in the file"}})
	}
	for i := range entries {
		entries[i].Seq = int64(i) + 1
	}
	if err := s.Create(t.Context(), store.Conversation{ID: "c"}, entries...); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err != nil || found.Damage != nil || found.Version < 1 {
		t.Fatalf("a whole file: %v, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 2; i < len(data)/2+8192; i++ {
		data[i] = 0xff
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err == nil && found.Damage == nil {
		t.Error("damage is not found")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
