package keeper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
)

// An exchange implements [proxy.Exchange].
type exchange struct {
	k      *keeper
	t      *thread // nil for what is not understood
	in     proxy.Incoming
	r      *wire.Request
	beside bool         // no part of the conversation
	told   bool         // its texts are kept beside that
	handle *wire.Handle // that stood for the beginning of its history
	body   []byte
	answer *proxy.Answer

	before   *exchange // of the same history; nil once it is stored
	length   int       // messages of the request
	began    time.Time
	shown    string // the epoch of the log's that what goes to the vendor is of; empty before the first
	listener wire.Listener
	heardOut chan struct{} // closed once the answer is heard

	frozen  *frozen // what it was sent with
	turn    int     // how many requests were by then
	warm    bool    // within the lifetime of the vendor's cache
	another bool    // system prompt or tools than the request before: the vendor's cache has nothing
	fits    bool    // the first of a history of which nothing can be due
	tried   bool    // a second time

	// Set by Done, under the keeper's lock.
	done, confirmed, flushed, billed bool
	held                             bool // its bytes are, after the answer
	owed                             bool // and wait for the store
	flushing                         bool // and a job is to store what was heard
	ended                            time.Time
	response                         wire.Response
}

// send sets what goes to the vendor.
func (ex *exchange) send(f *frozen) { ex.frozen, ex.body = f, f.splice(ex.r) }

func (ex *exchange) Body() []byte { return ex.body }

func (ex *exchange) Answer() *proxy.Answer { return ex.answer }

func (ex *exchange) Heard() wire.Listener {
	if ex.t == nil || ex.in.Kind != wire.Generate {
		return nil
	}
	ex.listener = guarded{ex.in.Protocol.Listen(ex.r)}
	return ex.listener
}

// guarded is a listener that never panics: what it cannot read it does not tell.
type guarded struct{ wire.Listener }

func (g guarded) Write(p []byte) (n int, err error) {
	defer func() { _ = recover(); n, err = len(p), nil }()
	return g.Listener.Write(p)
}

func (g guarded) Response() (r wire.Response) {
	defer func() {
		if recover() != nil {
			r = wire.Response{}
		}
	}()
	return g.Listener.Response()
}

// Done implements [proxy.Exchange]. Clients hang up at the last event of an answer, before
// its body ends: what came whole counts, cut or not.
func (ex *exchange) Done(status int, _ bool) {
	t := ex.t
	if t == nil || ex.in.Kind != wire.Generate {
		return
	}
	var heard wire.Response
	if ex.listener != nil && status >= 200 && status < 300 {
		heard = ex.listener.Response()
	}
	k := ex.k
	k.mu.Lock()
	defer k.mu.Unlock()
	heard.Known = heard.Known && plausible(heard.Usage, len(ex.body))
	if !ex.done {
		close(ex.heardOut)
	}
	ex.done, ex.ended, ex.response = true, k.Now(), heard
	if ex.beside {
		t.storeUsage(ex)
		return
	}
	k.thought.add(heard.Entries, ex.shown)
	if !heard.Whole {
		ex.response.Entries = nil // a client may keep of it what it likes
	}
	if status < 200 || status >= 300 {
		return
	}
	t.touched, t.cooled = ex.ended.Round(0), false // the cache ages while the machine sleeps
	t.addReported(ex)
	switch {
	case t.newest != ex:
		t.storeUsage(ex)
	case ex.response.Entries != nil && !ex.holds(tenfold.KindToolCall) && t.pace.Rests(t.used, k.Idle) == 0:
		t.flush(t.settleAtRest) // as the turn is over, and the next request is not there yet
	case ex.response.Entries != nil:
		t.idle = time.AfterFunc(k.Idle, func() {
			k.mu.Lock()
			defer k.mu.Unlock()
			if t.newest == ex && !k.closed {
				t.flush(t.settleAtRest)
			}
		})
	}
}

// holds tells whether the answer has an entry of a kind. The caller holds the lock, or
// the answer is stored.
func (ex *exchange) holds(k tenfold.Kind) bool {
	return slices.ContainsFunc(ex.response.Entries, func(e tenfold.Entry) bool { return e.Payload.Kind() == k })
}

// thinks tells whether the answer has something that is bound to what the model was shown.
func (ex *exchange) thinks() bool {
	return slices.ContainsFunc(ex.response.Entries, func(e tenfold.Entry) bool { return wire.Bound(e.Payload) })
}

