package anthropic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/anthropic"
	"tenfold/provider/providertest"
)

// whole is a stream with all kinds of blocks; the call's pieces are cut inside
// escapes and numbers.
const whole = `event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":30,"cache_read_input_tokens":400,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Ledger \"first\","}}

: a comment

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" tide é\u00e9 later <b>"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB+/=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"Zm9v+/="}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: something_new
data: {"type":"something_new","delta":[1,2]}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I will "}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"read both."}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{},"n":1.50}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"tide"}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","encrypted_content":"Ab+/=","url":"https://example.org/?a=1&b=<2>","page_age":null,"score":1.0e3}]}}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: content_block_start
data: {"type":"content_block_start","index":5,"content_block":{"type":"novel","body":"be"}}

event: content_block_delta
data: {"type":"content_block_delta","index":5,"delta":{"type":"novel_delta","body":"gin","level":2.0}}

event: content_block_stop
data: {"type":"content_block_stop","index":5}

event: content_block_start
data: {"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"toolu_a","name":"read","input":{}}}

event: content_block_start
data: {"type":"content_block_start","index":7,"content_block":{"type":"tool_use","id":"toolu_b","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a\\u00"}}

event: content_block_delta
data: {"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"b\"}"}}

event: content_block_delta
data: {"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"e9.go\", \"n\": 1.0"}}

event: content_block_delta
data: {"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"0}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":6}

event: content_block_stop
data: {"type":"content_block_stop","index":7}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

`

// ending is a short stream with a reason to stop.
func ending(reason, text string) string {
	return `data: {"type":"message_start","message":{"id":"msg_02","model":"claude-x","usage":{"input_tokens":5,"output_tokens":0}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":3}}

data: {"type":"message_stop"}

`
}

func short(name, reason string, stop provider.Stop) providertest.Answer {
	return providertest.Answer{
		Name: name, Stream: ending(reason, "no"), Text: "no", ID: "msg_02", Stop: stop,
		Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "no"}},
		Usage:  tenfold.Usage{Model: "claude-x", Input: 5, Output: 3},
	}
}

func event(kind, message string) string {
	return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" + kind + "\",\"message\":\"" + message + "\"}}\n\n"
}

func says(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
}

const (
	// publishedModel is the one in testdata.
	publishedModel = "claude-sonnet-4-20250514"

	conversation = `"system":"Be brief.","tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{}}}],"messages":[{"role":"user","content":[{"type":"text","text":"` + providertest.Said + `"}]}]}`
	closed       = `{"type":"object","properties":{"summary":{"type":"string"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}}},"required":["summary","files"],"additionalProperties":false}`
)

func open(name string) providertest.Open {
	return providertest.Opens(func(o provider.Options) (*anthropic.Model, error) { return anthropic.New(name, o) })
}

