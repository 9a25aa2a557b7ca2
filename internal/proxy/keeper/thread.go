package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
	"tenfold/internal/telemetry"
	"tenfold/session"
)

// A thread is one history of a client, as its requests tell it. Requests look at
// what is here under the keeper's lock; what takes time is done by its jobs, one
// after the other, beside the requests.
type thread struct {
	k           *keeper
	id          identity
	client, dir string
	born        bool // seen from its beginning
	tools       bool // it offers its model tools
	head        wire.Sum
	sent        bool // some request went on
	touched     time.Time
	order       int // of its newest request among all

	// messages are those of the newest request. So many of them as are confirmed
	// are in the log, or will be: a history that differs in those is another one.
	// The rest may still be said otherwise, by a request that is tried again or
	// asks something on the side.
	messages  []wire.Message
	confirmed int
	newest    *exchange
	idle      *time.Timer

	frozen *frozen
	// answered is what the client was told when it last compacted by itself, until
	// a history begins with it (X4).
	answered *base
	passing  string // why nothing is edited any more; empty while we do
	shown    proxy.Conversation
	billed   billed

	// What the last look at the log said: that a compaction is due, and when one may be.
	due      bool
	pace     session.Pace
	settling bool // what is due is being done
	cooled   bool // what is free in a cold cache was done since the last answer
	gone     bool // forgotten here
	// awaits is the exchange after which the cache gets cold; nil where that is not waited
	// for.
	awaits  *exchange
	kept    time.Duration // as the client asks of it, by its marks
	least   int           // tokens that the cache keeps at all
	used    int           // tokens of the newest exchange that the vendor counted
	usedAt  int           // how many messages its request had
	version int64         // of the log
	checked time.Time     // when the store was asked for it
	epoch   string        // that requests show
	rest    time.Time     // no job is waited for before, after a failure
	pays    *time.Timer   // which tries again to store what is owed
	payWait time.Duration // before that
	// lastPays says that a job does, once the keeper is closed.
	lastPays bool

	jobs    []func(context.Context)
	running bool

	log      record // of the jobs
	misheard int
	after    <-chan struct{} // closed once the store has what another history was told
}

// A billed is what the vendor counted of all requests, in tokens.
type billed struct{ prompt, read int64 }

// Bounds of when a request waits for a look at the log.
const (
	// bytesPerToken is taken for what no vendor counted yet. Real requests have
	// 3.5 to 5, so that what is due is never missed.
	bytesPerToken = 3
	// lookAgain is how long what another process does may go unnoticed.
	lookAgain = time.Second
	// restTime is how long no request waits after a job failed (V7).
	restTime = time.Minute
	// jobTime is how long a job may take.
	jobTime = 2 * time.Minute
)

// join makes a request the newest of the history. The caller holds the lock, as
// with everything here that does not say otherwise.
func (t *thread) join(ex *exchange) {
	if t.idle != nil {
		t.idle.Stop()
	}
	prev := t.newest
	ex.t, ex.before, ex.length = t, prev, len(ex.r.Messages)
	if prev != nil {
		t.awaits = nil
		prev.confirmed = ex.length > prev.length && ex.r.Messages[prev.length].Model
		if !prev.confirmed {
			ex.before = prev.before
		}
		if prev.done && !prev.confirmed && !prev.flushed {
			t.storeUsage(prev)
		}
	}
	t.releaseAnswered(prev)
	behind := commonMessages(t.messages, ex.r.Messages) // the marks of those before were seen
	t.k.requests++
	t.newest, t.messages, t.order = ex, ex.r.Messages, t.k.requests
	ex.another, t.head = ex.r.Head != t.head, ex.r.Head
	ex.warm = t.pace.Lifetime > 0 && !t.touched.IsZero() && ex.began.Sub(t.touched) < t.pace.Lifetime
	t.shown.Requests++
	t.kept = max(t.kept, keptFor(ex.r, behind))
	t.shown.Model = cmp.Or(ex.r.Model, t.shown.Model)
}

