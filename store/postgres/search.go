package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/fulltext"
	"tenfold/store/internal/row"
)

const (
	searchSQL = `
SELECT c.id, e.seq, e.meta, e.text
FROM tenfold_entries AS e JOIN tenfold_conversations AS c ON c.key = e.conversation
WHERE e.words @> $1::integer[]`
	searchOneSQL = searchSQL + ` AND e.conversation = $2`
)

// A match is a hit with what it is sorted by.
type match struct {
	store.Hit
	score float64
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
	sql := searchSQL
	var w worder
	// Planned anew each time: how to find a word depends on how common it is.
	args := []any{pgx.QueryExecModeCacheDescribe, w.of(strings.Join(query.Phrases(), " "))}
	if q.Conversation != "" {
		key, _, err := s.find(ctx, q.Conversation)
		if err != nil {
			return nil, err
		}
		sql, args = searchOneSQL, append(args, key)
	}
	if query.Empty() {
		return nil, ctx.Err()
	}
	limit := q.Limit
	if limit <= 0 {
		limit = store.DefaultLimit
	}
	var best []match
	err := s.try(ctx, lost, func(ctx context.Context) (err error) {
		best, err = s.best(ctx, query, limit, sql, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	hits := make([]store.Hit, len(best))
	for i, m := range best {
		hits[i] = m.Hit
		hits[i].Snippet = query.Snippet(tenfold.SearchText(m.Entry.Payload))
	}
	return hits, nil
}

// best holds what the index finds against the query, which knows phrases, and
// keeps the best, in order.
func (s *Store) best(ctx context.Context, q fulltext.Query, limit int, sql string, args []any) ([]match, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []match
	var words []byte
	var d row.Decoder
	for rows.Next() {
		var seq int64
		var meta []byte
		var id, text pgtype.DriverBytes // the connection's, until the next row
		if err := rows.Scan(&id, &seq, &meta, &text); err != nil {
			return nil, err
		}
		e, err := d.Entry(seq, meta, string(text))
		if err != nil {
			return nil, err
		}
		words = fulltext.AppendWords(words[:0], tenfold.SearchText(e.Payload))
		score, ok := q.Match(words)
		if !ok {
			continue
		}
		found = append(found, match{store.Hit{Conversation: string(id), Entry: e}, score})
		if len(found) >= 2*limit+1000 { // a common word must not fill the memory
			found = top(found, limit)
		}
	}
	return top(found, limit), rows.Err()
}

// top sorts matches and gives the first of them.
func top(found []match, limit int) []match {
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			b.Entry.Time.Compare(a.Entry.Time),
			cmp.Compare(b.Entry.Seq, a.Entry.Seq),
			cmp.Compare(a.Conversation, b.Conversation),
		)
	})
	first := min(len(found), limit)
	clear(found[first:])
	return found[:first]
}
