package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/row"
)

// How much of a log is read at once. Between chunks no lock is held and no
// connection is in use, however long the caller takes over an entry.
const (
	chunkEntries = 1024
	chunkBytes   = 4 << 20
)

// listSQL lists conversations. The index of origins asks for its own condition,
// whatever the key turns out to be.
var listSQL = [...]string{
	engine.All:      selectSQL,
	engine.ByID:     selectSQL + "WHERE id = ?",
	engine.ByOrigin: selectSQL + "WHERE origin <> '' AND origin = ?",
	engine.ByHandle: selectSQL + "WHERE handle = ? OR handle IS NULL",
}

const selectSQL = "SELECT id, title, created, updated, version, turns, tokens_before, tokens_after, origin, mark, tool, directory, ended, percent FROM conversations "

// pageSQL lists the conversations behind a place.
const pageSQL = selectSQL + "WHERE (place, id) > (?, ?) ORDER BY place, id LIMIT ?"

// Page implements [store.Store].
func (s *Store) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	place, id := int64(math.MinInt64), ""
	if after != nil {
		place, id = math.MaxInt64, after.ID
		if at := row.Nanos(after.Updated); at != nil {
			place = -*at
		}
	}
	found, err := s.conversations(ctx, pageSQL, place, id, int64(max(limit, 0)))
	return found, s.errors.Explain("list conversations", err)
}

// prefixSQL finds ids by how they begin; there are texts after those in all cases but one.
const prefixSQL = selectSQL + "WHERE id >= ? AND id < ? LIMIT ?"

// WithPrefix implements [store.Store].
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) (found []store.Conversation, err error) {
	if after := engine.AfterPrefix([]byte(prefix)); after != nil {
		found, err = s.conversations(ctx, prefixSQL, prefix, string(after), int64(max(limit, 0)))
	} else {
		found, err = s.conversations(ctx, selectSQL+"WHERE id >= ? LIMIT ?", prefix, int64(max(limit, 0)))
	}
	return found, s.errors.Explain("list conversations", err)
}

func (s *Store) list(ctx context.Context, by engine.Filter, value string) ([]store.Conversation, error) {
	switch by {
	case engine.All:
		return s.conversations(ctx, listSQL[by])
	case engine.ByHandle:
		return s.withHandle(ctx, value)
	}
	return s.conversations(ctx, listSQL[by], value)
}

// withHandle gives those that were stored without a handle theirs, once. Where they
// cannot be written they are looked at again the next time.
func (s *Store) withHandle(ctx context.Context, handle string) ([]store.Conversation, error) {
	n, _ := store.ParseHandle(handle)
	all, err := s.conversations(ctx, listSQL[engine.ByHandle], n)
	found := slices.DeleteFunc(slices.Clone(all), func(c store.Conversation) bool { return store.Handle(c.ID) != handle })
	if len(found) == len(all) {
		return found, err
	}
	err = s.write(ctx, 0, func(tx *tx) (refusal, err error) {
		for _, c := range all {
			if _, err := tx.exec("UPDATE conversations SET handle = ? WHERE id = ? AND handle IS NULL", store.HandleNumber(c.ID), c.ID); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if cannotWrite(err) {
		err = nil
	}
	return found, err
}

func (s *Store) conversations(ctx context.Context, query string, args ...any) (found []store.Conversation, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			found = append(found, store.Conversation{
				ID:      text(row[0]),
				Title:   text(row[1]),
				Created: fromNanos(row[2]),
				Updated: fromNanos(row[3]),
				Version: number(row[4]),
				Stats: store.Stats{
					Turns:        int(number(row[5])),
					TokensBefore: int(number(row[6])),
					TokensAfter:  int(number(row[7])),
					Percent:      int(number(row[13])),
					Ended:        fromNanos(row[12]),
				},
				Origin: store.Origin{Key: text(row[8]), Mark: text(row[9]), Tool: text(row[10]), Directory: text(row[11])},
			})
			return nil
		}, query, args...)
	})
	return found, err
}

