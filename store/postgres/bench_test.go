package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// samples gives entries such as a coding agent's log holds: mostly a
// kilobyte or so, few of them long.
func samples(n int) []tenfold.Entry {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(size int) string {
		var b strings.Builder
		for b.Len() < size {
			// The cube makes some words common and most rare.
			f := r.Float64()
			word := int(f * f * f * 4000)
			fmt.Fprintf(&b, "%c%co%d ", 'a'+word%26, 'a'+word/26%26, word)
		}
		return b.String()
	}
	entries := make([]tenfold.Entry, n)
	for i := range entries {
		e := tenfold.Entry{Time: time.Unix(int64(i), 0).UTC(), MessageID: fmt.Sprintf("msg_%020d", i/3), Tokens: 300}
		switch {
		case i%24 == 2:
			e.Payload = tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text(8000))}
		case i%2 == 0:
			e.Payload = tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text(1200))}
		default:
			e.Payload = tenfold.ToolCall{CallID: "c", Name: "read_file", Arguments: `{"path":"` + text(150) + `"}`}
		}
		entries[i] = e
	}
	return entries
}

// BenchmarkAppend is durable appends with compare-and-swap, each writer on a
// log of its own, against plain inserts of the same bytes through the same
// pool: nothing compared, nothing looked up, no words indexed. "words" is the
// plain insert with the index of words, which is what searching costs.
func BenchmarkAppend(b *testing.B) {
	url := pgtest.Start(b).Database(b) + "&pool_max_conns=64"
	s, admin := opened(b, url), superuser(b, url)
	for _, sql := range []string{
		"CREATE TABLE plain (conversation bigint, seq bigint, id bytea, meta bytea, text bytea, words integer[], PRIMARY KEY (conversation, seq))",
		"CREATE TABLE words (LIKE plain INCLUDING ALL)",
		"CREATE INDEX ON words USING gin (words)",
		"GRANT ALL ON plain, words TO tenfold_app",
	} {
		if _, err := admin.Exec(context.Background(), sql); err != nil {
			b.Fatal(err)
		}
	}
	entries := samples(4096)
	run := 0
	insert := func(sql string, words bool) func(log, seq int64, e tenfold.Entry) error {
		return func(log, seq int64, e tenfold.Entry) error {
			c, err := newColumns([]tenfold.Entry{e})
			if err != nil {
				return err
			}
			s.hashWords(c, s.keys.Load())
			args := []any{log, seq, c.ids[0], c.metas[0], c.texts[0]}
			if words {
				args = append(args, c.words[0])
			}
			_, err = s.db.pool.Exec(context.Background(), sql, args...)
			return err
		}
	}
	for _, writers := range []int{1, 16, 64} {
		var plain float64
		for _, peer := range []struct {
			name   string
			append func(log, seq int64, e tenfold.Entry) error
		}{
			{"plain", insert("INSERT INTO plain (conversation, seq, id, meta, text) VALUES ($1, $2, $3, $4, $5)", false)},
			{"words", insert("INSERT INTO words (conversation, seq, id, meta, text, words) VALUES ($1, $2, $3, $4, $5, $6::text::integer[])", true)},
			{"store", func(log, seq int64, e tenfold.Entry) error {
				_, err := s.Append(context.Background(), store.Batch{
					Conversation: fmt.Sprint(log), Expected: seq - 1, Entries: []tenfold.Entry{e}, Stats: &store.Stats{Turns: 1}, Now: time.Now(),
				})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", peer.name, writers), func(b *testing.B) {
				run++
				for w := range writers {
					if err := s.Create(context.Background(), store.Conversation{ID: fmt.Sprint(run*1000 + w)}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				b.ResetTimer()
				var wg sync.WaitGroup
				for w := range writers {
					wg.Go(func() {
						for i, seq := w, int64(1); i < b.N; i, seq = i+writers, seq+1 {
							e := entries[i%len(entries)]
							e.ID = fmt.Sprintf("%08x-%04x-7000-8000-%012x", i>>16, i&0xffff, run)
							if err := peer.append(int64(run*1000+w), seq, e); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				rate := float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(rate, "append/s")
				if peer.name == "plain" {
					plain = rate
				}
				b.ReportMetric(rate/plain, "of_plain")
			})
		}
	}
}
