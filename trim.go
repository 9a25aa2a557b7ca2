package tenfold

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/shield"
)

// defaultTrim is what trim keeps of either end when the policy says nothing.
const defaultTrim Size = 400

// trimmed trims a result. What a trim would not make smaller is kept; a result
// of which short marks leave no line becomes its stub (P5).
func (p *Projection) trimmed(by int32, r ToolResult, s *sides, seq int32, n *node) ([]Part, Fate) {
	policy := p.overlays[by].c.ToolCalls
	text := partsText(r.Parts)
	short := policy.Marks == MarksShort
	size := Size(len(text))
	head, tail := min(max(s.head, 0), size), min(max(s.tail, 0), size)
	if head == 0 && tail == 0 && len(s.lines) == 0 && !short {
		head, tail = defaultTrim, defaultTrim
	}
	if size <= head+tail {
		return r.Parts, Kept
	}
	pick := chosen{lines: ends(text, int(head), int(tail), s.lines), plain: true}
	out, kept := pick.cut(text, short)
	if short && !kept {
		parts, _ := p.stub(by, n, seq)
		if len(parts[0].Text) < len(text) {
			return parts, Stripped
		}
		return r.Parts, Kept
	}
	if out != text {
		out += p.recallRef(by, policy.Recall, seq)
	}
	if len(out) >= len(text) {
		return r.Parts, Kept
	}
	return Text(out), Trimmed
}

// withoutEscapes is a text without the codes by which a terminal colours it and moves its cursor:
// they say nothing to a model, and take more room than many a word.
func withoutEscapes(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return escapes.ReplaceAllString(text, "")
}

// ends adds the lines of a text's head and tail, of about so many bytes, to those
// asked for: whole lines, and a piece of one that is most of an end (P5b).
func ends(text string, head, tail int, lines []LineRange) []LineRange {
	if head == 0 && tail == 0 {
		return lines
	}
	count := countLines(text)
	out := make([]LineRange, 0, len(lines)+4)
	if head > 0 {
		whole := strings.LastIndexByte(text[:head], '\n') + 1
		n := strings.Count(text[:whole], "\n")
		if n > 0 {
			out = append(out, LineRange{First: 1, Last: n})
		}
		if whole < (head+1)/2 {
			out = append(out, LineRange{First: n + 1, Last: n + 1, To: head - whole})
		}
	}
	out = append(out, lines...)
	if tail > 0 {
		from := len(text) - tail
		whole := len(text)
		if at := strings.IndexByte(text[from:], '\n'); at >= 0 {
			whole = from + at + 1
		}
		n := countLines(text[whole:])
		if len(text)-whole < (tail+1)/2 {
			begin := strings.LastIndexByte(text[:from], '\n') + 1
			out = append(out, LineRange{First: count - n, Last: count - n, From: from - begin, To: len(text) - begin})
		}
		if n > 0 {
			out = append(out, LineRange{First: count - n + 1, Last: count})
		}
	}
	slices.SortStableFunc(out, func(a, b LineRange) int { return a.First - b.First })
	return out
}

// shieldMarks takes apart what in a text of the log reads like a mark or a reference
// for recall: only those put in are to.
func shieldMarks(text string) string {
	text = shield.Marks(text, '…', "# lines left out", "# line left out")
	text = shield.Marks(text, '(', "recall #")
	return shield.Marks(text, '[', "compacted", "previous: used", "# earlier calls", "# earlier call", "# later calls", "# later call", "argument")
}

// shieldParts does so for the texts of a content.
func shieldParts(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = shieldMarks(parts[i].Text)
	}
	return parts
}

// gapMark stands for what is not shown: at the end of the line before it, before the first
// line, and at the ends of a fragment of a line.
const gapMark = "…"

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

