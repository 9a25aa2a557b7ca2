package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tenfold"
	"tenfold/provider"
)

// takes is a decoder that stops at "stop" and fails at "bad".
type takes struct{}

func (takes) Take(_ string, data []byte) ([]provider.Event, error) {
	list := []provider.Event{{Text: string(data)}}
	switch string(data) {
	case "[0]":
		list[0].Stop = provider.StopEnd
	case "[1]":
		return list, errors.New("bad")
	}
	return list, nil
}

func (takes) End() ([]provider.Event, error) { return nil, nil }

// However a stream ends, what it said is given, and why it ended is told.
func TestRead(t *testing.T) {
	broken := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	for _, c := range []struct {
		name      string
		in        io.Reader
		want, err string
	}{
		{"stopped", strings.NewReader("data: 1\n\ndata: [0]\n\ndata: 2\n\n"), "1[0]", ""},
		{"stopped at its end", strings.NewReader("data: 1\n\ndata: [0]"), "1[0]", ""},
		{"stopped and broken", broken("data: [0]\n\n"), "[0]", ""},
		{"left", strings.NewReader("data: 1\n\ndata: {}\n\ndata: 2\n\n"), "1{}", ""},
		{"left at its end", strings.NewReader("data: 1\n\ndata: {}"), "1{}", ""},
		{"bad", strings.NewReader("data: [1]\n\ndata: [0]\n\n"), "[1]", "bad"},
		{"without a stop", strings.NewReader("data: 1\n\n"), "1", "the stream ended before the answer did"},
		{"cut", strings.NewReader("data: 1\n\ndata: {"), "1", "the connection ended before the answer did"},
		{"broken", broken("data: 1\n\ndata: 2"), "1", "the connection ended before the answer did"},
		{"lost", io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(errors.New("reset"))), "1", "the connection broke: reset"},
		{"as long as may be", strings.NewReader("data: 1\n\ndata: [0]" + strings.Repeat(" ", 32)), "1[0]" + strings.Repeat(" ", 32), "the stream ended before the answer did"},
		{"too long", strings.NewReader("data: 1\n\ndata: [0]" + strings.Repeat(" ", 33)), "1", "the answer is too long"},
	} {
		e := NewEndpoint("x/y", http.Header{}, provider.Options{})
		e.limit = 50
		got := ""
		err := e.read(c.in, takes{}, func(ev provider.Event) bool {
			got += ev.Text
			return ev.Text != "{}"
		})
		told := ""
		if p, ok := errors.AsType[*provider.Error](err); ok {
			told = p.Message
		}
		if got != c.want || told != c.err || (err == nil) != (c.err == "") {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, got, err, c.want, c.err)
		}
	}
}

func TestBlocksKeepBytes(t *testing.T) {
	const raw = `{"b":1.50,"a":"\u00e9\/","b":[1 , 2],"c":{"x":null}}`
	b, err := NewBlock([]byte(raw))
	if err != nil || string(b.Bytes()) != raw {
		t.Errorf("%s, %v", b.Bytes(), err)
	}
	b.Grow("a", "!")
	b.Set("c", []byte("7"))
	if got := string(b.Bytes()); got != `{"b":1.50,"a":"é/!","b":[1 , 2],"c":7}` {
		t.Error(got)
	}
	if _, err := NewBlock([]byte("[]")); !errors.Is(err, errNotJSON) {
		t.Errorf("a block of a list: %v", err)
	}
}

func TestClosed(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object"}`: `{"type":"object","additionalProperties":false} strict`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:          `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false} strict`,
		`{"properties":{"a":{"type":"string"}}}`:                                           `{"properties":{"a":{"type":"string"}},"additionalProperties":false}`,
		`{"type":"object","additionalProperties":true}`:                                    `{"type":"object","additionalProperties":true}`,
		`{"type":"array","items":{"type":"object","properties":{"a":{}},"required":[]}}`:   `{"type":"array","items":{"type":"object","properties":{"a":{}},"required":[],"additionalProperties":false}}`,
		`{"anyOf":[{"type":"object"},{"type":"null"}],"$defs":{"d":{"type":"object"}}}`:    `{"anyOf":[{"type":"object","additionalProperties":false},{"type":"null"}],"$defs":{"d":{"type":"object","additionalProperties":false}}} strict`,
		`{"oneOf":[{"type":"string"}]}`:                                                    `{"oneOf":[{"type":"string"}]}`,
		`{"type":"object","properties":{"properties":{"type":"string"}},"required":["x"]}`: `{"type":"object","properties":{"properties":{"type":"string"}},"required":["x"],"additionalProperties":false}`,
	} {
		got, strict := Closed([]byte(in))
		text := string(got)
		if strict {
			text += " strict"
		}
		if text != want {
			t.Errorf("%s:\n%s\nwant\n%s", in, text, want)
		}
	}
	deep := strings.Repeat(`{"type":"array","items":`, 200) + `{"type":"object"}` + strings.Repeat("}", 200)
	if _, strict := Closed([]byte(deep)); strict {
		t.Error("a schema too deep to follow is strict")
	}
}

