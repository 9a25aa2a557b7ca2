package browser

import (
	"context"
	"fmt"
	"log"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/internal/logtest"
	"tenfold/internal/web"
	"tenfold/internal/web/door"
	"tenfold/internal/web/page"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// queue is a queue of jobs that a test fills: what a worker would do it does by hand.
type queue struct {
	mu  sync.Mutex
	all []job.Info
}

func (q *queue) List(_ context.Context, f job.Filter) (page job.Page, _ error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	page.Counts = map[job.State]int{}
	for _, j := range q.all {
		if f.Conversation != "" && j.Conversation != f.Conversation {
			continue
		}
		page.Counts[j.State]++
		if (len(f.States) == 0 || slices.Contains(f.States, j.State)) && len(page.Jobs) < f.Limit {
			page.Jobs = append(page.Jobs, j)
		}
	}
	return page, nil
}

// set changes the job of an id.
func (q *queue) set(id string, change func(*job.Info)) (job.Info, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.all, func(j job.Info) bool { return j.ID == id })
	if i < 0 {
		return job.Info{}, store.ErrNotFound
	}
	change(&q.all[i])
	return q.all[i], nil
}

func (q *queue) Retry(_ context.Context, id string) (job.Info, error) {
	return q.set(id, func(j *job.Info) { j.State, j.Error, j.Hint = "queued", "", "" })
}

func (q *queue) Cancel(_ context.Context, id string) (job.Info, error) {
	return q.set(id, func(j *job.Info) { j.State, j.Outcome = "cancelled", "cancelled by a person" })
}

// lends is what a server needs that runs in the test.
type lends struct {
	web.Backend
	service *session.Service
}

func (l lends) Service() *session.Service                 { return l.service }
func (lends) Active() (string, error)                     { return "", nil }
func (lends) Meta() shape.Meta                            { return shape.Meta{} }
func (lends) Live(*session.Session) (session.Live, error) { return session.Live{}, nil }

// serveJobs runs a server in the test, whose jobs are the queue's.
func serveJobs(t *testing.T, q *queue) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := session.NewService(memory.New())
	o := web.Options{Backend: lends{service: service}, Page: page.Handler(page.Files())}
	if q != nil {
		o.Jobs = q
	}
	server, guard := web.New(o), door.NewGuard(door.Access{})
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- door.Serve(ctx, l, guard.Handler(server), log.Default()) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
		_ = server.Close()
	})
	s := &Server{URL: "http://" + l.Addr().String(), Dir: t.TempDir(), Service: service, t: t}
	s.invitation = s.URL + guard.Invite()
	return s
}

// queued is a queue with a job in each state, of a conversation each, the newest first.
func queued(t *testing.T, now time.Time) *queue {
	t.Helper()
	base := job.Info{Kind: "compact", Policy: "balanced", Why: "82% of the context window", Version: 40, Attempts: 5}
	q := &queue{}
	for i, change := range []func(*job.Info){
		func(j *job.Info) { j.State, j.Waits = "queued", "4 jobs of this tenant run already" },
		func(j *job.Info) { j.State, j.Attempt, j.Began = "running", 1, now },
		func(j *job.Info) {
			j.State, j.Attempt, j.Due, j.Error = "retrying", 2, now.Add(time.Hour-time.Second), "the model answered 529: overloaded"
		},
		func(j *job.Info) {
			j.State, j.Due, j.Waits = "scheduled", now.Add(2*time.Hour-time.Second), "is set for later"
		},
		func(j *job.Info) {
			j.State, j.Attempt, j.Began, j.Ended = "failed", 5, now.Add(-time.Minute), now
			j.Error, j.Hint = `<img src=x onerror="document.title='owned'">`, "check the key of the provider"
		},
		func(j *job.Info) { j.State, j.Outcome = "cancelled", "superseded by a newer job" },
		func(j *job.Info) {
			j.State, j.Attempt, j.Began, j.Ended, j.Outcome, j.Compactions = "completed", 1, now, now.Add(40*time.Millisecond), "compacted", []string{"cmp_1"}
			j.Before, j.After, j.Cost = 82_000, 31_000, new(0.0213)
		},
	} {
		j := base
		j.ID, j.Conversation, j.Created = fmt.Sprint("job", i), fmt.Sprint("con", i), now.Add(-time.Duration(i)*time.Minute)
		change(&j)
		q.all = append(q.all, j)
	}
	return q
}

