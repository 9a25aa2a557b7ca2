package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/tool"
)

const (
	// namedPart is the part of the target, as one in so many, that may go to what a request
	// names, and mostNamed how many such things.
	namedPart, mostNamed = 12, 3
	// namedBack is how many calls are looked through behind the request for the look at them,
	// and mostRequests how many requests that name something.
	namedBack, mostRequests = 30, 16
)

// keepNamed keeps how those results begin that show what the latest request names which has
// been looked at: "solve issue 7670" or "do what plan.md says" says nothing without (F5). Of
// a list with boxes the open items stay.
func (f *fitting) keepNamed() {
	l, asked := f.p.Log(), 0
	for seq := range f.backward(f.first, f.p.Version()) {
		if turn, _, _ := l.Where(seq); turn < l.Turns()-recentTurns {
			return
		}
		e, _ := l.Entry(seq)
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || !requests(f.p, m) || !f.p.Reads(seq) {
			continue
		}
		subjects := atom.Subjects(wordsOf(m))
		if len(subjects) == 0 {
			continue
		}
		looks := f.looksAt(subjects, seq)
		for _, c := range looks {
			f.keepBeginning(c, f.limit/namedPart/len(looks))
		}
		if asked++; len(looks) > 0 || asked == mostRequests {
			return
		}
	}
}

// looksAt are the first calls behind a request that looked at each of some things, and did nothing else.
func (f *fitting) looksAt(subjects []atom.Subject, request int64) (looks []toolCall) {
	behind := 0
	for _, c := range f.calls {
		if c.seq < request || c.seq > f.last {
			continue
		}
		if behind++; behind > namedBack || len(looks) == mostNamed || len(subjects) == 0 {
			break
		}
		t, _ := tool.Lookup(c.call.Name)
		r := payloadOf[tenfold.ToolResult](f.p.Log(), c.result)
		if c.result == 0 || r.Ended().Bad() || t.Kind == tool.Plans || t.Kind == tool.Lists || t.Kind == tool.Searches || len(t.Call(c.call.Arguments).Changes) > 0 {
			continue
		}
		if n := slices.IndexFunc(subjects, func(s atom.Subject) bool { return s.In(c.call.Arguments) }); n >= 0 {
			subjects = slices.Delete(slices.Clone(subjects), n, n+1)
			looks = append(looks, c)
		}
	}
	return looks
}

// keepBeginning keeps a result, or for at most so many tokens how it begins and, of a list with
// boxes, the open items.
func (f *fitting) keepBeginning(c toolCall, tokens int) {
	r, _ := f.p.Log().Entry(c.result)
	st := stance{what: StandsMessages, named: true, answer: r.Tokens <= tokens}
	for _, items := range []bool{true, false} {
		number, left := 0, tokens
		if items {
			left = tokens / 2
		}
		for line := range strings.Lines(tenfold.TextLines(r.Payload)) {
			number++
			if st.answer || items && !isOpenItem(line) {
				continue
			}
			one, cost := tenfold.LineRange{First: number, Last: number}, f.p.Log().Counter().Count(line)
			if cost > left { // the last; all of an issue may be one line of JSON
				if one.To = max(longestBeginning, len(line)*left/cost); one.To >= len(line) {
					one.To = 0
				}
			}
			st.lines = union(st.lines, []tenfold.LineRange{one})
			if cost > left {
				break
			}
			left -= cost
			tokens -= cost
		}
	}
	f.keepCall(c.seq, st)
}

// isOpenItem reports whether a line of a document is an item of a list with a box that is not ticked.
func isOpenItem(line string) bool {
	items := tool.Checklist(line[atom.Gutter(line):])
	return len(items) > 0 && items[0].Status != "completed"
}
