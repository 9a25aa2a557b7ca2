package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/live"
	"tenfold/session"
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
	// Ours tells entries of the transcript that Tenfold put there in an earlier
	// compaction, which are left out: they would stand in the log twice (C5, V6).
	// Nil for a client whose transcript holds none.
	Ours func(tenfold.Entry) bool
	// Dir is the working directory of the agent, whose configuration applies.
	Dir string
	// Trigger says why, in words that the report shows: "manual", "auto". Person
	// says that a person asked, who may ask again after a failure (A6).
	Trigger string
	Person  bool
	// Focus is what the person wants kept.
	Focus string
	// Window is the size of the model's context in tokens, 0 where the client does
	// not say; Used is how much of it the client has counted, 0 likewise.
	Window, Used int
	// Target overrides the target that is worked out (V2).
	Target strategy.Target
}

// A View is a conversation as it is after an event.
type View struct {
	// Session is the conversation in the store; its projection is what a model is
	// to see of it.
	*session.Session
	// Outcome is Applied where the view was changed now. Else it is Nothing; the
	// projection may still be smaller than what the client has, after an earlier
	// compaction that it did not take over.
	Outcome session.Outcome
	// Before and After are the tokens of the view, as the provider counts them
	// where that is known (T3).
	Before, After int
	// Line is the one line for the person: what went, what stayed and how to undo
	// it. Empty where the view is all of the conversation.
	Line string
}

// Compact brings a client's transcript into the store and compacts it, because the
// client or a person wants that: to the target that leaves room for the work to
// come (V2), without a model. What cannot be compacted is an error: the client is
// to do what it does without us.
func (h *Host) Compact(ctx context.Context, a Ask) (*View, error) {
	c, err := h.openController(ctx, a)
	if err != nil {
		return nil, err
	}
	if v := a.earlierView(c); v != nil {
		return v, nil
	}
	// No client compacts between a call and its result (B2): it does before a request,
	// and a call that has no result then was interrupted.
	w := session.Wish{By: session.ByClient, Reason: a.Trigger, Focus: a.Focus, Target: a.Target, Idle: true}
	if a.Person {
		w.By = session.ByPerson
	}
	d, err := c.Ask(ctx, w)
	epoch := c.Epoch()
	if err == nil && d.Action == session.Compact {
		d, err = c.Run(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	if d.Action == session.Failed && c.Epoch() != epoch { // another event compacted it just now (D3)
		return newView(c, session.Decision{}), nil
	}
	if d.Action != session.Compacted && d.Action != session.GoOn {
		return nil, fmt.Errorf("compact conversation %s: %s: %s", c.Session().ID(), d.Action, d.Reason)
	}
	return newView(c, d), nil
}

// Advance brings a client's transcript into the store before a request is sent, and
// compacts it if that is due: the context is full, or the provider's cache is cold
// anyway (V2). It is for clients that show each request, and for the start of a
// session. Where a compaction fails the view is as it was.
func (h *Host) Advance(ctx context.Context, a Ask) (*View, error) {
	c, err := h.openController(ctx, a)
	if err != nil {
		return nil, err
	}
	d, err := c.Settle(ctx)
	if err != nil {
		return nil, err
	}
	return newView(c, d), nil
}

// Cold brings a client's transcript into the store, and tells whether compacting
// now is worth it, with the reason: it is for the start of a session, where a
// client can be asked to compact (V2 c). Nothing is compacted.
func (h *Host) Cold(ctx context.Context, a Ask) (worth bool, why string, err error) {
	c, err := h.openController(ctx, a)
	if err != nil {
		return false, "", err
	}
	d, err := c.Resting(ctx)
	return d.Action == session.Compact && !d.Micro, d.Reason, err
}

// openController opens the conversation of an ask, up to date, with its controller.
func (h *Host) openController(ctx context.Context, a Ask) (*session.Controller, error) {
	s, err := h.Import(ctx, a)
	if err != nil {
		return nil, err
	}
	settings, err := h.Configure(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	l, err := live.Settings(settings.Config, s.Projection().Config().Model)
	if err != nil {
		return nil, err
	}
	if a.Window > 0 {
		l.Request.Options.Window = a.Window
	}
	l.Request.Options.Recall = h.recalls(string(a.Format), a.Dir)
	if a.Path != "" {
		l.Request.Options.Transcript, _ = filepath.Abs(a.Path)
	}
	if at, ok := ctx.Deadline(); ok {
		l.Timeout = max(time.Until(at)-answerTime, time.Second)
	}
	return s.Control(l), nil
}

// answerTime is what is left of a time limit for the answer.
const answerTime = 500 * time.Millisecond

// earlierView gives the view of an earlier compaction that the client does not have:
// it counts more than twice as much as the view takes.
func (a Ask) earlierView(c *session.Controller) *View {
	v := newView(c, session.Decision{})
	if all := v.Projection().Totals().All(); a.Used <= 2*v.After || all.After == all.Before {
		return nil
	}
	return v
}

// Import brings a client's transcript into the store, and opens its conversation
// there. Of one that was imported before only what is new is written.
func (h *Host) Import(ctx context.Context, a Ask) (*session.Session, error) {
	// While the transcript is read the store opens, and the tables for counting are made.
	go func() { _, _ = h.Service(ctx) }()
	go token.O200k().Count(".")
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

// newView tells how a conversation is after a decision.
func newView(c *session.Controller, d session.Decision) *View {
	s := c.Session()
	v := &View{Session: s, Outcome: session.Nothing}
	scale := token.Calibrate(s.Log())
	all := v.Projection().Totals().All()
	v.Before, v.After = scale.Tokens(all.Before), scale.Tokens(all.After)
	if d.Action == session.Compacted && len(d.Result.Overlays) > 0 {
		v.Outcome = session.Applied
		v.Before, _ = d.Result.Plan.Sizes()
	}
	if all.After < all.Before {
		v.Line = v.line()
	}
	return v
}

// line is what the person reads.
func (v *View) line() string {
	first, last := -1, -1
	for o := range v.Projection().Overlays() {
		if !o.Live {
			continue
		}
		if first < 0 || o.Compaction.FromTurn < first {
			first = o.Compaction.FromTurn
		}
		last = max(last, o.Compaction.ToTurn)
	}
	turns := fmt.Sprintf("turns %d..%d", first, last)
	if first == last {
		turns = fmt.Sprintf("turn %d", first)
	}
	return fmt.Sprintf("Tenfold: %s → %s tokens, %s trimmed; undo: tenfold conversation undo %s", short(v.Before), short(v.After), turns, v.ID())
}

// short writes a number of tokens as people say it: 850, 9.4k, 118k.
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 9950:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1000), ".0") + "k"
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}
