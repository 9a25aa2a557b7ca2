package strategy

import (
	"context"
	"maps"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/excerpt"
)

// Shares of the target, in percent (fit.md).
const (
	// alwaysShare is what may go to what always stays before that gives way, and ownShare
	// what the person's own short messages may take beside that: together half (F4).
	alwaysShare = 40
	ownShare    = 10
	// usedShare is what must be used, unless all of the log fits (F3).
	usedShare = 92
	// fullShare is what is as good as full: filling up what is left would cost
	// more time than it is worth.
	fullShare = 97
)

// fit finds the overlay that keeps the most within the target: what always
// stays, then the passages that were chosen, then whatever else there is room
// for. Where what always stays is over the target by itself, that is all, unless the
// system prompt and the tools are to blame.
func (f *fitting) fit(ctx context.Context) error {
	stands := maps.Clone(f.stands)
	least := f.reduceAlways()
	if room := f.besideConfig(); least > f.limit && room > f.limit {
		f.limit, f.report.Room = room, room
		f.stands, f.report.GaveWay = stands, 0
		least = f.reduceAlways()
	}
	f.report.Always = f.standing(f.base)
	room := f.limit - least
	if room <= 0 {
		return ctx.Err()
	}
	kept, err := f.choose(ctx, least, room*5/4)
	if err == nil && kept.n > 0 && kept.spent > 0 && !f.isFull(usedShare) {
		// A large passage was next. With no more to spend than there is, it is
		// skipped for smaller ones.
		before, view, best := kept, f.view, f.best
		if kept, err = f.choose(ctx, least, int(int64(room)*int64(kept.estimate)/int64(kept.spent))); f.cost(f.view) < f.cost(view) {
			kept, f.view, f.best = before, view, best
		}
	}
	if err != nil {
		return err
	}
	return f.fillTarget(ctx, kept.picks)
}

// besideConfig is what a share of the target is of where the system prompt and the tools
// leave no room within it: they, and that share of the rest. Without it a target that is
// missed anyway would leave nothing of the conversation.
func (f *fitting) besideConfig() int {
	config := f.base.Totals().Config.After
	if config == 0 || f.Target.Share == 0 {
		return 0
	}
	return config + int(f.Target.Share*float64(f.report.Now-config))
}

// chosen is how far a choice reached: its first n things, what that was estimated
// to cost, and what it did.
type chosen struct {
	picks              []excerpt.Kept
	n, estimate, spent int
}

// choose takes what of a choice for a budget is within the target beside what
// always stays.
func (f *fitting) choose(ctx context.Context, least, budget int) (chosen, error) {
	choice := f.index.Choose(excerpt.Options{
		From: f.first, To: f.last, Since: f.open, Before: f.old, Budget: budget, Edits: f.Edits,
		Whole:   f.stays,
		Hidden:  f.isUntouchable,
		Left:    f.mayChoose(),
		Open:    f.edits(),
		Focus:   f.focus,
		Without: f.Without,
	})
	var kept chosen
	f.view = f.base
	err := upTo(ctx, choice, f.limit-least, func(n int) int {
		picks := choice.First(n)
		if !f.tryExcerpts(picks) {
			return f.cost(f.tried) - least
		}
		kept = chosen{picks, n, choice.Estimate(n), f.cost(f.view) - least}
		return kept.spent
	})
	return kept, err
}

// tryExcerpts lays the overlay that keeps some passages beside what stands, and takes it
// if the view is within the target then.
func (f *fitting) tryExcerpts(kept []excerpt.Kept) bool {
	c := f.overlay(kept)
	f.tried = f.viewWith(c)
	if f.cost(f.tried) > f.limit {
		return false
	}
	f.best, f.view = c, f.tried
	return true
}

// upTo tries how far into a choice a budget reaches: try tells what the first n
// things cost. What a choice says of that is an estimate by shares of entries;
// it is right but for a factor, which the tries before have shown, so that a
// few do. The last try that was within the budget is the best.
func upTo(ctx context.Context, choice excerpt.Choice, budget int, try func(n int) int) error {
	fits, not := 0, choice.Len()+1
	cost := 0 // of what fits
	estimate, actual := 1, 1
	for tries := 0; not-fits > 1 && budget-cost > budget/200; tries++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := (fits + not) / 2
		if tries < 4 {
			n = choice.Within(int(int64(budget) * int64(estimate) / int64(actual)))
		}
		n = min(max(n, fits+1), not-1)
		if c := try(n); c > budget {
			not = n
			estimate, actual = choice.Estimate(n), c
		} else {
			fits, cost = n, c
			estimate, actual = max(choice.Estimate(n), 1), max(c, 1)
		}
	}
	return ctx.Err()
}

