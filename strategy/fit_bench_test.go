package strategy_test

import (
	"testing"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/transcript"
)

// joined is one log of the largest sessions of the corpus, until their texts
// come to so many bytes, counted as the program counts.
func joined(b *testing.B, bytes int) (l *tenfold.Log, text int) {
	b.Helper()
	l = tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	for _, f := range corpustest.Files(b, "claude-code", "codex") {
		file, err := transcript.Open(f.Path)
		if err != nil {
			b.Fatal(err)
		}
		var all transcript.Collector
		if err := transcript.Import(b.Context(), file.Source, "", &all); err != nil {
			b.Fatal(err)
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
		for _, c := range all.Conversations {
			for _, e := range c.Entries {
				e.ID = f.Name + e.ID
				if _, err := l.Append(e); err != nil {
					b.Fatal(err)
				}
				text += len(tenfold.SearchText(e.Payload))
			}
			if text >= bytes {
				return l, text
			}
		}
	}
	return l, text
}

// BenchmarkFit is fit on some 4 MB of transcript text, the index included.
// µs/KB is the time by text; ×count is it against counting the tokens of the
// same text once. With /kept the index was read before.
func BenchmarkFit(b *testing.B) {
	l, text := joined(b, 4<<20)
	p := tenfold.Project(l)
	began := time.Now()
	for e := range l.Entries() {
		l.Counter().Count(tenfold.SearchText(e.Payload))
	}
	count := time.Since(began)
	for _, name := range []string{"fit:target=5%", "fit:target=10%", "fit:target=20%", "fit:target=20k"} {
		for _, kept := range []bool{false, true} {
			sub := name
			index := excerpt.NewIndex()
			if kept {
				sub += "/kept"
				index.Advance(p)
			}
			b.Run(sub, func(b *testing.B) {
				pl := parse(b, name)
				o := strategy.Options{Range: everything(l)}
				b.ReportAllocs()
				for b.Loop() {
					if kept {
						o.Index = index
					}
					made, err := pl.Plan(b.Context(), p, o)
					if err != nil || len(made.Compactions) != 1 {
						b.Fatal(err, made.Nothing)
					}
				}
				each := b.Elapsed() / time.Duration(b.N)
				b.ReportMetric(float64(each.Microseconds())/float64(text>>10), "µs/KB")
				b.ReportMetric(float64(each)/float64(count), "×count")
				b.ReportMetric(float64(text)/(1<<20), "MB")
			})
		}
	}
}
