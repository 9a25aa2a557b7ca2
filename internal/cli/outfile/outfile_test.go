package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file appears whole or not at all.
func TestOutFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	write := func(text string, commit bool) {
		t.Helper()
		f, err := Create(name, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Write([]byte(text))
		if commit {
			err = errors.Join(err, f.Commit())
		}
		f.Abandon()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(text string) {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil || string(data) != text {
			t.Errorf("the file holds %q, %v; want %q", data, err, text)
		}
		if all, _ := os.ReadDir(dir); len(all) != 1 {
			t.Errorf("the directory holds %v", all)
		}
	}
	write("half", false)
	want("old")
	write("new", true)
	want("new")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}
