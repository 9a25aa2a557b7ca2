package command

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/outfile"
)

// WorkingDirectory is where the person is.
func WorkingDirectory() (string, error) {
	dir, err := os.Getwd()
	if errors.Is(err, fs.ErrNotExist) {
		err = Hinted(errors.New("the working directory was removed"), "no_directory", "change to another directory")
	}
	return dir, err
}

// HomeDirectory is that of the person. A relative one would be the directory that is worked in,
// which may be a stranger's.
func HomeDirectory() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = errors.New("the home directory " + Quote(home) + " is not an absolute path")
	}
	if err != nil {
		return "", Hinted(err, "home", "set HOME")
	}
	return home, nil
}

// WriteFile writes a file whole or not at all, and says so.
func WriteFile(a *App, name string, write func(io.Writer) error) error {
	f, err := outfile.Create(name, 0o666)
	if err == nil {
		defer f.Abandon()
		if err = write(f); err == nil {
			err = f.Commit()
		}
	}
	if err != nil {
		code, hint := FileTrouble(err, "check the directory")
		return Hinted(errors.New("write "+name+": "+err.Error()), code, hint)
	}
	a.Noticef("wrote %s", terminal.VisibleLine(name))
	return nil
}

// FileTrouble gives the code and the hint for an error of a file; other is the
// hint where nothing is known.
func FileTrouble(err error, other string) (code, hint string) {
	is := func(these ...error) bool {
		return slices.ContainsFunc(these, func(this error) bool { return errors.Is(err, this) })
	}
	switch {
	case is(fs.ErrNotExist):
		return "not_found", "check the path"
	case is(fs.ErrPermission, syscall.EROFS):
		return "permission", "check the file's permissions"
	case is(syscall.ENOSPC, syscall.EDQUOT) || (runtime.GOOS == "windows" && is(syscall.Errno(112))):
		return "disk_full", "free some disk space and try again"
	case is(syscall.EIO):
		return "file", "check the disk"
	case is(syscall.EMFILE, syscall.ENFILE):
		return "file", "too many open files: end other programs, or raise the limit"
	}
	return "file", other
}
