package postgres

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tenfold"
	"tenfold/store/internal/row"
)

// The meta and the text of an entry are compressed together, here and not by
// the server: that leaves short values as they are, and takes longer over long
// ones than everything else in an append. What is compressed is in meta, and
// text is NULL; what compression does not make shorter stays as row.New gives
// it, which is also the form of entries from before.

// packedVersion begins a meta that is compressed: the length of the row's
// meta, as a varint, and a frame of that and the text.
const packedVersion = 0xc1

// coder gives what compresses; it may be used by many at once.
var coder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
})

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(2*maxText))
})

// encode compresses a row, and gives the columns meta and text; a nil text is NULL.
func encode(r row.Row) (meta, text []byte, err error) {
	z, err := coder()
	if err != nil {
		return nil, nil, err
	}
	raw := make([]byte, 0, len(r.Meta)+len(r.Text))
	raw = append(append(raw, r.Meta...), r.Text...)
	packed := make([]byte, 0, len(raw))
	packed = binary.AppendUvarint(append(packed, packedVersion), uint64(len(r.Meta)))
	if packed = z.EncodeAll(raw, packed); len(packed) < len(raw) {
		return packed, nil, nil
	}
	if r.Text != "" {
		text = raw[len(r.Meta):]
	}
	return raw[:len(r.Meta):len(r.Meta)], text, nil
}

// decode gives the entry of a row, and how many bytes it is of. The entry may
// keep both, which must not change any more.
func decode(d *row.Decoder, seq int64, meta, text []byte) (tenfold.Entry, int, error) {
	if len(meta) == 0 || meta[0] != packedVersion {
		e, err := d.Entry(seq, meta, stringOf(text))
		return e, len(meta) + len(text), err
	}
	z, err := decoder()
	if err != nil {
		return tenfold.Entry{}, 0, err
	}
	n, width := binary.Uvarint(meta[1:])
	if width <= 0 {
		return tenfold.Entry{}, 0, row.ErrDamaged
	}
	raw, err := z.DecodeAll(meta[1+width:], nil)
	if err != nil || n > uint64(len(raw)) {
		return tenfold.Entry{}, 0, fmt.Errorf("%w: it cannot be decompressed", row.ErrDamaged)
	}
	head, rest := raw[:n:n], raw[n:]
	e, err := d.Entry(seq, head, stringOf(rest))
	return e, len(raw), err
}
