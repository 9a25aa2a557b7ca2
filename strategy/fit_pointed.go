package strategy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/atom"
)

const (
	// pointingWords is how many words a message may have to point at what was said
	// before it: "do 1+2 next"; a longer one has its own subject.
	pointingWords = 40
	// fewWords is in how many words a single small letter is a name: "do a".
	fewWords = 6
	// pointedLines is how many items one message points at.
	pointedLines = 8
	// pointedBack is how many of the model's messages are looked through for them.
	pointedBack = 12
	// decidedBack is of how many of the latest decisions what they are about stays, and
	// decidedLines is how many lines of it.
	decidedBack, decidedLines = 4, 8
)

// An item of a list that can be pointed at by number or letter: "2. Move it",
// "### 2) Move it", "- **Option B** (mine): wait", "**C** — wait".
var listItem = regexp.MustCompile(`^[\s>]*(?:[-*+]\s+)?(?:#+\s*)?[*_(]*` +
	`(?:(?i:option|step|item|point|variant)\s+(\d{1,2}|[A-Ha-h])\b|(\d{1,2}|[A-Ha-h])[*_]*(?:[.):]|\s+[—–-]\s))`)

// What points at items: numbers and single letters, "3", "#3", "1+2", "2-4", "B".
var (
	listNumber = regexp.MustCompile(`(?:^|[\s#(+,/&-])(\d{1,2})(?:\s*(?:-|–|to)\s*(\d{1,2}))?(?:$|[\s),;:!?+/&-]|[.](?:$|\s))`)
	listLetter = regexp.MustCompile(`(?:^|[\s("'])([A-Ha-h])(?:$|[\s).,;:!?"'])`)
)

// keepPointed keeps the lines of the model's words that a person's message means
// and does not repeat: "do 1+2 next" says nothing without the list, which may be a
// few messages back, and "let's do that" nothing without the question (F5); and what
// the person agreed to or declined, where the question names it "this approach".
func (f *fitting) keepPointed() {
	l := f.p.Log()
	var said []int64    // the model's words, the latest last
	var decided []int64 // those that the person agreed to or declined
	for seq := range f.each(f.first, f.p.Version()) {
		if !f.p.Reads(seq) {
			continue
		}
		e, _ := l.Entry(seq)
		switch m := e.Payload.(type) {
		case tenfold.AssistantMessage:
			if said = append(said, seq); len(said) > pointedBack {
				said = said[1:]
			}
		case tenfold.UserMessage:
			if m.IsRequest() {
				answer := tenfold.TextLines(m)
				f.keepMeant(answer, said)
				if n := len(said); n > 0 && atom.Decides(answer) {
					decided = append(decided, said[n-1])
				}
			}
		}
	}
	for _, seq := range decided[max(0, len(decided)-decidedBack):] {
		f.keepLines(seq, proposed(f.text(seq)))
	}
}

// keepLines keeps lines of the model's words, as long as the person's are.
func (f *fitting) keepLines(seq int64, lines []tenfold.LineRange) {
	st, there := f.stands[seq]
	if len(lines) == 0 || seq > f.last || f.hides(seq) || st.whole || (there && st.what != StandsMessages) {
		return
	}
	f.stands[seq] = stance{what: StandsMessages, lines: union(st.lines, lines)}
}

func (f *fitting) text(seq int64) string {
	e, _ := f.p.Log().Entry(seq)
	return tenfold.TextLines(e.Payload)
}

// keepMeant keeps the lines that one message points at: items of the latest list
// that has them, by their number or letter; else, of the words before a short
// answer, the last question or the last line.
func (f *fitting) keepMeant(answer string, said []int64) {
	words := 0
	for range strings.FieldsSeq(answer) {
		if words++; words > pointingWords {
			return
		}
	}
	if names := pointers(answer); len(names) > 0 {
		for _, seq := range slices.Backward(said) {
			if items := listItems(f.text(seq), names); len(items) > 0 {
				f.keepLines(seq, items)
				return
			}
		}
	}
	if n := len(said); n > 0 && atom.IsShortAnswer(answer) {
		f.keepLines(said[n-1], lastQuestion(f.text(said[n-1])))
	}
}