const jobStates = `[...document.querySelectorAll("[data-job] .job-state")].map(s => s.lastChild.textContent).join()`

func TestJobsOnThePage(t *testing.T) {
	t.Parallel()
	now := time.Now()
	q := queued(t, now)
	s := serveJobs(t, q)
	for i := range 7 {
		s.Create(fmt.Sprint("con", i), fmt.Sprint("Conversation ", i), logtest.Long(20)...)
	}
	tab := s.Tab(t)
	tab.before(fmt.Sprintf(`Date.now = () => %d`, now.UnixMilli())) // it shows how long something takes still
	tab.signIn()
	tab.Go("/")
	tab.Wait(`document.querySelector('.top a[href="/jobs"]')`)
	tab.Click(`.top a[href="/jobs"]`)
	tab.Wait(jobStates + ` === "queued,running,retrying,scheduled,failed,cancelled,completed"`)
	if got := Eval[string](tab, `[...document.querySelectorAll("[role=grid] [role=row]")].map(r => r.ariaRowIndex).join() + " of " + document.querySelector("[role=grid]").ariaRowCount`); got != "1,2,3,4,5,6,7,8 of 8" {
		t.Errorf("the rows of the grid are %s", got)
	}
	all := tab.Text(".job-rows")
	for _, part := range []string{
		"4 jobs of this tenant run already", "attempt 2 of 5", "the model answered 529", "begins in 59 min", "begins in 1 h 59 min", "check the key", "5 attempts", "after 1 min",
		`<img src=x onerror`, "superseded", "what it changed", "balanced · 82% of the context window", "after 40 ms", "82k → 31k tokens · $0.0213",
	} {
		if !strings.Contains(all, part) {
			t.Errorf("the jobs lack %q:\n%s", part, all)
		}
	}
	if got := Eval[string](tab, `document.querySelector("[data-job=job6] .job-reason a").pathname + " " + document.querySelectorAll("[data-job] button").length + " " + document.title`); got != "/c/con6/compactions/cmp_1 8 Jobs · Tenfold" {
		t.Errorf("links and buttons are %s", got)
	}
	tab.Pictures("jobs")
	tab.Narrow()
	tab.Accessible()

	// What a worker does is seen without a reload.
	if _, err := q.set("job1", func(j *job.Info) { j.State, j.Ended, j.Outcome = "completed", time.Now(), "nothing to compact" }); err != nil {
		t.Fatal(err)
	}
	tab.Wait(jobStates + `.startsWith("queued,completed")`)

	// A state filters, and is in the address.
	tab.Click(`.job-states .job-failed`)
	tab.Wait(jobStates + ` === "failed" && location.search === "?state=failed" && document.querySelector("[role=grid]").ariaRowCount === "2"`)
	// The keys go through the rows and do what the buttons do: asked first, with what happens said.
	tab.Keys("jr")
	asks(tab, "may call a model")
	tab.Keys(Escape)
	tab.Wait(`!document.querySelector("dialog") && document.activeElement.pathname === "/c/con4"`)
	tab.Keys("r")
	asks(tab, "on the log as it is then")
	tab.Keys(Enter)
	tab.WaitText(".empty", "No job is failed")
	tab.Click(".empty button")
	tab.Wait(jobStates + ` === "queued,completed,retrying,scheduled,queued,cancelled,completed"`)
	tab.Keys("jjx") // what is completed cannot be cancelled
	if Eval[bool](tab, `!!document.querySelector("dialog")`) {
		t.Error("a completed job can be cancelled")
	}
	tab.Keys("jx")
	asks(tab, "“Conversation 2” is not compacted")
	tab.Keys(Enter)
	tab.Wait(jobStates + ` === "queued,completed,cancelled,scheduled,queued,cancelled,completed"`)
	Eval[bool](tab, `(document.querySelector("[data-job=job0] a").focus(), true)`)
	tab.Keys(kb.ArrowRight) // the right arrow: to the button
	tab.Wait(`document.activeElement.textContent === "Cancel…"`)
}

