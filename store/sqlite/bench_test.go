package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
)

// generator makes entries such as a coding agent's log holds: short calls,
// results of some kilobytes, few of them long.
type generator struct {
	r     *rand.Rand
	n     int
	words []string
}

func newGenerator() *generator {
	g := &generator{r: rand.New(rand.NewPCG(1, 2))}
	for i := range 4000 {
		g.words = append(g.words, fmt.Sprintf("%c%c%s%d", 'a'+i%26, 'a'+i/26%26, strings.Repeat("o", i%7), i%100))
	}
	return g
}

func (g *generator) text(size int) string {
	var b strings.Builder
	b.Grow(size + 10)
	for b.Len() < size {
		// The square makes some words common and most rare.
		f := g.r.Float64()
		b.WriteString(g.words[int(f*f*f*float64(len(g.words)))])
		b.WriteByte(" \n    "[g.r.IntN(6)])
	}
	return b.String()
}

func (g *generator) entry() tenfold.Entry {
	g.n++
	e := tenfold.Entry{
		ID:        newID(g.n),
		Time:      time.Unix(1_772_000_000+int64(g.n), int64(g.n)).UTC(),
		MessageID: fmt.Sprintf("msg_%020d", g.n/3),
		Tokens:    300,
	}
	call := fmt.Sprintf("toolu_%018d", g.n/2)
	switch g.n % 8 {
	case 0:
		e.Payload = tenfold.AssistantMessage{Text: g.text(400)}
	case 1, 3, 5:
		e.Payload = tenfold.ToolCall{CallID: call, Name: "read_file", Arguments: `{"path":"` + g.text(150) + `"}`}
	case 7:
		e.Payload = tenfold.Reasoning{Text: g.text(600), Provider: "anthropic", Signature: strings.Repeat("c2ln", 80)}
	default:
		size := 1200
		if g.n%24 == 2 {
			size = 8000
		}
		e.Payload = tenfold.ToolResult{CallID: call, Parts: tenfold.Text(g.text(size))}
	}
	return e
}

// newID gives an id that grows with time, as a UUID of version 7 does.
func newID(n int) string {
	return fmt.Sprintf("%08x-%04x-7%03x-8000-%012x", 0x019c0000+n>>16, n&0xffff, n%4096, uint64(n)*0x9E3779B97F4A7C15>>16)
}

// size is how long an entry's JSON form is.
func size(e tenfold.Entry) int {
	b, err := tenfold.AppendEntry(nil, e)
	if err != nil {
		panic(err)
	}
	return len(b)
}

// BenchmarkOpen reads a log of 100 MB in its JSON form back as entries (T7).
// of_rows holds it against reading the same rows and throwing them away.
func BenchmarkOpen(b *testing.B) {
	for _, kind := range []struct {
		name  string
		batch int
		logs  []string
	}{{"imported", 5000, []string{"a"}}, {"live", 4, []string{"a", "b"}}} {
		s := opened(b, WithoutIndex())
		n, bytes := fill(b, s, 100<<20, kind.batch, kind.logs)
		var rows time.Duration
		for _, peer := range []struct {
			name string
			read func() (int, error)
		}{{"rows", s.readRows}, {"entries", s.readEntries}} {
			b.Run(kind.name+"/"+peer.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(bytes))
				for b.Loop() {
					if got, err := peer.read(); got != n || err != nil {
						b.Fatalf("%d entries of %d, %v", got, n, err)
					}
				}
				each := b.Elapsed() / time.Duration(b.N)
				if peer.name == "rows" {
					rows = each
				}
				b.ReportMetric(float64(each)/float64(rows), "of_rows")
				b.ReportMetric(float64(n), "entries")
			})
		}
	}
}

