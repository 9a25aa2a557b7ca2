package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"

	"tenfold"
	"tenfold/store"
)

// How much of a log is read at once. Between chunks no lock is held and no
// connection is in use, however long the caller takes over an entry.
const (
	chunkEntries = 1024
	chunkBytes   = 4 << 20
)

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
		var d decoder
		var chunk []tenfold.Entry
		for seq := max(after, 0); seq < version; seq += int64(len(chunk)) {
			if chunk, err = s.chunk(ctx, &d, chunk[:0], key, seq, version); err != nil {
				fail(err)
				return
			}
			for _, e := range chunk {
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

// find gives a log's key and version.
func (s *Store) find(ctx context.Context, id string) (key, version int64, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			key, version = row[0].(int64), row[1].(int64)
			return nil
		}, "SELECT key, version FROM conversations WHERE id = ?", id)
	})
	if err == nil && key == 0 {
		err = store.ErrNotFound
	}
	return key, version, err
}

// chunk appends the next entries after seq, up to version, to dst.
func (s *Store) chunk(ctx context.Context, d *decoder, dst []tenfold.Entry, key, seq, version int64) ([]tenfold.Entry, error) {
	size := 0
	err := s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			if len(dst)%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			seq++
			if row[0] != key<<32|seq {
				return fmt.Errorf("entry %d: %w", seq, errGap)
			}
			e, err := d.entry(seq, row[1], row[2])
			if err != nil {
				return fmt.Errorf("entry %d: %w", seq, err)
			}
			dst = append(dst, e)
			if size += length(row[2]); len(dst) == chunkEntries || size > chunkBytes {
				return errStop
			}
			return nil
		}, "SELECT key, meta, text FROM entries WHERE key > ? AND key <= ? ORDER BY key", key<<32|seq, key<<32|version)
	})
	return dst, err
}

func length(v driver.Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 0
}
