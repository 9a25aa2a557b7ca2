package toolbox

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"tenfold/problem"
	"tenfold/toolbox/internal/output"
)

const (
	// maxFile is the most that is read of one file.
	maxFile = 32 << 20
	// maxLinks is how many symbolic links one path may lead through.
	maxLinks = 40
)

// A workspace is the directory that tools for files work in.
type workspace struct {
	Options
	root *os.Root
	// dir is the directory as it was named, real without links in it; absolute.
	dir, real string
	// writing is held from the look at a file to the end of its change.
	writing sync.Mutex

	mu   sync.Mutex
	seen map[string]sight // by place, without links
}

// A sight is a file's hash when the model last read or wrote it, and whether it
// knows all of it.
type sight struct {
	hash  string
	whole bool
}

func openWorkspace(dir string, o Options) (*workspace, error) {
	w := &workspace{Options: o, seen: map[string]sight{}}
	var err error
	if w.dir, err = filepath.Abs(dir); err == nil {
		w.real, err = filepath.EvalSymlinks(w.dir)
	}
	if err == nil {
		w.root, err = os.OpenRoot(w.real)
	}
	if err != nil {
		return nil, &problem.Error{Op: "open workspace", Subject: dir, Hint: "name a directory that exists", Err: err}
	}
	return w, nil
}

// A place is where a path leads: as it was named, and as it is without links; both
// with slashes, relative to the workspace.
type place struct{ name, real string }

// place finds where a path leads. It is an error where that is outside the
// workspace. The file itself need not exist.
func (w *workspace) place(name string) (place, error) {
	clean, err := w.relative(name)
	if err != nil {
		return place{}, err
	}
	p := place{name: clean, real: "."}
	links, missing := 0, false
	for rest := strings.Split(clean, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..": // of a link's target: the directory it leads from has no links
			switch {
			case p.real == ".":
				return p, outside(name)
			case missing:
				return p, w.explain(clean, fs.ErrNotExist)
			}
			p.real = path.Dir(p.real)
			continue
		}
		next := path.Join(p.real, part)
		info, err := w.root.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			p.real, missing = next, missing || err != nil
			continue
		}
		if links++; links > maxLinks {
			return p, fmt.Errorf("%s leads through too many symbolic links", show(name))
		}
		target, err := w.root.Readlink(next)
		if err != nil {
			return p, w.explain(clean, err)
		}
		if filepath.IsAbs(target) {
			if target, err = w.relative(target); err != nil {
				return p, outside(name)
			}
			p.real = "."
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return p, nil
}

// relative gives a path as the workspace's own, cleaned by its text alone.
func (w *workspace) relative(name string) (string, error) {
	switch {
	case strings.ContainsRune(name, 0):
		return "", errors.New("a path cannot hold a NUL byte")
	case name == "~" || strings.HasPrefix(name, "~/"):
		return "", fmt.Errorf("%s: ~ is not expanded; name a path of the workspace", show(name))
	case filepath.IsAbs(name):
		for _, base := range []string{w.dir, w.real} {
			if rel, err := filepath.Rel(base, name); err == nil && filepath.IsLocal(rel) {
				return path.Clean(filepath.ToSlash(rel)), nil
			}
		}
		return "", outside(name)
	}
	clean := path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", outside(name)
	}
	return clean, nil
}

func outside(name string) error {
	return fmt.Errorf("%s is outside the workspace; paths are relative to the workspace", show(name))
}

// show gives a path as it can stand in a line.
func show(name string) string { return output.Line(name, 300) }

// explain says in words what is wrong with a path.
func (w *workspace) explain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir := path.Dir(name)
		for dir != "." {
			if info, err := w.root.Stat(dir); err == nil && info.IsDir() {
				break
			}
			dir = path.Dir(dir)
		}
		below, _, _ := strings.Cut(strings.TrimPrefix(name, dir+"/"), "/")
		var there []string
		if d, err := w.root.Open(dir); err == nil {
			there, _ = d.Readdirnames(1000)
			_ = d.Close()
		}
		hint := problem.DidYouMean(below, there)
		if hint != "" {
			hint = "; " + output.Line(hint, 200)
		}
		return fmt.Errorf("%s does not exist%s", show(name), hint)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", show(name))
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", show(name), err)
}

