package fulltext

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/internal/runes"
)

// maxPhrases bounds what one query may ask. Who pastes a page asks for its
// first words.
const maxPhrases = 64

// A Query is what to look for: phrases that must all be there. The zero value
// finds nothing.
type Query struct {
	phrases []string // " two words "
}

// Parse reads words, and phrases in double quotes. No text is wrong: a quote
// that is not closed lasts to the end, and there are no other operators.
func Parse(text string) Query {
	var q Query
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			q.add(part)
			continue
		}
		for _, word := range strings.FieldsFunc(part, unicode.IsSpace) {
			q.add(word)
		}
	}
	return q
}

func (q *Query) add(text string) {
	phrase := string(AppendWords(nil, text))
	if len(phrase) > 1 && len(q.phrases) < maxPhrases && !slices.Contains(q.phrases, phrase) {
		q.phrases = append(q.phrases, phrase)
	}
}

// Empty reports whether the query asks for no word.
func (q Query) Empty() bool { return len(q.phrases) == 0 }

// Phrases gives the phrases, each as words parted by single spaces.
func (q Query) Phrases() []string {
	out := make([]string, len(q.phrases))
	for i, p := range q.phrases {
		out[i] = strings.Trim(p, " ")
	}
	return out
}

// Match reports whether words, made by [AppendWords], hold all phrases, and
// how well: often in a short text is best.
func (q Query) Match(words []byte) (score float64, ok bool) {
	for _, p := range q.phrases {
		n := bytes.Count(words, []byte(p))
		if n == 0 {
			return 0, false
		}
		score += float64(n) / (float64(n) + 0.5 + float64(len(words))/1000)
	}
	return score, len(q.phrases) > 0
}

// How much a snippet shows, in bytes.
const (
	snippetBefore = 60
	snippetAfter  = 140
)

// Snippet gives a line of text around the first place where a phrase stands,
// or the start of the text. It holds no line breaks.
func (q Query) Snippet(text string) string {
	at := q.first(text)
	from, to := max(at-snippetBefore, 0), runes.Next(text, at+snippetAfter)
	for from > 0 && from < at && !utf8.RuneStart(text[from]) {
		from++
	}
	line := strings.ToValidUTF8(text[from:to], "\uFFFD")
	line = strings.Join(strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}

// first gives where the first word stands that is looked for, or 0.
func (q Query) first(text string) int {
	for start := range q.words(text) {
		return start
	}
	return 0
}

// Marks gives where words of the query's phrases stand in a text: pairs of
// byte offsets, in order, that do not overlap.
func (q Query) Marks(text string) (marks [][2]int) {
	for start, end := range q.words(text) {
		marks = append(marks, [2]int{start, end})
	}
	return marks
}

// words gives the words of text that are part of a phrase of the query.
func (q Query) words(text string) iter.Seq2[int, int] {
	type word struct {
		text       string
		start, end int
		found      bool
	}
	return func(yield func(start, end int) bool) {
		longest := 0
		phrases := make([][]string, len(q.phrases))
		for i, p := range q.phrases {
			phrases[i] = strings.Fields(p)
			longest = max(longest, len(phrases[i]))
		}
		if longest == 0 {
			return
		}
		var last []word // those that a phrase may still reach
		for s := (scanner{text: text}); s.next(); {
			last = append(last, word{text: string(s.word), start: s.start, end: s.end})
			for _, p := range phrases {
				tail := last[max(len(last)-len(p), 0):]
				if slices.EqualFunc(tail, p, func(w word, s string) bool { return w.text == s }) {
					for i := range tail {
						tail[i].found = true
					}
				}
			}
			if len(last) == longest {
				if w := last[0]; w.found && !yield(w.start, w.end) {
					return
				}
				last = last[1:]
			}
		}
		for _, w := range last {
			if w.found && !yield(w.start, w.end) {
				return
			}
		}
	}
}
