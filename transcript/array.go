package transcript

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// arrayReader gives the items of a JSON array one by one, as the bytes that
// stand for them. It finds where an item ends and leaves it to the reader of
// the item to see whether it is JSON, so that nothing is read twice.
type arrayReader struct {
	in         io.Reader
	buf        []byte
	start, end int   // buf[start:end] is read and not given out yet
	base       int64 // offset of buf[0]
	eof        bool
	opened     bool // the first item was looked for
}

// rest reads on from where the array should begin.
func (r *arrayReader) rest() io.Reader {
	return io.MultiReader(bytes.NewReader(r.buf[r.start:r.end]), r.in)
}

func (r *arrayReader) offset() int64 { return r.base + int64(r.start) }

// peek gives the next byte that is no white space; io.EOF when there is none.
func (r *arrayReader) peek() (byte, error) {
	for {
		for ; r.start < r.end; r.start++ {
			if c := r.buf[r.start]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				return c, nil
			}
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// fill reads on, after making room; io.EOF when there is no more.
func (r *arrayReader) fill() error {
	if r.eof {
		return io.EOF
	}
	have := r.end - r.start
	switch {
	case len(r.buf) > lineKeep && have < lineChunk:
		r.move(make([]byte, 2*lineChunk))
	case r.start > 0 && have < len(r.buf)/2:
		r.move(r.buf)
	case r.end == len(r.buf):
		r.move(make([]byte, max(2*len(r.buf), lineChunk)))
	}
	n, err := r.in.Read(r.buf[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.eof, err = true, nil
		if n == 0 {
			return io.EOF
		}
	}
	return err
}

func (r *arrayReader) move(to []byte) {
	n := copy(to, r.buf[r.start:r.end])
	r.base += int64(r.start)
	r.buf, r.start, r.end = to, 0, n
}

func (r *arrayReader) problem(text string) error {
	return &jsontext.SyntacticError{ByteOffset: r.offset(), Err: errors.New(text)}
}

func (r *arrayReader) cutOff() error {
	return &jsontext.SyntacticError{ByteOffset: r.base + int64(r.end), Err: io.ErrUnexpectedEOF}
}

// next gives the next item and its offset, or io.EOF after the array. The
// bytes hold until the next call. The array's "[" is to be there.
func (r *arrayReader) next() (item []byte, at int64, err error) {
	fail := func(err error) ([]byte, int64, error) {
		if errors.Is(err, io.EOF) {
			err = r.cutOff()
		}
		return nil, 0, err
	}
	first := !r.opened
	if first {
		if _, err := r.peek(); err != nil {
			return fail(err)
		}
		r.start, r.opened = r.start+1, true
	}
	c, err := r.peek()
	if err != nil {
		return fail(err)
	}
	switch {
	case c == ']':
		r.start++
		if _, err := r.peek(); !errors.Is(err, io.EOF) {
			if err == nil {
				err = r.problem("more text after the end of the events")
			}
			return nil, 0, err
		}
		return nil, 0, io.EOF
	case first:
	case c != ',':
		return fail(r.problem("a comma is missing between two events"))
	default:
		r.start++
		if c, err = r.peek(); err != nil {
			return fail(err)
		}
	}
	if c == ',' || c == ']' || c == '}' || c == ':' {
		return fail(r.problem("an event is missing"))
	}
	return r.item()
}

// item reads to the end of the item that begins at start.
func (r *arrayReader) item() (item []byte, at int64, err error) {
	depth, inString := 0, false
	for i := 0; ; {
		b := r.buf[r.start:r.end]
		for i < len(b) {
			if inString {
				if i, inString = stringRest(b, i); inString {
					break
				}
				if depth == 0 {
					return r.take(i)
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
					return r.take(i)
				}
				if depth--; depth == 0 {
					return r.take(i + 1)
				}
			case ',', ' ', '\n', '\r', '\t':
				if depth == 0 {
					return r.take(i)
				}
			}
			i++
		}
		if err := r.fill(); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil, 0, err
			}
			// What there is may be broken before it is cut off.
			at := r.offset()
			if problem := checkItem(r.buf[r.start:r.end], at); problem != nil {
				return nil, 0, problem
			}
			return nil, 0, r.cutOff()
		}
	}
}

func (r *arrayReader) take(n int) (item []byte, at int64, err error) {
	at = r.offset()
	item = r.buf[r.start : r.start+n]
	r.start += n
	return item, at, nil
}

// stringRest goes on in a string from i to behind its end; open says that it
// does not end here, and i where to go on when there is more.
func stringRest(b []byte, i int) (next int, open bool) {
	for {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			for k = len(b); k > i && b[k-1] == '\\'; k-- {
			}
			return k, true
		}
		k += i
		slashes := 0
		for k-slashes > i && b[k-1-slashes] == '\\' {
			slashes++
		}
		if i = k + 1; slashes%2 == 0 {
			return i, false
		}
	}
}

// checkItem gives the error of an item that is no JSON, placed in the source.
func checkItem(item []byte, at int64) error {
	dec := jsontext.NewDecoder(bytes.NewReader(item), scanOptions...)
	_, err := dec.ReadValue()
	if err == nil {
		if _, err = dec.ReadToken(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = &jsontext.SyntacticError{ByteOffset: dec.InputOffset(), Err: errors.New("more text after the event")}
		}
	}
	offset, cause := jsonProblem(err)
	if errors.Is(cause, errCutOff) {
		cause = io.ErrUnexpectedEOF
	} else if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		cause = syntax.Err
	}
	return &jsontext.SyntacticError{ByteOffset: at + offset, Err: cause}
}
