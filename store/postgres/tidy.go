package postgres

import (
	"context"
	"sync"
	"time"

	"tenfold/internal/pause"
)

// tidyPause is how often a process looks whether new entries wait to be sorted into
// the index of words. All processes together sort them once in a second
// (tenfold_tidy): a search reads those that wait one by one, and they take far more of
// the index than those that are sorted.
const tidyPause = 500 * time.Millisecond

// A tidier sorts new entries into the index of words, of the months that this
// process appended to. It does so behind the appends, which would otherwise do
// it in turn, each for the thousands before it (T8).
type tidier struct {
	mu     sync.Mutex
	months map[int64]struct{}
	wake   chan struct{}
	end    context.CancelFunc
	done   chan struct{}
}

// noteAppended says that entries were appended to a log.
func (t *tidier) noteAppended(key int64) {
	t.mu.Lock()
	t.months[key>>40] = struct{}{}
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// tidy is the tidier's goroutine.
func (d *Database) tidy(ctx context.Context) {
	defer close(d.tidier.done)
	for {
		select {
		case <-d.tidier.wake:
		case <-ctx.Done():
			return
		}
		if pause.For(ctx, tidyPause) != nil {
			return
		}
		d.tidyNow(ctx)
	}
}

// tidyNow leaves what it cannot do to the next time, and to autovacuum.
func (d *Database) tidyNow(ctx context.Context) {
	d.tidier.mu.Lock()
	months := make([]int64, 0, len(d.tidier.months))
	for m := range d.tidier.months {
		months = append(months, m)
	}
	clear(d.tidier.months)
	d.tidier.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	var did bool
	if err := d.pool.QueryRow(ctx, "SELECT tenfold_tidy($1)", months).Scan(&did); err != nil || did {
		return
	}
	for _, m := range months { // another process was at it
		d.tidier.noteAppended(m << 40)
	}
}
