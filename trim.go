package tenfold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// defaultTrim is what trim keeps of either end when the policy says nothing.
const defaultTrim Size = 400

// trimmed trims a result. What a trim would not make smaller is kept; a result
// of which short marks leave no line becomes its stub (P5).
func (p *Projection) trimmed(policy *ToolPolicy, r ToolResult, s *sides, seq int32, n *node) (string, Fate) {
	text := partsText(r.Parts)
	t := trimmer{short: policy.Marks == MarksShort, recall: recallRef(policy.Recall, seq)}
	size := Size(len(text))
	head, tail := min(max(s.head, 0), size), min(max(s.tail, 0), size)
	if head == 0 && tail == 0 && len(s.lines) == 0 && !t.short {
		head, tail = defaultTrim, defaultTrim
	}
	if size <= head+tail {
		return text, Kept
	}
	out, f := t.trim(text, int(head), int(tail), s.lines), Trimmed
	if t.short && t.blank {
		out, f = p.stub(policy, n, seq), Stripped
	}
	if len(out) >= len(text) {
		return text, Kept
	}
	return out, f
}

// trimmer puts a trimmed text together.
type trimmer struct {
	short  bool // gaps are marked short
	recall string
	parts  []string
	// blank is set when no line is left that says anything.
	blank bool
}

// trim keeps the head and the tail of a text, cut at line ends where there are
// any near, and the lines between that are asked for; it marks what is gone.
func (t *trimmer) trim(text string, head, tail int, lines []LineRange) string {
	first, last := cutHead(text, head), cutTail(text, tail)
	middle := text[len(first) : len(text)-len(last)]
	c := chosen{lines: lines, number: strings.Count(first, "\n")}
	t.blank = isBlank(first) && isBlank(last)
	t.keep(strings.TrimRight(first, "\n"))
	switch {
	case !t.short:
		t.middle(middle, &c)
	case middle != "":
		out, kept := c.cut(middle)
		if first != "" || last != "" {
			out = strings.TrimRight(out, "\n")
		}
		t.parts = append(t.parts, shieldMarks(out))
		t.blank = t.blank && !kept
	}
	t.keep(strings.TrimLeft(last, "\n"))
	out := strings.Join(t.parts, "\n")
	if t.short && out != text {
		out += t.recall
	}
	return out
}

func (t *trimmer) keep(text string) {
	if text != "" {
		t.parts = append(t.parts, shieldMarks(text))
	}
}

// shieldMarks takes apart what in a text of the log reads like a mark of a gap or a
// reference for recall: only those put in are to.
func shieldMarks(text string) string {
	text = Shield(text, '…', "# bytes in #", "# calls folded", "# call folded")
	return Shield(text, '(', "recall #")
}

// shieldParts does so for the texts of a content.
func shieldParts(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = shieldMarks(parts[i].Text)
	}
	return parts
}

// cut marks lines that are gone.
func (t *trimmer) cut(bytes, lines int) {
	if bytes > 0 {
		t.parts = append(t.parts, fmt.Sprintf("… %d bytes in %d lines cut …%s", bytes, lines, t.recall))
	}
}

// middle keeps the lines asked for, and counts the others.
func (t *trimmer) middle(text string, c *chosen) {
	gone, count := 0, 0
	for line := range strings.Lines(text) {
		show, ok := c.next(strings.TrimRight(line, "\r\n"))
		if ok && !isBlank(line) {
			t.cut(gone, count)
			gone, count = 0, 0
			t.keep(show)
			t.blank = false
		} else if gone += len(line); line != "\n" {
			count++
		}
	}
	t.cut(gone, count)
}

func cutHead(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if line := strings.LastIndexByte(text[:n], '\n'); line >= n/2 {
		n = line + 1
	}
	return text[:n]
}

func cutTail(text string, n int) string {
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	if line := strings.IndexByte(text[at:], '\n'); line >= 0 && line <= n/2 {
		at += line + 1
	}
	return text[at:]
}

// gapMark stands for what is not shown: as a line of its own, and at the ends
// of a fragment of a line.
const gapMark = "…"

// Strings in arguments larger than maxValue bytes or of more than
// maxValueLines lines are bodies; smaller ones are values, never trimmed.
const (
	maxValue      = 200
	maxValueLines = 3
)

