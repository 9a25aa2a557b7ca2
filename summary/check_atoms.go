package summary

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold/strategy"
)

// AtomKind is the kind of something a summary names.
type AtomKind string

// The kinds.
const (
	AtomPath       AtomKind = "path"
	AtomIdentifier AtomKind = "identifier"
	AtomNumber     AtomKind = "number"
	// AtomCommand is what stands in backticks and has several words.
	AtomCommand   AtomKind = "command"
	AtomQuotation AtomKind = "quotation"
	// AtomCode is a line of a block of code.
	AtomCode AtomKind = "code"
)

// A mention is something a summary names, to be looked up. It is found when all texts of one of
// its ways are.
type mention struct {
	kind AtomKind
	text string
	ways [][]string
	// claims is what the summary says of it, over all places.
	claims claim
}

// most atoms and characters that are looked at: a text beyond is refused for
// its size.
const (
	mostAtoms = 20_000
	mostChars = 1 << 20
)

// collector gathers the atoms of a text, each once.
type collector struct {
	atoms   []mention
	known   map[string]int
	request strategy.SummaryRequest
	// The line under way, what its headings claim, and its statements.
	above      claim
	statements []statement
	counts     []count
}

// atomsOf lists what a summary names, in order.
func atomsOf(text string, r strategy.SummaryRequest) *collector {
	c := &collector{known: map[string]int{}, request: r}
	var o outline
	fenced := false
	for line := range strings.SplitSeq(cutMiddle(strings.TrimPrefix(text, historyNote), mostChars), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fenced = !fenced
		case fenced:
			c.phrase(AtomCode, trimmed, 0)
		default:
			c.above = o.next(line)
			c.line(trimmed)
		}
	}
	return c
}

// line takes a line of prose apart: what is in backticks, what is quoted, and
// the words.
func (c *collector) line(line string) {
	line = linkEnds.Replace(withoutNumbering(line))
	c.statements = statementsOf(line)
	c.counts = append(c.counts, countsIn(line)...)
	for from := 0; from < len(line); {
		rest := line[from:]
		at, opening, closing := nextQuote(rest)
		if at < 0 {
			c.words(rest, from)
			return
		}
		inner, after, ok := strings.Cut(rest[at+len(opening):], closing)
		if !ok {
			c.words(rest[:at], from)
			c.words(rest[at+len(opening):], from+at+len(opening))
			return
		}
		c.words(rest[:at], from)
		begin := from + at + len(opening)
		switch {
		case opening == "`":
			c.phrase(AtomCommand, inner, begin)
		case len(strings.Fields(inner)) > 2:
			c.phrase(AtomQuotation, inner, begin)
		default:
			c.words(inner, begin) // words set off, not a quotation
		}
		from = len(line) - len(after)
	}
}

// linkEnds parts the text of a link in Markdown from where it leads to.
var linkEnds = strings.NewReplacer("](", "] (")

// claim is what the line says of a name that stands from at to end. Names come
// in order.
func (c *collector) claim(a mention, at, end int) claim {
	for len(c.statements) > 1 && at >= c.statements[0].to {
		c.statements = c.statements[1:]
	}
	if len(c.statements) == 0 {
		return c.above & claimsPlan
	}
	s := c.statements[0]
	if a.kind != AtomQuotation {
		return s.of(at, end, c.above)
	}
	if s.saidByUser(max(at, s.from), end, c.above) {
		return claimsUser
	}
	return 0
}

// nextQuote finds where something set off begins.
func nextQuote(line string) (at int, opening, closing string) {
	at = strings.IndexAny(line, "`\"“«„")
	if at < 0 {
		return at, "", ""
	}
	for _, pair := range [][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"„", "“"}} {
		if strings.HasPrefix(line[at:], pair[0]) {
			return at, pair[0], pair[1]
		}
	}
	return -1, "", ""
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

