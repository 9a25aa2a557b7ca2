package intake

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// ArrayReader gives the items of a JSON array one by one, as the bytes that
// stand for them. It finds where an item ends and leaves it to the reader of
// the item to see whether it is JSON, so that nothing is read twice.
type ArrayReader struct {
	Window
	Word string // what an item is called
	// inner says that the array stands in a document that goes on after it.
	inner  bool
	opened bool // the first item was looked for
	free   bool // the next item needs no comma before it
	inItem bool // an item was begun, and not what stands between two

	lines  int   // line ends before the rest
	lineAt int64 // offset of the line that the rest begins in
	Mark   struct {
		At, lineAt int64
		lines      int
	} // where the last item began
	// lead is the white space in front of the last item, by which the items
	// of this array are told from those of arrays within.
	lead  []byte
	tried int64 // bytes read in search of an item that is whole
}

// skipBytes leaves n bytes behind.
func (r *ArrayReader) skipBytes(n int) {
	gone := r.buf[r.start : r.start+n]
	if ends := bytes.Count(gone, []byte("\n")); ends > 0 {
		r.lines += ends
		r.lineAt = r.Offset() + int64(bytes.LastIndexByte(gone, '\n')) + 1
	}
	r.start += n
}

// rewindToItem goes back to where the last item began.
func (r *ArrayReader) rewindToItem() {
	if at := int(r.Mark.At - r.base); at >= 0 && at <= r.start {
		r.start, r.lines, r.lineAt = at, r.Mark.lines, r.Mark.lineAt
	}
}

// Locate gives line and column of an offset in the last item or behind it,
// from 1.
func (r *ArrayReader) Locate(offset int64) (line, column int) {
	from, lines, lineAt := r.Offset(), r.lines, r.lineAt
	if offset < from {
		from, lines, lineAt = max(r.Mark.At, r.base), r.Mark.lines, r.Mark.lineAt
	}
	to := min(max(offset, from), r.base+int64(r.end))
	text := r.buf[from-r.base : to-r.base]
	if ends := bytes.Count(text, []byte("\n")); ends > 0 {
		lines += ends
		lineAt = from + int64(bytes.LastIndexByte(text, '\n')) + 1
	}
	return lines + 1, int(to-lineAt) + 1
}

