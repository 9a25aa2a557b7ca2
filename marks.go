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
// A stub keeps its line, as it is the whole text of its result (P5).
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

// isMark reports whether a line of a shortened text is nothing but marks.
func isMark(line string) bool {
	if line == gapMark || strings.HasPrefix(line, argumentMark) || strings.HasPrefix(line, "[argument]") {
		return true
	}
	rest, ok := strings.CutPrefix(line, "[")
	return ok && (shield.Reads(rest, "# earlier call", false) || shield.Reads(rest, "# earlier calls", false) || shield.Reads(rest, "# later call", false) || shield.Reads(rest, "# later calls", false))
}
