package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/fleet/job"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
)

// gauge counts the attempts of a tenant that last at once. Until a tenant has had as
// many as it may, each of them waits for others to join.
type gauge struct {
	mu        sync.Mutex
	now, most map[string]int
	may       int
}

func (g *gauge) worker(jobs int) job.Worker {
	w := worker(jobs)
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		tenant, _, _ := strings.Cut(s.ID(), "-")
		g.mu.Lock()
		g.now[tenant]++
		g.most[tenant] = max(g.most[tenant], g.now[tenant])
		defer g.mu.Unlock()
		for alone := time.Now(); g.most[tenant] < g.may && time.Since(alone) < 2*time.Minute; {
			g.mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			g.mu.Lock()
		}
		g.mu.Unlock()
		time.Sleep(30 * time.Millisecond) // for one too many to join
		g.mu.Lock()
		g.now[tenant]--
		return live(s)
	}
	return w
}

func testLimit(t *testing.T, url string) {
	a, b := open(t, url), openAs(t, url, "b")
	operate(t, a.db, "UPDATE tenfold_tenants SET jobs_at_once = 2")
	const many = 12
	for i := range many {
		due(t, a.st, fmt.Sprint("a-", i))
	}
	for i := range 2 {
		due(t, b.st, fmt.Sprint("b-", i))
	}
	g := &gauge{now: map[string]int{}, most: map[string]int{}, may: 2}
	for _, f := range []fleet{a, b} { // two processes work on the jobs of both tenants
		f.start(t, g.worker(6))
	}
	eventually(t, "all jobs end", func() bool { return ended(t, a.jobs)() && ended(t, b.jobs)() })
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.most["a"] != 2 || g.most["b"] > 2 {
		t.Errorf("at once: %v", g.most)
	}
	all := append(listed(t, a.jobs, job.Filter{}), listed(t, b.jobs, job.Filter{})...)
	slices.SortFunc(all, func(a, b job.Info) int { return a.Began.Compare(b.Began) })
	for i, j := range all {
		if j.Attempt != 1 || i > 6 && strings.HasPrefix(j.Conversation, "b") {
			t.Errorf("tenant b waited for a, or an attempt was wasted: the %dth is %+v", i, j)
		}
	}
	if len(all) != many+2 {
		t.Errorf("%d jobs", len(all))
	}
}

// A tenant may have so many jobs that wait; what is appended meanwhile is not refused.
func testMost(t *testing.T, url string) {
	var log strings.Builder
	f := open(t, url, job.WithLog(slog.New(slog.NewTextHandler(&log, nil))))
	operate(t, f.db, "UPDATE tenfold_tenants SET max_jobs = 2")
	for i := range 4 {
		due(t, f.st, fmt.Sprint("a-", i))
	}
	if n := strings.Count(log.String(), "the limit of jobs that wait is reached"); n != 1 || strings.Contains(log.String(), "a-") {
		t.Errorf("it is logged %d times, not once, or with a name: %s", n, &log)
	}
	all := listed(t, f.jobs, job.Filter{})
	if len(all) != 2 {
		t.Fatalf("%d jobs wait", len(all))
	}
	if _, err := f.jobs.Cancel(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	due(t, f.st, "b")
	var told *problem.Error
	if _, err := f.jobs.Retry(t.Context(), all[0].ID); !errors.As(err, &told) || told.Code != "limit_jobs" {
		t.Errorf("one more is tried again: %v", err)
	}
	f.start(t, worker(2))
	eventually(t, "all jobs end", ended(t, f.jobs))
	if _, err := f.jobs.Retry(t.Context(), all[0].ID); err != nil {
		t.Error("with room:", err)
	}
	eventually(t, "all jobs end", ended(t, f.jobs))
	compacted, recorded := 0, 0
	for _, j := range listed(t, f.jobs, job.Filter{}) {
		if j.Outcome == job.Compacted {
			compacted++
		}
	}
	if err := f.db.As(t.Context(), f.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*) FROM tenfold_audit WHERE action = 'compact' AND outcome = 'done'").Scan(&recorded)
	}); err != nil || compacted != 3 || recorded != compacted {
		t.Errorf("%d compacted, %d recorded: %v", compacted, recorded, err)
	}
}
