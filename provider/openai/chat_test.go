package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/openai"
	"tenfold/provider/providertest"
)

// spy sees bodies and answers nothing.
type spy func(body string)

// RoundTrip implements [http.RoundTripper].
func (f spy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	f(string(body))
	return nil, errors.Join(errors.New("offline"), err)
}

const wholeChat = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-5-2025-08-07","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","model":"gpt-5-2025-08-07","choices":[{"index":0,"delta":{"reasoning_content":"Think é"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"reasoning_content":" twice.","reasoning":null},"finish_reason":null}]}

: keep-alive

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"I will "},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"read both.","annotations":[{"n":1.50}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": \"a\\u00"}},{"index":1,"id":"call_b","type":"function","function":{"name":"read","arguments":"{\"path\":"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"b\"}"}},{"index":0,"function":{"arguments":"e9.go\", \"n\": 1.00}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":412,"completion_tokens":89,"total_tokens":501,"prompt_tokens_details":{"cached_tokens":400}}}

data: [DONE]

`

// ollama sends calls whole, without numbers, and says "stop".
const ollama = `data: {"id":"c-9","model":"qwen","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"","type":"function","function":{"name":"read","arguments":{"path":"a"}}}]},"finish_reason":null}]}

data: {"id":"c-9","model":"qwen","choices":[{"index":0,"delta":{"content":"","tool_calls":[{"id":"x","index":1,"type":"function","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":5.0,"completion_tokens":3}}

data: [DONE]

`

// zeros numbers all calls 0, and gives them no ids. One that comes in pieces may say its
// name in each.
const zeros = `data: {"id":"c-7","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"index":0,"function":{"name":"read","arguments":{"path":"b"}}}]}}]}

data: {"id":"c-7","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"list","arguments":""}}]}}]}

data: {"id":"c-7","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"list","arguments":"{\"in\":{}"}}]}}]}

data: {"id":"c-7","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"list","arguments":"}"}},{"index":0,"function":{"name":"list","arguments":""}}]}}]}

data: {"id":"c-7","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"custom":{"name":"patch","input":"+a"}},{"index":0,"custom":{"input":"+{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}

data: [DONE]

`

// repeats says the names in each piece: the first of its calls has an id, said once.
const repeats = `data: {"id":"c-9","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{}"}},{"index":0,"function":{"name":"read","arguments":"\n"}},{"index":0,"function":{"name":"list","arguments":{}}},{"index":0,"function":{"name":"list","arguments":{}}}]}}]}

