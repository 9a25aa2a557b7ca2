package keeper

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
	"tenfold/token"
)

// Options set up a [proxy.Keeper].
type Options struct {
	// Open opens the store; it is called by the first request that needs it, and again after
	// it failed.
	Open func(ctx context.Context) (*session.Service, error)
	// Configure says how conversations of a directory, which may be empty, and a
	// model are compacted.
	Configure func(dir, model string) (session.Live, error)
	// Fail records what went wrong, for tenfold doctor (V7); nil for nowhere.
	Fail func(client, event, why string)
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Directory is where the beginnings of histories are kept that Codex leaves to us
	// when it compacts (X4); nil and an empty one keep them in memory.
	Directory func() (string, error)
	// Idle is how long after a response the exchange is stored that nothing follows;
	// zero is three seconds. An exchange that a request follows is stored then.
	Idle time.Duration
	// Spare has no more kept in memory beside the store than requests need, while nothing
	// follows: a conversation is opened again for the request that does.
	Spare bool
	// Patience is how long a request waits for a compaction that is due, before it
	// goes as it would without one; zero is twenty seconds.
	Patience time.Duration
	// Look is how long a request waits to hear whether somebody else wrote to its log, or
	// whether that is in the store at all; zero is 50 milliseconds.
	Look time.Duration
	// Expect is which conversations to read from the store before a client goes on with
	// them; the zero value is none.
	Expect Expected
}

// The defaults of Options, and bounds of what is kept in memory.
const (
	defaultPatience = 20 * time.Second
	defaultLook     = 50 * time.Millisecond
	// hearTime is how long a request waits for the end of the answer that it brings back.
	hearTime = time.Second
	// mostThreads is how many histories are kept in memory. One that is forgotten
	// is found again in the store.
	mostThreads = 256
)

type keeper struct {
	Options
	secret []byte // that credentials are hashed with

	store opening

	mu       sync.Mutex
	threads  map[string][]*thread // by identity, the newest first
	all      []*thread            // in the order they were first seen
	requests int
	closed   bool
	closing  context.Context // how long Close waits
	left     []kept          // by Codex, the newest last
	thought  thoughts
	held     int // bytes of requests that were answered
	owed     int // and of those that wait for the store
	mostOwed int
	owing    map[*thread]bool
	// unwritable is why the store could not be written the last time.
	unwritable error
	rest       time.Time // no request waits for the store before, which is too slow
	work       sync.WaitGroup
	ahead      []*ahead
	stop       context.CancelFunc // of reading ahead
	wasRead    chan struct{}      // closed once what is expected is read
}

// New makes a keeper of conversations.
func New(o Options) proxy.Keeper {
	o.Idle, o.Patience, o.Look = cmp.Or(o.Idle, session.RestAfter), cmp.Or(o.Patience, defaultPatience), cmp.Or(o.Look, defaultLook)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Fail == nil {
		o.Fail = func(string, string, string) {}
	}
	k := &keeper{Options: o, secret: make([]byte, 32), mostOwed: mostOwed, owing: map[*thread]bool{}, threads: map[string][]*thread{}, wasRead: make(chan struct{})}
	_, _ = rand.Read(k.secret) // which never fails
	ctx, stop := context.WithCancel(context.Background())
	if k.stop = stop; o.Expect != (Expected{}) {
		k.work.Go(func() { k.readAhead(ctx, o.Expect) })
	}
	return k
}

func (k *keeper) Take(ctx context.Context, in proxy.Incoming) (out proxy.Exchange) {
	ex := &exchange{k: k, in: in, body: in.Body, began: k.Now(), heardOut: make(chan struct{})}
	defer func() {
		if p := recover(); p != nil { // V7: what goes through is worth more than what we make of it
			ex.t, ex.body = nil, in.Body
			k.Fail(in.Client, "request", "internal error: "+describe(p))
			out = ex
		}
	}()
	id := identify(in, wire.Sum{}, k.secret)
	k.mu.Lock()
	var known []wire.Message
	if list := k.threads[id.key]; len(list) > 0 {
		known = list[0].messages
	}
	k.mu.Unlock()
	r, err := in.Protocol.Scan(in.Path, in.Body, known)
	if err == nil && in.Protocol.Name() == (wire.OpenAIResponses{}).Name() {
		r, err = k.expand(ctx, ex, r, known)
	}
	if err == nil && r.Continues && in.Kind == wire.Generate {
		// Only a whole conversation can be recorded and compacted: its client says it again.
		ex.answer = &proxy.Answer{Status: http.StatusNotFound, ContentType: wire.JSON, Body: wire.AnswerNoThread()}
		return ex
	}
	if err != nil || r.Continues || len(r.Messages) == 0 {
		return ex
	}
	ex.r = r
	if id.origin == "" || id.key != id.origin {
		id = identify(in, r.Messages[0].Chain, k.secret)
	}
	switch {
	case in.Kind == wire.Count || id.class.beside() || asksJSON(in):
		k.takeBeside(ex, id)
	case in.Kind == wire.Generate && (asksText(in.Protocol, id) || asksHandle(in.Protocol, r)):
		k.awaitAnswer(ctx, ex, id)
		k.takeOwn(ctx, ex, id)
	case in.Kind == wire.Generate:
		k.awaitAnswer(ctx, ex, id)
		k.decide(ctx, ex, id)
	}
	return ex
}

