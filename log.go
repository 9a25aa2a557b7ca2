package tenfold

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
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
	foreign bool // payloads of other packages are taken as they are
	nodes   chunks[node]
	records chunks[record]
	ids     packed
	sources sparse[string]
	blocks  chunks[block]
	n       int32
	index   idIndex
	base    *beneath // finds the ids of what a fork shares

	branches numbers[string]
	tools    numbers[string]
	endings  numbers[ending]
	stubs    []stub // by ending
	messages packed // message ids; those of blocks in a row stand once
	message  string // the newest of them …
	number   int32  // … and its number

	open     openCalls
	steppers []stepper // by branch
	marks    []int32   // seqs of what changes how entries are seen, in order
	contexts []standing
	opaque   []int32         // what its provider signed and wants back, in order …
	late     []int32         // … and results that came after such of a later step
	subjects numbers[string] // of contexts
	turns    list[turnStart]
	steps    list[int32] // first seq of each root step, in order
	tokens   int         // of all entries
	opened   bool
	trail    trail
}

// node is an entry's place in the structure: what a pass over the log looks
// at, apart from what the entry says.
type node struct {
	tokens int32
	turn   int32
	step   int32
	pair   int32 // call ↔ result; in an open call, the negated next one
	tool   int32 // name of the called tool, on calls and paired results
	branch int32
	// message numbers the message id; 0 for none.
	message int32
	kind    kindCode
	flags   uint8
	size    uint16 // of a call's arguments or a result's content; hugeSize for more
}

// hugeSize is a size that a node has no room for.
const hugeSize = math.MaxUint16

// record is what an entry says. Its id and its source stand apart.
type record struct {
	payload Payload
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
	flagError   uint8 = 1 << iota // a result that reports an error
	flagEmpty                     // nothing a model could see
	flagOpaque                    // reasoning or words signed by the provider, which wants them back
	flagFiles                     // a user message with files or attachments
	flagBare                      // a call without arguments to speak of
	flagVoid                      // never shown: empty, or a result of no call (P10)
	flagContext                   // a standing instruction of the host (L11)
)

const noTime = math.MinInt64

type turnStart struct {
	seq  int32 // first entry
	step int32 // index of its first step in Log.steps
}

// A LogOption sets up a log.
type LogOption func(*Log)

// WithForeignPayloads makes a log that takes payloads of types of other packages
// as they are: for a store that keeps payloads in a form of its own.
func WithForeignPayloads() LogOption { return func(l *Log) { l.foreign = true } }

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
	l := &Log{counter: Chars4{}}
	for _, o := range options {
		o(l)
	}
	l.branches.of("") // the root has number 0
	l.steppers = append(l.steppers, stepper{})
	return l
}

// At gives a log as it was at a version, to which other entries can be appended.
func (l *Log) At(version int64) *Log {
	then := NewLog(WithCounter(l.counter))
	then.foreign = l.foreign
	for e := range l.Entries() {
		if e.Seq > version {
			break
		}
		then.add(&e)
	}
	return then
}

// Append adds entries at the end and numbers them, whatever their Seq said.
// An entry whose id the log holds already is left out (L9); an entry without
// an id gets one from its number. Entries that a model sees and that come
// without a token count are counted (T2). A pointer to a payload stands for what
// it points to; a nil one is ErrNoPayload, a payload of another package's type
// ErrPayloadType. It returns how many entries were added; an error adds none.
func (l *Log) Append(entries ...Entry) (int, error) {
	entries, err := l.check(entries)
	if err != nil {
		return 0, err
	}
	return l.addAll(entries), nil
}

func (l *Log) addAll(entries []Entry) (added int) {
	for i := range entries {
		if l.add(&entries[i]) {
			added++
		}
	}
	return added
}

// check gives entries as the log takes them, pointers followed, or why it does not.
func (l *Log) check(entries []Entry) (_ []Entry, err error) {
	if !l.foreign {
		entries, err = values(entries)
	}
	if err == nil && int(l.n)+len(entries) > math.MaxInt32-1 {
		err = errors.New("a log holds at most 2,147,483,646 entries: start a new conversation")
	}
	overlays := len(l.marks)
	for i := range entries {
		if _, is := entries[i].Payload.(Compaction); is {
			overlays++
		}
	}
	if err == nil && overlays > maxOverlays {
		err = fmt.Errorf("a log holds at most %d compactions: start a new conversation", maxOverlays)
	}
	return entries, err
}

