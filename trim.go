package tenfold

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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
		t.parts = append(t.parts, foreign(out))
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
		t.parts = append(t.parts, foreign(text))
	}
}

// foreign takes apart what in a text of the log reads like a mark of a gap or a
// reference for recall: only those put in are to.
func foreign(text string) string {
	text = Shield(text, '…', "# bytes in #", "# calls folded", "# call folded")
	return Shield(text, '(', "recall #")
}

// foreignParts does so for the texts of a content.
func foreignParts(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = foreign(parts[i].Text)
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