// mayBeDue tells whether to look at the log before the request is sent: where
// nothing can be due the request goes on at once.
func (t *thread) mayBeDue(ex *exchange, fresh bool) bool {
	switch {
	case t.k.closed, ex.began.Before(t.rest):
		return false
	case fresh:
		return !ex.fits && !ex.began.Before(t.k.rest) && !t.k.store.unopened()
	case t.due, t.settling, t.frozen != nil && !t.frozen.holds(ex.r): // of a message that is said otherwise
		return true
	}
	since := time.Duration(0) // the last answer, or what was free in a cold cache (V2c)
	if !t.cooled && !t.touched.IsZero() {
		since = ex.began.Sub(t.touched)
	}
	return t.pace.Waits(t.estimate(ex), t.added(ex), since)
}

// estimate is about how many tokens a request takes, rather more than fewer.
func (t *thread) estimate(ex *exchange) int {
	if t.used == 0 || t.usedAt > ex.length {
		n := len(ex.in.Body)
		if t.frozen.holds(ex.r) {
			n += len(t.frozen.bytes) - t.frozen.replaced(ex.r)
		}
		return n / bytesPerToken
	}
	if t.usedAt == ex.length {
		return t.used
	}
	return t.used + (ex.r.Messages[ex.length-1].To-ex.r.Messages[t.usedAt].From)/bytesPerToken
}

// added is about how many of them came since the last answer that the vendor counted.
func (t *thread) added(ex *exchange) int {
	if t.used == 0 || t.usedAt > ex.length {
		return 0
	}
	return t.estimate(ex) - t.used
}

// settled is how many messages at the start will be said again just so: all that
// the model answered, and its answers.
func settled(m []wire.Message) int {
	n := len(m)
	for n > 0 && m[n-1].Model {
		n-- // begun by the client, for the model to go on
	}
	for n > 0 && !m[n-1].Model {
		n--
	}
	return n
}

// storeEarly has the messages of a request stored that are sure, beside its way, and what
// is due by it done while the model answers (X9).
func (t *thread) storeEarly(ex *exchange) {
	upto, full := settled(ex.r.Messages), t.pace.Full(t.estimate(ex))
	if upto <= t.confirmed && !full {
		return
	}
	t.confirmed = max(t.confirmed, upto)
	t.enqueue(func(ctx context.Context) {
		t.recordFailure(t.store(ctx, ex, upto))
		if t.askController(ctx) || full {
			t.settleBeside(ctx, ex)
		}
	})
}

// flush has everything stored that was heard so far, and then something else done, if
// anything, with the newest exchange.
func (t *thread) flush(then func(context.Context, *exchange)) {
	ex := t.newest
	if ex == nil || ex.flushed || t.joinMain() {
		return
	}
	ex.flushed, ex.flushing = true, true
	t.settling = then != nil && t.pace.Full(t.used) && !t.k.closed
	t.enqueue(func(ctx context.Context) {
		t.recordFailure(t.storeHeard(ctx, ex))
		t.askController(ctx)
		if then != nil {
			then(ctx, ex)
		}
		if t.k.Spare {
			t.log.releaseSession()
		}
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		if ex.flushing = false; !t.scheduleCold(ex) || !ex.holdBody() {
			ex.releaseBody()
		}
	})
}

// stored has everything stored that the history was told, for another one that may go on
// from it: a client that is started again, and says its beginning otherwise, would find
// less of it in the store and leave for a copy. What was not answered may be said
// otherwise too. It gives what is closed by then; nil where nothing is waited for, as an
// answer is still to come.
func (t *thread) stored() <-chan struct{} {
	switch ex := t.newest; {
	case ex == nil, !ex.done:
		return nil
	case ex.response.Entries != nil:
		t.flush(nil)
	}
	done := make(chan struct{})
	if !t.enqueue(func(context.Context) { close(done) }) {
		return nil
	}
	return done
}

