package excerpt

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"tenfold/tool"
)

// A text of a file that was changed later still has the lines that the change took out. Whoever
// reads them takes them for the file's: they are not chosen, and do not fill a gap.

// fileLine is a line of a file.
type fileLine struct{ file, line int32 }

// minTaken is how many bytes a line has at least that a change takes out: shorter ones stand
// in many places of a file.
const minTaken = 6

// restoring are commands that may bring back what files once had: what was taken out before
// may stand in them again.
var restoring = regexp.MustCompile(`\bgit\b[^\n;&|]*\b(?:am|apply|checkout|cherry-pick|merge|pull|rebase|reset|restore|revert|stash|switch|worktree)\b|\b(?:cp|mv|patch|rsync|tar|unzip)\b`)

func restores(command string) bool {
	for _, name := range []string{"git", "cp", "mv", "patch", "rsync", "tar", "unzip"} {
		if strings.Contains(command, name) {
			return restoring.MatchString(command)
		}
	}
	return false
}

// noteTaken notes what a call of an entry changed in files, once its result is there: the
// lines it took out, the files and the cells of notebooks it wrote anew.
func (ix *Index) noteTaken(call int32, t tool.Tool, arguments, text string) {
	result := int32(len(ix.entries) - 1)
	cell := t.Cell(arguments, text)
	if cell != "" {
		f := ix.file(cell)
		ix.files[f].changed, ix.files[f].written = result, call+1
		files := append(slices.Clone(ix.entries[call].files), f)
		ix.entries[call].files, ix.entries[result].files = files, files
	}
	pieces, told := t.Pieces(arguments), cell != ""
	for _, piece := range pieces {
		ix.files[ix.file(piece.Path)].changed = result
		told = told || piece.Old != "" || piece.New != ""
	}
	if !told { // "undo_edit", a download
		for _, f := range ix.entries[call].edits {
			ix.files[f].restored = result
		}
	}
	whole := false
	for _, op := range t.Operations(arguments) {
		if t.Kind != tool.Patches && (op.Op == tool.FileWritten || op.Op == tool.FileCreated) {
			ix.files[ix.file(op.Path)].written, whole = call+1, true
		}
	}
	put := map[int32]bool{}
	for _, piece := range pieces {
		f := ix.file(piece.Path)
		for text := range lines(piece.New) {
			id := ix.lineOf(text)
			put[id] = true
			delete(ix.taken, fileLine{f, id})
			if one := &ix.lines[id]; whole {
				one.newest = max(one.newest, call)
			}
		}
	}
	for _, piece := range pieces {
		f := ix.file(piece.Path)
		var ids []int32
		for text := range lines(piece.Old) {
			ids = append(ids, ix.lineOf(text))
		}
		n := 0
		for text := range lines(piece.Old) {
			if id := ids[n]; len(text) >= minTaken && !put[id] {
				ix.lines[id].taken = true
				ix.taken[fileLine{f, id}] = removal{result, at(ids, n-1), at(ids, n+1)}
			}
			n++
		}
	}
}

// removal is how a line was taken out: with which result, and between which lines. Those beside
// what was replaced are unknown.
type removal struct{ result, before, after int32 }

const unknown = -1

// at gives a line; unknown behind the ends.
func at(lines []int32, n int) int32 {
	if n < 0 || n >= len(lines) {
		return unknown
	}
	return lines[n]
}

// was reports whether it was the line at n of a text that was taken out, and not one like it
// elsewhere in the file: those next to it are the same.
func (r removal) was(text []textLine, n int) bool {
	return (r.before == unknown || n > 0 && text[n-1].line == r.before) &&
		(r.after == unknown || n+1 < len(text) && text[n+1].line == r.after)
}

// outdated gives the lines of an entry that its file has no longer, by their numbers.
func (ix *Index) outdated(i int32) (numbers []int32) {
	e := &ix.entries[i]
	if e.source != fileText && e.source != ownText {
		return nil
	}
	changed, written := false, false
	for _, f := range e.files {
		changed, written = changed || ix.files[f].changed > i, written || ix.files[f].written > 0
	}
	text := ix.text[e.text.from:e.text.to]
	var times map[int32]int // lines stand in it: of several nobody knows which was taken out
	for n, l := range text {
		one := &ix.lines[l.line]
		if !changed || l.bytes <= minTaken || !written && !one.taken {
			continue
		}
		for _, f := range e.files {
			file := &ix.files[f]
			since := max(i, ix.restored, file.restored)
			old := file.written-1 > since && one.newest < file.written-1
			if !old && one.taken {
				took := ix.taken[fileLine{f, l.line}]
				old = took.result > since && one.newest <= took.result && took.was(text, n)
				if old && times == nil {
					times = make(map[int32]int, len(text))
					for _, l := range text {
						times[l.line]++
					}
				}
				old = old && times[l.line] == 1
			}
			if old {
				numbers = append(numbers, int32(n)+1)
				break
			}
		}
	}
	return numbers
}

// IsOutdated reports whether an entry has lines that its file has no longer.
func (ix *Index) IsOutdated(seq int64) bool {
	i, ok := ix.find(seq)
	return ok && len(ix.outdated(i)) > 0
}

func (c *chooser) isOutdated(e *entry, line int32) bool {
	return line >= 1 && line <= e.last && c.outdated[e.text.from+line-1]
}

// current gives the parts of a block between lines that are outdated.
func (c *chooser) current(b *block) iter.Seq[block] {
	return func(yield func(block) bool) {
		e := &c.ix.entries[b.entry]
		for first := b.first; first <= b.last; first++ {
			part := block{entry: b.entry, first: first, last: first - 1}
			if part.number = b.number; part.number > 0 {
				part.number += first - b.first
			}
			for part.last < b.last && !c.isOutdated(e, part.last+1) {
				part.last++
				part.bytes += c.ix.text[e.text.from+part.last-1].bytes
			}
			if part.last >= first && !yield(part) {
				return
			}
			first = part.last + 1
		}
	}
}
