package strategy

import (
	"context"
	"sort"

	"tenfold"
)

// inWindow reports whether an entry counts towards a window: one of the root's
// (L7) that the model sees. Summaries are no entries, so they cost nothing.
func inWindow(p *tenfold.Projection, e tenfold.Entry) bool {
	return e.Branch == "" && e.Payload.Kind().Visible() && !hidden(p, e.Seq)
}

// isRequest reports whether an entry is something a person asked on the root.
func isRequest(e tenfold.Entry) bool {
	m, ok := e.Payload.(tenfold.UserMessage)
	return ok && e.Branch == "" && !m.Synthetic
}

// snap is S-9: where a window begins that a strategy would cut at raw. It is
// the first request at or after raw, so that no answer is kept without what it
// answers. A window that would come out empty is the last turn instead, which
// is said.
func snap(p *tenfold.Projection, raw int64, o Options) int64 {
	l := p.Log()
	for seq := raw; seq <= p.Version(); seq++ {
		if e, _ := l.Entry(seq); isRequest(e) && inWindow(p, e) {
			return seq
		}
	}
	turn := lastTurn(p)
	o.Notef("the window would come out empty, so the last turn (turn %d) is kept", turn.Index)
	return turn.First
}

// lastTurn is the last turn somebody asked for, else the log's last.
func lastTurn(p *tenfold.Projection) tenfold.Turn {
	l := p.Log()
	for seq := p.Version(); seq > 0; seq-- {
		if e, _ := l.Entry(seq); isRequest(e) && inWindow(p, e) {
			turn, _, _ := l.Where(seq)
			t, _ := l.Turn(turn)
			return t
		}
	}
	t, _ := l.Turn(l.Turns() - 1)
	return t
}

// leaving is what leaves the window that begins at entry first: the range from
// the first turn that still shows anything. Empty, and said why, where the
// plan's range holds none of it.
func leaving(p *tenfold.Projection, first int64, o Options) (r tenfold.Range, ok bool) {
	l := p.Log()
	turn, step, _ := l.Where(first)
	r = tenfold.Range{FromTurn: o.Range.FromTurn, ToTurn: turn - 1}
	if step > 0 {
		step--
		r.ToTurn, r.ToStep = turn, &step
	}
	if ends(o.Range, r) {
		r.ToTurn, r.ToStep = o.Range.ToTurn, o.Range.ToStep
		o.Notef("the window begins in turn %d, but no more than turns %s may be compacted", turn, o.Range)
	}
	from, to := l.Extent(r)
	for seq := from; seq <= to; seq++ {
		if e, _ := l.Entry(seq); e.Payload.Kind().Visible() && p.Reads(seq) && !hidden(p, seq) {
			turn, _, _ := l.Where(seq)
			r.FromTurn = max(r.FromTurn, turn)
			return r, true
		}
	}
	o.Notef("nothing is shown in turns %s before the window", o.Range)
	return r, false
}

// ends reports whether a ends before b.
func ends(a, b tenfold.Range) bool {
	if a.ToTurn != b.ToTurn {
		return a.ToTurn < b.ToTurn
	}
	return a.ToStep != nil && (b.ToStep == nil || *a.ToStep < *b.ToStep)
}

// omit proposes to hide what leaves a window. A proposal that makes nothing
// smaller – only pins and requests are shown there – is none.
func omit(p *tenfold.Projection, first int64, name string, o Options, also ...tenfold.Compaction) []tenfold.Compaction {
	r, ok := leaving(p, first, o)
	if !ok {
		return nil
	}
	out := append([]tenfold.Compaction{r.On(tenfold.Compaction{
		Strategy: name, Source: o.Source, Turns: tenfold.Omit,
	})}, also...)
	if o.lay(p, out...).Tokens() >= p.Tokens() {
		o.Notef("nothing that may be hidden is shown in turns %s", r)
		return nil
	}
	return out
}

// newest is the seq of the n-th newest entry that counts; 0 when there is none
// before it, so that the window holds them all.
func newest(p *tenfold.Projection, n int) int64 {
	l, at := p.Log(), p.Version()+1
	for seq := p.Version(); seq > 0; seq-- {
		if e, _ := l.Entry(seq); !inWindow(p, e) {
			continue
		}
		if n == 0 {
			return at
		}
		n, at = n-1, seq
	}
	return 0
}

// SlidingWindow keeps the newest entries, from a request on (semantics S-6, S-9).
// It proposes nothing where there are no more than that.
type SlidingWindow struct {
	// Entries is how many are kept; 0 is 20, and below 0 none are.
	Entries int
}

// Name implements [Strategy].
func (s SlidingWindow) Name() string { return written("sliding-window", s.parameters()) }

func (s *SlidingWindow) parameters() []parameter { return []parameter{count("n", &s.Entries, 20)} }

// Propose implements [Strategy].
func (s SlidingWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	n := number(s.Entries, 20)
	raw := newest(p, n)
	if raw == 0 {
		o.Notef("the window of %d entries holds all that is shown", n)
		return nil, nil
	}
	return omit(p, snap(p, raw, o), s.Name(), o), nil
}

// TurnWindow keeps the preamble and the last turns that somebody asked for
// (semantics S-7). It proposes nothing where there are no more than that.
type TurnWindow struct {
	// Turns is how many are kept; 0 is 10, and below 0 none are.
	Turns int
}

// Name implements [Strategy].
func (s TurnWindow) Name() string { return written("turn-window", s.parameters()) }

func (s *TurnWindow) parameters() []parameter { return []parameter{count("n", &s.Turns, 10)} }

