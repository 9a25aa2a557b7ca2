package openai_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/openai"
	"tenfold/provider/providertest"
)

const wholeResponse = `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","model":"gpt-5-2025-08-07","status":"in_progress","error":null,"incomplete_details":null,"output":[],"usage":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":0,"delta":"Think \u00e9"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","summary_index":0,"delta":" twice."}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Think é twice."}],"encrypted_content":"gAAA+/b=="}}

event: response.novel.delta
data: {"type":"response.novel.delta","delta":{"a":1}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"tide <now>","n":1.50}}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":2,"content_index":0,"delta":"I will "}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":2,"content_index":0,"delta":"read both."}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","annotations":[],"text":"I will read both."}]}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"pa"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":3,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"read","arguments":"{\"path\": \"a\\u00e9.go\", \"n\": 1.00}"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":4,"item":{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_b","name":"read","arguments":"{\"path\":\"b\"}"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","model":"gpt-5-2025-08-07","status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":442,"input_tokens_details":{"cached_tokens":400,"cache_write_tokens":30},"output_tokens":89,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":531}}}

`

// completed is a stream whose items have no events of their own.
func completed(kind, why, content string) string {
	return `data: {"type":"` + kind + `","response":{"id":"resp_2","model":"gpt-x","incomplete_details":` + why + `,"output":[{"type":"message","content":[` + content + `]}],"usage":{"input_tokens":5,"output_tokens":3}}}

`
}

func shortResponse(name, kind, why, content string, stop provider.Stop) providertest.Answer {
	return providertest.Answer{
		Name: name, Stream: completed(kind, why, content), ID: "resp_2", Stop: stop,
		Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "no"}},
		Usage:  tenfold.Usage{Model: "gpt-x", Input: 5, Output: 3},
	}
}

const (
	instructions = `"instructions":"Be brief.","tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object","properties":{}},"strict":false}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"` + providertest.Said + `"}]}]}`
	closed       = `{"type":"object","properties":{"summary":{"type":"string"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}}},"required":["summary","files"],"additionalProperties":false}`
)

func environment() map[string]string {
	return map[string]string{
		"OPENAI_API_KEY": "env-key-1", "OPENAI_BASE_URL": "http://env.invalid", "OPENAI_ORG_ID": "env-org-2", "OPENAI_PROJECT_ID": "env-project-3",
		"OPENAI_CUSTOM_HEADERS": "X-Env: env-header-4", "OPENAI_ADMIN_KEY": "env-admin-5",
	}
}

func open(name string, api openai.API) providertest.Open {
	return providertest.Opens(func(o provider.Options) (*openai.Model, error) { return openai.New(name, api, o) })
}

