package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/problem"
	"tenfold/tool"
)

// Options are what all strategies of a plan share.
type Options struct {
	// Range is what may be compacted.
	Range tenfold.Range
	// Reach is what strategies that choose for themselves what to keep of the
	// end may compact, where nobody said where the range ends; nil is Range.
	Reach *tenfold.Range
	// Hints are the tools' wishes; nil means those of Tools.
	Hints tool.Hints
	// Tools are what the configuration says of tools' calls (H1).
	Tools tool.Settings
	// Subsumer asks tools whether later calls make earlier ones needless (H2);
	// nil asks none.
	Subsumer tool.Subsumer
	// Source says who asks: "user", SourceAuto, …
	Source string
	// Window is how many tokens the model's context holds; 0 leaves it to the
	// table of package token and the model in the configuration (T5).
	Window int
	// DryRun calls no model that would have to be paid for: what it would be
	// asked is said in a note (C8).
	DryRun bool

	// Summarizer writes summaries; without one none is made.
	Summarizer Summarizer
	// Focus says what a summary must keep, Instructions how it is written
	// where that is not the summarizer's own way (M1).
	Focus, Instructions string
	// Transcript says where the whole conversation lies, as a path that its
	// model can read: summaries in the place of a user message name it (P4),
	// where no artifact was written of what they stand for.
	Transcript string
	// Failed is told of each summary that failed or was refused, with a
	// [*RefusedError] in the latter case (M6). It may be nil.
	Failed func(SummaryRequest, error)

	// Classifier names turns that are off the task, Confirm asks the person
	// which of them may go (S-13). Without either no turn goes.
	Classifier Classifier
	Confirm    func(context.Context, []Tangent) ([]Tangent, error)

	// Index is what strategies that choose lines know of the log: kept from
	// plan to plan, it looks at no text twice. Nil has one made. It must be of
	// the same log and reader, and is not safe for concurrent use.
	Index *excerpt.Index

	notes *notes
	// begun is the projection that the plan began with.
	begun *tenfold.Projection
}

// SourceAuto is the Source of what nobody asked for. What a summary stands for
// already is then not summarised anew: it would cost again and free nothing.
const SourceAuto = "auto"

// Notef tells whoever reads the plan something the strategy under way thinks
// they should know, above all why it proposes nothing (S-16).
func (o Options) Notef(format string, args ...any) {
	if o.notes != nil {
		o.notes.list = append(o.notes.list, fmt.Sprintf(format, args...))
	}
}

// notes are what the strategies of a step say.
type notes struct {
	list []string
	// withheld is set where a dry run kept something from being done, asked
	// where a model was paid or a person answered.
	withheld, asked bool
	refused         []string // those of list that say so of a summary
	fitted          *Fitted
	laid            *laid
}

// laid is overlays laid over a projection.
type laid struct {
	over     *tenfold.Projection
	proposed []tenfold.Compaction
	next     *tenfold.Projection
}

// lay gives the projection with some overlays. What a strategy tried and then
// proposes is not laid twice.
func (o Options) lay(p *tenfold.Projection, proposed ...tenfold.Compaction) *tenfold.Projection {
	if len(proposed) == 0 {
		return p
	}
	if o.notes == nil {
		return p.With(proposed...)
	}
	if l := o.notes.laid; l == nil || l.over != p || !slices.Equal(l.proposed, proposed) {
		o.notes.laid = &laid{p, slices.Clone(proposed), p.With(proposed...)}
	}
	return o.notes.laid.next
}

// asked notes that a model was paid or a person answered.
func (o Options) asked() {
	if o.notes != nil {
		o.notes.asked = true
	}
}

// withholdf notes what would be done were it not a dry run.
func (o Options) withholdf(format string, args ...any) {
	o.Notef(format, args...)
	if o.notes != nil {
		o.notes.withheld = true
	}
}

