package digest

import (
	"strings"
	"unicode/utf8"

	"tenfold"
	"tenfold/atom"
	"tenfold/cause"
	"tenfold/purpose"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/tool"
)

// A Ledger is the facts of a conversation, or of a stretch of one, that a
// program can take from its raw entries exactly (M3). It is kept entry by
// entry; adding one costs the size of the entry. It is not safe for concurrent
// use. Get one from [NewLedger].
type Ledger struct {
	counter tenfold.Counter

	turn, firstTurn int
	opened          bool
	entries, calls  int

	requests   []*request
	asked      map[string]*request // by text
	open       map[openKey][]*call
	where      where
	files      map[string]*file
	paths      []*file // in order of their first operation
	commands   map[string]*command
	ran        []*command          // in order of their first run
	acts       []act               // in order
	failures   map[string]*failure // open ones, by what must succeed to close them
	unfollowed map[string]bool     // those that are followed no further
	plans      map[string]*plan    // by branch
	planFile   planFile
	branches   []string             // of plans, in order
	approvals  map[openKey]approval // asked for, not answered
	running    map[string]*call     // commands in the background, by handle
	skill      skill
	tree       tree
	last       string // the assistant's last words, until somebody speaks
	lastTurn   int
	recent     []string // the latest of its words, the newest last, whoever spoke since
	spoken     int      // how many requests there were
	shown      *int     // the turn whose messages a view shows beside the ledger (P9)
}

// openKey tells calls apart that wait for a result.
type openKey struct{ branch, id string }

// request is what a person said: a message, or the answer to a question.
type request struct {
	turns []int
	text  string
	// branch is where it was said; on a branch it is the agent above who asks.
	branch string
	// questions are what it answers; none for a message.
	questions []string
	// message is set where a message said it last, and not the answer to a call.
	message bool
	// binds is set where it states a constraint, back where it was taken back.
	binds, back bool
	order       int // the entry that said it last
	// long is set where it is not quoted whole; lines are then those of it
	// that state constraints.
	long  bool
	lines []string
	// errors are those of a log in it, the first of each kind.
	errors []string
}

// pastedErrors is how many errors are told of a log that a person pasted.
const pastedErrors = 4

// skill is the skill or workflow under way.
type skill struct {
	name string
	turn int
}

type approval struct {
	reason      string
	turn, order int
}

// NewLedger makes an empty ledger. Its budgets are counted by c, nil meaning
// the default encoding (T1).
func NewLedger(c tenfold.Counter) *Ledger {
	if c == nil {
		c = token.O200k()
	}
	return &Ledger{
		counter: c,
		asked:   map[string]*request{}, open: map[openKey][]*call{}, files: map[string]*file{},
		commands: map[string]*command{}, plans: map[string]*plan{}, approvals: map[openKey]approval{}, failures: map[string]*failure{}, unfollowed: map[string]bool{}, running: map[string]*call{},
	}
}

// LedgerOf makes the ledger of the raw entries of a request's whole range, also
// of those that prior summaries stand for (S-8).
func LedgerOf(r strategy.SummaryRequest) *Ledger {
	l := ledgerFor(r)
	for turn, e := range rawEntries(r) {
		l.AddAt(turn, e)
	}
	return l
}

// ledgerFor makes the empty ledger of a request.
func ledgerFor(r strategy.SummaryRequest) *Ledger {
	l := NewLedger(counterOf(r))
	if r.Range.ToStep != nil {
		l.shown = &r.Range.ToTurn
	}
	return l
}

// shownWhole reports whether a view shows the messages of a turn whole, beside the
// ledger: the range ends inside of it (P9).
func (l *Ledger) shownWhole(turn int, branch string) bool {
	return l.shown != nil && turn == *l.shown && branch == ""
}

// Facts are a ledger, and the lines of messages that state constraints.
type Facts struct {
	*Ledger

	constraints []string
}

// FactsOf are the facts of a request's range: the ledger of its raw entries, those
// that prior summaries stand for included.
func FactsOf(r strategy.SummaryRequest) Facts {
	f := Facts{Ledger: LedgerOf(r)}
	for turn, e := range rawEntries(r) {
		if m, ok := e.Payload.(tenfold.UserMessage); ok && !f.shownWhole(turn, e.Branch) {
			f.constraints = append(f.constraints, Constraints(purpose.Said(m))...)
		}
	}
	return f
}

// Constraints are the lines of messages that state constraints, word for word.
func (f Facts) Constraints() []string { return f.constraints }

