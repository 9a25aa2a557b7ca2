package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// discard is a sink that keeps nothing.
type discard struct{ n int }

func (*discard) Begin(Conversation) error         { return nil }
func (d *discard) Entry(tenfold.Entry) error      { d.n++; return nil }
func (*discard) End(Conversation, []string) error { return nil }

// BenchmarkImport measures the importers on the corpus, each against reading the
// same bytes as JSON in the same run: "x-values" is how many times as long
// importing takes as unmarshalling into Go values (the target is 2.5), "x-tokens"
// as walking over the tokens.
func BenchmarkImport(b *testing.B) {
	for _, f := range Formats() {
		if !f.Import {
			continue
		}
		var texts [][]byte
		var names []string
		size := 0
		for _, file := range corpustest.Files(b, string(f.Format)) {
			data, err := os.ReadFile(file.Path)
			if err != nil {
				b.Fatal(err)
			}
			texts, names, size = append(texts, data), append(names, file.Name), size+len(data)
		}
		if size == 0 {
			continue
		}
		json := intake.NewHead(texts[0][:min(len(texts[0]), intake.HeadSize)], names[0]).JSON.Shape != intake.ShapeText
		b.Run(string(f.Format), func(b *testing.B) {
			b.ReportAllocs()
			var importing, tokens, values time.Duration
			d := &discard{}
			for b.Loop() {
				d.n = 0
				for i, text := range texts {
					start := time.Now()
					src := Source{Name: names[i], Reader: bytes.NewReader(text), Size: int64(len(text))}
					if err := Import(context.Background(), src, f.Format, d); err != nil {
						b.Fatal(err)
					}
					importing += time.Since(start)
					if !json {
						continue
					}
					b.StopTimer()
					start = time.Now()
					decodeOnce(b, text)
					tokens += time.Since(start)
					start = time.Now()
					unmarshalOnce(b, text)
					values += time.Since(start)
					b.StartTimer()
				}
			}
			b.SetBytes(int64(size))
			b.ReportMetric(float64(d.n), "entries")
			if json {
				b.ReportMetric(importing.Seconds()/values.Seconds(), "x-values")
				b.ReportMetric(importing.Seconds()/tokens.Seconds(), "x-tokens")
			}
		})
	}
}

// unmarshalOnce reads a text into Go values, a line or a document at a time.
func unmarshalOnce(b *testing.B, text []byte) {
	for dec := jsontext.NewDecoder(bytes.NewReader(text), walk.ScanOptions...); ; {
		var v any
		if err := json.UnmarshalDecode(dec, &v, walk.ScanOptions...); err != nil {
			if !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
			return
		}
	}
}

// decodeOnce reads a text token by token.
func decodeOnce(b *testing.B, text []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), walk.ScanOptions...)
	for {
		if _, err := dec.ReadToken(); err != nil {
			if dec.InputOffset() < int64(len(bytes.TrimRight(text, " \n"))) {
				b.Fatal(err)
			}
			return
		}
	}
}
