package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tenfold/internal/proxy/wire"
)

// longBody is a request of Claude Code's shape of about that many bytes, a third of
// it system prompt and tools where it is small.
func longBody(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"claude-x","system":[{"type":"text","text":"` + strings.Repeat("Be brief. ", 2_000) + `","cache_control":{"type":"ephemeral"}}],"tools":[`)
	for i := range 20 {
		fmt.Fprintf(&b, `%s{"name":"tool%d","description":"%s","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"where"}},"required":["path"]}}`, strings.Repeat(",", min(i, 1)), i, strings.Repeat("Reads a file. ", 100))
	}
	b.WriteString(`],"messages":[{"role":"user","content":"go"}`)
	line := strings.Repeat(`\tif err := read(\"a/b.go\"); err != nil {\n`, 60)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"Next I read file %d."},{"type":"tool_use","id":"c%d","name":"tool1","input":{"path":"a/b%d.go"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"%s"}]}`, i, i, i, i, line)
	}
	b.WriteString(`],"stream":true}`)
	return []byte(b.String())
}

// BenchmarkScan: a request that begins as the last one did, a request that nobody
// knows, and, to compare, a copy of the bytes (X9).
func BenchmarkScan(b *testing.B) {
	for _, size := range []int{400 << 10, 4 << 20} {
		body := longBody(size)
		first, err := wire.Anthropic{}.Scan("/v1/messages", body, nil)
		if err != nil {
			b.Fatal(err)
		}
		known := first.Messages[:len(first.Messages)-2]
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("known", func() { _, _ = wire.Anthropic{}.Scan("/v1/messages", body, known) })
		run("unknown", func() { _, _ = wire.Anthropic{}.Scan("/v1/messages", body, nil) })
		run("copy", func() { _ = bytes.Clone(body) })
	}
}