// listItems are the items that names of one list mean: of the last that has all of
// them, titles before items and items before those under them; else the first of each
// name.
func listItems(text string, names []string) (items []tenfold.LineRange) {
	type item struct {
		name string
		at   tenfold.LineRange
	}
	type list struct {
		depth, last int // how far it stands in, titles least; and its last number
		items       []item
	}
	var all []item
	var lists []list
	number := 0
	for line := range strings.Lines(text) {
		number++
		m := listItem.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1] + m[2] // one of the two
		one := item{strings.ToLower(name), shortRange(number, line)}
		count, err := strconv.Atoi(name)
		if err != nil {
			count = int(one.name[0])
		}
		bare := strings.TrimLeft(line, " \t>")
		depth := 1 + len(line) - len(bare)
		if bare[0] == '#' {
			depth = 0
		}
		at := len(lists) - 1
		for ; at >= 0 && lists[at].depth != depth; at-- {
		}
		if at < 0 || count <= lists[at].last {
			at, lists = len(lists), append(lists, list{depth: depth})
		}
		lists[at].last, lists[at].items = count, append(lists[at].items, one)
		if slices.Contains(names, one.name) && !slices.ContainsFunc(all, func(other item) bool { return other.name == one.name }) {
			all = append(all, one)
		}
	}
	best, deep := all, -1
	for _, l := range slices.Backward(lists) {
		l.items = slices.DeleteFunc(l.items, func(one item) bool { return !slices.Contains(names, one.name) })
		if len(l.items) == len(all) && (deep < 0 || l.depth < deep) {
			best, deep = l.items, l.depth
		}
	}
	for _, one := range best {
		items = append(items, one.at)
	}
	return items
}

// lastQuestion is the last line that asks, else the last that says anything.
func lastQuestion(text string) (line []tenfold.LineRange) {
	question, number := false, 0
	for one := range strings.Lines(text) {
		number++
		bare := strings.TrimRight(one, " \t\r\n*_")
		if asks := strings.HasSuffix(bare, "?") || strings.Contains(bare, "? "); bare != "" && (asks || !question) {
			line, question = []tenfold.LineRange{shortRange(number, one)}, asks
		}
	}
	return line
}

// proposed is what a text proposes whose question, such as "Does this approach work for
// you?", only points at it.
func proposed(text string) (lines []tenfold.LineRange) {
	all := strings.Split(text, "\n")
	if asked := lastQuestion(text); len(asked) == 0 || !atom.PointsBack(all[asked[0].First-1]) {
		return nil
	}
	for _, number := range atom.Proposal(text, decidedLines) {
		lines = append(lines, shortRange(number, all[number-1]))
	}
	return lines
}

// pointers are the numbers and letters in a message that may name items.
func pointers(text string) []string {
	var names []string
	for rest := text; strings.ContainsAny(rest, "0123456789"); {
		m := listNumber.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		from, _ := strconv.Atoi(rest[m[2]:m[3]])
		to := from
		if m[4] >= 0 {
			to, _ = strconv.Atoi(rest[m[4]:m[5]])
		}
		for n := from; n <= to && n < from+pointedLines; n++ {
			names = append(names, strconv.Itoa(n))
		}
		rest = rest[max(m[3], m[5]):]
	}
	letters := listLetter.FindAllStringSubmatch(text, -1)
	// Among more words only capitals are names, and "A" only beside another.
	few := len(strings.Fields(text)) <= fewWords
	others := slices.ContainsFunc(letters, func(m []string) bool { return m[1] >= "B" && m[1] <= "H" })
	for _, m := range letters {
		if few || others && m[1] <= "H" {
			names = append(names, strings.ToLower(m[1]))
		}
	}
	return names
}

// shortRange is a line, or how it begins.
func shortRange(number int, line string) tenfold.LineRange {
	r := tenfold.LineRange{First: number, Last: number}
	if len(line) > longestBeginning {
		r.To = longestBeginning
	}
	return r
}
