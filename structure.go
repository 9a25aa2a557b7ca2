package tenfold

import (
	"math"
	"slices"
	"strings"
	"time"
)

// stepper follows one branch: where a step ends (L6), and what sums up over
// the branch.
type stepper struct {
	place
	// all counts the branch's entries and their tokens, void those of them
	// that are never shown.
	all, void Count
	// open is how many calls wait for a result.
	open int
	// requests are the seqs of user messages and turn starts.
	requests []int32
	trail    int // the newest that keeps it
}

// place is where a branch stands.
type place struct {
	turn, step int32
	phase      phase
	message    string // of the response that makes the step
}

type phase uint8

const (
	phaseRequest  phase = iota // nothing of the model's yet in this step
	phaseResponse              // reasoning, text or calls came
	phaseResults               // a result of this step's calls came
)

// place finds the entry's turn and step, and pairs results with calls.
func (l *Log) place(seq int32, n *node, e *Entry) {
	if l.turns.n == 0 {
		l.turns.append(turnStart{seq: 1})
		l.steps.append(1)
	}
	root := n.branch == 0
	for int(n.branch) >= len(l.steppers) {
		l.steppers = append(l.steppers, stepper{})
	}
	l.trail.stepper(n.branch, &l.steppers[n.branch])
	if root && n.kind == codeTurnStart {
		l.openTurn(seq)
	}
	s := &l.steppers[n.branch]
	if turn := l.steppers[0].turn; s.turn != turn {
		s.place = place{turn: turn}
	}
	before := s.step
	switch n.kind {
	case codeUser:
		if s.phase != phaseRequest {
			s.next(phaseRequest, "")
		}
	case codeAssistant, codeReasoning, codeCall, codeItem:
		if item, ok := e.Payload.(ProviderItem); !ok || item.Role != "system" {
			s.respond(e.MessageID)
		}
	case codeCompaction:
		// What was taken back is no part of what is said in its place: a result answers
		// the call of its id that came last.
		if c, _ := e.Payload.(Compaction); c.Rewinds() && s.phase == phaseResponse {
			s.phase, s.message = phaseResults, ""
		}
	case codeResult:
		result, _ := e.Payload.(ToolResult)
		if call := l.closeCall(seq, n, &result); call != nil {
			n.turn, n.step = call.turn, call.step
			if call.turn == s.turn && call.step == s.step {
				s.phase = phaseResults
			}
			s.open--
			return
		}
		n.flags |= flagVoid
	}
	if root && n.visible() {
		l.opened = true
	}
	if root && s.step != before {
		l.steps.append(seq)
	}
	n.turn, n.step = s.turn, s.step
	if n.kind == codeCall {
		call, _ := e.Payload.(ToolCall)
		l.openCall(seq, n, call.CallID)
		s.open++
	}
}

// tally sums up an entry that has its place.
func (l *Log) tally(seq int32, n *node) {
	s, one := &l.steppers[n.branch], Count{Entries: 1}
	if n.visible() {
		one.Before, one.After = int(n.tokens), int(n.tokens)
		l.tokens += int(n.tokens)
	}
	s.all = s.all.plus(one)
	if n.visible() && n.is(flagEmpty) {
		n.flags |= flagVoid
	}
	if n.is(flagVoid) {
		s.void = s.void.plus(one)
	}
	if n.kind == codeUser || n.kind == codeTurnStart {
		s.requests = append(s.requests, seq)
	}
}

// openTurn starts the next turn, or gives turn 0 its start: a turn_start that
// nothing visible precedes opens turn 0 (L5).
func (l *Log) openTurn(seq int32) {
	if !l.opened {
		l.opened = true
		return
	}
	l.turns.append(turnStart{seq: seq, step: l.steps.n})
	l.steps.append(seq)
	l.steppers[0].place = place{turn: l.turns.n - 1}
}

// respond takes a block of a response: it belongs to the step under way unless that
// has all its results already, or is another message's (L6). One that its message goes
// on in has not: placeholders may stand in the midst of it (P12).
func (s *place) respond(message string) {
	same := message != "" && message == s.message
	other := message != "" && s.message != "" && message != s.message
	if (s.phase == phaseResults && !same) || (s.phase == phaseResponse && other) {
		s.next(phaseResponse, message)
		return
	}
	s.phase = phaseResponse
	if message != "" {
		s.message = message
	}
}

func (s *place) next(p phase, message string) {
	s.step++
	s.phase, s.message = p, message
}

// Turns is the number of turns (L5); 0 while the model could see nothing.
func (l *Log) Turns() int {
	if l.opened || l.Tokens() > 0 {
		return int(l.turns.n)
	}
	return 0
}

// A Turn is a stretch of the log, with its steps.
type Turn struct {
	// Index counts from 0.
	Index int
	// First and Last are the seqs of its first and last entries.
	First, Last int64
	// Steps is how many steps it has; at least one.
	Steps int
	// Started is the time of its first entry that has one.
	Started time.Time
}