// A Strategy proposes overlays. Implementations are safe for concurrent use
// and keep nothing of what they are shown.
type Strategy interface {
	// Name is the strategy as it is written: name and parameters.
	Name() string
	// Propose gives the overlays the strategy would lay over p within
	// o.Range; none when it has nothing to say. Bounds and Source are set.
	Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error)
}

// A Step is what one strategy of a plan does (S-17).
type Step struct {
	Strategy string
	// Entries is how many entries it changes the fate or cost of.
	Entries int
	// Before and After are the projection's tokens before and after it.
	Before, After int
	// Notes are what the strategy has to say: why it proposes nothing, what
	// it did otherwise than asked, what a dry run held back, as Withheld says.
	Notes    []string
	Withheld bool
}

// A Plan is what a pipeline would do. It was made for one version of the log, and
// stays as it is when the log grows.
type Plan struct {
	Version int64
	// DryRun says that it was made to be looked at (C8): it may lack what would
	// have to be paid for, and is not applied.
	DryRun      bool
	Range       tenfold.Range
	Compactions []tenfold.Compaction
	Steps       []Step
	// Before and After are the projection's tokens as it stood and as it would be.
	Before, After int
	// Fitted says what a strategy that fits into a target had to work with; nil
	// where none ran.
	Fitted *Fitted
	// Nothing says why there is nothing to do; empty when there is (S-16).
	Nothing string
	// Refused are the notes of its steps that say why a summary was not taken
	// (C6), whether anything else is done or not. None for one that a person
	// dropped.
	Refused []string
	// Asked says that a model was paid or a person answered: the plan is none
	// to make again for nothing (D3).
	Asked bool

	base, view *tenfold.Projection // snapshots
}

// View is the conversation as the plan would leave it: a snapshot, which later
// writes do not change. It is nil for a plan made by hand, until [Plan.On].
func (plan Plan) View() *tenfold.Projection { return plan.view }

// Shared is how many tokens at the front of the view the plan leaves as they
// are: what a prompt cache still holds.
func (plan Plan) Shared() int {
	if plan.view == nil {
		return 0
	}
	return plan.base.Shared(plan.view)
}

// newPlan is a plan that leaves a projection as it is.
func newPlan(p *tenfold.Projection) Plan {
	p = p.Snapshot()
	plan := Plan{Version: p.Version(), Before: p.Tokens(), base: p}
	plan.show(p)
	return plan
}

func (plan *Plan) show(view *tenfold.Projection) { plan.view, plan.After = view, view.Tokens() }

// Fitted is what fitting a conversation into a target began with, in tokens.
type Fitted struct {
	// Always is what stays whatever the target is, Lines what the lines chosen
	// beside it may cost.
	Always, Lines int
}

// A Pipeline is strategies composed left to right.
type Pipeline []Strategy

// Plan runs the pipeline over the range (S-15 to S-17). It writes nothing.
func (pl Pipeline) Plan(ctx context.Context, p *tenfold.Projection, o Options) (Plan, error) {
	if o.Hints == nil {
		o.Hints = o.Tools.Hints()
	}
	plan := newPlan(p)
	plan.DryRun, plan.Range = o.DryRun, o.Range
	p = plan.base
	if o.begun == nil {
		o.begun = p
	}
	withheld, asked := false, firstRequest(p.Log())
	for _, s := range pl.flat() {
		if err := ctx.Err(); err != nil {
			return Plan{}, err
		}
		o.notes = &notes{}
		proposed, err := s.Propose(ctx, plan.view, o)
		if err != nil {
			return Plan{}, fmt.Errorf("strategy %s: %w", s.Name(), err)
		}
		n, before := len(plan.Steps), plan.view
		plan.add(s.Name(), proposed, o)
		if asked > 0 && omits(plan.view, asked) && !hidden(before, asked) {
			turn, _, _ := p.Log().Where(asked)
			o.Notef("the first request (turn %d) is not shown any more", turn)
		}
		plan.Steps[n].Notes, plan.Steps[n].Withheld = o.notes.list, o.notes.withheld
		withheld, plan.Asked = withheld || o.notes.withheld, plan.Asked || o.notes.asked
		plan.Fitted = cmp.Or(o.notes.fitted, plan.Fitted)
		plan.Refused = append(plan.Refused, o.notes.refused...)
	}
	if len(plan.Compactions) == 0 && !withheld {
		plan.Nothing = plan.why()
	}
	return plan, nil
}