// phrase takes in what stands as a whole: of several words a command or a
// quotation, of one word a name.
func (c *collector) phrase(kind AtomKind, text string, at int) {
	for _, piece := range pieces(kind, text) {
		if strings.ContainsFunc(piece, unicode.IsSpace) {
			c.add(mention{kind: kind, text: piece, ways: [][]string{{piece}}}, at, at+len(text))
			continue
		}
		piece = strings.TrimRight(trimmed(piece), ":")
		a, ok := c.name(piece)
		if !ok && utf8.RuneCountInString(piece) > 2 && strings.ContainsFunc(piece, unicode.IsLetter) {
			// Set in backticks, a plain word is a name as well.
			a, ok = mention{kind: AtomIdentifier, text: piece, ways: [][]string{{piece}}}, true
		}
		if ok {
			if kind == AtomCode {
				a.kind = AtomCode
			}
			c.add(a, at, at+len(text))
		}
	}
}

var ellipses = strings.NewReplacer("[…]", "\x00", "[...]", "\x00", "…", "\x00", " ... ", "\x00")

// pieces cuts at ellipses, which stand for anything; in a quotation also at
// what its writer put in brackets.
func pieces(kind AtomKind, text string) []string {
	text = ellipses.Replace(" " + text + " ")
	if kind == AtomQuotation {
		text = withoutBrackets(text)
	}
	var out []string
	for piece := range strings.SplitSeq(text, "\x00") {
		if piece = strings.TrimSpace(piece); piece != "" {
			out = append(out, piece)
		}
	}
	return out
}

// withoutBrackets puts a gap where something in brackets stands by itself.
func withoutBrackets(text string) string {
	var b strings.Builder
	for {
		from := strings.Index(text, " [")
		if from < 0 {
			break
		}
		size := strings.IndexByte(text[from:], ']')
		if size < 0 {
			break
		}
		b.WriteString(text[:from] + "\x00")
		text = text[from+size+1:]
	}
	return b.String() + text
}

func (c *collector) words(text string, base int) {
	before := ""
	for at := 0; at < len(text); {
		field, rest := cutField(text[at:])
		end := len(text) - len(rest)
		begin := base + end - len(field)
		if strings.Contains(field, ">/") || strings.Contains(field, "/<") {
			at = end
			continue // a pattern for paths
		}
		figure := isNumber(trimmed(field))
		for _, word := range strings.FieldsFunc(field, func(r rune) bool { return !figure && strings.ContainsRune("—–…=|<>,;", r) }) {
			word = trimmed(word)
			if word == "" {
				continue
			}
			if a, ok := c.name(word); ok && !c.ownNumber(a, before) {
				c.add(a, begin, base+end)
			}
			before = strings.ToLower(word)
		}
		at = end
	}
}