// Peek gives the next byte that is not white space; io.EOF when there is none.
func (r *ArrayReader) Peek() (byte, error) {
	for {
		rest := r.Rest()
		n := 0
		for n < len(rest) && isSpace(rest[n]) {
			n++
		}
		r.skipBytes(n)
		if n < len(rest) {
			return rest[n], nil
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (r *ArrayReader) Problem(text string) error {
	return &jsontext.SyntacticError{ByteOffset: r.Offset(), Err: errors.New(text)}
}

func (r *ArrayReader) cutOff() error {
	return &jsontext.SyntacticError{ByteOffset: r.base + int64(r.end), Err: io.ErrUnexpectedEOF}
}

// Next gives the next item, or io.EOF after the array. The bytes hold until
// the next call. The array's "[" is to be there.
func (r *ArrayReader) Next() (item []byte, err error) {
	fail := func(err error) ([]byte, error) {
		if errors.Is(err, io.EOF) {
			err = r.cutOff()
		}
		return nil, err
	}
	if !r.opened {
		if _, err := r.Peek(); err != nil {
			return fail(err)
		}
		r.skipBytes(1)
		r.opened, r.free = true, true
	}
	free, from := r.free, r.Offset()
	r.free, r.inItem = false, false
	c, err := r.Peek()
	if err != nil {
		return fail(err)
	}
	switch {
	case c == ']':
		r.skipBytes(1)
		if r.inner {
			return nil, io.EOF
		}
		if _, err := r.Peek(); !errors.Is(err, io.EOF) {
			if err == nil {
				err = r.Problem("more text after the end of the array")
			}
			return nil, err
		}
		return nil, io.EOF
	case free:
	case c != ',':
		return fail(r.Problem("a comma is missing between two items"))
	default:
		r.skipBytes(1)
		from = r.Offset()
		if c, err = r.Peek(); err != nil {
			return fail(err)
		}
	}
	if n := int(r.Offset() - from); n <= leadLimit && n <= r.start {
		r.lead = append(r.lead[:0], r.buf[r.start-n:r.start]...)
	}
	if c == ',' || c == ']' || c == '}' || c == ':' {
		return fail(r.Problem("an item is missing"))
	}
	return r.item()
}

// leadLimit is the most white space that is remembered of what stands between
// two items.
const leadLimit = 64

// item reads to the end of the item that begins at start.
func (r *ArrayReader) item() (item []byte, err error) {
	r.Mark.At, r.Mark.lines, r.Mark.lineAt, r.inItem = r.Offset(), r.lines, r.lineAt, true
	depth, inString := 0, false
	for i := 0; ; {
		b := r.Rest()
		for i < len(b) {
			if inString {
				if i, inString = walk.StringRest(b, i); inString {
					break
				}
				if depth == 0 {
					return r.take(i), nil
				}
				continue
			}
			switch b[i] {
			case '"':
				inString = true
			case '{', '[':
				depth++
			case '}', ']':
				if depth == 0 {
					return r.take(i), nil
				}
				if depth--; depth == 0 {
					return r.take(i + 1), nil
				}
			case ',', ' ', '\n', '\r', '\t':
				if depth == 0 {
					return r.take(i), nil
				}
			}
			i++
		}
		if err := r.fill(); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil, err
			}
			// What there is may be broken before it is cut off.
			if problem := CheckItem(r.Rest(), r.Offset()); problem != nil {
				return nil, problem
			}
			return nil, r.cutOff()
		}
	}
}

func (r *ArrayReader) take(n int) []byte {
	item := r.Rest()[:n]
	r.skipBytes(n)
	return item
}

// Check gives what is wrong with the item given out last, nil for nothing.
func (r *ArrayReader) Check(item []byte) error { return CheckItem(item, r.Mark.At) }

// Damaged takes an error of next or check and looks for the next item that is
// whole; nil says that there may be one. io.EOF says that the array ends here,
// for it is cut off or nothing in it is whole any more; any other error ends
// the import. Items are left out under the terms of [Intake.skip].
func (r *ArrayReader) Damaged(err error, format Format) error {
	if !IsSyntax(err) {
		return err
	}
	offset, cause := JSONProblem(err)
	if errors.Is(cause, ErrCutOff) && !r.src.Care().Strict {
		if line, _ := r.Locate(offset); !r.itemsFollow() {
			r.src.Care().leaveTornOut(r.Word, line)
			return io.EOF
		}
	}
	line, column := r.Locate(offset)
	problem := &Error{
		Name: r.src.Name, Format: format, Line: line, Column: column, Err: cause,
		Hint: "the file may be damaged: restore it, for example from version control",
	}
	if err := r.src.Care().skip(r.Word, problem); err != nil {
		return err
	}
	if r.inItem {
		r.rewindToItem()
		r.skipBytes(1) // a whole item begins behind where the damaged one does
	}
	err = r.resync()
	if errors.Is(err, errNoItem) {
		return problem
	}
	return err
}

// itemsFollow reports whether items follow in what was taken for the last one, cut
// off: it was cut off before them, and they were read as a part of it. Only
// where each item has lines of its own can that be told.
func (r *ArrayReader) itemsFollow() bool {
	at := r.Mark.At - r.base
	return r.inItem && at >= 0 && bytes.IndexByte(r.lead, '\n') >= 0 &&
		bytes.Contains(r.buf[at:r.end], append(r.lead[:len(r.lead):len(r.lead)], '{'))
}

// errNoItem says that looking for an item took too long.
var errNoItem = errors.New("no whole item was found")

// resync goes to the next place where an item of this array begins that is
// whole, as far as that can be told; io.EOF when there is none.
func (r *ArrayReader) resync() error {
	for {
		at := r.candidate()
		if at < 0 {
			r.skipBytes(max(len(r.Rest())-leadLimit, 0))
			if err := r.fill(); err != nil {
				return err
			}
			continue
		}
		r.skipBytes(at - r.start)
		item, err := r.item()
		if err != nil && !IsSyntax(err) {
			return err
		}
		whole := err == nil && r.Check(item) == nil
		if r.tried += r.Offset() - r.Mark.At; r.tried > resyncFree+resyncRatio*(r.base+int64(r.end)) {
			return errNoItem
		}
		r.rewindToItem()
		if whole {
			if whole, err = r.follows(len(item)); err != nil {
				return err
			}
		}
		if whole {
			r.free = true
			return nil
		}
		r.skipBytes(1)
	}
}

// Looking for a whole item reads at most so many bytes, and so many for each
// byte of the file: no file makes it take forever.
const (
	resyncFree  = 16 << 20
	resyncRatio = 8
)

// candidate is where in the buffer an item may begin, -1 for nowhere: behind
// the white space that the items of this array have before them.
func (r *ArrayReader) candidate() int {
	if bytes.IndexByte(r.lead, '\n') >= 0 {
		from := max(r.start-len(r.lead), 0)
		at := bytes.Index(r.buf[from:r.end], append(r.lead[:len(r.lead):len(r.lead)], '{'))
		if at < 0 {
			return -1
		}
		return from + at + len(r.lead)
	}
	for at := r.start; ; at++ {
		i := bytes.IndexByte(r.buf[at:r.end], '{')
		if i < 0 {
			return -1
		}
		at += i
		before := bytes.TrimRight(r.buf[max(at-leadLimit, 0):at], " ")
		if bytes.HasSuffix(before, []byte(",")) {
			return at
		}
	}
}

// follows reports whether what stands behind the next n bytes, an item, can.
func (r *ArrayReader) follows(n int) (bool, error) {
	for {
		for rest := r.Rest(); n < len(rest); n++ {
			if !isSpace(rest[n]) {
				return rest[n] == ',' || rest[n] == ']', nil
			}
		}
		if err := r.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			return false, err
		}
	}
}

// CheckItem gives the error of an item that is no JSON, placed in the source.
func CheckItem(item []byte, at int64) error {
	var scan walk.Scanner
	scan.Reset(item)
	scan.Value()
	scan.End()
	if scan.Err == nil {
		return nil
	}
	offset, cause := JSONProblem(scan.Err)
	if errors.Is(cause, ErrCutOff) {
		cause = io.ErrUnexpectedEOF
	} else if syntax := (*jsontext.SyntacticError)(nil); errors.As(scan.Err, &syntax) {
		cause = syntax.Err
	}
	return &jsontext.SyntacticError{ByteOffset: at + offset, Err: cause}
}
