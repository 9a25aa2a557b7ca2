package postgres

import (
	"crypto/aes"
	"encoding/binary"
	"hash/fnv"
	"testing"
)

// The hashes of words are what databases hold: they never change.
func TestWordHashes(t *testing.T) {
	key := [saltSize]byte{1, 2, 3}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		t.Fatal(err)
	}
	plain, salted := newWordHasher(&keys{}, nil), newWordHasher(&keys{}, key[:])
	for _, word := range []string{"a", "medlar", "été", "0123456789012345678901234567890123456789012345678901234567890123"} {
		h32, h64 := fnv.New32a(), fnv.New64a()
		h32.Write([]byte(word))
		h64.Write([]byte(word))
		var b [aes.BlockSize]byte
		binary.LittleEndian.PutUint64(b[:], h64.Sum64())
		block.Encrypt(b[:], b[:])
		if got, want := plain.hashOf([]byte(word)), int32(h32.Sum32()); got != want {
			t.Errorf("%s without a salt: %d, want %d", word, got, want)
		}
		if got, want := salted.hashOf([]byte(word)), int32(binary.LittleEndian.Uint32(b[:])); got != want {
			t.Errorf("%s with a salt: %d, want %d", word, got, want)
		}
	}
	text := "one two three four five six seven eight nine ten, one two three"
	if n := testing.AllocsPerRun(100, func() { salted.hashArray(text) }); n > 3 { // none for a word
		t.Errorf("%v allocations for a text", n)
	}
	for _, next := range []string{"nine", "eleven one two " + text, "..."} { // a hasher is used for one text after the other
		got, want := salted.hashArray(next), newWordHasher(&keys{}, key[:]).hashArray(next)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("after another text, %q has other words", next)
		}
	}
}
