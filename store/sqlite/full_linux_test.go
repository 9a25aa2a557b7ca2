package sqlite

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The same on a disk that is truly full, where the tests may mount one.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=5m"); err != nil {
		t.Skip("no disk to fill:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(t.Context(), filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	// To delete takes room too, in the write-ahead log.
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	fillUp(t, s, func() {
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	})
}
