package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// lineReader gives the lines of a source, of any length. Its buffer grows to
// the longest line and shrinks again.
type lineReader struct {
	ctx context.Context
	src Source
	buf []byte
	// buf[start:end] is read and not given out yet; the bytes before scan
	// hold no line end.
	start, scan, end int
	read             int64
	eof              bool

	// number is the last line's, from 1.
	number int
	// ended says whether the last line had its line end.
	ended bool
	// repaired says whether the last line was not UTF-8.
	repaired bool
}

const (
	lineChunk = 64 << 10
	// lineKeep is the largest buffer kept after its line was read.
	lineKeep = 4 << 20
	// lineLimit is the longest line that is read: a small archive may unpack
	// to one without end.
	lineLimit = 1 << 30
)

func newLineReader(ctx context.Context, src Source) *lineReader {
	return &lineReader{ctx: ctx, src: src, buf: make([]byte, lineChunk)}
}

// next gives the next line that is not blank, trimmed, or io.EOF. The bytes
// hold until the next call.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if r.number == 1 {
			line = bytes.TrimPrefix(line, bom)
		}
		line = bytes.Trim(line, " \t\r")
		if len(line) == 0 {
			continue
		}
		if r.repaired = !utf8.Valid(line); r.repaired {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		}
		return line, nil
	}
}

// text gives the next line as it stands, with its line end if it has one, or
// io.EOF.
func (r *lineReader) text() (string, error) {
	line, err := r.line()
	if err != nil {
		return "", err
	}
	if r.number == 1 {
		line = bytes.TrimPrefix(line, bom)
	}
	if r.repaired = !utf8.Valid(line); r.repaired {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if r.ended {
		return string(line) + "\n", nil
	}
	return string(line), nil
}

func (r *lineReader) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.scan:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.scan+i]
			r.start = r.scan + i + 1
			r.scan = r.start
			r.number++
			r.ended = true
			return line, nil
		}
		r.scan = r.end
		if r.eof {
			if r.start == r.end {
				return nil, io.EOF
			}
			line := r.buf[r.start:r.end]
			r.start = r.end
			r.number++
			r.ended = false
			return line, nil
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads on, after making room.
func (r *lineReader) fill() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	have := r.end - r.start
	switch {
	case len(r.buf) > lineKeep && have < lineChunk:
		small := make([]byte, 2*lineChunk)
		copy(small, r.buf[r.start:r.end])
		r.buf = small
		r.shift(have)
	case r.start > 0 && have < len(r.buf)/2:
		copy(r.buf, r.buf[r.start:r.end])
		r.shift(have)
	case r.end == len(r.buf):
		if have >= lineLimit {
			return &Error{Name: r.src.Name, Line: r.number + 1, Err: errors.New("the line is longer than 1 GB"), Hint: "this is hardly a transcript"}
		}
		size := 2 * len(r.buf)
		// A line cannot be longer than what is left of the source.
		if left := r.src.Size - r.read + int64(have) + lineChunk; r.src.Size > 0 && left > int64(len(r.buf)) {
			size = int(min(int64(size), left))
		}
		bigger := make([]byte, max(size, have+lineChunk))
		copy(bigger, r.buf[r.start:r.end])
		r.buf = bigger
		r.shift(have)
	}
	n, err := r.src.Reader.Read(r.buf[r.end:])
	r.end += n
	r.read += int64(n)
	if r.src.Progress != nil && n > 0 {
		r.src.Progress(r.read)
	}
	switch err {
	case nil:
	case io.EOF:
		r.eof = true
	default:
		return fmt.Errorf("read %s: %w", r.src.Name, err)
	}
	return nil
}

// shift says that the kept bytes now stand at the front of the buffer.
func (r *lineReader) shift(have int) {
	r.scan -= r.start
	r.start, r.end = 0, have
}

// last reports whether no line follows but blank ones.
func (r *lineReader) last() bool {
	for {
		if len(bytes.TrimSpace(r.buf[r.start:r.end])) > 0 {
			return false
		}
		if r.eof {
			return true
		}
		// The line given out last lies before start and may be overwritten
		// from here on: a caller asks only when it is done with it.
		r.start, r.scan = r.end, r.end
		if err := r.fill(); err != nil {
			return false
		}
	}
}

// broken judges a line that is no JSON. At the end of the source it was torn by
// a crash and is to be dropped (L10): nil. Anywhere else it is an error.
func (r *lineReader) broken(err error, format Format) *Error {
	offset, cause := jsonProblem(err)
	if number := r.number; (!r.ended || errors.Is(cause, errCutOff)) && r.last() {
		r.number = number
		return nil
	}
	hint := "the line may be damaged: take it out, or restore the file"
	if errors.Is(cause, errCutOff) {
		hint = "the line was cut off, perhaps by a crash: take it out"
	}
	return &Error{Name: r.src.Name, Format: format, Line: r.number, Column: int(offset) + 1, Err: cause, Hint: hint}
}

// problem places an error on the last line.
func (r *lineReader) problem(format Format, err error, hint string) *Error {
	return &Error{Name: r.src.Name, Format: format, Line: r.number, Column: 1, Err: err, Hint: hint}
}

// The warnings that every format of lines has.
const (
	tornOne     = "line at the end was cut off and is left out"
	notUTF8One  = "line was not UTF-8: its bad bytes were replaced"
	notUTF8Many = "lines were not UTF-8: their bad bytes were replaced"
)

// records reads the lines, each a JSON value: parse walks over one with the
// scanner, take uses what it found. A torn last line is left out with a warning;
// any other line that is no JSON ends it with an error.
func (r *lineReader) records(format Format, s *scanner, w *warnings, parse func(raw []byte), take func() error) error {
	for {
		raw, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.repaired {
			w.add(r.number, notUTF8One, notUTF8Many)
		}
		parse(raw)
		if s.err != nil {
			if problem := r.broken(s.err, format); problem != nil {
				return problem
			}
			w.add(r.number, tornOne, tornOne)
			continue
		}
		if err := take(); err != nil {
			return err
		}
	}
}
