package job

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// clock is the database's, so that a process whose own clock is wrong does not take
// jobs away from others, or keep one from being tried again.
type clock struct{ ahead atomic.Int64 }

// Now implements River's TimeGenerator.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// NowOrNil implements River's TimeGenerator: statements use the database's own.
func (c *clock) NowOrNil() *time.Time { return nil }

// synchronise asks the database for the time.
func (c *clock) synchronise(ctx context.Context, pool *pgxpool.Pool) error {
	var there time.Time
	before := time.Now()
	if err := pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there); err != nil {
		return err
	}
	c.ahead.Store(int64(there.Sub(before.Add(time.Since(before) / 2))))
	return nil
}
