package check

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/atom"
	"tenfold/internal/set"
	"tenfold/strategy"
	"tenfold/summary/internal/source"
)

// Kind is the kind of something a summary names.
type Kind string

// The kinds.
const (
	Path       Kind = "path"
	Identifier Kind = "identifier"
	Number     Kind = "number"
	// Command is what stands in backticks and has several words.
	Command   Kind = "command"
	Quotation Kind = "quotation"
	// Code is a line of a block of code.
	Code Kind = "code"
)

// A mention is something a summary names, to be looked up. It is found when all
// texts of one of its ways are.
type mention struct {
	kind Kind
	text string
	ways [][]string
	// claims is what the summary says of it, over all places.
	claims claim
	// exact and loose are its ways as they are looked up.
	exact, loose [][]uint64
}

// Limits on what is looked at: a longer text is refused for its size.
const (
	mostMentions = 20_000
	mostChars    = 1 << 20
)

// collector gathers the mentions of a text, each once.
type collector struct {
	mentions []mention
	known    map[string]int
	counts   []count
	lastTurn int
	// above is what the headings over the current line claim; statements are
	// those of the line, from the current one on.
	above      claim
	statements []statement
}

// mentionsIn lists what a summary names, in order.
func mentionsIn(text string, r strategy.SummaryRequest) *collector {
	c := &collector{known: map[string]int{}, lastTurn: r.Range.ToTurn}
	var o outline
	fenced := false
	for line := range strings.SplitSeq(source.CutMiddle(strings.TrimPrefix(text, source.HistoryNote), mostChars), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fenced = !fenced
		case fenced:
			c.phrase(Code, trimmed, 0)
		default:
			c.above = o.next(line)
			c.line(trimmed)
		}
	}
	return c
}

// linkEnds parts the text of a link in Markdown from where it leads to.
var linkEnds = strings.NewReplacer("](", "] (")

// line takes a line of prose apart: what is in backticks, what is quoted, and
// the words.
func (c *collector) line(line string) {
	line = linkEnds.Replace(withoutNumbering(line))
	c.statements = statementsOf(line)
	c.counts = append(c.counts, countsIn(line)...)
	from := 0
	for s := range setOffIn(line) {
		c.words(line[from:s.at], from)
		switch inner := line[s.from:s.to]; {
		case line[s.at] == '`' && s.end > s.to:
			c.phrase(Command, inner, s.from)
		case len(strings.Fields(inner)) > 2:
			c.phrase(Quotation, inner, s.from)
		default:
			c.words(inner, s.from) // words set off, not a quotation
		}
		from = s.end
	}
	c.words(line[from:], from)
}

// setOff is a piece of a line in quotes or backticks: bytes from:to, with its
// marks at:end. After an opening mark that is never closed it is empty, and ends
// with the mark.
type setOff struct{ at, from, to, end int }

var closings = map[rune]string{'`': "`", '"': `"`, '“': "”", '«': "»", '„': "“"}

func setOffIn(line string) iter.Seq[setOff] {
	return func(yield func(setOff) bool) {
		for from := 0; ; {
			at := strings.IndexAny(line[from:], "`\"“«„")
			if at < 0 {
				return
			}
			at += from
			opening, size := utf8.DecodeRuneInString(line[at:])
			from = at + size
			closing := closings[opening]
			inner := strings.Index(line[from:], closing)
			if inner < 0 {
				yield(setOff{at, from, from, from})
				return
			}
			s := setOff{at, from, from + inner, from + inner + len(closing)}
			if !yield(s) {
				return
			}
			from = s.end
		}
	}
}

// withoutNumbering takes "12." and "-" off a line of a list.
func withoutNumbering(line string) string {
	line = strings.TrimLeft(line, "-*+># \t")
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 4 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		return digits[2:]
	}
	return line
}

// Ellipses stand for anything; in a quotation, so do words in brackets, which
// are its writer's.
var (
	ellipses = regexp.MustCompile(`\x00|\[…\]|\[\.\.\.\]|…| \.\.\. `)
	brackets = regexp.MustCompile(`\x00|\[…\]|\[\.\.\.\]|…| \.\.\. | \[[^\]]*\]`)
)

