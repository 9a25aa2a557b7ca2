package token

import (
	_ "embed"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// A Counter says how many tokens a text is. Counters are safe for concurrent
// use and depend on nothing but the text. Semantics T1: one counter serves
// triggers, reports, the indicator and the budget.
type Counter interface {
	// Name names the counter in configuration and reports.
	Name() string

	// Count returns the number of tokens of text, 0 for the empty text.
	Count(text string) int

	// CountBytes is Count for bytes, which it neither changes nor keeps.
	CountBytes(text []byte) int
}

// An Encoding counts exactly as the byte-pair encoding it is named for. Get
// one from [O200k] or [Cl100k]. Its methods are safe for concurrent use, and
// counting does not allocate in the steady state.
//
// Texts that look like special tokens, such as <|endoftext|>, count as
// ordinary text. A byte that is not part of valid UTF-8 counts as the
// character U+FFFD, as it would after a conversion to runes or through
// encoding/json.
type Encoding struct {
	name  string
	rules rules
	// vocab builds the tables on its first call.
	vocab func() *vocab
}

// rules tell the split rules of the encodings apart.
type rules uint8

const (
	rulesO200k rules = iota
	rulesCl100k
)

var (
	//go:embed data/o200k_base.vocab
	packedO200k string

	//go:embed data/cl100k_base.vocab
	packedCl100k string

	o200k  = Encoding{"o200k_base", rulesO200k, sync.OnceValue(func() *vocab { return newVocab(packedO200k) })}
	cl100k = Encoding{"cl100k_base", rulesCl100k, sync.OnceValue(func() *vocab { return newVocab(packedCl100k) })}
)

// O200k returns the encoding o200k_base, the default. Its first count builds
// its tables, which takes milliseconds. All calls return the same value.
func O200k() *Encoding { return &o200k }

// Cl100k returns the encoding cl100k_base, that of GPT-4, GPT-3.5 and the
// embedding models. Its first count builds its tables, as with [O200k].
func Cl100k() *Encoding { return &cl100k }

// Name returns "o200k_base" or "cl100k_base".
func (e *Encoding) Name() string { return e.name }

// Count returns the number of tokens of text.
func (e *Encoding) Count(text string) int {
	return e.CountBytes(bytesOf(text))
}

// bytesOf returns the bytes of a string for reading.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // nobody writes to them
}

// textOf returns a string for reading bytes that are not changed meanwhile.
func textOf(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the caller changes nothing meanwhile
}

// CountBytes returns the number of tokens of text.
func (e *Encoding) CountBytes(text []byte) int {
	if !utf8.Valid(text) {
		return e.countInvalid(text)
	}
	return e.count(text)
}

// count counts valid UTF-8.
func (e *Encoding) count(b []byte) int {
	n := 0
	v := e.vocab()
	for i := 0; i < len(b); {
		end := e.split(b, i)
		n += v.count(b, i, end)
		i = end
	}
	return n
}

// split returns the end of the piece that begins at i, which is not the end
// of the text.
func (e *Encoding) split(b []byte, i int) int {
	if e.rules == rulesO200k {
		return splitO200k(b, i)
	}
	return splitCl100k(b, i)
}

// repairs holds the buffers of countInvalid between calls.
var repairs = sync.Pool{New: func() any { return new([]byte) }}

func (e *Encoding) countInvalid(text []byte) int {
	buf, _ := repairs.Get().(*[]byte)
	*buf = repair((*buf)[:0], text)
	n := e.count(*buf)
	repairs.Put(buf)
	return n
}

// repair appends text to dst with U+FFFD for every byte that is not valid.
func repair(dst, text []byte) []byte {
	for len(text) > 0 {
		r, w := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[w:]
	}
	return dst
}

// Encode returns the tokens of text by their rank in the vocabulary. It is
// for tests and tools; counting is what the package is made for.
func (e *Encoding) Encode(text string) []uint32 {
	b := []byte(text)
	if !utf8.Valid(b) {
		b = repair(nil, b)
	}
	m, _ := mergers.Get().(*merger)
	defer mergers.Put(m)
	var tokens []uint32
	v := e.vocab()
	for i := 0; i < len(b); {
		end := e.split(b, i)
		if id := v.find(b, i, end); id != none {
			tokens = append(tokens, id)
		} else {
			m.encode(v, b, i, end)
			tokens = append(tokens, m.tokens...)
		}
		i = end
	}
	return tokens
}

// Decode returns the text of the tokens. Numbers outside the
// vocabulary, special tokens among them, stand for nothing.
func (e *Encoding) Decode(tokens []uint32) string {
	var b []byte
	v := e.vocab()
	for _, id := range tokens {
		if int(id) < len(v.sizes) {
			b = append(b, v.bytes(id)...)
		}
	}
	return string(b)
}
