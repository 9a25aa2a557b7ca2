package tenfold

import (
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
		s.respond(e.MessageID)
	case codeResult:
		result, _ := e.Payload.(ToolResult)
		if call := l.answer(seq, n, result.CallID); call != nil {
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
		l.await(seq, n, call.CallID)
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

// respond takes a block of a response: it belongs to the step under way
// unless that has its results already, or is another message's (L6).
func (s *place) respond(message string) {
	same := message != "" && message == s.message
	other := message != "" && s.message != "" && message != s.message
	if (s.phase == phaseResults && !same) || (s.phase == phaseResponse && other) {
		s.next(phaseResponse, message)
		return
	}
	if s.phase == phaseRequest {
		s.phase = phaseResponse
	}
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

// sees reports whether a reader on one branch sees entries of another: the
// root's, its own, and those of the branches it hangs from (L7).
func sees(reader, branch string) bool {
	return branch == "" || branch == reader ||
		(strings.HasPrefix(reader, branch) && reader[len(branch)] == '.')
}
