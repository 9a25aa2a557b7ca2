package postgres

import (
	"crypto/sha256"
	"fmt"

	"tenfold"
	"tenfold/store/internal/row"
)

const (
	// maxText and maxBatch keep a statement far below the gigabyte that a
	// message, and an array, may hold.
	maxText  = 200 << 20
	maxBatch = 400 << 20
)

// columns are entries as a statement takes them: an array for each column.
type columns struct {
	ids, metas, texts [][]byte
	words             []*string
	sizes             []int64 // of meta and text, as they are in the clear
	size              int64   // their sum
	payloads          []tenfold.Payload
	indexed           *keys // those that the words are hashed by
}

// newColumns encodes entries, but for their words; of those with one id, the first
// (L9).
func newColumns(entries []tenfold.Entry) (*columns, error) {
	n := len(entries)
	c := &columns{ids: make([][]byte, 0, n), metas: make([][]byte, 0, n), texts: make([][]byte, 0, n), sizes: make([]int64, 0, n), payloads: make([]tenfold.Payload, 0, n)}
	seen := make(map[string]struct{}, n)
	for _, e := range entries {
		r, err := row.New(e, maxText)
		if err != nil {
			return nil, err
		}
		if _, twice := seen[e.ID]; twice {
			continue
		}
		seen[e.ID] = struct{}{}
		if c.size += int64(len(r.Meta) + len(r.Text)); c.size > maxBatch {
			return nil, fmt.Errorf("the batch is longer than %d MB: append it in parts", maxBatch>>20)
		}
		c.ids = append(c.ids, indexedID(e.ID))
		meta, text, err := encode(r)
		if err != nil {
			return nil, err
		}
		c.metas, c.texts, c.sizes = append(c.metas, meta), append(c.texts, text), append(c.sizes, int64(len(r.Meta)+len(r.Text)))
		c.payloads = append(c.payloads, e.Payload)
	}
	return c, nil
}

// hashWords hashes the words of the entries.
func (s *Store) hashWords(c *columns, k *keys) {
	if c.indexed == k {
		return
	}
	c.words, c.indexed = make([]*string, len(c.payloads)), k
	w := s.wordHasher(k)
	for i, p := range c.payloads {
		c.words[i] = w.hashArray(tenfold.SearchText(p))
	}
	k.freeWordHasher(w)
}

// maxShort is how many bytes of an id an index holds; PostgreSQL takes no
// more than some two thousand, and a short index is a fast one.
const maxShort = 128

// indexedID gives an id as an index holds it: a long one as what it begins with
// and a hash, which is longer than any that is whole.
func indexedID(id string) []byte {
	if len(id) <= maxShort {
		return append(make([]byte, 0, len(id)), id...) // not nil, which is NULL
	}
	sum := sha256.Sum256([]byte(id))
	return append([]byte(id[:maxShort-len(sum)+1]), sum[:]...)
}