func (s *Store) find(ctx context.Context, id string) (key, version int64, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			key, version = number(row[0]), number(row[1])
			return nil
		}, "SELECT key, version FROM conversations WHERE id = ?", id)
	})
	if err == nil && key == 0 {
		err = store.ErrNotFound
	}
	return key, version, err
}

func (s *Store) chunk(ctx context.Context, d *row.Decoder, dst []tenfold.Entry, key, seq, last int64) ([]tenfold.Entry, error) {
	size := 0
	err := s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			if len(dst)%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			seq++
			if row[0] != key<<32|seq {
				return fmt.Errorf("entry %d: %w", seq, engine.ErrGap)
			}
			e, err := decode(d, seq, row[1], row[2])
			if err != nil {
				return &engine.EntryError{Seq: seq, Err: err}
			}
			dst = append(dst, e)
			if size += length(row[2]); len(dst) == chunkEntries || size > chunkBytes {
				return errStop
			}
			return nil
		}, "SELECT key, meta, text FROM entries WHERE key > ? AND key <= ? ORDER BY key", key<<32|seq, key<<32|last)
	})
	return dst, err
}

// lookUp asks the index, once it is up to date. A query reaches SQLite as an
// argument that holds quoted words and nothing else, so that it can be no
// operator.
func (s *Store) lookUp(ctx context.Context, log *int64, r *engine.Ranking) (bool, error) {
	if s.noIndex {
		return false, nil
	}
	first, last := int64(0), int64(math.MaxInt64>>32)
	if log != nil {
		first, last = *log, *log
	}
	if err := s.catchUp(ctx, first, last); err != nil {
		// An index that cannot be written, on a full disk say, lacks entries;
		// the logs do not.
		if cannotWrite(err) {
			err = nil
		}
		return false, err
	}
	expr := `"` + strings.Join(r.Query.Phrases(), `" "`) + `"`
	var d row.Decoder
	return true, s.read(ctx, func(c *conn) error {
		matching := func(expr string, limit int, known bool) error {
			return c.query(ctx, func(row []driver.Value) error {
				seq := number(row[1]) & maxSeq
				e, err := decode(&d, seq, row[2], row[3])
				if row[2] == nil {
					err = engine.ErrGap
				}
				if rank, _ := row[4].(float64); err != nil {
					r.Skip(text(row[0]), &engine.EntryError{Seq: seq, Err: err})
				} else if known {
					r.Add(text(row[0]), e, -rank) // the least rank is the best
				}
				return nil
			}, `
			SELECT c.id, hit.key, e.meta, e.text, hit.rank
			FROM (SELECT rowid AS key, rank FROM search
				WHERE search MATCH ? AND rowid BETWEEN ? AND ?
				ORDER BY rank, rowid DESC LIMIT ?) AS hit
			LEFT JOIN entries AS e ON e.key = hit.key
			JOIN conversations AS c ON c.key = hit.key >> 32`, expr, first<<32, last<<32|maxSeq, int64(limit))
		}
		if err := matching(expr, r.Limit, true); err != nil {
			return err
		}
		return matching(unreadWord, mostUnread, false) // those that may have matched
	})
}

// mostUnread is how many entries are counted at most of those that the index could not
// read.
const mostUnread = 1000

// pollTime is how often a store that is watched looks whether another process
// wrote. SQLite tells nobody.
const pollTime = 100 * time.Millisecond

// poll wakes all watchers when anybody wrote. It has a connection of its own:
// what PRAGMA data_version gives changes when another connection commits.
func (s *Store) poll(ctx context.Context) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	var c *conn
	last := int64(-1) // the first look wakes them: it is what later ones are held against
	for {
		if c == nil {
			// Who cannot look now tries again; watchers meet the same trouble
			// when they read, and tell.
			c, _ = s.dialReader(ctx)
		}
		if c != nil && c.once {
			_ = c.close()
			c = nil
			s.hub.WakeAll() // it cannot tell what others write
		}
		if c != nil {
			if v, ok, err := c.number(ctx, "PRAGMA data_version"); err == nil && ok && v != last {
				last = v
				s.hub.WakeAll()
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if c != nil {
				_ = c.close()
			}
			return
		}
	}
}
