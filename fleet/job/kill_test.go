package job_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// summarizing asks for a summary.
var summarizing = []strategy.Strategy{strategy.Summarize{}}

// writer is a model that writes summaries, each for a cent.
type writer func(context.Context) error

func (w writer) Summarize(ctx context.Context, _ strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if err := w(ctx); err != nil {
		return strategy.SummaryResult{}, err
	}
	return strategy.SummaryResult{Text: "What was asked for was done.", Model: "script/writer", Usage: tenfold.Usage{Model: "script/writer", Input: 1000, Output: 10, Cost: new(0.01)}}, nil
}

func (writer) Quote(strategy.SummaryRequest) strategy.Quote {
	return strategy.Quote{Model: "script/writer"}
}

// The steps of an attempt at which a process is killed.
var steps = []string{"before the plan", "before the model's answer", "after the model's answer", "before the commit", "after the commit"}

const (
	killEnv    = "TENFOLD_JOB_TEST_KILL"
	killURLEnv = "TENFOLD_JOB_TEST_URL"
)

// paying is a worker that a step kills the process at.
func paying(kill func(step string)) job.Worker {
	return job.Worker{
		Jobs: 4,
		Service: func(st store.Store) *session.Service {
			return session.NewService(doomed{st, kill}, session.WithHooks(session.Hooks{
				Before: func(_ context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
					kill("after the model's answer")
					return plan, nil
				},
			}))
		},
		Live: func(s *session.Session, _ store.Store) (session.Live, error) {
			kill("before the plan")
			l, err := live(s)
			l.Auto.Strategies = summarizing
			l.Request.Options.Summarizer = writer(func(context.Context) error {
				kill("before the model's answer")
				return nil
			})
			return l, err
		},
	}
}

type doomed struct {
	store.Store
	kill func(step string)
}

func (d doomed) Append(ctx context.Context, b store.Batch) (int64, error) {
	d.kill("before the commit")
	version, err := d.Store.Append(ctx, b)
	if err == nil {
		d.kill("after the commit")
	}
	return version, err
}

// TestKilledProcess is the process that is killed, and nothing when run for itself.
func TestKilledProcess(t *testing.T) {
	at, url := os.Getenv(killEnv), os.Getenv(killURLEnv)
	if at == "" {
		t.Skip("it is the other process of another test")
	}
	f := open(t, url)
	f.queue.Loner() // what was killed before is not its job, however long it takes to begin
	if err := f.queue.Start(t.Context(), paying(func(step string) {
		if step == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Minute)
	t.Error("it was not killed")
}

// testKilled has a process killed at each step of an attempt. Another one ends the
// jobs: each conversation has one overlay, and no job is lost.
func testKilled(t *testing.T, url string) {
	f := open(t, url)
	operate(t, f.db, "UPDATE tenfold_tenants SET jobs_at_once = 10") // what was killed takes its place until somebody takes it over
	sessions := map[string]*session.Session{}
	for _, step := range steps {
		id := strings.ReplaceAll(step, " ", "-")
		sessions[id] = due(t, f.st, id)
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestKilledProcess$")
		child.Env = append(os.Environ(), killEnv+"="+step, killURLEnv+"="+url)
		if out, err := child.CombinedOutput(); err == nil || child.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	f.start(t, paying(func(string) {}))
	eventually(t, "all jobs end", ended(t, f.jobs))
	all := listed(t, f.jobs, job.Filter{})
	if len(all) != len(steps) {
		t.Errorf("%d jobs", len(all))
	}
	for _, j := range all {
		ids := overlays(t, sessions[j.Conversation])
		// What was paid for and not written was paid for all the same: once for each
		// answer.
		answers := map[string]float64{"after-the-model's-answer": 2, "before-the-commit": 2}[j.Conversation]
		if answers == 0 {
			answers = 1
		}
		attempts := 2
		if j.Conversation == "after-the-commit" { // with which the job ended
			attempts = 1
		}
		if j.Attempt != attempts || j.State != job.Completed || j.Outcome != job.Compacted || len(ids) != 1 || ids[0] != "cmp_job_"+j.ID+"/0" ||
			*j.Cost < 0.0099*answers || *j.Cost > 0.0101*answers {
			t.Errorf("%+v; overlays %v; cost %v, not %v", j, ids, *j.Cost, 0.01*answers)
		}
	}
}
