package archive

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// Directory writes an archive into a directory, which is made; one that holds
// anything is an error. Whoever reads its files reads conversations: they are the
// user's alone. When end returns nil, all that was written survives a crash; the list of
// the conversations is not begun before all that it lists does.
func Directory(name string) (to Sink, end func() error, err error) {
	d, err := newDirectory(name)
	if err != nil {
		return nil, nil, err
	}
	return d, d.end, nil
}

func newDirectory(name string) (*directory, error) {
	// A directory that is made is on the disk once the one that it is in is, too.
	var in []string
	for at := filepath.Clean(name); filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		in = append(in, filepath.Dir(at))
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	if found, err := os.ReadDir(name); err != nil || len(found) > 0 {
		return nil, errors.Join(err, &fs.PathError{Op: "write", Path: name, Err: errors.New("the directory is not empty")})
	}
	d := &directory{name: name, made: append(in, name), sync: (*os.File).Sync}
	d.syncing.SetLimit(atOnce)
	return d, nil
}

// atOnce is how many files wait for the disk at once: file systems write them down
// together, and one after the other each would wait by itself.
const atOnce = 64

type directory struct {
	name    string
	made    []string // directories, and those that they were made in
	file    *os.File
	syncing errgroup.Group // of the files before
	sync    func(*os.File) error
}

// Create implements [Sink].
func (d *directory) Create(name string) (io.Writer, error) {
	d.next()
	if name == Index {
		if err := d.syncing.Wait(); err != nil {
			return nil, err
		}
	}
	name = filepath.Join(d.name, filepath.FromSlash(name))
	if in := filepath.Dir(name); in != d.made[len(d.made)-1] && in != d.name {
		if err := os.MkdirAll(in, 0o700); err != nil {
			return nil, err
		}
		d.made = append(d.made, in)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	d.file = f
	return f, nil
}

// next ends the file that was written.
func (d *directory) next() {
	f := d.file
	if d.file = nil; f != nil {
		d.syncing.Go(func() error { return errors.Join(d.sync(f), f.Close()) })
	}
}

func (d *directory) end() error {
	d.next()
	if err := d.syncing.Wait(); err != nil || runtime.GOOS == "windows" { // which has no such thing for directories
		return err
	}
	for _, name := range d.made {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrPermission) {
			continue // one that was there, which others may not list
		}
		if err == nil {
			err = d.sync(f)
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
				err = nil // the file system, of a network say, knows no such thing
			}
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
