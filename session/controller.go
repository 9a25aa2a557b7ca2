package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"tenfold"
	"tenfold/problem"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/trigger"
)

// Live says how a conversation is compacted while it runs.
type Live struct {
	// Request is what all its compactions share: options, prices, the tail. Its
	// Strategies, Trigger, Target and ID are not used. Options.Window is the
	// model's context, where the caller knows it better than the table.
	Request Request
	Micro   LiveMicro
	Auto    LiveAuto
	// Turns is how many turns a compaction is to make room for (live V2); zero
	// is DefaultTurns.
	Turns int
	// Lifetime is how long the client asked the provider to keep its prompts, where
	// that is longer than the provider does by itself; zero where it is not.
	Lifetime time.Duration
	// Timeout is how long an attempt may take. Zero is a minute, or ten where a
	// model may be asked.
	Timeout time.Duration
	// Lease is how long an attempt keeps others from the conversation after its process
	// was last heard of. Zero is a minute.
	Lease time.Duration
}

// LiveMicro says when old results are cleared, between two requests (A1).
type LiveMicro struct {
	Enabled  bool
	Strategy strategy.Micro
	// ClearAtLeast is how many tokens must come free, so that the provider's
	// cache is not broken for crumbs; zero is trigger.DefaultClearAtLeast.
	ClearAtLeast int
	// ColdAfter is how long an untouched cache is warm; zero is the provider's
	// own lifetime.
	ColdAfter time.Duration
	// Stake is which share of what the conversation cost so far clearing may cost
	// more, should no other request follow, and a view that stays after a compaction.
	// Zero has clearing wait, while the cache is warm, until earlier compactions saved as
	// much, and leaves no more than is paid for (live V2); 1 and more does not.
	Stake float64
}

// LiveAuto says when the conversation is compacted by itself (A2).
type LiveAuto struct {
	Enabled bool
	// Trigger is asked between turns; nil is 80 % of the window.
	Trigger trigger.Trigger
	// Strategies are run; none means fit, which needs no model. A fit without
	// a target goes for that of live V2.
	Strategies []strategy.Strategy
	// MaxAttempts is how many attempts that come to nothing a turn may have
	// (A3); zero is one.
	MaxAttempts int
}

// DefaultTurns is how many turns a compaction makes room for.
const DefaultTurns = 30

// An Asker is who wants a compaction.
type Asker string

// The askers.
const (
	ByTrigger Asker = strategy.SourceAuto // nobody: the context is full, or the cache is cold
	ByClient  Asker = "client"            // a client that compacts by itself
	ByModel   Asker = "model"             // the model, by a tool (A8)
	ByPerson  Asker = "user"              // a person
)

// A Wish is somebody's asking for a compaction.
type Wish struct {
	By Asker
	// Reason is why, fit to be shown; Focus what must be kept.
	Reason, Focus string
	// Target is the size to reach; zero leaves it to live V2.
	Target strategy.Target
	// Idle tells that nothing is under way, whatever the log looks like: a call
	// without a result was interrupted, and will not get one.
	Idle bool

	room int // the size to reach where the cache is cold anyway; zero for none
}

// A Decision is what the controller answers.
type Decision struct {
	Action Action
	// State is where the controller stands with this decision.
	State State
	// Reason is why, fit to be shown.
	Reason string
	// By is who asked, where something is to be done or was done.
	By Asker
	// Micro tells that old results are cleared, and no more (A1).
	Micro bool
	// Problem says what a person can do, with Failed and Exceeded.
	Problem *problem.Error
	// Result is what was done, with Compacted.
	Result Result
	// Target is the most tokens the view is to have, by the provider's count.
	Target int

	wish  Wish
	trial Request
	// planned is the plan that told whether it is worth it; nil for none.
	planned *Prepared
}

// A Controller decides when a live conversation is compacted, and compacts it
// (live §1, semantics §9). Everything it knows is in the log, so that any number
// of controllers, one after the other or at once, answer alike. It is for one
// goroutine at a time, as its session is.
//
// Call [Controller.Next] before each request, and [Controller.Ask] when somebody
// wants a compaction; [Controller.Run] what they decide.
type Controller struct {
	session *Session
	live    Live
	past    past
	cleared looked
	// idle tells that nothing is under way, whatever the log looks like.
	idle bool
	// extent is how much of what is due is looked for.
	extent extent
}