func TestAnthropic(t *testing.T) {
	providertest.Run(t, providertest.Vendor{
		Open:   open("anthropic/claude-sonnet-4-5"),
		Header: "X-Api-Key", Secret: providertest.Key, Path: "/v1/messages",
		Addresses: map[string]string{
			"":                               "https://api.anthropic.com/v1/messages",
			"https://host.example/":          "https://host.example/v1/messages",
			"https://host.example/v1/":       "https://host.example/v1/messages",
			"http://127.0.0.1:8080/a/way/v1": "http://127.0.0.1:8080/a/way/v1/messages",
		},
		Body:  `{"model":"claude-sonnet-4-5","max_tokens":32000,"stream":true,` + conversation,
		Asked: `{"model":"claude-sonnet-4-5","max_tokens":1000,"stream":true,"tool_choice":{"type":"none"},"output_config":{"format":{"type":"json_schema","schema":` + closed + `}},` + conversation,
		Answers: []providertest.Answer{
			{
				Name: "everything", Stream: whole, ID: "msg_01", Stop: provider.StopTools,
				Text: "I will read both.", Think: `Ledger "first", tide éé later <b>`,
				Usage: tenfold.Usage{Model: "claude-sonnet-4-5-20250929", Input: 12, Output: 89, CacheRead: 400, CacheWrite: 30},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: `Ledger "first", tide éé later <b>`, Provider: "anthropic", Signature: "EqQB+/=="},
					tenfold.Reasoning{Provider: "anthropic", Encrypted: "Zm9v+/="},
					tenfold.AssistantMessage{Text: "I will read both."},
					tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"tide"},"n":1.50}`},
					tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","encrypted_content":"Ab+/=","url":"https://example.org/?a=1&b=<2>","page_age":null,"score":1.0e3}]}`},
					tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"novel","body":"begin","level":2.0}`},
					tenfold.ToolCall{CallID: "toolu_a", Name: "read", Arguments: `{"path": "a\u00e9.go", "n": 1.00}`},
					tenfold.ToolCall{CallID: "toolu_b", Name: "read", Arguments: `{"path":"b"}`},
				},
				Again: []string{
					`{"type":"thinking","thinking":"Ledger \"first\", tide éé later <b>","signature":"EqQB+/=="},{"type":"redacted_thinking","data":"Zm9v+/="},{"type":"text","text":"I will read both."},` +
						`{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"tide"},"n":1.50},` +
						`{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","encrypted_content":"Ab+/=","url":"https://example.org/?a=1&b=<2>","page_age":null,"score":1.0e3}]},` +
						`{"type":"novel","body":"begin","level":2.0}`,
					`{"type":"tool_use","id":"toolu_a","name":"read","input":{"path":"a\u00e9.go","n":1.00}}`,
				},
			},
			{
				Name: "published text", Stream: providertest.Published(t, "text.sse"), ID: "msg_01Text", Stop: provider.StopEnd, Text: "Good evening!",
				Usage:  tenfold.Usage{Model: publishedModel, Input: 25, Output: 15},
				Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "Good evening!"}},
			},
			{
				Name: "published tool use", Stream: providertest.Published(t, "tool_use.sse"), ID: "msg_01Tool", Stop: provider.StopTools, Text: "Let me look up the tide:",
				Usage: tenfold.Usage{Model: publishedModel, Input: 472, Output: 89},
				Blocks: []tenfold.Payload{
					tenfold.AssistantMessage{Text: "Let me look up the tide:"},
					tenfold.ToolCall{CallID: "toolu_01Tide", Name: "get_tide", Arguments: `{"harbour": "Poole, Quay", "unit": "metre"}`},
				},
			},
			{
				Name: "published thinking", Stream: providertest.Published(t, "thinking.sse"), ID: "msg_01Think", Stop: provider.StopEnd,
				Text: "About 12.4 hours.", Think: "Two tides a day.\n\n1. 24.8 / 2\n2. = 12.4 hours",
				Usage: tenfold.Usage{Model: publishedModel, Input: 61, Output: 104, CacheRead: 2048, CacheWrite: 310},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "Two tides a day.\n\n1. 24.8 / 2\n2. = 12.4 hours", Provider: "anthropic", Signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk="},
					tenfold.AssistantMessage{Text: "About 12.4 hours."},
				},
			},
			{
				Name: "published search", Stream: providertest.Published(t, "web_search.sse"), ID: "msg_01Web", Stop: provider.StopEnd,
				Text:  "I'll search.High water is at 18:04.",
				Usage: tenfold.Usage{Model: publishedModel, Input: 10682, Output: 510},
				Blocks: []tenfold.Payload{
					tenfold.AssistantMessage{Text: "I'll search."},
					tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"server_tool_use","id":"srvtoolu_014h","name":"web_search","input":{"query": "tides Poole"}}`},
					tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_014h","content":[{"type":"web_search_result","title":"Tides at Poole","url":"https://tides.example/poole","encrypted_content":"EqgfCioIARgBIiQ3YTAwMjY1","page_age":"2 days ago"}]}`},
					tenfold.AssistantMessage{Text: "High water is at 18:04."},
				},
			},
			short("length", "max_tokens", provider.StopLength),
			short("window", "model_context_window_exceeded", provider.StopLength),
			short("refusal", "refusal", provider.StopRefused),
			short("sequence", "stop_sequence", provider.StopEnd),
			short("end", "end_turn", provider.StopEnd),
		},
		Events: []providertest.Failure{
			{Name: "overloaded", Body: event("overloaded_error", "Overloaded"), Want: provider.Error{Kind: provider.Overloaded}, Message: "Overloaded"},
			{Name: "in the middle", Body: whole[:2000] + "\n\n" + event("api_error", "Internal server error"), Want: provider.Error{Kind: provider.CutOff}},
			{Name: "after blocks", Body: whole[:strings.Index(whole, "event: something_new")] + event("overloaded_error", "Overloaded"), Want: provider.Error{Kind: provider.Overloaded}, Message: "Overloaded"},
			{Name: "limited", Header: http.Header{"Retry-After": {"7"}}, Body: event("rate_limit_error", "Slow down"), Want: provider.Error{Kind: provider.RateLimited, After: 7 * time.Second}},
			{Name: "a block out of nowhere", Body: "data: {\"type\":\"content_block_stop\",\"index\":4}\n\n", Want: provider.Error{Kind: provider.CutOff}},
			{Name: "a block that is none", Body: "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":7}\n\n", Want: provider.Error{Kind: provider.CutOff}},
		},
		Refusals: []providertest.Failure{
			{Name: "too long", Status: 400, Body: says("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"), Want: provider.Error{Kind: provider.TooLarge, Used: 208310, Limit: 200000}},
			{Name: "too long with the answer", Status: 400, Body: says("invalid_request_error", "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again"), Want: provider.Error{Kind: provider.TooLarge, Used: 242959, Limit: 200000}},
			{Name: "too long an answer", Status: 400, Body: says("invalid_request_error", "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022"), Want: provider.Error{Kind: provider.Invalid, MaxOutput: 8192}},
			{Name: "too many bytes", Status: 413, Body: says("request_too_large", "Request exceeds the maximum size"), Want: provider.Error{Kind: provider.TooLarge}},
			{Name: "limited", Status: 429, Header: http.Header{"Retry-After": {"12"}}, Body: says("rate_limit_error", "This request would exceed your rate limit"), Want: provider.Error{Kind: provider.RateLimited, After: 12 * time.Second}},
			{
				Name: "limited until", Status: 429, Body: says("rate_limit_error", "Number of tokens has exceeded your rate limit"),
				Header: http.Header{
					"Date": {"Mon, 02 Nov 2026 10:00:00 GMT"}, "Anthropic-Ratelimit-Input-Tokens-Reset": {"2026-11-02T10:00:41Z"}, "Anthropic-Ratelimit-Input-Tokens-Remaining": {"0"},
					"Anthropic-Ratelimit-Requests-Reset": {"2026-11-02T10:59:00Z"}, "Anthropic-Ratelimit-Requests-Remaining": {"4"},
				},
				Want: provider.Error{Kind: provider.RateLimited, After: 41 * time.Second},
			},
			{Name: "overloaded", Status: 529, Body: says("overloaded_error", "Overloaded"), Want: provider.Error{Kind: provider.Overloaded}},
			{Name: "broken", Status: 500, Body: says("api_error", "Internal server error"), Want: provider.Error{Kind: provider.Overloaded}},
			{Name: "slow", Status: 504, Body: says("timeout_error", "Request timed out"), Want: provider.Error{Kind: provider.TimedOut}},
			{Name: "key", Status: 401, Body: says("authentication_error", "invalid x-api-key"), Want: provider.Error{Kind: provider.Authentication}},
			{Name: "permission", Status: 403, Body: says("permission_error", "Your API key does not have permission"), Want: provider.Error{Kind: provider.Authentication}},
			{Name: "credit", Status: 400, Body: says("invalid_request_error", "Your credit balance is too low to access the API"), Want: provider.Error{Kind: provider.Authentication}},
			{Name: "invalid", Status: 400, Body: says("invalid_request_error", "tools.0.name: too odd"), Want: provider.Error{Kind: provider.Invalid}, Message: "tools.0.name"},
		},
		Count: `{"input_tokens":2095}`, Counted: 2095, CountPath: "/v1/messages/count_tokens",
		Begin: `data: {"type":"ping","x":"`, End: "data: {\"type\":\"ping\"}\n\n",
		Environment: map[string]string{
			"ANTHROPIC_API_KEY": "env-key-1", "ANTHROPIC_AUTH_TOKEN": "env-token-2", "ANTHROPIC_BASE_URL": "http://env.invalid",
			"ANTHROPIC_CUSTOM_HEADERS": "X-Env: env-header-3", "ANTHROPIC_PROFILE": "env-profile-4",
		},
	})
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "anthropic", "anthropic/", "anthropic/a b", "anthropic/../x"} {
		if _, err := open(name)(provider.Options{}); provider.KindOf(err) != provider.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Older models refuse a request for a longer answer than they can give.
func TestMostOutput(t *testing.T) {
	for model, want := range map[string]string{
		"claude-3-haiku-20240307": `"max_tokens":4096,`, "claude-3-5-haiku-latest": `"max_tokens":8192,`,
		"claude-3-7-sonnet-latest": `"max_tokens":20000,`, "claude-haiku-4-5": `"max_tokens":20000,`,
	} {
		providertest.Asks(t, open("anthropic/"+model), provider.Request{MaxTokens: 20_000}, want)
	}
}

// A vendorAt answers requests to it, and remembers the last one.
type vendorAt struct {
	answer string
	header http.Header
	body   string
}

func (v *vendorAt) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	v.header, v.body = r.Header, string(body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(v.answer)), Request: r}, err
}

