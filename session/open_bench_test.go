package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/sqlite"
)

// BenchmarkOpen opens a conversation of 100 MB in its JSON form (T7): imported
// at once, and grown live beside another. read is the store's part of it.
func BenchmarkOpen(b *testing.B) {
	for _, kind := range []struct {
		name  string
		batch int
		ids   []string
	}{{"imported", 1 << 30, []string{"a"}}, {"live", 4, []string{"a", "b"}}} {
		st, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "t.db"), sqlite.WithoutIndex())
		if err != nil {
			b.Fatal(err)
		}
		svc := session.NewService(st)
		bytes := grow(b, st, kind.batch, kind.ids)
		var reading time.Duration
		for _, part := range []struct {
			name string
			open func() error
		}{
			{"read", func() error {
				for _, err := range st.Entries(context.Background(), "a", 0) {
					if err != nil {
						return err
					}
				}
				return nil
			}},
			{"open", func() error {
				_, err := svc.Open(context.Background(), "a")
				return err
			}},
		} {
			b.Run(kind.name+"/"+part.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(bytes))
				for b.Loop() {
					if err := part.open(); err != nil {
						b.Fatal(err)
					}
				}
				each := b.Elapsed() / time.Duration(b.N)
				if part.name == "read" {
					reading = each
				}
				b.ReportMetric(float64(each)/float64(reading), "of_read")
			})
		}
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// grow writes logs of a coding agent's entries, until each has 100 MB.
func grow(b *testing.B, st store.Store, batch int, ids []string) (bytes int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(size int) string {
		var t strings.Builder
		for t.Len() < size {
			fmt.Fprintf(&t, "line %d of the build says %x\n", r.IntN(900), r.Uint32())
		}
		return t.String()
	}
	for _, id := range ids {
		if err := st.Create(context.Background(), store.Conversation{ID: id}); err != nil {
			b.Fatal(err)
		}
	}
	for n := 0; bytes < 100<<20; {
		var entries []tenfold.Entry
		for len(entries) < batch && bytes < 100<<20 {
			n++
			e := tenfold.Entry{ID: fmt.Sprintf("e%d", n), Time: time.Unix(1_772_000_000+int64(n), 0).UTC(), MessageID: fmt.Sprintf("m%d", n/4), Tokens: 300}
			call := fmt.Sprintf("toolu_%018d", n/4)
			switch n % 4 {
			case 0:
				e.Payload = tenfold.Reasoning{Text: text(500), Provider: "anthropic", Signature: strings.Repeat("c2ln", 80)}
				if n%200 == 0 {
					e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text(200))}
				}
			case 1:
				e.Payload = tenfold.AssistantMessage{Text: text(300)}
			case 2:
				e.Payload = tenfold.ToolCall{CallID: call, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"src/f%d.go"}`, n)}
			default:
				e.Payload = tenfold.ToolResult{CallID: call, Parts: tenfold.Text(text(500 + n%40*150))}
			}
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(line)
			entries = append(entries, e)
		}
		for _, id := range ids {
			if _, err := st.Append(context.Background(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: entries}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return bytes
}
