package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// A Reader reads server-sent events, and never more than a bound of bytes.
type Reader struct {
	in   *bufio.Reader
	left int64
	line []byte
}

// NewReader reads at most limit bytes.
func NewReader(r io.Reader, limit int64) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 16<<10), left: limit}
}

// errTooMuch says that a stream is longer than any answer.
var errTooMuch = errors.New("the answer is too long")

// Next gives the name and the data of the next event; [io.EOF] at the end. A
// body that is JSON and no event stream comes as one event without a name. The
// last event may lack the blank line after it, as long as it is whole.
func (r *Reader) Next() (name string, data []byte, err error) {
	some := false
	for {
		err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		ended := err != nil
		line := bytes.TrimSuffix(r.line, []byte("\r"))
		if len(line) == 0 {
			switch {
			case some && (!ended || whole(data)):
				return name, data, nil
			case some:
				return "", nil, io.ErrUnexpectedEOF
			case ended:
				return "", nil, io.EOF
			}
			name = ""
			continue
		}
		if (line[0] == '{' || line[0] == '[') && !some {
			return r.plain(bytes.Clone(line), ended)
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if some {
				data = append(data, '\n')
			}
			data = append(data, value...)
			some = true
		}
		if ended {
			r.line = nil
			if some && whole(data) {
				return name, data, nil
			}
			return "", nil, io.ErrUnexpectedEOF
		}
	}
}

// whole tells a full event from one that was cut.
func whole(data []byte) bool {
	return string(data) == "[DONE]" || jsontext.Value(data).IsValid(rawjson.Lenient)
}

// plain reads what is left of a body that is JSON.
func (r *Reader) plain(data []byte, ended bool) (string, []byte, error) {
	for !ended {
		err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		data = append(append(data, '\n'), r.line...)
		ended = err != nil
	}
	r.line = nil
	return "", data, nil
}

// next reads a line into r.line, without its end.
func (r *Reader) next() error {
	r.line = r.line[:0]
	for {
		piece, err := r.in.ReadSlice('\n')
		r.left -= int64(len(piece))
		if r.left < 0 {
			return errTooMuch
		}
		r.line = append(r.line, piece...)
		switch {
		case err == nil:
			r.line = r.line[:len(r.line)-1]
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return io.EOF
		default:
			return fmt.Errorf("the connection broke: %w", err)
		}
	}
}