// phrase takes in what stands as a whole: of several words a command or a
// quotation, of one word a name.
func (c *collector) phrase(kind Kind, text string, at int) {
	gaps := ellipses
	if kind == Quotation {
		gaps = brackets
	}
	for _, piece := range gaps.Split(" "+text+" ", -1) {
		if piece = strings.TrimSpace(piece); strings.ContainsFunc(piece, unicode.IsSpace) {
			c.add(plainMention(kind, piece), at, at+len(text))
			continue
		}
		piece = strings.TrimRight(trimmed(piece), ":")
		m, ok := name(piece)
		if !ok && utf8.RuneCountInString(piece) > 2 && strings.ContainsFunc(piece, unicode.IsLetter) {
			// Set in backticks, a plain word is a name as well.
			m, ok = plainMention(Identifier, piece), true
		}
		if kind == Code {
			m.kind = Code
		}
		if ok {
			c.add(m, at, at+len(text))
		}
	}
}

// words takes in the names among words of prose that begin at base in the line.
func (c *collector) words(text string, base int) {
	before := ""
	for at, field := range fieldsOf(text) {
		if strings.Contains(field, ">/") || strings.Contains(field, "/<") {
			continue // a pattern for paths
		}
		figure := isNumber(trimmed(field))
		for _, word := range strings.FieldsFunc(field, func(r rune) bool { return !figure && strings.ContainsRune("—–…=|<>,;", r) }) {
			if word = trimmed(word); word == "" {
				continue
			}
			if m, ok := name(word); ok && !c.ownNumber(m, before) {
				c.add(m, base+at, base+at+len(field))
			}
			before = strings.ToLower(word)
		}
	}
}

// fieldsOf gives the words of a text that white space parts, and where they
// begin.
func fieldsOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for rest := text; ; {
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
			if rest == "" {
				return
			}
			field := rest
			if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
				field = rest[:end]
			}
			if !yield(len(text)-len(rest), field) {
				return
			}
			rest = rest[len(field):]
		}
	}
}

// ownNumber reports whether a number is one that the rendering brought in: of
// a turn of the range, or of lines, which come after a path anyhow.
func (c *collector) ownNumber(m mention, before string) bool {
	if m.kind != Number {
		return false
	}
	switch before {
	case "turn", "turns", "through", "part", "parts":
		n, err := strconv.Atoi(strings.Split(strings.Split(m.text, "-")[0], ".")[0])
		return err == nil && n <= c.lastTurn+1
	case "line", "lines", "l":
		return true
	}
	return false
}

// add takes in a name that stands from at to end in the line. Names come in
// order.
func (c *collector) add(m mention, at, end int) {
	if m.kind != Code {
		m.claims = c.claim(m, at, end)
	}
	key := string(m.kind) + "\x00" + m.text
	if i, ok := c.known[key]; ok {
		c.mentions[i].claims |= m.claims
		return
	}
	if len(c.mentions) < mostMentions {
		c.known[key] = len(c.mentions)
		c.mentions = append(c.mentions, m)
	}
}

// claim is what the line says of a name.
func (c *collector) claim(m mention, at, end int) claim {
	for len(c.statements) > 1 && at >= c.statements[0].to {
		c.statements = c.statements[1:]
	}
	if len(c.statements) == 0 {
		return c.above & claimsPlan
	}
	s := c.statements[0]
	if m.kind != Quotation {
		return s.of(at, end, c.above)
	}
	if s.saidByUser(max(at, s.from), end, c.above) {
		return claimsUser
	}
	return 0
}

// trimmed takes off what stands around a word of prose.
func trimmed(word string) string {
	word = strings.TrimRight(strings.Trim(word, "*\"'“”‘’«»[]{}!?,;"), ".:")
	if strings.HasPrefix(word, "(") || !strings.Contains(word, "(") {
		word = strings.Trim(word, "()")
	}
	return strings.TrimRight(word, ".:")
}

func plainMention(kind Kind, text string) mention {
	return mention{kind: kind, text: text, ways: [][]string{{text}}}
}