data: {"id":"c-9","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"list","arguments":" \n"}},{"index":0,"function":{"name":"list","arguments":" {\"in\":"}},{"index":0,"function":{"name":"list","arguments":"{}}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}

data: [DONE]

`

func shortChat(name, reason, member string, stop provider.Stop) providertest.Answer {
	return providertest.Answer{
		Name: name, ID: "c-2", Stop: stop, Text: "no",
		Stream: `data: {"id":"c-2","model":"m","choices":[{"index":0,"delta":{"` + member + `":"no"},"finish_reason":"` + reason + `"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}` + "\n\ndata: [DONE]\n\n",
		Open:   len("\n\ndata: [DONE]"),
		Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "no"}},
		Usage:  tenfold.Usage{Model: "m", Input: 5, Output: 3},
	}
}

// publishedChat adds the stream of a file. It is whole once it gave the reason
// to stop: usage and the last word come behind that.
func publishedChat(t *testing.T, name, id, reason string, a providertest.Answer) providertest.Answer {
	t.Helper()
	a.Name, a.ID, a.Stream = "published "+name, id, providertest.Published(t, "chat_"+name+".sse")
	a.Open = len(a.Stream) - strings.Index(a.Stream, `"finish_reason":"`+reason+`"`)
	return a
}

const (
	messages = `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"` + providertest.Said + `"}],"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}}}]}`
	usageOn  = `"stream_options":{"include_usage":true}`
)

func TestChat(t *testing.T) {
	providertest.Run(t, providertest.Vendor{
		Open:   open("openai/gpt-5", openai.Chat),
		Header: "Authorization", Secret: "Bearer " + providertest.Key, Path: "/chat/completions",
		Addresses: map[string]string{
			"":                            "https://api.openai.com/v1/chat/completions",
			"https://host.example/v1/":    "https://host.example/v1/chat/completions",
			"http://127.0.0.1:8080/a/way": "http://127.0.0.1:8080/a/way/chat/completions",
		},
		Body: `{"model":"gpt-5","stream":true,` + usageOn + `,` + messages,
		Asked: `{"model":"gpt-5","stream":true,` + usageOn + `,"max_tokens":1000,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + closed + `,"strict":true}},` +
			`"tool_choice":"none",` + messages,
		Answers: []providertest.Answer{
			{
				Name: "everything", Stream: wholeChat, ID: "chatcmpl-1", Stop: provider.StopTools, Text: "I will read both.", Think: "Think é twice.",
				Usage: tenfold.Usage{Model: "gpt-5-2025-08-07", Input: 12, Output: 89, CacheRead: 400},
				// The reason to stop is known before usage and the last word.
				Open: len(wholeChat) - strings.Index(wholeChat, `"tool_calls"}]}`) - len(`"tool_calls"}]}`) - 2,
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "Think é twice."},
					tenfold.AssistantMessage{Text: "I will read both."},
					tenfold.ToolCall{CallID: "call_a", Name: "read", Arguments: `{"path": "a\u00e9.go", "n": 1.00}`},
					tenfold.ToolCall{CallID: "call_b", Name: "read", Arguments: `{"path":"b"}`},
					tenfold.ProviderItem{Provider: "openai-chat", Role: "assistant", Data: `{"annotations":[{"n":1.50}]}`},
				},
				Again: []string{`{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"path\": \"a\\u00e9.go\", \"n\": 1.00}"}}`},
			},
			{
				Name: "ollama", Stream: ollama, ID: "c-9", Stop: provider.StopTools, Open: len("\n\ndata: [DONE]"),
				Usage: tenfold.Usage{Model: "qwen", Input: 5, Output: 3},
				Blocks: []tenfold.Payload{
					tenfold.ToolCall{CallID: "c-9_call_0", Name: "read", Arguments: `{"path":"a"}`},
					tenfold.ToolCall{CallID: "x", Name: "read", Arguments: `{}`},
				},
			},
			{
				Name: "all calls numbered 0", Stream: zeros, ID: "c-7", Stop: provider.StopTools, Open: len("\n\ndata: [DONE]"),
				Usage: tenfold.Usage{Model: "m", Input: 5, Output: 3},
				Blocks: []tenfold.Payload{
					tenfold.ToolCall{CallID: "c-7_call_0", Name: "read", Arguments: `{"path":"a"}`},
					tenfold.ToolCall{CallID: "c-7_call_1", Name: "read", Arguments: `{"path":"b"}`},
					tenfold.ToolCall{CallID: "c-7_call_2", Name: "list", Arguments: `{"in":{}}`},
					tenfold.ToolCall{CallID: "c-7_call_3", Name: "patch", Arguments: `{"input":"+a+{}"}`, Custom: true},
				},
			},
			{
				Name: "names in each piece", Stream: repeats, ID: "c-9", Stop: provider.StopTools, Open: len("\n\ndata: [DONE]"),
				Usage: tenfold.Usage{Model: "m", Input: 5, Output: 3},
				Blocks: []tenfold.Payload{
					tenfold.ToolCall{CallID: "x", Name: "read", Arguments: "{}\n"},
					tenfold.ToolCall{CallID: "c-9_call_1", Name: "list", Arguments: `{}`},
					tenfold.ToolCall{CallID: "c-9_call_2", Name: "list", Arguments: "{} \n"},
					tenfold.ToolCall{CallID: "c-9_call_3", Name: "list", Arguments: ` {"in":{}}`},
				},
			},
			publishedChat(t, "text", "chatcmpl-123", "stop", providertest.Answer{
				Stop: provider.StopEnd, Text: "Good evening!",
				Usage:  tenfold.Usage{Model: "gpt-4o-mini-2024-07-18", Input: 19, Output: 10},
				Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "Good evening!"}},
			}),
			publishedChat(t, "tools", "chatcmpl-456", "tool_calls", providertest.Answer{
				Stop:  provider.StopTools,
				Usage: tenfold.Usage{Model: "gpt-4o-mini-2024-07-18", Input: 157, Output: 48, CacheRead: 1024},
				Blocks: []tenfold.Payload{
					tenfold.ToolCall{CallID: "call_DdmO", Name: "get_tide", Arguments: `{"harbour": "Poole"}`},
					tenfold.ToolCall{CallID: "call_fxH1", Name: "get_tide", Arguments: `{"harbour": "Rye"}`},
				},
			}),
			shortChat("length", "length", "content", provider.StopLength),
			shortChat("filter", "content_filter", "content", provider.StopRefused),
			shortChat("refusal", "stop", "refusal", provider.StopRefused),
			shortChat("end", "stop", "content", provider.StopEnd),
		},
		Events: []providertest.Failure{
			{Name: "error", Body: `data: {"error":{"message":"The server had an error","type":"server_error"}}` + "\n\n", Want: provider.Error{Kind: provider.Overloaded}},
			{Name: "code alone", Body: `data: {"error":{"message":"Provider returned error","code":429}}` + "\n\n", Want: provider.Error{Kind: provider.RateLimited}, Message: "Provider returned error"},
			{Name: "window", Body: `data: {"object":"error","message":"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid"}` + "\n\n", Want: provider.Error{Kind: provider.TooLarge, Used: 65673, Limit: 32768}},
			{Name: "no reason", Body: wholeChat[:strings.Index(wholeChat, ": keep-alive")] + "data: [DONE]\n\n", Want: provider.Error{Kind: provider.CutOff}},
		},
		Refusals: refusals(), Counted: 41, Environment: environment(),
		Begin: `data: {"id":"`, End: "data: {\"choices\":[]}\n\n",
	})
}