// Propose implements [Strategy].
func (s TurnWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	n := number(s.Turns, 10)
	first, ok := beginTurns(p, o, n)
	if !ok {
		o.Notef("the window of %d turns holds all that is shown", n)
		return nil, nil
	}
	asked := firstRequest(p.Log())
	if asked == 0 {
		return omit(p, first, s.Name(), o), nil
	}
	turn, step, _ := p.Log().Where(asked)
	o.Range.FromTurn = max(o.Range.FromTurn, turn)
	if step == 0 || o.Range.FromTurn > turn || !shownWhole(p, turn, step) {
		return omit(p, first, s.Name(), o), nil
	}
	// The preamble stands in the turn of the first request, and ranges begin
	// at turns: it is hidden with the turn and shown again.
	step--
	preamble := tenfold.Range{FromTurn: turn, ToTurn: turn, ToStep: &step}
	return omit(p, first, s.Name(), o, preamble.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source, Turns: tenfold.Keep,
	})), nil
}

// beginTurns is where a window of n turns begins: at the n-th last turn that
// somebody asked for (L7). Not ok when there are no more than that.
func beginTurns(p *tenfold.Projection, o Options, n int) (first int64, ok bool) {
	l, seen, at := p.Log(), 0, -1
	for seq := p.Version(); seq > 0; seq-- {
		e, _ := l.Entry(seq)
		if !isRequest(e) || !inWindow(p, e) {
			continue
		}
		turn, _, _ := l.Where(seq)
		if turn == at {
			continue
		}
		if seen++; seen > n {
			if n == 0 {
				return snap(p, p.Version()+1, o), true
			}
			return first, true
		}
		t, _ := l.Turn(turn)
		at, first = turn, t.First
	}
	if seen == 0 {
		return snap(p, p.Version()+1, o), l.Turns() > 1
	}
	return 0, false
}

// firstRequest is the first thing asked in the log, hidden or not; 0 for none.
func firstRequest(l *tenfold.Log) int64 {
	for e := range l.Entries() {
		if isRequest(e) {
			return e.Seq
		}
	}
	return 0
}

// shownWhole reports whether the steps of a turn before the given one show
// something and hide nothing. What another overlay hid is not shown again.
func shownWhole(p *tenfold.Projection, turn, step int) bool {
	step--
	shown := false
	for e := range entriesIn(p.Log(), tenfold.Range{FromTurn: turn, ToTurn: turn, ToStep: &step}) {
		if !e.Payload.Kind().Visible() || !p.Reads(e.Seq) {
			continue
		}
		if _, by, _ := p.Fate(e.Seq); hidden(p, e.Seq) && by != "" {
			return false
		}
		shown = shown || !hidden(p, e.Seq)
	}
	return shown
}

// TokenWindow keeps the longest end that is within a budget, from a request on
// (semantics S-7). It proposes nothing where all is within it.
type TokenWindow struct {
	// Tokens is the budget; 0 is 4,000, and below 0 there is none.
	Tokens int
}

// Name implements [Strategy].
func (s TokenWindow) Name() string { return written("token-window", s.parameters()) }

func (s *TokenWindow) parameters() []parameter { return []parameter{tokens("n", &s.Tokens, 4000)} }

// Propose implements [Strategy].
func (s TokenWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	n := number(s.Tokens, 4000)
	if counted(p) <= n {
		o.Notef("the window of %d tokens holds all that is shown", n)
		return nil, nil
	}
	out := omit(p, s.begin(p, o, n), s.Name(), o)
	if after := counted(o.lay(p, out...)); after > n {
		o.Notef("the view costs %d tokens, more than the window of %d", after, n)
	}
	return out, nil
}

// begin is where the window begins: at the first request from which on the view
// is within the budget. What is shown whatever the window hides – the system
// prompt, tool definitions, summaries, pins – counts as well, so that it is the
// view that tells.
func (s TokenWindow) begin(p *tenfold.Projection, o Options, n int) int64 {
	l, left := p.Log(), n-summaryTokens(p)-p.Totals().Config.After
	var requests []int64 // the newest first
	for seq := p.Version(); seq > 0; seq-- {
		e, _ := l.Entry(seq)
		if !inWindow(p, e) {
			continue
		}
		_, _, tokens := p.Fate(seq)
		// The first entry that does not fit ends it: a suffix has no gaps.
		if left -= tokens; left < 0 {
			break
		}
		if isRequest(e) {
			requests = append(requests, seq)
		}
	}
	all := Options{Range: tenfold.Range{ToTurn: l.Turns() - 1}}
	first := sort.Search(len(requests), func(i int) bool {
		return counted(all.lay(p, omit(p, requests[len(requests)-1-i], s.Name(), all)...)) <= n
	})
	if first < len(requests) {
		return requests[len(requests)-1-first]
	}
	return snap(p, p.Version()+1, o)
}

// counted is what a projection costs by the measure of windows: all but what
// branches said (L7).
func counted(p *tenfold.Projection) int {
	sum := p.Tokens()
	if p.Branch() != "" {
		for it := range p.Items() {
			if it.Branch != "" {
				sum -= it.Tokens
			}
		}
	}
	return sum
}

// summaryTokens is what the summaries in a projection cost, wherever they
// stand.
func summaryTokens(p *tenfold.Projection) int {
	for o := range p.Overlays() {
		if !o.Live || o.Compaction.Summary == nil {
			continue
		}
		sum := continuation(p)
		for it := range p.Items() {
			if it.Added == tenfold.AddedSummary {
				sum += it.Tokens
			}
		}
		return sum
	}
	return 0
}
