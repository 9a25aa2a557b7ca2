package excerpt

import (
	"slices"
	"strings"

	"tenfold/atom"
)

// A head is the line that says what the lines below it are about: the file of a patch's,
// of what a search prints under the name of each file, of a title put before each of
// several files; of what was said the first row of a table and what an item of a list is
// under, and the first words of a notice of the host. Lines that are kept keep their head, or they stand on no
// ground (fit.md F6).

// maxHead is how many bytes a line may have that is kept for what stands below.
const maxHead = 400

// patchHeads begin the heads of patches.
var patchHeads = []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "diff --git ", "Index: "}

// heads tells the head of each line of a text as it is read.
type heads struct {
	role role
	now  int32 // the number of the head that lines stand under; 0 for none
	// lasts is set where the head stands for all below it, until the next; apart behind a
	// blank line, where it stands for what is farther in.
	lasts, apart bool
	before       int32 // the number of the last line that is not blank
	table        int32 // the number of the first row of a table; 0 outside of one
	// above are the lines that the next one of what was said may stand under: each is
	// farther in than the one before, or an item of the list that it begins.
	above []above
	fence fence
}

// above is a line that others may stand under.
type above struct {
	margin, number int32
	begins         bool // a list, by a colon
}

// deepestList is how deep in lists lines are that are looked at.
const deepestList = 8

// of gives the number of the head of a line with a number of its own; its own
// for a head.
func (h *heads) of(text string, number int32) int32 {
	bare := strings.TrimSpace(text)
	switch {
	case h.role == roleSynthetic:
		if h.now == 0 && len(bare) <= maxHead && !isTag(bare) && bare != "" {
			h.now = number
		}
		return h.now
	case h.role == roleCall || h.role == roleResult:
		return h.ofFile(text, bare, number)
	case h.ofRow(bare, number):
		return h.table
	}
	return h.ofList(text, bare, number)
}

// ofList gives the head of a line in a list of what was said: the item that it is under, or
// the line with a colon that the list stands under.
func (h *heads) ofList(text, bare string, number int32) (head int32) {
	if h.fence.at(bare) {
		h.above = h.above[:0]
		return 0
	}
	if h.fence != "" || bare == "" {
		return 0
	}
	m, item := margin(text), isItem(bare)
	for n := len(h.above); n > 0; n-- {
		if up := h.above[n-1]; up.margin < m || up.margin == m && up.begins && item {
			head = up.number
			break
		}
		h.above = h.above[:n-1]
	}
	if len(h.above) < deepestList && len(bare) <= maxHead {
		h.above = append(h.above, above{m, number, !item && announces(bare)})
	}
	return head
}

// announces reports whether a text leads to what stands below it: it ends with a colon.
func announces(text string) bool {
	text = strings.TrimRight(text, "*_ ")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// isItem reports whether a line is an item of a list: "- it", "* it", "1. it".
func isItem(line string) bool {
	mark, rest, ok := strings.Cut(line, " ")
	if !ok || rest == "" || len(mark) > 4 {
		return false
	}
	switch mark {
	case "-", "*", "+", "•":
		return true
	}
	n := strings.TrimRight(mark, ".)")
	return n != "" && len(n) == len(mark)-1 && strings.Trim(n, "0123456789") == ""
}

// ofFile gives the head of a line of a call or a result.
func (h *heads) ofFile(text, bare string, number int32) int32 {
	switch {
	case isPatchHead(text), h.role == roleResult && isTitle(bare):
		h.now, h.lasts = number, true
	case h.lasts:
	case bare == "":
		h.apart = true
		return 0
	case h.role == roleResult && (namesFile(bare) || isReport(bare)):
		h.now = number
	case h.role == roleResult && isArrow(bare):
		h.now = number
		return h.before
	case h.apart && margin(text) == 0:
		h.now = 0
	}
	h.apart, h.before = false, number
	return h.now
}

// isReport reports whether a line begins what a linter says of a file, with a rule drawn
// behind: "a/b.ts:16:2 lint/suspicious/useAwait ━━━".
func isReport(line string) bool {
	if len(line) > maxHead || !strings.HasSuffix(line, "━") {
		return false
	}
	name, _, _ := strings.Cut(line, " ")
	name, _, _ = strings.Cut(name, ":")
	return atom.IsPath(name)
}

// isArrow reports whether a line says where the error above it is: "--> src/main.rs:3:5".
func isArrow(line string) bool {
	place, ok := strings.CutPrefix(line, "--> ")
	name, numbers, placed := strings.Cut(place, ":")
	return ok && placed && len(line) <= maxHead && strings.Trim(numbers, "0123456789:") == "" && atom.IsPath(name)
}

// ofRow reports whether a line is a row of a table that is drawn with "|".
func (h *heads) ofRow(bare string, number int32) bool {
	switch row := len(bare) <= maxHead && strings.HasPrefix(bare, "|") && strings.HasSuffix(bare, "|") && strings.Count(bare, "|") > 2; {
	case !row && strings.HasPrefix(bare, "+-"): // drawn between rows
	case !row:
		h.table = 0
	case h.table == 0:
		h.table = number
	}
	return h.table > 0
}

func isPatchHead(text string) bool {
	if len(text) > maxHead {
		return false
	}
	return slices.ContainsFunc(patchHeads, func(head string) bool { return strings.HasPrefix(text, head) })
}

// isTitle reports whether a line is the title that a tool puts before each of several
// files: "File: a/b.go" of Gemini CLI's search, "==> a/b.go <==" of head and tail.
func isTitle(line string) bool {
	name, titled := strings.CutPrefix(line, "File: ")
	if !titled {
		name, titled = strings.CutPrefix(line, "==")
		name = strings.Trim(name, "=<> ")
	}
	return titled && len(name) <= maxHead && strings.IndexByte(name, ' ') < 0 && atom.IsPath(name)
}

// isTag reports whether a line is an element's tag and nothing else, or an element of one
// word, such as an id: neither says what the others are about.
func isTag(line string) bool {
	return strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">") && (strings.IndexByte(line, '>') == len(line)-1 || strings.IndexByte(line, ' ') < 0)
}

// namesFile reports whether a line is the path of a file, and a colon at most.
func namesFile(line string) bool {
	line = strings.TrimSuffix(line, ":")
	return len(line) <= maxHead && strings.IndexByte(line, ' ') < 0 && strings.ContainsAny(line, `/\`) && atom.IsPath(line)
}