// Models that write what they say to the user as thinking are asked for it, and it is no
// reasoning of theirs.
func TestUpdates(t *testing.T) {
	const told = `data: {"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":5,"output_tokens":0}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"r"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"It is in a.go."}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}

data: {"type":"message_stop"}

`
	const asked = `"thinking":{"type":"adaptive","display":"updates"}`
	for name, tt := range map[string]struct {
		model, base, extra string
		sends              string // of the request
		comes              bool
	}{
		"asked for":          {model: "claude-opus-5-5", sends: asked, comes: true},
		"with a date":        {model: "claude-fable-5-2-20261101", sends: asked, comes: true},
		"another model":      {model: "claude-opus-5"},
		"another address":    {model: "claude-opus-5-5", base: "https://host.example"},
		"a word on thinking": {model: "claude-opus-5-5", extra: `{"thinking":{"type":"adaptive","display":"summarized"}}`, sends: `"display":"summarized"`},
		"by the caller":      {model: "claude-x", base: "https://host.example", extra: `{` + asked + `}`, sends: asked, comes: true},
	} {
		t.Run(name, func(t *testing.T) {
			vendor := &vendorAt{answer: told}
			model, err := anthropic.New("anthropic/"+tt.model, provider.Options{BaseURL: tt.base, Extra: tt.extra, Client: &http.Client{Transport: vendor}})
			if err != nil {
				t.Fatal(err)
			}
			var blocks []tenfold.Payload
			var said, thought string
			for e, err := range model.Stream(t.Context(), provider.Request{View: providertest.View(t)}) {
				if err != nil {
					t.Fatal(err)
				}
				if said, thought = said+e.Text, thought+e.Reasoning; e.Block != nil {
					blocks = append(blocks, e.Block)
				}
			}
			var words tenfold.Payload = tenfold.Reasoning{Text: "It is in a.go.", Provider: "anthropic", Signature: "s"}
			if tt.comes {
				words = tenfold.AssistantMessage{Text: "It is in a.go.", Signature: "s"}
			}
			if d := cmp.Diff([]tenfold.Payload{tenfold.Reasoning{Provider: "anthropic", Signature: "r"}, words}, blocks); d != "" {
				t.Errorf("blocks (-want +got):\n%s", d)
			}
			if (said == "It is in a.go.") != tt.comes || (thought == "") != tt.comes {
				t.Errorf("said %q, thought %q", said, thought)
			}
			if !strings.Contains(vendor.body, tt.sends) || strings.Contains(vendor.body, `"thinking"`) != (tt.sends != "") {
				t.Errorf("sent %s", vendor.body)
			}
			if got := vendor.header.Get("Anthropic-Beta"); (got == "thinking-display-updates-2026-08-18") != tt.comes {
				t.Errorf("header %q", got)
			}
		})
	}
}
