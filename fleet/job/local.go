package job

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/telemetry"
	"tenfold/session"
	"tenfold/store"
)

// Local is a queue in the memory of one process, for a store that one process
// works with.
type Local struct {
	now func() time.Time

	mu   sync.Mutex
	jobs []*localJob       // in the order in which they became due
	keys map[localKey]bool // of all jobs that are kept
	wake chan struct{}     // has room for one
	end  context.CancelFunc
	done sync.WaitGroup
}

type localKey struct {
	conversation, prefix, policy string
	step                         int
}

type localJob struct {
	Info
	key    localKey
	trace  string                  // of the append that made it due
	cancel context.CancelCauseFunc // while it runs
	ending bool                    // it runs, or is about to, and a person cancelled it
}

// mostKept is how many jobs are kept, those that ended among them.
const mostKept = 1000

var errCancelled = errors.New("cancelled")

// NewLocal makes a queue without jobs.
func NewLocal() *Local {
	return &Local{now: time.Now, keys: map[localKey]bool{}, wake: make(chan struct{}, 1)}
}

// Store wraps a store so that its appends enqueue what they make due.
func (l *Local) Store(st store.Store) store.Store { return &localStore{st, l} }

type localStore struct {
	store.Store
	queue *Local
}

// Append implements [store.Store].
func (s *localStore) Append(ctx context.Context, b store.Batch) (int64, error) {
	version, err := s.Store.Append(ctx, b)
	if err == nil && b.Due != nil {
		s.queue.add(b.Conversation, version, *b.Due, telemetry.Carry(ctx))
	}
	return version, err
}

func (l *Local) add(conversation string, version int64, w store.Work, trace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := localKey{conversation, w.Prefix, w.Policy, w.Step}
	same := func(j *localJob) bool { // it will do the same
		k := j.key
		k.step = key.step
		return k == key && j.State.Open()
	}
	if l.keys[key] || slices.ContainsFunc(l.jobs, same) {
		return
	}
	id, err := uuid.NewV7()
	if err != nil { // there is no randomness: the next append makes it due again
		return
	}
	now := l.now()
	l.keys[key] = true
	l.jobs = append(l.jobs, &localJob{key: key, trace: trace, Info: Info{
		ID: id.String(), Kind: Kind, Conversation: conversation, State: Queued, Why: why(w.Tokens, w.Limit), Policy: w.Policy,
		Version: version, Attempts: maxAttempts, Created: now, Due: now,
	}})
	for i := 0; len(l.jobs) > mostKept && i < len(l.jobs); i++ {
		if !l.jobs[i].State.Open() {
			delete(l.keys, l.jobs[i].key)
			l.jobs = slices.Delete(l.jobs, i, i+1)
			i--
		}
	}
	l.wakeLoop()
}

// wakeLoop has the loop look at the jobs.
func (l *Local) wakeLoop() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Start begins to work on the jobs of a store, until Stop.
func (l *Local) Start(st store.Store, w Worker) {
	ctx, end := context.WithCancel(context.Background())
	l.end = end
	free := make(chan struct{}, max(w.Jobs, 1))
	l.done.Go(func() {
		for {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			j, wait := l.next()
			if j == nil {
				<-free
				if !l.waitForJob(ctx, wait) {
					return
				}
				continue
			}
			l.done.Go(func() {
				defer func() { <-free }()
				l.run(ctx, st, &w, j)
			})
		}
	})
}

// waitForJob waits until there may be a job; it tells whether there is any sense in that.
func (l *Local) waitForJob(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

// Stop ends the work: what runs is stopped, and is due again at the next append.
func (l *Local) Stop() {
	if l.end != nil {
		l.end()
		l.done.Wait()
	}
}

// next takes the first job that may run, or tells how long there is none.
func (l *Local) next() (*localJob, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, wait := l.now(), time.Hour
	busy := map[string]bool{}
	for _, j := range l.jobs {
		busy[j.Conversation] = busy[j.Conversation] || j.State == Running
	}
	for _, j := range l.jobs {
		switch {
		case j.State == Running || !j.State.Open() || busy[j.Conversation]:
		case j.Due.After(now):
			wait = min(wait, j.Due.Sub(now))
		default:
			j.State, j.Began, j.Waits = Running, now, ""
			j.Attempt++
			return j, 0
		}
	}
	return nil, wait
}

func (l *Local) run(ctx context.Context, st store.Store, w *Worker, j *localJob) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.mu.Lock()
	if j.cancel = cancel; j.ending {
		cancel(errCancelled)
	}
	t := task{id: j.ID, conversation: j.Conversation, prefix: j.key.prefix, last: j.Attempt >= j.Attempts, created: j.Created, due: j.Due, trace: j.trace}
	l.mu.Unlock()
	t.spent = func(_ context.Context, u tenfold.Usage) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		j.Cost = added(j.Cost, u.Cost)
		return nil
	}
	how, err := w.work(ctx, st, t)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wakeLoop()
	j.cancel, j.ending, j.Waits = nil, false, ""
	l.recordEnd(ctx, j, how, err)
}

