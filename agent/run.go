package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/session"
)

// errLeft says that the loop over the events was left.
var errLeft = errors.New("the run was left")

// errTime is the cause of a context that ended because a limit of time did.
var errTime = errors.New("the limit of time is reached")

// Run appends the message as a turn and has the model answer it, calls and all,
// until there is no more to do or a limit is reached. Without parts it goes on
// where the conversation stopped, for whatever reason. Events come as things
// happen; the last one is a Stop, unless there was an error: one of the provider,
// or of the store. Either way all that was acknowledged is in the log, and the
// next Run goes on. Leaving the loop ends the run as the end of ctx does.
func (a *Agent) Run(ctx context.Context, parts ...tenfold.Part) iter.Seq2[Event, error] {
	return a.runWithEvents(ctx, func(r *run) error { return r.start(parts) })
}

// Compact compacts the conversation now, as a person asks for it, also after a
// failure. Focus is what must be kept. The events are those of the compaction and
// the gauge.
func (a *Agent) Compact(ctx context.Context, focus string) iter.Seq2[Event, error] {
	return a.runWithEvents(ctx, func(r *run) error {
		_, err := r.ask(session.Wish{By: session.ByPerson, Reason: "asked by a person", Focus: focus, Idle: true})
		return err
	})
}

// run is one run under way.
type run struct {
	*Agent

	ctx    context.Context //nolint:containedctx // of the run
	hand   chan Event
	taken  chan struct{} // after each event, when whoever reads the run is done with it
	left   chan struct{} // closed when nobody takes events any more
	told   int64         // the entries up to it were told of
	tells  sync.Mutex    // so that entries are told of in order
	before bill          // what the conversation had spent when the run began
}

// runWithEvents runs do beside, and hands on its events.
func (a *Agent) runWithEvents(ctx context.Context, do func(*run) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !a.busy.TryLock() {
			yield(Event{}, ErrBusy)
			return
		}
		defer a.busy.Unlock()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		if limit := a.options.Limits.Time; limit > 0 {
			var over context.CancelFunc
			ctx, over = context.WithTimeoutCause(ctx, limit, errTime)
			defer over()
		}
		r := &run{Agent: a, ctx: ctx, hand: make(chan Event), taken: make(chan struct{}), left: make(chan struct{})}
		a.mu.Lock()
		r.told, r.before, a.own, a.steps = a.session.Log().Version(), a.past.bill, nil, 0
		a.mu.Unlock()
		done := make(chan error, 1)
		go func() { done <- do(r) }()
		var left error // why nobody listens any more
		leave := func(why error) {
			if left == nil {
				left = why
				stop()
				close(r.left)
			}
		}
		defer leave(errLeft) // a tool that never ended may still print
		for {
			select {
			case e := <-r.hand:
				if left == nil && a.options.Observe != nil && e.Text == "" && e.Reasoning == "" {
					if err := a.options.Observe(e); err != nil {
						leave(fmt.Errorf("record the run: %w", err))
					}
				}
				if left == nil && !yield(e, nil) {
					leave(errLeft)
				}
				r.taken <- struct{}{}
			case err := <-done:
				if err = cmp.Or(left, err); err != nil && !errors.Is(err, errLeft) {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}

// emit hands on an event, and comes back when it was taken.
func (r *run) emit(e Event) {
	select {
	case r.hand <- e:
		<-r.taken
	case <-r.left:
	}
}

// emitNewEntries tells of the entries that the log got since.
func (r *run) emitNewEntries() {
	r.tells.Lock()
	defer r.tells.Unlock()
	for {
		r.mu.Lock()
		entries := slices.Collect(r.session.Log().After(r.told))
		own := r.own
		r.own = nil
		r.mu.Unlock()
		if len(entries) == 0 {
			return
		}
		for i := range entries {
			r.told = entries[i].Seq
			_, mine := slices.BinarySearch(own, r.told)
			r.emit(Event{Branch: entries[i].Branch, Appended: &entries[i], Others: !mine && !slices.Contains(controlled, entries[i].Payload.Kind())})
		}
	}
}

// controlled are the records that compactions leave, which the controller writes.
var controlled = []tenfold.Kind{
	tenfold.KindCompaction, tenfold.KindCompactionAttempt, tenfold.KindCompactionFailed, tenfold.KindCompactionRevoked,
	tenfold.KindPin, tenfold.KindUnpin, tenfold.KindRecalled,
}

// append appends entries and tells of them.
func (r *run) append(entries ...tenfold.Entry) error {
	return r.appendOf(func() []tenfold.Entry { return entries })
}

// appendOf appends what the log as it stands asks for, and tells of it.
func (r *run) appendOf(entries func() []tenfold.Entry) error {
	return r.withSession(func() error { return r.storeOf(r.ctx, entries) })
}

// emitGauge tells how full the context is now.
func (r *run) emitGauge() {
	g := r.Gauge()
	r.emit(Event{Gauge: &g})
}

// start begins the turn of a message, or goes on without one, and works through it.
func (r *run) start(parts []tenfold.Part) error {
	if len(parts) > 0 && !slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || !tenfold.Blank(p.Text) }) {
		// No provider is sent it, and the request would end with what the model said.
		return &problem.Error{Code: "nothing_to_answer", Op: "run", Subject: "conversation " + r.session.ID(), Problem: "the message is blank", Hint: "write a message"}
	}
	// Nor is the message lost where the run ends at once.
	if err := r.withSession(func() error { return r.configure(context.WithoutCancel(r.ctx)) }); err != nil {
		return err
	}
	w := &worker{run: r, ctx: r.ctx}
	switch {
	case len(parts) > 0:
		if err := r.fits(parts); err != nil {
			return err
		}
		if err := w.begin(parts); err != nil {
			return err
		}
	case w.state() == Empty:
		return &problem.Error{Code: "nothing_to_answer", Op: "run", Subject: "conversation " + r.session.ID(), Problem: "there is nothing to answer", Hint: "write a message"}
	}
	stop, err := w.work()
	if err != nil {
		return err
	}
	r.mu.Lock()
	unkept := r.unpricedSpending()
	stop.Steps = r.steps
	r.mu.Unlock()
	switch stop.Reason {
	case Limited, Interrupted, CutOff:
		stop.Detail = strings.TrimPrefix(stop.Detail+"; the next run goes on", "; ")
	case Answered:
		stop.Detail = cmp.Or(stop.Detail, unkept)
	}
	r.emit(Event{Stop: &stop})
	return nil
}

// begin begins the turn of a message. Calls that nobody answered, as after a crash,
// are told as interrupted first: the person goes on to something else.
func (w *worker) begin(parts []tenfold.Part) error {
	return w.appendOf(func() []tenfold.Entry {
		entries := append(w.answerOpenCalls(), tenfold.Entry{Payload: tenfold.TurnStart{}})
		if w.options.Context != nil {
			if text := w.options.Context(); text != "" && text != w.past.context {
				entries = append(entries, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: tenfold.Context, Synthetic: true}})
			}
		}
		return append(entries, tenfold.Entry{Payload: tenfold.UserMessage{Parts: parts}})
	})
}

