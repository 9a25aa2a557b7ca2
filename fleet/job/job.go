package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
)

// A State says where a job stands.
type State string

// The states. The last three are ends.
const (
	Queued    State = "queued"    // it begins when a worker is free
	Scheduled State = "scheduled" // it begins at a time
	Running   State = "running"
	Retrying  State = "retrying"  // an attempt failed, and another follows
	Completed State = "completed" // with or without a compaction: Info.Outcome
	Cancelled State = "cancelled" // by a person, or because it was superseded
	Failed    State = "failed"    // the last attempt failed
)

// States lists the states.
func States() []State {
	return []State{Queued, Scheduled, Running, Retrying, Completed, Cancelled, Failed}
}

// Open tells whether a job in the state has not ended.
func (s State) Open() bool { return !slices.Contains([]State{Completed, Cancelled, Failed}, s) }

// Kind is the kind of all jobs.
const Kind = "compact"

// The outcomes of jobs that ended.
const (
	Compacted  = "compacted"
	Nothing    = "nothing to compact"
	Superseded = "superseded"
	Deleted    = "conversation deleted"
	Vetoed     = "vetoed"
)

// Info is what can be shown of a job, also to programs.
type Info struct {
	ID           string `json:"id"`
	Kind         string `json:"-"`
	State        State  `json:"state"`
	Conversation string `json:"conversation"`
	// Why says why it became due, and Policy what it runs.
	Why    string `json:"why"`
	Policy string `json:"policy"`
	// Version is that of the log with the append that made it due.
	Version int64 `json:"version"`
	// Attempt counts those that began, Attempts how many there are at most.
	Attempt  int `json:"attempt"`
	Attempts int `json:"attempts"`
	// Created is when it became due, Due when its next attempt may begin, Began when
	// the last one did, and Ended when the job did. Those that are not known are zero.
	Created time.Time `json:"created"`
	Due     time.Time `json:"due,omitzero"`
	Began   time.Time `json:"began,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	// Waits says what a job that does not run waits for.
	Waits string `json:"waits,omitzero"`
	// Error is how the last attempt failed, and Hint what to try.
	Error string `json:"error,omitzero"`
	Hint  string `json:"hint,omitzero"`
	// Outcome is what came of it, Reason why, where nothing was done, and Compactions
	// are the ids of the overlays that it wrote.
	Outcome     string   `json:"outcome,omitzero"`
	Reason      string   `json:"reason,omitzero"`
	Compactions []string `json:"compactions,omitzero"`
	// Before and After are the tokens of the view without and with them.
	Before int `json:"before,omitzero"`
	After  int `json:"after,omitzero"`
	// Cost is what its calls of models cost, in dollars, over all attempts; nil where
	// none was called, or the price is not known.
	Cost *float64 `json:"cost,omitzero"`
}

// A Filter says which jobs are wanted. Empty fields are all.
type Filter struct {
	States       []State
	Conversation string
	// Cursor is Next of the page before; another one is [ErrNotFound].
	Cursor string
	// Limit is the most that are given; 0 means 50.
	Limit int
}

// A Page is a part of a list of jobs, the newest first.
type Page struct {
	Jobs []Info
	// Next is the cursor of the next page; empty at the end.
	Next string
	// Counts are those of all jobs that pass the filter but for its states.
	Counts map[State]int
}

// Jobs are the jobs of one tenant.
type Jobs interface {
	// List gives jobs, the newest first.
	List(ctx context.Context, f Filter) (Page, error)
	// Retry has a job run again that failed or was cancelled, or has one begin now
	// that waits. It takes an id or the beginning of one. ErrState where its state does
	// not allow that, and ErrNotFound where there is none.
	Retry(ctx context.Context, id string) (Info, error)
	// Cancel ends a job that has not ended; what it had not written stays unwritten.
	// Its errors are those of Retry.
	Cancel(ctx context.Context, id string) (Info, error)
}

// ErrNotFound says that there is no such job. It is [store.ErrNotFound] too.
var ErrNotFound = fmt.Errorf("no such job: %w", store.ErrNotFound)

// errFull says that a tenant's limit of jobs that wait is reached.
var errFull = &problem.Error{
	Op: "retry job", Code: "limit_jobs", Problem: "the tenant's limit of jobs that wait is reached", Hint: `try again when some are done; "tenfold jobs ls" lists them`,
}

// ErrState says that a job's state does not allow what was asked for.
var ErrState = errors.New("the job's state does not allow it")

func notFound(op, id string) error {
	return &problem.Error{
		Op: op + " job", Subject: strconv.Quote(id), Code: "not_found", Problem: "no such job", Hint: `"tenfold jobs ls" lists the jobs`, Err: ErrNotFound,
	}
}

// shortest is how much of an id is taken for one, at least.
const shortest = 4

// ambiguous is the error of the beginning of several ids.
func ambiguous(op, id string) error {
	return &problem.Error{Op: op + " job", Subject: strconv.Quote(id), Code: "ambiguous", Problem: "several jobs have an ID that begins so", Hint: "write more of it", Err: session.ErrAmbiguous}
}

// tooShort is the error of the beginning of an id where there are more jobs than are looked at.
func tooShort(op, id string, most int) error {
	return &problem.Error{
		Op: op + " job", Subject: strconv.Quote(id), Code: "not_found", Problem: "not enough of an ID, as there are more than " + number.Thousands(most) + " jobs",
		Hint: fmt.Sprintf("write at least %d characters of it, or all where it is not among the newest", longEnough), Err: ErrNotFound,
	}
}

// refused is the error of what a state does not allow.
func refused(op, id string, s State) error {
	hint := `"tenfold jobs retry" runs a job again that failed or was cancelled`
	switch {
	case op == "retry" && s == Running:
		hint = "wait for it to end, or cancel it first"
	case op == "retry":
		hint = "the next append to the conversation makes a compaction due again, if it is"
	}
	return &problem.Error{Op: op + " job", Subject: id, Code: "job_state", Problem: "it is " + string(s), Hint: hint, Err: ErrState}
}

// retryable tells whether a job may be run again; a running one is never touched.
func retryable(s State) bool {
	return slices.Contains([]State{Retrying, Scheduled, Cancelled, Failed}, s)
}

// why says why work became due.
func why(tokens, limit int) string {
	return fmt.Sprintf("%d tokens, the limit is %d", tokens, limit)
}

// request is the id of the request that a job makes, of which those of its overlays
// follow.
func request(id string) string { return "job_" + id }

const defaultLimit = 50

// The attempts of a job, and what is between two.
const maxAttempts = 5

// pauseAfter is how long a job rests after so many failed attempts.
func pauseAfter(attempts int) time.Duration {
	pauses := []time.Duration{2 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute}
	return pauses[min(max(attempts, 1), len(pauses))-1]
}
