package replay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store/memory"
)

// LiveOptions say how a conversation is replayed through the controller, and at
// whose prices.
type LiveOptions struct {
	// Live is what the controller goes by. A window that it does not name is
	// that of the model.
	Live session.Live
	// Model and Prices are as in [Options].
	Model  string
	Prices provider.Prices
	// Lifetime is how long the cache keeps what nobody touches, where the client
	// asks for another time than the provider's usual one; an hour costs twice the
	// input to write with Anthropic.
	Lifetime time.Duration
}

// LiveResult is what the input of a conversation's requests costs as it was, and
// as it would have been through us.
type LiveResult struct {
	Model    string
	Price    provider.Price
	Cache    provider.CacheRule
	Requests int
	// Without is with what the client did by itself, With with the controller.
	Without, With Cost
	// Cold, Full, Cleared and Asked count the compactions of With: while the cache
	// was cold, while it was warm, those of old results alone, and those that the
	// client asked for.
	Cold, Full, Cleared, Asked int
	// Worst is by how many dollars With was over Without after its worst request: what
	// would have been lost, had the session ended there. It is 0 or more.
	Worst float64
}

// Saved is what goes through us costs less; less than zero when it costs more.
func (r LiveResult) Saved() float64 { return r.Without.Dollars - r.With.Dollars }

// live goes the two ways through a conversation side by side.
type liveReplay struct {
	own, ours *replayer
	session   *session.Session
	control   *session.Controller
	now       time.Time
	// limit is the size at which the client compacts by itself, as its first
	// compaction to come shows; zero for none to come.
	limit int
	// both tells that the client asked us for that: then it puts back through us too
	// what it puts back after a compaction.
	both bool
	// answered is when the last answer came; cooled tells that what is free in a cold
	// cache was done since, and looked how many tokens the log had at the last look.
	answered time.Time
	cooled   bool
	looked   int
	used     int           // of the window, by that answer
	by       session.Asker // who asked for the newest compaction, and its command
	command  string
	result   LiveResult
}

// Live sends a log's requests again, as [Run] does, and asks the
// controller of a live conversation when the proxy does ([session.Pace]). What the provider would
// have reported of the smaller requests is worked out from what it did report. A
// compaction of the client's own is answered by the controller, and comes when the
// view is as large as it was when the client compacted; one that a person asked for
// comes when it came.
func Live(ctx context.Context, l *tenfold.Log, o LiveOptions) (LiveResult, error) {
	r := LiveResult{Model: o.Model}
	terms, err := termsOf(l, Options{Model: o.Model, Prices: o.Prices})
	if err != nil {
		return r, err
	}
	if o.Lifetime > 0 {
		o.Live.Lifetime = max(o.Live.Lifetime, o.Lifetime)
		terms.cache.Lifetime = o.Lifetime
		terms.price = terms.price.KeptFor(o.Lifetime, terms.cache)
	}
	o.Live.Request.Options.Window = cmp.Or(o.Live.Request.Options.Window, terms.window)
	x, err := newLiveReplay(ctx, l, terms, o.Live)
	if err != nil {
		return r, err
	}
	if err := x.run(ctx, l); err != nil {
		return r, err
	}
	return x.result, nil
}

// run sends all requests.
func (x *liveReplay) run(ctx context.Context, l *tenfold.Log) error {
	own, raw := replayScript(l, true), replayScript(l, false)
	next := 0
	for i, q := range raw.requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		said := next + answerOf(own.entries[next:q.before])
		if err := x.appendBoth(ctx, own.entries[next:said], raw.entries[next:said]); err != nil {
			return err
		}
		if err := x.settleAfterAnswer(ctx, own.entries[next:said], q.at); err != nil {
			return err
		}
		if err := x.appendBoth(ctx, own.entries[said:q.before], raw.entries[said:q.before]); err != nil {
			return err
		}
		next = q.before
		if err := x.send(ctx, q.at); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
	}
	x.ours.cost.Firings = x.result.Cold + x.result.Full + x.result.Cleared + x.result.Asked
	x.result.Requests = len(raw.requests)
	x.result.Without, x.result.With = x.own.cost, x.ours.cost
	return nil
}

func newLiveReplay(ctx context.Context, l *tenfold.Log, terms replayTerms, live session.Live) (*liveReplay, error) {
	x := &liveReplay{own: newReplayer(terms, l.Counter()), ours: newReplayer(terms, l.Counter()), now: firstTime(l)}
	x.result.Model, x.result.Price, x.result.Cache = terms.model, terms.price, terms.cache
	ids := 0
	service := session.NewService(memory.New(), session.WithCounter(l.Counter()), session.WithClock(func() time.Time { return x.now }),
		session.WithIDs(func() string { ids++; return fmt.Sprintf("live/%d", ids) }))
	var err error
	if x.session, err = service.Create(ctx, session.Create{ID: "live"}); err == nil {
		x.control = x.session.Control(live)
	}
	return x, err
}

// firstTime is the first time that a log tells. Some formats keep none: their requests
// are taken to come one right after the other, and the clock stands still.
func firstTime(l *tenfold.Log) time.Time {
	for e := range l.Entries() {
		if !e.Time.IsZero() {
			return e.Time
		}
	}
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
}

