package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/row"
)

// listSQL lists conversations.
var listSQL = [...]string{
	engine.All:      selectSQL,
	engine.ByID:     selectSQL + "WHERE name = $1",
	engine.ByOrigin: selectSQL + "WHERE origin <> '' AND sha256(origin) = sha256($1) AND origin = $1",
}

const selectSQL = "SELECT id, title, created, updated, version, turns, tokens_before, tokens_after, origin, mark, tool, directory, ended FROM tenfold_conversations "

func (s *Store) list(ctx context.Context, by engine.Filter, value string) (found []store.Conversation, err error) {
	var args []any
	switch by {
	case engine.ByID:
		args = []any{short(value)}
	case engine.ByOrigin:
		args = []any{[]byte(value)}
	}
	err = s.try(ctx, lost, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, listSQL[by], args...)
		if err == nil {
			found, err = pgx.CollectRows(rows, conversation)
		}
		return err
	})
	return found, err
}

func conversation(rows pgx.CollectableRow) (store.Conversation, error) {
	var c store.Conversation
	var id, title, origin, mark, tool, directory []byte
	var created, updated, ended *int64
	var turns, before, after int64
	err := rows.Scan(&id, &title, &created, &updated, &c.Version, &turns, &before, &after, &origin, &mark, &tool, &directory, &ended)
	c.ID, c.Title = string(id), string(title)
	c.Origin = store.Origin{Key: string(origin), Mark: string(mark), Tool: string(tool), Directory: string(directory)}
	c.Created, c.Updated = row.FromNanos(created), row.FromNanos(updated)
	c.Stats = store.Stats{Turns: int(turns), TokensBefore: int(before), TokensAfter: int(after), Ended: row.FromNanos(ended)}
	return c, err
}

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

// How much of a log is read at once. Between chunks no connection is in use,
// however long the caller takes over an entry.
const (
	chunkEntries = 1024
	chunkBytes   = 4 << 20
)

// chunkSQL reads the next entries of a log, until they are chunkBytes long;
// the sizes are known without reading the texts.
const chunkSQL = `
SELECT seq, meta, text FROM (
	SELECT seq, meta, text, sum(coalesce(octet_length(text), 0) + octet_length(meta)) OVER (ORDER BY seq) - coalesce(octet_length(text), 0) AS before
	FROM (
		SELECT seq, meta, text FROM tenfold_entries
		WHERE conversation = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4
	) AS next
) AS sized
WHERE before <= $5 ORDER BY seq`

func (s *Store) chunk(ctx context.Context, d *row.Decoder, dst []tenfold.Entry, key, seq, last int64) ([]tenfold.Entry, error) {
	err := s.try(ctx, lost, func(ctx context.Context) error {
		dst = dst[:0]
		rows, err := s.pool.Query(ctx, chunkSQL, key, seq, last, chunkEntries, chunkBytes)
		if err != nil {
			return err
		}
		defer rows.Close()
		for want := seq + 1; rows.Next(); want++ {
			var got int64
			var meta []byte
			var text pgtype.DriverBytes // the connection's, until the next row
			if err := rows.Scan(&got, &meta, &text); err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("entry %d: %w", want, engine.ErrGap)
			}
			e, err := d.Entry(got, meta, string(text))
			if err != nil {
				return fmt.Errorf("entry %d: %w", got, err)
			}
			dst = append(dst, e)
		}
		return rows.Err()
	})
	return dst, err
}

const searchSQL = `
SELECT c.id, e.seq, e.meta, e.text
FROM tenfold_entries AS e JOIN tenfold_conversations AS c ON c.key = e.conversation
WHERE e.words @> $1::integer[]`

// lookUp asks the index, which knows words and no phrases.
func (s *Store) lookUp(ctx context.Context, log *int64, r *engine.Ranking) (bool, error) {
	sql := searchSQL
	var w worder
	// Planned anew each time: how to find a word depends on how common it is.
	args := []any{pgx.QueryExecModeCacheDescribe, w.of(strings.Join(r.Query.Phrases(), " "))}
	if log != nil {
		sql, args = sql+" AND e.conversation = $2", append(args, *log)
	}
	return true, s.try(ctx, lost, func(ctx context.Context) error {
		r.Reset()
		rows, err := s.pool.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		var d row.Decoder
		for rows.Next() {
			var seq int64
			var meta []byte
			var id, text pgtype.DriverBytes // the connection's, until the next row
			if err := rows.Scan(&id, &seq, &meta, &text); err != nil {
				return err
			}
			e, err := d.Entry(seq, meta, string(text))
			if err != nil {
				return err
			}
			r.Offer(string(id), e)
		}
		return rows.Err()
	})
}
