package strategy

import (
	"context"
	"iter"
	"slices"
	"sort"

	"tenfold"
	"tenfold/internal/number"
)

// SlidingWindow keeps the newest entries and omits everything before them. The
// window begins at a request, so that no answer is kept without its question
// (S-9). It proposes nothing where there are no more entries than that.
//
// Source: the session API of Spring AI (semantics S-6).
type SlidingWindow struct {
	// Entries is how many of the newest entries stay. Zero means 20, a negative
	// number none.
	Entries int `param:"n=20"`
}

// Name implements [Strategy].
func (s SlidingWindow) Name() string { return textForm("sliding-window", s) }

// Propose implements [Strategy].
func (s SlidingWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	n := settled(s).Entries
	raw := newest(p, n)
	if raw == 0 {
		return o.proposeNothing("the window of %d entries holds all that is shown", n)
	}
	return omitBefore(s, p, snapToRequest(p, raw, o), o), nil
}

// TurnWindow keeps the newest turns that a person asked for, and what stands
// before the first request. The turns in between are omitted. It proposes nothing
// where there are no more turns than that.
//
// Source: the session API of Spring AI (semantics S-7).
type TurnWindow struct {
	// Turns is how many of the newest turns stay. Zero means 10, a negative number
	// none.
	Turns int `param:"n=10"`
}

// Name implements [Strategy].
func (s TurnWindow) Name() string { return textForm("turn-window", s) }

// Propose implements [Strategy].
func (s TurnWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	n := settled(s).Turns
	first, ok := newestTurns(p, n, o)
	if !ok {
		return o.proposeNothing("the window of %d turns holds all that is shown", n)
	}
	var preamble []tenfold.Compaction
	if request := firstRequest(p.Log()); request > 0 {
		turn, step, _ := p.Log().Where(request)
		o.Range.FromTurn = max(o.Range.FromTurn, turn)
		before := tenfold.Range{FromTurn: turn, ToTurn: turn, ToStep: new(step - 1)}
		// The preamble stands in the turn of the first request, and ranges begin
		// at turns: it is hidden with the turn and shown again.
		if step > 0 && o.Range.FromTurn == turn && shownWhole(p, before) {
			preamble = append(preamble, o.overlay(s, before, tenfold.Compaction{Turns: tenfold.Keep}))
		}
	}
	return omitBefore(s, p, first, o, preamble...), nil
}

// TokenWindow keeps as much of the end of the conversation as fits into a number
// of tokens, and omits everything before it. The window begins at a request (S-9);
// the system prompt, tool definitions, summaries and pins count too. It proposes
// nothing where the conversation fits.
//
// Source: the session API of Spring AI (semantics S-7).
type TokenWindow struct {
	// Tokens is how much stays. Zero means 4,000, a negative number nothing.
	Tokens int `param:"n=4000 tokens"`
}

// Name implements [Strategy].
func (s TokenWindow) Name() string { return textForm("token-window", s) }

// Propose implements [Strategy].
func (s TokenWindow) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	window := settled(s).Tokens
	n := o.Scale.Estimated(window)
	if counted(p) <= n {
		return o.proposeNothing("the window of %s tokens holds all that is shown", number.Thousands(window))
	}
	out := omitBefore(s, p, s.begin(p, n, o), o)
	if after := counted(o.withOverlays(p, out...)); after > n {
		o.Notef("the view costs %s tokens, more than the window of %s", o.tokens(after), number.Thousands(window))
	}
	return out, nil
}

// omitBefore proposes to hide what leaves a window that begins at entry first. A
// proposal that makes nothing smaller – only pins and requests are shown there –
// is none.
func omitBefore(s Strategy, p *tenfold.Projection, first int64, o Options, also ...tenfold.Compaction) []tenfold.Compaction {
	r, ok := rangeLeavingWindow(p, first, o)
	if !ok {
		return nil
	}
	out := append([]tenfold.Compaction{o.overlay(s, r, tenfold.Compaction{Turns: tenfold.Omit})}, also...)
	if o.withOverlays(p, out...).Tokens() >= p.Tokens() {
		o.Notef("nothing that may be hidden is shown in turns %s", r)
		return nil
	}
	return out
}

