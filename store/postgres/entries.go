package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5/pgtype"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
)

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

var errGap = errors.New("entries are missing")

// Entries implements [store.Store].
func (s *Store) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.entries(ctx, "read", id, 0, after)
}

// entries reads a log; if only is not 0, the one with that key and no later
// one with the same id.
func (s *Store) entries(ctx context.Context, op, id string, only, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		fail := func(err error) { yield(tenfold.Entry{}, s.explainFor(op, id, err)) }
		key, version, err := s.find(ctx, id)
		if err == nil && only != 0 && key != only {
			err = store.ErrNotFound
		}
		if err != nil {
			fail(err)
			return
		}
		var d row.Decoder
		var chunk []tenfold.Entry
		for seq := max(after, 0); seq < version; seq += int64(len(chunk)) {
			if chunk, err = s.chunk(ctx, &d, chunk, key, seq, version); err != nil {
				fail(err)
				return
			}
			for _, e := range chunk {
				if err := ctx.Err(); err != nil {
					fail(err)
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			if len(chunk) > 0 {
				continue
			}
			err := fmt.Errorf("%w after the first %d of %d", errGap, seq, version)
			if now, _, e := s.find(ctx, id); e != nil || now != key {
				err = store.ErrNotFound // it was deleted meanwhile
			}
			fail(err)
			return
		}
	}
}

// chunk reads the next entries after seq, up to version; it may use what dst
// has room for.
func (s *Store) chunk(ctx context.Context, d *row.Decoder, dst []tenfold.Entry, key, seq, version int64) ([]tenfold.Entry, error) {
	err := s.try(ctx, lost, func(ctx context.Context) error {
		dst = dst[:0]
		rows, err := s.pool.Query(ctx, chunkSQL, key, seq, version, chunkEntries, chunkBytes)
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
				return fmt.Errorf("entry %d: %w", want, errGap)
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
