package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
)

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	rows, err := newRows(entries)
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	err = s.write(ctx, bytesOf(rows), func(tx *tx) (refusal, err error) {
		updated := cmp.Or(c.Updated, c.Created)
		n, err := tx.exec("INSERT INTO conversations (id, title, created, updated, turns, tokens_before, tokens_after, ended, origin, mark, tool, directory, handle, percent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			c.ID, c.Title, nanos(c.Created), nanos(updated), int64(c.Stats.Turns), int64(c.Stats.TokensBefore), int64(c.Stats.TokensAfter), nanos(c.Stats.Ended),
			c.Origin.Key, c.Origin.Mark, c.Origin.Tool, c.Origin.Directory, store.HandleNumber(c.ID), int64(c.Stats.Percent))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return store.ErrExists, nil
		}
		if len(rows) == 0 {
			return nil, nil
		}
		// Into a new log nothing can be refused, so nothing is left behind.
		_, refusal, err = tx.append(ctx, store.Batch{Conversation: c.ID, Expected: store.AnyVersion, Now: updated}, rows)
		return refusal, err
	})
	return s.errors.ExplainFor("create", c.ID, err)
}

// SetTitle implements [store.Store].
func (s *Store) SetTitle(ctx context.Context, id, title string) error {
	err := s.write(ctx, len(title), func(tx *tx) (refusal, err error) {
		n, err := tx.exec("UPDATE conversations SET title = ? WHERE id = ?", title, id)
		if err == nil && n == 0 {
			refusal = store.ErrNotFound
		}
		return refusal, err
	})
	return s.errors.ExplainFor("rename", id, err)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string, expected int64) error {
	var key int64
	err := s.write(ctx, maxGroupBytes, func(tx *tx) (refusal, err error) {
		log, err := tx.log(id)
		if err != nil {
			return nil, err
		}
		if log == nil {
			return store.ErrNotFound, nil
		}
		if expected != store.AnyVersion && expected != log.version {
			return &store.ConflictError{Conversation: id, Expected: expected, Actual: log.version}, nil
		}
		delete(tx.logs, id)
		key = log.key
		return nil, tx.delete(ctx, key)
	})
	if err == nil {
		s.hub.Wake(key)
	}
	return s.errors.ExplainFor("delete", id, err)
}

func (tx *tx) delete(ctx context.Context, key int64) error {
	first, last := key<<32, key<<32|maxSeq
	// The table of ids is sorted by id, so each is named: all are looked at only where a
	// damaged row does not tell its own.
	var ids []string
	err := tx.query(context.Background(), func(values []driver.Value) error {
		meta, _ := values[0].([]byte)
		id, err := row.ID(meta)
		ids = append(ids, id)
		return err
	}, "SELECT meta FROM entries WHERE key BETWEEN ? AND ?", first, last)
	if errors.Is(err, row.ErrDamaged) {
		ids = nil
		_, err = tx.exec("DELETE FROM ids WHERE conversation = ?", key)
	}
	for _, id := range ids {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			_, err = tx.exec("DELETE FROM ids WHERE id = ? AND conversation = ?", id, key)
		}
	}
	if err == nil {
		_, err = tx.exec("DELETE FROM search WHERE rowid BETWEEN ? AND ?", first, last)
	}
	if err == nil {
		_, err = tx.exec("DELETE FROM entries WHERE key BETWEEN ? AND ?", first, last)
	}
	if err == nil {
		_, err = tx.exec("DELETE FROM conversations WHERE key = ?", key)
	}
	return err
}