// asks waits for a question with a text, whose answer Enter gives.
func asks(tab *Tab, text string) {
	tab.t.Helper()
	tab.WaitText("dialog[open]", text)
	tab.Wait(`document.activeElement === document.querySelector("dialog[open] .primary")`)
}

// The header of a conversation says what its newest job does, and lets it be changed.
func TestTheHeaderTellsOfJobs(t *testing.T) {
	t.Parallel()
	q := queued(t, time.Now())
	s := serveJobs(t, q)
	open := s.Create("con1", "Conversation 1", logtest.Long(20)...)
	tab := s.Open(t, "/c/con1")
	tab.WaitText(".background", "running")
	tab.Pictures("background")
	tab.Narrow()
	if _, err := q.set("job1", func(j *job.Info) { j.State, j.Error, j.Hint = "failed", "the model answered 401", "check the key" }); err != nil {
		t.Fatal(err)
	}
	tab.WaitText(".background", "the model answered 401")
	tab.Accessible()
	tab.Click(".background button")
	asks(tab, "may call a model")
	tab.Keys(Enter)
	tab.WaitText(".background", "queued")
	if _, err := q.set("job1", func(j *job.Info) { j.State = "completed" }); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`!document.querySelector(".background")`)
	// It asks again when the log has grown: that is when a job begins.
	if _, err := q.set("job1", func(j *job.Info) { j.State = "queued" }); err != nil {
		t.Fatal(err)
	}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}); err != nil {
		t.Fatal(err)
	}
	tab.WaitText(".background", "queued")
	tab.Click(".background a")
	tab.Wait(jobStates + ` === "queued" && location.search === "?conversation=con1"`)
}

// A store without a queue has nothing of jobs on its page.
func TestNoJobsOnThePage(t *testing.T) {
	t.Parallel()
	s := serveJobs(t, nil)
	s.Create("con1", "Conversation 1", logtest.Long(20)...)
	tab := s.Open(t, "/c/con1")
	tab.WaitText(".context", "Context")
	if Eval[bool](tab, `!!document.querySelector('.background, .top a[href="/jobs"]')`) {
		t.Error("the page speaks of jobs")
	}
	for _, path := range Eval[[]string](tab, `performance.getEntriesByType("resource").map(e => e.name)`) {
		if strings.Contains(path, "/api/jobs") {
			t.Error("the page asks for jobs that the server does not have")
		}
	}
}

// A conversation that reaches its trigger is compacted in the background, and the page
// says so, with what it changed a click away.
func TestAJobFromAppendToPage(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	s.Stop()
	s.Configure("[conversation.compaction.auto]\nthreshold = \"3%\"\n[model]\nname = \"anthropic/claude-sonnet-4-5\"\n")
	s.Start()
	s.Create("bread", "A loaf of rye", logtest.Long(400)...)
	tab := s.Open(t, "/jobs")
	tab.WaitText(".empty", "No jobs yet")
	if status, body := s.Call("POST", "/api/conversations/bread/entries", `{"entries":[{"kind":"turn_start"},{"kind":"user_message","parts":[{"type":"text","text":"and wheat?"}]}]}`); status != 200 {
		t.Fatal(status, body)
	}
	Eval[bool](tab, `document.dispatchEvent(new Event("visibilitychange"))`)
	tab.Wait(jobStates + ` === "completed"`)
	tab.Pictures("job")
	if text := tab.Text("[data-job]"); !strings.Contains(text, "A loaf of rye") || !strings.Contains(text, "compacted") {
		t.Errorf("the job is %s", text)
	}
	tab.Click(".job-reason a")
	tab.Wait(`location.pathname.startsWith("/c/bread/compactions/") && document.querySelector(".compared")`)
}
