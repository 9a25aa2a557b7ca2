package tenfold

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// A Log is a conversation: entries in the order they were appended, none ever
// edited or taken away (semantics L1, L2). It keeps the structure that
// everything else asks about — turns, steps, which result answers which call —
// as entries arrive, so that appending costs the same however long the
// conversation is.
//
// A Log is for one goroutine at a time. The zero Log is not ready: use
// [NewLog].
type Log struct {
	counter Counter
	nodes   chunks[node]
	records chunks[record]
	n       int32
	ids     idIndex
	base    *Log  // holds the ids of what a fork shares …
	shared  int32 // … up to this seq

	branches names
	tools    names
	lastMsg  string

	// open holds the newest call that waits for its result, by branch and
	// call id; older ones of the same id hang off its node's pair, negated.
	open map[openCall]int32

	steppers []stepper // by branch
	marks    []int32   // seqs of what changes how entries are seen, in order
	turns    []turnStart
	steps    []int32 // first seq of each root step, in order
	opened   bool
}

// node is an entry's place in the structure: what a pass over the log looks
// at, apart from what the entry says.
type node struct {
	tokens int32
	turn   int32
	step   int32
	pair   int32 // call ↔ result; in an open call, the negated older one
	tool   int32 // name of the called tool, on calls and paired results
	branch int32
	kind   kindCode
	flags  uint8
}

// record is what an entry says.
type record struct {
	payload Payload
	id      string
	source  string
	message string
	time    int64 // Unix nanoseconds; noTime when there is none
}

type kindCode uint8

const (
	codeOther kindCode = iota
	codeTurnStart
	codeUser
	codeAssistant
	codeReasoning
	codeCall
	codeResult
	codeItem
	codeConfig
	codeCompaction
	codeRevoked
	codePin
	codeUnpin
)

const (
	flagError  uint8 = 1 << iota // a result that reports an error
	flagEmpty                    // nothing a model could see
	flagOpaque                   // reasoning its provider wants back
	flagFiles                    // a user message with files or attachments
	flagBare                     // a call without arguments to speak of
	flagVoid                     // never shown: empty, or a result of no call (P10)
)

const noTime = math.MinInt64

type openCall struct {
	branch int32
	id     string
}

type turnStart struct {
	seq  int32 // first entry
	step int32 // index of its first step in Log.steps
}

// A LogOption sets up a log.
type LogOption func(*Log)

// WithCounter makes the log count tokens with c. Without it a log counts with
// [Chars4].
func WithCounter(c Counter) LogOption {
	return func(l *Log) {
		if c != nil {
			l.counter = c
		}
	}
}

// NewLog makes an empty log.
func NewLog(options ...LogOption) *Log {
	l := &Log{counter: Chars4{}, open: map[openCall]int32{}}
	for _, o := range options {
		o(l)
	}
	l.branches.of("") // the root has number 0
	l.steppers = append(l.steppers, stepper{})
	return l
}

// ErrNoPayload says that an entry has no payload to append.
var ErrNoPayload = errors.New("entry has no payload")

// Append adds entries at the end and numbers them, whatever their Seq said.
// An entry whose id the log holds already is left out (L9); an entry without
// an id gets one from its number. Entries that a model sees and that come
// without a token count are counted (T2). It returns how many entries were
// added; an error adds none.
func (l *Log) Append(entries ...Entry) (int, error) {
	for i := range entries {
		if entries[i].Payload == nil {
			return 0, fmt.Errorf("append entry %q: %w", entries[i].ID, ErrNoPayload)
		}
	}
	if int(l.n)+len(entries) > math.MaxInt32-1 {
		return 0, errors.New("a log holds at most 2,147,483,646 entries: start a new conversation")
	}
	added := 0
	for i := range entries {
		if l.add(&entries[i]) {
			added++
		}
	}
	return added, nil
}

func (l *Log) add(e *Entry) bool {
	seq := l.n + 1
	id := e.ID
	if id == "" {
		id = l.freshID(seq)
	}
	if (l.base != nil && l.has(id)) || !l.ids.insert(&l.records, id, seq) {
		return false
	}
	*l.records.push(seq) = record{
		payload: e.Payload, id: id, source: e.Source, message: l.intern(e.MessageID), time: unixNano(e.Time),
	}
	n := l.nodes.push(seq)
	*n = node{tokens: int32(min(max(e.Tokens, 0), math.MaxInt32)), branch: l.branches.of(e.Branch)}
	l.n = seq
	l.classify(n, e.Payload)
	if n.visible() && n.tokens == 0 && !n.is(flagEmpty) {
		n.tokens = int32(min(CountPayload(l.counter, e.Payload), math.MaxInt32))
	}
	l.place(seq, n, e)
	l.steppers[n.branch].tally(seq, n)
	if n.kind >= codeConfig {
		l.marks = append(l.marks, seq)
	}
	return true
}

// freshID makes an id for an entry that came without one.
func (l *Log) freshID(seq int32) string {
	id := fmt.Sprintf("e%d", seq)
	for l.has(id) {
		id += "'"
	}
	return id
}

