//go:build unix

package fleet

import (
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres"
)

// A stored row is an entry as the store keeps it.
type stored struct {
	id, meta, text []byte
	words          *string
}

// inserts writes the rows of the appends at full rate once more, plainly: an INSERT for
// each append, prepared, which is a transaction of its own; as many writers, a connection
// each, straight to the database. The rows have the columns of ours, and were made before.
// Bare, the table has a primary key and nothing else that an append has: no server, no
// version to compare, no row of the conversation to change, no ids to tell apart, nobody
// held to a tenant, no words to find, nobody who is told, no compactions. Indexed, it has
// the index of ids and that of words too.
func (l *load) inserts() {
	rows := map[string]stored{}
	found, err := l.pool.Query(l.t.Context(), "SELECT id, meta, text, words::text FROM tenfold_entries")
	if err != nil {
		l.t.Fatal(err)
	}
	var r stored
	if _, err := pgx.ForEachRow(found, []any{&r.id, &r.meta, &r.text, &r.words}, func() error {
		rows[string(r.id)] = r
		r = stored{}
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	l.insert("bare", "bare inserts of the same rows", "", rows)
	l.insert("indexed", "inserts with the same indexes", "; CREATE UNIQUE INDEX ON indexed (tenant_id, conversation, id); CREATE INDEX ON indexed USING gin (words)", rows)
}

func (l *load) insert(table, what, indexes string, rows map[string]stored) {
	ctx := l.t.Context()
	for _, sql := range []string{
		"CREATE TABLE " + table + " (LIKE tenfold_entries, PRIMARY KEY (tenant_id, conversation, seq))" + indexes,
		"CHECKPOINT",
	} {
		if _, err := l.pool.Exec(ctx, sql); err != nil {
			l.t.Fatal(err)
		}
	}
	sql := "INSERT INTO " + table + ` (tenant_id, conversation, seq, id, meta, text, words) SELECT 1, $1, seq, id, meta, text, words::integer[]
		FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::text[]) AS r (seq, id, meta, text, words)`
	took := make([][]time.Duration, l.writers)
	insert := func(from, to int) {
		l.each(func(w int) error {
			for n := from; n < to; n++ {
				for i := w; i < len(l.logs); i += l.writers {
					var seqs []int64
					var ids, metas, texts [][]byte
					var words []*string
					for k, e := range l.logs[i].sent[n] {
						r := rows[e.ID]
						seqs, ids, metas, texts, words = append(seqs, int64(n*10+k)), append(ids, r.id), append(metas, r.meta), append(texts, r.text), append(words, r.words)
					}
					at := time.Now()
					if _, err := l.pool.Exec(ctx, sql, i, seqs, ids, metas, texts, words); err != nil {
						return err
					}
					took[w] = append(took[w], time.Since(at))
				}
			}
			return nil
		})
	}
	begin, all := l.begin/len(l.logs), (l.begin+l.appends)/len(l.logs)
	insert(0, begin)
	clear(took)
	used, begun := l.processors(), time.Now()
	insert(begin, all)
	n := (all - begin) * len(l.logs)
	rate := float64(n) / time.Since(begun).Seconds()
	l.sortWords(table + "\\_%")
	l.compare(what, rate, used(n), took)
}

// compare tells what something came to, and how far the appends come beside it.
func (l *load) compare(what string, rate float64, u use, took [][]time.Duration) {
	l.addf(what, "%.0f/s", rate)
	l.addf("  latency", "%s", percentiles(took))
	l.addf("  processor", "%s", u)
	l.addf("  appends of them", "%.0f %%, by processors %.0f %%", 100*l.perSec/rate, 100*float64(u.all())/float64(l.spent.all()))
}

// withoutServers appends the same once more through the library, without compactions: the writers
// share as many stores as there are servers, in this process. What is missing to the
// appends is what HTTP, processes of their own, and the jobs take.
func (l *load) withoutServers() {
	ctx := l.t.Context()
	var stores []*postgres.Store
	for range l.machines {
		st, err := postgres.Open(ctx, l.direct)
		if err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { _ = st.Close() })
		stores = append(stores, st)
	}
	begin, all := l.begin/len(l.logs), (l.begin+l.appends)/len(l.logs)
	for _, g := range l.logs {
		g.id, g.version, g.batches = "again-"+g.id, 0, g.sent[:begin]
		if err := stores[0].Create(ctx, store.Conversation{ID: g.id, Created: time.Now()}); err != nil {
			l.t.Fatal(err)
		}
	}
	through := func(w int, g *growing) (err error) {
		var batch []tenfold.Entry
		batch, g.batches = g.batches[0], g.batches[1:]
		stats := store.Stats{Turns: 1, Ended: batch[0].Time}
		g.version, err = stores[w%len(stores)].Append(ctx, store.Batch{Conversation: g.id, Expected: g.version, Entries: batch, Stats: &stats, Now: time.Now()})
		return err
	}
	l.appendAll(through)
	for _, g := range l.logs {
		g.batches = g.sent[begin:all]
	}
	n := (all - begin) * len(l.logs)
	used, begun := l.processors(), time.Now()
	took := l.appendAll(through)
	rate := float64(n) / time.Since(begun).Seconds()
	l.sortWords("tenfold\\_entries\\_%")
	l.compare("appends through the library alone", rate, used(n), took)
}