// fits refuses a message that no request can hold: nothing compacts the last message of a
// person, so that the conversation could never go on.
func (r *run) fits(parts []tenfold.Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	window := r.control.Window()
	tokens := tenfold.CountPayload(r.counter, tenfold.UserMessage{Parts: parts})
	if window == 0 || tokens <= window {
		return nil
	}
	return &problem.Error{
		Code: "message_too_long", Op: "run", Subject: "conversation " + r.session.ID(),
		Problem: fmt.Sprintf("the message has %s tokens, and the model's context holds %s; it was not added", number.Thousands(tokens), number.Thousands(window)),
		Hint:    "put it into a file, and have the model read what it needs of it",
	}
}

// ended tells why the context ended, if it did.
func (r *run) ended(ctx context.Context) *Stop {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), errTime):
		return &Stop{Reason: Limited, Detail: fmt.Sprintf("the limit of %v is reached", r.options.Limits.Time)}
	}
	return &Stop{Reason: Interrupted}
}

// reachedLimit tells which limit is reached, if one is.
func (r *run) reachedLimit() *Stop {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, spent := r.options.Limits, r.past.bill
	tokens, dollars := total(spent.spent)-total(r.before.spent), spent.dollars-r.before.dollars
	detail := r.unpricedSpending()
	switch {
	case l.Steps > 0 && r.steps >= l.Steps:
		detail = fmt.Sprintf("the limit of %s is reached", number.Count(l.Steps, "step"))
	case l.Tokens > 0 && tokens >= l.Tokens:
		detail = fmt.Sprintf("the limit of %s is reached: %s were used", number.Count(l.Tokens, "token"), number.Count(tokens, "token"))
	case detail != "":
	case l.Dollars > 0 && dollars >= l.Dollars:
		detail = fmt.Sprintf("the limit of %s is reached: %s were spent", number.Dollars(l.Dollars), number.Dollars(dollars))
	default:
		return nil
	}
	return &Stop{Reason: Limited, Detail: detail}
}

// unpricedSpending tells that a limit of money cannot be kept: there was something to pay whose
// price is not known. It is called with the lock held.
func (r *run) unpricedSpending() string {
	if l := r.options.Limits.Dollars; l > 0 && r.past.unpriced > r.before.unpriced {
		return fmt.Sprintf("the limit of %s cannot be kept: the price of %s is not known", number.Dollars(l), r.past.model)
	}
	return ""
}