func (l *Log) add(e *Entry) bool {
	seq := l.n + 1
	id := e.ID
	if id == "" {
		id = l.freshID(seq)
	}
	if (l.base != nil && l.has(id)) || !l.index.insert(&l.ids, id, seq) {
		return false
	}
	l.ids.push(id)
	*l.records.push(seq) = record{payload: e.Payload, time: unixNano(e.Time)}
	if e.Source != "" {
		l.sources.set(seq, e.Source)
	}
	n := l.nodes.push(seq)
	*n = node{tokens: boundTokens(e.Tokens, e.Payload), branch: l.branches.of(e.Branch), message: l.intern(e.MessageID)}
	l.n = seq
	l.classify(n, e.Payload)
	_, unknown := e.Payload.(Unknown)
	switch {
	case !n.visible() && !unknown: // an unknown kind is kept verbatim (L4)
		n.tokens = 0
	case n.visible() && n.tokens == 0: // what is blank counts as well: it was said (T2)
		n.tokens = boundTokens(CountPayload(l.counter, e.Payload), e.Payload)
	}
	l.place(seq, n, e)
	l.tally(seq, n)
	l.sumUp(seq, n)
	if n.kind >= codeConfig {
		l.marks = append(l.marks, seq)
	}
	l.noteLate(seq, n)
	if n.is(flagOpaque) {
		l.opaque = append(l.opaque, seq)
	}
	if n.is(flagContext) {
		l.addContext(seq, n, payloadOf[UserMessage](l, seq))
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

// intern numbers a message id, the same for the blocks of one message.
func (l *Log) intern(id string) int32 {
	if id == "" {
		return 0
	}
	if id != l.message {
		l.messages.push(id)
		l.message = id
		l.number++
	}
	return l.number
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
		n.setFlag(flagContext, p.Purpose == Context && !empty)
	case AssistantMessage:
		n.kind = codeAssistant
		n.setFlag(flagOpaque, p.Signature != "")
		n.setFlag(flagEmpty, isBlank(p.Text))
	case Reasoning:
		n.kind = codeReasoning
		n.setFlag(flagOpaque, p.opaque())
		n.setFlag(flagEmpty, !p.opaque() && isBlank(p.Text))
	case ToolCall:
		n.kind = codeCall
		n.tool = l.tools.of(p.Name)
		n.setFlag(flagBare, p.Arguments == "" || p.Arguments == noArguments)
		n.size = uint16(min(sizeOf(p), hugeSize))
	case ToolResult:
		n.kind = codeResult
		n.setFlag(flagError, p.IsError)
		n.size = uint16(min(sizeOf(p), hugeSize))
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

// payloadOf is the payload of an entry whose kind the caller knows.
func payloadOf[T Payload](l *Log, seq int32) T {
	p, _ := l.payload(seq).(T)
	return p
}

// Version is the seq of the last entry; 0 for an empty log (L8).
func (l *Log) Version() int64 { return int64(l.n) }

// Tokens is what all entries together cost, over all branches.
func (l *Log) Tokens() int { return l.tokens }

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
	seq, last := l.index.find(&l.ids, id), l.n
	for b := l.base; seq == 0 && b != nil; b = b.base {
		seq, last = b.index.find(&b.ids, id), min(last, b.last)
	}
	if seq > last {
		return 0
	}
	return seq
}

func (l *Log) has(id string) bool { return l.find(id) != 0 }

// Entries gives all entries in order.
func (l *Log) Entries() iter.Seq[Entry] { return l.After(0) }

// After gives the entries whose seq is greater than seq, in order.
func (l *Log) After(seq int64) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := max(seq, 0); i < int64(l.n); i++ {
			if !yield(l.entry(int32(i + 1))) {
				return
			}
		}
	}
}

func (l *Log) entry(seq int32) Entry {
	n, r := l.node(seq), l.records.at(seq)
	e := Entry{
		Seq: int64(seq), ID: l.ids.at(seq), Branch: l.branches.list[n.branch], MessageID: l.messageID(n),
		Tokens: int(n.tokens), Source: l.sources.get(seq), Payload: r.payload,
	}
	if r.time != noTime {
		e.Time = time.Unix(0, r.time).UTC()
	}
	return e
}

// messageID is the provider's id of the message an entry came in.
func (l *Log) messageID(n *node) string {
	if n.message == 0 {
		return ""
	}
	return l.messages.at(n.message)
}

// unixNano keeps times that fit 64 bits of nanoseconds, from 1677 to 2262.
func unixNano(t time.Time) int64 {
	const seconds = math.MaxInt64 / int64(time.Second)
	if sec := t.Unix(); sec < -seconds || sec >= seconds {
		return noTime
	}
	return t.UnixNano()
}

// numbers gives things numbers in the order they come.
type numbers[K comparable] struct {
	list []K
	ids  map[K]int32 // made when it is needed, where there is a list but no base
	base *numbers[K] // of those that a fork shares
	from int32       // how many these are
}

func (s *numbers[K]) of(one K) int32 {
	if len(s.list) > 0 && s.list[0] == one { // as nearly all branches are the root
		return 0
	}
	id, ok := s.find(one)
	if !ok {
		if s.ids == nil {
			s.ids = map[K]int32{}
		}
		id = int32(len(s.list))
		s.list = append(s.list, one)
		s.ids[one] = id
	}
	return id
}

func (s *numbers[K]) find(one K) (int32, bool) {
	if s.ids == nil && s.base == nil && len(s.list) > 0 {
		s.ids = make(map[K]int32, len(s.list))
		for id, one := range s.list {
			s.ids[one] = int32(id)
		}
	}
	if id, ok := s.ids[one]; ok || s.base == nil {
		return id, ok
	}
	id, ok := s.base.find(one)
	return id, ok && id < s.from
}

// cut takes back all but the first n.
func (s *numbers[K]) cut(n int) {
	for _, one := range s.list[n:] {
		delete(s.ids, one)
	}
	s.list = s.list[:n]
}

func (s *numbers[K]) fork() numbers[K] {
	return numbers[K]{list: slices.Clip(s.list), base: s, from: int32(len(s.list))}
}

// alone gives the same without a base, which may change.
func (s *numbers[K]) alone() numbers[K] { return numbers[K]{list: s.list} }
