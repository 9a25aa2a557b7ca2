package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"tenfold/problem"
)

// The hint is about what is wrong: a full disk is not a wrong path.
func TestFileTrouble(t *testing.T) {
	for _, tt := range []struct {
		err        error
		code, hint string
	}{
		{syscall.ENOENT, "not_found", "check the path"},
		{syscall.EACCES, "permission", "check the file's permissions"},
		{syscall.EROFS, "permission", "check the file's permissions"},
		{syscall.ENOSPC, "disk_full", "free some disk space and try again"},
		{syscall.EDQUOT, "disk_full", "free some disk space and try again"},
		{syscall.EIO, "file", "check the disk"},
		{syscall.EMFILE, "file", "too many open files: end other programs, or raise the limit"},
		{syscall.ENOTDIR, "file", "check the path"},
	} {
		f := Explain(fmt.Errorf("save: %w", &fs.PathError{Op: "write", Path: "a/b", Err: tt.err}))
		if f.Code != tt.code || f.Hint != tt.hint || f.Error() != "a/b: "+tt.err.Error() {
			t.Errorf("%v is %q, %s, %q", tt.err, f.Error(), f.Code, f.Hint)
		}
	}
}

// A directory that was removed under the person is told as that.
func TestWorkingDirectoryThatIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it cannot be removed there")
	}
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if _, err := WorkingDirectory(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	p := &problem.Error{}
	if got, err := WorkingDirectory(); !errors.As(err, &p) || !strings.Contains(err.Error(), "was removed") || p.Hint == "" {
		t.Errorf("%q, %v", got, err)
	}
}
