package vault

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"
)

// key gives a master key of one byte repeated.
func key(b byte) []byte { return bytes.Repeat([]byte{b}, KeySize) }

func vaultOf(t testing.TB, keys ...byte) *Vault {
	t.Helper()
	var older [][]byte
	for _, b := range keys[1:] {
		older = append(older, key(b))
	}
	v, err := New(key(keys[0]), older...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// keysOf makes the search key and data keys up to a version.
func keysOf(t testing.TB, v *Vault, tenant, versions int) []Wrapped {
	t.Helper()
	var all []Wrapped
	for version := range versions + 1 {
		w, err := v.NewKey(tenant, version)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	return all
}

func ringOf(t testing.TB, v *Vault, tenant int, keys []Wrapped) *Keyring {
	t.Helper()
	k, err := v.Keyring(tenant, keys)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestEntriesComeBack(t *testing.T) {
	t.Parallel()
	v := vaultOf(t, 1)
	keys := keysOf(t, v, 7, 200)
	for _, ring := range []*Keyring{ringOf(t, v, 7, keys[:2]), ringOf(t, v, 7, keys)} {
		s := ring.Conversation([]byte("a\x00log"))
		for _, text := range []string{"", "short", "\x00\xff", strings.Repeat("the same again ", 5000)} {
			for _, meta := range []string{"", "\x01meta", strings.Repeat("m", 1000)} {
				head, sealed, err := s.Entry(3, []byte(meta), text)
				if err != nil {
					t.Fatal(err)
				}
				gotMeta, gotText, err := ring.Conversation([]byte("a\x00log")).OpenEntry(3, head, sealed)
				if err != nil || string(gotMeta) != meta || string(gotText) != text {
					t.Fatalf("%q, %q came back as %q, %q, %v", meta, text, gotMeta, gotText, err)
				}
				if version, err := VersionOf(head); err != nil || version != ring.Version() {
					t.Errorf("the head tells version %d, %v", version, err)
				}
				if len(text) > 1000 && len(sealed) > len(text)/10 {
					t.Errorf("%d bytes that say one thing take %d", len(text), len(sealed))
				}
			}
		}
	}
}

// What is changed, moved or of another key is an error, and nothing else.
func TestTampered(t *testing.T) {
	t.Parallel()
	v := vaultOf(t, 1)
	ring := ringOf(t, v, 7, keysOf(t, v, 7, 2))
	s := ring.Conversation([]byte("log"))
	head, sealed, err := s.Entry(3, []byte("meta"), strings.Repeat("text ", 100))
	if err != nil {
		t.Fatal(err)
	}
	field, err := s.Field(Title, []byte("title"))
	if err != nil {
		t.Fatal(err)
	}
	stranger := *ring
	stranger.tenant = 8 // the same keys, so that only the additional data differs
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrTampered) && !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: %v", what, err)
		}
	}
	open := func(s *Sealer, seq int64, head, sealed []byte) error {
		_, _, err := s.OpenEntry(seq, head, sealed)
		return err
	}
	if err := open(s, 3, head, sealed); err != nil {
		t.Fatal(err)
	}
	refused("another place", open(s, 4, head, sealed))
	refused("another conversation", open(ring.Conversation([]byte("log2")), 3, head, sealed))
	refused("another tenant", open(stranger.Conversation([]byte("log")), 3, head, sealed))
	refused("a shorter one", open(s, 3, head, sealed[:len(sealed)-1]))
	refused("nothing", open(s, 3, nil, nil))
	if Sealed(nil) || Sealed([]byte("x")) || !Sealed(head) {
		t.Error("what is sealed does not begin with the mark, or what begins otherwise is taken for sealed")
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		refused("a changed byte", open(s, 3, head, changed))
	}
	for i := range head {
		for bit := range 8 {
			changed := bytes.Clone(head)
			changed[i] ^= 1 << bit
			refused("a changed head", open(s, 3, changed, sealed))
		}
	}
	_, err = s.OpenField(Origin, field)
	refused("a title in an origin's place", err)
	_, err = ring.Conversation([]byte("log2")).OpenField(Title, field)
	refused("a title of another conversation", err)
	_, err = s.OpenField(Title, append(bytes.Clone(head), sealed...))
	refused("an entry in a title's place", err)
	if got, err := s.OpenField(Title, field); err != nil || string(got) != "title" {
		t.Errorf("the title is %q, %v", got, err)
	}
}

// Rows that were written must stay readable: the form does not drift.
func TestForm(t *testing.T) {
	t.Parallel()
	v := vaultOf(t, 1)
	ring := ringOf(t, v, 7, form.keys(t))
	meta, text, err := ring.Conversation([]byte("log")).OpenEntry(5, unhex(t, form.head), unhex(t, form.entry))
	if err != nil || string(meta) != "meta" || string(text) != strings.Repeat("again ", 40) {
		t.Errorf("the entry is %q, %q, %v", meta, text, err)
	}
	title, err := ring.Conversation([]byte("log")).OpenField(Title, unhex(t, form.title))
	if err != nil || string(title) != "a title" {
		t.Errorf("the title is %q, %v", title, err)
	}
	if got := ring.Word([]byte("word")); got != form.word {
		t.Errorf("the word's hash is %d", got)
	}
	if got := hex.EncodeToString(ring.Mark([]byte("mark"))); got != form.mark {
		t.Errorf("the mark is %s", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	old, now, both := vaultOf(t, 1), vaultOf(t, 2), vaultOf(t, 2, 1)
	keys := keysOf(t, old, 7, 2)
	if _, err := now.Keyring(7, keys); !errors.Is(err, ErrMaster) {
		t.Errorf("another master key: %v", err)
	} else if !strings.Contains(err.Error(), old.ID()) || !strings.Contains(err.Error(), now.ID()) {
		t.Errorf("the error names no master keys: %v", err)
	}
	if _, err := old.Keyring(8, keys); !errors.Is(err, ErrTampered) {
		t.Errorf("another tenant's keys: %v", err)
	}
	swapped := []Wrapped{keys[0], {Version: 1, Key: keys[2].Key}}
	if _, err := old.Keyring(7, swapped); !errors.Is(err, ErrTampered) {
		t.Errorf("a key in another's place: %v", err)
	}
	var again []Wrapped
	for _, w := range keys {
		n, changed, err := both.Rewrap(7, w)
		if err != nil || !changed || n.MasterOf() != now.ID() {
			t.Fatalf("rewrap: %v, %v", changed, err)
		}
		if same, changed, err := both.Rewrap(7, n); err != nil || changed || !bytes.Equal(same.Key, n.Key) {
			t.Errorf("what is wrapped anew is so again: %v, %v", changed, err)
		}
		again = append(again, n)
	}
	head, sealed, err := ringOf(t, old, 7, keys).Conversation(nil).Entry(1, nil, "text")
	if err != nil {
		t.Fatal(err)
	}
	ring := ringOf(t, now, 7, again)
	if _, text, err := ring.Conversation(nil).OpenEntry(1, head, sealed); err != nil || string(text) != "text" {
		t.Errorf("after a new master key: %q, %v", text, err)
	}
	if ring.Word([]byte("w")) != ringOf(t, old, 7, keys).Word([]byte("w")) {
		t.Error("a new master key changes the index")
	}
	// Destroyed.
	again[2].Key = nil
	if _, _, err := ringOf(t, now, 7, again).Conversation(nil).OpenEntry(1, head, sealed); !errors.Is(err, ErrNoKey) {
		t.Errorf("a destroyed key: %v", err)
	}
	if last := ringOf(t, now, 7, []Wrapped{again[0], {Version: 1}, keysOf(t, now, 7, 2)[2]}); last.Version() != 2 {
		t.Errorf("behind a key that was destroyed the newest is %d", last.Version())
	}
	for _, w := range [][]Wrapped{nil, again[:1], {{Version: 0}, {Version: 1}}} {
		if _, err := now.Keyring(7, w); !errors.Is(err, ErrNoKey) {
			t.Errorf("too few keys: %v", err)
		}
	}
}

// The same word has other hashes for other tenants, and for no two words of one.
func TestWords(t *testing.T) {
	t.Parallel()
	v := vaultOf(t, 1)
	a, b := ringOf(t, v, 1, keysOf(t, v, 1, 1)), ringOf(t, v, 2, keysOf(t, v, 2, 1))
	same := 0
	seen := map[int32]bool{}
	for i := range 1000 {
		word := []byte{byte(i), byte(i >> 8), 'x'}
		if a.Word(word) == b.Word(word) {
			same++
		}
		seen[a.Word(word)] = true
	}
	if same > 1 || len(seen) < 999 {
		t.Errorf("%d of 1000 words have the same hash for two tenants; %d hashes differ", same, len(seen))
	}
	if bytes.Equal(a.Mark([]byte("m")), b.Mark([]byte("m"))) {
		t.Error("a mark is the same for two tenants")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	one, two := base64.StdEncoding.EncodeToString(key(1)), base64.RawStdEncoding.EncodeToString(key(2))
	v, err := Parse("# the keys\n\n  " + one + "\r\n" + two)
	if err != nil || v.ID() != vaultOf(t, 1).ID() || len(v.masters) != 2 {
		t.Errorf("two keys: %v", err)
	}
	for _, text := range []string{"", "# only this", "hush", one[:20], one + "\n" + one, one + "\nhush", two + "!"} {
		if _, err := Parse(text); err == nil || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), one) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := New(key(1)[:16]); err == nil {
		t.Error("a short key is taken")
	}
}

// Whatever a table holds is opened or refused, and what is refused is an error that
// says why.
func FuzzOpen(f *testing.F) {
	ring := ringOf(f, vaultOf(f, 1), 7, form.keys(f))
	s := ring.Conversation([]byte("log"))
	head, sealed := unhex(f, form.head), unhex(f, form.entry)
	f.Add(head, sealed)
	f.Add([]byte{mark, compressed, 1}, []byte{})
	for n := range head {
		f.Add(head[:n], []byte{})
	}
	f.Add([]byte{mark, plain, 0x80}, []byte{})
	f.Add([]byte{mark, plain, SearchKey}, sealed)
	f.Add(append([]byte{'x'}, head[1:]...), sealed)
	f.Add([]byte{mark, compressed + 1, 1}, sealed)
	f.Add([]byte{mark, plain, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, sealed)
	f.Fuzz(func(t *testing.T, h, b []byte) {
		meta, text, err := s.OpenEntry(5, h, b)
		switch genuine := bytes.Equal(h, head) && bytes.Equal(b, sealed); {
		case genuine && (err != nil || string(meta) != "meta" || len(text) != 240):
			t.Errorf("what was sealed: %q, %q, %v", meta, text, err)
		case !genuine && !errors.Is(err, ErrTampered) && !errors.Is(err, ErrNoKey):
			t.Errorf("%x %x: %v", h, b, err)
		}
		if _, err := s.OpenField(Title, append(bytes.Clone(h), b...)); !errors.Is(err, ErrTampered) && !errors.Is(err, ErrNoKey) {
			t.Errorf("%x %x as a title: %v", h, b, err)
		}
	})
}

// Whoever holds the key can seal anything: what a genuine seal holds is still read
// with care.
func FuzzInside(f *testing.F) {
	v := vaultOf(f, 1)
	s := ringOf(f, v, 7, keysOf(f, v, 7, 1)).Conversation([]byte("log"))
	f.Add([]byte{}, byte(plain))
	f.Add([]byte{5, 'm'}, byte(plain))
	f.Add([]byte{0x80}, byte(plain))
	f.Add(packer().EncodeAll([]byte("\x01mtext"), nil), byte(compressed))
	f.Fuzz(func(t *testing.T, inside []byte, how byte) {
		head := []byte{mark, how, 1}
		a, err := s.aead(1)
		if err != nil {
			t.Fatal(err)
		}
		meta, text, err := s.OpenEntry(1, head, a.Seal(nil, nil, inside, s.bound(kindEntry, 1, head)))
		if err == nil && how == plain && len(meta)+len(text) > len(inside) || err != nil && !errors.Is(err, ErrTampered) {
			t.Errorf("%x: %q, %q, %v", inside, meta, text, err)
		}
	})
}

func FuzzKeyring(f *testing.F) {
	v, keys := vaultOf(f, 1), form.keys(f)
	f.Add(keys[0].Key, keys[1].Key, 1)
	f.Add(keys[1].Key, keys[0].Key, math.MaxInt)
	for n := 1; n < wrapHead+2; n++ {
		f.Add(keys[0].Key[:n], keys[1].Key, 1)
	}
	f.Add(append([]byte{wrapVersion + 1}, keys[0].Key[1:]...), keys[1].Key, 1)
	f.Fuzz(func(t *testing.T, search, data []byte, version int) {
		genuine := bytes.Equal(search, keys[0].Key) && bytes.Equal(data, keys[1].Key) && version == 1
		_, err := v.Keyring(7, []Wrapped{{0, search}, {version, data}})
		if genuine != (err == nil) {
			t.Errorf("%x, %x as %d: %v", search, data, version, err)
		}
	})
}

func BenchmarkEntry(b *testing.B) {
	v := vaultOf(b, 1)
	ring := ringOf(b, v, 7, keysOf(b, v, 7, 1))
	text := strings.Repeat("func (s *Store) Append(ctx context.Context, b store.Batch) error { return s.write(b) }\n", 20)
	b.Run("Seal", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, _, err := ring.Conversation([]byte("log")).Entry(1, []byte("meta"), text); err != nil {
				b.Fatal(err)
			}
		}
	})
	head, sealed, _ := ring.Conversation([]byte("log")).Entry(1, []byte("meta"), text)
	s := ring.Conversation([]byte("log"))
	b.Run("Open", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, _, err := s.OpenEntry(1, head, sealed); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Word", func(b *testing.B) {
		for b.Loop() {
			ring.Word([]byte("considerable"))
		}
	})
}
