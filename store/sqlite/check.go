package sqlite

import (
	"context"
	"database/sql/driver"

	"tenfold/store"
)

var _ store.Checker = (*Store)(nil)

// Check implements [store.Checker] with SQLite's own check of the file.
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
		}, "PRAGMA quick_check(10)")
	})
	return found, s.errors.Explain("check", err)
}