func TestClean(t *testing.T) {
	e := NewEndpoint("x/y", http.Header{}, provider.Options{Key: "abcd1234efgh5678"})
	body := []byte(`{"messages":[{"content":"the harbour is \"closed\" today\nfor repairs"}]}`)
	for in, want := range map[string]string{
		"plain words":          "plain words",
		"a\r\nb\tc\x00d\u202e": "a b c d",
		"used abcd1234efgh5678, a piece d1234efg or sk-live_0123456789": "used [key] a piece [key] or [key]",
		"risk-averse sk-1 is none":                                      "risk-averse sk-1 is none",
		"Bearer ****7890 is wrong":                                      "Bearer [key] is wrong",
		`bad text: the harbour is "closed" today!`:                      "bad text: …!",
		"the harbour is shut":                                           "the harbour is shut", // 15 bytes in common
		"\xffodd":                                                       "�odd",
	} {
		if got := e.clean(in, body); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for n := range 12 {
		long := e.clean(strings.Repeat("é", 300+n)+strings.Repeat("y", 5000), nil)
		if len(long) > maxMessage || !strings.HasSuffix(long, "é…") {
			t.Errorf("%d bytes: %q", len(long), long)
		}
	}
}

func TestWait(t *testing.T) {
	date := "Mon, 02 Nov 2026 10:00:00 GMT"
	for _, c := range []struct {
		problem Problem
		want    time.Duration
	}{
		{Problem{Header: http.Header{"Retry-After": {"1.5"}}}, 1500 * time.Millisecond},
		{Problem{Header: http.Header{"Retry-After": {"-3"}}}, 0},
		{Problem{Header: http.Header{"Retry-After": {"soon"}, "Date": {date}}}, 0},
		{Problem{Header: http.Header{"Retry-After": {"Mon, 02 Nov 2026 09:00:00 GMT"}, "Date": {date}}}, 0},
		{Problem{Header: http.Header{"Retry-After": {"Mon, 02 Nov 2026 10:01:00 GMT"}}}, 0}, // no date: no clock is trusted
		{Problem{Header: http.Header{"Retry-After-Ms": {"1e300"}}}, 1e6 * time.Second},
		{Problem{Message: "Please try again in 6s."}, 6 * time.Second},
		{Problem{Message: "Please try again in a while."}, 0},
		{Problem{Status: 500, Header: http.Header{"X-Ratelimit-Reset-Requests": {"6s"}}}, 0},
		{Problem{Status: 429, Header: http.Header{"X-Ratelimit-Reset-Requests": {"6s"}, "X-Ratelimit-Reset-Tokens": {"1m"}}}, time.Minute},
	} {
		if got := c.problem.wait(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.problem, got, c.want)
		}
	}
}

func TestTokenFigures(t *testing.T) {
	for in, want := range map[string][2]int{
		"Requested tokens (516) exceed context window of 512":                                         {516, 512},
		"request (1,407 tokens) exceeds the available context size (1_024 tokens), try increasing it": {1407, 1024},
		"prompt is too long":                             {0, 0},
		"prompt is too long: 99999999999999999999 > 200": {999999999999, 200},
		"maximum context length is 4096 tokens":          {0, 4096},
	} {
		used, limit := tokenFigures(in)
		if got := [2]int{used, limit}; got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}

// The limit of an answer, in the words of vendors and gateways.
func TestMaxOutput(t *testing.T) {
	for text, want := range map[string]int{
		"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.":                                     16384,
		"max_tokens: 10000 > 4096, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20240620":                                        4096,
		"max_tokens: 128001 > 64,000, which is the maximum allowed number of output tokens for claude-opus-4-5-20251101":                                       64000,
		"Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 65536 (exclusive). Update…": 65535,
		"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model":               8192,
		"max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000":                                                                             8000,
		"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]":                                                                                 8192,
		"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]":                                                                   8192,
		"The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.":                   10000,
		"Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 20000 instead.":                                          16384,
		"input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again":                     0,
		"temperature: Input should be less than or equal to 1":                                                                                                 0,
		"max_output_tokens is too large":                              0,
		"max_tokens must be greater than 0":                           0,
		"This model supports at most 16384 images":                    0,
		"range is from 1 (inclusive) to 0 (exclusive) of max_tokens":  0,
		"max_tokens supports at most 999999999999999999999999 tokens": 999999999999,
		"": 0,
	} {
		if got := maxOutput(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCountTexts(t *testing.T) {
	c := tenfold.Chars4{}
	if got := CountTexts(c, []byte(`{"name":"12345678","list":["1234",{"deep":"1234"}],"n":7,"no":null}`)); got != 2+1+1+2*perObject {
		t.Errorf("%d tokens", got)
	}
	if got := CountTexts(c, []byte(`["`+strings.Repeat("QUJD", 1000)+`"]`)); got != 1000 {
		t.Errorf("%d tokens of opaque data", got)
	}
	if got := CountTexts(c, []byte(`{"a`)); got != perObject {
		t.Errorf("%d tokens of what is cut", got)
	}
}

func FuzzProblems(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"x","code":429}}`, `[{"error":"no"}]`, "<html>", `{"error":{"error":{"message":"{\"error\":{\"message\":\"y\"}}"}}}`, `{"details":[{"retryDelay":"1s"}]}`, "\xff"} {
		f.Add(400, s)
	}
	e := NewEndpoint("x/y", http.Header{}, provider.Options{Key: "abcd1234efgh5678"})
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := e.Failure(ParseProblem(status, nil, []byte(body)), []byte(body))
		if err.Kind == "" || len(err.Message) > maxMessage || strings.ContainsAny(err.Message, "\r\n") || strings.Contains(err.Message, "abcd1234efgh5678") {
			t.Errorf("%+v", err)
		}
	})
}