func TestWhoIsToldOfMaxTokens(t *testing.T) {
	body := ""
	c := &http.Client{Transport: spy(func(b string) { body = b })}
	m, err := open("openai/o3", openai.Chat)(provider.Options{Client: c})
	if err != nil {
		t.Fatal(err)
	}
	_, err = provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t), MaxTokens: 5})
	if provider.KindOf(err) != provider.Unreachable || !strings.Contains(body, `"max_completion_tokens":5`) {
		t.Errorf("%v, %s", err, body)
	}
	if _, err := open("openai/o3", "telepathy")(provider.Options{}); provider.KindOf(err) != provider.Invalid {
		t.Error(err)
	}
}

// OpenAI's older models refuse a request for a longer answer than they can
// give; what other servers have under the same name is their own affair.
func TestMostOutput(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-4o": `_tokens":16384`, "gpt-4o-mini": `_tokens":16384`, "gpt-4-turbo": `_tokens":4096`,
		"gpt-4.1": `_tokens":20000`, "gpt-5": `_tokens":20000`, "ft:gpt-3.5-turbo:me": `_tokens":4096`,
	} {
		for _, api := range []openai.API{openai.Chat, openai.Responses} {
			providertest.Asks(t, open("openai/"+model, api), provider.Request{MaxTokens: 20_000}, want)
		}
	}
	providertest.Asks(t, func(o provider.Options) (provider.Model, error) {
		o.BaseURL = "http://127.0.0.1:1/v1"
		return open("x/gpt-4o", openai.Chat)(o)
	}, provider.Request{MaxTokens: 20_000}, `"max_tokens":20000`)
}

// A conversation that goes on is named alike in all its requests, a branch of it otherwise, at
// OpenAI's own address alone: servers refuse members that they do not know.
func TestPromptCacheKey(t *testing.T) {
	log := func(id string) *tenfold.Log {
		l := tenfold.NewLog()
		if _, err := l.Append(tenfold.Entry{ID: id, Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	key := func(api openai.API, base string, r provider.Request) string {
		body := ""
		m, err := open("openai/gpt-6.2-sol", api)(provider.Options{BaseURL: base, Client: &http.Client{Transport: spy(func(b string) { body = b })}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = provider.Collect(t.Context(), m, r)
		_, rest, _ := strings.Cut(body, `"prompt_cache_key":"`)
		key, _, _ := strings.Cut(rest, `"`)
		return key
	}
	for _, api := range []openai.API{openai.Chat, openai.Responses} {
		one := log("a")
		first := key(api, "", provider.Request{View: tenfold.Project(one), Cache: true})
		if _, err := one.Append(tenfold.Entry{ID: "b", Payload: tenfold.AssistantMessage{Text: "yes"}}, tenfold.Entry{ID: "c", Payload: tenfold.UserMessage{Parts: tenfold.Text("on")}}); err != nil {
			t.Fatal(err)
		}
		if again := key(api, "", provider.Request{View: tenfold.Project(one), Cache: true}); len(first) != 32 || again != first {
			t.Errorf("%s: %q, then %q", api, first, again)
		}
		if other := key(api, "", provider.Request{View: tenfold.Project(log("b")), Cache: true}); other == first {
			t.Errorf("%s: two conversations have one name", api)
		}
		for base, r := range map[string]provider.Request{"": {View: tenfold.Project(one)}, "http://127.0.0.1:1/v1": {View: tenfold.Project(one), Cache: true}} {
			if got := key(api, base, r); got != "" {
				t.Errorf("%s: %q at %q, cache %v", api, got, base, r.Cache)
			}
		}
	}
}

// The Chat Completions API refuses each request that says more of a tool than it takes, and
// the Responses API makes every argument required where it is not told otherwise.
func TestToolsAreToldAsTheAPIsTakeThem(t *testing.T) {
	l := tenfold.NewLog()
	about := strings.Repeat("ä", 1100)
	tools := []tenfold.ToolDefinition{{Name: "read", Description: about, Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`}}
	for _, p := range []tenfold.Payload{tenfold.ConfigDelta{Tools: &tools}, tenfold.UserMessage{Parts: tenfold.Text("go")}} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	for api, want := range map[openai.API]string{
		openai.Chat:      `"description":"` + strings.Repeat("ä", 1023) + `…"`,
		openai.Responses: `"description":"` + about + `","parameters":{"type":"object","properties":{"a":{"type":"string"}}},"strict":false}`,
	} {
		body := ""
		m, err := open("openai/gpt-5", api)(provider.Options{Client: &http.Client{Transport: spy(func(b string) { body = b })}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = provider.Collect(t.Context(), m, provider.Request{View: tenfold.Project(l)})
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", api, body)
		}
	}
}