// Control gives a controller of the session's conversation.
func (s *Session) Control(live Live) *Controller {
	live.Auto.Trigger = cmp.Or(live.Auto.Trigger, trigger.Context(trigger.DefaultContext))
	if len(live.Auto.Strategies) == 0 {
		live.Auto.Strategies = []strategy.Strategy{strategy.Fit{}}
	}
	live.Auto.MaxAttempts = max(live.Auto.MaxAttempts, 1)
	live.Turns = cmp.Or(max(live.Turns, 0), DefaultTurns)
	return &Controller{session: s, live: live}
}

// Session is the conversation that is controlled.
func (c *Controller) Session() *Session { return c.session }

// Undone tells that a person undid the last compaction, so that none begins by
// itself before the next request would not fit.
func (c *Controller) Undone() bool {
	c.state()
	return c.past.undone
}

// Window is how many tokens the model's context holds, and Trigger what is asked
// between turns: a caller that knows what a request takes can tell by them that
// there is nothing to ask.
func (c *Controller) Window() int {
	_, window := c.used()
	return window
}

// Used is what the next request takes of Window, and where the figure is from
// (T3). It reads no more than what was appended since.
func (c *Controller) Used() (tokens int, source token.Source) { return c.triggerView().Used() }

// Trigger is what is asked between turns.
func (c *Controller) Trigger() trigger.Trigger { return c.live.Auto.Trigger }

// Appended takes in entries that the caller has, such as what a model answered
// or a tool gave. It reads what others appended first.
func (c *Controller) Appended(ctx context.Context, entries ...tenfold.Entry) error {
	return c.session.AppendLatest(ctx, entries...)
}

// Reported takes in what a provider reported of its last response.
func (c *Controller) Reported(ctx context.Context, usage tenfold.Usage) error {
	return c.Appended(ctx, tenfold.Entry{Payload: usage})
}

// Next decides about the request that is about to be sent. It writes nothing and
// calls no model.
func (c *Controller) Next(ctx context.Context) (Decision, error) {
	if err := c.session.Refresh(ctx); err != nil {
		return Decision{}, err
	}
	state := c.state()
	in, d, err := c.request(ctx, state)
	if err != nil {
		return Decision{}, err
	}
	if state == Wanted {
		d = Decision{Reason: c.past.wish.Reason, By: c.past.wish.By, wish: c.past.wish}
		if c.openCall() {
			return c.answered(d, Transition{Wait, Wanted}), nil
		}
	}
	d = c.answered(d, state.On(in))
	if (d.Action == GoOn && !c.past.undone && (c.extent != urgent || c.isCold()) || d.Action == Exceeded) && c.live.Micro.Enabled {
		return c.decideClearing(ctx, d)
	}
	return d, nil
}

// Resting decides as [Controller.Next] does, where nobody is working: as a session
// begins again. A turn that was stopped in the middle is over, and a call without a
// result will not get one.
func (c *Controller) Resting(ctx context.Context) (Decision, error) {
	c.idle = true
	defer func() { c.idle = false }()
	return c.Next(ctx)
}

// Ask decides about a wish. A wish that has to wait for the result of a call is
// recorded, and then [Controller.Next] grants it (A8). Nothing else is written.
func (c *Controller) Ask(ctx context.Context, w Wish) (Decision, error) {
	w.By = cmp.Or(w.By, ByPerson)
	if err := c.session.Refresh(ctx); err != nil {
		return Decision{}, err
	}
	in := map[Asker]Input{ByClient: ClientAsks, ByTrigger: ClientAsks, ByModel: ModelAsks}[w.By]
	open := !w.Idle && c.openCall()
	switch {
	case in == ModelAsks && open:
		in = ModelAsksOpen
	case in == "" && open:
		in = PersonAsksOpen
	case in == "":
		in = PersonAsks
	}
	state := c.state()
	was := state
	if w.By == ByModel && was == Ready && c.past.asked >= c.live.Auto.MaxAttempts {
		was = Tried // for the model, which may try no more often than what begins by itself
	}
	next := was.On(in)
	d := c.answered(Decision{Reason: cmp.Or(w.Reason, "asked by the "+string(w.By)), By: w.By, wish: w}, next)
	if was != state {
		d.State = state
	}
	if next.Answer == Wait && next.Next == Wanted {
		wanted := tenfold.CompactionAttempt{State: tenfold.AttemptWanted, Source: string(w.By), Reason: d.Reason, Focus: w.Focus}
		d.Reason = "waits for the result of a call"
		return d, c.session.AppendLatest(ctx, tenfold.Entry{Payload: wanted})
	}
	return d, nil
}

