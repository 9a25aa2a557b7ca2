package postgres

import (
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/store/internal/fulltext"
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
}

// newColumns encodes entries; of those with one id, the first (L9).
func newColumns(entries []tenfold.Entry) (*columns, error) {
	n := len(entries)
	c := &columns{make([][]byte, 0, n), make([][]byte, 0, n), make([][]byte, 0, n), make([]*string, 0, n)}
	seen := make(map[string]struct{}, n)
	size := 0
	var w worder
	for _, e := range entries {
		r, err := row.New(e, maxText)
		if err != nil {
			return nil, err
		}
		if _, twice := seen[e.ID]; twice {
			continue
		}
		seen[e.ID] = struct{}{}
		if size += len(r.Meta) + len(r.Text); size > maxBatch {
			return nil, fmt.Errorf("the batch is longer than %d MB: append it in parts", maxBatch>>20)
		}
		c.ids = append(c.ids, short(e.ID))
		c.metas = append(c.metas, r.Meta)
		var text []byte // NULL for none
		if r.Text != "" {
			text = []byte(r.Text)
		}
		c.texts = append(c.texts, text)
		c.words = append(c.words, w.array(tenfold.SearchText(e.Payload)))
	}
	return c, nil
}

// maxShort is how many bytes of an id an index holds; PostgreSQL takes no
// more than some two thousand, and a short index is a fast one.
const maxShort = 128

// short gives an id as an index holds it: a long one as what it begins with
// and a hash, which is longer than any that is whole.
func short(id string) []byte {
	if len(id) <= maxShort {
		return append(make([]byte, 0, len(id)), id...) // not nil, which is NULL
	}
	sum := sha256.Sum256([]byte(id))
	return append([]byte(id[:maxShort-len(sum)+1]), sum[:]...)
}

// A worder turns texts into sets of words. The index holds hashes of words:
// whatever it finds is held against the text, so that two words with one
// hash do no harm, and four bytes a word keep it small.
type worder struct {
	words  []byte
	hashes []int32
}

// of gives the hashes of the words of a text that AppendWords made.
func (w *worder) of(words string) []int32 {
	w.hashes = w.hashes[:0]
	h := fnv.New32a()
	for word := range strings.FieldsSeq(words) {
		h.Reset()
		_, _ = h.Write([]byte(word))
		w.hashes = append(w.hashes, int32(h.Sum32())) //nolint:gosec // a hash: PostgreSQL has no unsigned integers
	}
	slices.Sort(w.hashes)
	w.hashes = slices.Compact(w.hashes)
	return w.hashes
}

// array gives the hashes of a text's words as PostgreSQL writes arrays; nil,
// which is NULL, for none. An array of arrays must be square, so that a batch
// sends them as texts.
func (w *worder) array(text string) *string {
	w.words = fulltext.AppendWords(w.words[:0], text)
	hashes := w.of(string(w.words))
	if len(hashes) == 0 {
		return nil
	}
	b := append(make([]byte, 0, 12*len(hashes)+2), '{')
	for i, h := range hashes {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(h), 10)
	}
	s := string(append(b, '}'))
	return &s
}
