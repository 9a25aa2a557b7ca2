package summary

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A summary may name what the log does not hold and be right all the same: the
// file to be written next, an example, something that was missing. What it
// claims of a name is read from the words of the sentence, and from the
// headings above it, by fixed lists of words (check_words.go).

// claim is what a summary claims of something it names; over all places where
// it does, the claims are joined.
type claim uint8

const (
	// claimsThere: it is named, with nothing said of it.
	claimsThere claim = 1 << iota
	// claimsDone: it was made, changed, read or run.
	claimsDone
	// claimsPlan: it is planned, wanted, missing, or an example.
	claimsPlan
	// claimsUser: the user said it.
	claimsUser
)

// exists reports whether the claims say that a thing is there: with certainty
// where something was done to it, else unless it is planned anywhere.
func (c claim) exists() bool {
	return c&claimsDone != 0 || (c&claimsThere != 0 && c&claimsPlan == 0)
}

// A heading rules over the lines below it, until one of its level or above.
type heading struct {
	level  int
	indent int // of a line that leads in a list; -1 for a heading of Markdown
	claims claim
}

// outline knows which headings a line stands under.
type outline struct {
	open  []heading
	blank bool // the line before was blank
}

// leadIn is the level of a line that ends in a colon: below all of Markdown's,
// deeper the further it is indented.
const leadIn = 7

// next takes the next line, and says what its headings claim of all that it
// names.
func (o *outline) next(line string) claim {
	text := strings.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	if text == "" {
		o.blank = true
		return o.claims()
	}
	after := o.blank
	o.blank = false
	level, title := headingOf(text)
	if level == leadIn {
		level += indent
	}
	item := strings.ContainsAny(text[:1], "-*+•0123456789")
	o.open = slices.DeleteFunc(o.open, func(h heading) bool {
		switch {
		case level > 0:
			return h.level >= level
		case h.indent < 0 || item:
			return false
		}
		return after && indent <= h.indent
	})
	above := o.claims()
	if level == 0 {
		return above
	}
	h := heading{level: level, indent: indent, claims: claimsOfTitle(title)}
	if level < leadIn {
		h.indent = -1
	}
	o.open = append(o.open, h)
	return above | h.claims
}

func (o *outline) claims() claim {
	all := claim(0)
	for _, h := range o.open {
		all |= h.claims
	}
	return all
}

// headingOf tells a heading of Markdown, or a line that leads in what follows:
// one that ends in a colon, or is bold as a whole. Level 0 is neither.
func headingOf(text string) (level int, title string) {
	if rest := strings.TrimLeft(text, "#"); rest != text && len(text)-len(rest) < leadIn && strings.HasPrefix(rest, " ") {
		return len(text) - len(rest), rest
	}
	bare := strings.TrimRight(text, " \t")
	bold := strings.HasPrefix(bare, "**") && strings.Index(bare[2:], "**") == len(bare)-4
	bare = strings.TrimRight(bare, "*_ ")
	if bold || strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "：") {
		return leadIn, bare
	}
	return 0, ""
}

func claimsOfTitle(title string) claim {
	claims := claim(0)
	words := wordsOf(title)
	for i, w := range words {
		switch {
		case planTitles[w.text], w.text == "open" && i+1 < len(words) && openThings[words[i+1].text]:
			claims |= claimsPlan
		case people[strings.TrimSuffix(w.text, "'s")]:
			claims |= claimsUser
		}
	}
	if hasAny(title, planSigns) {
		claims |= claimsPlan
	}
	return claims
}

// A cue is a word that says what is claimed of the names beside it.
type cue struct {
	at     int
	claims claim
}

// A statement is a sentence of a line, with its cues in order.
type statement struct {
	from, to int
	text     string // what is set off in quotes is blanked
	cues     []cue
}

// statementsOf cuts a line.
func statementsOf(line string) []statement {
	bare := withoutNames(blanked(line))
	var out []statement
	from := 0
	for i := 0; i < len(bare); i++ {
		end := i+1 == len(bare)
		if !end && strings.IndexByte(".!?;", bare[i]) >= 0 && bare[i+1] == ' ' && !abbreviation(bare[from:i]) {
			end = true
		}
		if end {
			s := statement{from: from, to: i + 1, text: bare[from : i+1]}
			s.cues = cuesOf(s.text, from)
			out = append(out, s)
			from = i + 1
		}
	}
	return out
}