// isFull reports whether so many percent of the target are used.
func (f *fitting) isFull(percent int) bool { return f.cost(f.view)*100 >= f.limit*percent }

// besideMark is about what the mark of a run of folded calls costs, which an
// entry that is kept may part in two.
const besideMark = 40

// maxRounds is how often what is left over is looked at again: what was added may
// cost less than it seemed, and what costs more is passed over then.
const maxRounds = 6

// fillTarget spends what the choice left over (F3): first on messages of the person
// that gave way, then on whole results and texts, the newest first; and where
// all of those stand, on the newest steps as they are, thoughts included. The
// last gap is closed with the beginning of a result that does not fit whole.
func (f *fitting) fillTarget(ctx context.Context, kept []excerpt.Kept) error {
	margin := besideMark
	for range maxRounds {
		if f.isFull(fullShare) {
			return nil
		}
		more := f.listMissing(f.limit-f.cost(f.view), margin)
		for n := len(more); n > 0; n = n * 3 / 4 {
			if err := ctx.Err(); err != nil {
				return err
			}
			before := make([]stance, n)
			for i, one := range more[:n] {
				before[i] = f.stands[one.seq]
				f.stands[one.seq] = f.asLeft(one)
			}
			if f.tryExcerpts(kept) {
				break
			}
			for i, one := range more[:n] {
				f.stands[one.seq] = before[i]
				f.refused[one.seq] = n == 1
				if b := before[i]; b.what == "" && !b.whole && !b.call && b.lines == nil {
					delete(f.stands, one.seq)
				}
			}
		}
		switch {
		case len(more) > 0:
		case margin == 0:
			return f.fillTail(ctx, kept)
		default:
			margin = 0 // it may fit all the same
		}
	}
	return f.fillTail(ctx, kept)
}

// fillTail spends what is left when no result fits whole any more.
func (f *fitting) fillTail(ctx context.Context, kept []excerpt.Kept) error {
	if f.isFull(usedShare) {
		return nil
	}
	if err := f.leaveTail(ctx, kept); err != nil || f.isFull(usedShare) {
		return err
	}
	return f.topUp(ctx, kept)
}

// one is a message, or a call with its result.
type one struct {
	seq  int64
	call bool
}

// listMissing lists what of the log is not whole in the view and would be for at
// most so many tokens together: messages of the person, then all else, the
// newest first. What does not fit is skipped; a call costs a margin beside itself.
func (f *fitting) listMissing(tokens, margin int) []one {
	l := f.p.Log()
	var more []one
	take := func(seq int64, call bool, margin int) {
		pair := l.Pair(seq)
		cost := f.missingTokens(seq) + f.missingTokens(pair)
		if pair > 0 && f.pastPlans[pair] {
			return // what it repeats is not missing
		}
		if cost > 0 && cost+margin <= tokens && !f.stands[seq].whole && !f.refused[seq] && !f.isUntouchable(seq) && (pair <= 0 || !f.isOutdated(seq, pair)) {
			tokens -= cost + margin
			more = append(more, one{seq, call})
		}
	}
	for seq := range f.backward(f.first, f.last) {
		if e, _ := l.Entry(seq); f.p.Reads(seq) {
			if m, ok := e.Payload.(tenfold.UserMessage); ok && requests(f.p, m) {
				take(seq, false, 0)
			}
		}
	}
	for seq := range f.backward(f.first, f.last) {
		e, _ := l.Entry(seq)
		switch {
		case !f.p.Reads(seq):
		case e.Payload.Kind() == tenfold.KindToolCall:
			take(seq, true, margin)
		case e.Payload.Kind() == tenfold.KindAssistantMessage, e.Payload.Kind() == tenfold.KindUserMessage && (!isNotice(e.Payload) || f.shielded(seq)):
			take(seq, false, 0)
		}
	}
	return more
}

// isOutdated reports whether a call or its result has lines that their file has no longer.
func (f *fitting) isOutdated(call, result int64) bool {
	return f.index.IsOutdated(call) || f.index.IsOutdated(result)
}

// missingTokens is how many tokens of an entry the view does not have.
func (f *fitting) missingTokens(seq int64) int {
	e, ok := f.p.Log().Entry(seq)
	if !ok {
		return 0
	}
	_, _, after := f.view.Fate(seq)
	if f.left[seq] != nil {
		_, _, left := f.p.Fate(seq)
		return left - after
	}
	return e.Tokens - after
}