func says(kind, code, message string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`
}

// refusals are what OpenAI and the servers like it answer.
func refusals() []providertest.Failure {
	return []providertest.Failure{
		{Name: "too long", Status: 400, Body: says("invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages."), Want: provider.Error{Kind: provider.TooLarge, Used: 130012, Limit: 128000}},
		{Name: "too long with the answer", Status: 400, Body: says("BadRequestError", "", "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion)."), Want: provider.Error{Kind: provider.TooLarge, Used: 122946, Limit: 16384}},
		{Name: "answer too long", Status: 400, Body: says("BadRequestError", "", "'max_tokens' or 'max_completion_tokens' is too large: 10000. This model's maximum context length is 8192 tokens and your request has 2000 input tokens (10000 > 8192 - 2000)."), Want: provider.Error{Kind: provider.TooLarge, Used: 12000, Limit: 8192}},
		{Name: "too long an answer", Status: 400, Body: `{"error":{"message":"max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, Want: provider.Error{Kind: provider.Invalid, MaxOutput: 16384}},
		{Name: "window", Status: 400, Body: says("invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."), Want: provider.Error{Kind: provider.TooLarge}},
		{Name: "llama.cpp", Status: 400, Body: `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`, Want: provider.Error{Kind: provider.TooLarge, Used: 1407, Limit: 256}},
		{Name: "more than a minute has", Status: 429, Body: says("tokens", "rate_limit_exceeded", "Request too large for gpt-4 in organization org-a1 on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced."), Want: provider.Error{Kind: provider.TooLarge, Used: 45000, Limit: 30000}},
		{Name: "limited", Status: 429, Body: says("tokens", "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-a1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 1m2.5s. Visit the site."), Want: provider.Error{Kind: provider.RateLimited, After: 62500 * time.Millisecond}},
		{Name: "limited by header", Status: 429, Header: http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"9"}}, Body: says("requests", "rate_limit_exceeded", "Rate limit reached"), Want: provider.Error{Kind: provider.RateLimited, After: 1500 * time.Millisecond}},
		{Name: "limited by reset", Status: 429, Header: http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"20ms"}, "X-Ratelimit-Remaining-Tokens": {"50"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}}, Body: says("requests", "rate_limit_exceeded", "Rate limit reached"), Want: provider.Error{Kind: provider.RateLimited, After: 20 * time.Millisecond}},
		{Name: "limited until", Status: 503, Header: http.Header{"Date": {"Mon, 02 Nov 2026 10:00:00 GMT"}, "Retry-After": {"Mon, 02 Nov 2026 10:00:30 GMT"}}, Body: says("server_error", "", "The server is overloaded"), Want: provider.Error{Kind: provider.Overloaded, After: 30 * time.Second}},
		{Name: "quota", Status: 429, Body: says("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), Want: provider.Error{Kind: provider.Authentication}},
		{Name: "key", Status: 401, Body: says("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-suite****************cret. You can find your API key at the site."), Want: provider.Error{Kind: provider.Authentication}, Message: "Incorrect API key provided: [key] You can"},
		{Name: "policy", Status: 400, Body: says("invalid_request_error", "content_policy_violation", "Your request was rejected"), Want: provider.Error{Kind: provider.Refused}},
		{Name: "filter", Status: 400, Body: says("", "content_filter", "The response was filtered"), Want: provider.Error{Kind: provider.Refused}},
		{Name: "a word", Status: 404, Body: `{"error":"model 'qwen' not found, try pulling it first"}`, Want: provider.Error{Kind: provider.Invalid}, Message: "not found"},
		{Name: "a detail", Status: 422, Body: `{"detail":"no such field"}`, Want: provider.Error{Kind: provider.Invalid}, Message: "no such field"},
		{Name: "an object", Status: 400, Body: `{"object":"error","message":"bad tool","type":"BadRequestError","code":400}`, Want: provider.Error{Kind: provider.Invalid}, Message: "bad tool"},
	}
}

