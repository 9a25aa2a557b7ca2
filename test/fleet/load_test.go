//go:build unix

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenfold"
	"tenfold/store"
	"tenfold/store/remote"
)

// A size is how much load there is.
type size struct {
	conversations, writers, machines int
	// appends are how many there are at full rate, and steady as many at half of it. So
	// many to begin with are not measured: connections plan their statements at first, and
	// processes ask the system for memory.
	begin, appends, steady int
}

var (
	whole = size{conversations: 2000, writers: 16, machines: 4, begin: 6000, appends: 24_000, steady: 8_000}
	small = size{conversations: 40, writers: 4, machines: 2, begin: 80, appends: 240, steady: 80}
)

// Figures are what a load came to.
type figures struct {
	rows [][2]string
}

func (f *figures) addf(what, format string, args ...any) {
	f.rows = append(f.rows, [2]string{what, fmt.Sprintf(format, args...)})
}

func (f *figures) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range f.rows {
		fmt.Fprintf(w, "%s\t%s\n", r[0], r[1])
	}
	_ = w.Flush()
	return b.String()
}

// Appends of many writers through many servers, compactions all the while, against
// plain inserts of the same rows in the same run (issue 20). In CI it shows that it
// works; the figures need a machine of their own.
func TestLoad(t *testing.T) {
	t.Parallel()
	n := small
	if os.Getenv("TENFOLD_TEST_FLEET_LOAD") != "" {
		n = whole
	}
	settings := []string{"shared_buffers=512MB", "max_wal_size=4GB", "fsync=on", "full_page_writes=on"}
	if n == small {
		settings = nil
	}
	if profiled() {
		settings = append(settings, "shared_preload_libraries=pg_stat_statements")
	}
	f := newFleet(t, n.machines, true, settings...)
	l := &load{fleet: f, size: n, figures: &figures{}}
	l.open()
	l.full()
	l.half()
	l.inserts()
	l.space()
	l.burst()
	l.rivers()
	l.withoutServers()
	t.Logf("\n%s", l.figures)
}

// A load is one run.
type load struct {
	*fleet
	size
	*figures
	stores []*remote.Store
	logs   []*growing
	pool   *pgxpool.Pool // past the servers
	perSec float64
	spent  use // by an append at full rate
}

// A growing log has one writer, who knows its version.
type growing struct {
	*agent
	id      string
	version int64
	before  int      // tokens of it all
	tokens  int      // that a model sees, about
	waiting []string // calls without a result
	batches [][]tenfold.Entry
	sent    [][]tenfold.Entry // batches as well
}

// next gives what its agent appends next: a turn, what the model answers, or a result.
func (g *growing) next() []tenfold.Entry {
	var batch []tenfold.Entry
	switch {
	case len(g.waiting) > 0:
		batch, g.waiting = []tenfold.Entry{g.result(g.waiting[0])}, g.waiting[1:]
	case g.random.IntN(8) == 0:
		batch = g.ask()
	default:
		batch, g.waiting = g.step()
	}
	return g.dated(batch)
}

// large gives what it appends to have a view that is too large, and not by its end alone.
func (g *growing) large() (batch []tenfold.Entry) {
	for _, call := range g.waiting {
		batch = append(batch, g.result(call))
	}
	answer, calls := g.step()
	batch, g.waiting = append(batch, answer...), nil
	for _, call := range calls {
		batch = append(batch, g.entry(tenfold.ToolResult{CallID: call, Parts: tenfold.Text(g.text(5 * due))}))
	}
	return g.dated(append(batch, g.entry(tenfold.AssistantMessage{Text: g.text(2 * due)})))
}

func (g *growing) dated(batch []tenfold.Entry) []tenfold.Entry {
	for i := range batch {
		batch[i].Time = time.Unix(1_800_000_000+int64(g.n), 0).UTC()
		batch[i].Tokens = tenfold.CountPayload(tenfold.Chars4{}, batch[i].Payload)
	}
	return batch
}

