package postgres

import (
	"strconv"
	"testing"
	"time"

	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// BenchmarkVault is durable appends of one entry, and reading a log, of a tenant in the
// clear and of one that is encrypted.
func BenchmarkVault(b *testing.B) {
	url := pgtest.Start(b).Database(b)
	entries := samples(4096)
	for i := range entries {
		entries[i].ID = strconv.Itoa(i)
	}
	v := masters(b, 1)
	for _, kind := range []string{"plain", "sealed"} {
		opts := []Option{WithVault(v)}
		vaulted := v
		if kind == "plain" {
			vaulted = nil
		}
		s := opened(b, tenant(b, url, kind, vaulted), opts...)
		if err := s.Create(b.Context(), store.Conversation{ID: "read"}, entries...); err != nil {
			b.Fatal(err)
		}
		b.Run("append/"+kind, func(b *testing.B) {
			id := strconv.FormatInt(time.Now().UnixNano(), 36)
			if err := s.Create(b.Context(), store.Conversation{ID: id}); err != nil {
				b.Fatal(err)
			}
			n := int64(0)
			for b.Loop() {
				e := entries[n%4096]
				e.ID = strconv.FormatInt(n, 10)
				batch := append(entries[:0:0], e)
				var err error
				if n, err = s.Append(b.Context(), store.Batch{Conversation: id, Expected: n, Entries: batch, Now: e.Time}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("read/"+kind, func(b *testing.B) {
			for b.Loop() {
				if log, err := logOf(b.Context(), s, "read"); err != nil || len(log) != len(entries) {
					b.Fatal(len(log), err)
				}
			}
		})
	}
}
