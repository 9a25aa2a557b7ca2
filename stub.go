package tenfold

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// noArguments is what a stripped call's arguments become: a marker would be
// imitated by models in live calls (P5).
const noArguments = "{}"

// maxFirstLine is how many characters of a result's first line a stub keeps.
const maxFirstLine = 200

// stub is the text of a stripped result (P5). The recall reference is the
// result's seq.
func (p *Projection) stub(policy *ToolPolicy, n *node, seq int32) string {
	text := p.stubs.of(policy.Stub, n.tool, n.is(flagError)).parts[0].Text
	if policy.FirstLine {
		if line := firstLine(partsText(payloadOf[ToolResult](p.log, seq).Parts)); line != "" {
			text += "\n" + Shield(shieldMarks(line), '[', "compacted", "previous: used")
		}
	}
	return text + recallRef(policy.Recall, seq)
}

func recallRef(on bool, seq int32) string {
	if !on {
		return ""
	}
	return " (recall " + strconv.Itoa(int(seq)) + ")"
}

func firstLine(text string) string {
	line := strings.TrimLeft(text, "\r\n")
	if end := strings.IndexAny(line, "\n\r\v\f\u0085\u2028\u2029"); end >= 0 {
		line = line[:end]
	}
	n := 0
	for i := range line {
		if n == maxFirstLine {
			return line[:i]
		}
		n++
	}
	return line
}

// stubCounts remembers the texts and token counts of stubs, one of each per
// tool and outcome, and one per tool in the form "previous".
type stubCounts struct {
	log     *Log
	calls   []int32
	results [3][]stubCount
}

type stubCount struct {
	parts  []Part // shared by all results that become this stub
	tokens int32
}

// fork gives the stubs of a log that is a fork of s's: its tools have the same
// numbers as far as s's go.
func (s *stubCounts) fork(l *Log) stubCounts {
	f := stubCounts{log: l, calls: slices.Clip(s.calls)}
	for i := range s.results {
		f.results[i] = slices.Clip(s.results[i])
	}
	return f
}

func (s *stubCounts) name(tool int32) string {
	if name := s.log.tools.list[tool]; name != "" {
		return Label(name)
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

// of is the stub of P5 in a form, without further ado.
func (s *stubCounts) of(form string, tool int32, failed bool) *stubCount {
	kind, end := 0, ": success"
	switch {
	case form == "previous":
		kind = 2
	case failed:
		kind, end = 1, ": error"
	}
	list := &s.results[kind]
	for int(tool) >= len(*list) {
		name := s.name(int32(len(*list)))
		text := "[compacted] " + name + end
		if kind == 2 {
			text = "[Previous: used " + name + "]"
		}
		*list = append(*list, stubCount{Text(text), int32(s.log.counter.Count(text))})
	}
	return &(*list)[tool]
}

// withoutFiles leaves of a user message the texts, and a word for each file
// and attachment larger than over. False when there was none.
func withoutFiles(m UserMessage, over Size) (UserMessage, bool) {
	changed := false
	parts := make([]Part, 0, len(m.Parts)+len(m.Attachments))
	for _, p := range m.Parts {
		if p.File != nil && (over == 0 || p.File.Size() > over) {
			p = TextPart(fileStub(p.File.Label(), p.File.Size()))
			changed = true
		}
		parts = append(parts, p)
	}
	var attachments []Attachment
	for _, a := range m.Attachments {
		if size := Size(len(a.Content)); over == 0 || size > over {
			parts = append(parts, TextPart(fileStub((&File{Name: a.Name, MediaType: a.MediaType}).Label(), size)))
			changed = true
			continue
		}
		attachments = append(attachments, a)
	}
	m.Parts, m.Attachments = parts, attachments
	return m, changed
}

func fileStub(label string, size Size) string {
	return fmt.Sprintf("[compacted] %s, %d bytes", label, size)
}

// Label names the file on one line, by its name and its media type.
func (f *File) Label() string {
	label := cmp.Or(f.Name, "attachment")
	if f.MediaType != "" {
		label += ", " + f.MediaType
	}
	return Label(label)
}
