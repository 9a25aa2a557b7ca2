package digest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold/atom"
	"tenfold/cause"
	"tenfold/internal/number"
)

// Text writes the ledger as Markdown of at most so many tokens: sections in the
// order of semantics M4a, those without a line left out. What does not fit goes,
// least valuable first: what binds (messages that state constraints, answers)
// stays longest, then the first and the last request, the plan, questions and
// what is red, open errors, changed files, what else long messages demand, what
// was changed in files, checks, other messages, other commands, reads. Each line
// quotes the log, tools' words always behind a mark or as code. The same entries
// give the same text. It is empty where there is nothing to say or no room.
func (l *Ledger) Text(budget int) string {
	c := choice{counter: l.counter, items: l.items(), budget: budget, most: budget, share: budget, dir: l.commonDir()}
	return c.choose("")
}

// items gives all the ledger can say, in order of value within each rank.
func (l *Ledger) items() items {
	var s items
	l.requestItems(&s)
	l.questionItems(&s)
	l.planItems(&s)
	l.treeItems(&s)
	l.errorItems(&s)
	l.fileItems(&s)
	l.commandItems(&s)
	l.actItems(&s)
	return s
}

// The places in the first section.
const (
	atRequest = iota
	atWords
	atQuestions
	atPlan
	atTree
	atSkill
	atRed
)

const (
	// taskSize and headSize are how many characters of a long message are quoted
	// from its beginning: of the first and the last request, of others. Of those
	// two, tailSize characters are quoted from the end.
	taskSize = 1600
	tailSize = 400
	headSize = 200
	// longTask is up to how many characters a long message is quoted whole where there is
	// room, the last request before anything else that is said in more words.
	longTask = 4000
	// demandSize is how many bytes of what one long message demands have
	// precedence over the budget.
	demandSize = 1500
	// leastAgain is how many bytes a message has at least that is not quoted where it stands
	// in the view: to say so costs as much as a shorter one.
	leastAgain = 80
	// planSize is how many items of a plan are quoted in any case; those that are
	// done give way to those that are not.
	planSize = 40
)

// lastRequest is the one that the work is about now: said last, and not taken
// back; nil where there is none.
func (l *Ledger) lastRequest() *request {
	var last *request
	for _, r := range l.requests {
		if !r.back && r.branch == "" && (last == nil || r.order > last.order) {
			last = r
		}
	}
	if last == nil && len(l.requests) > 0 {
		last = l.requests[len(l.requests)-1] // on a branch, an agent above asks
	}
	return last
}

// shownAs says of a request that it stands in the view; empty where it does not, or is shorter.
func (l *Ledger) shownAs(r *request) string {
	switch {
	case !r.message || len(r.text) < leastAgain || !l.shownWhole(r.turns[len(r.turns)-1], r.branch):
		return ""
	case r.long:
		return "a longer message, shown outside this summary"
	}
	return "shown outside this summary"
}

func (l *Ledger) requestItems(s *items) {
	last := l.lastRequest()
	for i, r := range slices.Backward(l.requests) {
		if r.back {
			continue
		}
		in, order, lead, rank, size := inDemands, i, "", rankRequest, headSize
		switch {
		case r == last:
			in, order, lead, rank, size = inNow, atRequest, "last request, ", rankTask, taskSize
		case i == 0:
			rank, size = rankTask, taskSize
		case !r.binds && onlyAsks(r.text):
			rank = rankDecision
		}
		switch {
		case r.binds:
			rank = rankBinding
		case len(r.questions) > 0:
			rank = min(rank, rankAnswer)
		}
		where := lead + turns(r.turns) + onBranch(r.branch)
		quoted := quotedBelow
		if len(r.questions) > 0 && r.questions[0] != "" {
			quoted = quotedAnswer
			question, _, _ := strings.Cut(strings.TrimSpace(strings.Join(r.questions, " ")), "\n")
			where += ", to " + code(strings.Trim(question, "#* "), lineLength+proposedPart*(len(r.questions)-1))
		}
		if what := l.shownAs(r); what != "" {
			s.add(in, rank, order, "- %s: %s\n", where, what)
			continue
		}
		if !r.long {
			n := s.add(in, rank, order, "- %s:%s", where, quoted(r.text))
			(*s)[n-1].must = rank != rankDecision
			continue
		}
		head, lines := beginning(r, size)
		tail := ""
		if size == taskSize {
			// What is wanted often stands at the end of a long message.
			if tail = ending(r.text, tailSize); strings.Contains(head, tail) {
				tail = ""
			}
			lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(tail, line) })
		}
		if head == "" && len(lines) > 0 {
			head, lines = lines[0], lines[1:]
		}
		parent := s.add(in, rank, order, "- %s, from a longer message:\n%s", where, quote(head))
		binding := bindingOf(lines)
		for i := 0; i < len(lines); i++ {
			if !binding[i] {
				s.addTo(parent, rankDemand, quote(lines[i]))
				continue
			}
			from := i
			for i+1 < len(lines) && binding[i+1] {
				i++
			}
			s.addTo(parent, rankBinding, quote(strings.Join(lines[from:i+1], "\n")))
		}
		s.addErrors(parent, max(rankTask, min(rankDemand, rank)), r, slices.Concat(lines, []string{head, tail}))
		if tail != "" {
			s.addTo(parent, rankTask, quote("…\n"+tail))
		}
		if utf8.RuneCountInString(r.text) <= longTask {
			whole := rankWords
			if r == last {
				whole = rankLast
			}
			s.addInstead(parent, whole, "- "+where+":"+quotedBelow(r.text))
		}
	}
}

