package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// An answer is one as a vendor streams it, whole, and as it comes back.
type answered struct {
	protocol      wire.Protocol
	stream, whole string
	// back is a request with what a client sends back of it from message first on.
	back  string
	first int
	usage tenfold.Usage
}

func answers() map[string]answered {
	item := strings.NewReplacer("\n", "", "\t", "")
	const reasoning = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Läuft"},{"type":"summary_text","text":"gut"}],"content":null,"encrypted_content":"gAAA=="}`
	const said = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"a <b> \"c\"\n","annotations":[]},{"type":"refusal","refusal":"No."}]}`
	const call = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"exec","arguments":"{\"cmd\":\"ls\"}","status":"completed"}`
	const custom = `{"type":"custom_tool_call","id":"ctc_1","call_id":"call_2","name":"apply_patch","input":"*** <\u003e\n\u00e9"}`
	const search = `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}}`
	const shell = `{"type":"local_shell_call","id":"ls_1","call_id":"call_3","action":{"type":"exec","command":["ls"]}}`
	const used = `{"input_tokens":100,"input_tokens_details":{"cached_tokens":90},"output_tokens":7,"total_tokens":107}`
	items := []string{reasoning, said, call, custom, search, shell}
	var b strings.Builder
	b.WriteString("event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"gpt-5.5\",\"output\":[]}}\n\n: ping\n\n")
	for _, i := range []int{0, 1, 2, 2, 3, 4} { // one comes twice
		it := items[i]
		b.WriteString("event: response.output_item.done\r\ndata: {\"type\":\"response.output_item.done\",\"output_index\":" + string(rune('0'+i)) + ",\r\ndata: \"item\":" + it + "}\r\n\r\n")
	}
	list := "[" + strings.Join(items, ",") + "]" // the last has no event of its own
	b.WriteString("event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"model\":\"gpt-5.5\",\"status\":\"completed\",\"output\":" + list + ",\"usage\":" + used + "}}\n\n")
	usage := tenfold.Usage{Model: "gpt-5.5", Input: 10, CacheRead: 90, Output: 7}
	out := map[string]answered{"responses": {
		protocol: wire.OpenAIResponses{}, stream: b.String(),
		whole: `{"id":"resp_1","object":"response","model":"gpt-5.5","status":"completed","output":` + list + `,"usage":` + used + `}`,
		// Codex writes what it got anew: other spacing, other escapes, metadata.
		back:  strings.ReplaceAll(strings.ReplaceAll(`{"input": [ `+strings.Join(items, " ,\n ")+` ]}`, `\u003e`, `>`), `"status":"completed"`, `"status" : "completed"`),
		usage: usage,
	}}
	out["chat"] = answered{
		protocol: wire.OpenAIChat{},
		stream: `data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-5.5","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"reasoning_content":"Läuft "}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"reasoning_content":"gut"}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"a <b>"}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":" \"c\"\n"}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"exec","arguments":"{\"cmd\""}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\"ls\"}"}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"custom","custom":{"name":"apply_patch","input":"*** "}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"custom":{"input":"<\u003e"}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":90}}}

data: [DONE]

`,
		whole: `{"id":"c1","object":"chat.completion","model":"gpt-5.5","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"Läuft gut","content":"a <b> \"c\"\n","refusal":null,"annotations":[],
			"tool_calls":[{"id":"call_1","type":"function","function":{"name":"exec","arguments":"{\"cmd\":\"ls\"}"}},{"id":"call_2","type":"custom","custom":{"name":"apply_patch","input":"*** <>"}}]},"finish_reason":"tool_calls"}],
			"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":90}}}`,
		back: item.Replace(`{"messages":[{"role":"system","content":"S"},{"role":"assistant","content":"a <b> \"c\"\n","reasoning_content":"Läuft gut","tool_calls":[
			{"id":"call_1","type":"function","function":{"name":"exec","arguments":"{\"cmd\":\"ls\"}"}},{"id":"call_2","type":"custom","custom":{"name":"apply_patch","input":"*** <>"}}]}]}`),
		first: 1, usage: usage,
	}
	return out
}

// hear gives what a listener hears of pieces of a body.
func hear(p wire.Protocol, pieces ...string) wire.Response {
	l := p.Listen(&wire.Request{Model: "gpt-5.5"})
	for _, piece := range pieces {
		_, _ = l.Write([]byte(piece))
	}
	return l.Response()
}

