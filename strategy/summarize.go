package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/token"
)

// job is a summary to be had.
type job struct {
	by        Strategy
	span      tenfold.Range
	placement tenfold.Placement
	// recursive has the summarizer read prior summaries in place of what
	// they stand for, and overlap as context (S-8).
	recursive bool
	overlap   []tenfold.Entry
	// onlyNew has no summary written anew of what summaries stand for already.
	onlyNew bool
}

// propose has the summary written and judged. Nothing is proposed when it is
// refused (C6), and the reason is noted; a summarizer's error is returned.
func (j job) propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	made, _, err := j.write(ctx, p, o)
	return made, err
}

// write proposes, and tells whether a summary was written and not taken.
func (j job) write(ctx context.Context, p *tenfold.Projection, o Options) (made []tenfold.Compaction, refused bool, err error) {
	if o.Summarizer == nil {
		o.Notef("there is no summarizer")
		return nil, false, nil
	}
	j.span = p.ExtendSummary(j.span)
	overlay := o.overlay(j.by, j.span, tenfold.Compaction{})
	overlay.Keeps = o.handles(overlay)
	hides, shown := j.countHidden(p, overlay)
	room := p // what the summary must make smaller (C6)
	if shown == 0 {
		var replaces bool
		if room, replaces = j.withoutSummaries(p); !replaces || j.onlyNew || o.Source == SourceAuto {
			o.Notef("nothing is shown in turns %s that a summary could hide", j.span)
			return nil, false, nil
		}
	}
	r := j.request(p, o)
	judge := func(written SummaryResult) (tenfold.Compaction, *RefusedError) {
		sample := overlay
		sample.Summary = &tenfold.Summary{
			Text: written.Text, Placement: j.placement, Model: written.Model, Instructions: r.Wishes(),
			Covers: hides, Artifacts: written.Artifacts, Transcript: j.transcript(written, o),
		}
		if written.Usage != (tenfold.Usage{}) {
			sample.Summary.Usage = &written.Usage
		}
		return sample, refusal(p, room, written, sample)
	}
	r.Judge = func(written SummaryResult) error {
		if _, why := judge(written); why != nil {
			return why
		}
		return nil
	}
	if q, ok := o.Summarizer.(Quoter); ok && o.DryRun {
		if quote := q.Quote(r); quote != (Quote{}) {
			_, err := o.noteWithheld("%s", quote.words(j.span))
			return nil, false, err
		}
	}
	written, err := o.Summarizer.Summarize(ctx, r)
	plan := o.underWay().plan
	plan.Asked = plan.Asked || written.Usage != (tenfold.Usage{}) || written.Reviewed
	for _, note := range written.Notes {
		o.Notef("%s", note)
	}
	for _, failure := range written.Failures {
		o.failed(r, failure)
	}
	if written.Usage != (tenfold.Usage{}) {
		defer func() {
			if len(made) == 0 {
				plan.Unused = append(plan.Unused, written.Usage)
			}
		}()
	}
	var why *RefusedError
	switch {
	case errors.As(err, &why):
		o.failed(r, err)
	case err != nil:
		err = fmt.Errorf("summarize turns %s: %w", j.span, err)
		o.failed(r, err)
		return nil, true, err
	default:
		if overlay, why = judge(written); why == nil {
			o.underWay().judged = append(o.underWay().judged, overlay.Summary)
			return []tenfold.Compaction{overlay}, false, nil
		}
		o.failed(r, why)
	}
	o.refused(j.span, why)
	return nil, true, nil
}

// refused notes that a summary was not taken, and why.
func (o Options) refused(span tenfold.Range, why *RefusedError) {
	note := fmt.Sprintf("the summary of turns %s was refused: %s", span, why.Reason)
	o.Notef("%s", note)
	if plan := o.underWay().plan; !errors.Is(why, ErrDropped) {
		plan.Refused = append(plan.Refused, note)
	}
}

