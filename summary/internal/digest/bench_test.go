package digest_test

import (
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
	"tenfold/transcript"
)

// varied is the example session so many times over, each time with other
// texts, paths and commands, and how many bytes of transcript that is.
func varied(b *testing.B, times int) ([]tenfold.Entry, int64) {
	b.Helper()
	file, err := transcript.Open("../../../examples/session.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all transcript.Collector
	if err := transcript.Import(b.Context(), file.Source, "", &all); err != nil {
		b.Fatal(err)
	}
	var entries []tenfold.Entry
	for n := range times {
		mark := fmt.Sprintf(" (%d)", n)
		for _, e := range all.Conversations[0].Entries {
			e.ID += mark
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				parts := append([]tenfold.Part(nil), p.Parts...)
				if len(parts) > 0 {
					parts[0].Text += mark
				}
				p.Parts = parts
				e.Payload = p
			case tenfold.AssistantMessage:
				p.Text += mark
				e.Payload = p
			case tenfold.ToolCall:
				p.CallID += mark
				if i := len(p.Arguments) - 2; i > 0 && p.Arguments[i:] == `"}` {
					p.Arguments = p.Arguments[:i] + mark + `"}`
				}
				e.Payload = p
			case tenfold.ToolResult:
				p.CallID += mark
				e.Payload = p
			}
			entries = append(entries, e)
		}
	}
	return entries, file.Size * int64(times)
}

// A digest of a session of some 4 MB, what is left of it, and in how many
// tokens.
func BenchmarkDigest(b *testing.B) {
	entries, size := varied(b, 3)
	l := logOf(b, entries)
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{ToTurn: l.Turns() - 1}}
	for e := range l.Entries() {
		r.Entries = append(r.Entries, e)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	tokens := 0
	for b.Loop() {
		got, err := digest.Digest{}.Summarize(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		tokens = l.Counter().Count(got.Text)
	}
	b.ReportMetric(float64(tokens), "tokens")
	b.ReportMetric(float64(len(r.Entries)), "entries")
	b.ReportMetric(100*float64(tokens)/float64(l.Tokens()), "%kept")
}

// What it costs to keep a ledger, by KB of what the entries say.
func BenchmarkLedgerAdd(b *testing.B) {
	entries, _ := varied(b, 3)
	size := 0
	for _, e := range entries {
		text, err := tenfold.MarshalPayload(e.Payload)
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		l := digest.NewLedger(tenfold.Chars4{})
		for _, e := range entries {
			l.Add(e)
		}
	}
	perRun := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(perRun/float64(size)*1024, "ns/KB")
	b.ReportMetric(perRun/float64(len(entries)), "ns/entry")
}

// What thousands of calls cost that each run in a directory of their own, beside as many in one.
func BenchmarkLedgerAddDirectories(b *testing.B) {
	const calls = 5000
	ran := func(dirs int) []tenfold.Entry {
		var lines []string
		for i := range calls {
			lines = append(lines, fmt.Sprintf(`c %d shell {"command":"cd /w/of_some_length/dir_%d && ls"}`, i, i%dirs), fmt.Sprintf("r %d ok", i))
		}
		return entriesOf(b, lines...)
	}
	one, many := ran(1), ran(calls)
	var inOne, inMany time.Duration
	for b.Loop() {
		begun := time.Now()
		ledgerOf(one)
		between := time.Now()
		ledgerOf(many)
		inOne, inMany = inOne+between.Sub(begun), inMany+time.Since(between)
	}
	b.ReportMetric(float64(inMany)/float64(inOne), "×one")
}
