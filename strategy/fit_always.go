package strategy

import (
	"cmp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/purpose"
	"tenfold/tool"
)

const (
	// shortMessage is how many tokens of a person's message stay verbatim.
	shortMessage = 500
	// longMessage is how many tokens one has at most that stays verbatim where there is
	// room, and messagePart the part of the target, as one in so many, that such may
	// take together: a list of findings in pieces is no request any more. What is longer
	// was pasted.
	longMessage, messagePart = 2000, 10
	// openError is the most tokens that a result which tells of an open error
	// may have to stay whole.
	openError = 2000
	// lookPatience is how many calls may follow on a failed look at something before
	// it counts as left behind, as in the digest; callPatience on any other call from
	// before the last request, unless tests failed, which can be run again at any time.
	lookPatience, callPatience = 10, 30
	// errorPart is the part of the target, as one in so many, up to which it does.
	errorPart = 10
	// longestBeginning is how many bytes are left of the beginning of a long
	// message of which nothing was chosen.
	longestBeginning = 400
	// longestLooked is how many bytes of a line are looked at for what it
	// demands: nobody types a longer one.
	longestLooked = 32 << 10
)

// stance is how something always stays.
type stance struct {
	what string // the sort that it is of; empty where it fills what was left
	call bool   // a call with its result, else a message
	// whole has it stay as it is. Else lines of a message stay, none of one that
	// gave way; and of a call that it was made, with the answer the whole result.
	whole        bool
	named        bool // it shows what a request names
	answer, body bool // with the answer the whole result, with the body the whole call
	lines        []tenfold.LineRange
	part         []tenfold.LineRange // of the bodies in a call's arguments
}

// findAlways works out what stays whatever it is worth (F5): requests of up to 500
// tokens, answers and refusals among them, of longer ones how they begin and end
// and what they demand, the last request, pins, the latest plan, the error that is
// open, what is under way. Standing instructions stay without fit's doing (P8a).
func (f *fitting) findAlways() {
	l := f.p.Log()
	f.stands = map[int64]stance{}
	bare := slices.Contains(f.Without, excerpt.Always)
	f.request = lastTyped(f.p)
	for seq := range f.each(f.first, f.last) {
		if !f.p.Reads(seq) {
			continue
		}
		e, _ := l.Entry(seq)
		if f.p.Why(seq) == tenfold.ReasonPinned {
			head := pairHead(l, seq)
			at, _ := l.Entry(head)
			f.stands[head] = stance{what: StandsPins, call: at.Payload.Kind() == tenfold.KindToolCall, whole: true}
			continue
		}
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || !requests(f.p, m) || f.hides(seq) {
			continue
		}
		st := stance{what: StandsMessages, whole: e.Tokens <= shortMessage}
		switch {
		case seq == f.request:
			st.what, st.whole = StandsLastRequest, st.whole || !bare
		case f.shielded(seq):
			st.whole = true
		}
		if !st.whole {
			st.lines = f.gistLines(wordsOf(m))
		}
		f.stands[seq] = st
	}
	if bare {
		return
	}
	f.keepLong()
	calls := slices.Concat(f.calls, f.laterCalls())
	f.keepLastStep()
	decided := f.approvals()
	f.keepAnswers(decided)
	f.keepPointed()
	f.keepNamed()
	f.keepPlan(calls)
	f.keepPlanText(calls)
	f.keepImages(calls)
	f.keepError(calls)
	f.keepHandles(calls, decided)
	f.keepRecalled()
	f.keepNeeded()
	f.keepRunning()
	f.keepOpenings()
}

// keepOpenings shortens what a host says in the turn that the span ends inside of, such
// as what a command printed in a transcript without calls, to its first line that is
// not too long and what is chosen of it: P9 has it stay, and it may be all of the conversation.
func (f *fitting) keepOpenings() {
	for seq := range f.each(f.first, f.last) {
		e, _ := f.p.Log().Entry(seq)
		m, ok := e.Payload.(tenfold.UserMessage)
		if _, there := f.stands[seq]; !ok || there || requests(f.p, m) || isContext(m) || !f.p.Reads(seq) || !f.shielded(seq) {
			continue
		}
		number := 0
		for line := range strings.Lines(tenfold.TextLines(m)) {
			number++
			if strings.TrimSpace(line) != "" && len(line) <= longestBeginning {
				f.stands[seq] = stance{lines: []tenfold.LineRange{{First: number, Last: number}}}
				break
			}
		}
	}
}

