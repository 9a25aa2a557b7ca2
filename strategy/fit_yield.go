package strategy

import (
	"cmp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
)

const (
	// longContext is how many tokens a standing instruction has that gives way first, and
	// leastContext how many one has at least that does, and are left of each.
	longContext  = 1000
	leastContext = 200
)

// concession is something that always stays and may give way: what is left of it
// then, and about how many tokens that saves.
type concession struct {
	seq   int64
	left  stance
	gone  bool // nothing is said of it any more
	saves int
	// last is for what gives way only where the target would be missed.
	last bool
}

// reduceAlways has what always stays give way, in the order of F4, until it is within
// its share of the target, and gives what it costs then. The last request and
// pins never do, nor what is left of the last step.
func (f *fitting) reduceAlways() int {
	f.project()
	least := f.cost(f.base)
	share := f.limit * alwaysShare / 100
	if f.report.Room > 0 { // half of what is not prompt and tools
		config := f.base.Totals().Config.After
		share = config + (f.limit-config)*alwaysShare/100
	}
	if least <= share {
		return least
	}
	list := f.concessions()
	for len(list) > 0 {
		last, goal := list[0].last, share
		if last {
			goal = f.limit
		}
		if least <= goal {
			break
		}
		left, n := least-goal, 0
		for n < len(list) && left > 0 && list[n].last == last {
			f.concede(list[n])
			left -= list[n].saves
			n++
		}
		list = list[n:]
		f.project()
		least = f.cost(f.base)
	}
	return least
}

// project lays what always stays alone.
func (f *fitting) project() {
	f.best = f.overlay(nil)
	f.base = f.viewWith(f.best)
	f.view = f.base
}

func (f *fitting) concede(c concession) {
	f.report.GaveWay++
	if c.gone {
		delete(f.stands, c.seq)
		return
	}
	f.stands[c.seq] = c.left
}

// concessions lists what may give way, in the order of F4. Notices and long
// messages of the person have given way from the start: they stand as far as
// they are chosen. Then come standing instructions over 1,000 tokens, to their
// blocks, rules first, and where that is not enough those over 200; a plan in words, to
// its open items; older short messages, the oldest first, but the first of all and
// those that state a constraint last, and the newest of both only where the target would
// be missed. Of those the constraint stays. What P9 shields does not give way.
func (f *fitting) concessions() []concession {
	l, counter := f.p.Log(), f.p.Log().Counter()
	var named, long, contexts, messages, plans, short, late, last []concession
	put := func(to *[]concession, seq int64, what, text string, lines []tenfold.LineRange) {
		_, _, now := f.base.Fate(seq)
		if saves := now - counter.Count(shownOf(text, lines)); saves > 0 {
			*to = append(*to, concession{seq: seq, left: stance{what: what, lines: lines}, saves: saves})
		}
	}
	task := int64(0)
	for seq := range f.each(f.first, f.last) {
		e, _ := l.Entry(seq)
		fate, _, tokens := f.base.Fate(seq)
		if _, ok := e.Payload.(tenfold.AssistantMessage); ok && f.stands[seq].what == StandsMessages {
			short = append(short, concession{seq: seq, gone: true, saves: tokens})
			continue
		}
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || !f.p.Reads(seq) || fate == tenfold.Omitted || fate == tenfold.Summarised {
			continue
		}
		text := tenfold.TextLines(m)
		if requests(f.p, m) {
			text = wordsOf(m)
		}
		st, stands := f.stands[seq]
		if task == 0 && requests(f.p, m) {
			task = seq
		}
		switch {
		case f.isRenewed(f.base, seq):
		case m.Purpose == tenfold.Context && tokens > leastContext && st.what != StandsPins:
			to := &contexts
			if tokens > longContext {
				to = &long
			}
			put(to, seq, StandsContext, text, f.ruleLines(text, min(max(f.limit/8, leastContext), longContext)))
		case !stands || st.what != StandsMessages || f.shielded(seq):
		case !st.whole:
			put(&last, seq, StandsMessages, text, f.leadLines(text))
		case tokens > shortMessage:
			put(&messages, seq, StandsMessages, text, f.gistLines(text))
		case atom.StatesConstraint(text):
			put(&late, seq, StandsMessages, text, f.demandLines(text, shortMessage))
		case seq == task:
			put(&late, seq, StandsMessages, text, f.leadLines(text))
		default:
			put(&short, seq, StandsMessages, text, nil)
		}
	}
	for _, c := range f.calls {
		_, _, call := f.base.Fate(c.seq)
		_, _, result := f.base.Fate(c.result)
		switch st := f.stands[c.seq]; {
		case st.named:
			named = append(named, concession{seq: c.seq, gone: true, saves: call + result})
		case st.call && st.what == StandsMessages:
			short, late = f.addAnswer(c, short, late)
		case st.call && st.whole && st.what == StandsPlan:
			plans = f.planItems(c, plans)
		}
	}
	for _, list := range [][]concession{short, late} {
		slices.SortStableFunc(list, func(a, b concession) int { return cmp.Compare(a.seq, b.seq) })
	}
	// What a person said stays to a tenth of the target where all else has given way: it
	// costs next to nothing, and what the agent did upon a word that is gone seems done unasked.
	room := f.limit * ownShare / 100
	late, lateLast := within(late, &room)
	short, shortLast := within(short, &room)
	last = slices.Concat(shortLast, lateLast, last)
	for i := range last {
		last[i].last = true
	}
	return slices.Concat(named, long, contexts, messages, plans, short, late, last)
}

