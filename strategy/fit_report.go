package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/token"
)

// Fitted is what fitting a conversation into a target came to, in tokens.
type Fitted struct {
	// Of is the target as it was given.
	Of Target
	// Now is what the view cost before the command, and Target the most that it
	// may cost (F1); After is what it costs.
	Now, Target, After int
	// Room is what was filled in place of a target that is a share and that the system
	// prompt and the tools leave no room in: they, and that share of the rest; else 0.
	Room int
	// Injected is what the view holds beside After: standing instructions that
	// the client puts there anew ([Options].Renewed).
	Injected int
	// Always is what stays whatever the target is, by sort, as far as it has
	// not given way (F4, F5): it is part of After.
	Always []Standing
	// GaveWay counts the messages and calls that would always stay and had to
	// give way (F4).
	GaveWay int
}

// Standing is one sort of what always stays.
type Standing struct {
	What string
	// Entries counts entries of the log; none for what stands in their place.
	Entries, Tokens int
}

// What there is of what always stays.
const (
	StandsSystem      = "system"       // the system prompt and tool definitions
	StandsContext     = "context"      // standing instructions (L11)
	StandsMessages    = "messages"     // messages of the person, their answers and refusals, and what they point at
	StandsLastRequest = "last_request" // the last message of the person
	StandsPins        = "pins"         // pinned entries, and calls that the configuration exempts
	StandsPlan        = "plan"         // the latest plan or list of todos
	StandsError       = "error"        // the error that is open
	StandsHandles     = "handles"      // what is under way (V5)
	StandsRecalled    = "recalled"     // what the model asked for again (A9)
	StandsNeeded      = "needed"       // what later steps used (V4)
	StandsLastStep    = "last_step"    // the last step of the conversation
	StandsOutside     = "outside"      // what lies outside the range
	StandsSummaries   = "summaries"    // summaries of earlier compactions
	StandsMarks       = "marks"        // stubs, and marks of what is not shown
)

// sorts lists them in the order of reports.
var sorts = []string{
	StandsSystem, StandsContext, StandsMessages, StandsLastRequest, StandsPins, StandsPlan, StandsError, StandsHandles, StandsRecalled, StandsNeeded,
	StandsLastStep, StandsOutside, StandsSummaries, StandsMarks,
}

// standing sums up a view of what always stays by sorts; their tokens add up to
// its cost.
func (f *fitting) standing(view *tenfold.Projection) []Standing {
	l := view.Log()
	sums := map[string]*Standing{}
	for _, what := range sorts {
		sums[what] = &Standing{What: what}
	}
	rest := f.cost(view)
	put := func(what string, entries, tokens int) {
		sums[what].Entries += entries
		sums[what].Tokens += tokens
		rest -= tokens
	}
	for seq := range f.each(1, f.p.Version()) {
		if !view.Reads(seq) || f.isRenewed(view, seq) {
			continue
		}
		if _, _, tokens := view.Fate(seq); tokens > 0 {
			put(f.sortOf(l, seq), 1, tokens)
		}
	}
	t := view.Totals()
	put(StandsSystem, 0, t.Config.After)
	for it := range view.Items() {
		if it.Added == tenfold.AddedSummary {
			put(StandsSummaries, 0, it.Tokens)
		}
	}
	put(StandsMarks, 0, rest)
	var all []Standing
	for _, what := range sorts {
		if s := *sums[what]; s.Tokens != 0 {
			all = append(all, s)
		}
	}
	return all
}

// sortOf says as what an entry of the view of what always stays stands there.
func (f *fitting) sortOf(l *tenfold.Log, seq int64) string {
	st, named := f.stands[pairHead(l, seq)]
	switch e, _ := l.Entry(seq); {
	case isContext(e.Payload):
		return StandsContext
	case seq == f.request:
		return StandsLastRequest
	case f.reaches && seq >= f.tail:
		return StandsLastStep
	case seq < f.first || seq > f.last:
		return StandsOutside
	case named && st.what != "":
		return st.what
	case f.p.Why(seq) == tenfold.ReasonPinned:
		return StandsPins
	case isRequest(e):
		return StandsMessages
	case e.Payload.Kind() == tenfold.KindReasoning:
		return StandsLastStep // of its loop (P10)
	}
	return StandsMarks
}

func isNotice(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	return ok && m.Purpose == tenfold.Notice
}

func isContext(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	return ok && m.Purpose == tenfold.Context
}

// Least is what always stays, in tokens.
func (f Fitted) Least() int {
	sum := 0
	for _, s := range f.Always {
		sum += s.Tokens
	}
	return sum
}

// In gives the figures in the tokens of a scale, a target that was stated in
// tokens as it was stated, and what always stays so that it adds up (T3).
func (f Fitted) In(scale token.Scale) Fitted {
	if scale.Source() == token.Estimate {
		return f
	}
	met := f.Met()
	f.Now, f.After, f.Injected, f.Room = scale.Tokens(f.Now), scale.Tokens(f.After), scale.Tokens(f.Injected), scale.Tokens(f.Room)
	if f.Target = scale.Tokens(f.Target); f.Of.Tokens > 0 {
		f.Target = f.Of.Tokens
	}
	if !met { // rounding must not hide it
		f.After = max(f.After, f.Target+1)
	}
	costs := make([]tenfold.Count, len(f.Always))
	for i, s := range f.Always {
		costs[i] = tenfold.Count{Before: s.Tokens, After: s.Tokens}
	}
	f.Always = slices.Clone(f.Always)
	for i, c := range scale.Counts(costs...) {
		f.Always[i].Tokens = c.After
	}
	return f
}

// Met reports whether the view is within the target (F4).
func (f Fitted) Met() bool { return f.After <= f.Target }

// Over is by how many tokens the target was missed; 0 where it was met.
func (f Fitted) Over() int { return max(f.After-f.Target, 0) }

// Saved is what compactions saved.
type Saved struct{ Compactions, Tokens int }

// SavedByTool sums up what the compactions saved that are the tool's own
// ([IsToolsOwn]), as far as they are not undone. Ours change nothing in it.
func SavedByTool(p *tenfold.Projection) Saved {
	var sum Saved
	theirs := map[string]bool{}
	var ours []tenfold.Entry // taken back: what they hide too would count as theirs alone
	for o := range p.Overlays() {
		switch {
		case !o.Live:
		case IsToolsOwn(o.Compaction):
			theirs[o.ID] = true
			sum.Compactions++
		case o.Compaction.Source != tenfold.SourceImport:
			ours = append(ours, tenfold.Entry{ID: o.ID + "/without", Payload: tenfold.CompactionRevoked{Target: o.ID}})
		}
	}
	if sum.Compactions == 0 {
		return sum
	}
	p = p.Preview(ours...)
	for e := range p.Log().Entries() {
		if _, by, after := p.Fate(e.Seq); theirs[by] {
			sum.Tokens += e.Tokens - after
		}
	}
	for it := range p.Items() {
		if it.Added == tenfold.AddedSummary && theirs[it.By] {
			sum.Tokens -= it.Tokens
		}
	}
	return sum
}

// IsToolsOwn reports whether the tool itself made a compaction whose session was
// imported. What a person took back in it, rewound or left for another branch
// is hidden by an overlay too, but is not a compaction.
func IsToolsOwn(c tenfold.Compaction) bool {
	return c.Source == tenfold.SourceImport && !slices.ContainsFunc(
		[]string{"branch left", "broke off", "reverted", "rewound", "taken back", "thread_rolled_back"},
		func(word string) bool { return strings.HasPrefix(c.Reason, word) },
	)
}
