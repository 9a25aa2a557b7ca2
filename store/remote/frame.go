package remote

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/store/internal/row"
)

// A frame is a byte that says what it is, the length of its content as a varint,
// and the content.
const (
	// beat has no content: the other side is alive.
	beat byte = iota
	// object is JSON.
	object
	// entry is a row: seq and the length of its meta as varints, the meta, the text.
	entry
	// end has no content: all was said.
	end
	// failed is JSON, and an end as well.
	failed
)

// most is the most bytes of a frame: the longest text that a store takes, and a bit.
const most = 901 << 20

// bufferSize is in bytes. Most requests are small, and long texts pass a buffer by.
const bufferSize = 8 << 10

// lenient takes ids and titles that are not UTF-8 as stores do.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true))

// A writer writes frames. The first error stays.
type writer struct {
	w   *bufio.Writer
	b   []byte
	err error
}

// Buffers are used again: most of what a request would cost in memory is theirs.
var (
	writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, bufferSize) }}
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }}
)

// newWriter makes a writer; free it when all is written.
func newWriter(w io.Writer) *writer {
	b, _ := writers.Get().(*bufio.Writer)
	b.Reset(w)
	return &writer{w: b}
}

// free gives the buffer back; nothing may be written any more.
func (w *writer) free() {
	w.w.Reset(nil)
	writers.Put(w.w)
	w.w = nil
}

func (w *writer) frame(kind byte, parts ...string) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	w.b = binary.AppendUvarint(append(w.b[:0], kind), uint64(n))
	if w.err == nil {
		_, w.err = w.w.Write(w.b)
	}
	for _, p := range parts {
		if w.err == nil {
			_, w.err = w.w.WriteString(p)
		}
	}
}

func (w *writer) json(kind byte, v any) {
	b, err := json.Marshal(v, lenient)
	w.err = cmp.Or(w.err, err)
	w.frame(kind, string(b))
}

func (w *writer) entry(e tenfold.Entry) {
	r, err := row.New(e, most)
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return
	}
	head := binary.AppendUvarint(binary.AppendVarint(nil, e.Seq), uint64(len(r.Meta)))
	w.frame(entry, string(head), string(r.Meta), r.Text)
}

func (w *writer) flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// errCut says that an answer or a request ended before its end.
var errCut = errors.New("the connection broke off")

// A reader reads frames.
type reader struct {
	r *bufio.Reader
	d row.Decoder
	// alive, if set, is called for each frame.
	alive func()
}

// newReader makes a reader; free it when all is read.
func newReader(r io.Reader) *reader {
	b, _ := readers.Get().(*bufio.Reader)
	b.Reset(r)
	return &reader{r: b}
}

// free gives the buffer back, once; nothing may be read any more.
func (r *reader) free() {
	if r.r != nil {
		r.r.Reset(nil)
		readers.Put(r.r)
		r.r = nil
	}
}

// next gives the next frame that is not a beat.
func (r *reader) next() (kind byte, content []byte, err error) {
	for {
		if kind, err = r.r.ReadByte(); err != nil {
			return 0, nil, cut(err)
		}
		if r.alive != nil {
			r.alive()
		}
		n, err := binary.ReadUvarint(r.r)
		switch {
		case err != nil:
			return 0, nil, cut(err)
		case kind > failed || n > most:
			return 0, nil, fmt.Errorf("%w: frame %d of %d bytes", errInvalid, kind, n)
		case kind == beat && n == 0:
			continue
		}
		content, err := exactly(r.r, int(n))
		return kind, content, cut(err)
	}
}

// exactly reads n bytes. It asks for memory as they come, not as they are
// announced.
func exactly(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	b := make([]byte, 0, min(n, step))
	for len(b) < n {
		from := len(b)
		b = append(b, make([]byte, min(n-from, max(step, from)))...)
		if _, err := io.ReadFull(r, b[from:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// decode reads the JSON of a frame.
func decode(content []byte, v any) error {
	if err := json.Unmarshal(content, v, lenient); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}

// entry reads an entry. It keeps the content.
func (r *reader) entry(content []byte) (tenfold.Entry, error) {
	seq, n := binary.Varint(content)
	if n <= 0 {
		return tenfold.Entry{}, fmt.Errorf("%w: an entry without a number", errInvalid)
	}
	meta, k := binary.Uvarint(content[n:])
	rest := content[max(n+k, n):]
	if k <= 0 || meta > uint64(len(rest)) {
		return tenfold.Entry{}, fmt.Errorf("%w: an entry that is cut", errInvalid)
	}
	e, err := r.d.Entry(seq, rest[:meta:meta], string(rest[meta:]))
	if err != nil {
		return e, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return e, nil
}