// chosen goes over the lines of texts, numbered through, and picks those
// asked for.
type chosen struct {
	lines  []LineRange // in order; those that can still be met
	number int         // of the line before the next
	plain  bool        // what is shown has no codes for a terminal
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

// shortRun is how many lines in a row make a run whose leading mark stands on a line of its
// own: before a shorter one it stands in its first line (F7).
const shortRun = 4

// cut gives what is kept of the next text; the text itself where nothing is gone.
// A gap is marked by a line that counts its lines or, short, by "…" at the end of the line
// before it; one that the text begins with, before its first line. Blank lines alone are not
// a gap. Kept is false when nothing but blank lines is left.
func (c *chosen) cut(text string, short bool) (out string, kept bool) {
	var b []byte
	whole, gone, blank := true, 0, 0
	run, lead := 0, -1         // of the first run: its lines, and where its mark ends
	piece, was := false, false // of the lines: this one, and the one before
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		show, ok := c.next(line)
		if isBlank(line) || c.plain && isBlank(withoutEscapes(line)) {
			blank++
			continue
		} else if !ok {
			gone++
			continue
		}
		was, piece = piece, show != line
		if c.plain { // line by line, and first: codes may hide a mark, and the end of one that begins here
			show = withoutEscapes(show)
		}
		show = shieldMarks(show)
		marked := piece && strings.HasPrefix(show, gapMark)
		switch {
		case gone == 0 && kept:
			b = append(b, strings.Repeat("\n", blank+1)...)
		case gone == 0:
		case !short:
			if kept {
				b = append(b, '\n')
			}
			b = append(append(b, linesOut(gone)...), '\n')
		case kept:
			if run = shortRun; !marked {
				b = markedEnd(b, was)
			}
			b = append(b, '\n')
		case !marked:
			b = append(b, gapMark+" "...)
			if lead = len(b) - 1; countsLines(" " + show) {
				b[lead] = '\n' // it would read like the mark that counts
			}
		}
		if run++; run == shortRun && lead >= 0 {
			b[lead] = '\n'
		}
		whole = whole && !piece && gone == 0
		gone, blank, kept = 0, 0, true
		b = append(b, show...)
	}
	switch {
	case whole && gone == 0:
		return text, kept
	case gone == 0:
	case !kept:
		b = append(b, gapMark...)
	case !short:
		b = append(append(b, '\n'), linesOut(gone)...)
	default:
		b = markedEnd(b, piece)
	}
	return string(b), kept
}

// markedEnd ends a line with the mark, unless it is a piece that does.
func markedEnd(b []byte, piece bool) []byte {
	if piece && bytes.HasSuffix(b, []byte(gapMark)) {
		return b
	}
	return append(b, " "+gapMark...)
}

// linesOut is the mark that counts the lines of a gap.
func linesOut(n int) string {
	if n == 1 {
		return gapMark + " 1 line left out " + gapMark
	}
	return gapMark + " " + strconv.Itoa(n) + " lines left out " + gapMark
}

// countsLines reports whether a text behind "…" would make that mark.
func countsLines(text string) bool {
	return shield.Reads(text, "# lines left out", false) || shield.Reads(text, "# line left out", false)
}

// fragments shows the pieces of a line that ranges ask for, widened to sentences or
// words and marked where something is missing: a piece that is not a sentence on
// both sides (P5b). The whole line where that is no longer; false when there is
// nothing to show.
func fragments(line string, ranges []LineRange, number int) (string, bool) {
	type span struct{ from, to int }
	var spans []span
	prose, ends := false, sentenceEnds(line)
	for _, r := range ranges {
		if r.void() || r.First != number || r.From >= len(line) {
			continue
		}
		var s span
		s.from, s.to, prose = fragment(line, ends, r.From, r.To)
		if !isBlank(line[s.from:s.to]) {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for i, s := range spans {
		switch s.from = max(s.from, end); {
		case s.from >= s.to:
			continue
		case isBlank(line[end:s.from]) && (i > 0 || prose):
			s.from = end
		case prose && i > 0:
			b.WriteString(" " + gapMark + " ")
		case prose:
			b.WriteString(gapMark + " ")
		default:
			b.WriteString(gapMark)
		}
		b.WriteString(line[s.from:s.to])
		end = s.to
	}
	switch {
	case len(spans) == 0:
		return "", false
	case !prose:
		b.WriteString(gapMark)
	case !isBlank(line[end:]):
		b.WriteString(" " + gapMark)
	}
	if b.Len() >= len(line) {
		return line, true
	}
	return b.String(), true
}