// rangeLeavingWindow is what leaves the window that begins at entry first: the range from
// the first turn that still shows anything. Empty, and said why, where the
// plan's range holds none of it.
func rangeLeavingWindow(p *tenfold.Projection, first int64, o Options) (r tenfold.Range, ok bool) {
	l := p.Log()
	turn, step, _ := l.Where(first)
	r = tenfold.Range{FromTurn: o.Range.FromTurn, ToTurn: turn - 1}
	if step > 0 {
		step--
		r.ToTurn, r.ToStep = turn, &step
	}
	if endsBefore(o.Range, r) {
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

func endsBefore(a, b tenfold.Range) bool {
	if a.ToTurn != b.ToTurn {
		return a.ToTurn < b.ToTurn
	}
	return a.ToStep != nil && (b.ToStep == nil || *a.ToStep < *b.ToStep)
}

// inWindow reports whether an entry counts towards a window: one of the root's
// (L7) that the model sees. Summaries are not entries, so they cost nothing.
func inWindow(p *tenfold.Projection, e tenfold.Entry) bool {
	return e.Branch == "" && e.Payload.Kind().Visible() && !hidden(p, e.Seq)
}

// newestFirst gives the entries that count towards a window, from the end on.
func newestFirst(p *tenfold.Projection) iter.Seq[tenfold.Entry] {
	return func(yield func(tenfold.Entry) bool) {
		for seq := p.Version(); seq > 0; seq-- {
			if e, _ := p.Log().Entry(seq); inWindow(p, e) && !yield(e) {
				return
			}
		}
	}
}

// isRequest reports whether an entry is something a person asked on the root.
func isRequest(e tenfold.Entry) bool {
	m, ok := e.Payload.(tenfold.UserMessage)
	return ok && e.Branch == "" && m.IsRequest()
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

// snapToRequest is S-9: where a window begins that a strategy would cut at raw. It is
// the first request at or after raw, so that no answer is kept without what it
// answers. A window that would come out empty is the last turn that somebody asked
// for instead, which is noted.
func snapToRequest(p *tenfold.Projection, raw int64, o Options) int64 {
	var first int64
	turn := p.Log().Turns() - 1
	for e := range newestFirst(p) {
		if e.Seq < raw && first > 0 {
			break
		}
		if isRequest(e) && e.Seq >= raw {
			first = e.Seq
		} else if isRequest(e) {
			turn, _, _ = p.Log().Where(e.Seq)
			break
		}
	}
	if first > 0 {
		return first
	}
	last, _ := p.Log().Turn(turn)
	o.Notef("the window would come out empty, so the last turn (turn %d) is kept", last.Index)
	return last.First
}

// newest is the seq of the n-th newest entry that counts; 0 when there is none
// before it, so that the window holds them all.
func newest(p *tenfold.Projection, n int) int64 {
	at := p.Version() + 1
	for e := range newestFirst(p) {
		if n == 0 {
			return at
		}
		n, at = n-1, e.Seq
	}
	return 0
}

// newestTurns is where a window of n turns begins: at the n-th last turn that
// somebody asked for (L7). Not ok when there are no more than that.
func newestTurns(p *tenfold.Projection, n int, o Options) (first int64, ok bool) {
	l, seen, at := p.Log(), 0, -1
	for e := range newestFirst(p) {
		turn, _, _ := l.Where(e.Seq)
		if !isRequest(e) || turn == at {
			continue
		}
		if seen++; seen > n {
			if n == 0 {
				first = snapToRequest(p, p.Version()+1, o)
			}
			return first, true
		}
		t, _ := l.Turn(turn)
		at, first = turn, t.First
	}
	if seen == 0 {
		return snapToRequest(p, p.Version()+1, o), l.Turns() > 1
	}
	return 0, false
}

// shownWhole reports whether a range shows something and hides nothing. What
// another overlay hid is not shown again.
func shownWhole(p *tenfold.Projection, r tenfold.Range) bool {
	shown := false
	for e := range entriesIn(p.Log(), r) {
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

// begin is where the window begins: at the first request from which on the view
// is within the budget. What is shown whatever the window hides – the system
// prompt, tool definitions, summaries, pins – counts as well, so that the view
// itself is measured.
func (s TokenWindow) begin(p *tenfold.Projection, budget int, o Options) int64 {
	left := budget - summaryTokens(p) - p.Totals().Config.After
	var requests []int64 // the newest first
	for e := range newestFirst(p) {
		_, _, tokens := p.Fate(e.Seq)
		// The first entry that does not fit ends it: a suffix has no gaps.
		if left -= tokens; left < 0 {
			break
		}
		if isRequest(e) {
			requests = append(requests, e.Seq)
		}
	}
	slices.Reverse(requests)
	all := Options{Range: tenfold.Range{ToTurn: p.Log().Turns() - 1}, now: o.now} // what is open stays (V5)
	first := sort.Search(len(requests), func(i int) bool {
		return counted(all.withOverlays(p, omitBefore(s, p, requests[i], all)...)) <= budget
	})
	if first < len(requests) {
		return requests[first]
	}
	return snapToRequest(p, p.Version()+1, o)
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
	if len(liveSummaries(p)) == 0 {
		return 0
	}
	sum := continuation(p)
	for it := range p.Items() {
		if it.Added == tenfold.AddedSummary {
			sum += it.Tokens
		}
	}
	return sum
}

// liveSummaries are the overlays that put a summary somewhere, by id.
func liveSummaries(p *tenfold.Projection) map[string]tenfold.Overlay {
	live := map[string]tenfold.Overlay{}
	for o := range p.Overlays() {
		if o.Live && o.Compaction.Summary != nil {
			live[o.ID] = o
		}
	}
	return live
}
