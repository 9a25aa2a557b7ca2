package tenfold

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is kept of a text is whole lines; of prose, whole sentences; of a line
// without either, a fragment that begins and ends between words (P5b).

// longestSentence is how many bytes a sentence may have to be kept whole for a
// piece of it.
const longestSentence = 500

// fragment widens a piece of a line to where it may be cut (P5b): in prose to whole
// sentences, by their ends, elsewhere to whole words. From and to are bytes, clamped to the line.
// Widening twice changes nothing.
func fragment(line string, ends []int, from, to int) (_, _ int, prose bool) {
	from, to = min(max(from, 0), len(line)), min(max(to, 0), len(line))
	if from >= to {
		return from, from, false
	}
	if len(ends) > 0 {
		lo, hi := 0, len(line)
		if n, _ := slices.BinarySearch(ends, from+1); n > 0 {
			lo = ends[n-1]
		}
		if n, _ := slices.BinarySearch(ends, to); n < len(ends) {
			hi = ends[n]
		}
		hi = lo + len(strings.TrimRightFunc(line[lo:hi], unicode.IsSpace))
		lo = hi - len(strings.TrimLeftFunc(line[lo:hi], unicode.IsSpace))
		if hi-lo <= to-from+2*longestSentence {
			return lo, hi, true
		}
	}
	return wordBound(line, from, -1), wordBound(line, to, 1), false
}

// sentenceEnds are the ends of the sentences of a line of prose, in order; none of code or data.
func sentenceEnds(line string) []int {
	if !isProse(line) {
		return nil
	}
	return slices.Collect(sentences(line))
}

// beginning is the beginning of a line, of at most so many characters.
func beginning(line string, most int) string {
	if len(line) <= most || utf8.RuneCountInString(line) <= most {
		return line
	}
	room := byteAt(line, most-2)
	if isProse(line) {
		at := 0
		for end := range sentences(line) {
			if len(strings.TrimRightFunc(line[:end], unicode.IsSpace)) > room {
				break
			}
			at = end
		}
		if at > 0 {
			return strings.TrimRightFunc(line[:at], unicode.IsSpace) + " " + gapMark
		}
	}
	return gapMark + strings.TrimRightFunc(line[:wordBound(line, room, -1)], unicode.IsSpace) + gapMark
}

const (
	nearBlank = 40  // how far a blank to cut at may be, in bytes
	nearSign  = 100 // and how far any end of a word
)

// wordBound is the nearest place to cut a line at, looking one way from at: between
// words, unless what stands there is too long to be one.
func wordBound(line string, at, way int) int {
	for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
		at += way
	}
	sign := -1
	for i := at; i >= 0 && i <= len(line) && (i-at)*way <= nearSign; i += way {
		if i > 0 && i < len(line) && !utf8.RuneStart(line[i]) {
			continue
		}
		blank, bound := isBound(line, i)
		switch {
		case bound && i == at, blank && (i-at)*way <= nearBlank:
			return i
		case bound && sign < 0:
			sign = i
		}
	}
	if sign >= 0 {
		return sign
	}
	return at
}

// isBound reports whether a word ends or begins at i, and whether blanks do.
func isBound(line string, i int) (blank, bound bool) {
	if i == 0 || i == len(line) {
		return true, true
	}
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	after, _ := utf8.DecodeRuneInString(line[i:])
	blank = unicode.IsSpace(before) || unicode.IsSpace(after)
	return blank, blank || !inWord(before) || !inWord(after)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isProse reports whether a line reads like sentences rather than code or data.
func isProse(line string) bool {
	words, blanks, all, ideographs := 0, 0, 0, 0
	for _, r := range line {
		all++
		switch {
		case unicode.IsSpace(r):
			blanks++
		case inWord(r):
			words++
			if isIdeograph(r) {
				ideographs++
			}
		}
	}
	return (words+blanks)*100 >= all*75 && (blanks*100 >= all*8 || ideographs*2 >= words)
}

func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) // the first of them, and few texts have one
}

// sentences gives where the sentences of a line end, the blanks behind each
// included; the line's end last. Where it is not sure, a sentence goes on.
func sentences(line string) iter.Seq[int] {
	return func(yield func(int) bool) {
		last := 0
		for i, r := range line {
			if i < last || !strings.ContainsRune(".!?…。！？｡؟।۔", r) {
				continue
			}
			end := len(line) - len(strings.TrimLeft(line[i:], ".!?…。！？｡؟।۔"))
			end = len(line) - len(strings.TrimLeft(line[end:], "\"'`”’)]}»」』）*_"))
			next := len(line) - len(strings.TrimLeftFunc(line[end:], unicode.IsSpace))
			follows, _ := utf8.DecodeRuneInString(line[next:])
			switch {
			case next == len(line):
			case strings.ContainsRune("。！？｡", r):
			case next == end, unicode.IsLower(follows):
				continue
			case r == '.' && abbreviates(line[last:i]):
				continue
			}
			if last = next; next < len(line) && !yield(next) {
				return
			}
		}
		if line != "" {
			yield(len(line))
		}
	}
}

var abbreviations = strings.Fields("e.g i.e eg ie etc vs cf mr mrs ms dr prof st no nr fig eq sec ch vol approx al resp inc ltd co corp dept est min max incl excl jr sr bzw z.b d.h ca usw u.a ggf")

// abbreviates reports whether the "." behind what was read of a sentence may
// belong to a word: of an abbreviation, an initial, or the number of an item.
func abbreviates(read string) bool {
	word := read[strings.LastIndexFunc(read, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("(\"'[“‘", r) })+1:]
	switch {
	case utf8.RuneCountInString(word) == 1:
		return true
	case strings.TrimSpace(read) == word && len(word) <= 3 && strings.Trim(word, "0123456789") == "":
		return true
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}

// wholeSentences widens ranges of lines in a message so that no sentence that
// goes over the end of a line is cut (P5b).
func wholeSentences(text string, ranges []LineRange) []LineRange {
	if len(ranges) == 0 {
		return ranges
	}
	var goes []bool // whether the sentence before goes on in a line
	width := 0
	for line := range strings.Lines(text) {
		width = max(width, len(strings.TrimSpace(line)))
	}
	before, fenced := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		fenced = fenced != fence
		goes = append(goes, !fenced && !fence && continues(before, line, width))
		if before = line; fence {
			before = ""
		}
	}
	out := slices.Clone(ranges)
	for i := range out {
		r := &out[i]
		if r.First > r.Last || r.First < 1 || r.part() {
			continue
		}
		for r.First <= len(goes) && goes[r.First-1] {
			r.First--
		}
		for r.Last < len(goes) && goes[r.Last] {
			r.Last++
		}
	}
	return out
}

// continues reports whether a line goes on with the sentence of the line before,
// which was broken because its next word did not fit in the width of the text.
func continues(before, line string, width int) bool {
	const narrowest = 60 // texts are not broken at fewer characters
	word, _, _ := strings.Cut(line, " ")
	if line == "" || len(before) < narrowest || (len(before)+1+len(word) <= width && width < 2*len(before)) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "\"'`”’)]}»」』）*_"))
	first, _ := utf8.DecodeRuneInString(line)
	return !strings.ContainsRune(".!?…。！？:;：；|{}", end) && unicode.IsLower(first) && isProse(before)
}
