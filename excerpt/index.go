package excerpt

import (
	"cmp"
	"slices"
	"strings"

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
	names  []nameInfo // of files, without their directories
	byBase map[string]int32
	lines  []line // each once
	byLine map[string]int32
	taken  map[fileLine]removal // the last change that took the line out
	// restored is the last call of a command that may have brought back what was taken out, or its result.
	restored int32
	spelt    []uint16 // words of lines
	// spellings are the words by their hash.
	spellings []spelling

	entries []entry
	groups  []group
	text    []textLine // of entries
	units   []unit
	blocks  []block
	places  []placed // of files, as they were named
	pool    []int32  // atoms of lines and openings
	subs    []int32  // sub-words of atoms
	chain   []link   // files of atoms
	tools   map[string]tool.Tool
	volume  int64 // bytes of all entries

	room room // of choices

	gone     bool    // the text under way is what an edit takes out, or a host wrote around an output
	patch    bool    // it is a patch
	scratch  []int32 // atoms of the line under way
	margins  []int32 // of the lines of the text under way
	numbers  []int32 // that a file read printed before them
	scans    int32   // lines looked at
	scanned  []int32 // per atom: the line that had it last
	distinct []int32 // atoms of the entry under way
	asked    []int32 // atoms of the last message typed that is not huge
	// lastTyped is the entry of the last message typed, -1 for none.
	lastTyped int32
	stamp     []int32 // per atom: the entry that counted it last
}

// NewIndex makes an empty index.
func NewIndex() *Index {
	return &Index{
		byName: map[string]int32{}, byWord: map[string]int32{}, byFile: map[string]int32{},
		byBase: map[string]int32{}, byLine: map[string]int32{}, taken: map[fileLine]removal{}, tools: map[string]tool.Tool{}, step: -1,
		spellings: make([]spelling, 1<<spellingBits), lastTyped: -1,
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
	last    int32  // number of its last line
	source  source // what its text is
	gives   source // what the result of a call is
	files   []int32
	edits   []int32 // of the files, those that the call changes
	text    span
	units   span
	blocks  span
	opening span  // atoms of a call's short arguments
	after   int64 // bytes of it and of all entries before
	lead    int32 // how many lines of what the model said are its beginning
	leadsOn bool  // what the model said announces what follows
	asks    bool  // a call that asks a person
	changes bool  // a call that changes files, no command, and its result
}

// group is a call with its result, or one message.
type group struct {
	entry, result int32 // indices of entries; result is -1 where there is none
	opening       int32 // what opening it costs, in sixteenths of a token
}

// unit is a line with at least one atom, or a piece of one.
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
	recent  latest
	files   int32 // head of its chain of files; -1 for none
	name    int32 // of the file that it is the path of; -1 for none
	outside bool  // in something else than a result
	words   span
}

// latest are the last entries that have an atom, the newest last; -1 for none.
type latest [recentEntries]int32

// recentEntries is on how many of its last entries an atom counts.
const recentEntries = 5

type wordInfo struct {
	atoms int32 // that have it
	said  int32
}

type fileInfo struct {
	touched   int32 // request that touched it last
	edited    int64 // seq of the last edit; 0 for none
	name      int32
	changed   int32 // the result of the last change of which the lines are known
	written   int32 // the call that wrote all of it last, from 1; 0 for none
	restored  int32 // the result of the last change of which the lines are not known
	installed bool  // a package manager put it there
}

// nameInfo is what is known of the files of one name: the same file goes by
// many paths.
type nameInfo struct {
	calls  int32
	edited int32 // the entry that changed it last, -1 for none
	said   int32 // the request that spoke of it last, from 1; 0 for none
	asked  int32 // the message of a person that has it last, counted from 1
}

// placed is a line of a file that something named.
type placed struct{ name, number, request int32 }

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
	if ix.done == 0 {
		ix.reserve(l.Version(), p.Totals().All().Before)
	}
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
			ix.result(l, e, payload)
		}
	}
}

// maxReserved is for how many tokens room is made beforehand: logs claim any number.
const maxReserved = 2 << 20