// Constraints gives what people demanded, word for word and in order: messages
// of up to 500 characters that state a constraint and answers to questions
// whole, of longer ones the lines that do. Nothing is in it twice.
func (l *Ledger) Constraints() []string {
	var all []string
	seen := map[string]bool{}
	put := func(text string) {
		if text = visible(text); !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	for _, r := range l.requests {
		switch {
		case r.back:
		case r.long:
			for _, line := range r.lines {
				put(line)
			}
		case r.binds || len(r.questions) > 0:
			put(r.text)
		}
	}
	return all
}

// Add takes in the next raw entry, of any kind. Turns are counted as L5 says.
func (l *Ledger) Add(e tenfold.Entry) {
	turn := l.turn
	if _, starts := e.Payload.(tenfold.TurnStart); starts && l.entries > 0 {
		turn++
	}
	l.AddAt(turn, e)
}

// AddAt is Add for an entry whose turn is known, as that of a range is.
func (l *Ledger) AddAt(turn int, e tenfold.Entry) {
	if !l.opened {
		l.opened, l.firstTurn = true, turn
	}
	l.turn = max(l.turn, turn)
	l.entries++
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		l.where.read(p)
		l.addUser(turn, e.Branch, p)
	case tenfold.AssistantMessage:
		if purpose.Speaks(p.Text) {
			l.last, l.lastTurn = p.Text, turn
			l.recent = append(l.recent[max(0, len(l.recent)-pointedBack+1):], p.Text)
		}
	case tenfold.ToolCall:
		l.calls++
		l.last = ""
		l.addCall(turn, e.Branch, p)
	case tenfold.ToolResult:
		l.addResult(turn, e.Branch, p)
	case tenfold.Approval:
		l.addApproval(turn, e.Branch, p)
	}
}

// wholeMessage is up to how many characters a message is quoted whole.
const wholeMessage = 500

func (l *Ledger) addUser(turn int, branch string, m tenfold.UserMessage) {
	if m.Purpose == tenfold.Notice {
		l.addEdited(turn, m)
	}
	if !m.IsRequest() {
		return
	}
	l.last = ""
	l.spoken++
	l.where.shells = nil // a host may have begun them anew
	text := purpose.Said(m)
	l.takeBack(branch, text)
	questions := l.itemsPointedAt(text)
	if said := len(l.recent); said > 0 && len(questions) == 0 && atom.IsShortAnswer(text) {
		before := l.recent[said-1]
		if question := questionBefore(before, text); question != "" {
			questions = []string{question}
			if atom.Decides(text) && atom.PointsBack(question) {
				questions = append(proposedIn(before), question)
			}
		}
	}
	if r := l.addRequest(turn, branch, text, questions...); r != nil {
		r.message = true
	}
}

// addEdited notes the files that a notice says the host edited.
func (l *Ledger) addEdited(turn int, m tenfold.UserMessage) {
	for line := range strings.Lines(tenfold.TextLines(m)) {
		if path := purpose.Edited(strings.TrimSpace(line)); path != "" {
			l.noteOperation(&call{turn: turn, order: l.calls}, tool.FileOperation{Path: path, Op: tool.FileModified})
		}
	}
}

// addRequest notes what a person said, and gives the note; nil for no words. What
// was said before in the same words is noted once.
func (l *Ledger) addRequest(turn int, branch, text string, questions ...string) *request {
	if text == "" {
		return nil
	}
	key := branch + "\x00" + strings.Join(questions, "\x00") + "\x00" + text
	if r, ok := l.asked[key]; ok {
		if r.turns[len(r.turns)-1] != turn {
			r.turns = append(r.turns, turn)
		}
		r.order, r.back, r.message = l.entries, false, false
		return r
	}
	r := &request{turns: []int{turn}, text: text, branch: branch, questions: questions, order: l.entries}
	if r.long = utf8.RuneCountInString(text) > wholeMessage; r.long {
		r.lines = demandsIn(text)
		r.binds = len(r.lines) > 0
		for _, line := range cause.Logged(text, pastedErrors) {
			r.errors = append(r.errors, opening(line.Text, demandSize/pastedErrors))
		}
	} else {
		r.binds = atom.StatesConstraint(text)
	}
	l.asked[key] = r
	l.requests = append(l.requests, r)
	return r
}

func (l *Ledger) addApproval(turn int, branch string, a tenfold.Approval) {
	if a.State == tenfold.ApprovalRequested {
		l.approvals[openKey{branch, a.CallID}] = approval{a.Reason, turn, l.entries}
		return
	}
	// Where nobody was asked the reason is a rule's, not a person's words. OpenHands
	// records no question, and the answer behind the result.
	key := openKey{branch, a.CallID}
	_, asked := l.approvals[key]
	delete(l.approvals, key)
	if a.State == tenfold.ApprovalDenied && (asked || len(l.open[key]) == 0) {
		l.addRequest(turn, branch, strings.TrimSpace(a.Reason))
	}
}