// transcript says where what a summary stands for can be read, for the
// placement that tells it (P4).
func (j job) transcript(written SummaryResult, o Options) string {
	switch {
	case j.placement != tenfold.PlaceUser:
		return ""
	case written.Artifacts != nil && written.Artifacts.Input != "":
		return written.Artifacts.Input
	}
	return o.Transcript
}

func (o Options) failed(r SummaryRequest, err error) {
	if o.Failed != nil {
		o.Failed(r, err)
	}
}

// countHidden counts what a summary laid over the overlay's range would stand for,
// and how many of the tokens shown now would go. Pinned and shielded entries
// (P8, P9) are not among it.
func (j job) countHidden(p *tenfold.Projection, overlay tenfold.Compaction) (covers tenfold.Covers, shown int) {
	overlay.Summary = &tenfold.Summary{Text: "…", Placement: j.placement}
	next := p.With(overlay)
	for e := range entriesIn(p.Log(), j.span) {
		if f, _, _ := next.Fate(e.Seq); f != tenfold.Summarised || !p.Reads(e.Seq) {
			continue
		}
		covers.Entries++
		covers.Tokens += e.Tokens
		if !hidden(p, e.Seq) {
			_, _, tokens := p.Fate(e.Seq)
			shown += tokens
		}
	}
	return covers, shown
}

// withoutSummaries gives the projection as it would be without the live summaries in the
// job's range, which a new one takes the place of (C4): what they stand for is
// what it has to be smaller than. False where there is none.
func (j job) withoutSummaries(p *tenfold.Projection) (*tenfold.Projection, bool) {
	var revoked []tenfold.Entry
	first, last := p.Log().Extent(j.span)
	for s := range p.Overlays() {
		if s.Live && s.Compaction.Summary != nil && s.First <= last && s.Last >= max(s.First, first) {
			revoked = append(revoked, tenfold.Entry{Payload: tenfold.CompactionRevoked{Target: s.ID}})
		}
	}
	if len(revoked) == 0 {
		return p, false
	}
	return p.Preview(revoked...), true
}