// releaseAnswered has the bytes of a request let go that was answered, where they are held.
func (t *thread) releaseAnswered(ex *exchange) {
	if ex == nil || !ex.held {
		return
	}
	t.enqueue(func(context.Context) {
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		ex.releaseBody()
	})
}

// enqueue has a job done after those before it; false when the keeper is closed.
func (t *thread) enqueue(job func(context.Context)) bool {
	if t.k.closed {
		return false
	}
	t.jobs = append(t.jobs, job)
	if !t.running {
		t.running = true
		t.k.work.Go(t.runJobs)
	}
	return true
}

// runJobs does the jobs that there are.
func (t *thread) runJobs() {
	for {
		t.k.mu.Lock()
		if len(t.jobs) == 0 {
			t.running, t.jobs = false, nil
			t.k.mu.Unlock()
			return
		}
		job := t.jobs[0]
		t.jobs[0], t.jobs = nil, t.jobs[1:]
		t.k.mu.Unlock()
		t.runJob(job)
	}
}

func (t *thread) runJob(job func(context.Context)) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), jobTime)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			t.log.forget()
			t.recordFailure(fmt.Errorf("internal error: %s", describe(p)))
		}
	}()
	t.recordFailure(t.reopen(ctx)) // where it cannot be opened it is looked for, as after a restart
	job(ctx)
}

// awaitJob waits for a job as long as a request may wait, and tells whether it is done.
// It holds no lock.
func (t *thread) awaitJob(ctx context.Context, done <-chan struct{}) bool {
	late := time.NewTimer(t.k.Patience)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	case <-late.C:
		t.k.mu.Lock()
		t.rest = t.k.Now().Add(restTime)
		what := "a compaction"
		if t.shown.ID == "" { // the store has not said what it is
			what, t.k.rest = "a look at the store", t.rest
		}
		t.k.mu.Unlock()
		t.k.Fail(t.client, "request", fmt.Sprintf("%s took longer than %v; the request went without it", what, t.k.Patience))
	}
	return false
}

// recordFailure records that a job failed (V7). It takes the lock.
func (t *thread) recordFailure(err error) {
	if err == nil || errors.Is(err, errForgotten) { // then nothing is left to do
		return
	}
	t.k.mu.Lock()
	t.rest = t.k.Now().Add(restTime)
	client := t.shown.Client
	t.k.mu.Unlock()
	t.k.Fail(client, "store", err.Error())
}

// passThrough has the history go through as it comes from now on. It takes the lock.
func (t *thread) passThrough(why string) {
	t.k.mu.Lock()
	first := t.passing == ""
	if first {
		t.passing = why
	}
	client := t.shown.Client
	t.k.mu.Unlock()
	if first {
		t.k.Fail(client, "request", why)
	}
}

// send gives a request the body that it goes with.
func (t *thread) send(ex *exchange) {
	t.sent = true
	if t.frozen == nil || t.frozen.holds(ex.r) {
		ex.shown = t.epoch // else it is what the client says itself
	}
	if t.frozen.holds(ex.r) {
		ex.send(t.frozen)
		t.shown.Edited++
		if !t.frozen.begun {
			t.frozen.begun = true
			t.shown.Epochs++
			telemetry.EpochBegan()
		}
		if !ex.beside {
			t.frozen.requests++
			ex.turn = t.frozen.requests
		}
	}
}

// outdated tells whether to ask the store whether somebody else wrote.
func (t *thread) outdated(now time.Time) bool {
	if t.shown.ID == "" || t.running || now.Sub(t.checked) < lookAgain {
		return false
	}
	t.checked = now
	return true
}

// status is what can be shown.
func (t *thread) status() proxy.Conversation {
	c := t.shown
	c.Passing = t.passing
	if t.billed.prompt > 0 {
		c.CacheRead = math.Round(1000*float64(t.billed.read)/float64(t.billed.prompt)) / 1000
	}
	if c.Waiting = t.waiting(); c.Waiting > 0 {
		c.Unwritable = t.k.unwritable.Error()
	}
	return c
}