// What is heard of an answer is what is read of it when the client sends it back,
// streamed or whole (X1).
func TestX1WhatOpenAIAnswersIsHeardAsItComesBack(t *testing.T) {
	t.Parallel()
	for name, a := range answers() {
		r, err := a.protocol.Scan("", []byte(a.back), nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []tenfold.Payload
		for i := a.first; i < len(r.Messages); i++ {
			pieces, err := a.protocol.Read(r, i)
			if err != nil || !r.Messages[i].Model {
				t.Fatalf("%s: message %d: %v", name, i, err)
			}
			for _, p := range pieces {
				want = append(want, p.Entry.Payload)
			}
		}
		for _, said := range []string{a.stream, a.whole} {
			got := hear(a.protocol, said)
			var payloads []tenfold.Payload
			for _, e := range got.Entries {
				payloads = append(payloads, e.Payload)
			}
			if !reflect.DeepEqual(payloads, want) || len(want) < 4 {
				t.Errorf("%s: heard\n%+v\nread\n%+v", name, payloads, want)
			}
			if !got.Whole || !got.Known || got.Usage != a.usage {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// However a stream is cut into pieces, the same is heard; what ends too soon is not
// whole (X1).
func TestX1StreamsOfOpenAIAreHeardHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	for name, a := range answers() {
		for _, said := range []string{a.stream, a.whole} {
			whole := hear(a.protocol, said)
			rapid.Check(t, func(t *rapid.T) {
				var pieces []string
				for rest := said; rest != ""; {
					n := rapid.IntRange(1, min(len(rest), rapid.SampledFrom([]int{1, 3, 400, 10000}).Draw(t, "most"))).Draw(t, "n")
					pieces, rest = append(pieces, rest[:n]), rest[n:]
				}
				if got := hear(a.protocol, pieces...); !reflect.DeepEqual(got, whole) {
					t.Fatalf("%s: heard %+v, want %+v", name, got, whole)
				}
				end := rapid.IntRange(0, len(said)*3/4).Draw(t, "end")
				if got := hear(a.protocol, said[:end]); got.Whole || len(got.Entries) > len(whole.Entries) {
					t.Fatalf("%s: cut after %d bytes: %+v", name, end, got)
				}
			})
		}
	}
}

// Errors of vendors mean what they say (X6).
func TestX6RefusalsOfOpenAI(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status int
		is     wire.Refusal
	}{
		`{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}`: {400, wire.TooLong},
		`{"error":{"message":"No tool output found for function call call_1.","type":"invalid_request_error","param":"input","code":null}}`:            {400, wire.Invalid},
		`{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`:  {400, wire.Invalid},
		`{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`:                                   {401, wire.Passing},
		`{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`:                                                      {429, wire.Passing},
		`{"detail":"Unauthorized"}`: {403, wire.Passing},
		`<html>Bad gateway</html>`:  {502, wire.Passing},
		`{"error":{"message":"x"}}`: {422, wire.Invalid},
		``:                          {500, wire.Passing},
	} {
		if got := wire.RefusalOf(want.status, []byte(body)); got != want.is {
			t.Errorf("%d %s: %d, want %d", want.status, body, got, want.is)
		}
	}
}

// An answer may have ended early, and its last event may hold no items (X1).
func TestX1AnswersOfOpenAIEndForAReason(t *testing.T) {
	t.Parallel()
	a := answers()["responses"]
	got := hear(a.protocol, strings.Replace(strings.Replace(a.whole, `"status":"completed","output"`, `"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output"`, 1), "gpt-5.5", "m", 1))
	if !got.Whole || got.Usage.Model != "m" {
		t.Errorf("incomplete: %+v", got)
	}
	before, _, _ := strings.Cut(a.stream, "event: response.completed")
	got = hear(a.protocol, before, `data: {"type":"response.completed","response":{"id":"resp_1","output":[]}}`+"\n\n")
	if !got.Whole || got.Known || len(got.Entries) != 6 {
		t.Errorf("without items: %+v", got)
	}
	got = hear(a.protocol, before, `data: {"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"too long"}}}`+"\n\n")
	if got.Whole || len(got.Entries) != 6 {
		t.Errorf("failed: %+v", got)
	}
}

// Which messages OpenAI calls commentary is recorded, of requests and of answers: who goes on
// with the conversation gives it back.
func TestX2PhasesAreRecorded(t *testing.T) {
	t.Parallel()
	const commentary = `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}`
	const final = `{"role":"assistant","phase":"final_answer","content":"It is done."}`
	r, err := wire.OpenAIResponses{}.Scan("", []byte(`{"input":[`+commentary+`,`+final+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []tenfold.AssistantMessage{{Text: "I look.", Phase: "commentary"}, {Text: "It is done.", Phase: "final_answer"}} {
		pieces, err := wire.OpenAIResponses{}.Read(r, i)
		if err != nil || len(pieces) != 1 || pieces[0].Entry.Payload != want {
			t.Errorf("message %d: %+v, %v", i, pieces, err)
		}
	}
	got := hear(wire.OpenAIResponses{}, `{"id":"resp_1","object":"response","status":"completed","output":[`+commentary+`]}`)
	if want := (tenfold.AssistantMessage{Text: "I look.", Phase: "commentary"}); len(got.Entries) != 1 || got.Entries[0].Payload != want {
		t.Errorf("heard %+v", got.Entries)
	}
}