// request gathers the raw entries (C5), but not what a client took back. Only a recursive summary reads prior
// summaries in place of all they were made from.
func (j job) request(p *tenfold.Projection, o Options) SummaryRequest {
	r := SummaryRequest{
		Range: j.span, Log: p.Log(), Overlap: j.overlap, Focus: o.Focus, Instructions: o.Instructions, Budget: o.Scale.Estimated(o.Budget),
		View: cmp.Or(o.begun, p), DryRun: o.DryRun,
	}
	var prior []tenfold.Overlay
	if j.recursive {
		prior = j.priorSummaries(p)
	}
	for _, s := range prior {
		r.Prior = append(r.Prior, s.Compaction.Summary.Text)
	}
	first, last := p.Log().Extent(j.span)
	r.Entries = make([]tenfold.Entry, 0, max(last-first+1, 0))
	known := covered(prior)
	for e := range entriesIn(p.Log(), j.span) {
		if p.Reads(e.Seq) && !known(e.Seq) && !p.Rewound(e.Seq) {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// covered tells which entries the overlays cover.
func covered(overlays []tenfold.Overlay) func(seq int64) bool {
	var last []tenfold.Overlay // the stretches together, in order
	for _, o := range slices.SortedFunc(slices.Values(overlays), func(a, b tenfold.Overlay) int { return int(a.First - b.First) }) {
		if n := len(last); n > 0 && o.First <= last[n-1].Last+1 {
			last[n-1].Last = max(last[n-1].Last, o.Last)
			continue
		}
		last = append(last, o)
	}
	return func(seq int64) bool {
		i := sort.Search(len(last), func(i int) bool { return last[i].Last >= seq })
		return i < len(last) && last[i].First <= seq
	}
}

// priorSummaries lists the summaries that stand for something in the job's range, in
// the order they stand.
func (j job) priorSummaries(p *tenfold.Projection) []tenfold.Overlay {
	live := liveSummaries(p)
	var found []tenfold.Overlay
	for e := range entriesIn(p.Log(), j.span) {
		f, by, _ := p.Fate(e.Seq)
		if s, ok := live[by]; ok && f == tenfold.Summarised {
			found = append(found, s)
			delete(live, by)
		}
	}
	return found
}

// refusal says why a summary must not be taken (C6); nil when it may. Room is the
// projection that it has to make smaller.
func refusal(p, room *tenfold.Projection, r SummaryResult, overlay tenfold.Compaction) *RefusedError {
	switch {
	case r.Dropped:
		return &RefusedError{Reason: "it was dropped in the review", err: ErrDropped}
	case r.Declined:
		return &RefusedError{Reason: "the model declined to write it"}
	case r.CutOff:
		return &RefusedError{Reason: "it was cut off at the token limit"}
	case tenfold.Blank(r.Text):
		return &RefusedError{Reason: "it is empty"}
	}
	if before, after := room.Tokens(), p.With(overlay).Tokens(); after >= before {
		return &RefusedError{Reason: fmt.Sprintf("it is not smaller than what it hides (%s tokens would become %s)", number.Thousands(before), number.Thousands(after))}
	}
	return nil
}

func (q Quote) words(r tenfold.Range) string {
	text := fmt.Sprintf("turns %s would be summarised", r)
	if q.Model != "" {
		text += " by " + q.Model
	}
	text += ", " + number.Thousands(q.Input) + " tokens in"
	if q.Cost != nil {
		text += fmt.Sprintf(", about $%.4f", *q.Cost)
	}
	return text
}

// Summarize replaces the range with a summary. It proposes nothing where there is no
// [Summarizer], and where the summary is refused: because it is empty, cut off,
// declined, or not smaller than what it replaces (C6).
//
// Source: Tenfold's rules (semantics S-11).
type Summarize struct {
	// Placement is where the summary stands: pair, system or user (P4). Empty
	// means pair, an exchange of two messages.
	Placement tenfold.Placement `param:"placement"`
}

// Name implements [Strategy].
func (s Summarize) Name() string { return textForm("summarize", s) }

// NeedsModel implements [ModelUser].
func (Summarize) NeedsModel() bool { return true }

// Summarises implements [SummaryWriter].
func (Summarize) Summarises() bool { return true }

// Propose implements [Strategy].
func (s Summarize) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return job{by: s, span: o.Range, placement: s.Placement}.propose(ctx, p, o)
}

// HardReset replaces the whole conversation with one summary in the system prompt. No
// turn stays, whatever the range. It proposes nothing without a [Summarizer], and
// where the summary is refused (C6).
//
// Source: Tenfold's rules (semantics S-12).
type HardReset struct{}

// Name implements [Strategy].
func (HardReset) Name() string { return "hard-reset" }

// NeedsModel implements [ModelUser].
func (HardReset) NeedsModel() bool { return true }

// Summarises implements [SummaryWriter].
func (HardReset) Summarises() bool { return true }

// TakesAll implements [WholeTaker].
func (HardReset) TakesAll() bool { return true }

// Propose implements [Strategy].
func (s HardReset) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	all := tenfold.Range{ToTurn: p.Log().Turns() - 1}
	if all.ToTurn < 0 {
		return o.proposeNothing("the conversation has no turns")
	}
	return job{by: s, span: all, placement: tenfold.PlaceSystem}.propose(ctx, p, o)
}

// RecursiveSummary keeps the newest entries and replaces everything before them with
// one summary. It is written from the summary before and what came since, so that
// each costs little. It proposes nothing where there are no more entries than
// that, without a [Summarizer], and where the summary is refused (C6).
//
// Source: the session API of Spring AI (semantics S-8).
type RecursiveSummary struct {
	// Keep is how many of the newest entries stay. Zero means 10, a negative
	// number none.
	Keep int `param:"keep=10"`
	// Overlap is how many of those the summarizer reads as context. Zero means 2,
	// a negative number none.
	Overlap int `param:"overlap=2"`
}

// Name implements [Strategy].
func (s RecursiveSummary) Name() string { return textForm("recursive-summary", s) }

// NeedsModel implements [ModelUser].
func (RecursiveSummary) NeedsModel() bool { return true }

// Summarises implements [SummaryWriter].
func (RecursiveSummary) Summarises() bool { return true }

// Propose implements [Strategy].
func (s RecursiveSummary) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	set := settled(s)
	raw := newest(p, set.Keep)
	if raw == 0 {
		return o.proposeNothing("the window of %d entries holds all that is shown", set.Keep)
	}
	first := snapToRequest(p, raw, o)
	r, ok := rangeLeavingWindow(p, first, o)
	if !ok {
		return nil, nil
	}
	// From the range's start, so that the summaries before are met and taken
	// in (C4): there is one summary that rolls on.
	r.FromTurn = o.Range.FromTurn
	j := job{by: s, span: r, recursive: true}
	_, last := p.Log().Extent(p.ExtendSummary(r))
	for seq := last + 1; seq <= p.Version() && len(j.overlap) < set.Overlap; seq++ {
		if e, _ := p.Log().Entry(seq); inWindow(p, e) {
			j.overlap = append(j.overlap, e)
		}
	}
	return j.propose(ctx, p, o)
}

