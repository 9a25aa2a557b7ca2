package sqlite

import (
	"errors"
	"os"
	"path/filepath"
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

// A store on a disk that got full since is opened for reading, and written once there is
// room again.
func TestFullDiskIsRead(t *testing.T) {
	dir := disk(t)
	other := filepath.Join(dir, "other")
	onlyRead(t, dir, "free some disk space", func() {
		if err := os.WriteFile(other, make([]byte, 6<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal("the disk is not full:", err)
		}
	}, func() {
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	})
}

// The same on a disk that is mounted for reading.
func TestReadOnlyDiskIsRead(t *testing.T) {
	dir := disk(t)
	mount := func(flags uintptr) {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	onlyRead(t, dir, "copy the file to a disk", func() { mount(syscall.MS_RDONLY) }, func() { mount(0) })
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
