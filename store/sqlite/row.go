package sqlite

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tenfold"
)

// A row is an entry as the table holds it. meta is a version byte, then
// fields in this order; a string is its length and its bytes, a number is a
// varint:
//
//	kind, id, branch, message id, source, seconds, nanoseconds, tokens,
//	and, to the end, the head of the payload's tenfold.Record.
type row struct {
	id   string
	meta []byte
	text any // string, or []byte where it is no UTF-8, nil for none
}

const rowVersion = 1

// maxText keeps a row below SQLite's own limit of a billion bytes.
const maxText = 900 << 20

var errRow = errors.New("the row is damaged")

// newRow encodes an entry.
func newRow(e tenfold.Entry) (row, error) {
	if e.ID == "" || e.Payload == nil {
		return row{}, errors.New("an entry has an id and a payload")
	}
	r, err := tenfold.NewRecord(e.Payload)
	if err != nil {
		return row{}, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	if len(r.Text) > maxText || len(r.Head)+len(e.Source) > maxText {
		return row{}, fmt.Errorf("entry %s: its text is longer than %d MB: put it in a file and refer to that", e.ID, maxText>>20)
	}
	n := 40 + len(r.Kind) + len(e.ID) + len(e.Branch) + len(e.MessageID) + len(e.Source) + len(r.Head)
	meta := append(make([]byte, 0, n), rowVersion)
	for _, s := range [...]string{string(r.Kind), e.ID, e.Branch, e.MessageID, e.Source} {
		meta = binary.AppendUvarint(meta, uint64(len(s)))
		meta = append(meta, s...)
	}
	// Seconds and nanoseconds, for years no int64 of nanoseconds can hold.
	meta = binary.AppendVarint(meta, e.Time.Unix())
	meta = binary.AppendUvarint(meta, uint64(e.Time.Nanosecond()))
	meta = binary.AppendVarint(meta, int64(e.Tokens))
	out := row{id: e.ID, meta: append(meta, r.Head...)}
	switch {
	case r.Text == "":
	case strings.IndexByte(r.Text, 0) < 0 && utf8.ValidString(r.Text):
		out.text = r.Text
	default:
		out.text = []byte(r.Text)
	}
	return out, nil
}

// A decoder turns rows back. It keeps one copy of strings that come again
// and again (T9).
type decoder struct {
	seen    map[string]string
	message string
}

// common gives the string of b, the one handed out before if there was one.
func (d *decoder) common(b []byte) string {
	if s, ok := d.seen[string(b)]; ok || len(b) == 0 {
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

// entry decodes a row.
func (d *decoder) entry(seq int64, metaValue, textValue driver.Value) (tenfold.Entry, error) {
	e := tenfold.Entry{Seq: seq}
	b, ok := metaValue.([]byte)
	if !ok || len(b) == 0 || b[0] != rowVersion {
		return e, errRow
	}
	f := fields{b: b[1:]}
	kind := f.bytes()
	id := f.bytes()
	branch := f.bytes()
	message := f.bytes()
	source := f.bytes()
	sec, nsec, tokens := f.varint(), f.uvarint(), f.varint()
	if f.bad {
		return e, errRow
	}
	e.ID = string(id)
	e.Branch = d.common(branch)
	if d.message != string(message) { // blocks of one message share its id
		d.message = string(message)
	}
	e.MessageID = d.message
	e.Source = string(source)
	e.Time = time.Unix(sec, int64(nsec)).UTC()
	e.Tokens = int(tokens)
	r := tenfold.Record{Kind: tenfold.Kind(d.common(kind))}
	if len(f.b) > 0 {
		r.Head = f.b
	}
	switch text := textValue.(type) {
	case nil:
	case string:
		r.Text = text
	case []byte:
		r.Text = string(text)
	default:
		return e, errRow
	}
	var err error
	if e.Payload, err = r.Payload(); err != nil {
		return e, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	return e, nil
}

// rowID gives the id alone.
func rowID(metaValue driver.Value) (string, error) {
	b, ok := metaValue.([]byte)
	if !ok || len(b) == 0 || b[0] != rowVersion {
		return "", errRow
	}
	f := fields{b: b[1:]}
	f.bytes() // the kind
	id := string(f.bytes())
	if f.bad {
		return "", errRow
	}
	return id, nil
}

// fields reads what newRow wrote.
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

func (f *fields) uvarint() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 {
		f.bad = true
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) varint() int64 {
	v, n := binary.Varint(f.b)
	if n <= 0 {
		f.bad = true
		return 0
	}
	f.b = f.b[n:]
	return v
}

// nanos is a conversation's time as a column holds it: nil for the zero time,
// and the nearest that fits for years far off.
func nanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	lo, hi := time.Unix(0, -1<<63), time.Unix(0, 1<<63-1)
	switch {
	case t.Before(lo):
		t = lo
	case t.After(hi):
		t = hi
	}
	return t.UnixNano()
}

func fromNanos(v driver.Value) time.Time {
	n, ok := v.(int64)
	if !ok {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
