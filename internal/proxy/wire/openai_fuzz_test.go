package wire_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// FuzzOpenAIRequests scans, reads and edits whatever comes: what is taken for a
// request and not changed stays as it is, and what is changed is JSON again.
func FuzzOpenAIRequests(f *testing.F) {
	for _, raw := range []string{
		codexLike, chatLike, triggering, `{"input":"x"}`, `{"messages":[{"role":"user","content":["a",{"type":"text","text":1}]}]}`,
		`{"input":[{"type":"x_call","call_id":"a"},{"type":"x_call_output","call_id":"a","output":{"b":[]}},{"type":"message","role":"assistant","content":[{"text":"a"},{"b":1}]}]}`,
		`{"input":[{"":"","0":[]},{"type":"reasoning"}]}`, // it answers nothing
		`{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":{}}},{"custom":{"input":"\ud800"}}],"content":{}}]}`,
	} {
		f.Add([]byte(raw), uint16(0xffff))
	}
	f.Fuzz(func(t *testing.T, raw []byte, keep uint16) {
		for _, v := range openAI() {
			r, err := v.Scan(v.path, raw, nil)
			if err != nil {
				continue
			}
			wire.Triggered(r)
			wire.Handles(r)
			if _, err := v.Head(r); err != nil {
				continue
			}
			var all, some []tenfold.Item
			pieces := make([][]wire.Piece, len(r.Messages))
			for i := range r.Messages {
				if pieces[i], err = v.Read(r, i); err != nil {
					break
				}
				for j := range pieces[i] {
					e := &pieces[i][j].Entry
					e.Seq = int64(len(all) + 1)
					it := tenfold.Item{Seq: e.Seq, Payload: e.Payload}
					all = append(all, it)
					if keep>>(e.Seq%16)&1 == 1 {
						it.Fate = tenfold.Trimmed
						if m, ok := it.Payload.(tenfold.ToolResult); ok {
							m.Parts = tenfold.Text("shorter")
							it.Payload = m
						}
						some = append(some, it)
					}
				}
			}
			if err != nil || len(r.Messages) == 0 || raw[r.First-1] != '[' {
				continue
			}
			prefix, err := v.Edit(r, len(r.Messages), pieces, all)
			if err != nil {
				t.Fatalf("nothing is to change: %v", err)
			}
			again, err := v.Scan(v.path, r.With(prefix, len(r.Messages)), nil)
			if err != nil || len(again.Messages) != len(r.Messages) || again.Messages[len(r.Messages)-1].Chain != r.Messages[len(r.Messages)-1].Chain {
				t.Fatalf("%v: %q became %q", err, raw, prefix)
			}
			if prefix, err = v.Edit(r, len(r.Messages), pieces, some); err == nil {
				if _, err := v.Scan(v.path, r.With(prefix, len(r.Messages)), nil); err != nil {
					t.Fatalf("%v: %q became %q", err, raw, prefix)
				}
			}
		}
	})
}

// FuzzOpenAIAnswers hears whatever comes, in one piece and in two.
func FuzzOpenAIAnswers(f *testing.F) {
	for _, a := range answers() {
		f.Add([]byte(a.stream), 100)
		f.Add([]byte(a.whole), 7)
	}
	f.Fuzz(func(t *testing.T, raw []byte, cut int) {
		cut = min(max(cut, 0), len(raw))
		for _, a := range answers() {
			one := hear(a.protocol, string(raw))
			two := hear(a.protocol, string(raw[:cut]), string(raw[cut:]))
			if one.Whole != two.Whole || len(one.Entries) != len(two.Entries) || one.Usage != two.Usage {
				t.Fatalf("in one piece %+v, in two %+v", one, two)
			}
		}
	})
}
