package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"time"

	"tenfold"
	"tenfold/store"
)

// maxSeq is where a log ends: a seq is the low half of a row's key.
const maxSeq = math.MaxUint32

// logState is what the writer knows of one log.
type logState struct {
	key     int64
	version int64
	// changed says that the row is yet to be written, with now and stats.
	changed bool
	now     time.Time
	stats   *store.Stats
	origin  *store.Origin
}

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (int64, error) {
	rows, err := newRows(b.Entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	var version int64
	err = s.write(ctx, bytesOf(rows), func(tx *tx) (refusal, err error) {
		version, refusal, err = tx.append(ctx, b, rows)
		return refusal, err
	})
	if err != nil {
		return 0, s.errors.ExplainFor("append to", b.Conversation, err)
	}
	return version, nil
}

func newRows(entries []tenfold.Entry) ([]tableRow, error) {
	rows := make([]tableRow, len(entries))
	for i, e := range entries {
		var err error
		if rows[i], err = newRow(e); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// bytesOf is about how much rows take in the file.
func bytesOf(rows []tableRow) int {
	n := 0
	for _, r := range rows {
		n += len(r.meta) + length(r.text)
	}
	return n
}

func (tx *tx) append(ctx context.Context, b store.Batch, rows []tableRow) (version int64, refusal, err error) {
	log, err := tx.log(b.Conversation)
	if err != nil {
		return 0, nil, err
	}
	if log == nil {
		return 0, store.ErrNotFound, nil
	}
	if b.Expected != store.AnyVersion && b.Expected != log.version {
		// Whoever repeats an append that came through is no rival (L9).
		for _, r := range rows {
			_, known, err := tx.number(context.Background(), "SELECT 1 FROM ids WHERE id = ? AND conversation = ?", r.id, log.key)
			if err != nil {
				return 0, nil, err
			}
			if !known {
				return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: log.version}, nil
			}
		}
		return log.version, nil, nil
	}
	if log.version+int64(len(rows)) > maxSeq {
		return 0, fmt.Errorf("the log is full: it holds %d entries", log.version), nil
	}
	was := log.version
	for i, r := range rows {
		if i%256 == 255 && ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		// Looks the id up and takes it in one go.
		fresh, err := tx.exec("INSERT INTO ids (id, conversation) VALUES (?, ?) ON CONFLICT DO NOTHING", r.id, log.key)
		if err != nil {
			return 0, nil, err
		}
		if fresh == 0 {
			continue
		}
		if _, err = tx.exec("INSERT INTO entries (key, meta, text) VALUES (?, ?, ?)", log.key<<32|(log.version+1), r.meta, r.text); err != nil {
			return 0, nil, err
		}
		log.version++
	}
	if log.version > was {
		if !log.changed {
			log.changed = true
			tx.changed = append(tx.changed, log)
		}
		if b.Now.After(log.now) { // of the batches of a transaction, in any order
			log.now = b.Now
		}
		if b.Stats != nil {
			stats := *b.Stats
			log.stats = &stats
		}
		if b.Origin != nil {
			origin := *b.Origin
			log.origin = &origin
		}
	}
	return log.version, nil, nil
}

// log gives the state of a log as the transaction sees it, nil for none.
func (tx *tx) log(id string) (*logState, error) {
	if log, ok := tx.logs[id]; ok {
		return log, nil
	}
	var log *logState
	err := tx.query(context.Background(), func(row []driver.Value) error {
		log = &logState{key: number(row[0]), version: number(row[1])}
		return nil
	}, "SELECT key, version FROM conversations WHERE id = ?", id)
	if err == nil && log != nil {
		tx.logs[id] = log
	}
	return log, err
}

// flush writes the new versions, once for each log, however many batches of
// the transaction it took. It reports whether there were any.
func (tx *tx) flush() (written bool, err error) {
	for _, log := range tx.changed {
		if log.stats != nil {
			_, err = tx.exec("UPDATE conversations SET version = ?, updated = max(ifnull(updated, ?), ifnull(?, updated)), turns = ?, tokens_before = ?, tokens_after = ?, percent = ?, ended = ? WHERE key = ?",
				log.version, nanos(log.now), nanos(log.now), int64(log.stats.Turns), int64(log.stats.TokensBefore), int64(log.stats.TokensAfter), int64(log.stats.Percent), nanos(log.stats.Ended), log.key)
		} else {
			_, err = tx.exec("UPDATE conversations SET version = ?, updated = max(ifnull(updated, ?), ifnull(?, updated)) WHERE key = ?", log.version, nanos(log.now), nanos(log.now), log.key)
		}
		if err == nil && log.origin != nil {
			_, err = tx.exec("UPDATE conversations SET origin = ?, mark = ?, tool = ?, directory = ? WHERE key = ?",
				log.origin.Key, log.origin.Mark, log.origin.Tool, log.origin.Directory, log.key)
		}
		if err != nil {
			return false, err
		}
		log.changed, log.stats, log.origin = false, nil, nil
	}
	return len(tx.changed) > 0, nil
}
