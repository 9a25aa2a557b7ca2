package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tenfold/fleet/job"
	"tenfold/internal/web/shape"
)

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
			return s.onJob(ctx, in, job.Jobs.Retry)
		})
	declare(s, operation(http.MethodPost, "cancelJob", "/jobs/{id}/cancel", "Cancel a job that has not ended"),
		func(ctx context.Context, in *inJob) (Job, error) {
			return s.onJob(ctx, in, job.Jobs.Cancel)
		})
}

type inJob struct {
	ID string `path:"id" minLength:"1" maxLength:"100" doc:"the job's id, or the beginning of one"`
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
	f := job.Filter{Cursor: in.Cursor, Limit: in.Limit}
	for _, state := range in.State {
		f.States = append(f.States, job.State(state))
	}
	if in.Conversation != "" {
		c, err := s.service.Find(ctx, in.Conversation)
		if err != nil {
			return out, err
		}
		f.Conversation = c.ID
	}
	page, err := s.jobs.List(ctx, f)
	if errors.Is(err, job.ErrNotFound) {
		return out, unknownCursor(in.Cursor)
	}
	if err != nil {
		return out, err
	}
	out.Items, out.Next, out.Counts = []Job{}, page.Next, []shape.Facet{}
	titles := map[string]string{}
	for _, j := range page.Jobs {
		title, known := titles[j.Conversation]
		if !known {
			title = s.titleOf(ctx, j.Conversation)
			titles[j.Conversation] = title
		}
		out.Items = append(out.Items, newJob(j, title))
	}
	for _, state := range job.States() {
		if n := page.Counts[state]; n > 0 {
			out.Counts = append(out.Counts, shape.Facet{Value: string(state), Count: n})
		}
	}
	return out, nil
}

func (s *Server) onJob(ctx context.Context, in *inJob, do func(job.Jobs, context.Context, string) (job.Info, error)) (Job, error) {
	if s.jobs == nil {
		return Job{}, errNoJobs
	}
	j, err := do(s.jobs, ctx, in.ID)
	if err != nil {
		return Job{}, err
	}
	return newJob(j, s.titleOf(ctx, j.Conversation)), nil
}

// titleOf is the title of a conversation; empty where it was deleted, or cannot be
// read now.
func (s *Server) titleOf(ctx context.Context, id string) string {
	c, err := s.service.Find(ctx, id)
	if err != nil || c.ID != id {
		return ""
	}
	return c.Title
}

func newJob(j job.Info, title string) Job {
	out := Job{
		ID: j.ID, Kind: j.Kind, State: string(j.State), Conversation: j.Conversation, Title: title, Version: j.Version, Why: j.Why, Policy: j.Policy, Waits: j.Waits,
		Attempt: j.Attempt, Attempts: j.Attempts, Error: j.Error, Hint: j.Hint, Created: j.Created, Due: j.Due, Began: j.Began, Ended: j.Ended,
		Outcome: j.Outcome, Compactions: append([]string{}, j.Compactions...), Before: j.Before, After: j.After,
	}
	if j.Cost != nil {
		out.Dollars = *j.Cost
	}
	if j.Reason != "" {
		out.Outcome += ": " + j.Reason
	}
	return out
}
