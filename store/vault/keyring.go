package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// A Keyring holds the keys of one tenant, unwrapped. It is safe for concurrent use.
type Keyring struct {
	tenant  int
	current int
	keys    map[int][]byte
	words   cipher.Block
	marks   []byte
}

// SearchKey is the version of the key that hashes words and origins.
const SearchKey = 0

// Keyring unwraps the keys of a tenant. Those destroyed are left out: what they
// sealed is [ErrNoKey]. Without the search key, or without any data key, it is
// ErrNoKey itself.
func (v *Vault) Keyring(tenant int, wrapped []Wrapped) (*Keyring, error) {
	k := &Keyring{tenant: tenant, keys: map[int][]byte{}}
	for _, w := range wrapped {
		if len(w.Key) == 0 {
			continue
		}
		key, err := v.unwrap(tenant, w)
		if err != nil {
			return nil, err
		}
		k.keys[w.Version] = key
		k.current = max(k.current, w.Version)
	}
	search, ok := k.keys[SearchKey]
	if !ok || k.current == 0 {
		return nil, fmt.Errorf("tenant %d: %w", tenant, ErrNoKey)
	}
	delete(k.keys, SearchKey)
	block, err := aes.NewCipher(derived(search, "words"))
	k.words, k.marks = block, derived(search, "marks")
	return k, err
}

// derived gives a key for one use.
func derived(key []byte, use string) []byte {
	out, err := hkdf.Key(sha256.New, key, nil, "tenfold "+use, KeySize)
	if err != nil { // only of lengths that are not ours
		panic(err)
	}
	return out
}

// Version is that of the key that seals.
func (k *Keyring) Version() int { return k.current }

// Word hashes a word for an index. The hash is AES of a hash that is not keyed, whose
// collisions cost a search a look at one entry more.
func (k *Keyring) Word(word []byte) int32 {
	h := fnv.New128a()
	_, _ = h.Write(word)
	b := h.Sum(make([]byte, 0, aes.BlockSize))
	k.words.Encrypt(b, b)
	return int32(binary.BigEndian.Uint32(b)) //nolint:gosec // a hash
}

// Mark hashes a text by which something is found, such as an origin's key.
func (k *Keyring) Mark(text []byte) []byte {
	h := hmac.New(sha256.New, k.marks)
	_, _ = h.Write(text)
	return h.Sum(nil)
}
