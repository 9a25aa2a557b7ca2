package excerpt

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold/atom"
	"tenfold/cause"
)

// A line longer than both of these is taken in pieces.
const (
	longLine  = 220 // characters without the blanks at its ends (P5b)
	longWords = 30
	// pieceBytes is how long a piece of a much longer line is, of which there are so many
	// at most.
	pieceBytes, maxPieces = 500, 64
)

// lines gives the lines of a text without their ends.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			line, rest, _ := strings.Cut(text, "\n")
			if !yield(line) {
				return
			}
			text = rest
		}
	}
}

// read takes in a text of an entry whose first line has a number; it gives
// the number of the line after its last.
func (ix *Index) read(at *entry, text string, number int32) int32 {
	at.bytes += int32(len(text))
	first := number
	ix.margins, ix.numbers = ix.margins[:0], ix.numbers[:0]
	whole := at.role == roleResult || at.role == roleCall
	under := heads{role: at.role}
	var diff atom.Diff
	// What the result of an edit tells of a change stands in the edit, and as the file has it.
	changes := at.role == roleResult && at.changes
	library := false // a piece of code that a trace of IPython shows of a library
	for text := range lines(text) {
		raw, bytes := text, int32(len(text))+1
		library = library && strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "File ")
		if library = library || at.role == roleResult && cause.IsForeignFrame(text); library {
			text = libraryLine
		}
		again := changes && diff.Has(text) && text != "" && (text[0] == '+' || text[0] == '-') || ix.patch && strings.HasPrefix(text, "-")
		id := ix.lineOf(text)
		ix.text = append(ix.text, textLine{id, bytes, under.of(text, number)})
		one := &ix.lines[id]
		ix.occur(at, ix.pool[one.atoms.from:one.atoms.to])
		ix.useWords(at, one.words, at.role == roleAssistant)
		ix.note(at, id, text)
		if !one.atoms.none() && !ix.gone && !again {
			ix.unit(at, one.atoms, text, number)
		}
		if whole {
			gutter := atom.Gutter(raw)
			ix.margins = append(ix.margins, margin(raw[gutter:]))
			ix.numbers = append(ix.numbers, printed(raw[:gutter]))
		}
		at.last = number
		number++
	}
	if at.role == roleResult && (at.source == searchText || at.source == outputText) {
		ix.headRecords(at, text, first)
	}
	if at.role == roleResult || at.role == roleTyped {
		ix.headPrinted(at, text, first)
	}
	if whole && len(text) >= minBlocks && !ix.gone {
		ix.makeBlocks(at, first)
	}
	return number
}

// note remembers where a line stood last, and what it names.
func (ix *Index) note(at *entry, id int32, text string) {
	self := int32(len(ix.entries) - 1)
	one := &ix.lines[id]
	if at.role == roleResult {
		one.shown++
	}
	switch at.source {
	case fileText, ownText:
		one.newest = self
		return
	case searchText, outputText:
		one.quoted = self
		if bare := quoted(text); len(bare) < len(text) {
			if of, ok := ix.byLine[strings.TrimSpace(bare)]; ok {
				ix.lines[of].quoted = self
			}
		}
	}
	if one = &ix.lines[id]; one.file >= 0 {
		ix.places = append(ix.places, placed{one.file, one.number, at.request})
	}
}

// unit makes the units of a line with atoms.
func (ix *Index) unit(at *entry, atoms span, text string, number int32) {
	output := at.source == searchText || at.source == outputText
	if len(text) <= longLine || !manyWords(text) && (!output || len(text) < 4*pieceBytes) || utf8.RuneCountInString(strings.TrimSpace(text)) <= longLine {
		if !atom.HoldsData(text) {
			ix.units = append(ix.units, unit{line: number, bytes: int32(len(text)) + 1, atoms: atoms})
		}
		return
	}
	for _, piece := range pieces(text, output) {
		ix.scan(text[piece.from:piece.to], nil)
		if len(ix.scratch) > 0 && !atom.HoldsData(text[piece.from:piece.to]) {
			ix.units = append(ix.units, unit{
				line: number, from: piece.from, to: piece.to,
				bytes: piece.to - piece.from + int32(len("…")), atoms: ix.keep(ix.scratch),
			})
		}
	}
}

// keep puts atoms into the pool.
func (ix *Index) keep(atoms []int32) span {
	from := int32(len(ix.pool))
	ix.pool = append(ix.pool, atoms...)
	return span{from, int32(len(ix.pool))}
}

// manyWords reports whether a line has more words than a short one may.
func manyWords(line string) bool {
	n := 0
	for range strings.FieldsSeq(line) {
		if n++; n > longWords {
			return true
		}
	}
	return false
}

// pieces cuts a long line between words: into three that overlap, and a longer one that was
// printed into more that do not, behind records where there are some.
func pieces(line string, output bool) []span {
	n := len(line)
	cut := func(at int) int32 {
		for at > 0 && at < n && line[at-1] != ' ' && line[at-1] != '\t' {
			at++
		}
		return int32(at)
	}
	if !output || n < 4*pieceBytes {
		return []span{
			{0, cut(n * 40 / 100)},
			{cut(n * 30 / 100), cut(n * 70 / 100)},
			{cut(n * 60 / 100), int32(n)},
		}
	}
	size := max(pieceBytes, n/maxPieces)
	var all []span
	for from := 0; from < n; {
		to := min(from+size, n)
		if to+size/2 > n {
			to = n
		}
		if near := line[to:min(to+size/2, n)]; near != "" {
			if at := strings.Index(near, "},"); at >= 0 {
				to += at + len("},")
			} else if at := strings.IndexAny(near, " \t,"); at >= 0 {
				to += at + 1
			}
		}
		for to < n && !utf8.RuneStart(line[to]) {
			to++
		}
		all = append(all, span{int32(from), int32(to)})
		from = to
	}
	return all
}