// prepare makes what will be appended, so that making it costs nothing while it is
// measured.
func (l *load) prepare(appends int) {
	for i := range appends {
		g := l.logs[i%len(l.logs)]
		g.batches = append(g.batches, g.next())
	}
}

func (l *load) open() {
	ctx := l.t.Context()
	var err error
	if l.pool, err = pgxpool.New(ctx, l.direct+"&pool_max_conns=16"); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(l.pool.Close)
	// One tenant has the fleet for itself.
	if _, err := l.pool.Exec(ctx, "UPDATE tenfold_tenants SET jobs_at_once = 64 WHERE id = 1"); err != nil {
		l.t.Fatal(err)
	}
	for i := range l.writers {
		st, err := remote.Open(l.servers[i%len(l.servers)].address(), l.token)
		if err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { _ = st.Close() })
		l.stores = append(l.stores, st)
	}
	for i := range l.conversations {
		name := fmt.Sprintf("conversation-%05d", i)
		l.logs = append(l.logs, &growing{agent: newAgent(name, 1), id: name})
	}
	if sql := os.Getenv("TENFOLD_TEST_FLEET_SQL"); sql != "" { // to try another schema
		if _, err := l.pool.Exec(ctx, sql); err != nil {
			l.t.Fatal(err)
		}
	}
	begun := time.Now()
	l.each(func(w int) error {
		for i := w; i < len(l.logs); i += l.writers {
			g := l.logs[i]
			c := store.Conversation{ID: g.id, Title: g.text(40), Created: time.Now()}
			if err := l.stores[w].Create(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	l.addf("conversations made", "%d, %.0f/s", l.conversations, float64(l.conversations)/time.Since(begun).Seconds())
}

// each has every writer do something at once.
func (l *load) each(do func(w int) error) {
	l.t.Helper()
	var all sync.WaitGroup
	for w := range l.writers {
		all.Go(func() {
			if err := do(w); err != nil {
				l.t.Errorf("writer %d: %v", w, err)
			}
		})
	}
	if all.Wait(); l.t.Failed() {
		l.t.FailNow()
	}
}

// append has a log go on by its next batch.
func (l *load) append(ctx context.Context, w int, g *growing) error {
	batch := g.batches[0]
	g.batches = g.batches[1:]
	for _, e := range batch {
		g.before, g.tokens = g.before+e.Tokens, g.tokens+e.Tokens
	}
	for {
		stats := store.Stats{Turns: 1, TokensBefore: g.before, TokensAfter: g.tokens, Ended: batch[0].Time}
		v, err := l.stores[w].Append(ctx, store.Batch{Conversation: g.id, Expected: g.version, Entries: batch, Stats: &stats, Now: time.Now()})
		if conflict := (*store.ConflictError)(nil); errors.As(err, &conflict) { // a compaction came first
			g.version, g.tokens = conflict.Actual, due/4
			continue
		}
		if err != nil {
			return err
		}
		g.sent, g.version = append(g.sent, batch), v
		return nil
	}
}

// appendAll has every writer append what its logs have prepared, as fast as it goes.
func (l *load) appendAll(do func(w int, g *growing) error) (took [][]time.Duration) {
	took = make([][]time.Duration, l.writers)
	l.each(func(w int) error {
		for round := true; round; {
			round = false
			for i := w; i < len(l.logs); i += l.writers {
				if g := l.logs[i]; len(g.batches) > 0 {
					at := time.Now()
					if err := do(w, g); err != nil {
						return err
					}
					took[w], round = append(took[w], time.Since(at)), true
				}
			}
		}
		return nil
	})
	return took
}

// full appends as fast as it goes.
func (l *load) full() {
	through := func(w int, g *growing) error { return l.append(l.t.Context(), w, g) }
	l.prepare(l.begin)
	l.appendAll(through)
	l.prepare(l.appends)
	entries := 0
	for _, g := range l.logs {
		for _, b := range g.batches {
			entries += len(b)
		}
	}
	mark := l.now()
	stopped, used := l.profile("full"), l.processors()
	begun := time.Now()
	took := l.appendAll(through)
	l.perSec = float64(l.appends) / time.Since(begun).Seconds()
	l.sortWords("tenfold\\_entries\\_%")
	l.spent = used(l.appends)
	stopped()
	l.addf("appends", "%d of %.1f entries, %.0f/s", l.appends, float64(entries)/float64(l.appends), l.perSec)
	l.addf("  latency", "%s", percentiles(took))
	l.addf("  processor", "%s", l.spent)
	l.addf("  jobs meanwhile", "%s", l.jobsSince(mark))
}

// sortWords sorts into the indexes of words of some tables what waits.
func (l *load) sortWords(tables string) {
	if _, err := l.pool.Exec(l.t.Context(), `SELECT gin_clean_pending_list(c.oid) FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam
		WHERE a.amname = 'gin' AND c.relkind = 'i' AND c.relname LIKE $1`, tables); err != nil {
		l.t.Fatal(err)
	}
}

// half appends at half of that rate: a writer begins each at its time, and waiting for
// the one before counts.
func (l *load) half() {
	l.prepare(l.steady)
	mark := l.now()
	every := time.Duration(float64(time.Second) * 2 * float64(l.writers) / l.perSec)
	took := make([][]time.Duration, l.writers)
	used := l.processors()
	begun := time.Now()
	l.each(func(w int) error {
		at := begun.Add(every * time.Duration(w) / time.Duration(l.writers))
		for round := true; round; {
			round = false
			for i := w; i < len(l.logs); i += l.writers {
				if g := l.logs[i]; len(g.batches) > 0 {
					time.Sleep(time.Until(at))
					if err := l.append(l.t.Context(), w, g); err != nil {
						return err
					}
					took[w], round = append(took[w], time.Since(at)), true
					at = at.Add(every)
				}
			}
		}
		return nil
	})
	rate, spent := float64(l.steady)/time.Since(begun).Seconds(), used(l.steady)
	l.addf("appends at half rate", "%.0f/s", rate)
	l.addf("  latency", "%s", percentiles(took))
	l.addf("  processor", "%v, %.0f %% of those there are", spent, 100*rate*spent.all().Seconds()/float64(runtime.NumCPU()))
	l.addf("  jobs meanwhile", "%s", l.jobsSince(mark))
}

func percentiles(all [][]time.Duration) string {
	took := slices.Concat(all...)
	slices.Sort(took)
	at := func(share float64) time.Duration {
		return took[min(len(took)-1, int(share*float64(len(took))))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %v, p99 %v, most %v", at(0.5), at(0.99), took[len(took)-1].Round(10*time.Microsecond))
}

// jobsSince tells of the jobs that were enqueued since, by the database's clock, and have
// compacted: from the append that made one due to the overlay, committed.
func (l *load) jobsSince(mark time.Time) string {
	var n, compacted int
	var half, most, rate float64
	err := l.pool.QueryRow(l.t.Context(), `SELECT count(*), count(*) FILTER (WHERE outcome = 'compacted'), coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY took), 0), coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY took), 0),
		coalesce(count(*) / nullif(extract(epoch FROM max(finalized_at) - min(created_at)), 0), 0)::float8
		FROM (SELECT created_at, finalized_at, extract(epoch FROM finalized_at - created_at)::float8 AS took, metadata->'output'->>'outcome' AS outcome FROM tenfold_jobs.river_job WHERE state = 'completed' AND created_at >= $1) AS done`, mark).Scan(&n, &compacted, &half, &most, &rate)
	if err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprintf("%d, of which %d compacted, %.0f/s, enqueued to committed p50 %.1f ms, p99 %.1f ms", n, compacted, rate, half*1000, most*1000)
}

func (l *load) now() (at time.Time) {
	if err := l.pool.QueryRow(l.t.Context(), "SELECT now()").Scan(&at); err != nil {
		l.t.Fatal(err)
	}
	return at
}

// burst makes all conversations due at once, and waits until the jobs are done.
func (l *load) burst() {
	for _, g := range l.logs { // by what their writers say, nothing is due yet
		g.batches, g.tokens = append(g.batches, g.large()), -100*due
	}
	l.each(func(w int) error {
		for i := w; i < len(l.logs); i += l.writers {
			if err := l.append(l.t.Context(), w, l.logs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for _, g := range l.logs {
		g.tokens = 100 * due
	}
	l.prepare(len(l.logs))
	l.sortWords("tenfold\\_entries\\_%") // of those long texts, which is no part of the jobs
	mark := l.now()
	stopped, used := l.profile("burst"), l.processors()
	l.each(func(w int) error {
		for i := w; i < len(l.logs); i += l.writers {
			if err := l.append(l.t.Context(), w, l.logs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	eventually(l.t.Context(), l.t, "end of the jobs", func() error {
		var left int
		err := l.pool.QueryRow(l.t.Context(), "SELECT count(*) FROM tenfold_jobs.river_job WHERE finalized_at IS NULL AND queue = 'compact'").Scan(&left)
		if err == nil && left > 0 {
			err = fmt.Errorf("%d jobs are left", left)
		}
		return err
	})
	spent := used(len(l.logs))
	stopped()
	l.addf("jobs, all conversations due at once", "%s", l.jobsSince(mark))
	l.addf("  processor", "%s", spent)
}

// space compares what the tables take with what was said.
func (l *load) space() {
	ctx := l.t.Context()
	if _, err := l.pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		l.t.Fatal(err)
	}
	// Raw is what was said: the entries as lines of JSON, as an export has them.
	var tables, raw, texts int64
	var entries int
	for i, g := range l.logs {
		for e, err := range l.stores[i%l.writers].Entries(ctx, g.id, 0) {
			line, bad := tenfold.AppendEntry(nil, e)
			if err = errors.Join(err, bad); err != nil {
				l.t.Fatal(err)
			}
			entries, raw, texts = entries+1, raw+int64(len(line))+1, texts+int64(len(tenfold.SearchText(e.Payload)))
		}
	}
	err := l.pool.QueryRow(ctx, `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'tenfold\_%'`).Scan(&tables)
	if err != nil {
		l.t.Fatal(err)
	}
	l.addf("stored", "%d entries of %.2f KB as JSON, %.1f MB (texts alone %.1f), %.1f MB with all indexes: %.2f × raw", entries, float64(raw)/float64(entries)/1000, float64(raw)/1e6, float64(texts)/1e6, float64(tables)/1e6, float64(tables)/float64(raw))
	var columns [4]float64
	err = l.pool.QueryRow(ctx, `SELECT sum(pg_column_size(id)), sum(pg_column_size(meta)), sum(pg_column_size(text)), sum(pg_column_size(words)) FROM tenfold_entries`).Scan(&columns[0], &columns[1], &columns[2], &columns[3])
	if err != nil {
		l.t.Fatal(err)
	}
	for i, name := range []string{"id", "meta", "text", "words"} {
		l.addf("  column "+name, "%.1f MB, %.2f ×", columns[i]/1e6, columns[i]/float64(raw))
	}
	found, err := l.pool.Query(ctx, `SELECT relname::text, pg_relation_size(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't') AND (relname LIKE 'tenfold\_%' OR relname LIKE 'river%' OR relkind = 't') AND pg_relation_size(oid) > 1000000 ORDER BY 2 DESC`)
	if err != nil {
		l.t.Fatal(err)
	}
	var name string
	var bytes int64
	if _, err := pgx.ForEachRow(found, []any{&name, &bytes}, func() error {
		l.addf("  "+name, "%.1f MB, %.2f ×", float64(bytes)/1e6, float64(bytes)/float64(raw))
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
}
