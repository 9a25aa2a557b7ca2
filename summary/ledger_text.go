package summary

import (
	"fmt"
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
func (l *Ledger) items() []item {
	var items []item
	add := func(it item) int {
		items = append(items, it)
		return len(items)
	}
	l.requestItems(add)
	l.stateItems(add)
	l.planItems(add)
	l.questionItems(add)
	l.errorItems(add)
	l.fileItems(add)
	l.commandItems(add)
	return items
}

// How many characters of a long message are quoted from its beginning: of the
// first and the last request, of others.
const (
	taskSize = 2000
	headSize = 200
)

// demandSize is how many bytes of what one long message demands have
// precedence over the budget.
const demandSize = 1500

func (l *Ledger) requestItems(add func(item) int) {
	last := len(l.requests) - 1
	for i := last; i >= 0; i-- {
		r := l.requests[i]
		it := item{section: inRequests, rank: rankRequest, must: !r.long, order: i}
		switch {
		case r.binds || len(r.questions) > 0:
			it.rank, it.must = rankBinding, true
		case i == 0 || i == last:
			it.rank, it.must = rankTask, true
		}
		where := "- " + turns(r.turns)
		if r.branch != "" {
			where += ", branch " + code(r.branch, lineLength)
		}
		for i, q := range r.questions[:min(len(r.questions), 4)] {
			where += [...]string{", answer to ", ", "}[min(i, 1)] + code(q, lineLength/2)
		}
		if !r.long {
			it.text = where + ":\n" + quote(r.text)
			add(it)
			continue
		}
		size := headSize
		if i == 0 || i == last {
			size = taskSize
		}
		head, lines := beginning(r, size)
		where += fmt.Sprintf(", from %d characters:\n", utf8.RuneCountInString(r.text))
		if head == "" && len(lines) > 0 {
			head, lines = lines[0], lines[1:]
		}
		it.text = where + quote(head)
		parent := add(it)
		first := 0
		for bytes := 0; first < len(lines) && bytes+len(lines[first]) <= demandSize; first++ {
			bytes += len(lines[first])
		}
		if first > 0 {
			add(item{section: inRequests, rank: rankBinding, must: true, order: i, text: quote(strings.Join(lines[:first], "\n")), parent: parent})
		}
		for _, line := range lines[first:] {
			add(item{section: inRequests, rank: rankDemand, order: i, text: quote(line), parent: parent})
		}
	}
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
	if len(list) == 1 {
		return "turn " + strconv.Itoa(list[0])
	}
	if len(list) > 5 {
		return fmt.Sprintf("turn %d and %d before it, since turn %d", list[len(list)-1], len(list)-1, list[0])
	}
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = strconv.Itoa(t)
	}
	return "turns " + strings.Join(words, ", ")
}

func (l *Ledger) stateItems(add func(item) int) {
	if l.entries == 0 {
		return
	}
	add(item{
		section: inState, rank: rankState, must: true,
		text: fmt.Sprintf("- turns %d to %d: %d entries, %d tool calls\n", l.firstTurn, l.turn, l.entries, l.calls),
	})
	if l.skill.name != "" {
		add(item{
			section: inState, rank: rankState, must: true,
			text: fmt.Sprintf("- active skill, loaded in turn %d: %s\n", l.skill.turn, code(l.skill.name, lineLength)),
		})
	}
	for i, c := range l.unanswered() {
		if c.command != nil || len(c.questions) > 0 || len(c.files) > 0 {
			continue // it stands elsewhere
		}
		add(item{
			section: inState, rank: rankOpen, order: i + 1,
			text: fmt.Sprintf("- call without a result, turn %d: %s\n", c.turn, code(c.name+" "+c.arguments, lineLength)),
		})
	}
}

// unanswered gives the calls that have no result, the newest first.
func (l *Ledger) unanswered() []*call {
	var all []*call
	for _, waiting := range l.open {
		all = append(all, waiting...)
	}
	slices.SortFunc(all, func(a, b *call) int { return b.order - a.order })
	return all
}

// planSize is how many items of a plan are quoted in any case; those that are
// done give way to those that are not.
const planSize = 40

func (l *Ledger) planItems(add func(item) int) {
	order := 0
	for _, branch := range l.branches {
		p := l.plans[branch]
		if len(p.items) == 0 && p.text == "" {
			continue
		}
		whose := ""
		if branch != "" {
			whose = ", branch " + code(branch, lineLength)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "- turn %d%s:\n", p.turn, whose)
		if len(p.items) == 0 {
			b.WriteString(quote(clip(p.text, 2*wholeMessage)))
		}
		items := p.items
		if len(items) > planSize {
			items = slices.DeleteFunc(slices.Clone(items), func(i tool.PlanItem) bool { return i.Status == "completed" || i.Status == "cancelled" })
			items = items[:min(len(items), planSize)]
		}
		for _, i := range items {
			id := ""
			if n, err := strconv.Atoi(i.ID); err == nil {
				id = fmt.Sprintf("#%d ", n)
			}
			fmt.Fprintf(&b, "  - [%s] %s%s\n", box(i.Status), id, code(i.Text, lineLength))
		}
		if n := len(p.items) - len(items); n > 0 {
			fmt.Fprintf(&b, "  - (%d more)\n", n)
		}
		add(item{section: inPlan, rank: rankState, must: true, order: order, text: b.String()})
		order++
	}
}

