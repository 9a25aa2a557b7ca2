package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"tenfold/store"
)

// What one transaction takes at most: so many jobs, and of more than one job
// so many bytes. A caller then waits no longer for its group than for itself.
const (
	maxGroup      = 256
	maxGroupBytes = 1 << 20
)

// The pauses between attempts to take the file's lock, growing.
const (
	minPause = time.Millisecond
	maxPause = 25 * time.Millisecond
)

// A job is one caller's change, run by the writer inside a transaction that
// it may share with others. do returns a refusal when the change does not
// apply; it must then have written nothing, and the others go on. An error
// is SQLite's, or that the caller's context ended, and undoes the transaction.
type job struct {
	ctx   context.Context
	do    func(tx *tx) (refusal, err error)
	bytes int
	state atomic.Int32
	reply chan error
	// blocked is when the writer first found the file locked while the job
	// waited; a job fails that is blocked for longer than busyTimeout.
	blocked time.Time
}

// A job's states. A caller that gives up may take it back until the writer
// begins it.
const (
	waiting int32 = iota
	begun
	withdrawn
)

// write has the writer run do, which writes about so many bytes, and waits
// until it is on disk. A caller whose context ends waits no longer, unless its
// change is being written.
func (s *Store) write(ctx context.Context, bytes int, do func(tx *tx) (refusal, err error)) error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.lift(ctx); err != nil {
		return err
	}
	j := &job{ctx: ctx, do: do, bytes: bytes, reply: make(chan error, 1)}
	select {
	case s.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.reply:
		return err
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
		return <-j.reply // it is being written: report how that ends
	}
}

// A writer owns the one connection that writes.
type writer struct {
	s *Store
	c *conn
	// queue holds the jobs taken over from callers, first come first.
	queue []*job
	// behind says that this process wrote what is not indexed yet.
	behind bool
	// logs is what the last transactions knew of logs. It holds as long as
	// nobody else commits: SQLite changes dataVersion then.
	logs        map[string]*logState
	dataVersion int64
}

// maxLogs bounds how many logs the writer remembers.
const maxLogs = 10_000

// A tx is the writer's transaction, with what it knows of the logs in it.
type tx struct {
	*conn
	logs    map[string]*logState
	changed []*logState // logs with a row to write before the commit
}

func (w *writer) run() {
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for {
		select {
		case j := <-w.s.jobs:
			w.queue = append(w.queue, j)
			w.serve()
			idle.Reset(idleTime)
		case <-idle.C:
			if w.behind && !w.s.noIndex {
				idle.Reset(w.index()) // the next job, if any, goes first or soon
			}
		case <-w.s.quit:
			w.s.done <- w.c.close()
			return
		}
	}
}

// serve commits, group by group, until no job waits.
func (w *writer) serve() {
	for ; len(w.queue) > 0; w.collect() {
		err := w.lock()
		if code(err) == sqlite3.SQLITE_BUSY {
			continue // nobody waits any more
		}
		w.commit(err)
	}
}

// collect takes over the jobs handed in meanwhile.
func (w *writer) collect() {
	for {
		select {
		case j := <-w.s.jobs:
			w.queue = append(w.queue, j)
		default:
			return
		}
	}
}

// lock begins a transaction, which takes the file's lock. While another
// process has it, each job is looked at by itself: those whose context ended,
// and those blocked for too long, leave the queue. When none is left the error
// is SQLITE_BUSY.
func (w *writer) lock() error {
	if err := w.s.there(); err != nil {
		return err
	}
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := w.c.begin()
		if code(err) != sqlite3.SQLITE_BUSY {
			return err
		}
		w.collect()
		now := time.Now()
		w.queue = slices.DeleteFunc(w.queue, func(j *job) bool {
			if j.blocked.IsZero() {
				j.blocked = now
			}
			switch {
			case j.ctx.Err() != nil:
				j.refuse(j.ctx.Err())
			case now.Sub(j.blocked) >= busyTimeout:
				j.refuse(fmt.Errorf("%w: %w", store.ErrLocked, err))
			}
			return j.state.Load() != waiting
		})
		if len(w.queue) == 0 {
			return err
		}
		time.Sleep(pause)
	}
}

// refuse answers a job that was not begun.
func (j *job) refuse(err error) {
	if j.state.CompareAndSwap(waiting, begun) {
		j.reply <- err
	}
}

// A group is the jobs of one transaction, with what each was refused with.
type group struct {
	jobs     []*job
	refusals []error
	bytes    int
}

// next takes the group's next job from the queue; it gives nil when the group
// is complete. Jobs handed in while others of the group are run belong to it
// too, so that as many as possible share one fsync.
func (w *writer) next(g *group) *job {
	if len(w.queue) == 0 {
		w.collect()
	}
	if len(w.queue) == 0 {
		runtime.Gosched() // let callers just answered hand in their next
		w.collect()
	}
	if len(w.queue) == 0 || len(g.jobs) == maxGroup || (len(g.jobs) > 0 && g.bytes+w.queue[0].bytes > maxGroupBytes) {
		return nil
	}
	j := w.queue[0]
	w.queue = w.queue[1:]
	g.jobs, g.refusals = append(g.jobs, j), append(g.refusals, nil)
	g.bytes += j.bytes
	return j
}

// commit runs a group in the transaction begun, and answers each job. An error
// of begin is the first job's.
func (w *writer) commit(err error) {
	var g group
	if err == nil {
		err = w.apply(&g)
	} else {
		w.next(&g)
	}
	if err != nil && len(g.jobs) > 1 {
		// One job's trouble is not the others'. Each gets a transaction of its
		// own, next.
		for _, j := range g.jobs {
			j.bytes = maxGroupBytes + 1
			j.state.CompareAndSwap(begun, waiting)
		}
		w.queue = slices.Concat(g.jobs, w.queue)
		return
	}
	for i, j := range g.jobs {
		if err != nil {
			j.reply <- err
		} else {
			j.reply <- g.refusals[i]
		}
	}
}

// apply runs the jobs and commits. On an error nothing is written.
func (w *writer) apply(g *group) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, w.c.rollback())
			w.logs = nil
		}
	}()
	data, _, err := w.c.number(context.Background(), "PRAGMA data_version")
	if err != nil {
		return err
	}
	if data != w.dataVersion || w.logs == nil || len(w.logs) > maxLogs {
		w.dataVersion, w.logs = data, map[string]*logState{}
	}
	t := &tx{conn: w.c, logs: w.logs}
	for j := w.next(g); j != nil; j = w.next(g) {
		if !j.state.CompareAndSwap(waiting, begun) {
			continue // withdrawn
		}
		refusal := &g.refusals[len(g.jobs)-1]
		if *refusal = j.ctx.Err(); *refusal != nil {
			continue
		}
		if *refusal, err = protect(j.do, t); err != nil {
			return err
		}
	}
	written, err := t.flush()
	if err != nil {
		return err
	}
	w.behind = w.behind || written
	if err := w.c.commit(); err != nil {
		return err
	}
	for _, log := range t.changed {
		w.s.hub.Wake(log.key)
	}
	return nil
}

// protect turns a panic into an error: it must not leave callers waiting.
func protect(do func(*tx) (error, error), t *tx) (refusal, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do(t)
}
