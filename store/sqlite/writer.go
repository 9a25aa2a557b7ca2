package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// maxGroup is how many jobs one transaction takes at most.
const maxGroup = 256

// A job is one caller's change, run by the writer inside a transaction that
// it may share with others. do returns a refusal when the change does not
// apply; it must then have written nothing, and the others go on. An error
// is SQLite's, and undoes the transaction.
type job struct {
	do    func(tx *tx) (refusal, err error)
	state atomic.Int32
	reply chan error
}

// A job's states. A caller that gives up may take it back until the writer
// has taken it.
const (
	waiting int32 = iota
	taken
	withdrawn
)

// write has the writer run do, and waits until it is on disk.
func (s *Store) write(ctx context.Context, do func(tx *tx) (refusal, err error)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{do: do, reply: make(chan error, 1)}
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
		return <-j.reply // it is being written: tell how that ends
	}
}

// A writer owns the one connection that writes.
type writer struct {
	s *Store
	c *conn
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
			w.commit(w.gather(j))
			idle.Reset(idleTime)
		case <-idle.C:
			if w.behind && !w.s.noIndex {
				w.index()
			}
			if w.behind && !w.s.noIndex {
				idle.Reset(0) // the next job, if any, goes first or soon
			}
		case <-w.s.quit:
			w.s.done <- w.c.close()
			return
		}
	}
}

// gather takes all jobs that wait, the first one included. It takes the
// file's lock before it takes the jobs: while other processes hold it more
// jobs come, and callers may still withdraw.
func (w *writer) gather(first *job) (group []*job, err error) {
	err = w.c.begin()
	runtime.Gosched() // let callers just answered hand in their next
	for j := first; ; {
		if j.state.CompareAndSwap(waiting, taken) {
			group = append(group, j)
		}
		if len(group) == maxGroup {
			return group, err
		}
		select {
		case j = <-w.s.jobs:
		default:
			return group, err
		}
	}
}

// commit runs a group in the transaction begun, and answers each job.
func (w *writer) commit(group []*job, err error) {
	refusals := make([]error, len(group))
	if err == nil {
		err = w.apply(group, refusals)
	}
	if err != nil && len(group) > 1 {
		// One job's trouble is not the others'. Each gets its own.
		for _, j := range group {
			w.commit([]*job{j}, w.c.begin())
		}
		return
	}
	for i, j := range group {
		if err != nil {
			j.reply <- err
		} else {
			j.reply <- refusals[i]
		}
	}
}

// apply runs the jobs and commits. On an error nothing is written.
func (w *writer) apply(group []*job, refusals []error) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, w.c.rollback())
			w.logs = nil
		}
	}()
	data, _, err := w.c.number("PRAGMA data_version")
	if err != nil {
		return err
	}
	if data != w.dataVersion || w.logs == nil || len(w.logs) > maxLogs {
		w.dataVersion, w.logs = data, map[string]*logState{}
	}
	t := &tx{conn: w.c, logs: w.logs}
	for i, j := range group {
		if refusals[i], err = protect(j.do, t); err != nil {
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
		w.s.hub.Wake(log.id)
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
