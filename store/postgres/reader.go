package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

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
	engine.ByOrigin: selectSQL + "WHERE origin_hash = ANY($1::bytea[])",
	engine.ByHandle: selectSQL + "WHERE handle = $1",
}

const selectSQL = "SELECT name, sealed, id, title, created, updated, version, turns, tokens_before, tokens_after, origin, mark, tool, directory, ended, percent FROM tenfold_conversations "

func (s *Store) list(ctx context.Context, by engine.Filter, value string) (found []store.Conversation, err error) {
	strict := by == engine.ByID || by == engine.ByOrigin // it is asked for
	return s.conversations(ctx, strict, func(c store.Conversation) bool { return by != engine.ByOrigin || c.Origin.Key == value },
		listSQL[by], func(k *keys) []any {
			switch by {
			case engine.ByID:
				return []any{indexedID(value)}
			case engine.ByOrigin:
				return []any{k.hashes(value)}
			case engine.ByHandle:
				handle, _ := store.ParseHandle(value)
				return []any{handle}
			}
			return nil
		})
}

// conversations gives those of a query that are to be kept. Unless it is strict, one that
// cannot be opened by the newest keys has a fault.
func (s *Store) conversations(ctx context.Context, strict bool, keep func(store.Conversation) bool, sql string, args func(*keys) []any) (found []store.Conversation, err error) {
	err = s.try(ctx, lost, func(ctx context.Context) error {
		return s.withNewest(ctx, func(k *keys, newest bool) error {
			found = found[:0]
			return s.query(ctx, func(rows pgx.Rows) error {
				c, damage, err := k.conversation(rows)
				switch {
				case damage != nil && (strict || errors.Is(damage, errStale) && !newest):
					return fmt.Errorf("conversation %s: %w", c.ID, damage)
				case damage != nil:
					c.Fault = damage.Error()
				}
				if err == nil && keep(c) {
					found = append(found, c)
				}
				return err
			}, sql, args(k)...)
		})
	})
	return found, err
}

// pageSQL lists the conversations behind a place. The index of minutes gives those of a
// minute together, which are then sorted.
const pageSQL = selectSQL + `WHERE minute <= $1 AND (minute < $1 OR coalesce(updated, ` + noTime + `) < $2 OR coalesce(updated, ` + noTime + `) = $2 AND name > $3)
ORDER BY minute DESC, coalesce(updated, ` + noTime + `) DESC, name LIMIT $4`

// noTime is the first of all times in nanoseconds: no conversation has it.
const noTime = "-9223372036854775808"

// Page implements [store.Store].
func (s *Store) Page(ctx context.Context, after *store.Place, limit int) (found []store.Conversation, err error) {
	minute, nanos, name := int64(math.MaxInt64), int64(math.MaxInt64), []byte{}
	if after != nil {
		nanos, name = math.MinInt64, indexedID(after.ID)
		if at := row.Nanos(after.Updated); at != nil {
			nanos = *at
		}
		minute = nanos / int64(time.Minute)
	}
	found, err = s.conversations(ctx, false, func(store.Conversation) bool { return true }, pageSQL,
		func(*keys) []any { return []any{minute, nanos, name, max(limit, 0)} })
	return found, s.errors.Explain("list conversations", err)
}

// prefixSQL finds ids by how they begin, between that and the next text that does
// not begin with it.
const prefixSQL = selectSQL + "WHERE name >= $1 AND name < $2 LIMIT $3"

// afterNames is after all names: they are shorter.
var afterNames = bytes.Repeat([]byte{0xff}, maxShort+2)

// WithPrefix implements [store.Store].
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) (found []store.Conversation, err error) {
	// What names begin with of ids that are too long for them: see indexedID.
	first := []byte(prefix[:min(len(prefix), maxShort-sha256.Size+1)])
	most := new(max(limit, 0))
	if len(first) < len(prefix) { // some of those may begin otherwise behind that
		most = nil
	}
	after := engine.AfterPrefix(first)
	if after == nil {
		after = afterNames
	}
	found, err = s.conversations(ctx, false, func(c store.Conversation) bool { return strings.HasPrefix(c.ID, prefix) }, prefixSQL,
		func(*keys) []any { return []any{first, after, most} })
	found = found[:min(len(found), max(limit, 0))]
	return found, s.errors.Explain("list conversations", err)
}

