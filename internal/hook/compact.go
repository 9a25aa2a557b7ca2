package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/transcript"
)

// An Ask is what a client wants compacted.
type Ask struct {
	// Format and Path are those of the transcript that the client keeps: a regular
	// file of at most [Largest] bytes. Without a path Data is the transcript.
	Format transcript.Format
	Path   string
	Data   []byte
	// Session chooses the conversation of a transcript that holds several; it is
	// the id that the importer gives it.
	Session string
	// Ours tells entries of the transcript that Tenfold put there in an earlier
	// compaction, which are left out: they would stand in the log twice (C5, V6).
	// Nil for a client whose transcript holds none.
	Ours func(tenfold.Entry) bool
	// Dir is the working directory of the agent, whose configuration applies.
	Dir string
	// Trigger says why, in one word that the report shows: "manual", "auto",
	// "cold".
	Trigger string
	// Focus is what the person wants kept.
	Focus string
	// Window is the size of the model's context in tokens, 0 where the client does
	// not say; Used is how much of it the client has counted, 0 likewise.
	Window, Used int
	// Target overrides the target that is worked out (V2).
	Target strategy.Target
	// DryRun plans and writes no overlay; the transcript is still brought into the
	// store.
	DryRun bool
}

// A View is a conversation as it is after a compaction.
type View struct {
	// Session is the conversation in the store, Conversation its id.
	Session      *session.Session
	Conversation string
	// Projection is what a model is to see of it. It is that of Session, unless it
	// was a dry run.
	Projection *tenfold.Projection
	// Outcome tells whether the plan was applied, or that there was nothing to do,
	// and Reason why not. The projection may still be smaller than the client's own
	// view: after an earlier compaction that the client did not take over.
	Outcome session.Outcome
	Reason  string
	// Before and After are the tokens of the view, as the provider counts them
	// where that is known (T3), and Target what was aimed at.
	Before, After, Target int
	// Line is the one line for the person: what went, what stayed and how to undo
	// it. Empty where nothing was changed.
	Line string
}

// Compact brings a client's transcript into the store and compacts it: to the
// target that leaves room for the work to come (V2), by fit, without a model.
func (h *Host) Compact(ctx context.Context, a Ask) (*View, error) {
	s, err := h.Import(ctx, a)
	if err != nil {
		return nil, err
	}
	settings, err := h.Configure(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	req := a.request(s, settings)
	c, err := s.Compact(ctx, req)
	if err != nil {
		return nil, err
	}
	return newView(s, c), nil
}

// Import brings a client's transcript into the store, and opens its conversation
// there. Of one that was imported before only what is new is written.
func (h *Host) Import(ctx context.Context, a Ask) (*session.Session, error) {
	in, err := h.readTranscript(ctx, a)
	if err != nil {
		return nil, err
	}
	svc, err := h.Service(ctx)
	if err != nil {
		return nil, err
	}
	return h.store(ctx, svc, in)
}

// request says how a conversation is compacted.
func (a Ask) request(s *session.Session, settings *config.Effective) session.Request {
	tail := settings.Tail()
	r := session.Request{Bounds: tenfold.Bounds{Tail: &tail}, OpenEnd: true, Target: a.Target}
	r.Options = strategy.Options{
		Tools: settings.ToolSettings(), Window: a.Window, DryRun: a.DryRun, Source: strategy.SourceAuto, Focus: a.Focus,
	}
	if a.Path != "" {
		r.Options.Transcript, _ = filepath.Abs(a.Path)
	}
	if !r.Target.Set() {
		r.Target = strategy.Tokens(a.target(s, settings))
	}
	return r
}

// lostRace tells whether another writer came first.
func lostRace(err error) bool {
	var conflict *store.ConflictError
	return errors.As(err, &conflict)
}

// newView tells what came of a compaction.
func newView(s *session.Session, c session.Result) *View {
	v := &View{Session: s, Conversation: s.ID(), Projection: s.Projection(), Outcome: c.Outcome, Reason: c.Reason}
	scale := c.Plan.Scale
	v.Before, v.After = scale.Tokens(c.Plan.Before), scale.Tokens(c.Plan.After)
	if f := c.Plan.Fitted; f != nil {
		v.Target = scale.Tokens(f.Target)
	}
	switch c.Outcome {
	case session.Planned:
		v.Projection = c.Plan.View()
	case session.Applied:
		v.Line = v.line(c)
	}
	return v
}

// line is what the person reads.
func (v *View) line(c session.Result) string {
	first, last := -1, -1
	for _, o := range c.Overlays {
		if first < 0 || o.Compaction.FromTurn < first {
			first = o.Compaction.FromTurn
		}
		last = max(last, o.Compaction.ToTurn)
	}
	turns := fmt.Sprintf("turns %d..%d", first, last)
	if first == last {
		turns = fmt.Sprintf("turn %d", first)
	}
	return fmt.Sprintf("Tenfold: %s → %s tokens, %s trimmed; undo: tenfold conversation undo %s", short(v.Before), short(v.After), turns, v.Conversation)
}

// short writes a number of tokens as people say it: 850, 9.4k, 118k.
func short(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1000), ".0k", "k", 1)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// Wanted is how many turns are to fit in after a compaction (V2).
const wanted = 30

// target works out the size to aim at (V2): what a compaction is for is room, so
// that it is not needed again for some time. It lies between a tenth and a half of
// the budget. A person who asks for a compaction wants to see one: at most a quarter
// of the view is left.
func (a Ask) target(s *session.Session, settings *config.Effective) int {
	window := a.Window
	if window <= 0 {
		window = settings.Window(s.Projection().Config().Model)
	}
	budget := window * 8 / 10
	l := s.Log()
	scale := token.Calibrate(l)
	growth := 0
	if steps := responses(l); steps > 0 {
		growth = scale.Tokens(s.Projection().Totals().All().Before) / steps
	}
	most := min(max(budget-wanted*growth, budget/10), budget/2)
	view := scale.Tokens(s.Projection().Totals().All().After)
	used := a.Used
	if used == 0 && a.Trigger == "auto" {
		used = budget // it is full, or the client would not ask
	}
	if used > view { // the client counts more than the conversation, and compacts by its count
		most = int(float64(most) * float64(view) / float64(used))
	}
	if a.Trigger == "manual" {
		most = min(most, view/4)
	}
	return max(most, 1)
}

// responses counts the steps of a log.
func responses(l *tenfold.Log) (n int) {
	for turn := range l.Turns() {
		if t, ok := l.Turn(turn); ok {
			n += t.Steps
		}
	}
	return n
}
