package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"math"
	"slices"
	"strings"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/fulltext"
)

// A match is a hit with what it is sorted by.
type match struct {
	store.Hit
	rank float64 // the least is the best
}

// Search implements [store.Store].
func (s *Store) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := s.search(ctx, q)
	if err != nil && q.Conversation != "" {
		return nil, s.explainFor("search", q.Conversation, err)
	}
	return hits, s.explain("search", err)
}

func (s *Store) search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	query := fulltext.Parse(q.Text)
	limit := q.Limit
	if limit <= 0 {
		limit = store.DefaultLimit
	}
	first, last := int64(0), int64(math.MaxInt64)
	if q.Conversation != "" {
		key, _, err := s.find(ctx, q.Conversation)
		if err != nil {
			return nil, err
		}
		first, last = key<<32, key<<32|maxSeq
	}
	if query.Empty() {
		return nil, ctx.Err()
	}
	look := s.scan
	if !s.noIndex {
		switch err := s.catchUp(ctx, first>>32, last>>32); {
		case err == nil:
			look = s.lookUp
		case code(err) == 0: // not SQLite's: cancelled, or closed
			return nil, err
		}
		// An index that cannot be written, on a full disk say, lacks entries;
		// the logs do not.
	}
	matches, err := look(ctx, query, first, last, limit)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(matches, func(a, b match) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			b.Entry.Time.Compare(a.Entry.Time),
			cmp.Compare(b.Entry.Seq, a.Entry.Seq),
		)
	})
	hits := make([]store.Hit, min(len(matches), limit))
	for i := range hits {
		hits[i] = matches[i].Hit
		hits[i].Snippet = query.Snippet(tenfold.SearchText(hits[i].Entry.Payload))
	}
	return hits, nil
}

// lookUp asks the index. A query reaches SQLite as an argument that holds
// quoted words and nothing else, so that it can be no operator.
func (s *Store) lookUp(ctx context.Context, q fulltext.Query, first, last int64, limit int) ([]match, error) {
	expr := `"` + strings.Join(q.Phrases(), `" "`) + `"`
	return s.matches(ctx, func(m match, _ []byte) (match, bool) { return m, true }, `
		SELECT c.id, e.key, e.meta, e.text, hit.rank
		FROM (SELECT rowid AS key, rank FROM search
			WHERE search MATCH ? AND rowid BETWEEN ? AND ?
			ORDER BY rank, rowid DESC LIMIT ?) AS hit
		JOIN entries AS e ON e.key = hit.key
		JOIN conversations AS c ON c.key = hit.key >> 32`, expr, first, last, int64(limit))
}

// scan reads every entry, for a store without an index.
func (s *Store) scan(ctx context.Context, q fulltext.Query, first, last int64, _ int) ([]match, error) {
	return s.matches(ctx, func(m match, words []byte) (match, bool) {
		words = fulltext.AppendWords(words[:0], tenfold.SearchText(m.Entry.Payload))
		score, ok := q.Match(words)
		m.rank = -score
		return m, ok
	}, `
		SELECT c.id, e.key, e.meta, e.text, 0.0
		FROM entries AS e JOIN conversations AS c ON c.key = e.key >> 32
		WHERE e.key BETWEEN ? AND ?`, first, last)
}

// matches reads rows of a conversation's id, a key, an entry and a rank.
func (s *Store) matches(ctx context.Context, keep func(match, []byte) (match, bool), sql string, args ...any) ([]match, error) {
	var found []match
	var words []byte
	var d decoder
	err := s.read(ctx, func(c *conn) error {
		return c.query(ctx, func(row []driver.Value) error {
			e, err := d.entry(row[1].(int64)&maxSeq, row[2], row[3])
			if err != nil {
				return err
			}
			m := match{Hit: store.Hit{Conversation: row[0].(string), Entry: e}, rank: row[4].(float64)}
			if m, ok := keep(m, words); ok {
				found = append(found, m)
			}
			return nil
		}, sql, args...)
	})
	return found, err
}