// readEntries reads log "a" as entries, and readRows as rows.
func (s *Store) readEntries() (n int, err error) {
	for _, err := range s.Entries(context.Background(), "a", 0) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (s *Store) readRows() (n int, err error) {
	err = s.read(context.Background(), func(c *conn) error {
		return c.query(context.Background(), func([]driver.Value) error {
			n++
			return nil
		}, "SELECT key, meta, text FROM entries WHERE key > ? AND key <= ? ORDER BY key", int64(1<<32), int64(1<<32|maxSeq))
	})
	return n, err
}

// fill writes logs until the first holds so many bytes of JSON.
func fill(b *testing.B, s *Store, total, batch int, logs []string) (n, bytes int) {
	b.Helper()
	g := newGenerator()
	for _, id := range logs {
		if err := s.Create(context.Background(), store.Conversation{ID: id}); err != nil {
			b.Fatal(err)
		}
	}
	for bytes < total {
		var entries []tenfold.Entry
		for len(entries) < batch && bytes < total {
			e := g.entry()
			bytes += size(e)
			entries = append(entries, e)
		}
		n += len(entries)
		for _, id := range logs {
			if _, err := s.Append(context.Background(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: entries}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return n, bytes
}

// BenchmarkStart opens and closes a store that is there.
func BenchmarkStart(b *testing.B) {
	s := opened(b)
	fill(b, s, 1<<20, 1000, []string{"a"})
	b.ReportAllocs()
	for b.Loop() {
		again, err := Open(context.Background(), s.path)
		if err != nil {
			b.Fatal(err)
		}
		if err := again.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndex makes the full-text index of 10 MB, and BenchmarkSearch asks
// it for two words, of which one is rare.
func BenchmarkIndex(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s := opened(b, WithoutIndex())
		_, bytes := fill(b, s, 10<<20, 5000, []string{"a"})
		b.SetBytes(int64(bytes))
		s.noIndex = false
		b.StartTimer()
		if err := s.Index(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	g := newGenerator()
	for _, kind := range []struct {
		name string
		opts []Option
	}{{"index", nil}, {"scan", []Option{WithoutIndex()}}} {
		s := opened(b, kind.opts...)
		fill(b, s, 10<<20, 5000, []string{"a"})
		if err := s.Index(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hits, err := s.Search(context.Background(), store.Query{Text: g.words[0] + " " + g.words[2000]})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(hits)), "hits")
			}
		})
	}
}

// An appender is a way to append one entry to one of the writers' logs.
type appender func(writer int, e tenfold.Entry) error

// BenchmarkAppend is durable appends with compare-and-swap (T8), each writer
// on a log of its own, against bare SQLite: the same bytes, the same driver,
// group commit, each writer's rows together and in order, and nothing looked
// up. One op is a short round of both in turn, so that both meet the same
// machine; of_bare is the median of the rounds' ratios.
func BenchmarkAppend(b *testing.B) {
	entries := make([]tenfold.Entry, 4096)
	g := newGenerator()
	for i := range entries {
		entries[i] = g.entry()
	}
	for _, peer := range []struct {
		name string
		opts []Option
	}{{"store", []Option{WithoutIndex()}}, {"indexed", nil}} {
		for _, writers := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%s/%d", peer.name, writers), func(b *testing.B) {
				bare, closeBare := bareAppender(b, writers)
				defer closeBare()
				s, do := storeAppender(b, writers, peer.opts...)
				n := 16 * max(writers, 8)
				var rates, ratios []float64
				var indexing time.Duration
				for round := 0; b.Loop(); round++ {
					run := func(do appender) float64 {
						var wg sync.WaitGroup
						start := time.Now()
						for w := range writers {
							wg.Go(func() {
								for k := w; k < n; k += writers {
									e := entries[k%len(entries)]
									e.ID = newID(round*n + k)
									if err := do(w, e); err != nil {
										b.Error(err)
										return
									}
								}
							})
						}
						wg.Wait()
						return float64(n) / time.Since(start).Seconds()
					}
					limit := run(bare)
					rates = append(rates, run(do))
					ratios = append(ratios, rates[round]/limit)
					// What was put off: the words of the same entries.
					start := time.Now()
					if err := s.Index(context.Background()); err != nil {
						b.Fatal(err)
					}
					indexing += time.Since(start)
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "of_bare")
				b.ReportMetric(slices.Max(rates), "append/s")
				b.ReportMetric(float64(indexing.Nanoseconds())/float64(b.N*n), "index-ns/append")
			})
		}
	}
}

func storeAppender(b *testing.B, writers int, opts ...Option) (*Store, appender) {
	s := opened(b, opts...)
	versions := make([]int64, writers)
	for w := range writers {
		if err := s.Create(context.Background(), store.Conversation{ID: fmt.Sprint(w)}); err != nil {
			b.Fatal(err)
		}
	}
	return s, func(w int, e tenfold.Entry) (err error) {
		versions[w], err = s.Append(context.Background(), store.Batch{
			Conversation: fmt.Sprint(w), Expected: versions[w], Entries: []tenfold.Entry{e},
			Stats: &store.Stats{Turns: 1}, Now: time.Now(),
		})
		return err
	}
}

// bareAppender is what one would write without Tenfold: database/sql, one
// prepared insert, one goroutine that commits what waits.
func bareAppender(b *testing.B, writers int) (appender, func()) {
	type request struct {
		key  int64
		row  tableRow
		done chan error
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(4000)&_pragma=cache_size(-16000)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE bare (key INTEGER PRIMARY KEY, id TEXT, meta BLOB, text ANY)"); err != nil {
		b.Fatal(err)
	}
	insert, err := db.Prepare("INSERT INTO bare (key, id, meta, text) VALUES (?, ?, ?, ?)")
	if err != nil {
		b.Fatal(err)
	}
	requests := make(chan *request, maxGroup)
	ended := make(chan struct{})
	commit := func(group []*request) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		s := tx.Stmt(insert)
		for _, r := range group {
			if _, err := s.Exec(r.key, r.row.id, r.row.meta, r.row.text); err != nil {
				return err
			}
		}
		return tx.Commit()
	}
	go func() {
		defer close(ended)
		var group []*request
		for r := range requests {
			group = append(group[:0], r)
			for n := len(requests); n > 0; n-- {
				group = append(group, <-requests)
			}
			err := commit(group)
			for _, r := range group {
				r.done <- err
			}
		}
	}()
	seqs := make([]int64, writers)
	do := func(w int, e tenfold.Entry) error {
		row, err := newRow(e)
		if err != nil {
			return err
		}
		seqs[w]++
		r := &request{int64(w)<<32 | seqs[w], row, make(chan error, 1)}
		requests <- r
		return <-r.done
	}
	return do, func() {
		close(requests)
		<-ended
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}
}
