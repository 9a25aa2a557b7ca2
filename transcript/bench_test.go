package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/corpustest"
)

// discard is a sink that keeps nothing.
type discard struct{ n int }

func (*discard) Begin(Conversation) error         { return nil }
func (d *discard) Entry(tenfold.Entry) error      { d.n++; return nil }
func (*discard) End(Conversation, []string) error { return nil }

// benchFormats are those that the corpus has enough of to measure.
var benchFormats = []Format{ClaudeCode, JP, SWEAgent, OpenHands, InspectEval, WhoAndWhen, Plain}

// corpusTexts reads the corpus files of a format.
func corpusTexts(b *testing.B, format Format) (texts [][]byte, names []string, size int64) {
	for _, f := range corpustest.Files(b, string(format)) {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			b.Fatal(err)
		}
		texts, names, size = append(texts, data), append(names, f.Name), size+int64(len(data))
	}
	return texts, names, size
}

// BenchmarkImport measures importers; the target is at most 2.5 times
// BenchmarkDecode of the same format.
func BenchmarkImport(b *testing.B) {
	for _, format := range benchFormats {
		b.Run(string(format), func(b *testing.B) {
			texts, names, size := corpusTexts(b, format)
			b.SetBytes(size)
			b.ReportAllocs()
			d := &discard{}
			for b.Loop() {
				d.n = 0
				for i, text := range texts {
					src := Source{Name: names[i], Reader: bytes.NewReader(text), Size: int64(len(text))}
					if err := Import(context.Background(), src, format, d); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(d.n), "entries")
		})
	}
	b.Run("tenfold", func(b *testing.B) {
		text := exported(b)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if err := Import(context.Background(), Source{Name: "x", Reader: bytes.NewReader(text)}, Tenfold, &discard{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func exported(b *testing.B) []byte {
	texts, names, _ := corpusTexts(b, ClaudeCode)
	var out bytes.Buffer
	for i, text := range texts {
		var k Collector
		if err := Import(context.Background(), Source{Name: names[i], Reader: bytes.NewReader(text)}, ClaudeCode, &k); err != nil {
			b.Fatal(err)
		}
		log := tenfold.NewLog()
		if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
			b.Fatal(err)
		}
		if err := writeTenfold(&out, k.Conversations[0].Conversation, log.Entries()); err != nil {
			b.Fatal(err)
		}
	}
	return out.Bytes()
}

// BenchmarkDecode reads the same bytes once, token by token.
func BenchmarkDecode(b *testing.B) {
	for _, format := range benchFormats {
		b.Run(string(format), func(b *testing.B) {
			texts, _, size := corpusTexts(b, format)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, text := range texts {
					decodeOnce(b, text)
				}
			}
		})
	}
	b.Run("tenfold", func(b *testing.B) {
		text := exported(b)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			decodeOnce(b, text)
		}
	})
}

// BenchmarkUnmarshal reads the same bytes into Go values, a line or an event
// array at a time: what an importer without a scanner would begin with.
func BenchmarkUnmarshal(b *testing.B) {
	for _, format := range benchFormats {
		b.Run(string(format), func(b *testing.B) {
			texts, _, size := corpusTexts(b, format)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, text := range texts {
					for dec := jsontext.NewDecoder(bytes.NewReader(text), scanOptions...); ; {
						var v any
						if err := json.UnmarshalDecode(dec, &v, scanOptions...); err != nil {
							if !errors.Is(err, io.EOF) {
								b.Fatal(err)
							}
							break
						}
					}
				}
			}
		})
	}
}

func decodeOnce(b *testing.B, text []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), scanOptions...)
	for {
		if _, err := dec.ReadToken(); err != nil {
			if dec.InputOffset() < int64(len(bytes.TrimRight(text, " \n"))) {
				b.Fatal(err)
			}
			return
		}
	}
}
