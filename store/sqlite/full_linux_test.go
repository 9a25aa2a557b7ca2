package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// disk is one that a test can fill, where the tests may mount one.
func disk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=5m"); err != nil {
		t.Skip("no disk to fill:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A store on a disk that got full since cannot be opened, and says why.
func TestFullDiskIsNamedOnOpening(t *testing.T) {
	dir := disk(t)
	path := filepath.Join(dir, "store.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 6<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("the disk is not full:", err)
	}
	if _, err = Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "free some disk space") {
		t.Errorf("a full disk gives %v", err)
	}
}

// The same on a disk that is truly full, where the tests may mount one.
func TestFullDisk(t *testing.T) {
	dir := disk(t)
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
