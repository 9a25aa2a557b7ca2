package tenfold

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// noArguments is what a stripped call's arguments become: a marker would be
// imitated by models in live calls (P5).
const noArguments = "{}"

// maxFirstLine is how many characters of a result's first line a stub keeps.
const maxFirstLine = 200

// defaultTrim is what trim keeps of either end when the policy says nothing.
const defaultTrim Size = 400

// stub is the text of a stripped result (P5). The recall reference is the
// result's seq.
func (p *Projection) stub(policy *ToolPolicy, n *node, seq int32) string {
	text := p.stubs.text(policy.Stub, n.tool, n.is(flagError))
	if policy.FirstLine {
		if line := firstLine(partsText(p.log.payload(seq).(ToolResult).Parts)); line != "" {
			text += "\n" + line
		}
	}
	return text + recallRef(policy, seq)
}

func recallRef(policy *ToolPolicy, seq int32) string {
	if !policy.Recall {
		return ""
	}
	return " (recall " + strconv.Itoa(int(seq)) + ")"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	line = strings.TrimRight(line, "\r")
	n := 0
	for i := range line {
		if n == maxFirstLine {
			return line[:i]
		}
		n++
	}
	return line
}

// stubCounts remembers the texts and token counts of plain stubs, one of each
// per tool and outcome.
type stubCounts struct {
	log     *Log
	calls   []int32
	results [2][]stubCount
}

type stubCount struct {
	parts  []Part // shared by all results that become this stub
	tokens int32
}

func (s *stubCounts) name(tool int32) string {
	if name := s.log.tools.list[tool]; name != "" {
		return name
	}
	return "unknown"
}

// call is the token count of a call of the tool with its arguments gone.
func (s *stubCounts) call(tool int32) int32 {
	for int(tool) >= len(s.calls) {
		name := s.log.tools.list[len(s.calls)]
		s.calls = append(s.calls, int32(s.log.counter.Count(name)+s.log.counter.Count(noArguments)))
	}
	return s.calls[tool]
}

// plain is the stub of P5 without further ado.
func (s *stubCounts) plain(tool int32, failed bool) *stubCount {
	list := &s.results[0]
	outcome := "success"
	if failed {
		list, outcome = &s.results[1], "error"
	}
	for int(tool) >= len(*list) {
		text := "[compacted] " + s.name(int32(len(*list))) + ": " + outcome
		*list = append(*list, stubCount{Text(text), int32(s.log.counter.Count(text))})
	}
	return &(*list)[tool]
}

func (s *stubCounts) text(form string, tool int32, failed bool) string {
	if form == "previous" {
		return "[Previous: used " + s.name(tool) + "]"
	}
	return s.plain(tool, failed).parts[0].Text
}

// trimmed keeps the head and the tail of a result, cut at line ends where
// there are any near, and the lines between that are asked for; it says how
// much is gone. False when that would not make it smaller.
func trimmed(policy *ToolPolicy, r ToolResult, s sides, seq int32) (string, bool) {
	text := partsText(r.Parts)
	head, tail := s.head, s.tail
	if head == 0 && tail == 0 && len(s.lines) == 0 {
		head, tail = defaultTrim, defaultTrim
	}
	if Size(len(text)) <= head+tail {
		return text, false
	}
	first, last := cutHead(text, int(head)), cutTail(text, int(tail))
	t := trimmer{recall: recallRef(policy, seq)}
	t.keep(strings.TrimRight(first, "\n"))
	t.middle(text[len(first):len(text)-len(last)], 1+strings.Count(first, "\n"), s.lines)
	t.keep(strings.TrimLeft(last, "\n"))
	out := strings.Join(t.parts, "\n")
	return out, len(out) < len(text)
}

// trimmer puts a trimmed text together.
type trimmer struct {
	parts  []string
	recall string
}

func (t *trimmer) keep(text string) {
	if text != "" {
		t.parts = append(t.parts, text)
	}
}

// cut marks lines that are gone.
func (t *trimmer) cut(bytes, lines int) {
	if bytes > 0 {
		t.parts = append(t.parts, fmt.Sprintf("… %d bytes in %d lines cut …%s", bytes, lines, t.recall))
	}
}

// middle keeps the lines asked for of a text whose first line has a number.
func (t *trimmer) middle(text string, number int, lines []LineRange) {
	gone, count := 0, 0
	for line := range strings.Lines(text) {
		for len(lines) > 0 && lines[0].Last < number {
			lines = lines[1:]
		}
		if len(lines) > 0 && lines[0].First <= number && !isBlank(line) {
			t.cut(gone, count)
			gone, count = 0, 0
			t.keep(strings.TrimRight(line, "\r\n"))
		} else if gone += len(line); line != "\n" {
			count++
		}
		number++
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

// withoutFiles leaves of a user message the texts, and a word for each file
// and attachment larger than over. False when there was none.
func withoutFiles(m UserMessage, over Size) (UserMessage, bool) {
	changed := false
	parts := make([]Part, 0, len(m.Parts)+len(m.Attachments))
	for _, p := range m.Parts {
		if p.File != nil && (over == 0 || p.File.size() > over) {
			parts = append(parts, TextPart(fileStub(p.File.Name, p.File.MediaType, p.File.size())))
			changed = true
			continue
		}
		parts = append(parts, p)
	}
	var attachments []Attachment
	for _, a := range m.Attachments {
		if size := Size(len(a.Content)); over == 0 || size > over {
			parts = append(parts, TextPart(fileStub(a.Name, a.MediaType, size)))
			changed = true
			continue
		}
		attachments = append(attachments, a)
	}
	return UserMessage{Parts: parts, Attachments: attachments, Synthetic: m.Synthetic}, changed
}

func fileStub(name, media string, size Size) string {
	if name == "" {
		name = "attachment"
	}
	if media != "" {
		name += ", " + media
	}
	return fmt.Sprintf("[compacted] %s, %d bytes", name, size)
}
