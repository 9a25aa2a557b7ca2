package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"tenfold/transcript/internal/walk"
)

// LineReader gives the lines of a source, of any length.
type LineReader struct {
	Window
	scan int // so many bytes of the rest hold no line end

	// Number is the last line's, from 1; count is how many lines were not
	// blank.
	Number, Count int
	// ended says whether the last line had its line end.
	ended bool
	// repaired says whether the last line was not UTF-8.
	repaired bool
}

func NewLineReader(ctx context.Context, src Source) *LineReader {
	return &LineReader{Window: NewWindow(ctx, src, "the line")}
}

// Next gives the next line that is not blank, trimmed, or io.EOF. The bytes
// hold until the next call.
func (r *LineReader) Next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		// Files that were joined have a byte order mark in their middle.
		line = bytes.Trim(bytes.TrimPrefix(line, Bom), " \t\r")
		if len(line) == 0 {
			continue
		}
		// Zeros are what a crash leaves of blocks that were not written.
		if whole := bytes.Trim(line, " \t\r\x00"); len(whole) > 0 && len(whole) < len(line) {
			line = whole
			r.src.Care().warn.Add(r.Number, "line had zero bytes at its ends, which are left out", "lines had zero bytes at their ends, which are left out")
		}
		r.Count++
		if r.repaired = !utf8.Valid(line); r.repaired {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		}
		return line, nil
	}
}

// Text gives the next line as it stands, with its line end if it has one, or
// io.EOF.
func (r *LineReader) Text() (string, error) {
	line, err := r.line()
	if err != nil {
		return "", err
	}
	if r.Number == 1 {
		line = bytes.TrimPrefix(line, Bom)
	}
	if r.repaired = !utf8.Valid(line); r.repaired {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		r.src.Care().notUTF8("line", r.Number)
	}
	if r.ended {
		return string(line) + "\n", nil
	}
	return string(line), nil
}

// EachText reads the rest of the lines as [LineReader.Text] gives them.
func (r *LineReader) EachText(take func(line string) error) error {
	for {
		line, err := r.Text()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(line); err != nil {
			return err
		}
	}
}

func (r *LineReader) line() ([]byte, error) {
	for {
		rest := r.Rest()
		if i := bytes.IndexByte(rest[r.scan:], '\n'); i >= 0 {
			i += r.scan
			r.start, r.scan, r.ended = r.start+i+1, 0, true
			r.Number++
			return rest[:i], nil
		}
		r.scan = len(rest)
		if err := r.fill(); err != nil {
			rest = r.Rest() // it may have moved
			if !errors.Is(err, io.EOF) || len(rest) == 0 {
				return nil, r.placed(err)
			}
			r.start, r.scan, r.ended = r.end, 0, false
			r.Number++
			return rest, nil
		}
	}
}

// placed says in which line a window's error came up.
func (r *LineReader) placed(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Line == 0 && e.Name == r.src.Name {
		e.Line = r.Number + 1
	}
	return err
}

// last reports whether no line follows but blank ones. It may overwrite the
// line given out last.
func (r *LineReader) last() bool {
	for {
		if len(bytes.Trim(r.Rest(), " \t\r\n\x00")) > 0 {
			return false
		}
		r.start, r.scan = r.end, 0
		if err := r.fill(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// Problem places an error on the last line.
func (r *LineReader) Problem(format Format, err error, hint string) *Error {
	return &Error{Name: r.src.Name, Format: format, Line: r.Number, Column: 1, Err: err, Hint: hint}
}

// Records reads the lines, each a JSON value: parse walks over one and says
// what is wrong with it, take uses what parse found. The last line is left out
// when it was cut off (L10), unless the import is strict, any other that parse refuses under
// the terms of [Intake.skip]. Errors of take end it.
func (r *LineReader) Records(format Format, parse func(raw []byte) error, take func() error) error {
	in := r.src.Care()
	for {
		raw, err := r.Next()
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
		in.Record()
		if err := take(); err != nil {
			return err
		}
		if r.repaired {
			in.notUTF8("line", r.Number)
		}
	}
}

// refuse judges a line that parse refused.
func (r *LineReader) refuse(format Format, err error) error {
	offset, cause := JSONProblem(err)
	number := r.Number
	e := r.Problem(format, cause, "the line may be damaged: take it out, or restore the file")
	if errors.Is(err, walk.ErrCrowded) {
		e.Hint = walk.HintCrowded
		return e
	}
	if IsSyntax(err) {
		e.Column = int(offset) + 1
		if cutOff := errors.Is(cause, ErrCutOff); cutOff || !r.ended {
			if !r.src.Care().Strict && r.last() {
				r.src.Care().leaveTornOut("line", number)
				return nil
			}
			if cutOff {
				e.Hint = "the line was cut off, perhaps by a crash: take it out"
			}
		}
	}
	return r.src.Care().skip("line", e)
}
