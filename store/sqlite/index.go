package sqlite

import (
	"context"
	"database/sql/driver"
	"math"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"tenfold"
	"tenfold/store/internal/fulltext"
	"tenfold/store/internal/row"
)

// indexStep is how many bytes of words one transaction indexes, or a little
// more: an append waits no longer than that takes.
const indexStep = 256 << 10

// Index brings the full-text index up to date. Search does so by itself;
// whoever has imported a lot may call it to have the first search answer at
// once.
func (s *Store) Index(ctx context.Context) error {
	if s.noIndex {
		return nil
	}
	return s.errors.Explain("index", s.catchUp(ctx, 0, math.MaxInt64))
}

// catchUp indexes what is missing of the logs with keys in a range.
func (s *Store) catchUp(ctx context.Context, first, last int64) error {
	behind := false
	err := s.read(ctx, func(c *conn) (err error) {
		_, behind, err = c.number(ctx, "SELECT 1 FROM conversations WHERE indexed < version AND key BETWEEN ? AND ? LIMIT 1", first, last)
		return err
	})
	for behind && err == nil {
		err = s.write(ctx, indexStep, func(tx *tx) (refusal, err error) {
			behind, err = tx.index(first, last)
			return nil, err
		})
	}
	return err
}

// index is a step in the background. It gives the pause before the next one.
// It does not wait for the file's lock: callers may come.
func (w *writer) index() (pause time.Duration) {
	err := w.c.begin()
	if code(err) == sqlite3.SQLITE_BUSY {
		return idleTime
	}
	if err == nil {
		if w.behind, err = (&tx{conn: w.c}).index(0, math.MaxInt64); err == nil {
			err = w.c.commit()
		}
		if err != nil {
			_ = w.c.rollback()
		}
	}
	if err != nil {
		w.behind = false // the next search tries again, and reports it
	}
	return 0
}

// A backlog is a log that the index has not seen to its end.
type backlog struct{ key, indexed, version int64 }

// maxBacklogs is how many logs one step looks at.
const maxBacklogs = 64

// index does one step on the logs with keys in a range, and reports whether
// more is missing.
func (tx *tx) index(first, last int64) (more bool, err error) {
	var logs []backlog
	err = tx.query(context.Background(), func(row []driver.Value) error {
		logs = append(logs, backlog{number(row[0]), number(row[1]), number(row[2])})
		return nil
	}, "SELECT key, indexed, version FROM conversations WHERE indexed < version AND key BETWEEN ? AND ? LIMIT ?", first, last, int64(maxBacklogs))
	if err != nil {
		return false, err
	}
	budget := indexStep
	for _, log := range logs {
		texts, reached, err := tx.words(log, budget)
		if err != nil {
			return false, err
		}
		for _, of := range texts {
			budget -= len(of.words)
			if _, err := tx.exec("INSERT INTO search (rowid, text) VALUES (?, ?)", log.key<<32|of.seq, of.words); err != nil {
				return false, err
			}
		}
		if _, err := tx.exec("UPDATE conversations SET indexed = ? WHERE key = ?", reached, log.key); err != nil {
			return false, err
		}
		if budget <= 0 {
			return true, nil
		}
	}
	return len(logs) == maxBacklogs, nil
}

// unreadWord is in the index for an entry that could not be read as it was indexed. It is
// longer than the words of any text.
var unreadWord = strings.Repeat("unread", 20)

// wordsOf are what the index keeps of an entry.
type wordsOf struct {
	seq   int64
	words string
}

// words gives the words of a log's next entries, until the budget is spent, and the seq
// that it reached.
func (tx *tx) words(log backlog, budget int) (texts []wordsOf, reached int64, err error) {
	var d row.Decoder
	var words []byte
	reached = log.indexed
	err = tx.query(context.Background(), func(values []driver.Value) error {
		seq := number(values[0]) & maxSeq
		if seq > reached+1 { // there is a gap, whatever its length
			texts = append(texts, wordsOf{reached + 1, unreadWord})
		}
		reached, words = seq, words[:0]
		if e, err := decode(&d, 0, values[1], values[2]); err == nil {
			words = fulltext.AppendWords(words, tenfold.SearchText(e.Payload))
		} else { // it must not keep the others from being found
			words = append(words, unreadWord...)
		}
		if len(words) > 1 {
			texts = append(texts, wordsOf{seq, string(words)})
		}
		if budget -= len(words); budget <= 0 {
			return errStop
		}
		return nil
	}, "SELECT key, meta, text FROM entries WHERE key > ? AND key <= ? ORDER BY key", log.key<<32|log.indexed, log.key<<32|log.version)
	if budget > 0 && reached < log.version {
		texts, reached = append(texts, wordsOf{reached + 1, unreadWord}), log.version
	}
	return texts, reached, err
}
