package job

import "time"

// Hurry has a queue take over the jobs of processes that ended sooner than usual.
func (q *Queue) Hurry() { q.heartbeat, q.patience = 50*time.Millisecond, 100*time.Millisecond }

// Loner has a queue leave the jobs of processes that ended to others.
func (q *Queue) Loner() { q.patience = time.Hour }

// Shorten has a queue look at fewer jobs for one whose id is shortened.
func (q *Queue) Shorten(most int) { q.mostShortened = most }

// Name is that of the process, in the rows of the jobs that it runs.
func (q *Queue) Name() string { return q.name }

// Unheard is how long a process may have a job before it has to work on it.
const Unheard = unheard

// Schema is that of the tables.
func (q *Queue) Schema() string { return q.schema }

// NewDue is what Enqueue is given.
var NewDue = newDue
