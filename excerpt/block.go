package excerpt

import (
	"slices"
	"strings"

	"tenfold/atom"
	"tenfold/tool"
)

// block is neighbouring lines that belong together, as people write them: a
// function, a hunk, a paragraph. The unit of what is edited next (F6).
type block struct {
	entry       int32
	first, last int32 // lines of the entry's text, from 1
	number      int32 // of its first line in the file, as far as that is known
	bytes       int32
}

const (
	// maxBlock is how many lines a block has at most.
	maxBlock = 25
	// smallBlock is how many lines a block has that takes in its neighbour.
	smallBlock = 7
	// minBlocks is how many bytes a text has that is cut into blocks.
	minBlocks = 60
	// minBlock is how many bytes a block has at least.
	minBlock = 20
)

// source is what the text of an entry is.
type source uint8

const (
	saidText   source = iota
	fileText          // shows a file
	ownText           // what the agent put into a file
	searchText        // what a search or a listing found
	outputText        // what a command printed
)

// sourceOf tells what the result of a call is.
func sourceOf(t tool.Tool, reads bool) source {
	switch {
	case t.Kind == tool.Searches || t.Kind == tool.Lists:
		return searchText
	case reads, t.Kind == tool.Edits, t.Kind == tool.Writes, t.Kind == tool.Patches:
		return fileText
	}
	return outputText
}

// margin is how far a line is indented; of a blank line -1.
func margin(text string) int32 {
	n := int32(0)
	for i := range len(text) {
		switch text[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		case '\r':
		default:
			return n
		}
	}
	return -1
}

// makeBlocks makes the blocks of the text under way, whose first line has a number in
// its entry.
func (ix *Index) makeBlocks(at *entry, first int32) {
	margins, numbers := ix.margins, ix.numbers
	self := int32(len(ix.entries) - 1)
	lines := ix.text[at.text.from+first-1:]
	from := len(ix.blocks)
	add := func(lo, hi int) { // [lo, hi)
		bytes := int32(0)
		for _, l := range lines[lo:hi] {
			bytes += l.bytes
		}
		n := first + int32(lo)
		if len(ix.blocks) > from {
			last := &ix.blocks[len(ix.blocks)-1]
			if last.last-last.first+1 < smallBlock && n+int32(hi-lo)-last.first <= maxBlock {
				last.last = n + int32(hi-lo) - 1
				last.bytes += bytes
				return
			}
		}
		ix.blocks = append(ix.blocks, block{entry: self, first: n, last: n + int32(hi-lo) - 1, number: numbers[lo], bytes: bytes})
	}
	paragraph := func(lo, hi int) {
		for hi-lo > maxBlock {
			best := lo + maxBlock
			for i := lo + maxBlock; i >= lo+maxBlock/2; i-- {
				if margins[i] < margins[best] {
					best = i
				}
			}
			add(lo, best)
			lo = best
		}
		add(lo, hi)
	}
	start := 0
	for i, m := range margins {
		if m >= 0 && i > start && margins[i-1] < 0 {
			paragraph(start, i) // with the blank lines after it
			start = i
		}
	}
	if start < len(margins) {
		paragraph(start, len(margins))
	}
	at.blocks.to = int32(len(ix.blocks))
}

// showing are the commands that show a file.
var showing = strings.Fields("cat sed nl head tail less more bat awk Get-Content gc type")

// shownBy is the first file that a command line shows, as far as one can tell
// from its words; empty for none.
func shownBy(command string) string {
	shows := false
	for word := range strings.FieldsFuncSeq(command, endsWord) {
		switch word = strings.Trim(word, "'\""); {
		case slices.Contains(showing, word):
			shows = true
		case strings.HasPrefix(word, "-i"), strings.HasPrefix(word, ">"), strings.HasPrefix(word, "<"):
			shows = false
		case shows && !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "/dev/") && atom.IsPath(strings.TrimPrefix(word, "./")):
			return word
		}
	}
	return ""
}

func endsWord(r rune) bool { return strings.ContainsRune(" \t\n;|&()", r) }

// replaced are the texts that an edit takes out of its file: they stand nowhere
// any more, and are not worth showing.
func replaced(t tool.Tool, arguments string) (gone []string) {
	if t.Kind != tool.Edits && t.Kind != tool.Editor {
		return nil
	}
	for _, piece := range t.Pieces(arguments) {
		if piece.Old != "" {
			gone = append(gone, piece.Old)
		}
	}
	return gone
}
