package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A File is a [Source] on disk.
type File struct {
	Source
	file *os.File
	root *os.Root
}

// Open opens the file at path as a source, or the directory that is one
// transcript. Its siblings are confined to the file's directory, links
// included. A pipe is read as standard input would be; one that nobody writes
// to is an error when it is read, after [pipePatience].
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openDirectory(path)
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return openPipe(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return &File{Source: Source{Name: path, Reader: f}, file: f}, nil
	}
	out := &File{Source: Source{Name: path, Reader: f, Size: info.Size(), Path: path}, file: f}
	// Without siblings a format that has some is read with less, not refused.
	dir := filepath.Dir(path)
	if days, ok := rolloutRoot(filepath.ToSlash(path)); ok {
		dir = filepath.FromSlash(days)
	}
	if root, err := os.OpenRoot(dir); err == nil {
		out.root, out.Siblings = root, root.FS()
	}
	return out, nil
}

// openDirectory opens the file that a transcript which is a directory begins
// with.
func openDirectory(path string) (*File, error) {
	main, err := mainFile(path)
	if err != nil {
		return nil, err
	}
	if main == "" {
		return nil, &Error{
			Name: path, Err: errors.New("is a directory, not a transcript"),
			Hint: "name a file in it, or import all there are with \"tenfold conversation import\"",
		}
	}
	return Open(filepath.Join(path, main))
}

// Close closes the file.
func (f *File) Close() error {
	if f.root != nil {
		_ = f.root.Close()
	}
	return f.file.Close()
}

// siblingLimit is the most that is read of a sibling file.
const siblingLimit = 16 << 20

// sibling reads a small file beside the source, or in a directory beside it,
// with "/" between the parts; nil when there is none.
func (s Source) sibling(name string) ([]byte, error) {
	if s.Siblings == nil || !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return nil, nil
	}
	// Opening a pipe would wait for somebody who writes to it.
	info, err := fs.Stat(s.Siblings, name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	var f fs.File
	if err == nil {
		f, err = s.Siblings.Open(name)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, siblingLimit+1))
	if err != nil {
		return nil, err
	}
	if len(data) > siblingLimit {
		return nil, fmt.Errorf("%s is larger than 16 MB", name)
	}
	s.count(len(data))
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), nil
}

// headSize is how much of a source detection sees.
const headSize = 64 << 10

// peek reads the head and gives a reader of the whole.
func peek(r io.Reader) ([]byte, io.Reader, error) {
	if r == nil {
		return nil, nil, errors.New("there is nothing to read from")
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	head = head[:n]
	return head, io.MultiReader(bytes.NewReader(head), r), nil
}

// head gives the first bytes of the source; they are still to be read.
func (s *Source) head() ([]byte, error) {
	if s.intake != nil && s.intake.head != nil {
		return s.intake.head, nil
	}
	head, rest, err := peek(s.Reader)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	s.Reader = rest
	return head, nil
}

var bom = []byte("\xef\xbb\xbf")

// unreadable tells sources that no importer can read, and what they are.
func unreadable(head []byte) *Error {
	text := bytes.TrimPrefix(head, bom)
	if len(bytes.TrimSpace(text)) == 0 && len(head) < headSize {
		return &Error{Err: errors.New("the file is empty"), Hint: "was the session saved?"}
	}
	for _, m := range [...]struct{ magic, what, hint string }{
		{"\x1f\x8b", "a gzip archive", "unpack it first"}, // told of a head alone: Import unpacks it
		{"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first"},
		{"PK\x03\x04", "a zip archive", "unpack it first"},
		{"\xff\xfe", "UTF-16 text", "convert it to UTF-8"},
		{"\xfe\xff", "UTF-16 text", "convert it to UTF-8"},
	} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return &Error{Err: errors.New("this is " + m.what + ", not a transcript"), Hint: m.hint}
		}
	}
	// Zeros at the end are what a crash leaves; in the first line they are not.
	start, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	if bytes.IndexByte(start, 0) >= 0 {
		return &Error{Err: errors.New("this is a binary file, not a transcript"), Hint: "known formats: " + knownFormats()}
	}
	return nil
}

// list names the files of a directory beside the source, in order; none when
// there is no such directory.
func (s Source) list(dir string) ([]string, error) {
	if s.Siblings == nil {
		return nil, nil
	}
	entries, err := fs.ReadDir(s.Siblings, dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
