package check

import (
	"slices"
	"sort"
	"strings"

	"tenfold/atom"
	"tenfold/internal/runes"
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
	return c&claimsDone != 0 || c&(claimsThere|claimsPlan) == claimsThere
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
	after := o.blank
	if o.blank = text == ""; o.blank {
		return o.claims()
	}
	h := heading{indent: len(line) - len(text)}
	level, title := headingOf(text)
	if h.level = level; level == leadIn {
		h.level += h.indent
	}
	item := strings.ContainsAny(text[:1], "-*+•0123456789")
	o.open = slices.DeleteFunc(o.open, func(above heading) bool {
		if level > 0 {
			return above.level >= h.level
		}
		return above.indent >= h.indent && after && !item
	})
	if level > 0 {
		h.claims = claimsOfTitle(title)
		if level < leadIn {
			h.indent = -1
		}
		o.open = append(o.open, h)
	}
	return o.claims()
}

func (o *outline) claims() (all claim) {
	for _, h := range o.open {
		all |= h.claims
	}
	return all
}

// headingOf tells a heading of Markdown, or a line that leads in what follows:
// one that ends in a colon, or is bold as a whole. Level 0 is neither.
func headingOf(text string) (level int, title string) {
	title = strings.TrimLeft(text, "#")
	if level = len(text) - len(title); level > 0 && level < leadIn && strings.HasPrefix(title, " ") {
		return level, title
	}
	title = strings.TrimRight(text, " \t")
	bold := strings.HasPrefix(title, "**") && strings.Index(title[2:], "**") == len(title)-4
	title = strings.TrimRight(title, "*_ ")
	if bold || strings.HasSuffix(title, ":") || strings.HasSuffix(title, "：") {
		return leadIn, title
	}
	return 0, ""
}

func claimsOfTitle(title string) (claims claim) {
	if hasAny(title, planSigns) {
		claims = claimsPlan
	}
	words := atom.Prose(title)
	for i, w := range words {
		switch {
		case planTitles[w.Text], w.Text == "open" && i+1 < len(words) && openThings[words[i+1].Text]:
			claims |= claimsPlan
		case people[strings.TrimSuffix(w.Text, "'s")]:
			claims |= claimsUser
		}
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
func statementsOf(line string) (all []statement) {
	bare := spokenOnly(line)
	for from := 0; from < len(bare); {
		to := from
		for to++; to < len(bare); to++ {
			if bare[to] == ' ' && strings.IndexByte(".!?;", bare[to-1]) >= 0 && !abbreviation(bare[from:to-1]) {
				break
			}
		}
		s := statement{from: from, to: to, text: bare[from:to]}
		s.cues = cuesOf(s.text, from)
		all = append(all, s)
		from = to
	}
	return all
}

// abbreviation reports whether a full stop after the text ends no sentence.
func abbreviation(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"e.g", "i.e", "etc", "vs", "z.b", "bzw", "cf", "p.ex"}, func(short string) bool { return strings.HasSuffix(text, short) })
}

// spokenOnly puts blanks, byte for byte, in the place of what is set off in
// quotes and of paths and names of programs: their words say nothing of them.
func spokenOnly(line string) string {
	out := []byte(line)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for s := range setOffIn(line) {
		if s.end > s.to {
			blank(s.at, s.end)
		}
	}
	for at, field := range fieldsOf(string(out)) {
		bare := strings.TrimRight(field, ".,;:!?)*")
		if strings.ContainsAny(bare, `/\_`) || (strings.Contains(bare, ".") && !abbreviation(bare)) {
			blank(at, at+len(bare))
		}
	}
	return string(out)
}

// cuesOf finds the words that claim something. A verb of the past after "will
// be", "not" and the like is planned, and nothing that happened.
func cuesOf(text string, base int) (cues []cue) {
	if hasAny(text, planSigns) {
		cues = append(cues, cue{base, claimsPlan})
	}
	turned := 0 // how many words on a verb is one of a plan
	for _, w := range atom.Prose(text) {
		turns := turnWords[w.Text]
		switch {
		case turns, planWords[w.Text], turned > 0 && past(w.Text):
			cues = append(cues, cue{base + w.At, claimsPlan})
		case past(w.Text):
			cues = append(cues, cue{base + w.At, claimsDone})
		}
		if turned--; turns || w.Text == "to" || w.Text == "be" {
			turned = 3
		}
	}
	return cues
}

// past reports whether a word is a verb of what was done.
func past(word string) bool {
	return doneWords[word] || (strings.HasSuffix(word, "ed") && len(word) > 4)
}

// of says what the sentence claims of what it names from at to end: the cue
// before that is nearest counts, else the first one after; but what is said
// right after a name to be missing is not there.
func (s statement) of(at, end int, above claim) claim {
	if missingAfter(s.after(end, 80)) {
		return claimsPlan
	}
	if len(s.cues) == 0 {
		if above&claimsPlan != 0 {
			return claimsPlan
		}
		return claimsThere
	}
	before := sort.Search(len(s.cues), func(i int) bool { return s.cues[i].at >= at })
	return s.cues[max(before-1, 0)].claims
}

// after is what follows a place in the line, up to so many bytes.
func (s statement) after(at, most int) string {
	text := s.text[min(at-s.from, len(s.text)):]
	return text[:runes.Last(text, most)]
}

// missingAfter reports whether a text begins with that something is not there.
func missingAfter(text string) bool {
	for i, w := range atom.Prose(text) {
		if missingWords[w.Text] {
			return true
		}
		if i == 4 || past(w.Text) {
			return false
		}
	}
	return false
}

// saidByUser reports whether a sentence says of a quotation in it, from at to
// end, that it is the user's.
func (s statement) saidByUser(at, end int, above claim) bool {
	before := s.text[:at-s.from]
	before = strings.TrimRight(before[runes.Next(before, len(before)-120):], " *_`(\t")
	if who, says := speaks(before); who && (says || strings.HasSuffix(before, ":") || strings.HasSuffix(before, ",")) {
		return true
	}
	if who, says := speaks(s.after(end, 40)); who && says {
		return true
	}
	return above&claimsUser != 0
}

// speaks reports whether a text names the user, and a way of saying something.
func speaks(text string) (who, says bool) {
	for _, w := range atom.Prose(text) {
		who = who || people[strings.TrimSuffix(w.Text, "'s")]
		says = says || speechWords[w.Text]
	}
	return who || hasAny(text, peopleSigns), says || hasAny(text, speechSigns)
}

func hasAny(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}
