package store

import (
	"encoding/binary"
	"math"

	"tenfold"
	"tenfold/store/internal/row"
)

// EncodeEntry writes all of an entry but its seq as bytes, for a store of one's own.
// Unlike the JSON form of [tenfold.AppendEntry] they keep a text that is not UTF-8.
// An entry without id or payload is an error, and so is a payload of a type of
// another package.
func EncodeEntry(e tenfold.Entry) ([]byte, error) {
	r, err := row.New(e, math.MaxInt)
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(r.Meta)+len(r.Text)), uint64(len(r.Meta)))
	return append(append(b, r.Meta...), r.Text...), nil
}

// DecodeEntry reads what [EncodeEntry] wrote; the seq is the place of the entry in
// its log. What is read may share memory with b, which must not change any more.
func DecodeEntry(seq int64, b []byte) (tenfold.Entry, error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) { //nolint:gosec // used is no more than there is
		return tenfold.Entry{}, row.ErrDamaged
	}
	end := used + int(n) //nolint:gosec // no more than the bytes there are
	return new(row.Decoder).Entry(seq, b[used:end:end], string(b[end:]))
}
