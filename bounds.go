package tenfold

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"tenfold/problem"
)

// A Range is the turns an overlay covers: both bounds inclusive, ToStep nil
// when the whole last turn is meant (C1).
type Range struct {
	FromTurn, ToTurn int
	ToStep           *int
}

// String writes the range as "3..7" or, ending inside a turn, "3..7.12".
func (r Range) String() string {
	s := strconv.Itoa(r.FromTurn) + ".." + strconv.Itoa(r.ToTurn)
	if r.ToStep != nil {
		s += "." + strconv.Itoa(*r.ToStep)
	}
	return s
}

// On puts the range's bounds on an overlay.
func (r Range) On(c Compaction) Compaction {
	c.FromTurn, c.ToTurn, c.ToStep = r.FromTurn, r.ToTurn, r.ToStep
	return c
}

// A Bound is one end of a range as a person writes it (C3).
type Bound struct {
	kind boundKind
	n    int
	ago  time.Duration
}

type boundKind uint8

const (
	boundTurn boundKind = iota
	boundBack
	boundAgo
	boundLast
)

// ParseBound reads a bound: a turn ("5"), turns before the last ("-3"), a time
// ago ("5h", "2d", "1w", "90m"), or "last".
func ParseBound(text string) (Bound, error) {
	s := strings.TrimSpace(text)
	if s == "last" {
		return Bound{kind: boundLast}, nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		if strings.HasPrefix(s, "-") {
			return Bound{kind: boundBack, n: -n}, nil
		}
		return Bound{kind: boundTurn, n: n}, nil
	}
	if ago, ok := parseAgo(s); ok {
		return Bound{kind: boundAgo, ago: ago}, nil
	}
	return Bound{}, &problem.Error{Problem: "invalid bound " + strconv.Quote(text), Hint: "write a turn (5), turns before the last (-3), a time ago (5h, 2d) or last"}
}

// parseAgo reads a duration that may use days and weeks.
func parseAgo(s string) (time.Duration, bool) {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			return time.Duration(n * float64(length)), err == nil && n >= 0 && n < 36500
		}
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// A Tail is what stays untouched at the end of a conversation.
type Tail struct {
	// Turns is how many turns to keep; negative means no limit by turns.
	Turns int
	// Tokens is the most tokens to keep, in whole steps, the last step
	// always; 0 means no limit by tokens.
	Tokens int
}

// DefaultTail is three turns, but at most 20,000 tokens (C3).
func DefaultTail() Tail { return Tail{Turns: 3, Tokens: 20_000} }

// ParseTail reads "3" (turns) or "20k", "20000t" (tokens): what --keep takes.
func ParseTail(text string) (Tail, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return Tail{Turns: n}, nil
	}
	if n, ok := ParseTokens(s); ok {
		return Tail{Turns: -1, Tokens: n}, nil
	}
	return Tail{}, &problem.Error{Problem: "invalid number to keep " + strconv.Quote(text), Hint: "write turns (3) or tokens (20k)"}
}

// ParseTokens reads a token count with its unit, of one token at least: "20k", "1.5m", "800t".
func ParseTokens(text string) (int, bool) {
	s := strings.ToLower(strings.TrimSpace(text))
	for unit, factor := range map[string]float64{"t": 1, "k": 1e3, "m": 1e6} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n*factor >= 1 && n*factor <= math.MaxInt32) { // not so for NaN
				return 0, false
			}
			return int(n * factor), true
		}
	}
	return 0, false
}

// Bounds asks for a range as a command line does. Nil From is the start. Nil To
// leaves the end to Tail, and nil Tail is [DefaultTail].
type Bounds struct {
	From, To *Bound
	Tail     *Tail
	// Now is the moment durations count back from.
	Now time.Time
}

// ErrLastAsTo says that "last" can only be where a range begins.
var ErrLastAsTo = errors.New(`"last" is where a range begins, not where it ends`)

// Resolve turns bounds into a range of the log as it stands (C3). An empty
// range is not an error: ok is false, and why says so in words.
func (p *Projection) Resolve(b Bounds) (r Range, ok bool, why string, err error) {
	turns := p.log.Turns()
	if turns == 0 {
		return r, false, "the conversation has no turns", nil
	}
	if b.From != nil {
		r.FromTurn = p.fromTurn(*b.From, b.Now)
	}
	if b.To != nil {
		if b.To.kind == boundLast {
			return r, false, "", ErrLastAsTo
		}
		r.ToTurn = min(p.toTurn(*b.To, b.Now), turns-1)
		if r.ToTurn < 0 {
			return r, false, "the range ends before turn 0", nil
		}
	} else {
		tail := DefaultTail()
		if b.Tail != nil {
			tail = *b.Tail
		}
		var whole bool
		if r.ToTurn, r.ToStep, whole = p.cut(tail); whole {
			return r, false, fmt.Sprintf("the range holds no turns (%d of %d kept)", turns, turns), nil
		}
	}
	switch {
	case r.FromTurn >= turns:
		return r, false, fmt.Sprintf("the range begins at turn %d, after the last (turn %d)", r.FromTurn, turns-1), nil
	case r.FromTurn > r.ToTurn:
		return r, false, fmt.Sprintf("the range begins at turn %d and ends at turn %d", r.FromTurn, r.ToTurn), nil
	}
	return r, true, "", nil
}

func (p *Projection) fromTurn(b Bound, now time.Time) int {
	turns := p.log.Turns()
	switch b.kind {
	case boundBack:
		return max(turns-1-b.n, 0)
	case boundLast:
		return p.afterCompactions()
	case boundAgo:
		since := now.Add(-b.ago)
		for i := range turns {
			if t, _ := p.log.Turn(i); t.Started.After(since) {
				return i
			}
		}
		return turns
	}
	return b.n
}

