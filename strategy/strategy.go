package strategy

import (
	"context"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/token"
	"tenfold/tool"
)

// Options are what all strategies of a plan share.
type Options struct {
	// Range is what may be compacted, as [tenfold.Projection.Resolve] gives it for
	// bounds. The zero Range is turn 0.
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
	// Scale is how the conversation's provider counts: limits that are stated in
	// tokens are its tokens, and so are those in notes (T3). The figures of a plan
	// are estimates in any case. The zero Scale takes estimates as they are.
	Scale token.Scale
	// DryRun calls no model that would have to be paid for: what it would be
	// asked is said in a note (C8).
	DryRun bool

	// Summarizer writes summaries; without one none is made.
	Summarizer Summarizer
	// Focus says what a summary must keep, Instructions how it is written
	// where that is not the summarizer's own way (M1).
	Focus, Instructions string
	// Budget is the most tokens a digest may have; 0 leaves it to the profile,
	// and then to the digest (M4).
	Budget int
	// Renewed tells of messages that whoever takes the view leaves out, because
	// it puts them there anew (P8a): a target does not count them (F4). Nil where
	// there are none.
	Renewed func(tenfold.Payload) bool
	// Recall ends what is shortened with a reference that lets a model ask for the
	// rest, whatever the strategies say: for a client that has the tool for it
	// (live §5).
	Recall bool
	// Handle is the short name of the conversation, which references begin with;
	// [session.Handle] makes it. Empty for references that have a number alone.
	Handle string
	// Needed is what steps that are not in the range used of it (live V4): fit and
	// the strategies that shorten single results leave it.
	Needed []Needed
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

	// now is the step under way; nil outside a plan.
	now *underWay
	// begun is the projection that the plan began with.
	begun *tenfold.Projection
}

// SourceAuto is the Source of what nobody asked for. What a summary stands for
// already is then not summarised anew: it would cost again and free nothing.
const SourceAuto = "auto"

// A Strategy proposes overlays. Implementations are safe for concurrent use
// and keep nothing of what they are shown.
type Strategy interface {
	// Name is the strategy as it is written: name and parameters.
	Name() string
	// Propose gives the overlays the strategy would lay over p within
	// o.Range; none when it has nothing to say. Bounds and Source are set. The
	// slice stays the strategy's; what the overlays in it point to is kept, and
	// not to be changed any more. One whose summary is empty, or not smaller than what it
	// hides, is refused (C6).
	Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error)
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
