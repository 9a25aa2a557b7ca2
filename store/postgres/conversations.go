package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
)

const createSQL = `
WITH log AS (
	INSERT INTO tenfold_conversations (name, id, title, created, updated, turns, tokens_before, tokens_after, version, origin, mark, tool, directory, ended)
	VALUES ($1, $2, $3, $4, $14, $5, $6, $7, cardinality($8::bytea[]), $12, $13, $15, $16, $17)
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
			short(c.ID), []byte(c.ID), []byte(c.Title), row.Nanos(c.Created),
			int64(c.Stats.Turns), int64(c.Stats.TokensBefore), int64(c.Stats.TokensAfter),
			cols.ids, cols.metas, cols.texts, cols.words, []byte(c.Origin.Key), []byte(c.Origin.Mark), row.Nanos(cmp.Or(c.Updated, c.Created)),
			[]byte(c.Origin.Tool), []byte(c.Origin.Directory), row.Nanos(c.Stats.Ended)).Scan(&n)
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		return err
	})
	return s.errors.ExplainFor("create", c.ID, err)
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
	return s.errors.ExplainFor("rename", id, err)
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
	return s.errors.ExplainFor("delete", id, err)
}
