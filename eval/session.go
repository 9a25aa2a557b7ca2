package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold"
)

// A Session is a conversation made ready to be cut: its entries as lines, the
// lines as atoms, each text held once. It is for one goroutine at a time.
type Session struct {
	log *tenfold.Log
	// entries are what a reader of the root sees, in log order.
	entries  []entry
	requests int

	lines  []line
	lineOf map[string]int32
	atoms  []string
	atomOf map[string]int32
	words  map[int32]wordSet
	costs  map[int32]int
}

// entry is an entry of the session.
type entry struct {
	seq  int64 // in the session's log
	kind tenfold.Kind
	// request is the one that it belongs to, from 0; what precedes the first
	// has -1. A user message belongs to the request before it.
	request int
	text    string
	lines   []int32
	// atoms are those of its lines, each once.
	atoms []int32
	// old are the texts that a call replaces.
	old []string
}

// line is a line as it is matched.
type line struct {
	text string
	// atoms are those it holds, each once, in their order.
	atoms []int32
	// chars is how long it is, atomChars how much of that is atoms.
	chars, atomChars int
}

// Open makes a conversation ready, up to the first summary that its own tool
// made: what an agent did after one tells what the summary kept. The log is
// read, not kept, and not changed.
func Open(l *tenfold.Log) *Session {
	s := &Session{
		log:    tenfold.NewLog(tenfold.WithCounter(l.Counter())),
		lineOf: map[string]int32{}, atomOf: map[string]int32{},
		words: map[int32]wordSet{}, costs: map[int32]int{},
	}
	for e := range l.Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok && replaces(c) {
			break
		}
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok {
			d.System, d.Tools = nil, nil // left out of all sizes
			e.Payload = d
		}
		if e.Branch == "" && measured(e.Payload.Kind()) {
			_, _ = s.log.Append(e) // there is a payload, or l would not hold it
		}
	}
	shown := map[int64]tenfold.Payload{}
	for it := range tenfold.Project(s.log).Items() {
		if it.Seq > 0 {
			shown[it.Seq] = it.Payload
		}
	}
	for e := range s.log.Entries() {
		if p, ok := shown[e.Seq]; ok {
			s.add(e.Seq, p)
		}
	}
	s.number()
	return s
}

// replaces reports whether a tool's compaction replaced the conversation. What
// hides all of it without a summary or a reason is one whose summary is
// encrypted, or a message of its own.
func replaces(c tenfold.Compaction) bool {
	return c.Summary != nil || c.Turns == tenfold.Omit && c.FromTurn == 0 && c.Reason == ""
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

func (s *Session) add(seq int64, p tenfold.Payload) {
	e := entry{seq: seq, kind: p.Kind(), text: textOf(p)}
	e.lines = s.linesOf(e.text)
	for _, l := range e.lines {
		e.atoms = append(e.atoms, s.lines[l].atoms...)
	}
	slices.Sort(e.atoms)
	e.atoms = slices.Compact(e.atoms)
	if call, ok := p.(tenfold.ToolCall); ok {
		e.old = replaced(call)
	}
	s.entries = append(s.entries, e)
}

// number tells which request each entry belongs to: what a model says and calls
// in one step, and the results of the calls, however late.
func (s *Session) number() {
	of := map[[2]int]int{}
	now := -1
	for i := range s.entries {
		e := &s.entries[i]
		turn, n, _ := s.log.Where(e.seq)
		switch e.kind {
		case tenfold.KindAssistantMessage, tenfold.KindReasoning, tenfold.KindToolCall:
			if _, ok := of[[2]int{turn, n}]; !ok {
				of[[2]int{turn, n}] = s.requests
				s.requests++
			}
			now = of[[2]int{turn, n}]
		}
		e.request = now
		if request, ok := of[[2]int{turn, n}]; ok && e.kind == tenfold.KindToolResult {
			e.request = request
		}
	}
}

// Requests is how many requests the session has.
func (s *Session) Requests() int { return s.requests }

// Tokens is what the conversation costs a model that sees all of it, system
// prompt and tool definitions aside.
func (s *Session) Tokens() int { return s.log.Tokens() }

// linesOf gives the numbers of a text's lines.
func (s *Session) linesOf(text string) []int32 {
	ids := make([]int32, 0, strings.Count(text, "\n")+1)
	for one := range strings.SplitSeq(text, "\n") {
		ids = append(ids, s.intern(one))
	}
	return ids
}

// intern numbers a line.
func (s *Session) intern(text string) int32 {
	if id, ok := s.lineOf[text]; ok {
		return id
	}
	text = strings.Clone(text)
	l := line{text: text, chars: utf8.RuneCountInString(strings.TrimSpace(text))}
	had := map[int32]bool{}
	eachAtom(text, func(atom string) {
		if id := s.atom(atom); !had[id] {
			had[id] = true
			l.atoms = append(l.atoms, id)
			l.atomChars += utf8.RuneCountInString(atom)
		}
	})
	id := int32(len(s.lines))
	s.lines = append(s.lines, l)
	s.lineOf[text] = id
	return id
}

func (s *Session) atom(text string) int32 {
	id, ok := s.atomOf[text]
	if !ok {
		id = int32(len(s.atoms))
		s.atoms = append(s.atoms, text)
		s.atomOf[text] = id
	}
	return id
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