// within parts a list where the newest of it that save no more than there is room begin.
func within(list []concession, room *int) (older, newer []concession) {
	n := len(list)
	for n > 0 && list[n-1].saves <= *room {
		n--
		*room -= list[n].saves
	}
	return list[:n], list[n:]
}

// addAnswer adds an answer, or what was said of a refused call, to what gives way:
// whole to the first list, or to the second all but what it demands.
func (f *fitting) addAnswer(c toolCall, short, late []concession) (_, _ []concession) {
	_, _, call := f.base.Fate(c.seq)
	_, _, result := f.base.Fate(c.result)
	r, _ := f.p.Log().Entry(c.result)
	text := tenfold.TextLines(r.Payload)
	demands := f.demandLines(withoutHostWords(text), shortMessage)
	if len(demands) == 0 {
		return append(short, concession{seq: c.seq, gone: true, saves: call + result}), late
	}
	saves := result - f.p.Log().Counter().Count(shownOf(text, demands))
	return short, append(late, concession{seq: c.seq, left: stance{what: StandsMessages, call: true, lines: demands}, saves: max(saves, 1)})
}

// withoutHostWords is the text of an answer with blanks in place of what the host wrote
// before a person's words on a refused call.
func withoutHostWords(text string) string {
	words, ok := tenfold.Refusal(text)
	if !ok {
		return text
	}
	head := []byte(text[:len(text)-len(words)])
	for i := range head {
		if head[i] != '\n' {
			head[i] = ' '
		}
	}
	return string(head) + words
}

// linesOf gives those of the lines that a log or a caller names which a text has.
func linesOf(text string, named []tenfold.LineRange) []tenfold.LineRange {
	out, n := []tenfold.LineRange{}, 0
	for range strings.Lines(text) {
		n++
	}
	for _, r := range named {
		r.First, r.Last, r.From = max(r.First, 1), min(r.Last, n), max(r.From, 0)
		switch {
		case r.First > r.Last:
		case r.To == 0 && r.From == 0, r.From < r.To && r.First == r.Last:
			out = append(out, r)
		}
	}
	return out
}

// shownOf is about what is left of a text of which lines are kept.
func shownOf(text string, lines []tenfold.LineRange) string {
	var out strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, r := range lines {
			switch {
			case number < r.First || number > r.Last:
			case r.To > 0:
				out.WriteString(line[min(r.From, len(line)):min(r.To, len(line))] + "\n")
			default:
				out.WriteString(line)
			}
		}
	}
	return out.String()
}

// ruleLines are the blocks of a standing instruction that state rules, then others,
// each kind in order, for at most so many tokens. A block is lines without a
// blank one between.
func (f *fitting) ruleLines(text string, tokens int) []tenfold.LineRange {
	counter := f.p.Log().Counter()
	type block struct {
		lines tenfold.LineRange
		text  string
		rule  bool
	}
	var blocks []block
	number, at, open := 0, 0, false
	for line := range strings.Lines(text) {
		number++
		switch {
		case strings.TrimSpace(line) == "":
			open = false
		case open:
			b := &blocks[len(blocks)-1]
			b.lines.Last, b.text = number, text[at-len(b.text):at+len(line)]
		default:
			open = true
			blocks = append(blocks, block{lines: tenfold.LineRange{First: number, Last: number}, text: line})
		}
		at += len(line)
	}
	for i := range blocks {
		blocks[i].rule = atom.StatesConstraint(blocks[i].text)
	}
	var kept []tenfold.LineRange
	for _, rule := range []bool{true, false} {
		for _, b := range blocks {
			if b.rule != rule {
				continue
			}
			cost := counter.Count(b.text) + 1
			switch {
			case cost <= tokens:
				kept = union(kept, []tenfold.LineRange{b.lines})
			case rule: // of a long one the lines that do
				lines := f.demandLines(b.text, tokens)
				cost = counter.Count(shownOf(b.text, lines))
				kept = union(kept, shifted(lines, b.lines.First-1))
			default:
				continue
			}
			tokens -= cost
		}
	}
	if len(kept) == 0 {
		return f.leadLines(text)
	}
	return kept
}

// shifted moves ranges by so many lines.
func shifted(lines []tenfold.LineRange, by int) []tenfold.LineRange {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].First += by
		lines[i].Last += by
	}
	return lines
}