func (s RecursiveSummary) check() error {
	if s = settled(s); s.Overlap >= s.Keep {
		return fmt.Errorf("keep=%d,overlap=%d: overlap must be smaller than keep, as in keep=10,overlap=2", s.Keep, s.Overlap)
	}
	return nil
}

// Auto runs strip-reasoning, dedup-tools, strip-tools and prune-tools, and then
// summarize if needed. A summary is written only where what remains is over a
// share of the model's window. It proposes nothing where none of them does.
//
// Source: Tenfold's rules (semantics S-14).
type Auto struct {
	// SummarizeThreshold is the share of the window above which a summary is
	// written. Zero means 0.5.
	SummarizeThreshold float64 `param:"summarize_threshold=0.5"`
	// Fit is a target for the strategy fit, which then runs in place of
	// strip-tools.
	Fit Target `param:"fit"`
}

// Name implements [Strategy].
func (s Auto) Name() string { return textForm("auto", s) }

// Summarises implements [SummaryWriter].
func (Auto) Summarises() bool { return true }

// Parts implements [Composite]. What may be compacted is the range, so that all
// stays out of the kept tail.
func (s Auto) Parts() Pipeline {
	var shorten Strategy = StripTools{}
	if s.Fit.Set() {
		shorten = Fit{Target: s.Fit}
	}
	return Pipeline{
		StripReasoning{}, DedupTools{}, shorten, PruneTools{}, summarizeOver{settled(s).SummarizeThreshold},
	}
}

// Propose implements [Strategy].
func (s Auto) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	plan, err := s.Parts().Plan(ctx, p, o)
	return plan.Compactions, err
}

// summarizeOver is the end of auto: a summary, if what remains is over the
// threshold.
type summarizeOver struct{ threshold float64 }

func (summarizeOver) Name() string { return "summarize" }

func (s summarizeOver) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	window := o.window(p)
	if tokens := o.Scale.Tokens(p.Tokens()) + o.Scale.Outside; float64(tokens) <= s.threshold*float64(window) {
		return o.proposeNothing("%s tokens are not over %g %% of the window of %s, so no summary is made", number.Thousands(tokens), s.threshold*100, number.Thousands(window))
	}
	return job{by: s, span: o.Range, onlyNew: true}.propose(ctx, p, o)
}

// window is the size of the model's context in tokens (T5).
func (o Options) window(p *tenfold.Projection) int {
	if o.Window > 0 {
		return o.Window
	}
	tokens, _ := token.Windows{}.Window(p.Config().Model)
	return tokens
}
