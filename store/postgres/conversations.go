package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
)

const createSQL = `
WITH log AS (
	INSERT INTO tenfold_conversations (name, id, title, created, updated, turns, tokens_before, tokens_after, version, origin, mark)
	VALUES ($1, $2, $3, $4, $14, $5, $6, $7, cardinality($8::bytea[]), $12, $13)
	ON CONFLICT DO NOTHING
	RETURNING key
), written AS (
	INSERT INTO tenfold_entries (conversation, seq, id, meta, text, words)
	SELECT log.key, b.seq, b.id, b.meta, b.text, b.words::integer[]
	FROM log, unnest($8::bytea[], $9::bytea[], $10::bytea[], $11::text[])
		WITH ORDINALITY AS b (id, meta, text, words, seq)
)
SELECT count(*) FROM log`

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	cols, err := newColumns(entries)
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	// Done twice, the second time would say that the id is in use.
	err = s.try(ctx, undone, func(ctx context.Context) error {
		var n int64
		err := s.pool.QueryRow(ctx, createSQL,
			short(c.ID), []byte(c.ID), []byte(c.Title), nanos(c.Created),
			int64(c.Stats.Turns), int64(c.Stats.TokensBefore), int64(c.Stats.TokensAfter),
			cols.ids, cols.metas, cols.texts, cols.words, []byte(c.Origin.Key), []byte(c.Origin.Mark), nanos(cmp.Or(c.Updated, c.Created))).Scan(&n)
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		return err
	})
	return s.explainFor("create", c.ID, err)
}

const about = "id, title, created, updated, version, turns, tokens_before, tokens_after, origin, mark"

func conversation(rows pgx.CollectableRow) (store.Conversation, error) {
	var c store.Conversation
	var id, title, origin, mark []byte
	var created, updated *int64
	var turns, before, after int64
	err := rows.Scan(&id, &title, &created, &updated, &c.Version, &turns, &before, &after, &origin, &mark)
	c.ID, c.Title = string(id), string(title)
	c.Origin = store.Origin{Key: string(origin), Mark: string(mark)}
	c.Created, c.Updated = fromNanos(created), fromNanos(updated)
	c.Stats = store.Stats{Turns: int(turns), TokensBefore: int(before), TokensAfter: int(after)}
	return c, err
}

// Conversation implements [store.Store].
func (s *Store) Conversation(ctx context.Context, id string) (c store.Conversation, err error) {
	err = s.try(ctx, lost, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, "SELECT "+about+" FROM tenfold_conversations WHERE name = $1", short(id))
		if err == nil {
			c, err = pgx.CollectExactlyOneRow(rows, conversation)
		}
		return notFound(err)
	})
	if err != nil {
		return store.Conversation{}, s.explainFor("look up", id, err)
	}
	return c, nil
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

// list gives the conversations that a condition, a constant, holds for.
func (s *Store) list(ctx context.Context, where string, args ...any) (found []store.Conversation, err error) {
	err = s.try(ctx, lost, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, "SELECT "+about+" FROM tenfold_conversations "+where+" ORDER BY updated DESC NULLS LAST, id", args...)
		if err == nil {
			found, err = pgx.CollectRows(rows, conversation)
		}
		return err
	})
	return found, err
}

// fromOrigin is how the index of origins is asked.
const fromOrigin = "WHERE origin <> '' AND sha256(origin) = sha256($1) AND origin = $1"

// Imported implements [store.Store].
func (s *Store) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	if key == "" {
		return nil, ctx.Err()
	}
	found, err := s.list(ctx, fromOrigin, []byte(key))
	if err != nil {
		return nil, s.explain("list imported conversations", err)
	}
	return found, nil
}

// SetTitle implements [store.Store].
func (s *Store) SetTitle(ctx context.Context, id, title string) error {
	err := s.try(ctx, lost, func(ctx context.Context) error {
		tag, err := s.pool.Exec(ctx, "UPDATE tenfold_conversations SET title = $2 WHERE name = $1", short(id), []byte(title))
		if err == nil && tag.RowsAffected() == 0 {
			err = store.ErrNotFound
		}
		return err
	})
	return s.explainFor("rename", id, err)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	var key int64
	asked := false // an earlier attempt may have come through
	err := s.try(ctx, lost, func(ctx context.Context) error {
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			// The row first: its lock waits for appends under way, so that
			// the next statement sees their entries, and none comes after.
			err := tx.QueryRow(ctx, "DELETE FROM tenfold_conversations WHERE name = $1 RETURNING key", short(id)).Scan(&key)
			if err == nil {
				_, err = tx.Exec(ctx, "DELETE FROM tenfold_entries WHERE conversation = $1", key)
			}
			return notFound(err)
		})
		if errors.Is(err, store.ErrNotFound) && asked && key != 0 {
			return nil
		}
		asked = true
		return err
	})
	if err == nil {
		s.tell(key)
	}
	return s.explainFor("delete", id, err)
}

// find gives a log's key and version.
func (s *Store) find(ctx context.Context, id string) (key, version int64, err error) {
	err = s.try(ctx, lost, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, "SELECT key, version FROM tenfold_conversations WHERE name = $1", short(id)).Scan(&key, &version)
		return notFound(err)
	})
	return key, version, err
}

// notFound turns no row into no conversation.
func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return store.ErrNotFound
	}
	return err
}

// nanos is a conversation's time as a column holds it: nil for none.
func nanos(t time.Time) *int64 {
	if n, ok := row.Nanos(t); ok {
		return &n
	}
	return nil
}

func fromNanos(n *int64) time.Time {
	if n == nil {
		return time.Time{}
	}
	return row.FromNanos(*n, true)
}