// keepLong keeps longer messages of the person as far as there is room, the newest first.
func (f *fitting) keepLong() {
	room := f.limit / messagePart
	for seq := range f.backward(f.first, f.last) {
		if st, stands := f.stands[seq]; !stands || st.what != StandsMessages || st.whole {
			continue
		}
		if e, _ := f.p.Log().Entry(seq); e.Tokens <= min(longMessage, room) {
			room -= e.Tokens
			f.stands[seq] = stance{what: StandsMessages, whole: true}
		}
	}
}

// shielded reports whether a request is of the turn that the span ends inside of:
// it is never hidden (P9).
func (f *fitting) shielded(seq int64) bool {
	turn, _, _ := f.p.Log().Where(seq)
	return f.span.ToStep != nil && turn == f.span.ToTurn
}

// keepCall has a call stay, unless it does already.
func (f *fitting) keepCall(seq int64, st stance) {
	if _, there := f.stands[seq]; !there && seq <= f.last {
		st.call = true
		f.stands[seq] = st
	}
}

// laterCalls lists the calls behind what may be touched. They stand anyway; but a
// plan among them is newer, and they may have made an error good.
func (f *fitting) laterCalls() []toolCall { return toolCalls(f.p, f.last+1, f.p.Version()) }

// wordsOf is the text of a message with blank lines in place of what a host put beside
// the person's words, such as the files that they name: that demands nothing.
func wordsOf(m tenfold.UserMessage) string {
	var texts []string
	for _, p := range m.Parts {
		switch {
		case p.File != nil:
		case purpose.OfText(p.Text) == tenfold.Request:
			texts = append(texts, p.Text)
		default:
			texts = append(texts, strings.Repeat("\n", strings.Count(p.Text, "\n")))
		}
	}
	if text := strings.Join(texts, "\n"); strings.TrimSpace(text) != "" {
		return text
	}
	return tenfold.TextLines(m)
}

