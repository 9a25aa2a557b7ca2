package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// siblingLimit is the most that is read of a sibling file.
const siblingLimit = 16 << 20

// Sibling reads a small file beside the source, or in a directory beside it,
// with "/" between the parts; nil when there is none.
func (s Source) Sibling(name string) ([]byte, error) {
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

// HeadSize is how much of a source detection sees.
const HeadSize = 64 << 10

// readHead reads the head and gives a reader of the whole.
func readHead(r io.Reader) ([]byte, io.Reader, error) {
	if r == nil {
		return nil, nil, errors.New("there is nothing to read from")
	}
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	head = head[:n]
	return head, io.MultiReader(bytes.NewReader(head), r), nil
}

// Head gives the first bytes of the source; they are still to be read.
func (s *Source) Head() ([]byte, error) {
	if s.Intake != nil && s.Intake.Head != nil {
		return s.Intake.Head, nil
	}
	head, rest, err := readHead(s.Reader)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	s.Reader = rest
	return head, nil
}

var Bom = []byte("\xef\xbb\xbf")

// List names the files of a directory beside the source, in order; none when
// there is no such directory.
func (s Source) List(dir string) ([]string, error) {
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