// leaveTail leaves the newest steps of the span alone, as many as there is room
// for.
func (f *fitting) leaveTail(ctx context.Context, kept []excerpt.Kept) error {
	l := f.p.Log()
	var ends []tenfold.Range // of the span without one more step each
	left := f.limit - f.cost(f.view)
	turn, step, _ := l.Where(f.last)
	for seq := f.last; seq > max(f.first, f.open) && left > 0; seq-- {
		if t, s, _ := l.Where(seq - 1); t != turn || s != step {
			end := tenfold.Range{FromTurn: f.span.FromTurn, ToTurn: t}
			if all, _ := l.Turn(t); s < all.Steps-1 {
				end.ToStep = new(s)
			}
			if _, last := l.Extent(end); last < seq { // a late result stands with its call
				ends = append(ends, end)
			}
			turn, step = t, s
		}
		if f.p.Reads(seq) {
			left -= max(f.missingTokens(seq), 0)
		}
	}
	span, last := f.span, f.last
	for n := len(ends); n > 0; n = n * 3 / 4 {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.span = ends[n-1]
		if _, f.last = l.Extent(f.span); f.last >= f.first && f.tryExcerpts(kept) {
			return nil
		}
		f.span, f.last = span, last
	}
	return nil
}

// maxTries bounds how many beginnings are tried.
const maxTries = 12

// topUp shows the beginning of the newest results and texts that are too long to
// be shown whole, until the target is used.
func (f *fitting) topUp(ctx context.Context, kept []excerpt.Kept) error {
	l, tries := f.p.Log(), 0
	for seq := range f.backward(f.first, f.last) {
		if f.isFull(usedShare) || tries >= maxTries {
			break
		}
		at := seq
		switch e, _ := l.Entry(seq); e.Payload.Kind() {
		case tenfold.KindToolCall:
			at = l.Pair(seq)
		case tenfold.KindAssistantMessage:
		case tenfold.KindUserMessage:
			if isRequest(e) || !f.shielded(seq) {
				continue
			}
		default:
			continue
		}
		st := f.stands[seq]
		if !f.p.Reads(seq) || f.hides(seq) || f.shortened(seq) || f.pastPlans[at] || st.whole || f.missingTokens(at) <= 0 || f.isOutdated(seq, at) {
			continue
		}
		n, err := f.topUpOne(ctx, kept, seq, at, maxTries-tries)
		if tries += n; err != nil {
			return err
		}
	}
	return nil
}

// topUpOne shows as much of the beginning of a result or a text as fits, and says how many
// lengths it tried.
func (f *fitting) topUpOne(ctx context.Context, kept []excerpt.Kept, seq, at int64, most int) (tries int, err error) {
	e, _ := f.p.Log().Entry(at)
	text := tenfold.TextLines(e.Payload)
	was, stood := f.stands[seq]
	// What stands of it already costs nothing more.
	size := f.limit - f.cost(f.view) + e.Tokens - f.missingTokens(at)
	for fits, fails := 0, 0; size > fits && tries < most; tries++ {
		if err := ctx.Err(); err != nil {
			return tries, err
		}
		more := was
		more.call = at != seq
		if more.lines = union(was.lines, f.beginning(text, size)); len(more.lines) == 0 {
			break
		}
		if f.stands[seq] = more; f.tryExcerpts(kept) {
			if was, stood, fits = more, true, size; fails == 0 || f.isFull(usedShare) {
				break
			}
		} else {
			if fails = size; stood {
				f.stands[seq] = was
			} else {
				delete(f.stands, seq)
			}
		}
		if size = size * 3 / 4; fits > 0 {
			size = fits + (fails-fits)/2
		}
	}
	return tries, nil
}

// beginning is the first lines of a text, for at most so many tokens; of a line
// that is too long the part that fits.
func (f *fitting) beginning(text string, tokens int) []tenfold.LineRange {
	counter, number := f.p.Log().Counter(), 0
	for line := range strings.Lines(text) {
		cost := counter.Count(line)
		if cost > tokens {
			break
		}
		tokens -= cost
		number++
	}
	var lines []tenfold.LineRange
	if number > 0 {
		lines = append(lines, tenfold.LineRange{First: 1, Last: number})
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n == number+1 && tokens > longestBeginning/4 && len(line) > longestBeginning {
			if to := min(len(line), len(line)*tokens/max(counter.Count(line), 1)); !atom.HoldsData(line[:to]) {
				lines = append(lines, tenfold.LineRange{First: n, Last: n, To: to})
			}
		}
	}
	return lines
}