// addErrors adds the errors of a log in a message that do not stand yet.
func (s *items) addErrors(parent, rank int, r *request, stands []string) {
	for _, line := range r.errors {
		if !slices.ContainsFunc(stands, func(text string) bool { return strings.Contains(text, line) }) {
			s.addTo(parent, rank, quote("…\n"+line))
		}
	}
}

// bindingOf says which lines of what a long message demands have precedence: what it
// insists on, and then the others.
func bindingOf(lines []string) []bool {
	binding, bytes := make([]bool, len(lines)), 0
	for _, insists := range []bool{true, false} {
		for i, line := range lines {
			if atom.Insists(line) == insists && bytes+len(line) <= demandSize {
				binding[i] = true
				bytes += len(line)
			}
		}
	}
	return binding
}

// quotedBelow quotes what somebody said below a line that ends in a colon.
func quotedBelow(text string) string { return "\n" + quote(text) }

// quotedAnswer quotes what somebody said to a question: on its line, if it is one
// line (M4a).
func quotedAnswer(text string) string {
	if strings.ContainsAny(text, "\n\r") {
		return quotedBelow(text)
	}
	return strings.TrimPrefix(quote(text), " ")
}

// onlyAsks reports whether a message only asks something: no deed is wanted.
func onlyAsks(text string) bool {
	if !strings.HasSuffix(strings.TrimSpace(text), "?") {
		return false
	}
	folded := " " + strings.ToLower(text)
	return !slices.ContainsFunc([]string{" can you ", " could you ", " can we ", " could we ", " would you ", " will you ", " please ", " let's "}, func(ask string) bool { return strings.Contains(folded, ask) })
}

func onBranch(branch string) string {
	if branch == "" {
		return ""
	}
	return ", branch " + code(branch, lineLength)
}

// beginning gives the head of a long message, and the lines that state
// constraints and are not in it.
func beginning(r *request, characters int) (head string, lines []string) {
	head = opening(r.text, characters)
	// A line that the head breaks off in is left to them.
	whole := strings.TrimRight(strings.TrimSuffix(head, "…"), " \n")
	at := strings.LastIndexByte(whole, '\n') + 1
	if cut := strings.TrimSpace(whole[at:]); cut != "" && head != r.text && slices.ContainsFunc(r.lines, func(line string) bool { return len(line) > len(cut) && strings.HasPrefix(line, cut) }) {
		head = strings.TrimSpace(whole[:at])
	}
	return head, slices.DeleteFunc(slices.Clone(r.lines), func(line string) bool { return strings.Contains(head, line) })
}

// ending is the last whole lines of a text, of so many characters.
func ending(text string, characters int) string {
	text = strings.TrimSpace(text)
	at := len(text)
	for at > 0 {
		next := strings.LastIndexByte(text[:at-1], '\n') + 1
		if utf8.RuneCountInString(text[next:]) > characters {
			break
		}
		at = next
	}
	return strings.TrimSpace(text[at:])
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

// unanswered gives the calls that have no result, the newest first.
func (l *Ledger) unanswered() []*call {
	all := slices.Concat(slices.Collect(maps.Values(l.open))...)
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(b.order, a.order) })
	return all
}

