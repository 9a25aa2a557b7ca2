package outfile

import (
	"errors"
	"io/fs"
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

// What goes wrong is told of the file that was to be written: nobody knows the temporary one.
func TestErrorsNameTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	for want, spoil := range map[string]func(*File) error{
		"a name that is taken": func(*File) error { return os.MkdirAll(filepath.Join(name, "x"), 0o700) },
		"a file that is gone":  func(f *File) error { return os.Remove(f.Name()) },
		"a file that is shut":  func(f *File) error { return f.Close() },
	} {
		f, err := Create(name, 0o600)
		if err == nil {
			err = spoil(f)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, writing := f.Write([]byte("x"))
		for _, err := range []error{writing, f.Commit()} {
			if path, ok := errors.AsType[*fs.PathError](err); err != nil && (!ok || path.Path != name) {
				t.Errorf("%s: %v", want, err)
			}
		}
		if _, err := os.Stat(f.Name()); err == nil {
			t.Errorf("%s: the temporary file is left", want)
		}
		_ = os.RemoveAll(name)
	}
}

// A link to a file that is not there yet stays a link, as one to a file does.
func TestOutFileBehindALink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "there"), 0o750); err != nil {
		t.Fatal(err)
	}
	name, end := filepath.Join(dir, "link"), filepath.Join(dir, "there", "out")
	for from, to := range map[string]string{name: "there/second", filepath.Join(dir, "there", "second"): end} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"new", "newer"} {
		if err := Write(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(end); err != nil || string(data) != text {
			t.Errorf("the file holds %q, %v; want %q", data, err, text)
		}
		if info, err := os.Lstat(name); err != nil || info.Mode().Type() != os.ModeSymlink {
			t.Errorf("the link is %v, %v", info.Mode(), err)
		}
	}
}