func TestResponses(t *testing.T) {
	providertest.Run(t, providertest.Vendor{
		Open:   open("openai/gpt-5", openai.Responses),
		Header: "Authorization", Secret: "Bearer " + providertest.Key, Path: "/responses",
		Addresses: map[string]string{
			"":                            "https://api.openai.com/v1/responses",
			"https://host.example/v1/":    "https://host.example/v1/responses",
			"http://127.0.0.1:8080/a/way": "http://127.0.0.1:8080/a/way/responses",
		},
		Body: `{"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],` + instructions,
		Asked: `{"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":1000,` +
			`"text":{"format":{"type":"json_schema","name":"answer","schema":` + closed + `,"strict":true}},"tool_choice":"none",` + instructions,
		Answers: []providertest.Answer{
			{
				Name: "everything", Stream: wholeResponse, ID: "resp_1", Stop: provider.StopTools, Text: "I will read both.", Think: "Think é twice.",
				Usage: tenfold.Usage{Model: "gpt-5-2025-08-07", Input: 12, Output: 89, CacheRead: 400, CacheWrite: 30},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "Think é twice.", Provider: "openai", Encrypted: "gAAA+/b==", ItemID: "rs_1"},
					tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"tide <now>","n":1.50}}`},
					tenfold.AssistantMessage{Text: "I will read both.", Phase: "commentary"},
					tenfold.ToolCall{CallID: "call_a", Name: "read", Arguments: `{"path": "a\u00e9.go", "n": 1.00}`},
					tenfold.ToolCall{CallID: "call_b", Name: "read", Arguments: `{"path":"b"}`},
				},
				Again: []string{
					`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Think é twice."}],"encrypted_content":"gAAA+/b=="},` +
						`{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"tide <now>","n":1.50}}`,
					`{"type":"function_call","call_id":"call_a","name":"read","arguments":"{\"path\": \"a\\u00e9.go\", \"n\": 1.00}"}`,
				},
			},
			{
				Name: "published text", Stream: providertest.Published(t, "responses_text.sse"), ID: "resp_67c9", Stop: provider.StopEnd, Text: "Hi there! How can I help?",
				Usage:  tenfold.Usage{Model: "gpt-4.1-2025-04-14", Input: 37, Output: 11},
				Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "Hi there! How can I help?"}},
			},
			{
				Name: "published call", Stream: providertest.Published(t, "responses_call.sse"), ID: "resp_67ca", Stop: provider.StopTools,
				Think: "**Finding the tide**\n\nPoole needs a lookup.",
				Usage: tenfold.Usage{Model: "o4-mini-2025-04-16", Input: 163, Output: 87, CacheRead: 128},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "**Finding the tide**\n\nPoole needs a lookup.", Provider: "openai", Encrypted: "gAAAAABoISQ24OyVRYbkYfukdJoqdzWT-3uiErKInHDC-lgAaXeky44=", ItemID: "rs_67ca"},
					tenfold.ToolCall{CallID: "call_12xyz", Name: "get_tide", Arguments: `{"harbour":"Poole, Dorset"}`},
				},
			},
			shortResponse("length", "response.incomplete", `{"reason":"max_output_tokens"}`, `{"type":"output_text","text":"no"}`, provider.StopLength),
			shortResponse("filter", "response.incomplete", `{"reason":"content_filter"}`, `{"type":"output_text","text":"no"}`, provider.StopRefused),
			shortResponse("refusal", "response.completed", `null`, `{"type":"refusal","refusal":"no"}`, provider.StopRefused),
			shortResponse("end", "response.completed", `null`, `{"type":"output_text","text":"no"}`, provider.StopEnd),
		},
		Events: []providertest.Failure{
			{Name: "failed", Body: `data: {"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"It broke"}}}` + "\n\n", Want: provider.Error{Kind: provider.Overloaded}, Message: "It broke"},
			{Name: "error event", Body: wholeResponse[:strings.Index(wholeResponse, "event: response.novel")] + `data: {"type":"error","code":"rate_limit_exceeded","message":"Rate limit reached. Please try again in 350ms.","param":null}` + "\n\n", Want: provider.Error{Kind: provider.RateLimited, After: 350 * time.Millisecond}},
			{Name: "window", Body: `data: {"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}` + "\n\n", Want: provider.Error{Kind: provider.TooLarge}},
			{Name: "plain", Body: `data: {"error":{"message":"gone","type":"server_error"}}` + "\n\n", Want: provider.Error{Kind: provider.Overloaded}, Message: "gone"},
			{Name: "no stream", Body: `{"error":{"message":"gone","type":"server_error"}}`, Want: provider.Error{Kind: provider.Overloaded}, Message: "gone"},
		},
		Refusals: refusals(), Counted: 40, Environment: environment(),
		Begin: `data: {"type":"x","x":"`, End: "data: {\"type\":\"response.in_progress\"}\n\n",
	})
}

func TestWhoIsAskedForEncryptedReasoning(t *testing.T) {
	for model, want := range map[string]bool{"gpt-4o": false, "gpt-5-chat-latest": false, "gpt-5": true, "o3": true, "gpt-4.1-mini": false} {
		body := ""
		c := &http.Client{Transport: spy(func(b string) { body = b })}
		m, err := open("openai/"+model, "")(provider.Options{Client: c})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t), MaxTokens: 3})
		if strings.Contains(body, "encrypted_content") != want || !strings.Contains(body, `"max_output_tokens":16`) {
			t.Errorf("%s: %s", model, body)
		}
	}
}