// why gives the reasons for a plan that changes nothing (S-16).
func (plan *Plan) why() string {
	var reasons []string
	for _, s := range plan.Steps {
		for _, note := range s.Notes {
			if !slices.Contains(reasons, note) {
				reasons = append(reasons, note)
			}
		}
	}
	if len(reasons) == 0 {
		return fmt.Sprintf("nothing in turns %s would change", plan.Range)
	}
	return strings.Join(reasons, "; ")
}

// flat puts the parts of composite strategies in their places, so that each is
// reported for itself (S-17).
func (pl Pipeline) flat() Pipeline {
	var out Pipeline
	for _, s := range pl {
		if c, ok := s.(Composite); ok {
			out = append(out, c.Parts().flat()...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// add takes in what one strategy proposes, if it changes anything, and reports
// what each of its slots gains.
func (plan *Plan) add(name string, proposed []tenfold.Compaction, o Options) {
	before := plan.view
	next := o.lay(before, proposed...)
	changed := before.Changed(next)
	tokens := next.Tokens()
	// A summary may say something else at the very same cost.
	if changed == 0 && tokens == before.Tokens() && (next == before || before.Shared(next) == tokens) {
		plan.Steps = append(plan.Steps, Step{Strategy: name, Before: before.Tokens(), After: before.Tokens()})
		return
	}
	for i := range proposed {
		proposed[i].TokensBefore, proposed[i].TokensAfter = before.Tokens(), next.Tokens()
	}
	plan.Compactions = append(plan.Compactions, proposed...)
	plan.show(next)
	parts := slots(proposed)
	if len(parts) < 2 {
		plan.Steps = append(plan.Steps, Step{Strategy: name, Entries: changed, Before: before.Tokens(), After: next.Tokens()})
		return
	}
	for _, part := range parts {
		with := before.With(part.compaction)
		plan.Steps = append(plan.Steps, Step{
			Strategy: part.name, Entries: before.Changed(with), Before: before.Tokens(), After: with.Tokens(),
		})
		before = with
	}
}

// part is one slot of an overlay, named for the strategy that would make it.
type part struct {
	name       string
	compaction tenfold.Compaction
}

// slots takes a lone overlay apart, so that what each slot gains can be told.
// Overlays whose slots hang together are left whole.
func slots(proposed []tenfold.Compaction) []part {
	if len(proposed) != 1 || proposed[0].Summary != nil || proposed[0].Turns != "" {
		return nil
	}
	c := proposed[0]
	if c.ToolCalls != nil && c.ToolCalls.Rest != "" {
		return nil // of all that it does not name something is said
	}
	bare := tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}.On(tenfold.Compaction{})
	var parts []part
	put := func(name string, set func(*tenfold.Compaction)) {
		one := bare
		set(&one)
		parts = append(parts, part{name, one})
	}
	if c.Reasoning != nil {
		put("strip-reasoning", func(d *tenfold.Compaction) { d.Reasoning = c.Reasoning })
	}
	if c.ToolCalls != nil {
		put("strip-tools", func(d *tenfold.Compaction) { d.ToolCalls = c.ToolCalls })
	}
	if c.Texts != nil {
		put("trim-texts", func(d *tenfold.Compaction) { d.Texts = c.Texts })
	}
	if c.Attachments != nil {
		put("strip-attachments", func(d *tenfold.Compaction) { d.Attachments = c.Attachments })
	}
	if c.ToolDefinitions != nil {
		put("prune-tools", func(d *tenfold.Compaction) { d.ToolDefinitions = c.ToolDefinitions })
	}
	return parts
}

// ErrUnknown says that there is no strategy or profile of a name.
var ErrUnknown = errors.New("unknown")

// UnknownName is the [ErrUnknown] for a strategy or a profile, with the names that
// there are in its hint.
func UnknownName(what, name string, names []string) error {
	return &problem.Error{
		Problem: fmt.Sprintf("unknown %s %q", what, name), Hint: "choose one of " + strings.Join(names, ", "), Err: ErrUnknown,
	}
}

// strategies is what Parse knows, by name: pointers to new values.
var strategies = map[string]func() Strategy{
	"strip-reasoning": func() Strategy { return &StripReasoning{} },
	"strip-tools":     func() Strategy { return &StripTools{} },
	// The alias of S-2 strips results only.
	"strip-tool-results": func() Strategy { return &StripTools{KeepRequests: true} },
	"dedup-tools":        func() Strategy { return &DedupTools{} },
	"supersede":          func() Strategy { return &Supersede{} },
	"strip-attachments":  func() Strategy { return &StripAttachments{} },
	"prune-tools":        func() Strategy { return &PruneTools{} },
	"sliding-window":     func() Strategy { return &SlidingWindow{} },
	"turn-window":        func() Strategy { return &TurnWindow{} },
	"token-window":       func() Strategy { return &TokenWindow{} },
	"micro":              func() Strategy { return &Micro{} },
	"trim-results":       func() Strategy { return &TrimResults{} },
	"purge-errors":       func() Strategy { return &PurgeErrors{} },
	"summarize":          func() Strategy { return &Summarize{} },
	"recursive-summary":  func() Strategy { return &RecursiveSummary{} },
	"hard-reset":         func() Strategy { return &HardReset{} },
	"classify-tangents":  func() Strategy { return &ClassifyTangents{} },
	"auto":               func() Strategy { return &Auto{} },
	"fit":                func() Strategy { return &Fit{} },
}

// Names lists the strategies, sorted.
func Names() []string {
	names := make([]string, 0, len(strategies))
	for name := range strategies {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// What a strategy may be able to do beside proposing. One of a caller's own
// says so by these methods as the ones here do.
type (
	// A ModelUser may be unable to do its work without a [Summarizer] or a
	// [Classifier].
	ModelUser interface{ NeedsModel() bool }
	// A SummaryWriter may have a summary written, given a [Summarizer].
	SummaryWriter interface{ Summarises() bool }
	// A WholeTaker may go over the whole conversation, whatever range it is
	// given (S-12).
	WholeTaker interface{ TakesAll() bool }
	// An EndChooser may choose for itself what to keep of the end of a
	// conversation, rather than leave a tail of turns alone.
	EndChooser interface{ ChoosesEnd() bool }
	// A Composite is several strategies, each of which is reported for itself
	// (S-17).
	Composite interface{ Parts() Pipeline }
)

// NeedsModel asks a [ModelUser].
func NeedsModel(s Strategy) bool {
	u, ok := s.(ModelUser)
	return ok && u.NeedsModel()
}

// Summarises asks a [SummaryWriter].
func Summarises(s Strategy) bool {
	w, ok := s.(SummaryWriter)
	return ok && w.Summarises()
}

// TakesAll asks a [WholeTaker].
func TakesAll(s Strategy) bool {
	t, ok := s.(WholeTaker)
	return ok && t.TakesAll()
}

// ChoosesEnd asks an [EndChooser].
func ChoosesEnd(s Strategy) bool {
	c, ok := s.(EndChooser)
	return ok && c.ChoosesEnd()
}

// Parse reads a strategy as a command line writes it: "name" or
// "name:key=value,key=value". It gives a value of the strategy's type. An unknown
// name is ErrUnknown.
func Parse(text string) (Strategy, error) {
	name, parameters, _ := strings.Cut(text, ":")
	fresh, ok := strategies[name]
	if !ok {
		return nil, UnknownName("strategy", name, Names())
	}
	return read(name, fresh(), parameters)
}