// reserve makes room for a log of so many entries and tokens, by what is usual.
func (ix *Index) reserve(entries int64, tokens int) {
	tokens = min(max(tokens, 0), maxReserved)
	ix.entries = make([]entry, 0, entries)
	ix.groups = make([]group, 0, entries)
	ix.text = make([]textLine, 0, tokens/12)
	ix.units = make([]unit, 0, tokens/20)
	ix.pool = make([]int32, 0, tokens/16)
	ix.spelt = make([]uint16, 0, tokens/3)
	ix.lines, ix.byLine = make([]line, 0, tokens/24), make(map[string]int32, tokens/24)
	ix.atoms, ix.byName = make([]atomInfo, 0, tokens/80), make(map[string]int32, tokens/80)
}

// Widen makes room for a quarter more than the index knows, so that reading as much later, as
// somebody waits, moves nothing of what is there.
func (ix *Index) Widen() {
	ix.entries, ix.groups, ix.text, ix.units, ix.blocks = roomy(ix.entries), roomy(ix.groups), roomy(ix.text), roomy(ix.units), roomy(ix.blocks)
	ix.lines, ix.atoms, ix.words, ix.chain = roomy(ix.lines), roomy(ix.atoms), roomy(ix.words), roomy(ix.chain)
	ix.pool, ix.spelt, ix.subs = roomy(ix.pool), roomy(ix.spelt), roomy(ix.subs)
	ix.scanned, ix.stamp = roomy(ix.scanned), roomy(ix.stamp)
}

// roomy gives a list with room at its end, rarely moved: by more than is asked for.
func roomy[T any](list []T) []T {
	if cap(list)-len(list) >= len(list)/4 {
		return list
	}
	return slices.Grow(list, len(list)*3/8)
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
	at, text, blocks := int32(len(ix.units)), int32(len(ix.text)), int32(len(ix.blocks))
	ix.entries = append(ix.entries, entry{
		seq: e.Seq, group: group, request: ix.now(), role: kind, reads: -1, tokens: int32(e.Tokens),
		units: span{at, at}, text: span{text, text}, blocks: span{blocks, blocks},
	})
	return &ix.entries[len(ix.entries)-1]
}

func (ix *Index) message(e tenfold.Entry, kind role) {
	at := ix.open(e, kind)
	if kind == roleTyped {
		ix.lastTyped = int32(len(ix.entries) - 1)
	}
	text := tenfold.TextLines(e.Payload)
	if kind == roleAssistant {
		at.lead, at.leadsOn = leadLength(text)
	}
	ix.read(at, text, 1)
	ix.finish(at)
	ix.groups[at.group].opening = token // the mark of what is cut
}

// openingRest is what the rest of an opened call costs beside its name and
// arguments, in sixteenths of a token: the marks of what is cut.
const openingRest = 2 * token

// longestAbout is how many bytes an argument has at most that stays whole where anything of
// the call does: what the call is about (P5).
const longestAbout = 300