// decide decides about a request of a conversation. It waits for nothing where
// nothing can be due (X9).
func (k *keeper) decide(ctx context.Context, ex *exchange, id identity) {
	k.mu.Lock()
	if main := k.mainOf(ex.r, id); main != nil {
		ex.t, ex.beside, ex.told = main, true, true
		k.mu.Unlock()
		return
	}
	t, fresh := k.historyOf(ex, id)
	outdated, stored, version := t.outdated(ex.began), t.shown.ID, t.version
	t.join(ex)
	if fresh {
		k.mu.Unlock()
		pace := k.paceOf(ex)
		ex.fits = k.fits(ctx, ex, id, pace.Tight)
		k.mu.Lock()
		t.pace = pace // until the log says more: it may come late
	}
	if outdated {
		k.mu.Unlock()
		same, err := k.isUnchanged(ctx, stored, version)
		k.mu.Lock()
		t.due = t.due || err == nil && !same || errors.Is(err, store.ErrNotFound)
	}
	if !t.mayBeDue(ex, fresh) {
		t.storeEarly(ex)
		t.send(ex)
		k.mu.Unlock()
		return
	}
	t.confirmed = max(t.confirmed, settled(ex.r.Messages))
	done := make(chan struct{})
	t.enqueue(func(ctx context.Context) {
		defer close(done)
		t.settle(ctx, ex)
	})
	k.mu.Unlock()
	t.awaitJob(ctx, done)
	k.mu.Lock()
	t.send(ex)
	if t.pace.Full(t.estimate(ex)) {
		t.enqueue(func(ctx context.Context) { t.settleBeside(ctx, ex) })
	}
	k.mu.Unlock()
}

// paceOf is when to ask about a history of which nothing is known.
func (k *keeper) paceOf(ex *exchange) session.Pace {
	live, err := k.Configure(ex.in.Dir, ex.r.Model)
	if err != nil {
		return session.Live{}.Pace(0)
	}
	window := live.Request.Options.Window
	if window == 0 {
		window, _ = token.Windows{}.Window(ex.r.Model)
	}
	return live.Pace(window)
}

// fits tells of the first request of a history that it can go on at once: nothing
// of it is in the store, with compactions that it would have to show, nothing was thought in
// another view, and it leaves room for its answer.
func (k *keeper) fits(ctx context.Context, ex *exchange, id identity, tight int) bool {
	if len(ex.in.Body)/bytesPerToken > tight {
		return false
	}
	if settled(ex.r.Messages) == 0 {
		return true
	}
	ctx, stop := context.WithTimeout(ctx, k.Look)
	defer stop()
	svc, err := k.sessions(ctx)
	if err != nil {
		return false
	}
	known, err := svc.Imported(ctx, id.origin)
	if err == nil && len(known) == 0 {
		known, err = k.related(ctx, svc, ex, id)
	}
	return err == nil && len(known) == 0 && ex.handle == nil && !k.thoughtInEpoch(ex)
}

// keptFor is how long a request asks the vendor's cache to live, where that is not its own
// lifetime: as a whole, or by the marks of the messages behind the first few, and those beside
// the messages.
func keptFor(r *wire.Request, behind int) time.Duration {
	if r.Kept > 0 {
		return r.Kept
	}
	places := []wire.Span{{From: 0, To: r.Messages[0].From}, {From: r.Messages[len(r.Messages)-1].To, To: len(r.Body)}}
	for _, m := range r.Messages[behind:] {
		if m.Marked {
			places = append(places, wire.Span{From: m.From, To: m.To})
		}
	}
	for _, at := range places {
		if at.Holds(r.Body, "ttl", "1h") {
			return time.Hour
		}
	}
	return 0
}

// isUnchanged tells whether a conversation still has the version it had: nobody else
// undid a compaction, or made one.
func (k *keeper) isUnchanged(ctx context.Context, id string, version int64) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, k.Look)
	defer stop()
	svc, err := k.sessions(ctx)
	if err != nil {
		return false, err
	}
	now, err := svc.Version(ctx, id)
	return now == version, err
}

// historyOf gives the history that a request continues, or a new one. The caller
// holds the lock.
func (k *keeper) historyOf(ex *exchange, id identity) (t *thread, fresh bool) {
	was, same := k.find(id.key, ex.r)
	if was != nil && same >= was.confirmed && was.leadsTo(ex.r, same) {
		return was, false
	}
	if t := k.rebase(ex, id); t != nil {
		return t, false
	}
	t = &thread{k: k, id: id, client: ex.in.Client, dir: ex.in.Dir, pace: session.Live{}.Pace(0)}
	t.shown = proxy.Conversation{Client: cmp.Or(ex.in.Client, id.tool), Protocol: ex.in.Protocol.Name()}
	t.born, t.tools = was == nil && beginsConversation(ex), ex.r.Tools()
	if was != nil { // it was rewound, or there are two of them
		if was.frozen.holds(ex.r) {
			t.frozen, t.epoch = was.frozen, was.epoch
		}
		t.passing, t.after = was.passing, was.stored()
	}
	k.remember(t)
	return t, true
}

