package sqlite

import (
	"database/sql/driver"
	"strings"
	"time"
	"unicode/utf8"

	"tenfold"
	"tenfold/store/internal/row"
)

// A tableRow is an entry as the table holds it.
type tableRow struct {
	id   string
	meta []byte
	text any // string, or []byte if it is not UTF-8, nil for none
}

// maxText keeps a row below SQLite's own limit of a billion bytes.
const maxText = 900 << 20

// newRow encodes an entry.
func newRow(e tenfold.Entry) (tableRow, error) {
	r, err := row.New(e, maxText)
	if err != nil {
		return tableRow{}, err
	}
	out := tableRow{id: r.ID, meta: r.Meta}
	switch {
	case r.Text == "":
	case strings.IndexByte(r.Text, 0) < 0 && utf8.ValidString(r.Text):
		out.text = r.Text
	default:
		out.text = []byte(r.Text)
	}
	return out, nil
}

// decode turns a row back.
func decode(d *row.Decoder, seq int64, metaValue, textValue driver.Value) (tenfold.Entry, error) {
	meta, ok := metaValue.([]byte)
	if !ok {
		return tenfold.Entry{Seq: seq}, row.ErrDamaged
	}
	switch text := textValue.(type) {
	case nil:
		return d.Entry(seq, meta, "")
	case string:
		return d.Entry(seq, meta, text)
	case []byte:
		return d.Entry(seq, meta, string(text))
	}
	return tenfold.Entry{Seq: seq}, row.ErrDamaged
}

// length is that of a text column.
func length(v driver.Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 0
}

// nanos is a conversation's time as a column holds it: nil for none.
func nanos(t time.Time) any {
	if n := row.Nanos(t); n != nil {
		return *n
	}
	return nil
}

// number and text are a value's, zero where a damaged file holds another kind.
func number(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

func fromNanos(v driver.Value) time.Time {
	if n, ok := v.(int64); ok {
		return row.FromNanos(&n)
	}
	return time.Time{}
}