// box is what stands in the box of a plan's item.
func box(status string) string {
	switch status {
	case "completed":
		return "x"
	case "in_progress":
		return "~"
	case "cancelled":
		return "-"
	}
	return " "
}

func (l *Ledger) questionItems(add func(item) int) {
	order := 0
	put := func(text string) {
		add(item{section: inQuestions, rank: rankState, must: true, order: order, text: text})
		order++
	}
	byID := map[string]*call{}
	for _, c := range l.unanswered() {
		byID[c.id] = c
		for _, q := range c.questions {
			put(fmt.Sprintf("- turn %d, asked and not answered:\n%s", c.turn, quote(clip(q, wholeMessage))))
		}
	}
	ids := make([]string, 0, len(l.approvals))
	for id := range l.approvals {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return l.approvals[b].order - l.approvals[a].order })
	for _, id := range ids {
		a := l.approvals[id]
		what := "of call " + code(id, lineLength)
		if c, open := byID[id]; open {
			what = "of " + code(c.name+" "+c.arguments, lineLength)
		}
		text := fmt.Sprintf("- turn %d, approval %s asked for and not given:\n", a.turn, what)
		if a.reason != "" {
			text += quote(clip(a.reason, wholeMessage))
		}
		put(text)
	}
	if lines := asking(l.last); len(lines) > 0 {
		put(fmt.Sprintf("- turn %d, asked and not answered:\n%s", l.lastTurn, quote(strings.Join(lines, "\n"))))
	}
}

// asking gives the last lines of the assistant's last words that are
// questions, at most three.
func asking(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, "?") {
			lines = append(lines, clip(line, wholeMessage))
		}
	}
	return lines[max(0, len(lines)-3):]
}

func (l *Ledger) errorItems(add func(item) int) {
	all := make([]*failure, 0, len(l.failures.byKey))
	for _, f := range l.failures.byKey {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *failure) int { return b.order - a.order })
	for _, f := range all {
		words := times(f.times, "failed")
		if f.last.told {
			words += fmt.Sprintf(", exit code %d", f.last.exit)
		}
		if f.command != nil && f.command.runs > f.times {
			words += fmt.Sprintf(", ran %d times", f.command.runs)
		}
		text := fmt.Sprintf("- %s: %s, turn %d\n", f.what, words, f.turn)
		if len(f.lines) > 0 {
			text += quote(f.lines[0])
		}
		parent := add(item{section: inErrors, rank: rankError, must: true, order: f.order, text: text})
		if len(f.lines) > 1 {
			add(item{section: inErrors, rank: rankDetail, order: f.order, text: quote(strings.Join(f.lines[1:], "\n")), parent: parent})
		}
	}
}

func times(n int, word string) string {
	if n == 1 {
		return word
	}
	return fmt.Sprintf("%s ×%d", word, n)
}

func (l *Ledger) fileItems(add func(item) int) {
	unsure := map[string]bool{}
	open := l.unanswered()
	for i := len(open) - 1; i >= 0; i-- {
		for _, f := range open[i].files {
			if f.Op == tool.FileRead || unsure[f.Path] {
				continue
			}
			unsure[f.Path] = true
			add(item{
				section: inFiles, rank: rankChanged, must: true, order: -1,
				text: fmt.Sprintf("- %s: %s, turn %d, no result\n", code(f.Path, 2*lineLength), f.Op, open[i].turn),
			})
		}
	}
	paths := slices.Clone(l.paths)
	slices.SortStableFunc(paths, func(a, b *file) int { return b.latest - a.latest })
	for i, f := range paths {
		it := item{section: inFiles, order: i, rank: rankRead}
		words := times(f.reads, "read")
		if f.changes > 0 {
			it.rank, it.must = rankChanged, true
			words = times(f.changes, string(f.last))
			if f.reads > 0 {
				words += ", " + times(f.reads, "read")
			}
		} else {
			it.order += len(paths)
		}
		it.text = fmt.Sprintf("- %s: %s, turn %d\n", code(f.path, 2*lineLength), words, f.turn)
		add(it)
	}
}

func (l *Ledger) commandItems(add func(item) int) {
	ran := slices.Clone(l.ran)
	slices.SortStableFunc(ran, func(a, b *command) int { return b.latest - a.latest })
	for i, c := range ran {
		if _, open := l.failures.byKey["command\x00"+c.key]; open && c.ended {
			continue // it stands under the open errors
		}
		it := item{section: inCommands, rank: rankCommand, order: i}
		switch {
		case c.runs > 1:
			it.rank, it.must = rankRepeated, true
		case c.looks:
			it.rank = rankLooking
		}
		words := "no result"
		if c.ended {
			words = "success"
			if c.last.failed {
				words = "error"
			}
			if c.last.told {
				words += fmt.Sprintf(", exit code %d", c.last.exit)
			}
		}
		if c.runs > 1 {
			words += fmt.Sprintf(", ran %d times", c.runs)
		}
		it.text = fmt.Sprintf("- %s: %s, turn %d\n", code(c.text, lineLength), words, c.turn)
		add(it)
	}
}