// abbreviation reports whether a full stop after the text ends no sentence.
func abbreviation(text string) bool {
	text = strings.ToLower(text)
	for _, short := range []string{"e.g", "i.e", "etc", "vs", "z.b", "bzw", "cf", "p.ex"} {
		if strings.HasSuffix(text, short) {
			return true
		}
	}
	return false
}

// blanked puts blanks in the place of what is set off in quotes, byte for byte.
func blanked(line string) string {
	if at, _, _ := nextQuote(line); at < 0 {
		return line
	}
	out := []byte(line)
	for from := 0; ; {
		at, opening, closing := nextQuote(line[from:])
		if at < 0 {
			return string(out)
		}
		begin := from + at + len(opening)
		size := strings.Index(line[begin:], closing)
		if size < 0 {
			return string(out)
		}
		for i := from + at; i < begin+size+len(closing); i++ {
			out[i] = ' '
		}
		from = begin + size + len(closing)
	}
}

// withoutNames puts blanks in the place of paths and names of programs, byte
// for byte: their words say nothing of them.
func withoutNames(line string) string {
	if !strings.ContainsAny(line, `/\_.`) {
		return line
	}
	out := []byte(line)
	for at := 0; at < len(line); {
		field, rest := cutField(line[at:])
		end := len(line) - len(rest)
		bare := strings.TrimRight(field, ".,;:!?)*")
		if strings.ContainsAny(bare, `/\_`) || (strings.Contains(bare, ".") && !abbreviation(bare)) {
			for i := range len(bare) {
				out[end-len(field)+i] = ' '
			}
		}
		at = end
	}
	return string(out)
}

// cuesOf finds the words that claim something. A verb of the past after "will
// be", "not" and the like is planned, and nothing that happened.
func cuesOf(text string, base int) []cue {
	var cues []cue
	if hasAny(text, planSigns) {
		cues = append(cues, cue{base, claimsPlan})
	}
	turned := 0 // words for which a verb is turned
	for _, w := range wordsOf(text) {
		switch {
		case w.text == "to" || w.text == "be":
			turned = 3
			continue
		case turnWords[w.text]:
			turned = 3
			cues = append(cues, cue{base + w.at, claimsPlan})
			continue
		case planWords[w.text], turned > 0 && past(w.text):
			cues = append(cues, cue{base + w.at, claimsPlan})
		case past(w.text):
			cues = append(cues, cue{base + w.at, claimsDone})
		}
		turned--
	}
	return cues
}

// past reports whether a word is a verb of what was done.
func past(word string) bool {
	return doneWords[word] || (strings.HasSuffix(word, "ed") && len(word) > 4)
}

// of says what the sentence claims of what it names from at on: the cue before
// that is nearest counts, else the first one after; but what is said right
// after a name to be missing is not there.
func (s statement) of(at, end int, above claim) claim {
	before := sort.Search(len(s.cues), func(i int) bool { return s.cues[i].at >= at })
	switch {
	case missingAfter(firstBytes(s.text[min(end-s.from, len(s.text)):], 80)):
		return claimsPlan
	case before > 0:
		return s.cues[before-1].claims
	case len(s.cues) > 0:
		return s.cues[0].claims
	}
	if above&claimsPlan != 0 {
		return claimsPlan
	}
	return claimsThere
}

// missingAfter reports whether a text begins with that something is not there.
func missingAfter(text string) bool {
	n := 0
	for _, w := range wordsOf(text) {
		if missingWords[w.text] {
			return true
		}
		if n++; n == 5 || past(w.text) {
			return false
		}
	}
	return false
}

// saidByUser reports whether a sentence says of a quotation in it, from at to
// end, that it is the user's.
func (s statement) saidByUser(at, end int, above claim) bool {
	before := strings.TrimRight(lastBytes(s.text[:at-s.from], 120), " *_`(\t")
	who, says := speaks(before)
	if who && (says || strings.HasSuffix(before, ":") || strings.HasSuffix(before, ",")) {
		return true
	}
	if who, says = speaks(firstBytes(s.text[min(end-s.from, len(s.text)):], 40)); who && says {
		return true
	}
	return above&claimsUser != 0
}

// speaks reports whether a text names the user, and a way of saying something.
func speaks(text string) (who, says bool) {
	for _, w := range wordsOf(text) {
		who = who || people[strings.TrimSuffix(w.text, "'s")]
		says = says || speechWords[w.text]
	}
	return who || hasAny(text, peopleSigns), says || hasAny(text, speechSigns)
}

func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	from := len(text) - n
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func hasAny(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}