// plausible tells whether a vendor can have counted a request of so many bytes so. What
// it adds to a request itself, tools of its own and the like, has its limits too.
// Numbers that mean nothing are not believed.
func plausible(u tenfold.Usage, bytes int) bool {
	for _, n := range []int{u.Input, u.Output, u.CacheRead, u.CacheWrite} {
		if n < 0 || n > bytes+mostAdded {
			return false
		}
	}
	prompt := u.Prompt()
	return 0 < prompt && prompt <= bytes+mostAdded
}

// mostAdded is how many tokens more than bytes a request may have, or an answer.
const mostAdded = 4 << 20

// addReported adds what the vendor reported to the figures of the history, and looks
// whether its cache has the frozen prefix (X6).
func (t *thread) addReported(ex *exchange) {
	u := ex.response.Usage
	prompt := u.Prompt()
	if !ex.response.Known {
		prompt = len(ex.body) / 4
	} else {
		t.used, t.usedAt = prompt+u.Output, ex.length
		t.billed.prompt += int64(prompt)
		t.billed.read += int64(u.CacheRead)
	}
	t.shown.Sent += int64(prompt)
	if less := len(ex.in.Body) - len(ex.body); less > 0 && len(ex.body) > 0 {
		t.shown.Saved += int64(prompt) * int64(less) / int64(len(ex.body))
	}
	t.watchCache(ex, u)
}

// The breaker (X6): an epoch's prefix that so many requests in a row did not find
// in the vendor's cache costs more than it saves.
const (
	mostMisses = 2
	leastFound = 0.5
)

// watchCache counts the requests whose prefix the cache did not have. The first of an
// epoch writes it, one after the cache's lifetime has nothing to find, nor has one whose system
// prompt is another, whatever we do, and of a
// vendor that reports no cache nothing is known.
func (t *thread) watchCache(ex *exchange, u tenfold.Usage) {
	f := ex.frozen
	if f == nil || f != t.frozen || !ex.response.Known || !ex.response.Whole || !ex.warm || ex.another || ex.turn < 2 || t.billed.read == 0 || f.tokens < t.least {
		return
	}
	if float64(u.CacheRead) >= leastFound*float64(f.tokens) {
		f.misses = 0
		return
	}
	if f.misses++; f.misses < mostMisses || t.passing != "" {
		return
	}
	why := fmt.Sprintf("the vendor's cache had less than half of the shortened beginning, %d requests in a row: the conversation is no longer shortened", mostMisses)
	t.enqueue(func(ctx context.Context) { t.giveUp(ctx, nil, why) })
}

func (ex *exchange) Refused(status int, body []byte) []byte {
	t := ex.t
	if t == nil || ex.tried {
		return nil
	}
	switch wire.RefusalOf(status, body) {
	case wire.Invalid:
		return ex.undone(status)
	case wire.TooLong:
		return ex.shortened()
	default:
		return nil
	}
}

// undone gives the request as it would be without us (X6).
func (ex *exchange) undone(status int) []byte {
	if ex.frozen == nil {
		return nil
	}
	ex.tried = true
	t, f := ex.t, ex.frozen
	ex.body, ex.frozen = ex.in.Body, nil
	if ex.beside {
		return ex.body
	}
	why := fmt.Sprintf("the vendor refused a shortened request (HTTP %d): the conversation is no longer shortened", status)
	ex.wait(func(ctx context.Context) { t.giveUp(ctx, ex, why) })
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if t.frozen == f { // it could not be taken back in the log
		t.frozen, t.epoch = nil, ""
	}
	if ex.shown = t.epoch; t.frozen.holds(ex.r) {
		ex.send(t.frozen)
	}
	return ex.body
}

// shortened gives a request that the vendor calls too long after a compaction;
// nil where that comes to nothing.
func (ex *exchange) shortened() []byte {
	t := ex.t
	ex.tried = true
	t.k.mu.Lock()
	passing, was := t.passing, t.frozen
	t.k.mu.Unlock()
	if passing != "" || ex.beside {
		return nil
	}
	ex.wait(func(ctx context.Context) { t.compactNow(ctx, ex) })
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if t.frozen == was || !t.frozen.holds(ex.r) {
		return nil
	}
	t.send(ex)
	return ex.body
}

// wait has a job done, and waits for it.
func (ex *exchange) wait(job func(context.Context)) {
	t := ex.t
	done := make(chan struct{})
	t.k.mu.Lock()
	queued := t.enqueue(func(ctx context.Context) { defer close(done); job(ctx) })
	t.k.mu.Unlock()
	if queued {
		t.awaitJob(context.Background(), done)
	}
}
