package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tenfold/store"
	"tenfold/store/internal/row"
)

// appendSQL is an append: compare, swap and write in one statement. It gives
// the log's key and its version after; no row where the log is not there or
// has another version, and an error where an id is known.
//
// moved takes the row's lock, and PostgreSQL looks at its condition again
// when it had to wait for that: of writers that expect one version, one wins
// (L8).
//
// The arrays stand in subqueries so that how long they are does not enter the
// plan: it is then made once a connection, and not for every append (T8).
const appendSQL = `
WITH moved AS (
	UPDATE tenfold_conversations
	SET version = version + $3::bigint, updated = $4,
		turns = coalesce($5, turns), tokens_before = coalesce($6, tokens_before), tokens_after = coalesce($7, tokens_after),
		origin = coalesce($12, origin), mark = coalesce($13, mark), tool = coalesce($14, tool), directory = coalesce($15, directory),
		ended = CASE WHEN $5::bigint IS NULL THEN ended ELSE $16::bigint END
	WHERE name = $1 AND ($2::bigint = -1 OR version = $2::bigint)
	RETURNING key, version, version - $3::bigint AS was
), written AS (
	INSERT INTO tenfold_entries (conversation, seq, id, meta, text, words)
	SELECT moved.key, moved.was + b.place, b.id, b.meta, b.text, b.words::integer[]
	FROM moved, unnest((SELECT $8::bytea[]), (SELECT $9::bytea[]), (SELECT $10::bytea[]), (SELECT $11::text[]))
		WITH ORDINALITY AS b (id, meta, text, words, place)
)
SELECT key, version FROM moved`

// repeatSQL is an append of which something may be known (L9). It leaves that
// out, and gives the log's key, its version when the statement began, how
// many entries were not known then, and the version after, NULL when it did
// not write.
//
// The ids are looked up one by one, as a scalar subquery, because a join
// could read the whole table when the planner knows too little of it.
const repeatSQL = `
WITH log AS (
	SELECT key, version FROM tenfold_conversations WHERE name = $1
), fresh AS (
	SELECT b.*, row_number() OVER (ORDER BY b.place) AS nth
	FROM log, unnest($7::bytea[], $8::bytea[], $9::bytea[], $10::text[])
		WITH ORDINALITY AS b (id, meta, text, words, place)
	WHERE (SELECT e.seq FROM tenfold_entries AS e WHERE e.conversation = log.key AND e.id = b.id) IS NULL
), counted AS (
	SELECT count(*) AS n FROM fresh
), moved AS (
	UPDATE tenfold_conversations AS c
	SET version = c.version + counted.n, updated = $3,
		turns = coalesce($4, c.turns), tokens_before = coalesce($5, c.tokens_before), tokens_after = coalesce($6, c.tokens_after),
		origin = coalesce($11, c.origin), mark = coalesce($12, c.mark), tool = coalesce($13, c.tool), directory = coalesce($14, c.directory),
		ended = CASE WHEN $4::bigint IS NULL THEN c.ended ELSE $15::bigint END
	FROM counted
	WHERE c.name = $1 AND counted.n > 0 AND ($2::bigint = -1 OR c.version = $2::bigint)
	RETURNING c.key, c.version, c.version - counted.n AS was
), written AS (
	INSERT INTO tenfold_entries (conversation, seq, id, meta, text, words)
	SELECT moved.key, moved.was + fresh.nth, fresh.id, fresh.meta, fresh.text, fresh.words::integer[]
	FROM moved, fresh
)
SELECT log.key, log.version, counted.n, (SELECT version FROM moved) FROM log, counted`

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (version int64, err error) {
	c, err := newColumns(b.Entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	// An append that was lost may have come through; then its ids are known,
	// and it is a no-op when done again (L9).
	err = s.try(ctx, lost, func(ctx context.Context) error {
		version, err = s.append(ctx, b, c)
		return err
	})
	if err != nil {
		return 0, s.errors.ExplainFor("append to", b.Conversation, err)
	}
	return version, nil
}

// append runs the statement, and only if that does not apply the one that
// finds out why.
func (s *Store) append(ctx context.Context, b store.Batch, c *columns) (int64, error) {
	var turns, before, after, ended *int64
	if b.Stats != nil {
		ended = row.Nanos(b.Stats.Ended)
		turns, before, after = new(int64(b.Stats.Turns)), new(int64(b.Stats.TokensBefore)), new(int64(b.Stats.TokensAfter))
	}
	var origin, mark, tool, directory []byte // NULL leaves them
	if o := b.Origin; o != nil {
		origin, mark, tool, directory = []byte(o.Key), []byte(o.Mark), []byte(o.Tool), []byte(o.Directory)
	}
	var key, now int64
	name, updated := short(b.Conversation), row.Nanos(b.Now)
	if len(c.ids) > 0 {
		err := s.pool.QueryRow(ctx, appendSQL, name, b.Expected, len(c.ids), updated, turns, before, after,
			c.ids, c.metas, c.texts, c.words, origin, mark, tool, directory, ended).Scan(&key, &now)
		if err == nil {
			s.tell(key)
			return now, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) && code(err) != codeUnique {
			return 0, err
		}
	}
	return s.repeat(ctx, b, name, updated, turns, before, after, c.ids, c.metas, c.texts, c.words, origin, mark, tool, directory, ended)
}

// repeat runs the statement that looks closer, again when what it saw at its
// start was no more so when it had the lock. Another writer got further each
// time, so that this ends.
func (s *Store) repeat(ctx context.Context, b store.Batch, name []byte, args ...any) (int64, error) {
	args = append([]any{name, b.Expected}, args...)
	for {
		var key, was, fresh int64
		var now *int64
		err := s.pool.QueryRow(ctx, repeatSQL, args...).Scan(&key, &was, &fresh, &now)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return 0, store.ErrNotFound
		case code(err) == codeUnique:
			// An id became known meanwhile; the next look leaves it out (L9).
		case err != nil:
			return 0, err
		case now != nil:
			s.tell(key)
			return *now, nil
		case fresh == 0:
			s.tell(key)     // an append that was lost on its way told nobody
			return was, nil // L9
		case b.Expected != store.AnyVersion && b.Expected != was:
			return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: was} // L8
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}
