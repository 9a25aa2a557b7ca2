package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"tenfold/store"
	"tenfold/store/internal/engine"
)

var _ store.Checker = (*Store)(nil)

// mostDamage is how much damage a check tells of.
const mostDamage = 10

// Check implements [store.Checker]: by SQLite's own check of the file and, where that finds
// nothing, by reading every entry.
func (s *Store) Check(ctx context.Context) (store.Condition, error) {
	var found store.Condition
	err := s.read(ctx, func(c *conn) error {
		version, err := check(ctx, c)
		if err != nil {
			return err
		}
		found.Version = int(version)
		return c.query(ctx, func(row []driver.Value) error {
			if words, ok := row[0].(string); ok && words != "ok" {
				found.Damage = append(found.Damage, words)
			}
			return nil
		}, fmt.Sprintf("PRAGMA quick_check(%d)", mostDamage))
	})
	if err != nil || found.Damage != nil {
		return found, s.errors.Explain("check", err)
	}
	for c, err := range s.Conversations(ctx) {
		if err != nil || len(found.Damage) >= mostDamage {
			return found, err
		}
		if err := s.checkLog(ctx, c.ID, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// checkLog reads a log, and what is behind an entry that cannot be read as well.
func (s *Store) checkLog(ctx context.Context, id string, found *store.Condition) error {
	for after, damaged := int64(0), true; damaged; {
		damaged = false
		for _, err := range s.Entries(ctx, id, after) {
			at, known := errors.AsType[*engine.EntryError](err)
			switch {
			case err == nil:
				continue
			case errors.Is(err, store.ErrNotFound): // deleted meanwhile
				return nil
			case known && at.Seq > after:
				after, damaged = at.Seq, len(found.Damage) < mostDamage
			case !errors.Is(err, engine.ErrGap): // what is behind a gap is not found
				return err
			}
			failed, _ := errors.AsType[*store.FailedError](err)
			found.Damage = append(found.Damage, "conversation "+id+": "+failed.Err.Error())
		}
	}
	return nil
}