// A file is a file's content with what is to be kept of it.
type file struct {
	place
	mode fs.FileMode
	data []byte
}

// load reads a regular file of bounded size.
func (w *workspace) load(name string) (file, error) {
	at, err := w.place(name)
	if err != nil {
		return file{}, err
	}
	f := file{place: at}
	opened, err := w.root.OpenFile(at.real, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it waits for nobody where it has just become a pipe
	if err != nil {
		return f, w.explain(at.name, err)
	}
	defer func() { _ = opened.Close() }()
	info, err := opened.Stat()
	if err == nil {
		err = regular(at.name, info)
	}
	if err != nil {
		return f, err
	}
	f.mode = info.Mode().Perm()
	if f.data, err = io.ReadAll(io.LimitReader(opened, maxFile+1)); err != nil {
		return f, w.explain(at.name, err)
	}
	if len(f.data) > maxFile { // it grows
		return f, tooLarge(at.name, int64(len(f.data)))
	}
	return f, nil
}

func regular(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory; list it with fs_list_files", show(name))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file but a device, pipe or socket", show(name))
	case info.Size() > maxFile:
		return tooLarge(name, info.Size())
	}
	return nil
}

func tooLarge(name string, size int64) error {
	return fmt.Errorf("%s is too large (%d MB; the limit is %d MB); use shell with head, tail or sed -n", show(name), size>>20, maxFile>>20)
}

// kind says what a file is that is not text; empty for text.
func (f file) kind() string {
	if bytes.IndexByte(f.data[:min(len(f.data), 8000)], 0) < 0 {
		return ""
	}
	kind, _, _ := strings.Cut(http.DetectContentType(f.data), ";")
	return kind
}

// hash is a short hash of the content: whether a file is still as it was seen.
func (f file) hash() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:4])
}

// see notes that the model knows the file as it is, or a part of it. Parts do
// not add up to the whole, but what was whole stays so.
func (w *workspace) see(f file, whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hash := f.hash()
	if was := w.seen[f.real]; was.hash == hash {
		whole = whole || was.whole
	}
	w.seen[f.real] = sight{hash, whole}
}

// known gives what the model last saw of the file; nothing where it has not.
func (w *workspace) known(f file) sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[f.real]
}

// store puts a file's content in its place at once: readers see the old or the
// new, and a crash leaves one of them. A new file must not be there yet.
func (w *workspace) store(f file, isNew bool) error {
	dir := path.Dir(f.real)
	if isNew {
		err := w.root.MkdirAll(dir, 0o777) // less the umask, as for any program
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s cannot be made: a directory in its path is a file", show(f.name))
		}
		if err != nil {
			return w.explain(f.name, err)
		}
	}
	temp := path.Join(dir, ".tenfold-"+rand.Text()[:12]+".tmp")
	if err := w.writeNew(temp, f); err != nil {
		_ = w.root.Remove(temp)
		return w.explain(f.name, err)
	}
	var err error
	if isNew {
		err = w.root.Link(temp, f.real) // which replaces nothing
	}
	if !isNew || (err != nil && !errors.Is(err, fs.ErrExist)) { // or a file system without links
		err = w.root.Rename(temp, f.real)
	}
	_ = w.root.Remove(temp) // gone already after a rename
	if err != nil {
		return w.explain(f.name, err)
	}
	return nil
}

func (w *workspace) writeNew(name string, f file) error {
	out, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // less the umask
	if err != nil {
		return err
	}
	if f.mode != 0 {
		err = out.Chmod(f.mode)
	}
	if err == nil {
		_, err = out.Write(f.data)
	}
	return errors.Join(err, out.Close())
}
