// Package outfile writes files completely or not at all.
package outfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that is written completely or not at all: under a temporary
// name in the same directory, and renamed by commit.
type File struct {
	*os.File
	// Path is the final name.
	Path string
	// Direct is set for a pipe or a device, which cannot be replaced.
	Direct bool
	done   bool
}

// Create starts a file. An existing file keeps its mode, and is replaced only
// by commit.
func Create(name string, mode fs.FileMode) (*File, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	} else if errors.Is(err, fs.ErrNotExist) {
		name = missing(name)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("is a directory")}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &File{File: f, Path: name, Direct: true}, err
	}
	for range 100 {
		f, err := os.OpenFile(name+".tmp-"+rand.Text()[:8], os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, named(name, err)
		}
		if info != nil {
			_ = f.Chmod(info.Mode().Perm())
		}
		return &File{File: f, Path: name}, nil
	}
	return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("cannot create a temporary file in its directory")}
}

// missing is where the links lead that a name is of, to a file that is not there yet.
func missing(name string) string {
	const most = 40 // as many as systems follow
	for range most {
		target, err := os.Readlink(name)
		switch {
		case err != nil:
			return name
		case filepath.IsAbs(target):
			name = target
		default: // joined as it is: its directory may be a link too
			name = filepath.Dir(name) + string(filepath.Separator) + target
		}
	}
	return name
}

// Write writes a file of this content, in a directory that is made for its owner alone if
// there is none.
func Write(name string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := Create(name, mode)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

// Commit moves the file to its place.
func (f *File) Commit() error { return f.commit(os.Rename) }

// CommitNew is Commit where nothing stands in the file's place: what another program put
// there first stays, and the error is [fs.ErrExist].
func (f *File) CommitNew() error {
	return f.commit(func(from, to string) error {
		err := os.Link(from, to)
		if _, there := os.Lstat(to); err != nil && errors.Is(there, fs.ErrNotExist) {
			return os.Rename(from, to) // the file system has no links
		}
		if err == nil {
			err = os.Remove(from)
		}
		return err
	})
}

func (f *File) commit(move func(from, to string) error) error {
	f.done = true
	if f.Direct {
		return f.Close()
	}
	err := f.Sync()
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = move(f.Name(), f.Path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return named(f.Path, err)
}

// Write writes what is to be in the file.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, named(f.Path, err)
}

// named has an error name the file itself, not the temporary one.
func named(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		path.Path = name
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "write", Path: name, Err: link.Err}
	}
	return err
}

// Abandon removes what was written, unless it was committed.
func (f *File) Abandon() {
	if f.done {
		return
	}
	_ = f.Close()
	if !f.Direct {
		_ = os.Remove(f.Name())
	}
}