// Turn gives turn i, or false when there is none.
func (l *Log) Turn(i int) (Turn, bool) {
	if i < 0 || i >= l.Turns() {
		return Turn{}, false
	}
	t := Turn{Index: i, First: int64(l.turns.get(i).seq), Last: int64(l.turnEnd(i)), Steps: l.stepCount(i)}
	for seq := l.turns.get(i).seq; int64(seq) <= t.Last; seq++ {
		if r := l.records.at(seq); r.time != noTime {
			t.Started = time.Unix(0, r.time).UTC()
			break
		}
	}
	return t, true
}

func (l *Log) turnEnd(i int) int32 {
	if i+1 < int(l.turns.n) {
		return l.turns.get(i+1).seq - 1
	}
	return l.n
}

func (l *Log) stepCount(i int) int {
	end := l.steps.n
	if i+1 < int(l.turns.n) {
		end = l.turns.get(i + 1).step
	}
	return int(end - l.turns.get(i).step)
}

// stepEnd is the seq of the last entry of a step, late results aside.
func (l *Log) stepEnd(turn, step int) int32 {
	if step >= l.stepCount(turn)-1 {
		return l.turnEnd(turn)
	}
	return l.steps.get(int(l.turns.get(turn).step)+step+1) - 1
}

// Where gives the turn and step of an entry; a result stands with its call.
func (l *Log) Where(seq int64) (turn, step int, ok bool) {
	if seq < 1 || seq > int64(l.n) {
		return 0, 0, false
	}
	n := l.node(int32(seq))
	return int(n.turn), int(n.step), true
}

// Pair gives the seq of the result of a call, or of the call of a result; 0
// for an open call, an orphan result and everything else.
func (l *Log) Pair(seq int64) int64 {
	if seq < 1 || seq > int64(l.n) {
		return 0
	}
	return int64(max(l.node(int32(seq)).pair, 0))
}

// CallOf gives the call that the result at seq answers; false for an orphan result
// and everything else.
func (l *Log) CallOf(seq int64) (ToolCall, bool) {
	e, _ := l.Entry(l.Pair(seq))
	call, ok := e.Payload.(ToolCall)
	return call, ok
}

// sees reports whether a reader on one branch sees entries of another: the
// root's, its own, and those of the branches it hangs from (L7).
func sees(reader, branch string) bool {
	return branch == "" || branch == reader ||
		(strings.HasPrefix(reader, branch) && reader[len(branch)] == '.')
}

// openCalls are the calls that wait for their results. Providers use ids again,
// and some give all calls the same: those of one id and one step wait in a row,
// each node's pair the negated next one, and the rows of the steps in a pile.
// So a call and a result take the same few lookups however many are open.
type openCalls struct {
	rows map[rowKey]row
	base *openCalls // what a fork shares
}

// rowKey names a row: the newest of its id at depth 0, the others by their
// place in the pile, the oldest at 1.
type rowKey struct {
	branch, depth int32
	id            string
}

// row is the open calls of one step; zero for none.
type row struct {
	first, last int32 // seqs
	below       int32 // how many rows lie under it
}

func (o *openCalls) get(key rowKey) row {
	r, ok := o.rows[key]
	for !ok && o.base != nil {
		o = o.base
		r, ok = o.rows[key]
	}
	return r
}

// alone gives the same without a base, which may change.
func (o *openCalls) alone() openCalls {
	rows := map[rowKey]row{}
	for ; o != nil; o = o.base {
		for key, r := range o.rows {
			if _, newer := rows[key]; !newer {
				rows[key] = r
			}
		}
	}
	return openCalls{rows: rows}
}

func (o *openCalls) set(key rowKey, r row) {
	if r == (row{}) && o.base == nil {
		delete(o.rows, key)
		return
	}
	if o.rows == nil {
		o.rows = map[rowKey]row{}
	}
	o.rows[key] = r
}

func (l *Log) setRow(key rowKey, was, r row) {
	l.trail.row(key, was)
	l.open.set(key, r)
}

// link sets the pair of a node.
func (l *Log) link(seq, pair int32) *node {
	n := l.nodes.edit(seq)
	l.trail.pair(seq, n.pair)
	n.pair = pair
	return n
}

// openCall has a call wait for its result.
func (l *Log) openCall(seq int32, n *node, callID string) {
	key := rowKey{branch: n.branch, id: callID}
	top := l.open.get(key)
	next := row{first: seq, last: seq}
	if top.last > 0 {
		last := l.node(top.last)
		if last.turn == n.turn && last.step == n.step {
			l.link(top.last, -seq)
			next.first, next.below = top.first, top.below
		} else {
			next.below = top.below + 1
			l.setRow(rowKey{n.branch, next.below, callID}, row{}, top)
		}
	}
	l.setRow(key, top, next)
}

