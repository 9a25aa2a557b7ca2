package summary

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A text is looked at as words with separators between. Each word makes a unit;
// a stretch of units has a hash that can be told from two sums, so that every
// stretch of a source that begins like a pattern can be looked up at once.

// longestRun is the most words of a pattern; longer ones are looked up in
// pieces.
const longestRun = 24

// factor is the base of the sums; any odd number without a pattern does.
const factor = 0x9e3779b97f4a7c15

// units are a text as hashes: of each word, and of what stands between it and
// the word before.
type units struct {
	words, gaps []uint64
	sums        []uint64 // sums[i] is over the first i units
}

// hasher makes hashes that nobody who writes a transcript can foresee.
type hasher struct {
	seed   maphash.Seed
	powers [longestRun + 1]uint64 // powers[n] is factor to the n
	fold   bool                   // case does not count
}

func newHasher() *hasher {
	h := &hasher{seed: maphash.MakeSeed()}
	h.powers[0] = 1
	for i := 1; i < len(h.powers); i++ {
		h.powers[i] = h.powers[i-1] * factor
	}
	return h
}

// read makes units of a text, in place of what they held.
func (h *hasher) read(u *units, text string) {
	u.words, u.gaps, u.sums = u.words[:0], u.gaps[:0], append(u.sums[:0], 0)
	var gap [8]byte
	for i := 0; i < len(text); {
		n, next := readGap(text, i, &gap)
		i = next
		if i >= len(text) {
			return
		}
		from := i
		i = wordEnd(text, i)
		said := text[from:i]
		if h.fold {
			said = strings.ToLower(said)
		}
		word, between := maphash.String(h.seed, said)|1, maphash.Bytes(h.seed, gap[:n])
		u.words, u.gaps = append(u.words, word), append(u.gaps, between)
		u.sums = append(u.sums, u.sums[len(u.sums)-1]*factor+word+between*3)
	}
}

// hash is that of the units from i to before j, what stands before the first
// aside.
func (h *hasher) hash(u *units, i, j int) uint64 {
	return u.sums[j] - u.sums[i]*h.powers[j-i] - u.gaps[i]*3*h.powers[j-i-1]
}

// readGap goes to the next word, and writes down what stands before it as it
// is compared: no quotes, one slash for any slashes of either kind, one space
// for any white space, no colours of terminals; eight bytes of it.
func readGap(text string, i int, gap *[8]byte) (n, next int) {
	put := func(c byte) {
		if n < len(gap) && (n == 0 || gap[n-1] != c || (c != ' ' && c != '/')) {
			gap[n] = c
			n++
		}
	}
	for i < len(text) {
		c := text[i]
		switch {
		case isWordByte(c):
			return n, i
		case c == 0x1b:
			i = escapeEnd(text, i)
			continue
		case c == '"' || c == '\'' || c == '`':
		case c == '\\' || c == '/':
			put('/')
		case c <= ' ':
			put(' ')
		case c < utf8.RuneSelf:
			put(c)
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if isWordRune(r) {
				return n, i
			}
			switch {
			case strings.ContainsRune("“”‘’«»„‚", r):
			case unicode.IsSpace(r):
				put(' ')
			case r == '…':
				put('.')
			default:
				put(byte(r) | 0x80)
			}
			i += size
			continue
		}
		i++
	}
	return n, i
}

// escapeEnd is where an escape sequence of a terminal ends.
func escapeEnd(text string, i int) int {
	i++
	if i < len(text) && text[i] == '[' {
		for i++; i < len(text) && (text[i] < 0x40 || text[i] > 0x7e); i++ {
		}
		return min(i+1, len(text))
	}
	return i
}

// wordEnd is where a word ends that begins at i. Letters beyond ASCII make words
// of their own, since scripts without spaces write names among others.
func wordEnd(text string, i int) int {
	ascii := text[i] < utf8.RuneSelf
	for i < len(text) {
		c := text[i]
		if ascii != (c < utf8.RuneSelf) {
			return i
		}
		if ascii {
			if !isWordByte(c) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			return i
		}
		i += size
	}
	return i
}

func isWordByte(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 26 || c == '_'
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// A scanner looks patterns up in sources. Its time is that of reading the
// sources: at each word at most one look-up for each length that a pattern
// beginning with that word has.
type scanner struct {
	*hasher
	lengths map[uint64]uint32 // first word → bit n-1 for patterns of n words
	seen    map[uint64]bool   // pattern → found
	own     units
}

func newScanner(h *hasher, atoms []mention) *scanner {
	s := &scanner{hasher: h, lengths: map[uint64]uint32{}, seen: map[uint64]bool{}}
	for _, a := range atoms {
		for _, way := range a.ways {
			for _, text := range way {
				for _, p := range s.patterns(text) {
					s.lengths[p.first] |= 1 << (p.size - 1)
					s.seen[p.hash] = false
				}
			}
		}
	}
	return s
}

// pattern is a stretch that is looked up.
type pattern struct {
	first, hash uint64
	size        int
}

// patterns cuts a text into the stretches that are looked up: of at most
// longestRun words, the last one overlapping the one before.
func (s *scanner) patterns(text string) []pattern {
	s.read(&s.own, text)
	var out []pattern
	n := len(s.own.words)
	for i := 0; i < n; i += longestRun {
		size := min(longestRun, n)
		from := min(i, n-size)
		out = append(out, pattern{s.own.words[from], s.hash(&s.own, from, from+size), size})
	}
	return out
}

// scan marks the patterns that a text holds.
func (s *scanner) scan(u *units) {
	for i, word := range u.words {
		lengths, ok := s.lengths[word]
		if !ok {
			continue
		}
		for n := 1; n <= longestRun && i+n <= len(u.words); n++ {
			if lengths&(1<<(n-1)) == 0 {
				continue
			}
			hash := s.hash(u, i, i+n)
			if seen, wanted := s.seen[hash]; wanted && !seen {
				s.seen[hash] = true
			}
		}
	}
}

// found reports whether one way to write an atom was seen whole.
func (s *scanner) found(a mention) bool {
	for _, way := range a.ways {
		all := true
		for _, text := range way {
			for _, p := range s.patterns(text) {
				all = all && s.seen[p.hash]
			}
		}
		if all {
			return true
		}
	}
	return false
}

// unescaped gives a text with its escapes of line ends, tabs and quotes
// undone: JSON printed by a tool holds "\nsrc" where "src" is meant.
func unescaped(text string) (string, bool) {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return "", false
	}
	var b strings.Builder
	changed := false
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		end := i
		for end < len(text) && text[end] == '\\' {
			end++
		}
		if end < len(text) && strings.IndexByte(`nrt"`, text[end]) >= 0 {
			b.WriteByte(' ')
			changed = true
			i = end
			continue
		}
		b.WriteString(text[i:end])
		i = end - 1
	}
	return b.String(), changed
}