// recordEnd notes how an attempt ended.
func (l *Local) recordEnd(ctx context.Context, j *localJob, how ended, err error) {
	now := l.now()
	busy := &session.BusyError{}
	switch {
	case err == nil:
		j.State, j.Ended, j.Error, j.Hint = stateOf(how), now, "", ""
		j.Outcome, j.Reason, j.Compactions, j.Before, j.After = how.Outcome, how.Reason, how.Compactions, how.Before, how.After
	case errors.Is(context.Cause(ctx), errCancelled):
		j.State, j.Ended, j.Error, j.Hint = Cancelled, now, byPerson, ""
	case ctx.Err() != nil: // Stop
		j.State, j.Attempt = Queued, j.Attempt-1
	case errors.As(err, &busy):
		j.State, j.Attempt, j.Due, j.Waits = Scheduled, j.Attempt-1, now.Add(pauseFor(busy, now)), busy.Error()
	default:
		j.Error, j.Hint = reason(err)
		if j.State, j.Ended = Failed, now; j.Attempt < j.Attempts {
			j.State, j.Ended, j.Due, j.Waits = Retrying, time.Time{}, now.Add(pauseAfter(j.Attempt)), "the pause after a failed attempt"
		}
	}
}

// stateOf is the state in which a job ends.
func stateOf(how ended) State {
	switch how.Outcome {
	case Superseded, Deleted, Vetoed:
		return Cancelled
	}
	return Completed
}

// added is the sum of two costs.
func added(sum, more *float64) *float64 {
	switch {
	case more == nil:
		return sum
	case sum == nil:
		return new(*more)
	}
	return new(*sum + *more)
}

// List implements [Jobs].
func (l *Local) List(_ context.Context, f Filter) (Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := Page{Counts: map[State]int{}}
	from := len(l.jobs)
	if f.Cursor != "" {
		if from = slices.IndexFunc(l.jobs, func(j *localJob) bool { return j.ID == f.Cursor }); from < 0 {
			return page, notFound("list", f.Cursor)
		}
	}
	for i, j := range slices.Backward(l.jobs) {
		if f.Conversation != "" && j.Conversation != f.Conversation {
			continue
		}
		page.Counts[j.State]++
		if i >= from || len(f.States) > 0 && !slices.Contains(f.States, j.State) {
			continue
		}
		if len(page.Jobs) == cmp.Or(f.Limit, defaultLimit) {
			page.Next = page.Jobs[len(page.Jobs)-1].ID
			from = 0
			continue
		}
		page.Jobs = append(page.Jobs, j.shown())
	}
	return page, nil
}

// shown is a copy for whoever lists.
func (j *localJob) shown() Info {
	out := j.Info
	out.Compactions = slices.Clone(out.Compactions)
	if out.State == Queued {
		out.Waits = "a free worker"
	}
	return out
}

// Retry implements [Jobs].
func (l *Local) Retry(_ context.Context, id string) (Info, error) {
	return l.change("retry", id, func(j *localJob) bool {
		if !retryable(j.State) {
			return false
		}
		if !j.State.Open() {
			j.Attempts = max(j.Attempts, j.Attempt+1)
		}
		j.State, j.Due, j.Ended, j.Waits = Queued, l.now(), time.Time{}, ""
		return true
	})
}

// Cancel implements [Jobs].
func (l *Local) Cancel(_ context.Context, id string) (Info, error) {
	return l.change("cancel", id, func(j *localJob) bool {
		switch {
		case !j.State.Open():
			return false
		case j.State == Running:
			if j.ending, j.Waits = true, ending; j.cancel != nil {
				j.cancel(errCancelled)
			}
		default:
			j.State, j.Ended, j.Error, j.Hint = Cancelled, l.now(), byPerson, ""
		}
		return true
	})
}

func (l *Local) change(op, id string, do func(*localJob) bool) (Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var j *localJob
	for _, one := range l.jobs {
		switch {
		case one.ID != id && (len(id) < shortest || !strings.HasPrefix(one.ID, id)):
			continue
		case j != nil:
			return Info{}, ambiguous(op, id)
		}
		j = one
	}
	if j == nil {
		return Info{}, notFound(op, id)
	}
	if !do(j) {
		return Info{}, refused(op, j.ID, j.State)
	}
	l.wakeLoop()
	return j.shown(), nil
}

var _ Jobs = (*Local)(nil)
