package transcript

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tenfold/transcript/internal/intake"
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
// to is an error when it is read, after three seconds.
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

// unreadable tells sources that no importer can read, and what they are.
func unreadable(head []byte) *Error {
	text := bytes.TrimPrefix(head, intake.Bom)
	if len(bytes.TrimSpace(text)) == 0 && len(head) < intake.HeadSize {
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

// rolloutRoot is the folder below which rollouts lie by day, for a file in it.
func rolloutRoot(path string) (dir string, ok bool) {
	parts := strings.Split(path, "/")
	n := len(parts)
	if n < 5 || !strings.HasPrefix(parts[n-1], "rollout-") {
		return "", false
	}
	for i, digits := range [...]int{4, 2, 2} {
		day := parts[n-4+i]
		if len(day) != digits || strings.Trim(day, "0123456789") != "" {
			return "", false
		}
	}
	return strings.Join(parts[:n-4], "/"), true
}
