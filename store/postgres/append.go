package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"tenfold/store"
	"tenfold/store/internal/row"
	"tenfold/store/vault"
)

// appendSQL is appends to different logs: compare, swap and write in one
// statement. It gives the place in the arrays, the log's key and its version after
// of those that were written; the others' logs are not there or have another
// version. It is an error where an id is known.
//
// moved takes the rows' locks, and PostgreSQL looks at its condition again
// when it had to wait for one: of writers that expect one version, one wins
// (L8).
//
// The plan is made once a connection (parse), and not for every append: how long the
// arrays are does not enter it (T8).
const appendSQL = `
WITH moved AS (
	UPDATE tenfold_conversations AS c
	SET version = c.version + w.entries, updated = greatest(c.updated, w.updated),
		turns = coalesce(w.turns, c.turns), tokens_before = coalesce(w.before, c.tokens_before), tokens_after = coalesce(w.after, c.tokens_after), percent = coalesce(w.percent, c.percent),
		ended = CASE WHEN w.turns IS NULL THEN c.ended ELSE w.ended END,
		origin = coalesce(w.origin, c.origin), mark = coalesce(w.mark, c.mark), tool = coalesce(w.tool, c.tool), directory = coalesce(w.directory, c.directory),
		origin_hash = CASE WHEN w.origin IS NULL THEN c.origin_hash ELSE w.hash END, bytes = c.bytes + w.bytes, appended = now()
	FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
		$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::boolean[],
		$11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[], $15::bytea[], $22::bigint[])
		WITH ORDINALITY AS w (name, expected, entries, updated, turns, before, after, ended, bytes, sealed, origin, mark, tool, directory, hash, percent, nth)
	WHERE c.name = ANY ($1::bytea[]) AND c.name = w.name AND (w.expected = -1 OR c.version = w.expected) AND c.sealed = w.sealed
	RETURNING c.tenant_id, c.key, c.version, c.version - w.entries AS was, w.nth
), written AS (
	INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, text, words)
	SELECT moved.tenant_id, moved.key, moved.was + b.place, b.id, b.meta, b.text, b.words::integer[]
	FROM moved JOIN unnest($16::bigint[], $17::bigint[], $18::bytea[], $19::bytea[], $20::bytea[], $21::text[])
		AS b (nth, place, id, meta, text, words) ON b.nth = moved.nth
)
SELECT nth, key, version FROM moved`

// wholeSQL is appends of which all are written, or else it is an error: by a division by
// zero, since what follows in the same message must not be done without them.
var wholeSQL = strings.Replace(appendSQL, "SELECT nth, key, version FROM moved",
	"SELECT nth, key, version, whole FROM (SELECT 1 / (SELECT (count(*) = cardinality($1::bytea[]))::integer FROM moved) AS whole) AS checked LEFT JOIN moved ON true", 1)

// repeatSQL is an append of which something may be known (L9), to the log with
// a name and a key. It leaves that out, and gives the log's version when the
// statement began, how many entries were not known then, and the version
// after, NULL when it did not write.
//
// The ids are looked up one by one, as a scalar subquery, because a join
// could read the whole table when the planner knows too little of it.
func repeatSQL(key int64) string {
	return `
WITH log AS (
	SELECT key, version FROM tenfold_conversations WHERE name = $1 AND key = $18 AND NOT sealed
), fresh AS (
	SELECT b.id, b.meta, b.text, b.words, b.size, row_number() OVER (ORDER BY b.place) AS nth
	FROM log, unnest($7::bytea[], $8::bytea[], $9::bytea[], $10::text[], $19::bigint[])
		WITH ORDINALITY AS b (id, meta, text, words, size, place)
	WHERE (SELECT e.seq FROM ` + partition(key) + ` AS e WHERE e.conversation = log.key AND e.id = b.id) IS NULL
), counted AS (
	SELECT count(*) AS n, coalesce(sum(size), 0)::bigint AS bytes FROM fresh
), moved AS (
	UPDATE tenfold_conversations AS c
	SET version = c.version + counted.n, updated = greatest(c.updated, $3),
		turns = coalesce($4, c.turns), tokens_before = coalesce($5, c.tokens_before), tokens_after = coalesce($6, c.tokens_after), percent = coalesce($17, c.percent),
		origin = coalesce($11, c.origin), mark = coalesce($12, c.mark), tool = coalesce($13, c.tool), directory = coalesce($14, c.directory),
		ended = CASE WHEN $4::bigint IS NULL THEN c.ended ELSE $15::bigint END, bytes = c.bytes + counted.bytes,
		origin_hash = CASE WHEN $11::bytea IS NULL THEN c.origin_hash ELSE $16 END, appended = now()
	FROM counted
	WHERE c.name = $1 AND c.key = $18 AND NOT c.sealed AND counted.n > 0 AND ($2::bigint = -1 OR c.version = $2::bigint)
	RETURNING c.tenant_id, c.key, c.version, c.version - counted.n AS was
), written AS (
	INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, text, words)
	SELECT moved.tenant_id, moved.key, moved.was + fresh.nth, fresh.id, fresh.meta, fresh.text, fresh.words::integer[]
	FROM moved, fresh
)
SELECT log.version, counted.n, (SELECT version FROM moved) FROM log, counted`
}

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (version int64, err error) {
	return s.AppendIn(ctx, b, More{})
}