// cutField cuts the first word off a text.
func cutField(text string) (field, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// ownNumber reports whether a number is one that the rendering brought in: of
// a turn of the range, or of lines, which come after a path anyhow.
func (c *collector) ownNumber(a mention, before string) bool {
	if a.kind != AtomNumber {
		return false
	}
	switch before {
	case "turn", "turns", "through", "part", "parts":
		n, err := strconv.Atoi(strings.Split(strings.Split(a.text, "-")[0], ".")[0])
		return err == nil && n <= c.request.Range.ToTurn+1
	case "line", "lines", "l":
		return true
	}
	return false
}

func (c *collector) add(a mention, at, end int) {
	if a.kind != AtomCode {
		a.claims = c.claim(a, at, end)
	}
	key := string(a.kind) + "\x00" + a.text
	if i, ok := c.known[key]; ok {
		c.atoms[i].claims |= a.claims
		return
	}
	if len(c.atoms) == mostAtoms {
		return
	}
	c.known[key] = len(c.atoms)
	c.atoms = append(c.atoms, a)
}

// trimmed takes off what stands around a word of prose.
func trimmed(word string) string {
	word = strings.Trim(word, "*\"'“”‘’«»[]{}!?,;")
	word = strings.TrimRight(word, ".:")
	if strings.HasPrefix(word, "(") || !strings.Contains(word, "(") {
		word = strings.Trim(word, "()")
	}
	return strings.TrimRight(word, ".:")
}

// name tells whether one word names something that can be looked up.
func (c *collector) name(word string) (mention, bool) {
	word = strings.TrimSuffix(word, "()")
	switch {
	case word == "" || len(word) > 1000:
		return mention{}, false
	case isNumber(word):
		return number(word)
	case strings.ContainsAny(word, `/\`):
		return path(word)
	case isFileName(word):
		bare := withoutLines(word)
		return mention{kind: AtomPath, text: bare, ways: [][]string{{bare}}}, true
	case isIdentifier(word):
		return identifier(word), true
	}
	return mention{}, false
}

// identifier is a name in a program. One that is put together, as in
// "Type.field" or "name:value", is found when its parts are.
func identifier(word string) mention {
	a := mention{kind: AtomIdentifier, text: word, ways: [][]string{{word}}}
	if parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(".:->()[]{}", r) }); len(parts) > 1 {
		a.ways = append(a.ways, parts)
	}
	return a
}

// path is a word with slashes. Two plain words with one slash between may be
// prose ("read/write"): then it is enough that both occur. An absolute path may
// be put together from a directory and a path in it.
func path(word string) (mention, bool) {
	word = withoutLines(word)
	slashed := strings.ReplaceAll(word, `\`, "/")
	segments := strings.FieldsFunc(slashed, func(r rune) bool { return r == '/' })
	if len(segments) == 0 || !strings.ContainsFunc(slashed, unicode.IsLetter) {
		return mention{}, false
	}
	if abbreviated(segments) {
		return mention{}, false
	}
	a := mention{kind: AtomPath, text: word, ways: [][]string{{word}}}
	absolute := strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "~/") || (len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/')
	switch {
	case !absolute && !strings.ContainsFunc(slashed, func(r rune) bool { return r != '/' && !unicode.IsLetter(r) }) && len(segments) < 4:
		a.ways = append(a.ways, segments)
	case absolute && !strings.Contains(slashed, "://"):
		for i := 2; i < len(segments) && i < 16; i++ {
			a.ways = append(a.ways, []string{strings.Join(segments[:i], "/"), strings.Join(segments[i:], "/")})
		}
	}
	return a, true
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

// isFileName reports whether a word is a name with an extension.
func isFileName(word string) bool {
	word = withoutLines(word)
	at := strings.LastIndexByte(word, '.')
	if at < 1 || at == len(word)-1 || len(word)-at > 11 {
		return false
	}
	stem, extension := word[:at], word[at+1:]
	if strings.ContainsFunc(extension, func(r rune) bool { return !isWordRune(r) }) || !strings.ContainsFunc(extension, unicode.IsLetter) {
		return false
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "a.m", "p.m", "z.b", "u.s", "p.ex":
		return false
	}
	return strings.ContainsFunc(stem, unicode.IsLetter)
}

// wellKnown are names that everybody writes so.
var wellKnown = map[string]bool{
	"GitHub": true, "GitLab": true, "JavaScript": true, "TypeScript": true, "macOS": true, "iOS": true, "OpenAI": true,
	"PostgreSQL": true, "MySQL": true, "SQLite": true, "YouTube": true, "LaTeX": true, "NumPy": true, "PyTorch": true, "README": true,
	"UTF-8": true, "VSCode": true, "IPv4": true, "IPv6": true, "OAuth": true, "OAuth2": true, "GraphQL": true, "MacOS": true,
}

// isIdentifier reports whether a word is written as names in programs are:
// capitals inside, digits among letters, underscores, or a sign in front.
func isIdentifier(word string) bool {
	if wellKnown[word] || wellKnown[strings.TrimSuffix(word, "'s")] {
		return false
	}
	if rest, ok := strings.CutPrefix(word, "--"); ok {
		return rest != "" && isWordByte(rest[0])
	}
	if strings.Contains(word, "::") || strings.Contains(word, "->") {
		return strings.ContainsFunc(word, isWordRune)
	}
	if len(word) > 1 && strings.IndexByte("$#@", word[0]) >= 0 {
		return isWordByte(word[1])
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
	if ordinal(word) {
		return false
	}
	return letters > 0 && (inner || digits > 0)
}

// ordinal reports whether a word is "2nd" or "20th".
func ordinal(word string) bool {
	switch strings.TrimLeft(word, "0123456789") {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}
