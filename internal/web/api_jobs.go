package web

import (
	"context"
	"net/http"
	"time"

	"tenfold/internal/web/shape"
)

// Jobs is the background work of the store's conversations, of one tenant: fleet/job
// as the API shows it. Its methods are safe for concurrent use. An unknown job is
// store.ErrNotFound; what a job's state does not allow is a problem with the code
// "job_state".
type Jobs interface {
	// List gives jobs, the newest first.
	List(ctx context.Context, f JobFilter) (JobPage, error)
	// Retry has a job that ended without its work done run again.
	Retry(ctx context.Context, id string) (Job, error)
	// Cancel ends a job that has not ended. What it had not written stays unwritten.
	Cancel(ctx context.Context, id string) (Job, error)
}

// A JobFilter says which jobs are wanted; empty fields are all.
type JobFilter struct {
	States       []string
	Conversation string
	// Cursor is Next of the page before. Limit is at least 1.
	Cursor string
	Limit  int
}

// A Job is work in the background on one conversation. It names no content.
type Job struct {
	ID           string `json:"id"`
	Kind         string `json:"kind" doc:"compact"`
	State        string `json:"state" enum:"queued,scheduled,running,retrying,completed,cancelled,failed" doc:"retrying: an attempt failed and another follows; failed: none follows"`
	Conversation string `json:"conversation" doc:"its id"`
	Title        string `json:"title" doc:"of the conversation; empty where it was deleted or has none"`
	Version      int64  `json:"version" doc:"of the log that made it due"`
	Why          string `json:"why" doc:"why it became due"`
	Policy       string `json:"policy" doc:"the profile or the strategies that it applies"`
	Waits        string `json:"waits,omitzero" doc:"what a job that is not running waits for"`

	Attempt  int    `json:"attempt" doc:"attempts that began"`
	Attempts int    `json:"attempts" doc:"how many there are at most"`
	Error    string `json:"error,omitzero" doc:"why the last attempt failed"`
	Hint     string `json:"hint,omitzero" doc:"what to try"`

	Created time.Time `json:"created"`
	Due     time.Time `json:"due,omitzero" doc:"when the next attempt may begin"`
	Began   time.Time `json:"began,omitzero" doc:"when the last attempt began"`
	Ended   time.Time `json:"ended,omitzero"`

	Outcome     string   `json:"outcome,omitzero" doc:"result: compacted, nothing to compact, superseded …"`
	Compactions []string `json:"compactions" doc:"ids of the compactions that it appended"`
	Before      int      `json:"before,omitzero" doc:"tokens that a model saw before; 0 if nothing was compacted"`
	After       int      `json:"after,omitzero" doc:"tokens that a model sees after it"`
	Dollars     float64  `json:"dollars,omitzero" doc:"cost of the models that it called, over all attempts; 0 if none was called, or the price is unknown"`
}

// A JobPage is a part of a list of jobs, the newest first.
type JobPage struct {
	Items []Job  `json:"items"`
	Next  string `json:"next,omitempty" doc:"cursor of the next page; empty at the end"`
	// Counts are of all jobs that pass the filter but for its states.
	Counts []shape.Facet `json:"counts" doc:"number of jobs by state, regardless of the states in the filter"`
}

func (s *Server) declareJobs() {
	declare(s, operation(http.MethodGet, "jobs", "/jobs", "List jobs, the newest first"), s.listJobs)
	declare(s, operation(http.MethodPost, "retryJob", "/jobs/{id}/retry", "Retry a job that failed, was cancelled, or waits for its next attempt"),
		func(ctx context.Context, in *inJob) (Job, error) {
			return s.onJob(ctx, in, Jobs.Retry)
		})
	declare(s, operation(http.MethodPost, "cancelJob", "/jobs/{id}/cancel", "Cancel a job that has not ended"),
		func(ctx context.Context, in *inJob) (Job, error) {
			return s.onJob(ctx, in, Jobs.Cancel)
		})
}

type inJob struct {
	ID string `path:"id" minLength:"1" maxLength:"100" doc:"the job's id"`
}

type jobsOf struct {
	State        []string `query:"state,explode" maxItems:"7" enum:"queued,scheduled,running,retrying,completed,cancelled,failed" doc:"only jobs in one of these states"`
	Conversation string   `query:"conversation" maxLength:"500" doc:"only jobs of this conversation: its id, or the beginning of one"`
	Cursor       string   `query:"cursor" maxLength:"500"`
	Limit        int      `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

// errNoJobs is what a server answers whose store has no jobs.
var errNoJobs = shape.NewProblem(http.StatusNotFound, "no_jobs", "this server does not run jobs in the background",
	"jobs need a store that has a queue: see docs/fleet.md")

func (s *Server) listJobs(ctx context.Context, in *jobsOf) (out JobPage, err error) {
	if s.jobs == nil {
		return out, errNoJobs
	}
	f := JobFilter{States: in.State, Cursor: in.Cursor, Limit: in.Limit}
	if in.Conversation != "" {
		c, err := s.service.Find(ctx, in.Conversation)
		if err != nil {
			return out, err
		}
		f.Conversation = c.ID
	}
	return s.jobs.List(ctx, f)
}

func (s *Server) onJob(ctx context.Context, in *inJob, do func(Jobs, context.Context, string) (Job, error)) (Job, error) {
	if s.jobs == nil {
		return Job{}, errNoJobs
	}
	return do(s.jobs, ctx, in.ID)
}
