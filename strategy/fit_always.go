package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/tool"
)

const (
	// shortMessage is how many tokens of a person's message stay verbatim.
	shortMessage = 500
	// openError is the most tokens that a result which tells of an open error
	// may have to stay whole.
	openError = 2000
	// longestBeginning is how many bytes are left of the first line of a long
	// message of which nothing was chosen.
	longestBeginning = 400
)

// always lists the entries that stay whatever they are worth (fit.md): short
// messages of the person, answers and refusals among them, the last request,
// pins, the latest plan, the error that is open. A call stands for its result
// too.
func (f *fitting) always() map[int64]bool {
	l := f.p.Log()
	keep := map[int64]bool{}
	request := int64(0)
	for seq := f.first; seq <= f.last; seq++ {
		e, _ := l.Entry(seq)
		if !f.p.Reads(seq) {
			continue
		}
		if f.p.Why(seq) == tenfold.ReasonPinned {
			keep[pairHead(l, seq)] = true
		}
		m, ok := e.Payload.(tenfold.UserMessage)
		if ok && m.IsRequest() {
			request = seq
			if e.Tokens <= shortMessage {
				keep[seq] = true
			}
		}
		if turn, _, _ := l.Where(seq); ok && f.span.ToStep != nil && turn == f.span.ToTurn {
			keep[seq] = true // P9 shields it
		}
	}
	if slices.Contains(f.Without, excerpt.Always) {
		return keep // a short message is never hidden by the overlay either
	}
	if request > 0 && request == lastTyped(f.p) {
		keep[request] = true
	}
	calls := slices.Concat(f.calls, f.later())
	f.keepAnswers(keep)
	keepPlan(keep, calls)
	f.keepError(keep, calls)
	return keep
}

// later lists the calls behind what may be touched. They stand anyway; but a
// plan among them is newer, and they may have made an error good.
func (f *fitting) later() []toolCall { return toolCalls(f.p, f.last+1, f.p.Version()) }

// cut lists the messages of the person that do not stay whole, each with the
// line it begins with, or the beginning of that.
func (f *fitting) cut() map[int64]tenfold.LineRange {
	long := map[int64]tenfold.LineRange{}
	for seq := f.first; seq <= f.last; seq++ {
		e, _ := f.p.Log().Entry(seq)
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || !m.IsRequest() || f.whole[seq] || !f.p.Reads(seq) {
			continue
		}
		number := 0
		for line := range strings.Lines(tenfold.TextLines(m)) {
			if number++; strings.TrimSpace(line) == "" {
				continue
			}
			first := tenfold.LineRange{First: number, Last: number}
			if len(line) > longestBeginning {
				first.To = longestBeginning
			}
			long[seq] = first
			break
		}
	}
	return long
}

// pairHead is the call of a result, and any other entry itself.
func pairHead(l *tenfold.Log, seq int64) int64 {
	if pair := l.Pair(seq); pair > 0 {
		return min(seq, pair)
	}
	return seq
}

// lastTyped is the last message a person wrote; 0 for none.
func lastTyped(p *tenfold.Projection) int64 {
	for seq := p.Version(); seq > 0; seq-- {
		e, _ := p.Log().Entry(seq)
		if m, ok := e.Payload.(tenfold.UserMessage); ok && m.IsRequest() && p.Reads(seq) {
			return seq
		}
	}
	return 0
}

// keepAnswers keeps short results that are a person's words, as messages are:
// answers to questions, and what was said of a call that was refused. And it
// keeps the calls of tools that the configuration wants left alone (H1).
func (f *fitting) keepAnswers(keep map[int64]bool) {
	f.answers = map[int64]bool{}
	denied := map[string]bool{}
	for seq := f.first; seq <= f.last; seq++ {
		e, _ := f.p.Log().Entry(seq)
		if a, ok := e.Payload.(tenfold.Approval); ok && a.State == tenfold.ApprovalDenied {
			denied[a.CallID] = true
		}
	}
	for _, c := range f.calls {
		set := f.o.Tools[c.call.Name]
		if set.Exempt != nil && *set.Exempt || set.Response == tenfold.Keep {
			keep[c.seq] = true
			continue
		}
		t, _ := tool.Lookup(c.call.Name)
		r, _ := f.p.Log().Entry(c.result)
		result, ok := r.Payload.(tenfold.ToolResult)
		if !ok || r.Tokens > shortMessage {
			continue
		}
		if t.Kind != tool.Asks && !denied[c.call.CallID] && (!result.Ended().Bad() || !tool.Refusal(tenfold.TextLines(result))) {
			continue
		}
		if e, _ := f.p.Log().Entry(c.seq); e.Tokens <= shortMessage {
			keep[c.seq] = true
		} else {
			f.answers[c.seq] = true
		}
	}
}

// keepPlan keeps the latest plan or list of todos.
func keepPlan(keep map[int64]bool, calls []toolCall) {
	for _, c := range slices.Backward(calls) {
		t, _ := tool.Lookup(c.call.Name)
		if t.Kind != tool.Plans {
			continue
		}
		if _, ok := t.Plan(c.call.Arguments); ok {
			keep[c.seq] = true
			return
		}
	}
}

// keepError keeps the last failure, unless it was made good: a later call of
// the tool on the same thing succeeded. What failed before it is history.
func (f *fitting) keepError(keep map[int64]bool, calls []toolCall) {
	made := map[string]bool{}
	for _, c := range slices.Backward(calls) {
		r, _ := f.p.Log().Entry(c.result)
		result, ok := r.Payload.(tenfold.ToolResult)
		if !ok {
			continue
		}
		key := c.call.Name + "\x00" + aim(c.call)
		if tool.Underway(result) {
			continue // nobody knows yet
		}
		if !tool.Failed(c.call.Name, c.call.Arguments, result) {
			made[key] = true
			continue
		}
		if !made[key] && r.Tokens <= openError {
			keep[c.seq] = true
		}
		return
	}
}

// aim is what a call is about: its file or its command, else all it says.
func aim(c tenfold.ToolCall) string {
	t, _ := tool.Lookup(c.Name)
	if command, _ := t.Command(c.Arguments); command != "" {
		return strings.Join(strings.Fields(command), " ")
	}
	if ops := t.Operations(c.Arguments); len(ops) > 0 {
		return ops[0].Path
	}
	return c.Arguments
}

// edits are the calls that changed each file last, the newest first: what was
// done to which file is the state of the work.
func (f *fitting) edits() []excerpt.Opening {
	var last []excerpt.Opening
	seen := map[string]bool{}
	for _, c := range slices.Backward(f.calls) {
		r, _ := f.p.Log().Entry(c.result)
		if result, ok := r.Payload.(tenfold.ToolResult); ok && result.Ended().Bad() {
			continue // it changed nothing
		}
		t, _ := tool.Lookup(c.call.Name)
		for _, op := range t.Operations(c.call.Arguments) {
			path := tool.CleanPath(op.Path)
			if op.Op != tool.FileRead && !seen[path] {
				seen[path] = true
				last = append(last, excerpt.Opening{Seq: c.seq, Path: op.Path})
			}
		}
	}
	return last
}
