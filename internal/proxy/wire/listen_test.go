package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// talker is a protocol with the streams that its vendor publishes.
type talker struct {
	wire.Protocol
	path    string
	request string
	streams []string
}

func talkers(t testing.TB) []talker {
	t.Helper()
	streams := func(vendor string) (list []string) {
		names, err := filepath.Glob("../../../provider/" + vendor + "/testdata/*.sse")
		if err != nil || len(names) == 0 {
			t.Fatal(vendor, err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(raw))
		}
		return list
	}
	return []talker{
		{wire.Anthropic{}, "/v1/messages", `{"model":"m","messages":[{"role":"user","content":"go"}]`, streams("anthropic")},
		{wire.Gemini{}, "/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"go"}]}]`, streams("gemini")},
		{wire.Gemini{}, "/v1internal:streamGenerateContent?alt=sse", `{"model":"m","request":{"contents":[{"role":"user","parts":[{"text":"go"}]}]}`, nil},
	}
}

func (v talker) scan(t rapid.TB, rest string) *wire.Request {
	t.Helper()
	r, err := v.Scan(v.path, []byte(v.request+rest+"}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func heard(l wire.Listener, chunks ...string) wire.Response {
	for _, c := range chunks {
		if n, err := l.Write([]byte(c)); n != len(c) || err != nil {
			panic(err)
		}
	}
	return l.Response()
}

// However a stream is cut into pieces, it says the same; one that ends too soon is
// not whole, and says no more than it did (X1).
func TestX1AnyChunksSayTheSame(t *testing.T) {
	t.Parallel()
	for _, v := range talkers(t) {
		r := v.scan(t, "")
		for _, stream := range v.streams {
			want := heard(v.Listen(r), stream)
			if !want.Whole || !want.Known || len(want.Entries) == 0 || want.Usage.Output == 0 {
				t.Errorf("%+v of\n%s", want, stream)
			}
			rapid.Check(t, func(t *rapid.T) {
				l := v.Listen(r)
				for rest := stream; rest != ""; {
					n := rapid.IntRange(1, 60).Draw(t, "bytes")
					chunk := rest[:min(n, len(rest))]
					buffer := []byte(chunk)
					if _, err := l.Write(buffer); err != nil {
						t.Fatal(err)
					}
					clear(buffer) // it is the server's again
					rest = rest[len(chunk):]
				}
				if d := cmp.Diff(want, l.Response()); d != "" {
					t.Error(d)
				}
				cut := heard(v.Listen(r), stream[:rapid.IntRange(0, len(stream)).Draw(t, "cut")])
				if len(cut.Entries) > len(want.Entries) {
					t.Errorf("a cut stream says more: %+v", cut)
				}
				// Older models of Gemini give every chunk a reason to stop: there only the
				// transport knows of a cut.
				if cut.Whole && v.Name() != "gemini" {
					if d := cmp.Diff(want, cut); d != "" {
						t.Errorf("a cut stream is whole: %s", d)
					}
				}
			})
		}
	}
}

// What we answer in Anthropic's place is heard as an answer, streamed or not (X4).
func TestX4AnswersAreHeardAsTheVendorsAre(t *testing.T) {
	t.Parallel()
	usage := tenfold.Usage{Model: "m", Input: 7, CacheRead: 90, Output: 3}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Filter(func(s string) bool { return s != "" }).Draw(t, "text")
		r := &wire.Request{Model: "m", Stream: rapid.Bool().Draw(t, "stream")}
		kind, body := wire.AnswerText(r, text, usage)
		if (kind == wire.Event) != r.Stream {
			t.Errorf("stream %v is answered as %s", r.Stream, kind)
		}
		got := heard(wire.Anthropic{}.Listen(r), string(body))
		if len(got.Entries) == 1 {
			got.Entries[0].MessageID = ""
		}
		want := wire.Response{
			Entries: []tenfold.Entry{{Payload: tenfold.AssistantMessage{Text: text}}},
			Usage:   usage, Known: true, Whole: true,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s of\n%s", d, body)
		}
	})
}

// An answer of Gemini's is heard as it is read when the client sends it back, whatever a
// signature stands on: else it would be taken for another answer, and the one that was
// heard for taken back (X2).
func TestX2GeminiIsHeardAsItIsRead(t *testing.T) {
	t.Parallel()
	const thought, call = `{"text":"hm","thought":true}`, `{"functionCall":{"name":"ls","args":{}},"thoughtSignature":"c2ln"}`
	for _, parts := range []string{
		call, thought + "," + call, `{"text":"hm","thought":true,"thoughtSignature":"b3Ro"},` + call, thought + `,{"text":"I look."},` + call,
		thought + `,{"text":"Done.","thoughtSignature":"c2ln"}`, thought + `,{"text":"Done."},{"text":"","thoughtSignature":"c2ln"}`,
	} {
		said := `{"role":"model","parts":[` + parts + `]}`
		v := wire.Gemini{}
		r, err := v.Scan("/v1beta/models/m:generateContent", []byte(`{"contents":[{"role":"user","parts":[{"text":"go"}]},`+said+`]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := v.Read(r, 1)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []tenfold.Payload
		for _, p := range pieces {
			want = append(want, p.Entry.Payload)
		}
		for _, e := range heard(v.Listen(r), `{"candidates":[{"content":`+said+`,"finishReason":"STOP"}]}`).Entries {
			got = append(got, e.Payload)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", parts, d)
		}
	}
}

// What a vendor says went wrong is the request's fault, its length's, or neither
// (X6).
func TestX6Refusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   wire.Refusal
	}{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3: thinking blocks are bound to a different conversation"}}`, wire.Invalid},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, wire.TooLong},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, wire.TooLong},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, wire.Passing},
		{401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, wire.Passing},
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: m"}}`, wire.Passing},
		{502, `<html>Bad gateway</html>`, wire.Passing},
		{400, `{"error":{"code":400,"message":"Please ensure that function call turn comes immediately after a user turn","status":"INVALID_ARGUMENT"}}`, wire.Invalid},
		{400, `[{"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, wire.TooLong},
		{429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota"}}`, wire.Passing},
	} {
		if got := wire.RefusalOf(c.status, []byte(c.body)); got != c.want {
			t.Errorf("%d %s: %d, want %d", c.status, c.body, got, c.want)
		}
	}
}

