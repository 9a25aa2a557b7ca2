package job

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tenfold/internal/telemetry"
	"tenfold/session"
	"tenfold/store"
)

// work makes an attempt, which is measured and logged: how it ended, and nothing of
// the conversation.
func (w *Worker) work(ctx context.Context, st store.Store, t task) (ended, error) {
	start := time.Now()
	ctx, op := telemetry.BeginJob(ctx, t.trace, t.conversation, t.due)
	how, err := w.attempt(ctx, st, t)
	out, level := telemetry.Outcome(how.Outcome), slog.LevelInfo
	busy := &session.BusyError{}
	switch {
	case errors.As(err, &busy):
		out = "busy"
	case ctx.Err() != nil:
		out = telemetry.Cancelled
	case err != nil:
		out, level = telemetry.Failed, slog.LevelWarn
	}
	telemetry.EndJob(ctx, op, t.created, out)
	if w.Log != nil {
		about := []slog.Attr{slog.String("job", t.id), slog.String("outcome", string(out)), slog.Duration("took", time.Since(start)), slog.Bool("last", t.last)}
		if level == slog.LevelWarn {
			why, _ := reason(err)
			about = append(about, slog.String("error", why))
		}
		w.Log.LogAttrs(ctx, level, "job", about...)
	}
	return how, err
}

// depthSQL counts what waits, runs or failed, of all tenants.
const depthSQL = `
SELECT state::text, scheduled_at > now() AND state = 'available', coalesce(cardinality(errors), 0) > 0, count(*) FROM ~.river_job
WHERE state IN ('available', 'pending', 'running', 'retryable', 'scheduled', 'discarded') GROUP BY 1, 2, 3`

// depthWait is how long the database may take to count.
const depthWait = 2 * time.Second

// depth counts the jobs of all tenants that have not come to their end, by state; and
// those that failed for good.
func (q *Queue) depth(ctx context.Context) []telemetry.Reading {
	ctx, cancel := context.WithTimeout(ctx, depthWait)
	defer cancel()
	counts := map[State]int64{Queued: 0, Running: 0, Retrying: 0, Scheduled: 0, Failed: 0}
	rows, err := q.pool.Query(ctx, q.sql(depthSQL))
	if err != nil {
		return nil
	}
	defer rows.Close()
	for now := time.Now(); rows.Next(); {
		var state string
		var later, failed bool
		var n int64
		if rows.Scan(&state, &later, &failed, &n) != nil {
			return nil
		}
		due := now
		if later {
			due = now.Add(time.Second)
		}
		counts[shownAs(state, due, failed, now)] += n
	}
	if rows.Err() != nil {
		return nil
	}
	out := make([]telemetry.Reading, 0, len(counts))
	for state, n := range counts {
		out = append(out, telemetry.Reading{State: string(state), Value: n})
	}
	return out
}