// conversation reads a row. What keeps its title and origin from being opened is damage.
func (k *keys) conversation(rows pgx.Rows) (c store.Conversation, damage, err error) {
	var name, id []byte
	var sealed bool
	var a about
	var created, updated, ended *int64
	var turns, before, after, percent int64
	err = rows.Scan(&name, &sealed, &id, &a.title, &created, &updated, &c.Version, &turns, &before, &after, &a.origin, &a.mark, &a.tool, &a.directory, &ended, &percent)
	if err != nil {
		return c, nil, err
	}
	c.ID = string(id)
	if c.Title, c.Origin, damage = k.open(name, sealed, a); damage != nil {
		c.Title, c.Origin = "", store.Origin{}
	}
	c.Created, c.Updated = row.FromNanos(created), row.FromNanos(updated)
	c.Stats = store.Stats{Turns: int(turns), TokensBefore: int(before), TokensAfter: int(after), Percent: int(percent), Ended: row.FromNanos(ended)}
	return c, damage, nil
}

func (s *Store) find(ctx context.Context, id string) (key, version int64, err error) {
	err = s.try(ctx, lost, func(ctx context.Context) error {
		key, version, err = s.findNow(ctx, indexedID(id))
		return err
	})
	return key, version, err
}

// findNow is one attempt of find.
func (s *Store) findNow(ctx context.Context, name []byte) (key, version int64, err error) {
	var found bool
	err = s.query(ctx, oneRow(&found, &key, &version), "SELECT key, version FROM tenfold_conversations WHERE name = $1", name)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return key, version, err
}

// How much of a log is read at once. Between chunks no connection is in use,
// however long the caller takes over an entry.
const (
	chunkEntries = 1024
	chunkBytes   = 2 << 20
	// chunkDecoded is how long what was compressed may become.
	chunkDecoded = 8 << 20
)

var errEnough = errors.New("the chunk is long enough")

// partition names the table that holds the entries of a conversation. What
// reads one log names it: a plan over all partitions, once it is kept, locks
// each of them whenever it runs.
func partition(key int64) string {
	month := key >> 40
	return fmt.Sprintf("tenfold_entries_%d_%02d", 2020+month/12, 1+month%12)
}

// chunkSQL reads the next entries of a log, until they are chunkBytes long;
// the sizes are known without reading the texts. What may be sealed is read with the
// name of its log.
func chunkSQL(key int64, named bool) string {
	name := ""
	if named {
		name = ", (SELECT name FROM tenfold_conversations WHERE key = $1)"
	}
	return `
SELECT seq, meta, text` + name + ` FROM (
	SELECT seq, meta, text, sum(coalesce(octet_length(text), 0) + octet_length(meta)) OVER (ORDER BY seq) - coalesce(octet_length(text), 0) AS before
	FROM (
		SELECT seq, meta, text FROM ` + partition(key) + `
		WHERE conversation = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4
	) AS next
) AS sized
WHERE before <= $5 ORDER BY seq`
}

func (s *Store) chunk(ctx context.Context, d *row.Decoder, dst []tenfold.Entry, key, seq, last int64) ([]tenfold.Entry, error) {
	err := s.try(ctx, lost, func(ctx context.Context) error {
		err := s.withKeys(ctx, func(k *keys) error {
			dst = dst[:0]
			want, size := seq, 0
			open := opener{keys: k}
			return s.query(ctx, func(rows pgx.Rows) error {
				want++
				var got int64
				var meta []byte
				var text, name pgtype.DriverBytes // the connection's, until the next row
				into := []any{&got, &meta, &text, &name}
				if k.ring == nil {
					into = into[:3]
				}
				if err := rows.Scan(into...); err != nil {
					return err
				}
				if got != want {
					return fmt.Errorf("entry %d: %w", want, engine.ErrGap)
				}
				e, n, err := open.entry(d, name, got, meta, text)
				if err != nil {
					return &engine.EntryError{Seq: got, Err: err}
				}
				dst = append(dst, e)
				if size += n; size > chunkDecoded {
					return errEnough
				}
				return nil
			}, chunkSQL(key, k.ring != nil), key, seq, last, chunkEntries, chunkBytes)
		})
		if errors.Is(err, errEnough) || Code(err) == codeNoTable { // where its month is gone, so is it
			return nil
		}
		return err
	})
	return dst, err
}

