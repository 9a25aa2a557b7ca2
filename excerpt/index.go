package excerpt

import (
	"cmp"
	"slices"

	"tenfold"
	"tenfold/tool"
)

// An Index knows the atoms of what a reader sees of a log. The zero Index is
// not ready, use [NewIndex]. It keeps the texts of the log alive and copies
// none; it is not safe for concurrent use.
type Index struct {
	done     int64 // seq up to which the log is read
	requests int32 // how many model responses that is
	turn     int   // of the last response
	step     int

	atoms  []atomInfo
	byName map[string]int32
	words  []wordInfo // sub-words of atoms
	byWord map[string]int32
	files  []fileInfo
	byFile map[string]int32

	entries []entry
	groups  []group
	units   []unit
	pool    []int32 // atoms of units and openings
	thin    []int32 // numbers of lines not worth a mark
	subs    []int32 // sub-words of atoms
	chain   []link  // files of atoms
	lines   map[string]span
	tools   map[string]tool.Tool

	scratch  []int32 // atoms of the line under way
	scans    int32   // lines looked at
	scanned  []int32 // per atom: the line that had it last
	distinct []int32 // atoms of the entry under way
	asked    []int32 // atoms of the last message typed that is not huge
	stamp    []int32 // per atom: the entry that counted it last
}

// NewIndex makes an empty index.
func NewIndex() *Index {
	return &Index{
		byName: map[string]int32{}, byWord: map[string]int32{}, byFile: map[string]int32{},
		lines: map[string]span{}, tools: map[string]tool.Tool{}, step: -1,
	}
}

// span is a stretch of a pool.
type span struct{ from, to int32 }

func (s span) none() bool { return s.from == s.to }

// role is what an entry is to a choice.
type role uint8

const (
	roleTyped     role = iota // a message a person wrote
	roleSynthetic             // a user message nobody typed
	roleAssistant
	roleCall
	roleResult
)

// entry is a visible entry.
type entry struct {
	seq     int64
	group   int32
	request int32
	role    role
	reads   int32 // the file of which a result is a read, or -1
	tokens  int32
	bytes   int32
	lines   int32 // lines of its text that are not blank
	last    int32 // number of its last line
	files   []int32
	edits   []int32 // of the files, those that the call changes
	units   span
	thin    span // lines not worth a mark
	opening span // atoms of a call's short arguments
}

// group is a call with its result, or one message.
type group struct {
	entry, result int32 // indices of entries; result is -1 where there is none
	opening       int32 // what opening it costs, in sixteenths of a token
}

// unit is a line with at least one atom, or a piece of one; or a long line
// without any, which no neighbour brings along.
type unit struct {
	line     int32 // of the entry's text, from 1
	from, to int32 // the piece in bytes; 0, 0 for all of it
	bytes    int32
	atoms    span
}

type atomInfo struct {
	entries int32 // with it
	lines   int32 // with it
	request int32 // of the last entry with it
	used    int32 // request whose tool inputs have it last; -1 for none
	uses    int32 // requests whose tool inputs have it
	told    int32 // tool inputs and messages with it
	said    int32 // request that had it last in inputs, text or reasoning; -1
	density int32 // distinct atoms of its last result, or the fewest before one
	recent  [3]int32
	files   int32 // head of its chain of files; -1 for none
	outside bool  // in something else than a result
	words   span
}

type wordInfo struct {
	atoms int32 // that have it
	said  int32
}

type fileInfo struct {
	touched int32 // request that touched it last
	edited  int64 // seq of the last edit; 0 for none
}

type link struct{ file, next int32 }

// maxAsked is the most tokens a message may have whose every word counts as
// asked for: a larger one is a paste.
const maxAsked = 4000

// maxChain bounds how many files are remembered of an atom: one that is in
// more is in all of them.
const maxChain = 32

// Advance reads what the projection's log holds and the index does not, in
// time proportional to that. The projection must be of the log and the reader
// that the index was begun with.
func (ix *Index) Advance(p *tenfold.Projection) {
	l := p.Log()
	for e := range l.After(ix.done) {
		ix.done = e.Seq
		if !p.Reads(e.Seq) {
			continue
		}
		switch payload := e.Payload.(type) {
		case tenfold.UserMessage:
			kind := roleTyped
			if !payload.IsRequest() {
				kind = roleSynthetic
			}
			ix.message(e, kind)
		case tenfold.AssistantMessage:
			ix.respond(l, e)
			ix.message(e, roleAssistant)
		case tenfold.Reasoning:
			ix.respond(l, e)
			ix.mention(payload.Text)
		case tenfold.ToolCall:
			ix.respond(l, e)
			ix.call(e, payload)
		case tenfold.ToolResult:
			ix.result(e, payload, l.Pair(e.Seq))
		}
	}
}

// Version is the version of the log that the index has read.
func (ix *Index) Version() int64 { return ix.done }

