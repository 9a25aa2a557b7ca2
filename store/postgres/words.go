package postgres

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"strconv"

	"tenfold/store/internal/fulltext"
	"tenfold/store/vault"
)

// A wordHasher turns texts into sets of words. The index holds hashes of words:
// whatever it finds is held against the text, so that two words with one
// hash do no harm, and four bytes a word keep it small.
//
// The hashes are keyed by the tenant's salt: what one tenant's words are in
// the index says nothing of another's, and neither do they share its pages'
// keys. An empty salt is that of entries from before there were tenants. Those of a
// tenant that is encrypted are keyed by its search key instead.
type wordHasher struct {
	ring   *vault.Keyring // nil for a tenant that is not encrypted
	block  cipher.Block   // nil for an empty salt
	sealed [aes.BlockSize]byte
	hashes []int32
	array  []byte
}

// saltSize is how many bytes of a salt are the key.
const saltSize = 32

// wordHasher gives a hasher of the tenant's words; give it back with freeWordHasher.
func (s *Store) wordHasher(k *keys) *wordHasher {
	if w, ok := k.hashers.Get().(*wordHasher); ok {
		return w
	}
	return newWordHasher(k, s.salt)
}

// maxKept is how many words a hasher has room for at most that is kept.
const maxKept = 1 << 16

func (k *keys) freeWordHasher(w *wordHasher) {
	if cap(w.hashes) <= maxKept {
		k.hashers.Put(w)
	}
}

func newWordHasher(k *keys, salt []byte) *wordHasher {
	w := &wordHasher{ring: k.ring}
	if len(salt) > 0 {
		var key [saltSize]byte
		copy(key[:], salt)
		w.block, _ = aes.NewCipher(key[:]) // its error is a key of another size
	}
	return w
}

// hashesOf gives the hashes of the words of a text.
func (w *wordHasher) hashesOf(text string) []int32 {
	w.hashes = w.hashes[:0]
	for word := range fulltext.Words(text) {
		w.hashes = append(w.hashes, w.hashOf(word))
	}
	slices.Sort(w.hashes)
	w.hashes = slices.Compact(w.hashes)
	return w.hashes
}

func (w *wordHasher) hashOf(word []byte) int32 {
	if w.ring != nil {
		return w.ring.Word(word)
	}
	// FNV-1a, as hash/fnv has it, but without memory for each word.
	if w.block == nil {
		sum := uint32(2166136261)
		for _, c := range word {
			sum = (sum ^ uint32(c)) * 16777619
		}
		return int32(sum) //nolint:gosec // a hash: PostgreSQL has no unsigned integers
	}
	sum := uint64(14695981039346656037)
	for _, c := range word {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	w.sealed = [aes.BlockSize]byte{}
	binary.LittleEndian.PutUint64(w.sealed[:], sum)
	w.block.Encrypt(w.sealed[:], w.sealed[:])
	return int32(binary.LittleEndian.Uint32(w.sealed[:])) //nolint:gosec // as above
}

// hashArray gives the hashes of a text's words as PostgreSQL writes arrays; nil,
// which is NULL, for none. An array of arrays must be square, so that a batch
// sends them as texts.
func (w *wordHasher) hashArray(text string) *string {
	hashes := w.hashesOf(text)
	if len(hashes) == 0 {
		return nil
	}
	w.array = append(w.array[:0], '{')
	for i, h := range hashes {
		if i > 0 {
			w.array = append(w.array, ',')
		}
		w.array = strconv.AppendInt(w.array, int64(h), 10)
	}
	return new(string(append(w.array, '}')))
}