// A round of a search reads the newest entries that it has not read, where the newest
// conversations are those that began last. Texts are read of those alone: what has all
// the words is found in a fraction of the time that its text takes. The sums keep the
// planner from walking through all that there is in this order.
//
// Texts are read by where their rows are, and each by itself (OFFSET 0): in a partition
// that is not yet analysed the planner takes all logs for short, and would read a whole
// one for each of its entries. What is found and its text are of one snapshot.
const (
	roundStart = `
WITH found AS MATERIALIZED (SELECT e.conversation, e.seq, e.ctid AS at FROM tenfold_found AS e WHERE `
	roundMiddle = ` ORDER BY e.conversation + 0 DESC, e.seq + 0 DESC LIMIT $3)
SELECT c.id, c.name, found.conversation, found.seq, e.meta, e.text FROM found
CROSS JOIN LATERAL (SELECT e.meta, e.text FROM tenfold_entries AS e WHERE e.ctid = found.at AND e.conversation = `
	roundEnd = ` OFFSET 0) AS e
CROSS JOIN LATERAL (SELECT c.id, c.name FROM tenfold_conversations AS c WHERE c.key = found.conversation OFFSET 0) AS c`
	searchSQL    = roundStart + "(e.conversation + 0, e.seq + 0) < ($1, $2)" + roundMiddle + "found.conversation" + roundEnd
	searchOneSQL = roundStart + "e.conversation = $1 AND e.seq + 0 < $2" + roundMiddle + "$1" + roundEnd
)

// mostRanked is how many entries the first round reads; each other reads several times
// as many, and is there for phrases alone, whose words the index may know of many.
const mostRanked, roundGrows = 2000, 4

// seekSQL sets what tenfold_found holds. The planner does not know how common
// the words are, and might rather read everything.
const seekSQL = `
SELECT set_config('tenfold.words', $1, true), set_config('plan_cache_mode', 'force_custom_plan', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

// searchIndex asks the index, which knows words and no phrases.
func (s *Store) searchIndex(ctx context.Context, log *int64, r *engine.Ranking) (bool, error) {
	known := true
	err := s.try(ctx, lost, func(ctx context.Context) error {
		return s.withNewest(ctx, func(k *keys, newest bool) error {
			r.Reset()
			if known = !k.converting; !known {
				return nil // some words are hashed as before, some are not
			}
			last := place{math.MaxInt64, math.MaxInt64}
			sql := searchSQL
			if log != nil {
				last.conversation, sql = *log, searchOneSQL
			}
			for n := max(mostRanked, 2*r.Limit); ; n *= roundGrows {
				read, err := s.rankBefore(ctx, k, newest, r, sql, &last, n)
				if err != nil || read < n || r.Full() {
					return err
				}
			}
		})
	})
	return known, err
}

// A place is that of an entry.
type place struct{ conversation, seq int64 }

// rankBefore offers at most n entries before a place, and moves that to the last of them.
// What newer keys may open is an error, unless k are the newest.
func (s *Store) rankBefore(ctx context.Context, k *keys, newest bool, r *engine.Ranking, sql string, last *place, n int) (read int, err error) {
	var b pgx.Batch
	b.Queue(tenantSQL, s.setting)
	if k.ring == nil {
		b.Queue("SELECT tenfold_plain()")
	}
	b.Queue(seekSQL, s.wordHasher(k).hashArray(strings.Join(r.Query.Phrases(), " ")))
	b.Queue(sql, last.conversation, last.seq, n)
	var d row.Decoder
	open := opener{keys: k}
	first := *last
	err = s.send(ctx, s.db.pool, &b, func(rows pgx.Rows) error {
		var at place
		var meta []byte
		var id, name, text pgtype.DriverBytes // the connection's, until the next row
		if err := rows.Scan(&id, &name, &at.conversation, &at.seq, &meta, &text); err != nil {
			return err
		}
		e, _, err := open.entry(&d, name, at.seq, meta, text)
		switch {
		case err == nil:
			r.Offer(string(id), e)
		case errors.Is(err, errStale) && !newest:
			return err
		default:
			r.Skip(string(id), &engine.EntryError{Seq: at.seq, Err: err})
		}
		if read++; read == 1 || cmp.Or(cmp.Compare(at.conversation, first.conversation), cmp.Compare(at.seq, first.seq)) < 0 {
			first = at
		}
		return nil
	})
	*last = first
	return read, err
}
