package transcript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// How much is read of a session to describe it, in bytes: of its beginning, more
// where no request stands there, but no more than the most; and of its end.
const (
	sessionHead     = 128 << 10
	sessionHeadMost = 8 << 20
	sessionTail     = 128 << 10
)

// Describe fills in what a session says of itself, from the beginning and the end
// of its file: it takes milliseconds, however large the file is.
func (s *Session) Describe(ctx context.Context) error {
	if s.described {
		return nil
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h, _ := find(s.Format)
	if h.RanIn != nil {
		s.Directory = h.RanIn(s.Path)
	}
	if s.Size <= sessionHead {
		err = s.describeWhole(ctx, f)
	} else {
		err = s.describeEnds(ctx, f)
	}
	s.described = err == nil
	return err
}

func (s *Session) describeWhole(ctx context.Context, f io.ReaderAt) error {
	text, err := readAt(f, 0, s.Size)
	if err != nil {
		return err
	}
	return s.skim(ctx, text, false)
}

func (s *Session) describeEnds(ctx context.Context, f io.ReaderAt) error {
	for size := int64(sessionHead); s.Title == "" && size <= sessionHeadMost; size *= 8 {
		head, err := readAt(f, 0, min(size, s.Size))
		if err != nil {
			return err
		}
		if size < s.Size {
			head = head[:bytes.LastIndexByte(head, '\n')+1] // the last line is torn
		}
		// A part may say too little, or nothing that can be read.
		if err := s.skim(ctx, head, true); ctx.Err() != nil || err != nil && size >= s.Size {
			return err
		}
		if size >= s.Size {
			break
		}
	}
	tail, err := readAt(f, s.Size-sessionTail, sessionTail)
	if err != nil {
		return err
	}
	_, tail, _ = bytes.Cut(tail, []byte("\n")) // its first line is torn
	end := Session{Format: s.Format, Path: s.Path}
	if err := end.skim(ctx, tail, false); ctx.Err() != nil {
		return err
	}
	s.Ended, s.Tokens = later(s.Ended, end.Ended), end.Tokens
	return nil
}

func later(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}

// readAt reads so many bytes, or those there are.
func readAt(f io.ReaderAt, from, n int64) ([]byte, error) {
	buf := make([]byte, n)
	read, err := f.ReadAt(buf, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf[:read], err
}

// skim imports some lines of a session, and notes what a listing shows; to the
// first request if that is enough. What cannot be read of a part says nothing.
func (s *Session) skim(ctx context.Context, text []byte, enough bool) error {
	h, _ := find(s.Format)
	s.Agent = s.Agent || h.Agent != nil && h.Agent(text)
	k := &skimmed{Session: s, enough: enough}
	err := Import(ctx, Source{Name: s.Path, Reader: bytes.NewReader(text), Size: int64(len(text))}, s.Format, k)
	s.Title = cmp.Or(s.Title, k.command)
	if s.Directory == "" {
		s.Directory = k.ran(h, text)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends an import of which the rest is not wanted.
var errEnough = errors.New("enough was read")

// skimmed is a sink that notes what a listing shows.
type skimmed struct {
	*Session
	enough  bool
	command string // for a session without a request
}

func (k *skimmed) Begin(c Conversation) error {
	if k.ID == "" {
		k.ID, k.Began = c.ID, c.Created
	}
	return nil
}

func (k *skimmed) Entry(e tenfold.Entry) error {
	if !e.Time.IsZero() {
		if k.Began.IsZero() {
			k.Began = e.Time
		}
		k.Ended = later(k.Ended, e.Time)
	}
	if e.Branch != "" {
		return nil
	}
	switch p := e.Payload.(type) {
	case tenfold.Usage:
		k.Tokens = p.Prompt() + p.Output
	case tenfold.UserMessage:
		switch {
		case k.Title != "":
		case purpose.Title(p) != "":
			k.Title = purpose.Title(p)
		case k.command == "":
			k.command = strings.Join(strings.Fields(purpose.Said(p)), " ")
		}
	}
	if k.enough && k.Title != "" {
		return errEnough
	}
	return nil
}

func (k *skimmed) End(Conversation, []string) error { return nil }

// ran is the directory that the first of some lines names.
func (k *skimmed) ran(h engine.Handler, text []byte) string {
	var scan walk.Scanner
	for line := range bytes.Lines(text) {
		if dir := intake.DirectoryIn(&scan, bytes.TrimSpace(line), h.Ran); dir != "" {
			return dir
		}
	}
	return ""
}

// Ran reports whether a session began in one of some directories, and reads no
// more than it takes to tell.
func (s *Session) Ran(ctx context.Context, dirs ...string) bool {
	if !s.described {
		h, _ := find(s.Format)
		switch {
		case h.RanIn != nil && s.Directory == "":
			s.Directory = h.RanIn(s.Path)
		case h.RanIn == nil && !s.mentions(h, dirs):
			return false
		}
		if s.Directory == "" && s.Describe(ctx) != nil {
			return false
		}
	}
	return slices.Contains(dirs, s.Directory)
}

// mentionedIn is how much of a file is searched for the name of a directory before
// more is made of it.
const mentionedIn = 32 << 10

// mentions reports whether a session may have begun in one of some directories: it
// is named at the beginning, or no directory is.
func (s *Session) mentions(h engine.Handler, dirs []string) bool {
	f, err := os.Open(s.Path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head, err := readAt(f, 0, mentionedIn)
	if err != nil {
		return false
	}
	for _, dir := range dirs {
		if quoted, _ := jsontext.AppendQuote(nil, dir); bytes.Contains(head, quoted) {
			return true
		}
	}
	return !slices.ContainsFunc(h.Ran, func(names []string) bool {
		return bytes.Contains(head, []byte(`"`+names[len(names)-1]+`"`))
	})
}
