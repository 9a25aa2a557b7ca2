package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

// lineReader gives the lines of a source, of any length.
type lineReader struct {
	window
	scan int // so many bytes of the rest hold no line end

	// number is the last line's, from 1; count is how many lines were not
	// blank.
	number, count int
	// ended says whether the last line had its line end.
	ended bool
	// repaired says whether the last line was not UTF-8.
	repaired bool
}

func newLineReader(ctx context.Context, src Source) *lineReader {
	return &lineReader{window: newWindow(ctx, src, "the line")}
}

// next gives the next line that is not blank, trimmed, or io.EOF. The bytes
// hold until the next call.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		// Files that were joined have a byte order mark in their middle.
		line = bytes.Trim(bytes.TrimPrefix(line, bom), " \t\r")
		if len(line) == 0 {
			continue
		}
		// Zeros are what a crash leaves of blocks that were not written.
		if whole := bytes.Trim(line, " \t\r\x00"); len(whole) > 0 && len(whole) < len(line) {
			line = whole
			r.src.care().warn.add(r.number, "line had zero bytes at its ends, which are left out", "lines had zero bytes at their ends, which are left out")
		}
		r.count++
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
		r.src.care().notUTF8("line", r.number)
	}
	if r.ended {
		return string(line) + "\n", nil
	}
	return string(line), nil
}

func (r *lineReader) line() ([]byte, error) {
	for {
		rest := r.rest()
		if i := bytes.IndexByte(rest[r.scan:], '\n'); i >= 0 {
			i += r.scan
			r.start, r.scan, r.ended = r.start+i+1, 0, true
			r.number++
			return rest[:i], nil
		}
		r.scan = len(rest)
		if err := r.fill(); err != nil {
			rest = r.rest() // it may have moved
			if !errors.Is(err, io.EOF) || len(rest) == 0 {
				return nil, r.placed(err)
			}
			r.start, r.scan, r.ended = r.end, 0, false
			r.number++
			return rest, nil
		}
	}
}

// placed says in which line a window's error came up.
func (r *lineReader) placed(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Line == 0 && e.Name == r.src.Name {
		e.Line = r.number + 1
	}
	return err
}

// last reports whether no line follows but blank ones. It may overwrite the
// line given out last.
func (r *lineReader) last() bool {
	for {
		if len(bytes.Trim(r.rest(), " \t\r\n\x00")) > 0 {
			return false
		}
		r.start, r.scan = r.end, 0
		if err := r.fill(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// problem places an error on the last line.
func (r *lineReader) problem(format Format, err error, hint string) *Error {
	return &Error{Name: r.src.Name, Format: format, Line: r.number, Column: 1, Err: err, Hint: hint}
}

// records reads the lines, each a JSON value: parse walks over one and says
// what is wrong with it, take uses what parse found. The last line is left out
// when it was cut off (L10), any other that parse refuses under the terms of
// [intake.skip]. Errors of take end it.
func (r *lineReader) records(format Format, parse func(raw []byte) error, take func() error) error {
	in := r.src.care()
	for {
		raw, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := parse(raw); err != nil {
			if err := r.refuse(format, err); err != nil {
				return err
			}
			continue
		}
		in.record()
		if err := take(); err != nil {
			return err
		}
		if r.repaired {
			in.notUTF8("line", r.number)
		}
	}
}

// refuse judges a line that parse refused.
func (r *lineReader) refuse(format Format, err error) error {
	offset, cause := jsonProblem(err)
	number := r.number
	e := r.problem(format, cause, "the line may be damaged: take it out, or restore the file")
	if errors.Is(err, errCrowded) {
		e.Hint = hintCrowded
		return e
	}
	if isSyntax(err) {
		e.Column = int(offset) + 1
		if cutOff := errors.Is(cause, errCutOff); cutOff || !r.ended {
			if r.last() {
				r.src.care().torn("line", number)
				return nil
			}
			if cutOff {
				e.Hint = "the line was cut off, perhaps by a crash: take it out"
			}
		}
	}
	return r.src.care().skip("line", e)
}
