package strategy

import (
	"slices"

	"tenfold"
)

// A Span is a stretch of a conversation that overlays treat alike, for
// reports. The spans of a projection add up to its totals.
type Span struct {
	// Config marks the span that holds no turns but the system prompt and
	// the tool definitions.
	Config bool
	// FromTurn and ToTurn are inclusive. FromStep is set where the span
	// begins inside a turn, ToStep where it ends inside one.
	FromTurn, ToTurn int
	FromStep, ToStep *int
	// Compacted tells whether anything in it is not as in the log.
	Compacted bool
	// By are the ids of the overlays that made it so, Slots what they touch:
	// "summary", "reasoning", "tool_calls", "texts", "attachments", "turns". A span
	// that no overlay touches may lose "reasoning" that is bound to what they do.
	By, Slots []string
	// Entries counts the entries a model could see, Fates them by fate.
	Entries int
	Fates   map[tenfold.Fate]int
	// Before and After are tokens in the log and in the projection.
	Before, After int
}

// Spans cuts a conversation where overlays begin and end.
func Spans(p *tenfold.Projection) []Span {
	l := p.Log()
	cuts := []int64{1, p.Version() + 1}
	for o := range p.Overlays() {
		if o.Live && o.First <= o.Last {
			cuts = append(cuts, o.First, o.Last+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	pieces := make([]piece, len(cuts)-1)
	for i := range pieces {
		pieces[i] = piece{first: cuts[i], last: cuts[i+1] - 1, by: map[string]int{}}
	}
	find := func(seq int64) *piece {
		i, found := slices.BinarySearch(cuts, seq)
		if !found {
			i--
		}
		return &pieces[i]
	}
	for seq := int64(1); seq <= p.Version(); seq++ {
		e, _ := l.Entry(seq)
		if !p.Reads(seq) || !e.Payload.Kind().Visible() {
			continue
		}
		at := seq
		if e.Payload.Kind() == tenfold.KindToolResult && l.Pair(seq) > 0 {
			at = l.Pair(seq)
		}
		find(at).add(p, seq, e.Tokens)
	}
	overlays := map[string]tenfold.Overlay{}
	for o := range p.Overlays() {
		overlays[o.ID] = o
	}
	note := p.Log().Counter().Count(p.Note())
	var call int64
	for it := range p.Items() {
		if it.Noted {
			it.Tokens -= note
		}
		if it.Payload.Kind() == tenfold.KindToolCall {
			call = it.Seq
		}
		switch it.Added {
		case tenfold.AddedSummary:
			pc := find(overlays[it.By].First)
			pc.span.After += it.Tokens
			pc.by[it.By]++
		case tenfold.AddedPlaceholder:
			find(max(call, 1)).span.After += it.Tokens
		case tenfold.AddedOpening:
			pieces[0].span.After += it.Tokens
		}
	}
	if note == 0 {
		return join(p, pieces, overlays)
	}
	// The note (P5a) is there for what was changed first.
	pieces[max(slices.IndexFunc(pieces, func(pc piece) bool { return len(pc.by) > 0 }), 0)].span.After += note
	return join(p, pieces, overlays)
}

// piece is a span under construction: a stretch between two cuts.
type piece struct {
	first, last int64
	span        Span
	by          map[string]int
	unbound     bool // reasoning went with what it is bound to
}

func (pc *piece) add(p *tenfold.Projection, seq int64, tokens int) {
	fate, by, after := p.Fate(seq)
	if pc.span.Fates == nil {
		pc.span.Fates = map[tenfold.Fate]int{}
	}
	pc.span.Entries++
	pc.span.Fates[fate]++
	pc.span.Before += tokens
	pc.span.After += after
	if by != "" {
		pc.by[by]++
	}
	pc.unbound = pc.unbound || p.Why(seq) == tenfold.ReasonBound
}

// join names the pieces by turns and steps, and joins neighbours alike.
func join(p *tenfold.Projection, pieces []piece, overlays map[string]tenfold.Overlay) []Span {
	var spans []Span
	for i := range pieces {
		pc := &pieces[i]
		s := pc.span
		if s.Entries == 0 && s.After == 0 {
			continue
		}
		s.Compacted = len(pc.by) > 0
		for id := range pc.by {
			s.By = append(s.By, id)
			for _, slot := range slots(overlays[id].Compaction) {
				s.Slots = append(s.Slots, slot.name)
			}
		}
		if pc.unbound {
			s.Slots = append(s.Slots, "reasoning")
		}
		slices.Sort(s.By)
		slices.Sort(s.Slots)
		s.Slots = slices.Compact(s.Slots)
		s.bound(p, pc.first, pc.last)
		if n := len(spans); n > 0 && spans[n-1].Compacted == s.Compacted && slices.Equal(spans[n-1].By, s.By) {
			spans[n-1].merge(s)
			continue
		}
		spans = append(spans, s)
	}
	if c := p.Totals(); c.Config != (tenfold.Count{}) || continuation(p) > 0 {
		after := c.Config.After + continuation(p)
		spans = append(spans, Span{Config: true, Compacted: after != c.Config.Before, Before: c.Config.Before, After: after})
	}
	return spans
}

// continuation is what summaries placed in the system prompt cost.
func continuation(p *tenfold.Projection) int {
	return p.Log().Counter().Count(p.Continuation())
}

// bound sets turns and steps from the first and last entries shown to anyone.
func (s *Span) bound(p *tenfold.Projection, first, last int64) {
	l := p.Log()
	visible := func(seq int64) bool {
		e, _ := l.Entry(seq)
		return p.Reads(seq) && e.Branch == "" && e.Payload.Kind().Visible()
	}
	for first < last && !visible(first) {
		first++
	}
	for last > first && !visible(last) {
		last--
	}
	fromTurn, fromStep, _ := l.Where(first)
	toTurn, toStep, _ := l.Where(last)
	s.FromTurn, s.ToTurn = fromTurn, max(toTurn, fromTurn)
	if fromStep > 0 {
		s.FromStep = &fromStep
	}
	if t, ok := l.Turn(s.ToTurn); ok && toStep < t.Steps-1 {
		s.ToStep = &toStep
	}
}

func (s *Span) merge(next Span) {
	s.ToTurn, s.ToStep = next.ToTurn, next.ToStep
	s.Entries += next.Entries
	s.Before += next.Before
	s.After += next.After
	s.Slots = append(s.Slots, next.Slots...)
	slices.Sort(s.Slots)
	s.Slots = slices.Compact(s.Slots)
	for fate, n := range next.Fates {
		if s.Fates == nil {
			s.Fates = map[tenfold.Fate]int{}
		}
		s.Fates[fate] += n
	}
}
