package transcript

import (
	"bytes"
	"testing"

	"tenfold/transcript/internal/intake"
)

func FuzzPi(f *testing.F) {
	for _, s := range samples(f, Pi) {
		f.Add(s.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, Pi, data)
		if !ok || !exactly(data) || bytes.ContainsAny(data, "\v\f\u0085\u00a0\u2028\u2029\u3000") || intake.NewHead(data, "").JSON.Shape != intake.ShapeLines {
			return
		}
		sameLines(t, rebuildPi(t, got.Entries), fileLines(t, data))
	})
}
