// Package row says how the stores on disk write an entry: its text by itself,
// and all else in one string of bytes.
package row

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"tenfold"
	"tenfold/internal/record"
)

// A Row is an entry as a table holds it. Meta is a version byte, then fields
// in this order; a string is its length and its bytes, a number is a varint:
//
//	kind, id, branch, message id, source, seconds, nanoseconds, tokens,
//	and, to the end, the head of the payload's record.Record.
type Row struct {
	ID   string
	Meta []byte
	Text string // any bytes: it may hold zeros and need not be UTF-8
}

const version = 1

// ErrDamaged says that bytes are not a row.
var ErrDamaged = errors.New("the row is damaged")

// New encodes an entry whose text, and whose other parts, have no more than
// so many bytes.
func New(e tenfold.Entry, maxBytes int) (Row, error) {
	if e.ID == "" || e.Payload == nil {
		return Row{}, errors.New("an entry has an id and a payload")
	}
	r, err := record.New(e.Payload)
	if err != nil {
		return Row{}, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	if len(r.Text) > maxBytes || len(r.Head)+len(e.Source) > maxBytes {
		return Row{}, fmt.Errorf("entry %s: its text is longer than %d MB: put it in a file and refer to that", e.ID, maxBytes>>20)
	}
	n := 40 + len(r.Kind) + len(e.ID) + len(e.Branch) + len(e.MessageID) + len(e.Source) + len(r.Head)
	meta := append(make([]byte, 0, n), version)
	for _, s := range [...]string{string(r.Kind), e.ID, e.Branch, e.MessageID, e.Source} {
		meta = binary.AppendUvarint(meta, uint64(len(s)))
		meta = append(meta, s...)
	}
	// Seconds and nanoseconds, for years no int64 of nanoseconds can hold.
	meta = binary.AppendVarint(meta, e.Time.Unix())
	meta = binary.AppendUvarint(meta, uint64(e.Time.Nanosecond())) //nolint:gosec // a nanosecond is never negative
	meta = binary.AppendVarint(meta, int64(e.Tokens))
	return Row{ID: e.ID, Meta: append(meta, r.Head...), Text: r.Text}, nil
}

// A Decoder turns rows back. It keeps one copy of strings that come again
// and again (T9). Its zero value is ready.
type Decoder struct {
	seen    map[string]string
	message string
}

// common gives the string of b, the one handed out before if there was one.
func (d *Decoder) common(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := d.seen[string(b)]; ok {
		return s
	}
	if d.seen == nil {
		d.seen = map[string]string{}
	}
	s := string(b)
	if len(d.seen) < 1024 {
		d.seen[s] = s
	}
	return s
}

// Entry decodes a row. The entry keeps meta, which must not change any more:
// its strings are parts of it, and not copied (T7, T9).
func (d *Decoder) Entry(seq int64, meta []byte, text string) (tenfold.Entry, error) {
	e := tenfold.Entry{Seq: seq}
	if len(meta) == 0 || meta[0] != version {
		return e, ErrDamaged
	}
	f := fields{b: meta[1:]}
	kind := f.bytes()
	id := f.bytes()
	branch := f.bytes()
	message := f.bytes()
	source := f.bytes()
	sec, nsec, tokens := f.varint(), f.uvarint(), f.varint()
	if f.bad || nsec >= uint64(time.Second) {
		return e, ErrDamaged
	}
	e.ID = shared(id)
	e.Branch = d.common(branch)
	if d.message != string(message) { // blocks of one message share its id
		d.message = string(message)
	}
	e.MessageID = d.message
	e.Source = shared(source)
	e.Time = time.Unix(sec, int64(nsec)).UTC()
	e.Tokens = int(tokens)
	r := record.Record{Kind: tenfold.Kind(d.common(kind)), Text: text}
	if len(f.b) > 0 {
		r.Head = f.b
	}
	var err error
	if e.Payload, err = r.Payload(); err != nil {
		return e, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	return e, nil
}

// shared is the string of bytes that do not change.
func shared(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // Entry's contract keeps them as they are
}

// ID gives the id alone.
func ID(meta []byte) (string, error) {
	if len(meta) == 0 || meta[0] != version {
		return "", ErrDamaged
	}
	f := fields{b: meta[1:]}
	f.bytes() // the kind
	id := string(f.bytes())
	if f.bad {
		return "", ErrDamaged
	}
	return id, nil
}

// fields reads what New wrote.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) bytes() []byte {
	n := f.uvarint()
	if f.bad || n > uint64(len(f.b)) {
		f.bad = true
		return nil
	}
	s := f.b[:n]
	f.b = f.b[n:]
	return s
}

func (f *fields) uvarint() uint64 { return number(f, binary.Uvarint) }

func (f *fields) varint() int64 { return number(f, binary.Varint) }

func number[N int64 | uint64](f *fields, decode func([]byte) (N, int)) N {
	v, n := decode(f.b)
	if n <= 0 {
		f.bad = true
		return 0
	}
	f.b = f.b[n:]
	return v
}

// Nanos is a conversation's time as a column holds it: nil for the zero time,
// the nearest that fits for years far off. Its negative fits too, and is not that of none
// in a listing.
func Nanos(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	lo, hi := time.Unix(0, 2-1<<63), time.Unix(0, 1<<63-1)
	switch {
	case t.Before(lo):
		t = lo
	case t.After(hi):
		t = hi
	}
	return new(t.UnixNano())
}

// FromNanos turns what Nanos gave back.
func FromNanos(n *int64) time.Time {
	if n == nil {
		return time.Time{}
	}
	return time.Unix(0, *n).UTC()
}
