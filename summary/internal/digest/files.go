package digest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"tenfold/internal/set"
	"tenfold/tool"
)

const (
	// hunkFiles is of how many files it is told what was changed in them.
	hunkFiles = 10
	// readFiles is how many files that were only read are named.
	readFiles = 5
	// namesMost is how many names are told of what was changed in a file.
	namesMost = 6
)

func countWord(n int, word string) string {
	if n == 1 {
		return word
	}
	return fmt.Sprintf("%s ×%d", word, n)
}

// changeCounts says what became of a file: each count is of one kind of change.
func (f *file) changeCounts() string {
	switch {
	case f.last == tool.FileDeleted:
		return string(f.last)
	case f.last == tool.FileRestored:
		return "changed, then restored to what was committed"
	case f.created:
		return string(tool.FileCreated) + ", then " + countWord(f.same, string(f.last))
	}
	return countWord(f.same, string(f.last))
}

// shortestDir is how many bytes a directory has that is said once for all files.
const shortestDir = 16

// commonDir is the directory that all changed files are in but those for a while,
// where it is long and there are several, with a slash behind it; else empty.
func (l *Ledger) commonDir() string {
	dir, n := "", 0
	for _, f := range l.paths {
		if f.changes == 0 || f.isTemporary() {
			continue
		}
		if n++; n == 1 {
			dir = f.key
		}
		at := 0
		for at < min(len(dir), len(f.key)) && dir[at] == f.key[at] {
			at++
		}
		dir = dir[:strings.LastIndexByte(dir[:at], '/')+1]
	}
	if n < 2 || len(dir) < shortestDir {
		return ""
	}
	return dir
}

// isTemporary reports whether a file lies where programs put what nobody keeps.
func (f *file) isTemporary() bool {
	return strings.HasPrefix(f.key, "/tmp/") && strings.Count(f.key, "/") == 2
}

// relativeTo is how the file is told where the directory of others is said before.
func (f *file) relativeTo(dir string) string {
	if short, ok := strings.CutPrefix(f.key, dir); ok && dir != "" {
		return short
	}
	return f.path
}

// fileItems tells the files that were changed, the newest first, with what was
// changed in those of late, and a handful of those that were only read.
func (l *Ledger) fileItems(s *items) {
	unsure, dir := map[string]bool{}, l.commonDir()
	name := func(p string) string {
		if short, ok := strings.CutPrefix(l.where.key(p), dir); ok && dir != "" {
			return short
		}
		return p
	}
	for _, c := range slices.Backward(l.unanswered()) {
		for _, f := range c.files {
			if f.Op != tool.FileRead && !unsure[f.Path] && !l.changedSince(f.Path, c) {
				unsure[f.Path] = true
				s.add(inFiles, rankChanged, -1, "- %s: %s, turn %d, no result\n", code(name(f.Path), 2*lineLength), f.Op, c.turn)
			}
		}
	}
	paths := slices.Clone(l.paths)
	slices.SortStableFunc(paths, func(a, b *file) int { return cmp.Compare(b.latest, a.latest) })
	var read []string
	told := 0
	for i, f := range paths {
		if f.changes == 0 {
			if len(read) < readFiles && !slices.ContainsFunc(paths, func(o *file) bool { return o.changes > 0 && f.hasPath(o.path) }) {
				read = append(read, f.relativeTo(dir))
			}
			continue
		}
		if f.last == tool.FileDeleted && f.isTemporary() {
			continue
		}
		parent := s.add(inFiles, rankChanged, i, "- %s: %s, turn %d\n", code(f.relativeTo(dir), 2*lineLength), f.changeCounts(), f.turn)
		if told < hunkFiles && f.last != tool.FileDeleted && f.last != tool.FileRestored {
			if words := hunks(f); words != "" {
				told++
				s.addTo(parent, rankHunk, words)
			}
		}
	}
	if len(read) > 0 {
		s.add(inFiles, rankRead, len(paths), "- only read, of late: %s\n", quotedList(read, readFiles))
	}
}

// changedSince reports whether a file was changed after a call, so that what became
// of that one no longer matters.
func (l *Ledger) changedSince(path string, c *call) bool {
	f, ok := l.files[l.where.key(path)]
	return ok && len(f.by) > 0 && f.by[len(f.by)-1].order > c.order
}

