package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenfold/tool"
)

// Text writes the ledger as Markdown of at most so many tokens: sections in a
// fixed order, those without a line left out. What does not fit goes, least
// valuable first: what binds (messages that state constraints, answers) stays
// longest, then the first and the last request, plan and questions, open
// errors, changed files, repeated commands, what else long messages demand,
// other messages, details of errors, single commands, reads. Each line quotes
// the log, tools' words always behind a mark or as code. The same entries give
// the same text. It is empty where there is nothing to say or no room.
func (l *Ledger) Text(budget int) string {
	c := choice{counter: l.counter, items: l.items(), budget: budget, most: budget, share: budget}
	text, _ := c.text("")
	return text
}

// items gives all the ledger can say, in order of value within each rank.
func (l *Ledger) items() items {
	var s items
	l.requestItems(&s)
	l.stateItems(&s)
	l.planItems(&s)
	l.questionItems(&s)
	l.errorItems(&s)
	l.fileItems(&s)
	l.commandItems(&s)
	return s
}

const (
	// taskSize and headSize are how many characters of a long message are quoted
	// from its beginning: of the first and the last request, of others.
	taskSize = 2000
	headSize = 200
	// demandSize is how many bytes of what one long message demands have
	// precedence over the budget.
	demandSize = 1500
	// planSize is how many items of a plan are quoted in any case; those that are
	// done give way to those that are not.
	planSize = 40
)

func (l *Ledger) requestItems(s *items) {
	last := len(l.requests) - 1
	for i := last; i >= 0; i-- {
		r := l.requests[i]
		rank, size := rankRequest, headSize
		if i == 0 || i == last {
			rank, size = rankTask, taskSize
		}
		if r.binds || len(r.questions) > 0 {
			rank = rankBinding
		}
		where := turns(r.turns) + onBranch(r.branch)
		for i, q := range r.questions[:min(len(r.questions), 4)] {
			where += [...]string{", answer to ", ", "}[min(i, 1)] + code(q, lineLength/2)
		}
		if !r.long {
			n := s.add(inRequests, rank, i, "- %s:\n%s", where, quote(r.text))
			(*s)[n-1].must = true
			continue
		}
		head, lines := beginning(r, size)
		if head == "" && len(lines) > 0 {
			head, lines = lines[0], lines[1:]
		}
		parent := s.add(inRequests, rank, i, "- %s, from %d characters:\n%s", where, utf8.RuneCountInString(r.text), quote(head))
		first := 0
		for bytes := 0; first < len(lines) && bytes+len(lines[first]) <= demandSize; first++ {
			bytes += len(lines[first])
		}
		if first > 0 {
			s.addTo(parent, rankBinding, quote(strings.Join(lines[:first], "\n")))
		}
		for _, line := range lines[first:] {
			s.addTo(parent, rankDemand, quote(line))
		}
	}
}

func onBranch(branch string) string {
	if branch == "" {
		return ""
	}
	return ", branch " + code(branch, lineLength)
}

// beginning gives the head of a long message, and the lines that state
// constraints and are not in it. A line that the head would cut is left to
// them.
func beginning(r *request, characters int) (head string, lines []string) {
	head = clip(r.text, characters)
	whole := strings.TrimSuffix(head, "…")
	at := strings.LastIndexByte(whole, '\n') + 1
	if cut := strings.TrimSpace(whole[at:]); slices.ContainsFunc(r.lines, func(line string) bool { return cut != "" && strings.HasPrefix(line, cut) }) {
		head = strings.TrimSpace(whole[:at])
	}
	lines = slices.DeleteFunc(slices.Clone(r.lines), func(line string) bool { return strings.Contains(head, line) })
	return head, lines
}

// turns names turns: the last, and those in which the same was said before.
func turns(list []int) string {
	switch n := len(list); {
	case n == 1:
		return fmt.Sprintf("turn %d", list[0])
	case n > 5:
		return fmt.Sprintf("turn %d and %d before it, since turn %d", list[n-1], n-1, list[0])
	}
	return "turns " + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}

func (l *Ledger) stateItems(s *items) {
	if l.entries == 0 {
		return
	}
	s.add(inState, rankState, 0, "- turns %d to %d: %d entries, %d tool calls\n", l.firstTurn, l.turn, l.entries, l.calls)
	if l.skill.name != "" {
		s.add(inState, rankState, 0, "- active skill, loaded in turn %d: %s\n", l.skill.turn, code(l.skill.name, lineLength))
	}
	for i, c := range l.unanswered() {
		if c.command == nil && len(c.questions) == 0 && len(c.files) == 0 { // others stand elsewhere
			s.add(inState, rankOpen, i+1, "- call without a result, turn %d: %s\n", c.turn, c.words())
		}
	}
}

// unanswered gives the calls that have no result, the newest first.
func (l *Ledger) unanswered() []*call {
	all := slices.Concat(slices.Collect(maps.Values(l.open))...)
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(b.order, a.order) })
	return all
}

// boxes are what stands in the box of a plan's item, by its status.
var boxes = map[string]string{"completed": "x", "in_progress": "~", "cancelled": "-"}

