package vault

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A Sealer seals and opens what belongs to one conversation. It is for one goroutine.
type Sealer struct {
	ring  *Keyring
	name  string
	aeads map[int]cipher.AEAD
	buf   []byte
}

// Conversation gives the sealer of the conversation that the store calls name.
func (k *Keyring) Conversation(name []byte) *Sealer {
	return &Sealer{ring: k, name: string(name), aeads: map[int]cipher.AEAD{}}
}

func (s *Sealer) aead(version int) (cipher.AEAD, error) {
	if a, ok := s.aeads[version]; ok {
		return a, nil
	}
	key, ok := s.ring.keys[version]
	if !ok {
		return nil, fmt.Errorf("key %d of tenant %d: %w", version, s.ring.tenant, ErrNoKey)
	}
	a, err := sealing(derived(key, "conversation\x00"+s.name))
	if err == nil {
		s.aeads[version] = a
	}
	return a, err
}

// What is sealed begins with a head: a byte that no plain row begins with, how it is
// encoded, and the version of its key.
const (
	mark       = 0xE1
	plain      = 0
	compressed = 1
	// headSize is what a head with a version below 128 has.
	headSize = 3
)

// A Kind says what was sealed, so that nothing is taken for something else.
type Kind byte

// The kinds. A field of a conversation has the place 0.
const (
	kindEntry Kind = 'e'
	Title     Kind = 't'
	Origin    Kind = 'o'
)

// Sealed reports whether bytes begin as sealed ones do.
func Sealed(b []byte) bool { return len(b) > 0 && b[0] == mark }

// Entry seals the entry at a place of the log, its meta and its text. head says how,
// and is needed to open it.
func (s *Sealer) Entry(seq int64, meta []byte, text string) (head, sealed []byte, err error) {
	s.buf = binary.AppendUvarint(s.buf[:0], uint64(len(meta)))
	s.buf = append(append(s.buf, meta...), text...)
	return s.seal(kindEntry, seq, s.buf)
}

// OpenEntry opens an entry at a place of the log. What it gives is the caller's.
func (s *Sealer) OpenEntry(seq int64, head, sealed []byte) (meta, text []byte, err error) {
	b, err := s.open(kindEntry, seq, head, sealed)
	if err != nil {
		return nil, nil, err
	}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) { //nolint:gosec // never negative
		return nil, nil, ErrTampered
	}
	b = b[used:]
	return b[:n:n], b[n:], nil
}

// Field seals a field of the conversation.
func (s *Sealer) Field(kind Kind, value []byte) ([]byte, error) {
	head, sealed, err := s.seal(kind, 0, value)
	return append(head, sealed...), err
}

// OpenField opens a field of the conversation.
func (s *Sealer) OpenField(kind Kind, b []byte) ([]byte, error) {
	head, sealed, err := split(b)
	if err != nil {
		return nil, err
	}
	return s.open(kind, 0, head, sealed)
}

// split divides a head from what follows.
func split(b []byte) (head, rest []byte, err error) {
	if len(b) < headSize || b[0] != mark {
		return nil, nil, ErrTampered
	}
	_, n := binary.Uvarint(b[2:])
	if n <= 0 {
		return nil, nil, ErrTampered
	}
	return b[:2+n], b[2+n:], nil
}

// VersionOf gives the version of the key that sealed what has the head.
func VersionOf(head []byte) (int, error) {
	if len(head) < headSize || head[0] != mark || head[1] > compressed {
		return 0, ErrTampered
	}
	v, n := binary.Uvarint(head[2:])
	if n <= 0 || v == SearchKey || v > 1<<31-1 {
		return 0, ErrTampered
	}
	return int(v), nil
}

// bound is the additional data: tenant, kind, place and head. The conversation is
// bound by its key.
func (s *Sealer) bound(kind Kind, seq int64, head []byte) []byte {
	b := append(make([]byte, 0, 32), byte(kind))
	b = binary.BigEndian.AppendUint64(b, uint64(s.ring.tenant)) //nolint:gosec // an identity
	b = binary.BigEndian.AppendUint64(b, uint64(seq))           //nolint:gosec // as above
	return append(b, head...)
}

func (s *Sealer) seal(kind Kind, seq int64, value []byte) (head, sealed []byte, err error) {
	a, err := s.aead(s.ring.current)
	if err != nil {
		return nil, nil, err
	}
	head = binary.AppendUvarint([]byte{mark, plain}, uint64(s.ring.current)) //nolint:gosec // never negative
	if len(value) >= worthIt {
		if smaller := packer().EncodeAll(value, make([]byte, 0, len(value)/2+64)); len(smaller) < len(value) {
			head[1], value = compressed, smaller
		}
	}
	return head, a.Seal(make([]byte, 0, len(value)+a.Overhead()), nil, value, s.bound(kind, seq, head)), nil //nolint:gosec // the AEAD makes the nonce
}

func (s *Sealer) open(kind Kind, seq int64, head, sealed []byte) ([]byte, error) {
	version, err := VersionOf(head)
	if err != nil {
		return nil, err
	}
	a, err := s.aead(version)
	if err != nil {
		return nil, err
	}
	value, err := a.Open(nil, nil, sealed, s.bound(kind, seq, head))
	if err != nil {
		return nil, ErrTampered
	}
	if head[1] == compressed {
		if value, err = unpacker().DecodeAll(value, nil); err != nil {
			return nil, errors.Join(ErrTampered, err)
		}
	}
	return value, nil
}

// worthIt is how many bytes are worth an attempt to make them fewer.
const worthIt = 96

// maxUnpacked is more than any entry that a store takes.
const maxUnpacked = 1 << 30

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithLowerEncoderMem(true))
	if err != nil { // only of options that are not ours
		panic(err)
	}
	return e
})

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil { // as above
		panic(err)
	}
	return d
})
