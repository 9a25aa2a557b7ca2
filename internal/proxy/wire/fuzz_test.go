package wire_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

const (
	claudeLike = `{"model":"m","system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"x"},{"type":"tool_use","id":"a","name":"t","input":{"cache_control":1}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"out","cache_control":{}},{"type":"image","source":{"type":"url","url":"u"}}]},{"type":"text","text":"and"}]},` +
		`{"role":"system","content":"left"},{"role":"assistant","content":"done"}],"tools":[{"name":"t","input_schema":{}}],"stream":true}`
	geminiLike = `{"model":"gemini-3","request":{"contents":[{"parts":[{"text":"go"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},` +
		`{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":{"name":"r","args":{}},"thoughtSignature":"x"},{"functionCall":{"name":"r"}},{"executableCode":{}}]},` +
		`{"role":"function","parts":[{"functionResponse":{"name":"r","response":{"output":"o"}}},{"functionResponse":{"id":"n","name":"r","response":{"a":1}}}]}],"systemInstruction":{"parts":[{"text":"s"}]}}}`
)

// FuzzRequests scans, reads and edits whatever comes: what is taken for a request
// and not changed stays as it is, and what is changed is a request again.
func FuzzRequests(f *testing.F) {
	for _, raw := range []string{
		claudeLike, geminiLike, `{"messages":[]}`, `{"messages":[{"role":"user","content":[]}]}`,
		`{"messages":[{"role":"user","content":[{"cache_control":{},"type":"text","text":"\ud800"}]},{"role":"assistant","content":""}]}`,
		`{"generateContentRequest":{"contents":[{"parts":[{}]}]}}`,
	} {
		f.Add([]byte(raw), uint16(0xffff))
		f.Add([]byte(raw), uint16(0x5555))
	}
	f.Fuzz(func(t *testing.T, raw []byte, keep uint16) {
		for _, v := range append(vendors(), vendor{opener: wire.Gemini{}, path: "/v1internal:generateContent"}) {
			fuzzRequest(t, v, raw, keep)
		}
	})
}

func fuzzRequest(t *testing.T, v vendor, raw []byte, keep uint16) {
	r, err := v.Scan(v.path, raw, nil)
	if err != nil {
		return
	}
	if again, err := v.Scan(v.path, raw, r.Messages); err != nil || outline(again) != outline(r) || again.Same != len(r.Messages) {
		t.Fatalf("known: %v, %s\nwant\n%s", err, outline(again), outline(r))
	}
	_, _ = v.Head(r)
	pieces := make([][]wire.Piece, len(r.Messages))
	var some []tenfold.Item
	seq := int64(0)
	for i := range r.Messages {
		if pieces[i], err = v.Read(r, i); err != nil {
			return
		}
		for j := range pieces[i] {
			e := &pieces[i][j].Entry
			seq++
			e.Seq = seq
			if keep>>(seq%16)&1 == 0 {
				continue
			}
			it := tenfold.Item{Seq: seq, Payload: e.Payload, Fate: tenfold.Trimmed}
			switch p := it.Payload.(type) {
			case tenfold.ToolResult:
				p.Parts = tenfold.Text("shorter")
				it.Payload = p
			case tenfold.UserMessage:
				p.Parts = append(tenfold.Text("note"), p.Parts...)
				it.Payload = p
			case tenfold.ToolCall:
				p.Arguments = `{"a":1}`
				it.Payload = p
			}
			some = append(some, it)
		}
	}
	n := len(r.Messages)
	prefix, err := v.Edit(r, n, pieces, kept(pieces))
	if err != nil {
		t.Fatalf("nothing is to change: %v", err)
	}
	again, err := v.Scan(v.path, r.With(prefix, n), nil)
	if err != nil || len(again.Messages) != n || (n > 0 && again.Messages[n-1].Chain != r.Messages[n-1].Chain) {
		t.Fatalf("%v: %q became %q", err, raw, prefix)
	}
	if prefix, err = v.Edit(r, n, pieces, some); err != nil {
		t.Fatalf("edit %q: %v", raw, err)
	}
	if again, err = v.Scan(v.path, r.With(prefix, n), nil); err != nil {
		t.Fatalf("%v: %q became %q", err, raw, prefix)
	}
	for i := range again.Messages {
		if _, err := v.Read(again, i); err != nil {
			t.Fatalf("%v: %q became %q", err, raw, prefix)
		}
	}
}

// FuzzAnswers hears whatever comes, in one piece and in two.
func FuzzAnswers(f *testing.F) {
	for _, v := range talkers(f) {
		for _, stream := range v.streams {
			f.Add([]byte(stream), 100)
		}
	}
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`), 9)
	f.Add([]byte(`[{"response":{"candidates":[{"content":{"parts":[{"functionCall":{"name":"r"}}]},"finishReason":"STOP"}]}}]`), 40)
	f.Fuzz(func(t *testing.T, raw []byte, cut int) {
		cut = min(max(cut, 0), len(raw))
		for _, p := range []wire.Protocol{wire.Anthropic{}, wire.Gemini{}} {
			one, two := hear(p, string(raw)), hear(p, string(raw[:cut]), string(raw[cut:]))
			if one.Whole != two.Whole || len(one.Entries) != len(two.Entries) || one.Usage != two.Usage {
				t.Fatalf("in one piece %+v, in two %+v", one, two)
			}
		}
	})
}
