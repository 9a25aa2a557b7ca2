package script_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
)

func TestParse(t *testing.T) {
	all, err := script.Parse([]byte(`# a play
{"reasoning":"Hm.","text":"It was baked.","usage":{"input":90,"output":7,"cache_read":3}}

{"answer":{"summary":"baked"},"before":"1s","each":"5ms","chunk":4}
{"calls":[{"id":"c1","name":"Read","arguments":{"path": "a"}},{"id":"c2","name":"List"}]}
{"error":{"kind":"rate_limited","message":"slow down","after":"2s"},"at":1,"text":"half"}
{"hang":true,"stop":"length"}`))
	if err != nil || len(all) != 5 {
		t.Fatal(len(all), err)
	}
	m := script.New(all[:1]...)
	got, err := provider.Collect(t.Context(), m, provider.Request{})
	if err != nil || got.Text() != "It was baked." || len(got.Blocks) != 2 || got.Usage != (tenfold.Usage{Input: 90, Output: 7, CacheRead: 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	if a := all[1]; a.Blocks[0] != (tenfold.AssistantMessage{Text: `{"summary":"baked"}`}) || a.Before != time.Second || a.Each != 5*time.Millisecond || a.Chunk != 4 {
		t.Errorf("%+v", a)
	}
	if a := all[2]; a.Blocks[0] != (tenfold.ToolCall{CallID: "c1", Name: "Read", Arguments: `{"path": "a"}`}) || a.Blocks[1] != (tenfold.ToolCall{CallID: "c2", Name: "List", Arguments: "{}"}) {
		t.Errorf("%+v", a)
	}
	var e *provider.Error
	if a := all[3]; !errors.As(a.Err, &e) || e.Kind != provider.RateLimited || e.After != 2*time.Second || a.At != 1 {
		t.Errorf("%+v", a)
	}
	if a := all[4]; !a.Hang || a.Stop != provider.StopLength {
		t.Errorf("%+v", a)
	}
	for text, want := range map[string]string{
		"{\"text\":\"a\"}\n{\"txet\":\"b\"}": "line 2: /txet is not known here",
		`{"text":5}`:                         "line 1: /text is a number, not a string",
		`{"error":{"after":"soon"}}`:         `line 1: /error/after should be a duration such as 2s, not "soon"`,
		"nonsense":                           "line 1",
		`{"before":"soon"}`:                  "line 1: /before",
	} {
		if _, err := script.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
