package sqlite

import (
	"context"
	"iter"
	"time"

	"tenfold"
)

// pollTime is how often a store that is watched looks whether another process
// wrote. SQLite tells nobody.
const pollTime = 100 * time.Millisecond

// Watch implements [store.Store].
func (s *Store) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		key, _, err := s.find(ctx, id)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			yield(tenfold.Entry{}, s.explainFor("watch", id, err))
			return
		}
		defer s.others.Join(s.poll)()
		s.hub.Follow(ctx, id, after, 0, func(after int64) iter.Seq2[tenfold.Entry, error] {
			return s.entries(ctx, "watch", id, key, after)
		})(yield)
	}
}

// poll wakes all watchers when anybody wrote. It has a connection of its own:
// what PRAGMA data_version gives changes when another connection commits.
func (s *Store) poll(ctx context.Context) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	var c *conn
	last := int64(-1) // the first look wakes them: it is what later ones are held against
	for {
		if c == nil {
			// Who cannot look now tries again; watchers meet the same trouble
			// when they read, and tell.
			c, _ = dial(ctx, s.path, "query_only(1)")
		}
		if c != nil {
			if v, ok, err := c.number(ctx, "PRAGMA data_version"); err == nil && ok && v != last {
				last = v
				s.hub.WakeAll()
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if c != nil {
				_ = c.close()
			}
			return
		}
	}
}