// finish closes the entry: how many atoms it has is known.
func (ix *Index) finish(at *entry) {
	at.units.to, at.text.to = int32(len(ix.units)), int32(len(ix.text))
	ix.volume += int64(at.bytes)
	at.after = ix.volume
	n := int32(len(ix.distinct))
	for _, a := range ix.distinct {
		if info := &ix.atoms[a]; at.role == roleResult || info.density == 0 || n < info.density {
			info.density = n
		}
	}
	if at.role == roleTyped && at.tokens <= maxAsked {
		ix.asked = append(ix.asked[:0], ix.distinct...)
	}
	ix.distinct = ix.distinct[:0]
}

// scan collects the distinct atoms of a line in scratch; of one that is known
// it notes the place it names.
func (ix *Index) scan(text string, of *line) {
	ix.scratch = ix.scratch[:0]
	ix.scans++
	for kind, at := range atom.Scan(text) {
		a := ix.intern(at.Of(text), kind)
		if ix.scanned[a] != ix.scans {
			ix.scanned[a] = ix.scans
			ix.scratch = append(ix.scratch, a)
		}
		if of != nil && kind != atom.Number {
			of.mute = false
		}
		if kind == atom.Path && of != nil && of.file < 0 {
			if n := place(text[at.End:]); n > 0 {
				of.file, of.number = ix.atoms[a].name, n
			}
		}
	}
}

// named is the atom of a path; -1 where it is none, or nowhere in the log.
func (ix *Index) named(path string) int32 {
	for _, at := range atom.Scan(path) {
		if a, ok := ix.byName[at.Of(path)]; ok {
			return a
		}
		break
	}
	return -1
}

func (ix *Index) intern(name string, kind atom.Kind) int32 {
	if a, ok := ix.byName[name]; ok {
		return a
	}
	a := int32(len(ix.atoms))
	from := int32(len(ix.subs))
	for word := range subwords(name) {
		w, ok := ix.byWord[word]
		if !ok {
			w = int32(len(ix.words))
			ix.byWord[word] = w
			ix.words = append(ix.words, wordInfo{said: -1})
		}
		if !slices.Contains(ix.subs[from:], w) {
			ix.subs = append(ix.subs, w)
			ix.words[w].atoms++
		}
	}
	file := int32(-1)
	if kind == atom.Path {
		file = ix.name(name)
	}
	ix.atoms = append(ix.atoms, atomInfo{
		name: file, used: -1, said: -1, files: -1, recent: latest{-1, -1, -1, -1, -1}, words: span{from, int32(len(ix.subs))},
	})
	ix.stamp = append(ix.stamp, -1)
	ix.scanned = append(ix.scanned, 0)
	ix.byName[name] = a
	return a
}

// occur counts the atoms of a line of the entry.
func (ix *Index) occur(at *entry, atoms []int32) {
	self := int32(len(ix.entries) - 1)
	for _, a := range atoms {
		info := &ix.atoms[a]
		info.lines++
		if ix.stamp[a] == self {
			continue
		}
		ix.stamp[a] = self
		ix.distinct = append(ix.distinct, a)
		info.entries++
		info.request = at.request
		copy(info.recent[:], info.recent[1:])
		info.recent[recentEntries-1] = self
		if at.role != roleResult && (at.role != roleTyped || at.tokens <= maxAsked) {
			info.outside = true
			info.told++
		}
		switch at.role {
		case roleCall:
			if info.used != at.request {
				info.uses++
			}
			info.used = at.request
			ix.noteWritten(info, at.request)
		case roleAssistant:
			ix.noteWritten(info, at.request)
			ix.noteSpokenOf(info, at.request)
		case roleTyped:
			if info.name >= 0 {
				ix.names[info.name].asked = self + 1
			}
		}
		for _, f := range at.files {
			if !ix.noteFile(info, f) {
				break
			}
		}
	}
}

// noteWritten notes that the model wrote the atom.
func (ix *Index) noteWritten(info *atomInfo, request int32) {
	info.said = request
	for _, w := range ix.subs[info.words.from:info.words.to] {
		ix.words[w].said = request
	}
}

// noteSpokenOf notes that the model spoke of the file that the atom names.
func (ix *Index) noteSpokenOf(info *atomInfo, request int32) {
	if info.name >= 0 {
		ix.names[info.name].said = request + 1
	}
}

// noteFile notes that the atom is in an entry about a file; false where there is no room for more.
func (ix *Index) noteFile(info *atomInfo, file int32) bool {
	n := 0
	for at := info.files; at >= 0; at = ix.chain[at].next {
		if ix.chain[at].file == file {
			return true
		}
		n++
	}
	if n == maxChain {
		return false
	}
	ix.chain = append(ix.chain, link{file, info.files})
	info.files = int32(len(ix.chain) - 1)
	return true
}

// mention takes in a text that is not a source of lines: reasoning.
func (ix *Index) mention(text string) {
	now := ix.now()
	for text := range lines(text) {
		one := &ix.lines[ix.lineOf(text)]
		for _, a := range ix.pool[one.atoms.from:one.atoms.to] {
			info := &ix.atoms[a]
			info.outside = true
			info.request = now
			ix.noteWritten(info, now)
			ix.noteSpokenOf(info, now)
		}
		for _, w := range ix.spelt[one.words.from:one.words.to] {
			ix.spellings[w].said = now + 1
		}
	}
}
