package token

import (
	"runtime"
	"testing"
)

// Target T5: start in ≤ 20 ms and ≤ 16 MB. The metric "held-MB" is what the
// tables hold once built.
func BenchmarkT5Load(b *testing.B) {
	for name, packed := range map[string]string{"o200k_base": packedO200k, "cl100k_base": packedCl100k} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var v *vocab
			for b.Loop() {
				v = newVocab(packed)
			}
			var with, without runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&with)
			runtime.KeepAlive(v) // and not beyond
			runtime.GC()
			runtime.ReadMemStats(&without)
			b.ReportMetric(float64(with.HeapAlloc-without.HeapAlloc)/1e6, "held-MB")
		})
	}
}