func (p *Projection) toTurn(b Bound, now time.Time) int {
	turns := p.log.Turns()
	switch b.kind {
	case boundBack:
		return turns - 1 - b.n
	case boundAgo:
		at := now.Add(-b.ago)
		for i := turns - 1; i >= 0; i-- {
			if t, _ := p.log.Turn(i); !t.Started.IsZero() && !t.Started.After(at) {
				return i
			}
		}
		return -1
	}
	return b.n
}

// afterCompactions is the turn that "last" means: the one after the largest
// end of the live compactions, or that turn if it was covered in part.
func (p *Projection) afterCompactions() int {
	from := 0
	for i := range p.overlays {
		o := &p.overlays[i]
		if !o.live || o.lo > o.hi {
			continue
		}
		next := o.turns.ToTurn + 1
		if o.turns.ToStep != nil {
			next--
		}
		from = max(from, next)
	}
	return from
}

// cut finds the end of the range that leaves the tail: inside a turn, at a
// step, when the token limit decides. whole means that all is kept.
func (p *Projection) cut(t Tail) (toTurn int, toStep *int, whole bool) {
	l := p.log
	turns := l.Turns()
	toTurn = -1
	if t.Turns >= 0 {
		toTurn = max(turns-1-t.Turns, -1)
	}
	if t.Tokens <= 0 {
		return toTurn, nil, toTurn < 0
	}
	left := int64(t.Tokens)
	for turn, newest := turns-1, true; turn > toTurn; turn-- {
		for step := l.stepCount(turn) - 1; step >= 0; step-- {
			left -= l.stepTokens(turn, step)
			if left < 0 && !newest {
				return turn, l.partOf(turn, step), false
			}
			newest = false
		}
	}
	return toTurn, nil, toTurn < 0
}

// partOf is the ToStep of a range that ends with the given step: nil for a
// turn's last one.
func (l *Log) partOf(turn, step int) *int {
	if step == l.stepCount(turn)-1 {
		return nil
	}
	return &step
}

// stepTokens sums the root entries that stand in a step's place.
func (l *Log) stepTokens(turn, step int) int64 {
	var sum int64
	first := l.steps.get(int(l.turns.get(turn).step) + step)
	for seq := first; seq <= l.stepEnd(turn, step); seq++ {
		if n := l.node(seq); n.visible() && n.branch == 0 {
			sum += int64(n.tokens)
		}
	}
	return sum
}

// ExtendSummary widens a range that a new summary is to cover until it meets
// no live summary in part: to the union with each it meets (C4).
func (p *Projection) ExtendSummary(r Range) Range {
	for grown := true; grown; {
		grown = false
		for i := range p.overlays {
			o := &p.overlays[i]
			if !o.live || o.c.Summary == nil || o.lo > o.hi {
				continue
			}
			s := o.turns
			if s.FromTurn > r.ToTurn || s.ToTurn < r.FromTurn {
				continue
			}
			if u := r.union(s); !u.same(r) {
				r, grown = u, true
			}
		}
	}
	return r
}

func (r Range) union(s Range) Range {
	u := Range{FromTurn: min(r.FromTurn, s.FromTurn), ToTurn: r.ToTurn, ToStep: r.ToStep}
	switch {
	case s.ToTurn > r.ToTurn:
		u.ToTurn, u.ToStep = s.ToTurn, s.ToStep
	case s.ToTurn == r.ToTurn && (s.ToStep == nil || r.ToStep == nil):
		u.ToStep = nil
	case s.ToTurn == r.ToTurn && *s.ToStep > *r.ToStep:
		u.ToStep = s.ToStep
	}
	return u
}

func (r Range) same(s Range) bool {
	return r.FromTurn == s.FromTurn && r.ToTurn == s.ToTurn &&
		(r.ToStep == nil) == (s.ToStep == nil) && (r.ToStep == nil || *r.ToStep == *s.ToStep)
}

// Extent gives the first and last entries of a range; first > last for none.
func (l *Log) Extent(r Range) (first, last int64) {
	lo, hi, _ := l.extent(r, l.Turns()-1)
	return int64(lo), int64(hi)
}

// Between is the smallest range that holds two entries of the log and those
// between them.
func (l *Log) Between(first, last int64) Range {
	if first, last = max(first, 1), min(last, l.Version()); first > last {
		return Range{ToTurn: -1}
	}
	to := int(l.node(int32(last)).turn)
	r := Range{FromTurn: int(l.node(int32(first)).turn), ToTurn: to}
	steps, from := l.stepCount(to), int(l.turns.get(to).step)
	step := sort.Search(steps, func(i int) bool { return int64(l.steps.get(from+i)) > last }) - 1
	if step < steps-1 {
		r.ToStep = &step
	}
	return r
}

// extent resolves a range to seqs: clamped to the turns up to the last (P13).
// Empty when lo > hi; then the range means nothing.
func (l *Log) extent(c Range, last int) (lo, hi int32, r Range) {
	if last < 0 || c.FromTurn > last || c.ToTurn < 0 || c.ToTurn < c.FromTurn {
		return 1, 0, r
	}
	r = Range{FromTurn: max(c.FromTurn, 0), ToTurn: min(c.ToTurn, last)}
	lo, hi = l.turns.get(r.FromTurn).seq, l.turnEnd(r.ToTurn)
	if c.ToStep != nil && r.ToTurn == c.ToTurn {
		r.ToStep = c.ToStep
		if *c.ToStep < 0 {
			hi = l.turns.get(r.ToTurn).seq - 1
		} else {
			hi = l.stepEnd(r.ToTurn, *c.ToStep)
		}
	}
	return lo, hi, r
}
