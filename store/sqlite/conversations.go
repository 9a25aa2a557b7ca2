package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"

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
		n, err := tx.exec("INSERT INTO conversations (id, title, created, updated, turns, tokens_before, tokens_after, origin, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			c.ID, c.Title, nanos(c.Created), nanos(updated), int64(c.Stats.Turns), int64(c.Stats.TokensBefore), int64(c.Stats.TokensAfter), c.Origin.Key, c.Origin.Mark)
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
	return s.explainFor("create", c.ID, err)
}

const columns = "id, title, created, updated, version, turns, tokens_before, tokens_after, origin, mark"

func conversation(row []driver.Value) store.Conversation {
	return store.Conversation{
		ID:      row[0].(string),
		Title:   row[1].(string),
		Created: fromNanos(row[2]),
		Updated: fromNanos(row[3]),
		Version: row[4].(int64),
		Stats: store.Stats{
			Turns:        int(row[5].(int64)),
			TokensBefore: int(row[6].(int64)),
			TokensAfter:  int(row[7].(int64)),
		},
		Origin: store.Origin{Key: row[8].(string), Mark: row[9].(string)},
	}
}

// list gives the conversations that a condition, a constant, holds for.
func (s *Store) list(ctx context.Context, where string, args ...any) (found []store.Conversation, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			found = append(found, conversation(row))
			return nil
		}, "SELECT "+columns+" FROM conversations "+where+" ORDER BY updated DESC, id", args...)
	})
	return found, err
}

// Conversation implements [store.Store].
func (s *Store) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	found, err := s.list(ctx, "WHERE id = ?", id)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Conversation{}, s.explainFor("look up", id, err)
	}
	return found[0], nil
}

// Conversations implements [store.Store].
func (s *Store) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		all, err := s.list(ctx, "")
		if err != nil {
			yield(store.Conversation{}, s.explain("list conversations", err))
			return
		}
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// fromOrigin is how the index of origins is asked: the first condition is its
// own, whatever the key turns out to be.
const fromOrigin = "WHERE origin <> '' AND origin = ?"

// Imported implements [store.Store].
func (s *Store) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	if key == "" {
		return nil, ctx.Err()
	}
	found, err := s.list(ctx, fromOrigin, key)
	if err != nil {
		return nil, s.explain("list imported conversations", err)
	}
	return found, nil
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
	return s.explainFor("rename", id, err)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	err := s.write(ctx, maxGroupBytes, func(tx *tx) (refusal, err error) {
		log, err := tx.log(id)
		if err != nil {
			return nil, err
		}
		if log == nil {
			return store.ErrNotFound, nil
		}
		delete(tx.logs, id)
		return nil, tx.delete(ctx, log.key)
	})
	if err == nil {
		s.hub.Wake(id)
	}
	return s.explainFor("delete", id, err)
}

func (tx *tx) delete(ctx context.Context, key int64) error {
	first, last := key<<32, key<<32|maxSeq
	// The table of ids is sorted by id, so each is named.
	var ids []string
	err := tx.query(context.Background(), func(values []driver.Value) error {
		meta, _ := values[0].([]byte)
		id, err := row.ID(meta)
		ids = append(ids, id)
		return err
	}, "SELECT meta FROM entries WHERE key BETWEEN ? AND ?", first, last)
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

// explainFor is explain for what concerns one conversation. The errors a
// caller can act on need no more than its id.
func (s *Store) explainFor(op, id string, err error) error {
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return err
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrExists):
		return fmt.Errorf("%s conversation %s: %w", op, id, err)
	}
	return s.explain(op+" conversation "+id, err)
}
