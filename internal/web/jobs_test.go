package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/fleet/job"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// someJobs are jobs for tests. They note how they are asked.
type someJobs struct {
	all   []job.Info
	asked job.Filter
}

func (f *someJobs) List(_ context.Context, q job.Filter) (page job.Page, _ error) {
	f.asked, page.Counts = q, map[job.State]int{}
	if q.Cursor == "zzz" {
		return page, fmt.Errorf("list jobs: %w", job.ErrNotFound)
	}
	for _, j := range f.all {
		if q.Conversation == "" || j.Conversation == q.Conversation {
			page.Jobs = append(page.Jobs, j)
			page.Counts[j.State]++
		}
	}
	return page, nil
}

func (f *someJobs) change(id string, state job.State, from ...job.State) (job.Info, error) {
	at := slices.IndexFunc(f.all, func(j job.Info) bool { return j.ID == id })
	if at < 0 {
		return job.Info{}, fmt.Errorf("job %s: %w", id, store.ErrNotFound)
	}
	if !slices.Contains(from, f.all[at].State) {
		return job.Info{}, &problem.Error{Op: "change", Subject: "job " + id, Code: "job_state", Problem: "it is " + string(f.all[at].State), Hint: "look at it again"}
	}
	f.all[at].State = state
	return f.all[at], nil
}

func (f *someJobs) Retry(_ context.Context, id string) (job.Info, error) {
	return f.change(id, "queued", "failed", "cancelled", "retrying")
}

func (f *someJobs) Cancel(_ context.Context, id string) (job.Info, error) {
	return f.change(id, "cancelled", "queued", "running")
}

// jobsServer is a server of two conversations with a job each.
func jobsServer(t *testing.T, readOnly bool) (*Server, *someJobs) {
	t.Helper()
	jobs := &someJobs{all: []job.Info{
		{ID: "b", Kind: "compact", State: "failed", Conversation: "bread", Error: "no answer", Created: time.Unix(2, 0).UTC()},
		{ID: "a", Kind: "compact", State: "completed", Conversation: "soup", Created: time.Unix(1, 0).UTC(), Compactions: []string{"cmp_1"}},
	}}
	service := session.NewService(memory.New())
	s := New(Options{Backend: &lent{service: service, readOnly: readOnly}, Jobs: jobs})
	t.Cleanup(func() { _ = s.Close() })
	created(t, service, "bread", nil)
	created(t, service, "soup", nil)
	return s, jobs
}

func TestJobsAreListedAndChanged(t *testing.T) {
	t.Parallel()
	s, jobs := jobsServer(t, false)
	if all := get[JobPage](t, s, "/api/jobs", http.StatusOK); len(all.Items) != 2 || all.Items[1].Compactions[0] != "cmp_1" || jobs.asked.Limit != 50 {
		t.Errorf("%+v of %+v", all, jobs.asked)
	}
	// A filter is handed on, and a conversation may be named by its beginning.
	one := get[JobPage](t, s, "/api/jobs?state=failed&state=running&conversation=bre&cursor=x&limit=7", http.StatusOK)
	want := job.Filter{States: []job.State{"failed", "running"}, Conversation: "bread", Cursor: "x", Limit: 7}
	if fmt.Sprint(jobs.asked) != fmt.Sprint(want) || len(one.Items) != 1 || one.Items[0].ID != "b" {
		t.Errorf("%+v gives %+v", jobs.asked, one)
	}
	get[shape.Problem](t, s, "/api/jobs?state=asleep", http.StatusUnprocessableEntity)
	get[shape.Problem](t, s, "/api/jobs?conversation=nobody", http.StatusNotFound)
	if p := get[shape.Problem](t, s, "/api/jobs?cursor=zzz", http.StatusBadRequest); !strings.Contains(p.Detail, "cursor") {
		t.Errorf("%+v", p)
	}

	if j := send[Job](t, s, "POST", "/api/jobs/b/retry", nil, http.StatusOK); j.State != "queued" || j.ID != "b" {
		t.Errorf("%+v", j)
	}
	if j := send[Job](t, s, "POST", "/api/jobs/b/cancel", nil, http.StatusOK); j.State != "cancelled" {
		t.Errorf("%+v", j)
	}
	if p := send[shape.Problem](t, s, "POST", "/api/jobs/a/cancel", nil, http.StatusConflict); p.Code != "job_state" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := send[shape.Problem](t, s, "POST", "/api/jobs/c/retry", nil, http.StatusNotFound); p.Code != "not_found" {
		t.Errorf("%+v", p)
	}
	if !get[shape.Meta](t, s, "/api/meta", http.StatusOK).Jobs {
		t.Error("meta does not say that there are jobs")
	}
}

// A store without a queue has no jobs, and says so.
func TestAServerWithoutJobs(t *testing.T) {
	t.Parallel()
	s, _ := server(t, nil)
	if get[shape.Meta](t, s, "/api/meta", http.StatusOK).Jobs {
		t.Error("meta says that there are jobs")
	}
	for _, p := range []shape.Problem{
		get[shape.Problem](t, s, "/api/jobs", http.StatusNotFound),
		send[shape.Problem](t, s, "POST", "/api/jobs/a/retry", nil, http.StatusNotFound),
		send[shape.Problem](t, s, "POST", "/api/jobs/a/cancel", nil, http.StatusNotFound),
	} {
		if p.Code != "no_jobs" || p.Hint == "" {
			t.Errorf("%+v", p)
		}
	}
}

// A server that only reads lists jobs and changes none.
func TestJobsReadOnly(t *testing.T) {
	t.Parallel()
	s, jobs := jobsServer(t, true)
	h := door.NewGuard(door.Access{Token: "open sesame", ReadOnly: true}).Handler(s)
	for op, want := range map[string]int{"GET /api/jobs": 200, "POST /api/jobs/b/retry": 403, "POST /api/jobs/b/cancel": 403} {
		method, path, _ := strings.Cut(op, " ")
		r := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
		r.Host = "127.0.0.1"
		r.Header.Set("Authorization", "Bearer open sesame")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, %s", op, w.Code, w.Body)
		}
	}
	if jobs.all[0].State != "failed" {
		t.Errorf("%+v", jobs.all[0])
	}
}

// What a job came to is told with its reason and its cost, and the conversation by its
// title: a deleted one has none, even where the id of another begins with its own.
func TestAJobAsThePageShowsIt(t *testing.T) {
	t.Parallel()
	s, jobs := jobsServer(t, false)
	if err := s.service.Rename(t.Context(), "bread", "Rye"); err != nil {
		t.Fatal(err)
	}
	jobs.all = []job.Info{
		{ID: "b", State: job.Completed, Conversation: "bread", Outcome: job.Nothing, Reason: "it is short", Cost: new(0.25)},
		{ID: "a", State: job.Completed, Conversation: "brea"},
	}
	all := get[JobPage](t, s, "/api/jobs", http.StatusOK)
	if len(all.Items) != 2 || all.Items[0].Title != "Rye" || all.Items[0].Outcome != "nothing to compact: it is short" || all.Items[0].Dollars != 0.25 || all.Items[1].Title != "" {
		t.Errorf("%+v", all.Items)
	}
	if len(all.Counts) != 1 || all.Counts[0] != (shape.Facet{Value: "completed", Count: 2}) {
		t.Errorf("%+v", all.Counts)
	}
}
