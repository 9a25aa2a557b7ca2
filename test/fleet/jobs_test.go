//go:build unix

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/session"
)

// A job as the API shows it.
type job struct {
	ID, State, Conversation, Outcome, Error string
	Attempt                                 int
	Compactions                             []string
}

// jobs lists all of a tenant.
func (s *server) jobs(ctx context.Context, token string) (all []job, err error) {
	for cursor := ""; ; {
		text, err := s.get(ctx, token, "/api/jobs?limit=500&cursor="+url.QueryEscape(cursor))
		if err != nil {
			return nil, err
		}
		var page struct {
			Items []job
			Next  string
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); page.Next == "" {
			return all, nil
		}
		cursor = page.Next
	}
}

// drained waits until no job of a tenant is left to be done, and gives them all.
func (f *fleet) drained(ctx context.Context, t *testing.T, of *tenantOf) (all []job) {
	t.Helper()
	eventually(ctx, t, "end of the jobs of "+of.name, func() (err error) {
		if all, err = f.servers[0].jobs(ctx, of.token); err != nil {
			return err
		}
		for _, j := range all {
			switch j.State {
			case "completed", "failed", "cancelled":
			default:
				return fmt.Errorf("job %s of %s is %s after %d attempts: %s\n%s", j.ID, j.Conversation, j.State, j.Attempt, j.Error, f.queue(ctx))
			}
		}
		return nil
	})
	return all
}

// verifyJobs holds what jobs say that they did against the logs: each overlay of a job is
// there once, and is told of by one job that ended.
func verifyJobs(t *testing.T, jobs []job, logs map[string]*session.Session) {
	t.Helper()
	told, outcomes := map[string]string{}, map[string]int{}
	for _, j := range jobs {
		outcomes[j.State+" "+j.Outcome]++
		if j.State == "failed" {
			t.Errorf("job %s of %s failed: %s", j.ID, j.Conversation, j.Error)
		}
		for _, id := range j.Compactions {
			if told[id] != "" {
				t.Errorf("overlay %s is of job %s and of job %s", id, told[id], j.ID)
			}
			told[id] = j.ID
		}
	}
	there := map[string]int{}
	for _, s := range logs {
		for e := range s.Log().Entries() {
			if c, ok := e.Payload.(tenfold.Compaction); ok && c.Source == "auto" {
				there[e.ID]++
				if told[e.ID] == "" {
					t.Errorf("overlay %s of %s is of no job that ended", e.ID, s.ID())
				}
			}
		}
	}
	for _, j := range jobs {
		for _, id := range j.Compactions {
			if logs[j.Conversation] != nil && there[id] != 1 {
				t.Errorf("overlay %s of job %s is %d times in %s", id, j.ID, there[id], j.Conversation)
			}
		}
	}
	t.Logf("%d jobs: %v", len(jobs), outcomes)
	if outcomes["completed compacted"] == 0 {
		t.Error("no job compacted anything")
	}
}

// queue says what the database has of jobs that have not ended, and who leads the servers.
func (f *fleet) queue(ctx context.Context) string {
	conn, err := pgx.Connect(ctx, f.direct)
	if err != nil {
		return err.Error()
	}
	defer conn.Close(ctx)
	var said string
	err = conn.QueryRow(ctx, `SELECT concat_ws(E'\n', now()::text, (SELECT string_agg(to_jsonb(j)::text, E'\n') FROM tenfold_jobs.river_job j WHERE finalized_at IS NULL AND kind = 'compact'),
		(SELECT string_agg(to_jsonb(l)::text, E'\n') FROM tenfold_jobs.river_leader l))`).Scan(&said)
	if err != nil {
		return err.Error()
	}
	return said
}
