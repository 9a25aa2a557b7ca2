package logtest

import (
	"cmp"
	"encoding/json"
	"strings"

	"pgregory.net/rapid"

	"tenfold"
)

// HoldStubs checks what P5 says of stripped calls and results in a view without
// references: arguments are whole values of the record, no path that fits is gone,
// and no stub says something else than the record.
func HoldStubs(t rapid.TB, p *tenfold.Projection) {
	t.Helper()
	for it := range p.Items() {
		if it.Seq == 0 {
			continue
		}
		raw, _ := p.Log().Entry(it.Seq)
		was, _ := tenfold.Value(raw.Payload)
		switch got := it.Payload.(type) {
		case tenfold.ToolCall:
			call, _ := was.(tenfold.ToolCall)
			if got.Arguments == call.Arguments {
				continue
			}
			var left, all map[string]json.RawMessage
			if err := json.Unmarshal([]byte(got.Arguments), &left); err != nil {
				t.Fatalf("entry %d: %q is not an object: %v", it.Seq, got.Arguments, err)
			}
			if json.Unmarshal([]byte(call.Arguments), &all) != nil {
				continue
			}
			for name, value := range left {
				if string(value) != string(all[name]) {
					t.Fatalf("entry %d: %s is %s, it was %s", it.Seq, name, value, all[name])
				}
			}
			for _, name := range []string{"file_path", "path"} {
				if value, ok := all[name]; ok && len(value) <= 120 && left[name] == nil {
					t.Fatalf("entry %d: %s %s is gone", it.Seq, name, value)
				}
			}
		case tenfold.ToolResult:
			text := tenfold.TextLines(got)
			if it.Fate != tenfold.Kept && strings.Contains(text, "(recall ") {
				t.Fatalf("entry %d has a reference: %q", it.Seq, text)
			}
			if it.Fate != tenfold.Stripped {
				continue
			}
			_, stub, _ := strings.Cut(text, "[compacted] ")
			stub, _, _ = strings.Cut(stub, "\n")
			want := cmp.Or(string(was.(tenfold.ToolResult).Ended()), "done")
			if !strings.HasSuffix(stub, ": "+want) && !strings.Contains(stub, ": "+want+", ") {
				t.Fatalf("entry %d ended with %q, and is told as %q", it.Seq, want, stub)
			}
		}
	}
}
