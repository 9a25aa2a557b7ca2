package check

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold/atom"
)

// A text is read as words with separators between. The hash of a run of words
// can be computed from two sums, so that each run of a source that begins like a
// wanted one is looked up at once.

// longestRun is the most words of a run; longer texts are looked up in pieces.
const longestRun = 24

// factor is the base of the sums; any odd number without a pattern does.
const factor = 0x9e3779b97f4a7c15

// units are a text as hashes: of each word, and of what stands between it and
// the word before.
type units struct {
	words, gaps []uint64
	sums        []uint64 // sums[i] is over the first i units
}

// speakers is a set of those who said something.
type speakers uint8

// A lookup finds runs of words in sources. Its time is that of reading the
// sources: at each word at most one look-up for each length that a run beginning
// with that word has.
type lookup struct {
	// seed makes hashes that whoever writes a transcript cannot foresee.
	seed     maphash.Seed
	foldCase bool
	powers   [longestRun + 1]uint64 // powers[n] is factor to the n
	lengths  map[uint64]uint32      // first word → bit n-1 for runs of n words
	seen     map[uint64]speakers    // wanted run → who said it
	units    units
}

func newLookup(foldCase bool) *lookup {
	l := &lookup{seed: maphash.MakeSeed(), foldCase: foldCase, lengths: map[uint64]uint32{}, seen: map[uint64]speakers{}}
	l.powers[0] = 1
	for i := 1; i < len(l.powers); i++ {
		l.powers[i] = l.powers[i-1] * factor
	}
	return l
}

// want looks for the runs of size words in a text, one from each step-th word
// on, the last run ending with the text. A text of fewer words is one run.
func (l *lookup) want(text string, size, step int) (runs []uint64) {
	l.read(text)
	n := len(l.units.words)
	size = min(size, n)
	for i := 0; i < n; i += step {
		from := min(i, n-size)
		run := l.hash(from, from+size)
		l.lengths[l.units.words[from]] |= 1 << (size - 1)
		l.seen[run] = 0
		runs = append(runs, run)
		if from+size == n {
			break
		}
	}
	return runs
}

// wantWays looks for the texts of each way to write a name.
func (l *lookup) wantWays(ways [][]string) [][]uint64 {
	wanted := make([][]uint64, len(ways))
	for i, way := range ways {
		for _, text := range way {
			wanted[i] = append(wanted[i], l.want(text, longestRun, longestRun)...)
		}
	}
	return wanted
}

// scan notes which of the wanted runs a source holds, and whose words it is.
func (l *lookup) scan(text string, by speakers) {
	if len(l.seen) == 0 {
		return
	}
	l.read(text)
	for i, word := range l.units.words {
		for lengths := l.lengths[word]; lengths != 0; lengths &= lengths - 1 {
			n := bits.TrailingZeros32(lengths) + 1
			if i+n > len(l.units.words) {
				break
			}
			run := l.hash(i, i+n)
			if have, wanted := l.seen[run]; wanted && have&by != by {
				l.seen[run] = have | by
			}
		}
	}
}

// found reports whether all runs of one way to write a name were seen.
func (l *lookup) found(ways [][]uint64) bool {
	for _, runs := range ways {
		all := true
		for _, run := range runs {
			all = all && l.seen[run] != 0
		}
		if all {
			return true
		}
	}
	return false
}

// repeats is the share of some runs, in percent, that a tool said and nobody
// else.
func (l *lookup) repeats(runs []uint64) int {
	slices.Sort(runs)
	runs = slices.Compact(runs)
	n := 0
	for _, run := range runs {
		if l.seen[run]&(byTool|byUser|byModel) == byTool {
			n++
		}
	}
	return n * 100 / max(len(runs), 1)
}

// read makes units of a text, in place of those of the text before.
func (l *lookup) read(text string) {
	u := &l.units
	u.words, u.gaps, u.sums = u.words[:0], u.gaps[:0], append(u.sums[:0], 0)
	var gap separator
	for i := 0; i < len(text); {
		kind, end := atom.Next(text, i)
		piece := text[i:end]
		i = end
		if kind > atom.Script {
			gap.add(kind, piece)
			continue
		}
		if l.foldCase {
			piece = strings.ToLower(piece)
		}
		word, between := maphash.String(l.seed, piece)|1, maphash.Bytes(l.seed, gap.bytes[:gap.n])
		gap.n = 0
		u.words, u.gaps = append(u.words, word), append(u.gaps, between)
		u.sums = append(u.sums, u.sums[len(u.sums)-1]*factor+word+between*3)
	}
}

// hash is that of the units from i to before j, what stands before the first
// aside.
func (l *lookup) hash(i, j int) uint64 {
	u := &l.units
	return u.sums[j] - u.sums[i]*l.powers[j-i] - u.gaps[i]*3*l.powers[j-i-1]
}

// separator is what stands between two words, as it is compared: no quotes, one
// slash for slashes of either kind, one space for any white space, no colours of
// terminals; eight bytes of it.
type separator struct {
	bytes [8]byte
	n     int
}

func (s *separator) add(kind atom.Token, piece string) {
	c := piece[0]
	switch {
	case kind == atom.Escape, c == '"', c == '\'', c == '`':
		return
	case kind == atom.Blank:
		c = ' '
	case c == '\\':
		c = '/'
	case piece == "…":
		c = '.'
	case c >= utf8.RuneSelf:
		if strings.ContainsAny(piece, "“”‘’«»„‚") {
			return
		}
		r, _ := utf8.DecodeRuneInString(piece)
		c = byte(r) | 0x80 //nolint:gosec // the low bits of a hash
	}
	if s.n < len(s.bytes) && (s.n == 0 || s.bytes[s.n-1] != c || (c != ' ' && c != '/')) {
		s.bytes[s.n] = c
		s.n++
	}
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
	for ; at >= 0; at = strings.IndexByte(text, '\\') {
		end := at
		for end < len(text) && text[end] == '\\' {
			end++
		}
		if end < len(text) && strings.IndexByte(`nrt"`, text[end]) >= 0 {
			b.WriteString(text[:at] + " ")
			changed = true
			end++
		} else {
			b.WriteString(text[:end])
		}
		text = text[end:]
	}
	return b.String() + text, changed
}
