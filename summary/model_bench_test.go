package summary_test

import (
	"testing"

	"tenfold"
	"tenfold/summary"
)

// What a summary costs beside the model, for a range of 4 MB in parts: ns/op
// over the bytes read.
func BenchmarkModel(b *testing.B) {
	r := megabytes(b, 4<<20)
	size := 0
	for _, e := range r.Entries {
		size += len(tenfold.SearchText(e.Payload))
	}
	for name, window := range map[string]int{"one call": 10_000_000, "parts": 128_000} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			m := plays(says("It was read."))
			for b.Loop() {
				if _, err := (summary.Model{Provider: m, Window: window}).Summarize(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