// intern shares the text of a message id between the blocks of one message.
func (l *Log) intern(id string) string {
	if id != l.lastMsg {
		l.lastMsg = id
	}
	return l.lastMsg
}

// classify sets the node's kind and flags.
func (l *Log) classify(n *node, payload Payload) {
	switch p := payload.(type) {
	case TurnStart:
		n.kind = codeTurnStart
	case UserMessage:
		n.kind = codeUser
		empty := true
		for _, part := range p.Parts {
			if part.File != nil {
				n.flags |= flagFiles
				empty = false
			} else if !isBlank(part.Text) {
				empty = false
			}
		}
		if len(p.Attachments) > 0 {
			n.flags |= flagFiles
			empty = false
		}
		n.setFlag(flagEmpty, empty)
	case AssistantMessage:
		n.kind = codeAssistant
		n.setFlag(flagEmpty, isBlank(p.Text))
	case Reasoning:
		n.kind = codeReasoning
		n.setFlag(flagOpaque, p.opaque())
		n.setFlag(flagEmpty, !p.opaque() && isBlank(p.Text))
	case ToolCall:
		n.kind = codeCall
		n.tool = l.tools.of(p.Name)
		n.setFlag(flagBare, p.Arguments == "" || p.Arguments == noArguments)
	case ToolResult:
		n.kind = codeResult
		n.setFlag(flagError, p.IsError)
	case ProviderItem:
		n.kind = codeItem
		n.setFlag(flagEmpty, p.Data == "")
	case ConfigDelta:
		n.kind = codeConfig
	case Compaction:
		n.kind = codeCompaction
	case CompactionRevoked:
		n.kind = codeRevoked
	case Pin:
		n.kind = codePin
	case Unpin:
		n.kind = codeUnpin
	}
}

func (n *node) visible() bool { return n.kind >= codeUser && n.kind <= codeItem }

func (n *node) is(flag uint8) bool { return n.flags&flag != 0 }

func (n *node) setFlag(flag uint8, on bool) {
	if on {
		n.flags |= flag
	}
}

func (l *Log) node(seq int32) *node {
	return l.nodes.at(seq)
}

func (l *Log) payload(seq int32) Payload { return l.records.at(seq).payload }

// Version is the seq of the last entry; 0 for an empty log (L8).
func (l *Log) Version() int64 { return int64(l.n) }

// Tokens is what all entries together cost, over all branches.
func (l *Log) Tokens() int {
	sum := 0
	for i := range l.steppers {
		sum += l.steppers[i].all.Before
	}
	return sum
}

// Counter is what the log counts with.
func (l *Log) Counter() Counter { return l.counter }

// Entry gives the entry with the given seq.
func (l *Log) Entry(seq int64) (Entry, bool) {
	if seq < 1 || seq > int64(l.n) {
		return Entry{}, false
	}
	return l.entry(int32(seq)), true
}

// Lookup gives the entry with the given id.
func (l *Log) Lookup(id string) (Entry, bool) {
	seq := l.find(id)
	if seq == 0 {
		return Entry{}, false
	}
	return l.entry(seq), true
}

// find gives the seq of an id; 0 when the log does not hold it.
func (l *Log) find(id string) int32 {
	if seq := l.ids.find(&l.records, id); seq > 0 || l.base == nil {
		return seq
	}
	if seq := l.base.find(id); seq <= l.shared {
		return seq
	}
	return 0
}

func (l *Log) has(id string) bool { return l.find(id) != 0 }

// Entries gives all entries in order.
func (l *Log) Entries() iter.Seq[Entry] { return l.After(0) }

// After gives the entries whose seq is greater than seq, in order.
func (l *Log) After(seq int64) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := max(seq, 0) + 1; i <= int64(l.n); i++ {
			if !yield(l.entry(int32(i))) {
				return
			}
		}
	}
}

func (l *Log) entry(seq int32) Entry {
	n, r := l.node(seq), l.records.at(seq)
	e := Entry{
		Seq: int64(seq), ID: r.id, Branch: l.branches.list[n.branch], MessageID: r.message,
		Tokens: int(n.tokens), Source: r.source, Payload: r.payload,
	}
	if r.time != noTime {
		e.Time = time.Unix(0, r.time).UTC()
	}
	return e
}

// unixNano keeps times that fit 64 bits of nanoseconds (1678 to 2262).
func unixNano(t time.Time) int64 {
	if t.IsZero() || t.Year() < 1678 || t.Year() > 2261 {
		return noTime
	}
	return t.UnixNano()
}

// names numbers strings in the order they come.
type names struct {
	list []string
	ids  map[string]int32
}

func (s *names) of(name string) int32 {
	if id, ok := s.ids[name]; ok {
		return id
	}
	if s.ids == nil {
		s.ids = map[string]int32{}
	}
	id := int32(len(s.list))
	s.list = append(s.list, name)
	s.ids[name] = id
	return id
}

func isBlank(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
		default:
			return false
		}
	}
	return true
}
