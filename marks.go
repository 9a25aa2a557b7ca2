package tenfold

import (
	"strings"

	"tenfold/internal/shield"
)

// Element is the attachment as the text of a message.
func (a Attachment) Element() string { return shield.Element("attachment", a.Content, "name", a.Name) }

// What marks of a view's own begin with, and what a text of the log never does in a
// view that shortened it ([shieldMarks]).
const (
	stubMark     = "[compacted] "
	argumentMark = "[argument "
)

// joinMarks joins two texts by a line end, or by a blank where nothing but marks
// would stand on both sides of it: a run of what is left out is told in one line (F7).
// A stub keeps its line, so that it reads the same everywhere (P5).
func joinMarks(before, after string) string {
	before = strings.TrimSuffix(before, "\n")
	first, _, _ := strings.Cut(after, "\n")
	switch last := before[strings.LastIndexByte(before, '\n')+1:]; {
	case before == "":
		return after
	case isMark(last) && isMark(first):
		return before + " " + after
	}
	return before + "\n" + after
}

// headed puts the name of an argument before what is left of it: in the first line where
// fewer than [shortRun] begin it, as any mark, else on a line of its own (F7).
func headed(heading, text string) string {
	run := 0
	for line := range strings.Lines(text) {
		if isBlank(line) && run == 0 {
			break
		}
		line = strings.TrimRight(line, "\n")
		switch run++; {
		case run >= shortRun, line == gapMark:
			return joinMarks(heading, text)
		case strings.HasSuffix(line, gapMark):
			return heading + " " + text
		}
	}
	if run > 0 {
		return heading + " " + text
	}
	return joinMarks(heading, text)
}

// isMark reports whether a line of a shortened text is nothing but marks that another may
// follow.
func isMark(line string) bool {
	if line == gapMark {
		return true
	}
	rest, ok := strings.CutPrefix(line, "[")
	if name, is := strings.CutPrefix(rest, "argument"); ok && is {
		_, behind, closed := strings.Cut(name, "]")
		return closed && (behind == "" || behind == " "+gapMark)
	}
	return ok && (shield.Reads(rest, "# earlier call", false) || shield.Reads(rest, "# earlier calls", false) || shield.Reads(rest, "# later call", false) || shield.Reads(rest, "# later calls", false))
}