func (ix *Index) call(e tenfold.Entry, c tenfold.ToolCall) {
	t, known := ix.tools[c.Name]
	if !known {
		t, _ = tool.Lookup(c.Name)
		ix.tools[c.Name] = t
	}
	at := ix.open(e, roleCall)
	at.asks = t.Kind == tool.Asks
	g := &ix.groups[at.group]
	for _, op := range t.Operations(c.Arguments) {
		f := ix.file(op.Path)
		ix.files[f].touched = at.request
		ix.names[ix.files[f].name].calls++
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
	command, _ := t.Command(c.Arguments)
	if restores(command) {
		ix.restored = int32(len(ix.entries) - 1)
	}
	if t.Kind == tool.Shell && len(at.files) == 0 {
		if path := shownBy(command); path != "" {
			at.reads = ix.file(path)
			at.files = append(at.files, at.reads)
			ix.files[at.reads].touched = at.request
			ix.names[ix.files[at.reads].name].calls++
		}
	}
	texts := tenfold.ArgumentTexts(c.Arguments)
	if len(texts) == 1 && len(texts[0].Text) <= longestAbout && tool.IsSubject(c.Name, texts[0].Name) {
		texts[0].Body = false // it stays with the call
	}
	about := len(c.Name) // what is shown of a call that is open: its name and first short argument
	for _, t := range texts {
		if t.Body {
			continue
		}
		for text := range lines(t.Text) {
			one := &ix.lines[ix.lineOf(text)]
			ix.occur(at, ix.pool[one.atoms.from:one.atoms.to])
			ix.useWords(at, one.words, true)
		}
		if about == len(c.Name) {
			about += len(t.Text)
			at.opening = ix.keep(ix.distinct)
		}
	}
	at.gives = sourceOf(t, at.reads >= 0)
	at.changes = len(at.edits) > 0 && t.Kind != tool.Shell
	if len(at.edits) > 0 {
		at.source = ownText
	}
	line := int32(1)
	gone, kind := replaced(t, c.Arguments), t.Kind
	for _, t := range texts {
		if t.Body {
			ix.gone, ix.patch = slices.Contains(gone, t.Text), kind == tool.Patches
			line = ix.read(at, t.Text, line)
		}
	}
	ix.gone, ix.patch = false, false
	at.bytes = int32(len(c.Arguments))
	g.opening = openingRest + int32(int64(about)*int64(at.tokens)*token/int64(max(len(c.Arguments)+len(c.Name), 1)))
	ix.finish(at)
}

func (ix *Index) result(l *tenfold.Log, e tenfold.Entry, r tenfold.ToolResult) {
	call := l.Pair(e.Seq)
	i, ok := ix.find(call)
	if !ok {
		return // of a call this reader does not see
	}
	of := &ix.entries[i]
	at := ix.add(e, roleResult, of.group)
	of = &ix.entries[i]
	at.files, at.reads = of.files, of.reads
	at.source, at.changes = of.gives, of.changes
	ix.groups[at.group].result = int32(len(ix.entries) - 1)
	text := tenfold.TextLines(r)
	head, tail := tool.Frame(r)
	ix.gone = true
	line := ix.read(at, text[:head], 1)
	ix.gone = false
	line = ix.read(at, text[head:len(text)-tail], line)
	ix.gone = true
	ix.read(at, text[len(text)-tail:], line)
	ix.gone = false
	ix.finish(at)
	for _, f := range at.files {
		ix.files[f].touched = at.request
	}
	if i == ix.restored { // what other calls of the step changed meanwhile may be undone, too
		ix.restored = int32(len(ix.entries) - 1)
	}
	if r.Ended().Bad() {
		return // it changed nothing
	}
	for _, f := range of.edits {
		ix.files[f].edited = e.Seq
		ix.names[ix.files[f].name].edited = i
	}
	if at.changes {
		e, _ := l.Entry(call)
		if c, ok := e.Payload.(tenfold.ToolCall); ok {
			ix.noteTaken(i, ix.tools[c.Name], c.Arguments, text)
		}
	}
}

// find gives the entry of a seq.
func (ix *Index) find(seq int64) (int32, bool) {
	i, found := slices.BinarySearchFunc(ix.entries, seq, func(e entry, seq int64) int { return cmp.Compare(e.seq, seq) })
	return int32(i), found
}

func (ix *Index) file(path string) int32 {
	path = tool.CleanPath(path)
	if f, ok := ix.byFile[path]; ok {
		return f
	}
	f := int32(len(ix.files))
	ix.files = append(ix.files, fileInfo{touched: -1, name: ix.name(path), installed: isInstalled("/" + path)})
	ix.byFile[path] = f
	return f
}

// name numbers the name of the file that a path leads to.
func (ix *Index) name(path string) int32 {
	path = path[strings.LastIndexByte(path, '/')+1:]
	if n, ok := ix.byBase[path]; ok {
		return n
	}
	n := int32(len(ix.names))
	ix.names = append(ix.names, nameInfo{edited: -1})
	ix.byBase[path] = n
	return n
}
