package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// big is a request of about n bytes, before and after a message was added.
func big(n int) (wire.Protocol, []byte, []byte) {
	var b strings.Builder
	b.WriteString(`{"model":"m","tools":[` + strings.Repeat(`{"type":"function","name":"x","description":"`+strings.Repeat("words ", 60)+`"},`, 20) + `{"type":"web_search"}],"input":[{"role":"user","content":"Fix it."}`)
	i := 0
	for b.Len() < n {
		i++
		fmt.Fprintf(&b, `,{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"%s"},{"type":"function_call","call_id":"c%d","name":"exec","arguments":"{\"cmd\":\"cat %d\"}"},{"type":"function_call_output","call_id":"c%d","output":"%s"}`,
			i, strings.Repeat("gAAA", 200), i, i, i, strings.Repeat(`func main() {\n\tprintln(\"hello\")\n}\n`, 80))
	}
	old := b.String() + `]}`
	b.WriteString(`,{"role":"user","content":"Go on."}]}`)
	return wire.OpenAIResponses{}, []byte(old), []byte(b.String())
}

// BenchmarkX9OpenAI is what a request costs that adds one message to those known,
// what one costs that is new, and what reading and editing all of it does (X9).
func BenchmarkX9OpenAI(b *testing.B) {
	for _, n := range []int{400 << 10, 4 << 20} {
		p, old, body := big(n)
		r, err := p.Scan("", old, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("new/%d", n), func(b *testing.B) {
			for b.Loop() {
				_, _ = p.Scan("", body, nil)
			}
		})
		b.Run(fmt.Sprintf("known/%d", n), func(b *testing.B) {
			for b.Loop() {
				q, err := p.Scan("", body, r.Messages)
				if err != nil || q.Same != len(r.Messages) {
					b.Fatal(err, q.Same)
				}
				wire.Handles(q)
				wire.Triggered(q)
			}
		})
		b.Run(fmt.Sprintf("edit/%d", n), func(b *testing.B) {
			for b.Loop() {
				var shown []tenfold.Item
				pieces := make([][]wire.Piece, len(r.Messages))
				for i := range r.Messages {
					pieces[i], _ = p.Read(r, i)
					for j := range pieces[i] {
						e := &pieces[i][j].Entry
						e.Seq = int64(len(shown) + 1)
						it := tenfold.Item{Seq: e.Seq, Payload: e.Payload}
						if m, ok := it.Payload.(tenfold.ToolResult); ok {
							m.Parts = tenfold.Text("[compacted] exec: done")
							it.Payload, it.Fate = m, tenfold.Stripped
						}
						shown = append(shown, it)
					}
				}
				if _, err := p.Edit(r, len(r.Messages), pieces, shown); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
