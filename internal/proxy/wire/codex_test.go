package wire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// A handle is read back as it was written, and nothing else is a handle (X4).
func TestX4HandlesAreReadBackAndNothingElseIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9_-][A-Za-z0-9_.-]{0,60}`)
		h := wire.Handle{Conversation: id.Draw(t, "conversation"), Epoch: id.Draw(t, "epoch")}
		text := h.String()
		if got, ok := wire.ParseHandle(text); !ok || got != h {
			t.Fatalf("%q is read as %+v, %v", text, got, ok)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		for _, forged := range []string{text[:at], text[:at] + "\x1b[2J" + text[at:], text + "/", " " + text, strings.ToUpper(text[:8]) + text[8:]} {
			if got, ok := wire.ParseHandle(forged); ok && got.String() != forged {
				t.Fatalf("%q is read as %+v", forged, got)
			} else if ok && strings.ContainsAny(forged, "\x1b/ ") {
				t.Fatalf("%q is a handle", forged)
			}
		}
	})
	for _, text := range []string{
		"", "gAAAAABqX1a78", "tenfold.1.", "tenfold.1.3.abc.", "tenfold.1.0..x", "tenfold.1.-1.a.b", "tenfold.1.+3.abc.d", "tenfold.1.03.abc.d",
		"tenfold.1.99999999999999999999.a.b", "tenfold.2.3.abc.d", "tenfold.1.3.a/c.d", "tenfold.1.3...c.d", "tenfold.1.3.abc." + strings.Repeat("x", 129),
	} {
		if h, ok := wire.ParseHandle(text); ok {
			t.Errorf("%q is read as %+v", text, h)
		}
	}
	if text := (wire.Handle{Conversation: "a b", Epoch: "c"}).String(); text != "" {
		t.Errorf("an id with a space stands in %q", text)
	}
}

const triggering = `{"model":"gpt-5.5","stream":true,"input":[
	{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]},
	{"type":"compaction","id":"cmp_1","encrypted_content":"tenfold.1.3.abc.cmp_7"},
	{"type":"compaction","id":"cmp_2","encrypted_content":"gAAAAABqX1a78"},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"tenfold.1.3.abc.cmp_8"}]},
	{"encrypted_content":"tenfold.1.3.def.cmp_9","type":"compaction"},
	{"type":"reasoning","summary":[],"encrypted_content":"tenfold.1.3.abc.cmp_6"},
	{"type":"compaction_trigger"}]}`

// A request that ends in the trigger asks for a compaction; our handles are found in
// it, and nobody else's (X4).
func TestX4TriggersAndHandlesAreFound(t *testing.T) {
	t.Parallel()
	r, err := wire.OpenAIResponses{}.Scan("/v1/responses", []byte(triggering), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := wire.Handles(r)
	if !wire.Triggered(r) || len(got) != 2 || got[0] != (wire.Placed{Handle: wire.Handle{Conversation: "abc", Epoch: "cmp_7"}, Message: 1}) ||
		got[1] != (wire.Placed{Handle: wire.Handle{Conversation: "def", Epoch: "cmp_9"}, Message: 4}) {
		t.Errorf("triggered %v, handles %+v", wire.Triggered(r), got)
	}
	if !r.Messages[1].Model || r.Messages[0].Model || r.Messages[6].Model {
		t.Error("a compaction is the model's, a trigger the client's")
	}
	long := strings.Replace(triggering, `"id":"cmp_1"`, `"id":"`+strings.Repeat("x", 5000)+`"`, 1)
	if r, err := (wire.OpenAIResponses{}).Scan("", []byte(long), nil); err != nil || len(wire.Handles(r)) != 1 {
		t.Error("an item larger than any of ours was read")
	}
	for _, body := range []string{`{"input":[]}`, `{"input":"compaction_trigger"}`, `{"input":[{"type":"compaction_trigger"},{"role":"user","content":"x"}]}`} {
		if r, err := (wire.OpenAIResponses{}).Scan("/v1/responses", []byte(body), nil); err != nil || wire.Triggered(r) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// The answer to a trigger holds one item, and is heard as what a vendor answers.
func TestX4TheAnswerToATriggerIsOneCompactionItem(t *testing.T) {
	t.Parallel()
	h := wire.Handle{Conversation: "abc", Epoch: "cmp_7"}
	usage := tenfold.Usage{Model: "gpt-5.5", Input: 10, CacheRead: 90, Output: 3}
	for _, stream := range []string{"true", "false"} {
		raw := []byte(strings.Replace(triggering, "true", stream, 1))
		r, err := wire.OpenAIResponses{}.Scan("/v1/responses", raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		kind, body := wire.AnswerHandle(r, h, usage)
		l := wire.OpenAIResponses{}.Listen(r)
		if _, err := l.Write(body); err != nil {
			t.Fatal(err)
		}
		got := l.Response()
		if (kind == wire.Event) != (stream == "true") || !got.Whole || !got.Known || got.Usage != usage || len(got.Entries) != 0 {
			t.Errorf("stream %s: %s %+v", stream, kind, got)
		}
		if n := strings.Count(string(body), `"encrypted_content":"`+h.String()+`"`); n != map[string]int{"true": 3, "false": 1}[stream] {
			t.Errorf("stream %s: the handle comes %d times", stream, n)
		}
	}
}
