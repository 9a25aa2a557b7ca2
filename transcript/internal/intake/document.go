package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// Document is a source that is one JSON value, or several.
type Document struct {
	Raw    []byte
	src    Source
	format Format
}

// Check reports whether a document is JSON from a place on.
func (d Document) Check(from int) error {
	rest := d.Raw[from:]
	dec := jsontext.NewDecoder(bytes.NewBuffer(rest), walk.ScanOptions...)
	for {
		if _, err := dec.ReadValue(); err != nil {
			if errors.Is(err, io.EOF) && len(bytes.TrimSpace(rest[dec.InputOffset():])) == 0 {
				return nil
			}
			return d.Broken(err)
		}
	}
}

// WithDocument reads a whole source, without a byte order mark, and has it
// read by a function that takes nothing over before it has seen that all of it
// is JSON, and gives [Document.Broken] when not. Then the damaged records are
// cut out, unless the import is strict, and the rest is read.
func WithDocument(ctx context.Context, src Source, format Format, read func(d Document) error) error {
	d, err := readDocument(ctx, src, format)
	if err != nil {
		return err
	}
	err = read(d)
	var broken *brokenError
	if !errors.As(err, &broken) {
		return err
	}
	if !d.src.Care().Strict && d.mend() {
		err = read(d)
	}
	if errors.As(err, &broken) {
		return broken.problem
	}
	return err
}

// brokenError is the error of a document that is not JSON.
type brokenError struct{ problem *Error }

// Error implements error.
func (b *brokenError) Error() string { return b.problem.Error() }

func readDocument(ctx context.Context, src Source, format Format) (Document, error) {
	d := Document{src: src, format: format}
	w := NewWindow(ctx, src, "the file")
	// A source may claim any size: it is believed up to a point.
	if size := min(src.Size, 4*LineKeep); size > 0 {
		w.buf = make([]byte, size+512)
	}
	if err := w.DropMark(); err != nil {
		return d, err
	}
	for {
		if err := w.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return d, err
		}
	}
	d.Raw = bytes.TrimRight(w.Rest(), "\x00") // what a crash leaves of blocks that were not written
	if !utf8.Valid(d.Raw) {
		d.Raw = bytes.ToValidUTF8(d.Raw, []byte("\uFFFD"))
		src.Care().notUTF8("file", 0)
	}
	return d, nil
}

// Problem places an error at an offset of the document.
func (d Document) Problem(offset int64, err error, hint string) *Error {
	before := d.Raw[:min(max(offset, 0), int64(len(d.Raw)))]
	return &Error{
		Name: d.src.Name, Format: d.format, Err: err, Hint: hint,
		Line: bytes.Count(before, []byte("\n")) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// Broken words what is wrong with a document that is not JSON.
func (d Document) Broken(err error) error {
	offset, cause := JSONProblem(err)
	problem := d.Problem(offset, cause, "the file may be damaged: restore it, or export it again")
	if !IsSyntax(err) {
		problem.Hint = walk.HintCrowded
		return problem
	}
	return &brokenError{problem}
}

// ContentID names a conversation whose source has no id for it: after the
// source's name and what the conversation begins with, so that two files of one
// name do not mix, and a file that grew stays itself.
func ContentID(name string, format Format, first []byte) string {
	return NameID(name, format) + "-" + Digest(first)[:8]
}
