package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
)

const (
	// pointedBack is how many of the model's messages are looked through for them.
	pointedBack = 12
	// decidedBack is of how many of the latest decisions what they are about stays, and
	// decidedLines is how many lines of it.
	decidedBack, decidedLines = 4, 8
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
			if requests(f.p, m) {
				answer := tenfold.TextLines(m)
				f.keepMeant(answer, said)
				if n := len(said); n > 0 && atom.Decides(answer) {
					decided = append(decided, said[n-1])
				}
			}
		}
	}
	for _, seq := range decided[max(0, len(decided)-decidedBack):] {
		f.keepLines(seq, f.lines(seq, proposed(f.text(seq))))
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

// lines are lines of an entry by their numbers, or how each begins.
func (f *fitting) lines(seq int64, numbers []int) (lines []tenfold.LineRange) {
	all := strings.Split(f.text(seq), "\n")
	for _, number := range numbers {
		lines = append(lines, shortRange(number, all[number-1]))
	}
	return lines
}

func (f *fitting) text(seq int64) string {
	e, _ := f.p.Log().Entry(seq)
	return tenfold.TextLines(e.Payload)
}

// keepMeant keeps the lines that one message points at: items of the latest list
// that has them, by their number or letter; else, of the words before a short
// answer, the last question or the last line.
func (f *fitting) keepMeant(answer string, said []int64) {
	if names := atom.Pointers(answer); len(names) > 0 {
		for _, seq := range slices.Backward(said) {
			if items := f.lines(seq, atom.ListItems(f.text(seq), names)); len(items) > 0 {
				f.keepLines(seq, items)
				return
			}
		}
	}
	if n := len(said); n > 0 && atom.IsShortAnswer(answer) {
		f.keepLines(said[n-1], lastQuestion(f.text(said[n-1])))
	}
}

// lastQuestion is the last line that asks, else the last that says anything.
func lastQuestion(text string) (line []tenfold.LineRange) {
	question, number := false, 0
	for one := range strings.Lines(text) {
		number++
		bare := strings.TrimRight(one, " \t\r\n*_")
		if asks := atom.Asks(bare) || strings.Contains(bare, "? ") || strings.Contains(bare, "？"); bare != "" && (asks || !question) {
			line, question = []tenfold.LineRange{shortRange(number, one)}, asks
		}
	}
	return line
}

// proposed is what a text proposes whose question, such as "Does this approach work for
// you?", only points at it.
func proposed(text string) (lines []int) {
	if asked := lastQuestion(text); len(asked) == 0 || !atom.PointsBack(strings.Split(text, "\n")[asked[0].First-1]) {
		return nil
	}
	return atom.Proposal(text, decidedLines)
}

// shortRange is a line, or how it begins.
func shortRange(number int, line string) tenfold.LineRange {
	r := tenfold.LineRange{First: number, Last: number}
	if len(line) > longestBeginning {
		r.To = longestBeginning
	}
	return r
}