func (l *Ledger) questionItems(s *items) {
	for _, c := range l.unanswered() {
		for _, q := range c.questions {
			s.add(inNow, rankState, atQuestions, "- turn %d, asked and not answered:%s", c.turn, quotedBelow(opening(q, wholeMessage)))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.approvals), func(a, b openKey) int { return cmp.Compare(l.approvals[b].order, l.approvals[a].order) }) {
		a, what, reason := l.approvals[key], "call "+code(key.id, lineLength), "\n"
		if waiting := l.open[key]; len(waiting) > 0 {
			what = waiting[len(waiting)-1].quoted()
		}
		if a.reason != "" {
			reason = quotedBelow(opening(a.reason, wholeMessage))
		}
		s.add(inNow, rankState, atQuestions, "- turn %d, approval of %s asked for and not given:%s", a.turn, what, reason)
	}
	if l.last == "" {
		return
	}
	words := opening(l.last, lastSize)
	s.add(inNow, rankLast, atWords, "- the agent's last words, turn %d:%s", l.lastTurn, quotedBelow(words))
	if lines := slices.DeleteFunc(questionsAtEnd(l.last), func(line string) bool { return strings.Contains(words, line) }); len(lines) > 0 {
		s.add(inNow, rankState, atQuestions, "- turn %d, asked and not answered:%s", l.lastTurn, quotedBelow(strings.Join(lines, "\n")))
	}
}

// lastSize is how many characters of the assistant's last words are quoted.
const lastSize = 1200

// questionsAtEnd gives the last lines of the assistant's last words that are
// questions, at most three.
func questionsAtEnd(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); atom.Asks(line) {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-3):]
}

func (l *Ledger) treeItems(s *items) {
	for _, line := range l.tree.treeLines(l.paths) {
		s.add(inNow, rankState, atTree, "- %s\n", line)
	}
	if l.skill.name != "" {
		s.add(inNow, rankState, atSkill, "- active skill, loaded in turn %d: %s\n", l.skill.turn, code(l.skill.name, lineLength))
	}
}

// errorItems tells what is open with its cause: checks that fail stand where the
// work stands.
func (l *Ledger) errorItems(s *items) {
	if n := len(l.unfollowed); n > 0 {
		s.add(inErrors, rankError, mostFailures, "- %s, of which is not known whether %s\n", number.Count(n, "older error"), map[bool]string{true: "it still holds", false: "they still hold"}[n == 1])
	}
	for i, f := range l.openFailures() {
		in, order, lead := inErrors, i, ""
		if f.command != nil && f.command.check != nil && !f.command.once && !f.misused {
			in, order, lead = inNow, atRed, "red: "
		}
		again := ""
		if f.times > 1 {
			again = fmt.Sprintf(", %d times in a row", f.times)
		}
		cause := strings.Join(causeOf(f.text), "\n")
		if cause != "" {
			cause = quote(cause)
		}
		s.add(in, rankError, order, "- %s%s: %s%s, turn %d\n%s", lead, f.what, f.words, again, f.turn, cause)
	}
}

// causeOf gives the lines of an output that say why a call failed (M4a), each
// whole or, of one over 220 characters, what stands in the middle of words around
// what it tells (P5b).
func causeOf(output string) (lines []string) {
	for _, line := range cause.Of(output) {
		if text := clip(line.Text, fragmentFrom); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	return lines
}

// commandsMost is how many commands are told.
const commandsMost = 15

// commandItems tells the commands worth knowing: checks, and what ran more than
// once and did more than look.
func (l *Ledger) commandItems(s *items) {
	ran := slices.Clone(l.ran)
	slices.SortStableFunc(ran, func(a, b *command) int { return cmp.Compare(b.latest, a.latest) })
	told := 0
	of := map[string]int{} // commands told, by what they check
	for i, c := range ran {
		if told == commandsMost || c.once || c.failed || l.failures[c.key] != nil || c.check == nil && (c.runs < 2 || onlyReads(c.text) || c.readsOnly()) {
			continue
		}
		if c.check != nil {
			if of[c.check.name]++; of[c.check.name] > 2 {
				continue
			}
		}
		rank, words := rankCommand, c.words
		if c.check != nil {
			rank = rankCheck
		}
		if !c.ended {
			words = "no result"
		}
		if c.runs > 1 {
			words += fmt.Sprintf(", ran %d times", c.runs)
		}
		told++
		s.add(inCommands, rank, i, "- %s: %s, turn %d\n", code(c.text, lineLength), words, c.turn)
	}
}