// AppendIn is Append with more in its transaction: nothing of either is done where one
// gives an error. More is not done where nothing is written: on a conflict, and where
// all entries are known. It may be done again, in a new transaction, where the first
// was lost.
func (s *Store) AppendIn(ctx context.Context, b store.Batch, more More) (version int64, err error) {
	c, err := newColumns(b.Entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	// An append that was lost may have come through; then its ids are known,
	// and it is a no-op when done again (L9).
	err = s.try(ctx, lost, func(ctx context.Context) error {
		return s.withKeys(ctx, func(k *keys) error {
			s.hashWords(c, k)
			return s.withPartition(ctx, indexedID(b.Conversation), func() error {
				version, err = s.append(ctx, k, b, c, more)
				return err
			})
		})
	})
	if err != nil {
		return 0, s.errors.ExplainFor("append to", b.Conversation, err)
	}
	return version, nil
}

// append runs the statement, together with other appends where it can, and only if
// that does not apply the one that finds out why. What is sealed is so for its place
// in the log: where that is not known, the log is locked first.
func (s *Store) append(ctx context.Context, k *keys, b store.Batch, c *columns, more More) (int64, error) {
	if len(c.ids) > 0 && (k.ring == nil || b.Expected != store.AnyVersion) {
		m, err := newMember(k, b, c)
		if err != nil {
			return 0, err
		}
		m.more = more
		together := c.size <= maxTogether
		if together {
			err = s.appendInGroup(ctx, m)
		}
		if !together || err != nil && ctx.Err() == nil { // the trouble of one is not that of all
			args := appendArgs(m)
			err = s.write(ctx, &m.written, more, m.read, appendSQL, args...)
		}
		if err == nil && m.written {
			s.db.wake(m.key)
			return m.version, nil
		}
		if err != nil && Code(err) != codeUnique {
			return 0, err
		}
	}
	if k.ring != nil {
		return s.appendLocked(ctx, k, b, c, more)
	}
	st := statsOf(b.Stats)
	a, err := k.aboutOf(nil, nil, b.Origin)
	if err != nil {
		return 0, err
	}
	return s.repeat(ctx, b, more, c.sizes, indexedID(b.Conversation), row.Nanos(b.Now), st.turns, st.before, st.after,
		c.ids, c.metas, c.texts, c.words, a.origin, a.mark, a.tool, a.directory, st.ended, a.hash, st.percent)
}

// stats are a batch's figures; NULL leaves those that are there.
type stats struct{ turns, before, after, percent, ended *int64 }

func statsOf(s *store.Stats) stats {
	if s == nil {
		return stats{}
	}
	return stats{new(int64(s.Turns)), new(int64(s.TokensBefore)), new(int64(s.TokensAfter)), new(int64(s.Percent)), row.Nanos(s.Ended)}
}

// appendArgs are the parameters of appendSQL.
func appendArgs(members ...*member) []any {
	var names, origins, marks, tools, directories, hashes, ids, metas, texts [][]byte
	var expected, entries, bytes, nth, places []int64
	var updated, turns, before, after, percent, ended []*int64
	var sealed []bool
	var words []*string
	for i, m := range members {
		names, expected, entries, bytes, sealed = append(names, m.name), append(expected, m.expected), append(entries, int64(len(m.ids))), append(bytes, m.size), append(sealed, m.sealed)
		updated, turns, before, after, ended = append(updated, m.now), append(turns, m.turns), append(before, m.before), append(after, m.after), append(ended, m.ended)
		percent = append(percent, m.percent)
		origins, marks, tools, directories, hashes = append(origins, m.origin), append(marks, m.mark), append(tools, m.tool), append(directories, m.directory), append(hashes, m.hash)
		ids, metas, texts, words = append(ids, m.ids...), append(metas, m.metas...), append(texts, m.texts...), append(words, m.words...)
		for place := range m.ids {
			nth, places = append(nth, int64(i+1)), append(places, int64(place+1))
		}
	}
	return []any{
		names, expected, entries, updated, turns, before, after, ended, bytes, sealed,
		origins, marks, tools, directories, hashes, nth, places, ids, metas, texts, words, percent,
	}
}

// write runs a statement that writes, and after it more where it did.
func (s *Store) write(ctx context.Context, written *bool, more More, read func(pgx.Rows) error, sql string, args ...any) error {
	if more.none() {
		return s.query(ctx, read, sql, args...)
	}
	return s.db.begin(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		err := within(tx)(ctx, read, sql, args...)
		if err == nil && *written {
			err = s.runMore(ctx, tx, more)
		}
		return err
	})
}

// repeat runs the statement that looks closer, again when what it saw at its
// start was no more so when it had the lock. Another writer got further each
// time, so that this ends.
func (s *Store) repeat(ctx context.Context, b store.Batch, more More, sizes []int64, name []byte, args ...any) (int64, error) {
	args = append([]any{name, b.Expected}, args...)
	for {
		var key int64
		there, sealed := false, false
		err := s.query(ctx, oneRow(&there, &key, &sealed), "SELECT key, sealed FROM tenfold_conversations WHERE name = $1", name)
		switch {
		case err != nil:
			return 0, err
		case !there:
			return 0, store.ErrNotFound
		case sealed:
			return 0, stale(vault.ErrNoMaster)
		}
		var was, fresh int64
		var now *int64
		found, written := false, false
		err = s.write(ctx, &written, more, func(rows pgx.Rows) error {
			err := rows.Scan(&was, &fresh, &now)
			found, written = true, now != nil
			return err
		}, repeatSQL(key), append(args[:len(args):len(args)], key, sizes)...)
		switch {
		case Code(err) == codeUnique:
			// An id became known meanwhile; the next look leaves it out (L9).
		case err != nil:
			return 0, err
		case !found:
			// It was deleted meanwhile; there may be another of its name.
		case written:
			s.db.wake(key)
			return *now, nil
		case fresh == 0:
			s.db.wake(key)  // an append that was lost on its way told nobody
			return was, nil // L9
		case b.Expected != store.AnyVersion && b.Expected != was:
			return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: was} // L8
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}
