package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// BenchmarkScale is what the main calls cost in a small database, and, with
// TENFOLD_TEST_ALL=1, beside a million entries of one conversation and a hundred
// thousand conversations: of_small is the ratio of the two.
func BenchmarkScale(b *testing.B) {
	server := pgtest.Start(b)
	small := map[string]float64{}
	sizes := []struct {
		name                   string
		entries, conversations int
	}{{"small", 1000, 100}, {"large", 1_000_000, 100_000}}
	if !corpustest.All() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		url := server.Database(b)
		s, admin := opened(b, url), superuser(b, url)
		fill(b, s, size.entries, size.conversations)
		if _, err := admin.Exec(context.Background(), "VACUUM ANALYZE"); err != nil {
			b.Fatal(err)
		}
		seq := 0
		for _, call := range []struct {
			name string
			do   func(ctx context.Context) error
		}{
			{"append", func(ctx context.Context) error {
				seq++
				e := tenfold.Entry{ID: fmt.Sprint("new", seq), Payload: tenfold.UserMessage{Parts: tenfold.Text("a new entry")}}
				_, err := s.Append(ctx, store.Batch{Conversation: "long", Expected: store.AnyVersion, Entries: []tenfold.Entry{e}, Now: time.Now()})
				return err
			}},
			{"window", func(ctx context.Context) error {
				n := 0
				for _, err := range s.Entries(ctx, "long", int64(size.entries/2)) {
					if n++; err != nil || n == 50 {
						return err
					}
				}
				return nil
			}},
			{"by id", func(ctx context.Context) error { _, err := s.Conversation(ctx, "c7"); return err }},
			{"by prefix", func(ctx context.Context) error { _, err := s.WithPrefix(ctx, "c77", 2); return err }},
			{"search one", func(ctx context.Context) error {
				hits, err := s.Search(ctx, store.Query{Text: "unique77", Conversation: "long"})
				if len(hits) != 1 {
					b.Errorf("found %d", len(hits))
				}
				return err
			}},
			{"search all", func(ctx context.Context) error {
				_, err := s.Search(ctx, store.Query{Text: "unique77"})
				return err
			}},
			{"page", func(ctx context.Context) error {
				page, err := s.Page(ctx, nil, 51)
				if len(page) != 51 {
					b.Errorf("a page of %d", len(page))
				}
				return err
			}},
			{"list", func(ctx context.Context) error {
				for _, err := range s.Conversations(ctx) {
					return err
				}
				return nil
			}},
		} {
			b.Run(size.name+"/"+call.name, func(b *testing.B) {
				for b.Loop() {
					if err := call.do(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				took := float64(b.Elapsed()) / float64(b.N)
				if size.name == "small" {
					small[call.name] = took
				} else if small[call.name] > 0 {
					b.ReportMetric(took/small[call.name], "of_small")
				}
			})
		}
	}
}

// fill makes many short conversations, and one long one whose entries have a word
// of their own each.
func fill(b *testing.B, s *Store, entries, conversations int) {
	b.Helper()
	ctx := context.Background()
	if err := s.Create(ctx, store.Conversation{ID: "long"}); err != nil {
		b.Fatal(err)
	}
	const batch = 5000
	for i := 0; i < entries; i += batch {
		list := make([]tenfold.Entry, min(batch, entries-i))
		for j := range list {
			text := fmt.Sprintf("unique%d of the words %d that %d have", i+j, (i+j)%97, (i+j)%1009)
			list[j] = tenfold.Entry{ID: fmt.Sprintf("%012x", i+j), Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}
		}
		if _, err := s.Append(ctx, store.Batch{Conversation: "long", Expected: int64(i), Entries: list}); err != nil {
			b.Fatal(err)
		}
	}
	err := s.db.As(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tenfold_conversations (name, id, title, updated) SELECT name, name, 'a title', n * 1000000000
			FROM generate_series(1, $1::bigint) AS n, LATERAL (SELECT ('c' || n)::bytea AS name) AS named`, conversations)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