// union joins two lists of ranges, each in order, into one.
func union(a, b []tenfold.LineRange) []tenfold.LineRange {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y tenfold.LineRange) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.From, y.From), cmp.Compare(y.Last, x.Last), cmp.Compare(y.To, x.To))
	})
	var out []tenfold.LineRange
	for _, r := range all {
		if n := len(out) - 1; n >= 0 {
			switch last := &out[n]; {
			case last.To == 0 && r.Last <= last.Last:
				continue // a part of it
			case last.To == 0 && r.To == 0 && r.First <= last.Last+1:
				last.Last = r.Last
				continue
			case last.To > 0 && r.To > 0 && r.First == last.First && r.From <= last.To:
				last.To = max(last.To, r.To)
				continue
			case last.To > 0 && r.To == 0 && r.First == last.First:
				*last = r
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// pairHead is the call of a result, and any other entry itself.
func pairHead(l *tenfold.Log, seq int64) int64 {
	if pair := l.Pair(seq); pair > 0 {
		return min(seq, pair)
	}
	return seq
}

// requests reports whether a message asks the reader for something: a person's request, or
// in a sub-agent's view the task that another agent wrote.
func requests(p *tenfold.Projection, m tenfold.UserMessage) bool {
	return m.IsRequest() || p.Branch() != "" && m.Purpose == tenfold.Request
}

// lastTyped is the last request; 0 for none.
func lastTyped(p *tenfold.Projection) int64 {
	for seq := p.Version(); seq > 0; seq-- {
		e, _ := p.Log().Entry(seq)
		if m, ok := e.Payload.(tenfold.UserMessage); ok && requests(p, m) && p.Reads(seq) && !p.Rewound(seq) {
			return seq
		}
	}
	return 0
}

// keepAnswers keeps short results that are a person's words, as messages are:
// answers to questions, and what was said of a call that was refused. And it
// keeps the calls of tools that the configuration wants left alone (H1).
func (f *fitting) keepAnswers(decided map[int64]decision) {
	for _, c := range f.calls {
		set := f.o.Tools[c.call.Name]
		if set.Exempt != nil && *set.Exempt || set.Response == tenfold.Keep {
			f.keepCall(c.seq, stance{what: StandsPins, whole: true})
			continue
		}
		t, _ := tool.Lookup(c.call.Name)
		r, _ := f.p.Log().Entry(c.result)
		result, ok := r.Payload.(tenfold.ToolResult)
		if !ok || r.Tokens > shortMessage {
			continue
		}
		text := tenfold.TextLines(result)
		_, refused := tenfold.Refusal(text)
		d := decided[c.seq]
		denied := d.State == tenfold.ApprovalDenied && (d.asked || text != ruled+d.Reason)
		if t.Kind != tool.Asks && !denied && (!refused || !result.Ended().Bad()) {
			continue
		}
		e, _ := f.p.Log().Entry(c.seq)
		whole := e.Tokens <= shortMessage && (c.seq > f.request || !repeatsQuestions(c.call, text))
		f.keepCall(c.seq, stance{what: StandsMessages, whole: whole, answer: true})
	}
}

// repeatsQuestions reports whether an answer says what was asked: of an earlier turn the
// options that were offered with it are not needed any more.
func repeatsQuestions(c tenfold.ToolCall, answer string) bool {
	asked := false
	for _, t := range tenfold.ArgumentTexts(c.Arguments) {
		if t.Name == "question" {
			if asked = strings.Contains(answer, t.Text); !asked {
				return false
			}
		}
	}
	return asked
}

// ruled begins the result of a call that package agent denied; the reason follows. It is a
// person's where one was asked, and else a rule's: a model may run into it again and again.
const ruled = "Denied: "

// A decision is what was decided last on a call, and whether a person was asked.
type decision struct {
	tenfold.Approval
	asked bool
}

// approvals gives what was decided last on calls, by their seqs. As ids are used again,
// an approval is of the newest call before it with its id and branch, or of the next.
func (f *fitting) approvals() map[int64]decision {
	type name struct{ branch, id string }
	calls, early, decided := map[name]int64{}, map[name]decision{}, map[int64]decision{}
	for seq := range f.each(f.first, f.last) {
		e, _ := f.p.Log().Entry(seq)
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			n := name{e.Branch, p.CallID}
			calls[n] = seq
			if state, ok := early[n]; ok {
				decided[seq] = state
				delete(early, n)
			}
		case tenfold.Approval:
			n := name{e.Branch, p.CallID}
			at, ok := calls[n]
			was := decided[at]
			if !ok {
				was = early[n]
			}
			d := decision{p, was.asked || p.State == tenfold.ApprovalRequested}
			if ok {
				decided[at] = d
			} else {
				early[n] = d
			}
		}
	}
	return decided
}

// keepHandles keeps what is under way in the turn that is (V5): calls without a
// result, approvals that nobody has decided on, commands that were begun and of
// which no later call tells the end, and the skill that was loaded.
func (f *fitting) keepHandles(calls []toolCall, decided map[int64]decision) {
	l := f.p.Log()
	now, _, _ := l.Where(f.p.Version())
	skill, ended, gives := false, false, giving{}
	for _, c := range slices.Backward(calls) {
		turn, _, _ := l.Where(c.seq)
		if turn != now {
			return
		}
		t, _ := tool.Lookup(c.call.Name)
		r, _ := l.Entry(c.result)
		result, _ := r.Payload.(tenfold.ToolResult)
		runs, polls := tool.Underway(result), tool.Polls(c.call.Name, c.call.Arguments)
		switch {
		case polls && !runs:
			ended = true
		case c.result == 0, decided[c.seq].State == tenfold.ApprovalRequested, runs && !polls && !ended, gives.more(result):
			f.keepCall(c.seq, stance{what: StandsHandles, whole: true})
		case t.Kind == tool.Skills && !skill:
			skill = true
			f.keepCall(c.seq, stance{what: StandsHandles, whole: r.Tokens <= min(openError, f.limit/4)})
		}
	}
}

// keepRunning keeps what earlier turns began and what still runs (V5).
func (f *fitting) keepRunning() {
	now, _, _ := f.p.Log().Where(f.p.Version())
	for _, seq := range f.o.openHandles(f.p) {
		if turn, _, _ := f.p.Log().Where(seq); turn < now && seq >= f.first {
			f.keepCall(seq, stance{what: StandsHandles, whole: true})
		}
	}
}

// edits are the calls that changed each file last, the newest first: what was
// done to which file is the state of the work.
func (f *fitting) edits() []excerpt.Opening {
	if f.edited != nil {
		return f.edited
	}
	last, seen := []excerpt.Opening{}, map[string]bool{}
	for _, c := range slices.Backward(f.calls) {
		t, _ := tool.Lookup(c.call.Name)
		if t.Kind == tool.Reads || t.Kind == tool.Shell {
			continue // no operation of theirs is a change
		}
		if payloadOf[tenfold.ToolResult](f.p.Log(), c.result).Ended().Bad() {
			continue // it changed nothing
		}
		for _, op := range t.Operations(c.call.Arguments) {
			path := tool.CleanPath(op.Path)
			if op.Op != tool.FileRead && !seen[path] {
				seen[path] = true
				last = append(last, excerpt.Opening{Seq: c.seq, Path: op.Path})
			}
		}
	}
	f.edited = last
	return last
}