// respond counts responses: each step of a turn is one request to the model.
func (ix *Index) respond(l *tenfold.Log, e tenfold.Entry) {
	turn, step, _ := l.Where(e.Seq)
	if turn != ix.turn || step != ix.step {
		ix.turn, ix.step = turn, step
		ix.requests++
	}
}

// now is the request under way: what a user says belongs to the one it leads
// to, but there may be none yet.
func (ix *Index) now() int32 { return max(ix.requests-1, 0) }

// open begins an entry; its group is the one it makes itself.
func (ix *Index) open(e tenfold.Entry, kind role) *entry {
	ix.groups = append(ix.groups, group{entry: int32(len(ix.entries)), result: -1})
	return ix.add(e, kind, int32(len(ix.groups)-1))
}

func (ix *Index) add(e tenfold.Entry, kind role, group int32) *entry {
	at, thin := int32(len(ix.units)), int32(len(ix.thin))
	ix.entries = append(ix.entries, entry{
		seq: e.Seq, group: group, request: ix.now(), role: kind, reads: -1, tokens: int32(e.Tokens), units: span{at, at}, thin: span{thin, thin},
	})
	return &ix.entries[len(ix.entries)-1]
}

func (ix *Index) message(e tenfold.Entry, kind role) {
	at := ix.open(e, kind)
	text := tenfold.TextLines(e.Payload)
	ix.read(at, text, 1)
	ix.finish(at)
	ix.groups[at.group].opening = token // the mark of what is cut
}

// openingRest is what the rest of an opened call costs beside its name and
// arguments, in sixteenths of a token: the marks of what is cut, the line that
// says what was folded before it.
const openingRest = 10 * token

func (ix *Index) call(e tenfold.Entry, c tenfold.ToolCall) {
	t, known := ix.tools[c.Name]
	if !known {
		t, _ = tool.Lookup(c.Name)
		ix.tools[c.Name] = t
	}
	at := ix.open(e, roleCall)
	g := &ix.groups[at.group]
	for _, op := range t.Operations(c.Arguments) {
		f := ix.file(op.Path)
		ix.files[f].touched = at.request
		if op.Op != tool.FileRead {
			at.edits = append(at.edits, f)
		} else if at.reads < 0 {
			at.reads = f
		}
		at.files = append(at.files, f)
		if t.Kind == tool.Shell {
			break // the first file of a command
		}
	}
	texts := tenfold.ArgumentTexts(c.Arguments)
	for _, t := range texts {
		if !t.Body {
			for line := range lines(t.Text) {
				ix.scan(line)
				ix.occur(at, ix.scratch)
			}
		}
	}
	at.opening = ix.keep(ix.distinct)
	line, size := int32(1), 0
	for _, t := range texts {
		if t.Body {
			line = ix.read(at, t.Text, line)
			size += len(t.Text)
		}
	}
	at.bytes = int32(len(c.Arguments))
	g.opening = openingRest + int32(int64(max(len(c.Arguments)-size, 0)+len(c.Name))*int64(at.tokens)*token/int64(max(len(c.Arguments)+len(c.Name), 1)))
	ix.finish(at)
}

func (ix *Index) result(e tenfold.Entry, r tenfold.ToolResult, call int64) {
	i, ok := ix.find(call)
	if !ok {
		return // of a call this reader does not see
	}
	of := &ix.entries[i]
	at := ix.add(e, roleResult, of.group)
	of = &ix.entries[i]
	at.files, at.reads = of.files, of.reads
	ix.groups[at.group].result = int32(len(ix.entries) - 1)
	ix.read(at, tenfold.TextLines(r), 1)
	ix.finish(at)
	for _, f := range at.files {
		ix.files[f].touched = at.request
	}
	if r.Ended().Bad() {
		return // it changed nothing
	}
	for _, f := range of.edits {
		ix.files[f].edited = e.Seq
	}
}

// find gives the entry of a seq.
func (ix *Index) find(seq int64) (int32, bool) {
	i, found := slices.BinarySearchFunc(ix.entries, seq, func(e entry, seq int64) int { return cmp.Compare(e.seq, seq) })
	return int32(i), found
}

// sizeOf is how many bytes a line of an entry has, and its unit; of a line
// without atoms the average, and no unit.
func (ix *Index) sizeOf(e *entry, line int32) (int64, *unit) {
	units := ix.units[e.units.from:e.units.to]
	i, found := slices.BinarySearchFunc(units, line, func(u unit, line int32) int { return cmp.Compare(u.line, line) })
	if !found {
		return int64(e.bytes) / int64(max(e.lines, 1)), nil
	}
	return int64(units[i].bytes), &units[i]
}

func (ix *Index) file(path string) int32 {
	path = tool.CleanPath(path)
	if f, ok := ix.byFile[path]; ok {
		return f
	}
	f := int32(len(ix.files))
	ix.files = append(ix.files, fileInfo{touched: -1})
	ix.byFile[path] = f
	return f
}