func (l *Ledger) planItems(s *items) {
	for order, branch := range l.branches {
		p := l.plans[branch]
		if len(p.items) == 0 && p.text == "" {
			continue
		}
		var b strings.Builder
		if len(p.items) == 0 {
			b.WriteString(quote(clip(p.text, 2*wholeMessage)))
		}
		todo := p.items
		if len(todo) > planSize {
			todo = slices.DeleteFunc(slices.Clone(todo), func(i tool.PlanItem) bool { return i.Status == "completed" || i.Status == "cancelled" })
			todo = todo[:min(len(todo), planSize)]
		}
		for _, i := range todo {
			id := ""
			if n, err := strconv.Atoi(i.ID); err == nil {
				id = fmt.Sprintf("#%d ", n)
			}
			fmt.Fprintf(&b, "  - [%s] %s%s\n", cmp.Or(boxes[i.Status], " "), id, code(i.Text, lineLength))
		}
		if n := len(p.items) - len(todo); n > 0 {
			fmt.Fprintf(&b, "  - (%d more)\n", n)
		}
		s.add(inPlan, rankState, order, "- turn %d%s:\n%s", p.turn, onBranch(branch), b.String())
	}
}

func (l *Ledger) questionItems(s *items) {
	byID := map[string]*call{}
	for _, c := range l.unanswered() {
		byID[c.id] = c
		for _, q := range c.questions {
			s.add(inQuestions, rankState, len(*s), "- turn %d, asked and not answered:\n%s", c.turn, quote(clip(q, wholeMessage)))
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(l.approvals), func(a, b string) int { return cmp.Compare(l.approvals[b].order, l.approvals[a].order) }) {
		a, what, reason := l.approvals[id], "call "+code(id, lineLength), ""
		if c, open := byID[id]; open {
			what = c.words()
		}
		if a.reason != "" {
			reason = quote(clip(a.reason, wholeMessage))
		}
		s.add(inQuestions, rankState, len(*s), "- turn %d, approval of %s asked for and not given:\n%s", a.turn, what, reason)
	}
	if lines := asking(l.last); len(lines) > 0 {
		s.add(inQuestions, rankState, len(*s), "- turn %d, asked and not answered:\n%s", l.lastTurn, quote(strings.Join(lines, "\n")))
	}
}

// asking gives the last lines of the assistant's last words that are
// questions, at most three.
func asking(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, "?") {
			lines = append(lines, clip(line, wholeMessage))
		}
	}
	return lines[max(0, len(lines)-3):]
}

func (l *Ledger) errorItems(s *items) {
	for _, f := range slices.SortedFunc(maps.Values(l.failures), func(a, b *failure) int { return cmp.Compare(b.order, a.order) }) {
		words := times(f.times, "failed") + f.last.exitWords()
		if f.command != nil && f.command.runs > f.times {
			words += fmt.Sprintf(", ran %d times", f.command.runs)
		}
		first := ""
		if len(f.lines) > 0 {
			first = quote(f.lines[0])
		}
		parent := s.add(inErrors, rankError, f.order, "- %s: %s, turn %d\n%s", f.what, words, f.turn, first)
		if len(f.lines) > 1 {
			s.addTo(parent, rankDetail, quote(strings.Join(f.lines[1:], "\n")))
		}
	}
}

func times(n int, word string) string {
	if n == 1 {
		return word
	}
	return fmt.Sprintf("%s ×%d", word, n)
}

func (l *Ledger) fileItems(s *items) {
	unsure := map[string]bool{}
	for _, c := range slices.Backward(l.unanswered()) {
		for _, f := range c.files {
			if f.Op != tool.FileRead && !unsure[f.Path] {
				unsure[f.Path] = true
				s.add(inFiles, rankChanged, -1, "- %s: %s, turn %d, no result\n", code(f.Path, 2*lineLength), f.Op, c.turn)
			}
		}
	}
	paths := slices.Clone(l.paths)
	slices.SortStableFunc(paths, func(a, b *file) int { return cmp.Compare(b.latest, a.latest) })
	for i, f := range paths {
		rank, order, words := rankRead, len(paths)+i, times(f.reads, "read")
		if f.changes > 0 {
			rank, order = rankChanged, i
			if f.reads == 0 {
				words = times(f.changes, string(f.last))
			} else {
				words = times(f.changes, string(f.last)) + ", " + words
			}
		}
		s.add(inFiles, rank, order, "- %s: %s, turn %d\n", code(f.path, 2*lineLength), words, f.turn)
	}
}

func (l *Ledger) commandItems(s *items) {
	ran := slices.Clone(l.ran)
	slices.SortStableFunc(ran, func(a, b *command) int { return cmp.Compare(b.latest, a.latest) })
	for i, c := range ran {
		if l.failures[c.key] != nil && c.ended {
			continue // it stands under the open errors
		}
		rank, words := rankCommand, "no result"
		if c.looks {
			rank = rankLooking
		}
		if c.ended {
			words = c.last.words()
		}
		if c.runs > 1 {
			rank = rankRepeated
			words += fmt.Sprintf(", ran %d times", c.runs)
		}
		s.add(inCommands, rank, i, "- %s: %s, turn %d\n", code(c.text, lineLength), words, c.turn)
	}
}