// Errors in a stream, endless lines and other odd answers are not whole.
func TestX1OddAnswersAreNotWhole(t *testing.T) {
	t.Parallel()
	for _, v := range talkers(t) {
		for _, answer := range []string{
			"", "data: {", "data: []\n\n", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
			"<html>", "[", "{", `{"error":{"code":500}}`, "data: {\"type\":\"content_block_stop\",\"index\":9}\n\n", "\xff\xfe",
		} {
			if got := heard(v.Listen(v.scan(t, "")), answer); got.Whole || len(got.Entries) > 0 {
				t.Errorf("%s %q: %+v", v.Name(), answer, got)
			}
		}
		l := v.Listen(v.scan(t, ""))
		chunk := strings.Repeat("x", 8<<20)
		for range 9 {
			_, _ = l.Write([]byte(chunk))
		}
		if got := l.Response(); got.Whole {
			t.Errorf("%s: an answer of 72 MB is whole", v.Name())
		}
	}
}

func TestX2aKinds(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]wire.Kind{
		"POST /v1/messages":                                  wire.Generate,
		"POST /v1/messages?beta=true":                        wire.Generate,
		"POST /anthropic/v1/messages/count_tokens?beta=true": wire.Count,
		"GET /v1/messages":                                   wire.Other,
		"POST /v1/messages/batches":                          wire.Other,
		"HEAD /api/hello":                                    wire.Other,
		"POST /v1beta/models/gemini-x:generateContent":       wire.Generate,
		"POST /v1/projects/p/locations/l/publishers/google/models/g:streamGenerateContent?alt=sse": wire.Generate,
		"POST /v1alpha/models/g:countTokens":             wire.Count,
		"POST /v1internal:streamGenerateContent?alt=sse": wire.Generate,
		"POST /v1internal:countTokens":                   wire.Count,
		"POST /v1internal:loadCodeAssist":                wire.Other,
		"POST /v1beta/models/g:embedContent":             wire.Other,
		"POST /v1beta/cachedContents":                    wire.Other,
	} {
		method, path, _ := strings.Cut(request, " ")
		if _, got, ok := wire.Of(method, path); got != want || ok != (want != wire.Other) {
			t.Errorf("%s: %d, want %d", request, got, want)
		}
	}
}