// name tells whether one word names something that can be looked up.
func name(word string) (mention, bool) {
	word = strings.TrimSuffix(word, "()")
	switch {
	case word == "" || len(word) > 1000:
		return mention{}, false
	case isNumber(word):
		return number(word)
	case strings.ContainsAny(word, `/\`):
		return path(word)
	case isFileName(word):
		return plainMention(Path, withoutLines(word)), true
	case isIdentifier(word):
		// One that is put together, as in "Type.field" or "name:value", is found
		// when its parts are.
		m := plainMention(Identifier, word)
		if parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(".:->()[]{}", r) }); len(parts) > 1 {
			m.ways = append(m.ways, parts)
		}
		return m, true
	}
	return mention{}, false
}

// isNumber reports whether a word is a figure, with its sign or unit.
func isNumber(word string) bool {
	word = strings.Trim(word, "$€£~≈+-%×x")
	return strings.ContainsAny(word, "0123456789") && strings.Trim(word, "0123456789.,'’_-–:\u202f\u00a0") == ""
}

var separators = strings.NewReplacer(",", "", "'", "", "’", "", "_", "", "\u202f", "", "\u00a0", "")

// number is a figure of two digits or more: a single one is the writer's
// counting. Separators of thousands may be there or not.
func number(word string) (mention, bool) {
	bare := strings.Trim(word, "$€£~≈+-%×x.,:")
	plain := separators.Replace(bare)
	if utf8.RuneCountInString(plain) < 2 {
		return mention{}, false
	}
	m := mention{kind: Number, text: bare, ways: [][]string{{word}, {bare}, {plain}}} // "10x" is one word
	integer, rest, fraction := strings.Cut(plain, ".")
	if len(integer) > 3 && strings.Trim(integer, "0123456789") == "" {
		for _, sep := range []string{",", "_", "'", ".", " "} {
			grouped := integer
			for at := len(integer) - 3; at > 0; at -= 3 {
				grouped = grouped[:at] + sep + grouped[at:]
			}
			if fraction {
				grouped += "." + rest
			}
			m.ways = append(m.ways, []string{grouped})
		}
	}
	if from, to, ok := strings.Cut(strings.ReplaceAll(bare, "–", "-"), "-"); ok && from != "" && to != "" {
		m.ways = append(m.ways, []string{from, to}) // a range of figures
	}
	return m, true
}

// path is a word with slashes. Two plain words with one slash between may be
// prose ("read/write"): then it is enough that both occur. An absolute path may
// be put together from a directory and a path in it.
func path(word string) (mention, bool) {
	word = withoutLines(word)
	slashed := strings.ReplaceAll(word, `\`, "/")
	segments := strings.FieldsFunc(slashed, func(r rune) bool { return r == '/' })
	if len(segments) == 0 || !strings.ContainsFunc(slashed, unicode.IsLetter) || abbreviated(segments) {
		return mention{}, false
	}
	m := plainMention(Path, word)
	absolute := strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "~/") || (len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/')
	switch {
	case !absolute && len(segments) < 4 && !strings.ContainsFunc(slashed, func(r rune) bool { return r != '/' && !unicode.IsLetter(r) }):
		m.ways = append(m.ways, segments)
	case absolute && !strings.Contains(slashed, "://"):
		for i := 2; i < len(segments) && i < 16; i++ {
			m.ways = append(m.ways, []string{strings.Join(segments[:i], "/"), strings.Join(segments[i:], "/")})
		}
	}
	return m, true
}

// looseWays are how a path may stand in a source that is not made up: as it
// is, or as a directory and a name that are both there.
func looseWays(path string) [][]string {
	ways := [][]string{{path}}
	slashed := strings.Trim(strings.ReplaceAll(path, `\`, "/"), "/")
	if at := strings.LastIndexByte(slashed, '/'); at > 0 {
		ways = append(ways, []string{slashed[:at], slashed[at+1:]})
	}
	return ways
}

// abbreviated reports whether words with a slash are "I/O" or "and/or".
func abbreviated(segments []string) bool {
	for _, s := range segments {
		if len(s) > 3 || strings.Contains(s, ".") {
			return false
		}
	}
	return len(segments) == 2
}

// domains end names of hosts.
var domains = set.Words(`com org net edu gov io ai app dev`)

// isPlace reports whether a text that is written like a path can only be one:
// not an address, a pattern, a placeholder, or words with slashes between.
func isPlace(text string) bool {
	if strings.Contains(text, "://") || strings.ContainsAny(text, "*?<>{}$%#@=+|,()[]\x00") || strings.Contains(text, "...") || strings.Contains(strings.ToUpper(text), "REDACTED") {
		return false
	}
	slashed := strings.ReplaceAll(text, `\`, "/")
	name := slashed[strings.LastIndexByte(strings.TrimRight(slashed, "/"), '/')+1:]
	if name == slashed {
		return atom.IsPath(name) // and not a method of an object
	}
	if stem, extension, dotted := strings.Cut(strings.TrimLeft(name, "."), "."); dotted && stem != "" {
		last := extension[strings.LastIndexByte(extension, '.')+1:]
		return !domains[last] && last == strings.ToLower(last) && strings.ContainsFunc(last, unicode.IsLetter)
	}
	segments := strings.Count(strings.Trim(slashed, "/"), "/") + 1
	for _, start := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(slashed, start) {
			return segments > 2
		}
	}
	return strings.HasSuffix(slashed, "/") && segments > 1
}

// withoutLines takes ":12", ":12:5", ":12-20" and "#L12-L20" off a path.
func withoutLines(word string) string {
	if bare, _, ok := strings.Cut(word, "#L"); ok && bare != "" {
		return bare
	}
	for {
		bare := strings.TrimRight(word, "0123456789-–")
		if len(bare) == len(word) || !strings.HasSuffix(bare, ":") || len(bare) < 3 {
			return word
		}
		word = strings.TrimSuffix(bare, ":")
	}
}

var notFileNames = set.Words(`e.g i.e a.m p.m z.b u.s p.ex`)

// isFileName reports whether a word is a name with an extension.
func isFileName(word string) bool {
	word = withoutLines(word)
	at := strings.LastIndexByte(word, '.')
	if at < 1 || at == len(word)-1 || len(word)-at > 11 || notFileNames[strings.ToLower(word)] {
		return false
	}
	stem, extension := word[:at], word[at+1:]
	return !strings.ContainsFunc(extension, func(r rune) bool { return !atom.InWord(r) }) &&
		strings.ContainsFunc(extension, unicode.IsLetter) && strings.ContainsFunc(stem, unicode.IsLetter)
}

// wellKnown are names that everybody writes so.
var wellKnown = set.Words(`GitHub GitLab JavaScript TypeScript macOS iOS OpenAI PostgreSQL MySQL SQLite YouTube LaTeX NumPy PyTorch README
	UTF-8 VSCode IPv4 IPv6 OAuth OAuth2 GraphQL MacOS`)

// isIdentifier reports whether a word is written as names in programs are:
// capitals inside, digits among letters, underscores, or a sign in front.
func isIdentifier(word string) bool {
	if wellKnown[strings.TrimSuffix(word, "'s")] {
		return false
	}
	for _, sign := range []string{"--", "$", "#", "@"} {
		if rest, ok := strings.CutPrefix(word, sign); ok && rest != "" {
			kind, _ := atom.Next(rest, 0)
			return kind == atom.Word
		}
	}
	if strings.Contains(word, "::") || strings.Contains(word, "->") {
		return strings.ContainsFunc(word, atom.InWord)
	}
	lower, inner, letters, digits := false, false, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			inner = inner || lower
			lower = false
			letters++
		case unicode.IsLetter(r):
			lower = true
			letters++
		case unicode.IsDigit(r):
			digits++
		case r == '_':
			inner = true
		default:
			lower = false
		}
	}
	switch strings.TrimLeft(word, "0123456789") {
	case "st", "nd", "rd", "th":
		return false // "2nd"
	}
	return letters > 0 && (inner || digits > 0)
}
