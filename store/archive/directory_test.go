package archive_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"tenfold"
	"tenfold/store"
	"tenfold/store/archive"
	"tenfold/store/memory"
)

// manyLogs gives a store of so many conversations.
func manyLogs(t testing.TB, n int) store.Store {
	t.Helper()
	st := memory.New()
	for i := range n {
		e := tenfold.Entry{ID: "e", Payload: tenfold.AssistantMessage{Text: "said"}}
		if err := st.Create(t.Context(), store.Conversation{ID: fmt.Sprintf("c%05d", i)}, e); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// Every file and directory is on the disk before an export is told to be done, and every
// log before the list of them is begun; one that cannot be is an error, and no list says
// that it is there.
func TestDirectoryIsOnDisk(t *testing.T) {
	const n = 200
	full := errors.New("the disk is full")
	for name, failing := range map[string]bool{"all": false, "one fails": true} {
		there := t.TempDir()
		dir := filepath.Join(there, "new", "out")
		var mu sync.Mutex
		done := map[string]bool{}
		to, end, err := archive.Synchronising(dir, func(f *os.File) error {
			_, none := os.Stat(filepath.Join(dir, archive.Index))
			mu.Lock()
			defer mu.Unlock()
			name := f.Name()
			if done[name] = true; filepath.Ext(name) == ".jsonl" && filepath.Base(name) != archive.Index && none == nil {
				t.Errorf("the list is there before %s is on the disk", name)
			}
			if about, err := f.Stat(); err == nil && about.IsDir() {
				return &fs.PathError{Op: "sync", Path: name, Err: syscall.EINVAL} // it is not for this file system
			}
			if failing && filepath.Base(name) == "000007.jsonl" {
				return full
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = archive.Write(t.Context(), manyLogs(t, n), to)
		err = errors.Join(err, end())
		if errors.Is(err, full) != failing || !failing && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, archive.Index)); (err == nil) == failing {
			t.Errorf("%s: the list: %v", name, err)
		}
		if failing {
			continue
		}
		err = filepath.WalkDir(there, func(path string, _ fs.DirEntry, err error) error {
			if !done[path] {
				t.Errorf("%s is not on the disk", path)
			}
			return err
		})
		if err != nil || len(done) != n+5 {
			t.Errorf("%d are on the disk, %v", len(done), err)
		}
	}
}

// BenchmarkDirectory writes an archive of 2,000 conversations.
func BenchmarkDirectory(b *testing.B) {
	st := manyLogs(b, 2000)
	for n := 0; b.Loop(); n++ {
		to, end, err := archive.Directory(filepath.Join(b.TempDir(), fmt.Sprint(n)))
		if err == nil {
			_, err = archive.Write(b.Context(), st, to)
			err = errors.Join(err, end())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
