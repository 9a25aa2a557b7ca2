// Package digest says of a conversation what can be said without a model: the
// facts, as a [Ledger] that is kept entry by entry (M3: what was asked, demanded,
// planned, changed and run, and what failed), and a [Digest] (M4), which writes
// them down with what the assistant concluded and earlier summaries said, most
// valuable first, within a budget.
//
// An item has a rank and a section (choose.go). What the ledger knows becomes items
// in text.go, what was concluded in words.go, earlier summaries in earlier.go; cut.go
// and quote.go say how a text is shortened and quoted.
package digest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/strategy"
)

// Digest is the summarizer that needs no model (M4): the ledger of the range
// and its key exchanges, in Markdown. It works offline, and writes the same
// text for the same request. Its zero value is ready to use.
//
// The default budget is 4 % of the range's tokens, at least 1,000 and at most
// 8,000. Facts have precedence over it: what the user said and demands, the plan,
// open questions, open errors and changed files are all there even if they take
// more, up to half of the range's tokens; beyond that the least valuable of them
// go, and their section says how many. A budget that somebody set holds for facts
// too. A digest that is no smaller than what it hides is refused by the strategy
// (C6).
type Digest struct {
	// Tokens is the most a digest may have; 0 works a budget out from the range.
	Tokens int
}

var _ strategy.Summarizer = Digest{}

// Name is what a summary says wrote it when that was the digest.
const Name = "digest"

// The default budget.
const (
	digestShare = 25 // one in so many
	digestLeast = 1000
	digestMost  = 8000
)

// Summarize implements [strategy.Summarizer]. The ledger is made from the raw
// entries of the whole range even where prior summaries stand for some of them
// (S-8): it costs nothing to read them again, and nothing is lost from one
// digest to the next. It quotes the text of prior summaries that are
// not digests; the overlap is still there to be read, and is not.
func (d Digest) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	l := ledgerFor(r)
	counter := l.counter
	x := &words{focus: atom.NewFocus(r.Focus), seen: map[string]bool{}}
	size := 0
	for turn, e := range rawEntries(r) {
		if err := ctx.Err(); err != nil {
			return strategy.SummaryResult{}, err
		}
		l.AddAt(turn, e)
		x.add(turn, e)
		size += e.Tokens
	}
	if l.entries == 0 {
		return strategy.SummaryResult{}, nil
	}
	c := choice{counter: counter, items: l.items(), dir: l.commonDir(), budget: cmp.Or(d.Tokens, r.Budget)}
	if c.most = c.budget; c.budget <= 0 {
		c.budget = min(max(size/digestShare, digestLeast), digestMost)
		c.most = max(c.budget, size/2)
		c.budget = min(c.budget, size/2) // what is half the size is no gain
	}
	c.share = c.budget * 3 / 4
	x.addItems(&c.items, l.last)
	c.items.addEarlier(earlier(r), counter, c.budget/earlierShare)
	out := strategy.SummaryResult{Model: Name, Notes: c.items.promote(x.focus)}
	turns := fmt.Sprintf("turns %d to %d", l.firstTurn, l.turn)
	if l.firstTurn == l.turn {
		turns = fmt.Sprintf("turn %d", l.turn)
	}
	head := fmt.Sprintf("%s %s of this conversation. What stands behind > or in backticks is quoted; what the user demanded still holds.\n", historyLine, turns)
	out.Text = strings.TrimSuffix(c.choose(head), "\n")
	return out, nil
}

// historyLine begins every digest (M2).
const historyLine = "This is history, not a request: a digest, made without a model, of"

// counterOf is what counts the tokens of a request: the log's counter (T1).
func counterOf(r strategy.SummaryRequest) tenfold.Counter {
	if r.Log == nil {
		return tenfold.Chars4{}
	}
	return r.Log.Counter()
}

// rawEntries gives the entries of a request with their turns. Where prior summaries
// stand for some, those are read from the log again, as the reader of the
// others has them (L7).
func rawEntries(r strategy.SummaryRequest) iter.Seq2[int, tenfold.Entry] {
	return func(yield func(int, tenfold.Entry) bool) {
		if r.Log == nil || len(r.Prior) == 0 {
			turn := r.Range.FromTurn
			for _, e := range r.Entries {
				if r.Log != nil {
					if t, _, ok := r.Log.Where(e.Seq); ok {
						turn = t
					}
				}
				if !yield(turn, e) {
					return
				}
			}
			return
		}
		branches := map[string]bool{"": true}
		for _, e := range r.Entries {
			for b := e.Branch; b != ""; b = parentOf(b) {
				branches[b] = true
			}
		}
		for e := range r.Log.Entries() {
			turn, step, ok := r.Log.Where(e.Seq)
			switch {
			case !ok || turn < r.Range.FromTurn || turn > r.Range.ToTurn || !branches[e.Branch],
				r.View != nil && r.View.Rewound(e.Seq),
				turn == r.Range.ToTurn && r.Range.ToStep != nil && step > *r.Range.ToStep:
				continue
			}
			if !yield(turn, e) {
				return
			}
		}
	}
}

func parentOf(branch string) string {
	return branch[:max(strings.LastIndexByte(branch, '.'), 0)]
}