// TextLines gives the text whose lines a [CallPolicy]'s and a [TextTrim]'s
// Lines number, from 1, each up to and with its "\n", as [strings.Lines] cuts
// it. Of a result these are its texts and the names of its files, joined by
// "\n", as [SearchText] gives them; of a user message its texts alone, joined
// by "\n", since its files stay. Empty for other payloads.
func TextLines(p Payload) string {
	p, _ = Value(p)
	switch p := p.(type) {
	case ToolResult:
		return partsText(p.Parts)
	case AssistantMessage:
		return p.Text
	case UserMessage:
		if len(p.Parts) == 1 && p.Parts[0].File == nil {
			return p.Parts[0].Text
		}
		var texts []string
		for _, part := range p.Parts {
			if part.File == nil {
				texts = append(texts, part.Text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// An ArgumentText is a string in a call's arguments, decoded.
type ArgumentText struct {
	Text string
	// Body is set on the strings that are larger than 200 bytes or have more
	// than three lines. A [CallPolicy]'s Body numbers the lines of all of them
	// through from 1; each begins a new line.
	Body bool

	lo, hi int // where its JSON form stands
}

// ArgumentTexts gives the strings in a call's arguments, decoded, in document
// order; names of members are none. None where the arguments are not valid
// JSON.
func ArgumentTexts(arguments string) []ArgumentText {
	if !jsontext.Value(arguments).IsValid(codecOptions) {
		return nil
	}
	var out []ArgumentText
	for i := 0; i < len(arguments); i++ {
		if arguments[i] != '"' {
			continue
		}
		lo := i
		for i++; arguments[i] != '"'; i++ {
			if arguments[i] == '\\' {
				i++
			}
		}
		hi := i + 1
		if strings.HasPrefix(strings.TrimLeft(arguments[hi:], " \t\r\n"), ":") {
			continue // the name of a member
		}
		// An error tells of bytes that are no UTF-8, which are replaced.
		decoded, _ := jsontext.AppendUnquote(nil, arguments[lo:hi])
		text := string(decoded)
		out = append(out, ArgumentText{text, len(text) > maxValue || countLines(text) > maxValueLines, lo, hi})
	}
	return out
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// trimArguments cuts the bodies in arguments to the chosen lines; all else
// stays byte for byte. False when that would make nothing smaller.
func trimArguments(arguments string, lines []LineRange) (string, bool) {
	c := chosen{lines: lines}
	var out []byte
	at := 0
	for _, b := range ArgumentTexts(arguments) {
		if !b.Body {
			continue
		}
		text, kept := c.cut(b.Text)
		if !kept {
			text = gapMark
		}
		if len(text) >= len(b.Text) {
			continue
		}
		out = appendString(append(out, arguments[at:b.lo]...), text)
		at = b.hi
	}
	return string(append(out, arguments[at:]...)), at > 0
}

// chosen goes over the lines of texts, numbered through, and picks those
// asked for.
type chosen struct {
	lines  []LineRange // in order; those that can still be met
	number int         // of the line before the next
}

// next takes the next line, without its end, and gives what to show of it.
// False when it was not asked for.
func (c *chosen) next(line string) (string, bool) {
	c.number++
	for len(c.lines) > 0 && (c.lines[0].Last < c.number || c.lines[0].void()) {
		c.lines = c.lines[1:]
	}
	parts := 0
	for _, r := range c.lines {
		if r.First > c.number {
			break
		}
		if !r.part() && r.Last >= c.number {
			return line, true
		}
		parts++
	}
	if parts == 0 {
		return "", false
	}
	return fragments(line, c.lines[:parts], c.number)
}

// cut gives what is kept of the next text, gaps marked short; the text itself
// where nothing is gone. Kept is false when nothing but blank lines is left.
func (c *chosen) cut(text string) (out string, kept bool) {
	var b strings.Builder
	whole, gap, first := true, false, true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		show, ok := c.next(line)
		whole = whole && ok && show == line
		if !ok && gap {
			continue
		}
		if !first {
			b.WriteByte('\n')
		}
		if gap, first = !ok, false; gap {
			show = gapMark
		} else {
			kept = kept || !isBlank(show)
		}
		b.WriteString(show)
	}
	if whole {
		return text, kept
	}
	return b.String(), kept
}

// fragments shows the pieces of a line that ranges ask for, "…" between and
// at the ends that are cut; the whole line where that is no longer. False when
// there is nothing to show.
func fragments(line string, ranges []LineRange, number int) (string, bool) {
	type span struct{ from, to int }
	var spans []span
	for _, r := range ranges {
		if r.void() || r.First != number || r.From >= len(line) {
			continue
		}
		s := span{r.From, min(r.To, len(line))}
		for s.from > 0 && !utf8.RuneStart(line[s.from]) {
			s.from--
		}
		for s.to < len(line) && !utf8.RuneStart(line[s.to]) {
			s.to++
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end, blank := 0, true
	for _, s := range spans {
		if s.from > end {
			b.WriteString(gapMark)
		}
		if s.from = max(s.from, end); s.from >= s.to {
			continue
		}
		b.WriteString(line[s.from:s.to])
		blank = blank && isBlank(line[s.from:s.to])
		end = s.to
	}
	if blank {
		return "", false
	}
	if end < len(line) {
		b.WriteString(gapMark)
	}
	if b.Len() >= len(line) {
		return line, true
	}
	return b.String(), true
}

// words is the line that tells of the calls; empty where there are none.
func (f *Folded) words() string {
	if f == nil || f.Calls < 1 {
		return ""
	}
	text := gapMark + " " + strconv.Itoa(f.Calls) + " calls folded"
	if f.Calls == 1 {
		text = gapMark + " 1 call folded"
	}
	if f.From > 0 {
		text += " (recall " + strconv.FormatInt(f.From, 10)
		if f.To > f.From {
			text += "-" + strconv.FormatInt(f.To, 10)
		}
		text += ")"
	}
	return text + " " + gapMark
}

// onText puts the line beside a text.
func (f *Folded) onText(text string) string {
	if f == nil {
		return text
	}
	text = f.Next.onText(text)
	words := f.words()
	switch {
	case words == "" || text == "":
		return text + words
	case !f.After:
		return words + "\n" + text
	case strings.HasSuffix(text, "\n"):
		return text + words
	}
	return text + "\n" + words
}

// onParts puts the line beside a content, whose parts it leaves as they are.
func (f *Folded) onParts(parts []Part) []Part {
	if f == nil {
		return parts
	}
	if len(parts) == 1 && parts[0].File == nil {
		return Text(f.onText(parts[0].Text))
	}
	parts = f.Next.onParts(parts)
	switch words := f.words(); {
	case words == "":
		return parts
	case len(parts) == 0:
		return Text(words)
	case f.After:
		return append(slices.Clone(parts), TextPart(words))
	default:
		return append(Text(words), parts...)
	}
}
