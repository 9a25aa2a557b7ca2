package strategy

import (
	"strings"

	"tenfold"
)

const (
	// lastStepPart is the part of the target, as one in so many, up to which the
	// last step stays whole with its thoughts.
	lastStepPart = 5
	// edgeLines is how many lines always stand at the beginning and at the end of
	// a result that is too long to stay whole.
	edgeLines = 3
)

// takeLastStep has the span take in the last step, where that is more than its
// part of the target. Its thoughts go then, as far as no provider requires them
// (P10), and of its results what was chosen stays.
func (f *fitting) takeLastStep() {
	l, turn := f.p.Log(), f.lastResponse()
	t, _ := l.Turn(turn)
	span := tenfold.Range{FromTurn: f.span.FromTurn, ToTurn: turn, ToStep: new(t.Steps - 1)}
	_, last := l.Extent(span)
	tokens := 0
	for seq := f.tail; seq <= last; seq++ {
		if f.p.Reads(seq) {
			_, _, now := f.p.Fate(seq)
			tokens += now
		}
	}
	if tokens > f.limit/lastStepPart {
		f.span, f.last = span, last
	}
}

// lastStepOfBranch is the seq with which the last step of the reader's branch begins.
func (f *fitting) lastStepOfBranch() int64 {
	l, first := f.p.Log(), f.last+1
	turn, step := -1, 0
	for seq := f.last; seq >= f.first; seq-- {
		e, _ := l.Entry(seq)
		if e.Branch != f.p.Branch() || !e.Payload.Kind().Visible() {
			continue
		}
		t, s, _ := l.Where(seq)
		if turn < 0 {
			turn, step = t, s
		}
		if t != turn || s != step {
			break
		}
		first = seq
	}
	return first
}

// keepLastStep keeps what was said and done in the last step: its results whole
// as far as its part of the target goes, the newest first, of the others how
// they begin and end; what the model said too where it is more than half of the target.
func (f *fitting) keepLastStep() {
	l, left := f.p.Log(), f.limit/lastStepPart
	for seq := f.last; seq >= f.tail; seq-- {
		e, _ := l.Entry(seq)
		st := stance{what: StandsLastStep, whole: true}
		switch e.Payload.(type) {
		case tenfold.ToolCall:
			r, _ := l.Entry(l.Pair(seq))
			if st.call, st.whole = true, e.Tokens+r.Tokens <= left; st.whole {
				left -= e.Tokens + r.Tokens
			} else {
				st.body = e.Tokens <= f.limit/lastStepPart
				st.lines = firstAndLastLines(r.Payload)
			}
		case tenfold.UserMessage: // of a host: what a command printed, say
			if st.whole = e.Tokens <= left; st.whole {
				left -= e.Tokens
			} else {
				st.lines = firstAndLastLines(e.Payload)
			}
		case tenfold.AssistantMessage:
			if st.whole = e.Tokens <= f.limit/2; !st.whole {
				st.lines = firstAndLastLines(e.Payload)
			}
		default:
			continue
		}
		if _, there := f.stands[seq]; !there && f.p.Reads(seq) {
			f.stands[seq] = st
		}
	}
}

// firstAndLastLines are the first and the last lines of a result, with what a first one
// announces that ends in a colon; of a long line how it begins.
func firstAndLastLines(p tenfold.Payload) (lines []tenfold.LineRange) {
	if p == nil {
		return nil
	}
	text := strings.TrimRight(tenfold.TextLines(p), "\n")
	n, number, begins := strings.Count(text, "\n")+1, 0, edgeLines
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimSpace(line)
		switch {
		case number == edgeLines && strings.HasSuffix(bare, ":"):
			begins = 2 * edgeLines
		case number > edgeLines && bare == "":
			begins = edgeLines
		}
		if number <= begins || number > n-edgeLines {
			lines = append(lines, shortRange(number, strings.TrimRight(line, "\r\n")))
		}
	}
	return union(nil, lines)
}