// closeCall pairs a result with the nearest open call of its id: in the newest
// step that has one, the first of them. A map over the whole log would pair
// wrongly. It returns the call, nil for an orphan.
func (l *Log) closeCall(seq int32, n *node, r *ToolResult) *node {
	key := rowKey{branch: n.branch, id: r.CallID}
	top := l.open.get(key)
	if top.first == 0 {
		return nil
	}
	next := top
	next.first = -l.node(top.first).pair
	if next.first == 0 {
		if next = (row{}); top.below > 0 {
			under := rowKey{n.branch, top.below, r.CallID}
			next = l.open.get(under)
			l.setRow(under, next, row{})
		}
	}
	l.setRow(key, top, next)
	call := l.link(top.first, seq)
	n.pair, n.tool = top.first, l.endingOf(top.first, r)
	return call
}

// A block is chunkLen entries of the log in sum, so that an overlay which
// hides them all need not look at each.
type block struct {
	entries int32 // of the root that a model could see, void ones aside
	tokens  int64 // they cost
	open    int32 // calls of the root that wait for their results
	// reach is the earliest call that a result of the block answers.
	reach int32
	// others says that it holds entries of branches that a model could see.
	others bool
}

func blockOf(seq int32) int32 { return (seq-1)>>chunkBits + 1 }

// sumUp takes an entry that has its place into the block it stands in.
func (l *Log) sumUp(seq int32, n *node) {
	at := blockOf(seq)
	if (seq-1)&(chunkLen-1) == 0 {
		*l.blocks.push(at) = block{reach: math.MaxInt32}
	}
	if !n.visible() || n.is(flagVoid) {
		return
	}
	b := l.blocks.edit(at)
	if n.kind == codeResult {
		b.reach = min(b.reach, n.pair)
	}
	if n.branch != 0 {
		b.others = true
		return
	}
	b.entries++
	b.tokens += int64(n.tokens)
	switch n.kind {
	case codeCall:
		b.open++
	case codeResult:
		l.blocks.edit(blockOf(n.pair)).open--
	}
}

// trail is what a log changed in place since it had a length, so that it can
// be taken back.
type trail struct {
	on       bool
	n        int32
	number   int // of the trail, so that each stepper is kept once
	steppers []numbered[stepper]
	pairs    []numbered[int32]
	rows     []keptRow
	block    block // the last
}

// numbered is an element as it was.
type numbered[T any] struct {
	at  int32
	was T
}

type keptRow struct {
	key rowKey
	was row
}

func (t *trail) begin(l *Log) {
	t.on, t.n, t.number = true, l.n, t.number+1
	if l.n > 0 {
		t.block = *l.blocks.at(blockOf(l.n))
	}
}

func (t *trail) stepper(branch int32, s *stepper) {
	if t.on && s.trail != t.number {
		t.steppers = append(t.steppers, numbered[stepper]{branch, *s})
		s.trail = t.number
	}
}

func (t *trail) pair(seq, was int32) {
	if t.on && seq <= t.n {
		t.pairs = append(t.pairs, numbered[int32]{seq, was})
	}
}

func (t *trail) row(key rowKey, was row) {
	if t.on {
		t.rows = append(t.rows, keptRow{key, was})
	}
}

// stop ends the trail. The room of a short one is kept for the next.
func (t *trail) stop() {
	if len(t.rows) > 100 || len(t.steppers) > 100 {
		*t = trail{number: t.number}
		return
	}
	clear(t.steppers)
	clear(t.rows)
	t.on, t.steppers, t.pairs, t.rows = false, t.steppers[:0], t.pairs[:0], t.rows[:0]
}

// rollBack makes the log what it was before the entries that its trail follows.
// What was only appended to needs no more than its old length.
func (l *Log) rollBack(was *Log) {
	for seq := was.n + 1; seq <= l.n; seq++ {
		l.index.remove(&l.ids, l.ids.at(seq))
	}
	l.branches.cut(len(was.branches.list))
	l.tools.cut(len(was.tools.list))
	l.endings.cut(len(was.endings.list))
	l.subjects.cut(len(was.subjects.list))
	last, index, t := l.n, l.index, l.trail
	for _, p := range slices.Backward(t.pairs) {
		n := l.nodes.edit(p.at)
		if n.pair > 0 && n.branch == 0 {
			l.blocks.edit(blockOf(p.at)).open++
		}
		n.pair = p.was
	}
	if was.n > 0 {
		*l.blocks.edit(blockOf(was.n)) = t.block
	}
	*l = *was
	l.index, l.trail = index, t
	for _, r := range slices.Backward(t.rows) {
		l.open.set(r.key, r.was)
	}
	for _, s := range t.steppers {
		if int(s.at) < len(l.steppers) {
			l.steppers[s.at] = s.was
		}
	}
	for seq := l.n + 1; seq <= last; seq++ {
		if l.sources.get(seq) != "" {
			l.sources.set(seq, "")
		}
	}
}
