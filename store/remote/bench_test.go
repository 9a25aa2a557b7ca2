package remote_test

import (
	"strconv"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
)

// BenchmarkAppend appends an entry of 1 KB through the server, and to its store
// itself: what the way costs, on this machine. Reading is by the entry.
func BenchmarkAppend(b *testing.B) {
	st := memory.New()
	far := served(b, st)
	text := make([]byte, 1<<10)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	took := func(name string, st store.Store, n int) time.Duration {
		if err := st.Create(b.Context(), store.Conversation{ID: name}); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		for i := range n {
			e := tenfold.Entry{ID: strconv.Itoa(i), Payload: tenfold.AssistantMessage{Text: string(text)}}
			if _, err := st.Append(b.Context(), store.Batch{Conversation: name, Expected: int64(i), Entries: []tenfold.Entry{e}}); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(began)
	}
	b.ReportAllocs()
	var there, here time.Duration
	for i := range b.N {
		const n = 200
		there += took("far"+strconv.Itoa(i), far, n)
		here += took("near"+strconv.Itoa(i), st, n)
	}
	b.ReportMetric(float64(there.Microseconds())/float64(200*b.N), "µs/append")
	b.ReportMetric(float64(there)/float64(here), "x-memory")
	began, read := time.Now(), 0
	for i := range b.N {
		for _, err := range far.Entries(b.Context(), "far"+strconv.Itoa(i), 0) {
			if err != nil {
				b.Fatal(err)
			}
			read++
		}
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(read), "µs/read")
}