// answered completes a decision by the transition that it is.
func (c *Controller) answered(d Decision, t Transition) Decision {
	d.Action, d.State = t.Answer, t.Next
	switch d.Action {
	case Wait:
		if t.Next == Compacting {
			d.Reason = "a compaction is under way"
		}
	case Compact:
		d.Target = c.target(d.wish)
	case Failed:
		d.Reason = "a compaction came to nothing in this turn: " + c.past.failure
		d.Problem = c.problem("compaction_failed", d.Reason, "compact it yourself, or go on: the next turn tries again")
	case Exceeded:
		used, window := c.used()
		d.Reason = fmt.Sprintf("%d tokens are more than the window of %d, and compacting failed: %s", used, window, c.past.failure)
		d.Problem = c.problem("context_exceeded", d.Reason, "start a new session, or compact it yourself with a smaller target; the conversation stays readable")
	}
	return d
}

func (c *Controller) problem(code, what, hint string) *problem.Error {
	return &problem.Error{Code: code, Subject: "conversation " + c.session.id, Problem: what, Hint: hint}
}

// A Status is what can be shown of a live conversation.
type Status struct {
	State State
	// Since is when the attempt under way began (A5), and Until when its time is
	// over.
	Since, Until time.Time
	// Failure is why the last attempt came to nothing; empty after a success
	// and in a new turn.
	Failure string
	// Tokens is what the next request takes, Window what the model does, both
	// by the provider's count; Target what a compaction would go for now.
	Tokens, Window, Target int
	// Growth is what a turn adds, on average (live V2).
	Growth int
	// Compactions counts those that the log holds, undone ones included (A7).
	Compactions int
	Epoch       Epoch
}

// Status tells where the conversation stands.
func (c *Controller) Status(ctx context.Context) (Status, error) {
	if err := c.session.Refresh(ctx); err != nil {
		return Status{}, err
	}
	s := Status{State: c.state(), Failure: c.past.failure, Growth: c.growth(), Target: c.target(Wish{}), Compactions: c.session.compactions(), Epoch: c.past.epoch}
	s.Tokens, s.Window = c.used()
	if s.State == Compacting {
		s.Since, s.Until = c.past.begun, c.past.over()
	}
	if in, _ := c.isFull(); s.State == Tried && in || s.State == Closed && !in {
		s.State = map[State]State{Tried: Closed, Closed: Tried}[s.State]
	}
	return s, nil
}

// An Epoch is the time between two changes of what the view shows of the past:
// within it a view only grows (live V1).
type Epoch struct {
	// ID is the id of the entry that changed the view; empty before the first.
	ID string
	// Seq is the seq of that entry, 0 before the first.
	Seq int64
}

// BeginsEpoch tells of an entry that changes what a view shows of the past.
func BeginsEpoch(e tenfold.Entry) bool {
	if e.Branch != "" {
		return false
	}
	switch p := e.Payload.(type) {
	case tenfold.Compaction:
		return !p.AtBirth() && !p.Rewinds()
	case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
		return true
	}
	return false
}

// Epoch is the one that the conversation is in, as far as the session has read.
func (c *Controller) Epoch() Epoch {
	c.past.read(c.session, c.live.Auto.MaxAttempts, c.Lifetime(), c.limit())
	return c.past.epoch
}

// Fresh tells that the view was compacted since the last answer and has room: what a client
// that goes by the usage of its answers knows of its size is from before.
func (c *Controller) Fresh() bool {
	begun, ok := c.session.log.Entry(c.Epoch().Seq)
	made, compacted := begun.Payload.(tenfold.Compaction)
	if !ok || !compacted || made.Source == sourceMicro || made.Source == tenfold.SourceImport {
		return false
	}
	for e := range c.session.log.After(begun.Seq) {
		if e.Branch == "" && isAnswer(e.Payload.Kind()) {
			return false
		}
	}
	full, _ := c.fires()
	return !full
}

// Frozen gives the part of the view that the epoch began with: each request of
// the epoch begins with it.
func (c *Controller) Frozen() iter.Seq[tenfold.Item] {
	epoch := c.Epoch()
	return func(yield func(tenfold.Item) bool) {
		for it := range c.session.projection.Items() {
			if epoch.Seq == 0 || it.Seq > epoch.Seq || !yield(it) {
				return
			}
		}
	}
}
