package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// documentLimit is the largest source that is read as one document, in bytes:
// such a source has to be in memory as a whole.
const documentLimit = 1 << 30

// document is a source that is one JSON value or one text.
type document struct {
	raw      []byte
	repaired bool // it was not UTF-8
}

// readDocument reads a whole source, without a byte order mark.
func readDocument(ctx context.Context, src Source, format Format) (document, error) {
	var d document
	buf := bytes.NewBuffer(make([]byte, 0, min(src.Size, documentLimit)+bytes.MinRead))
	for {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		n, err := io.CopyN(buf, src.Reader, 1<<20)
		if src.Progress != nil && n > 0 {
			src.Progress(int64(buf.Len()))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return d, fmt.Errorf("read %s: %w", src.Name, err)
		}
		if buf.Len() > documentLimit {
			return d, &Error{Name: src.Name, Format: format, Err: errors.New("the file is larger than 1 GB"), Hint: "split it into its conversations"}
		}
	}
	d.raw = bytes.TrimPrefix(buf.Bytes(), bom)
	if d.repaired = !utf8.Valid(d.raw); d.repaired {
		d.raw = bytes.ToValidUTF8(d.raw, []byte("\uFFFD"))
	}
	return d, nil
}

// problem places an error at an offset of the document.
func (d document) problem(src Source, format Format, offset int64, err error, hint string) *Error {
	before := d.raw[:min(max(offset, 0), int64(len(d.raw)))]
	return &Error{
		Name: src.Name, Format: format, Err: err, Hint: hint,
		Line: bytes.Count(before, []byte("\n")) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// broken words what is wrong with a document that is no JSON.
func (d document) broken(src Source, format Format, err error) *Error {
	offset, cause := jsonProblem(err)
	hint := "the file may be damaged: restore it, or export it again"
	return d.problem(src, format, offset, cause, hint)
}

// contentID names a conversation whose source has no id for it: after the
// source's name and what the conversation begins with, so that two files of one
// name do not mix, and a file that grew stays itself.
func contentID(name string, format Format, first []byte) string {
	return nameID(name, format) + "-" + digest(first)[:8]
}