// awaitAnswer waits until the answer is heard that a request brings back: a client has the
// last bytes of an answer before what listens has read them, and what it says until then
// cannot be told from another history.
func (k *keeper) awaitAnswer(ctx context.Context, ex *exchange, id identity) {
	k.mu.Lock()
	t, same := k.find(id.key, ex.r)
	if t == nil || t.newest == nil || t.newest.done || !slices.ContainsFunc(ex.r.Messages[same:], func(m wire.Message) bool { return m.Model }) {
		k.mu.Unlock()
		return
	}
	heard := t.newest.heardOut
	k.mu.Unlock()
	late := time.NewTimer(hearTime)
	defer late.Stop()
	select {
	case <-heard:
	case <-late.C:
	case <-ctx.Done():
	}
}

// leadsTo tells whether the answers in a request behind the messages that it has in
// common are of this history: of two that begin alike each has its own.
func (t *thread) leadsTo(r *wire.Request, same int) bool {
	i := same
	for i < len(r.Messages) && !r.Messages[i].Model {
		i++
	}
	if i == len(r.Messages) {
		return true
	}
	if t.newest == nil || t.newest.response.Entries == nil {
		return same == len(t.messages)
	}
	return t.newest.saidIn(r, i)
}

// saidIn tells whether a message of a request is of the answer to an exchange.
func (ex *exchange) saidIn(r *wire.Request, i int) bool {
	pieces, err := ex.in.Protocol.Read(r, i)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(pieces, func(p wire.Piece) bool {
		return slices.ContainsFunc(ex.response.Entries, func(e tenfold.Entry) bool { return alike(e.Payload, p.Entry.Payload) })
	})
}

// find gives the history under an identity that has the most messages in common
// with a request, at least one, and how many. The caller holds the lock.
func (k *keeper) find(key string, r *wire.Request) (best *thread, same int) {
	for _, t := range k.threads[key] {
		if n := commonMessages(t.messages, r.Messages); n > same {
			best, same = t, n
		}
	}
	return best, same
}

// commonMessages is how many messages at the start are the same.
func commonMessages(a, b []wire.Message) int {
	n := min(len(a), len(b))
	if n > 0 && a[n-1].Chain == b[n-1].Chain {
		return n
	}
	lo, hi := 0, n // a[:lo] is the same, a[:hi] is not
	for lo+1 < hi {
		if mid := (lo + hi) / 2; a[mid-1].Chain == b[mid-1].Chain {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// remember adds a history, and forgets the one that was quiet the longest where
// there are too many. The caller holds the lock.
func (k *keeper) remember(t *thread) {
	k.requests++
	t.order = k.requests
	k.threads[t.id.key] = slices.Insert(k.threads[t.id.key], 0, t)
	k.all = append(k.all, t)
	if len(k.all) <= mostThreads {
		return
	}
	old := slices.MinFunc(k.all, func(a, b *thread) int { return cmp.Compare(a.order, b.order) })
	old.flush(nil)
	if !old.gone {
		k.drop(old)
	}
}

// drop forgets a history. The caller holds the lock.
func (k *keeper) drop(t *thread) {
	t.gone = true
	t.releaseAnswered(t.newest)
	k.all = without(k.all, t)
	if list := without(k.threads[t.id.key], t); len(list) > 0 {
		k.threads[t.id.key] = list
	} else {
		delete(k.threads, t.id.key)
	}
}

func without(list []*thread, t *thread) []*thread {
	i := slices.Index(list, t)
	return slices.Delete(slices.Clone(list), i, i+1)
}

func (k *keeper) Status() []proxy.Conversation {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := slices.Clone(k.all)
	slices.SortStableFunc(list, func(a, b *thread) int { return cmp.Compare(b.order, a.order) })
	out := make([]proxy.Conversation, len(list))
	for i, t := range list {
		out[i] = t.status()
	}
	return out
}

// Close implements [proxy.Keeper]. A store that is away may come back until the context
// ends.
func (k *keeper) Close(ctx context.Context) error {
	k.stop()
	k.mu.Lock()
	for _, t := range k.all {
		t.flush(nil)
		if t.idle != nil {
			t.idle.Stop()
		}
	}
	for t := range k.owing {
		t.enqueue(t.tryStoreOwed)
	}
	k.closed, k.closing = true, ctx
	k.mu.Unlock()
	done := make(chan struct{})
	go func() { k.work.Wait(); k.store.end(); close(done) }()
	select {
	case <-done:
		return k.storeFailure()
	case <-ctx.Done():
		return cmp.Or(k.storeFailure(), ctx.Err())
	}
}
