package eval

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/atom"
)

// A Session is a conversation made ready to be cut: its entries as lines, the
// lines as atoms, each text held once. It is for one goroutine at a time.
type Session struct {
	log *tenfold.Log
	// entries are what a reader of the root sees, in log order.
	entries []entry
	steps   []step
	// requests are the steps that are requests, by their index in steps.
	requests []int

	lines  []line
	lineOf map[string]int32
	atoms  []string
	atomOf map[string]int32
	words  map[int32]wordSet
	costs  map[int32]int
}

// entry is an entry of the session.
type entry struct {
	seq    int64 // in the session's log
	kind   tenfold.Kind
	tokens int
	lines  []int32
	// uses are the atoms of a call's input, each once.
	uses []int32
}

// step is a step of the root, with its entries by their index.
type step struct {
	turn, step int
	entries    []int32
	responds   bool
}

// line is a line as it is matched.
type line struct {
	text string
	// atoms are those it holds, each once, in their order.
	atoms []int32
	// chars is how long it is, atomChars how much of that is atoms.
	chars, atomChars int
}

// Open makes a conversation ready. The log is read, not kept, and not changed.
func Open(l *tenfold.Log) *Session {
	s := &Session{
		log:    tenfold.NewLog(tenfold.WithCounter(l.Counter())),
		lineOf: map[string]int32{}, atomOf: map[string]int32{},
		words: map[int32]wordSet{}, costs: map[int32]int{},
	}
	for e := range l.Entries() {
		if e.Branch == "" && measured(e.Payload.Kind()) {
			_, _ = s.log.Append(e) // there is a payload, or l would not hold it
		}
	}
	for it := range tenfold.Project(s.log).Items() {
		if it.Seq > 0 {
			s.add(it)
		}
	}
	slices.SortFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.seq, b.seq) })
	s.place()
	return s
}

// measured reports whether entries of a kind matter: what a model sees, and what
// gives it its place. Compactions do not.
func measured(k tenfold.Kind) bool {
	switch k {
	case tenfold.KindTurnStart, tenfold.KindConfigDelta, tenfold.KindPin, tenfold.KindUnpin:
		return true
	}
	return k.Visible()
}

func (s *Session) add(it tenfold.Item) {
	e := entry{seq: it.Seq, kind: it.Payload.Kind(), tokens: it.Tokens, lines: s.render(it.Payload, nil)}
	if call, ok := it.Payload.(tenfold.ToolCall); ok {
		e.uses = s.uses(call)
	}
	s.entries = append(s.entries, e)
}

// place puts the entries into their steps.
func (s *Session) place() {
	at := map[[2]int]int{}
	for i, e := range s.entries {
		turn, n, _ := s.log.Where(e.seq)
		j, ok := at[[2]int{turn, n}]
		if !ok {
			j = len(s.steps)
			at[[2]int{turn, n}] = j
			s.steps = append(s.steps, step{turn: turn, step: n})
		}
		st := &s.steps[j]
		st.entries = append(st.entries, int32(i))
		switch e.kind {
		case tenfold.KindAssistantMessage, tenfold.KindReasoning, tenfold.KindToolCall:
			st.responds = true
		}
	}
	slices.SortFunc(s.steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.step, b.step))
	})
	for i, st := range s.steps {
		if st.responds {
			s.requests = append(s.requests, i)
		}
	}
}

// Requests is how many requests the session has.
func (s *Session) Requests() int { return len(s.requests) }

// Tokens is what the conversation costs a model that sees all of it, system
// prompt and tool definitions aside.
func (s *Session) Tokens() int { return s.log.Tokens() }

// render gives the numbers of a payload's lines.
func (s *Session) render(p tenfold.Payload, into []int32) []int32 {
	render(p, func(text string) { into = append(into, s.intern(text)) })
	return into
}

// intern numbers a line.
func (s *Session) intern(text string) int32 {
	if id, ok := s.lineOf[text]; ok {
		return id
	}
	l := line{chars: utf8.RuneCountInString(text)}
	had := map[int32]bool{}
	end := 0
	for _, at := range atom.Scan(text) {
		if id := s.atom(at.Of(text)); !had[id] {
			had[id] = true
			l.atoms = append(l.atoms, id)
		}
		l.atomChars += at.End - max(at.Start, min(end, at.End)) // atoms are ASCII
		end = max(end, at.End)
	}
	l.text = text
	id := int32(len(s.lines))
	s.lines = append(s.lines, l)
	s.lineOf[text] = id
	return id
}

func (s *Session) atom(text string) int32 {
	id, ok := s.atomOf[text]
	if !ok {
		id = int32(len(s.atoms))
		text = strings.Clone(text)
		s.atoms = append(s.atoms, text)
		s.atomOf[text] = id
	}
	return id
}

// uses gives the atoms in a call's input.
func (s *Session) uses(c tenfold.ToolCall) []int32 {
	var found []int32
	eachText(c.Arguments, func(_ jsontext.Pointer, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			for _, at := range atom.Scan(line) {
				found = append(found, s.atom(at.Of(line)))
			}
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// wordsOf gives the words of a line.
func (s *Session) wordsOf(id int32) wordSet {
	w, ok := s.words[id]
	if !ok {
		w = wordsOf(s.lines[id].text)
		s.words[id] = w
	}
	return w
}

// cost is what a line costs, its end included.
func (s *Session) cost(id int32) int {
	n, ok := s.costs[id]
	if !ok {
		n = s.log.Counter().Count(s.lines[id].text + "\n")
		s.costs[id] = n
	}
	return n
}