// LiveCompactions are those that the controller of a running conversation makes, asked
// before each request of a log.
func LiveCompactions(ctx context.Context, l *tenfold.Log, live session.Live) ([]tenfold.Compaction, error) {
	terms, _ := termsOf(l, Options{})
	live.Request.Options.Window = cmp.Or(live.Request.Options.Window, terms.window)
	x, err := newLiveReplay(ctx, l, terms, live)
	if err == nil {
		err = x.run(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	var made []tenfold.Compaction
	for e := range x.session.Log().Entries() {
		if o, ok := e.Payload.(tenfold.Compaction); ok {
			made = append(made, o)
		}
	}
	return made, nil
}

// appendBoth appends entries to both.
func (x *liveReplay) appendBoth(ctx context.Context, own, raw []tenfold.Entry) error {
	for _, e := range own {
		if compacts(e) {
			x.own.advance()
			x.limit, x.both = x.own.p.Tokens(), false
			if c, _ := e.Payload.(tenfold.Compaction); c.Reason == "manual" {
				x.limit = 1
			}
		}
		if err := x.own.appendEntry(e); err != nil {
			return err
		}
	}
	x.putBack()
	batch := make([]tenfold.Entry, len(raw))
	for i, e := range raw {
		if u, ok := e.Payload.(tenfold.Usage); ok && e.Branch == "" {
			e.Payload = x.scaleReported(u)
		}
		batch[i] = e
	}
	if err := x.session.Append(ctx, batch...); err != nil {
		return err
	}
	return x.syncLog()
}

// putBack has the client put back through us what it did without.
func (x *liveReplay) putBack() {
	if x.both {
		x.ours.addUnlogged(x.own.held)
	}
}

// scaleReported is what the provider would have reported of our last request, by what
// it reported of the client's.
func (x *liveReplay) scaleReported(u tenfold.Usage) tenfold.Usage {
	more := x.own.watcher.Scale(x.own.l).Tokens(x.ours.sent - x.own.sent)
	return tenfold.Usage{Model: u.Model, Input: max(u.Prompt()+more, 0), Output: u.Output}
}

// syncLog takes over what the session's log holds now.
func (x *liveReplay) syncLog() error {
	for e := range x.session.Log().After(x.ours.l.Version()) {
		x.noteCompaction(e)
		if err := x.ours.appendEntry(e); err != nil {
			return err
		}
	}
	return nil
}

// noteCompaction notes a compaction of the controller's.
func (x *liveReplay) noteCompaction(e tenfold.Entry) {
	switch p := e.Payload.(type) {
	case tenfold.CompactionAttempt:
		x.by = session.Asker(p.Source)
	case tenfold.Compaction:
		if p.Command == "" || p.Command == x.command { // what one command makes counts once
			return
		}
		switch x.command = p.Command; {
		case p.Source == "micro":
			x.result.Cleared++
		case x.by == session.ByClient:
			x.result.Asked++
		case x.ours.cacheWarm(x.now):
			x.result.Full++
		default:
			x.result.Cold++
		}
	}
}

// send sends a request both ways.
func (x *liveReplay) send(ctx context.Context, at time.Time) error {
	x.own.advance()
	x.own.paySend(at)
	if at.After(x.now) {
		x.now = at
	}
	x.ours.advance()
	if x.limit > 0 && x.ours.p.Tokens() >= x.limit {
		x.limit = 0
		d, err := x.control.Ask(ctx, session.Wish{By: session.ByClient})
		if err == nil {
			d, err = x.control.Run(ctx, d)
		}
		if err != nil {
			return err
		}
		if d.Action == session.Compacted {
			x.both, x.ours.held = true, 0
		}
	}
	since := time.Duration(0)
	if !x.cooled && !x.answered.IsZero() {
		since = x.now.Sub(x.answered)
	}
	if used, _ := x.control.Used(); x.control.Pace().Waits(used, used-x.used, since) {
		if _, err := x.control.SettleUrgent(ctx); err != nil {
			return err
		}
	}
	if err := x.syncLog(); err != nil {
		return err
	}
	x.ours.advance()
	x.ours.paySend(at)
	x.putBack()
	x.result.Worst = max(x.result.Worst, x.ours.cost.Dollars-x.own.cost.Dollars)
	return x.settleWhileAnswering(ctx)
}

// settleWhileAnswering has the controller do what is due while the model answers.
func (x *liveReplay) settleWhileAnswering(ctx context.Context) error {
	log := x.session.Log().Tokens()
	if used, _ := x.control.Used(); !x.control.Pace().Full(used) && !session.LooksAgain(log, x.looked) {
		return nil
	}
	x.looked = log
	if _, err := x.control.SettleBeside(ctx); err != nil {
		return err
	}
	return x.syncLog()
}

// settleAfterAnswer has the controller do what is due after an answer, until the next request comes.
// Where nobody noted the times, that comes at once.
func (x *liveReplay) settleAfterAnswer(ctx context.Context, answer []tenfold.Entry, next time.Time) error {
	x.cooled = false
	calls := false
	for _, e := range answer {
		calls = calls || e.Payload.Kind() == tenfold.KindToolCall
		if e.Time.After(x.answered) {
			x.answered = e.Time
		}
	}
	used, _ := x.control.Used()
	if x.used = used; len(answer) == 0 || calls {
		return nil
	}
	pace := x.control.Pace()
	for i, after := range []time.Duration{pace.Rests(used, session.RestAfter), pace.Cools()} {
		at := x.answered.Add(after)
		if after > 0 && !at.Before(next) || i > 0 && after == 0 {
			continue
		}
		if at.After(x.now) {
			x.now = at
		}
		d, err := x.control.SettleAhead(ctx)
		if err == nil {
			err = x.syncLog()
		}
		if err != nil {
			return err
		}
		x.cooled = i > 0 && d.Action != session.Wait
	}
	return nil
}

// answerOf is how many entries at the start are a model's answer.
func answerOf(list []tenfold.Entry) (n int) {
	for i, e := range list {
		switch e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.Usage:
			if e.Branch == "" {
				n = i + 1
			}
		case tenfold.Compaction:
			return n
		default:
			if e.Branch == "" && e.Payload.Kind().Visible() {
				return n
			}
		}
	}
	return n
}