// hunks tells what the last calls that changed a file did to it: the names of
// what they touch, and the first line that the last of them put there or took
// away.
func hunks(f *file) string {
	var names []string
	line, gone := "", ""
	for _, c := range slices.Backward(f.by) {
		for _, p := range slices.Backward(c.pieces()) {
			if !f.hasPath(p.Path) {
				continue
			}
			before, added, removed := difference(p)
			if line == "" {
				line = firstOf("+", added)
				if p.Old == "" && isPreamble(line) {
					line = ""
				}
			}
			gone = cmp.Or(gone, firstOf("-", removed))
			found := definitions(f.path, append([]string{p.Head}, added...))
			if len(found) == 0 {
				found = definitions(f.path, append([]string{p.Head}, before...))
				found = found[max(0, len(found)-1):]
			}
			for _, name := range found {
				if len(names) < namesMost && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	var parts []string
	if len(names) > 0 {
		parts = append(parts, "in "+quotedList(names, namesMost))
	}
	if line = cmp.Or(line, gone); line != "" {
		parts = append(parts, code(line, lineLength))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  - " + strings.Join(parts, ": ") + "\n"
}

// difference gives the lines of a piece that both texts begin with, and those
// that only one of them has in between.
func difference(p tool.Piece) (before, added, removed []string) {
	was, is := strings.Split(strings.TrimSuffix(p.Old, "\n"), "\n"), strings.Split(strings.TrimSuffix(p.New, "\n"), "\n")
	if p.Old == "" {
		was = nil
	}
	if p.New == "" {
		is = nil
	}
	n := 0
	for n < len(was) && n < len(is) && was[n] == is[n] {
		n++
	}
	before, was, is = was[:n], was[n:], is[n:]
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return before, is, was
}

// firstOf is the first of some lines that says something, behind a mark.
func firstOf(mark string, lines []string) string {
	for _, line := range lines {
		if line = strings.TrimSpace(line); strings.Trim(line, "{}()[];,/*#-=<>`\"'") != "" && !strings.HasPrefix(line, "#!") {
			return mark + " " + line
		}
	}
	return ""
}

// isPreamble reports whether a line, behind its mark, begins files of its kind and says
// nothing of this one.
func isPreamble(line string) bool {
	return slices.ContainsFunc([]string{"package ", "import ", "from ", "#include ", "using "}, func(start string) bool { return strings.HasPrefix(line, "+ "+start) })
}

// definers are words before the name of what a line defines.
var definers = set.Words("func function def class fn struct interface type enum trait impl module namespace describe it test macro_rules! proc sub table")

// leading are words that may stand before a definer.
var leading = set.Words("export default async public private protected static final abstract pub pub(crate) override const inline virtual unsafe extern declare internal sealed local")

// definitions gives the names of what lines of a file define: functions, types,
// tests, headings of documents.
func definitions(file string, lines []string) []string {
	var names []string
	for _, line := range lines {
		name := definition(line)
		if strings.HasPrefix(name, "#") && !isDocument(file) {
			continue // a comment
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isDocument reports whether a file's headings begin with a #, by its name.
func isDocument(file string) bool {
	return slices.Contains([]string{".md", ".mdx", ".mdc", ".markdown"}, strings.ToLower(path.Ext(file)))
}

func definition(line string) string {
	text := strings.TrimSpace(line)
	if strings.HasPrefix(text, "#") && strings.HasPrefix(strings.TrimLeft(text, "#"), " ") && !strings.HasSuffix(text, ":") && len(text) < 80 {
		return text
	}
	for i := range 5 {
		word, rest, ok := strings.Cut(text, " ")
		if head, _, called := strings.Cut(word, "("); called && (head == "describe" || head == "it" || head == "test") {
			return titled(text[len(head)+1:])
		}
		switch {
		case word == "const" || word == "let" || word == "var":
			// const name = (…) => is a function.
			if strings.Contains(rest, "=>") || strings.Contains(rest, "function") {
				return identifier(rest)
			}
			return ""
		case ok && definers[word]:
			rest = strings.TrimSpace(rest)
			if strings.HasPrefix(rest, "(") { // a receiver
				_, rest, _ = strings.Cut(rest, ")")
			}
			return identifier(strings.TrimSpace(rest))
		case !ok || !leading[word] || i == 4:
			return ""
		}
		text = strings.TrimSpace(rest)
	}
	return ""
}

// titled is a text in quotes.
func titled(text string) string {
	if text == "" || !strings.ContainsRune("\"'`", rune(text[0])) {
		return ""
	}
	title, _, ok := strings.Cut(text[1:], text[:1])
	if !ok {
		return ""
	}
	return clip(title, 80)
}

// identifier is the name at the beginning of a text.
func identifier(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	})
	if end < 0 {
		end = len(text)
	}
	return text[:end]
}
