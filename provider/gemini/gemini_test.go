package gemini_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/gemini"
	"tenfold/provider/providertest"
)

const whole = `data: {"candidates":[{"content":{"parts":[{"text":"Ledger é","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":412,"totalTokenCount":412},"modelVersion":"gemini-2.5-pro","responseId":"r-1"}

data: {"candidates":[{"content":{"parts":[{"text":" first.","thought":true}],"role":"model"},"index":0}],"responseId":"r-1"}

data: {"candidates":[{"content":{"parts":[{"text":"I will "}],"role":"model"},"index":0}],"responseId":"r-1"}

data: {"candidates":[{"content":{"parts":[{"text":"read"}],"role":"model"},"index":0}],"responseId":"r-1"}

data: {"candidates":[{"content":{"parts":[{"text":" both.","thoughtSignature":"Sig+t/=="}],"role":"model"},"index":0}],"novelty":{"a":[1]}}

data: {"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"print(\"<1>\")","n":1.50}},{"text":"","thoughtSignature":"Lone+/="}],"role":"model"},"index":0}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"f1","name":"read","args":{"path":"a\u00e9.go","n":1.00}},"thoughtSignature":"Sig+c/=="},{"functionCall":{"name":"read","args":{"path":"b"}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":412,"cachedContentTokenCount":400,"candidatesTokenCount":80,"thoughtsTokenCount":9,"totalTokenCount":501},"modelVersion":"gemini-2.5-pro","responseId":"r-1"}

`

func ending(reason string) string {
	return `data: {"candidates":[{"content":{"parts":[{"text":"no"}],"role":"model"},"finishReason":"` + reason + `"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3},"modelVersion":"g","responseId":"r-2"}` + "\n\n"
}

func short(reason string, stop provider.Stop) providertest.Answer {
	return providertest.Answer{
		Name: reason, Stream: ending(reason), Text: "no", ID: "r-2", Stop: stop,
		Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "no"}},
		Usage:  tenfold.Usage{Model: "g", Input: 5, Output: 3},
	}
}

func says(code, status, message, details string) string {
	return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `","details":[` + details + `]}}`
}

const conversation = `"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Reads.","parametersJsonSchema":{"type":"object","properties":{}}}]}],"contents":[{"role":"user","parts":[{"text":"` + providertest.Said + `"}]}]}`

func open(name string) providertest.Open {
	return providertest.Opens(func(o provider.Options) (*gemini.Model, error) { return gemini.New(name, o) })
}

func TestGemini(t *testing.T) {
	const retry = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}`
	text := providertest.Published(t, "text.sse")
	providertest.Run(t, providertest.Vendor{
		Open:   open("gemini/gemini-2.5-pro"),
		Header: "X-Goog-Api-Key", Secret: providertest.Key, Path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
		Addresses: map[string]string{
			"":                                  "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			"https://host.example/":             "https://host.example/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			"https://host.example/v1":           "https://host.example/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			"https://host.example/a+b/v1alpha/": "https://host.example/a+b/v1alpha/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
		},
		Body: `{` + conversation,
		Asked: `{"generationConfig":{"maxOutputTokens":1000,"responseMimeType":"application/json","responseJsonSchema":` + providertest.Schema + `},` +
			`"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},` + conversation,
		Answers: []providertest.Answer{
			{
				Name: "everything", Stream: whole, ID: "r-1", Stop: provider.StopTools, Text: "I will read both.", Think: "Ledger é first.",
				Usage: tenfold.Usage{Model: "gemini-2.5-pro", Input: 12, Output: 89, CacheRead: 400},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "Ledger é first."},
					tenfold.AssistantMessage{Text: "I will read"},
					tenfold.Reasoning{Provider: "gemini", Signature: "Sig+t/=="},
					tenfold.AssistantMessage{Text: " both."},
					tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: `{"executableCode":{"language":"PYTHON","code":"print(\"<1>\")","n":1.50}}`},
					tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: `{"text":"","thoughtSignature":"Lone+/="}`},
					tenfold.Reasoning{Provider: "gemini", Signature: "Sig+c/==", CallID: "f1"},
					tenfold.ToolCall{CallID: "f1", Name: "read", Arguments: `{"path":"a\u00e9.go","n":1.00}`},
					tenfold.ToolCall{CallID: "r-1_call_2", Name: "read", Arguments: `{"path":"b"}`},
				},
				Again: []string{
					`{"text":"I will read"},{"text":" both.","thoughtSignature":"Sig+t/=="},{"executableCode":{"language":"PYTHON","code":"print(\"<1>\")","n":1.50}},{"text":"","thoughtSignature":"Lone+/="},` +
						`{"functionCall":{"id":"f1","name":"read","args":{"path":"a\u00e9.go","n":1.00}},"thoughtSignature":"Sig+c/=="},{"functionCall":{"id":"r-1_call_2","name":"read","args":{"path":"b"}}}`,
				},
			},
			{
				// Each chunk has a reason to stop.
				Name: "published text", Stream: text, ID: "gem-1", Stop: provider.StopEnd, Text: "The tide turns at six.\n\nBring boots.",
				Open:   len(text) - strings.Index(text, "\n"),
				Usage:  tenfold.Usage{Model: "gemini-2.5-flash", Input: 8, Output: 11},
				Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "The tide turns at six.\n\nBring boots."}},
			},
			{
				Name: "published call", Stream: providertest.Published(t, "call.sse"), ID: "gem-2", Stop: provider.StopTools, Think: "**Checking**\n\nTwo harbours to ask.",
				Usage: tenfold.Usage{Model: "gemini-2.5-flash", Input: 23, Output: 88, CacheRead: 64},
				Blocks: []tenfold.Payload{
					tenfold.Reasoning{Text: "**Checking**\n\nTwo harbours to ask.", Provider: "gemini", Signature: "CpcBAXLI2nyQ0xhHxC2ffoL1LgV8Xy9D7zPYGKNm+pQ=", CallID: "gem-2_call_1"},
					tenfold.ToolCall{CallID: "gem-2_call_1", Name: "get_tide", Arguments: `{"harbour": "Poole"}`},
					tenfold.ToolCall{CallID: "gem-2_call_2", Name: "get_tide", Arguments: `{"harbour": "Rye"}`},
				},
			},
			short("MAX_TOKENS", provider.StopLength),
			short("SAFETY", provider.StopRefused),
			short("RECITATION", provider.StopRefused),
			short("STOP", provider.StopEnd),
		},
		Events: []providertest.Failure{
			{Name: "blocked", Body: `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":5}}` + "\n\n", Want: provider.Error{Kind: provider.Refused}, Message: "PROHIBITED_CONTENT"},
			{Name: "overloaded", Body: whole[:strings.Index(whole, `data: {"candidates":[{"content":{"parts":[{"executableCode`)] + "data: " + says("503", "UNAVAILABLE", "The model is overloaded.", "") + "\n\n", Want: provider.Error{Kind: provider.Overloaded}, Message: "overloaded"},
			{Name: "no stream", Body: "[" + says("429", "RESOURCE_EXHAUSTED", "Quota exceeded", retry) + "\n]", Want: provider.Error{Kind: provider.RateLimited, After: 34070 * time.Millisecond}},
			{Name: "bare", Body: whole[:strings.Index(whole, `data: {"candidates":[{"content":{"parts":[{"executableCode`)] + says("500", "INTERNAL", "It broke", "") + "\n\n", Want: provider.Error{Kind: provider.Overloaded}, Message: "It broke"},
			{Name: "a call that is none", Body: ending("MALFORMED_FUNCTION_CALL"), Want: provider.Error{Kind: provider.CutOff}, Message: "MALFORMED_FUNCTION_CALL"},
		},
		Refusals: []providertest.Failure{
			{Name: "too long", Status: 400, Body: says("400", "INVALID_ARGUMENT", "The input token count (1091639) exceeds the maximum number of tokens allowed (1048576).", ""), Want: provider.Error{Kind: provider.TooLarge, Used: 1091639, Limit: 1048576}},
			{Name: "too long an answer", Status: 400, Body: says("400", "INVALID_ARGUMENT", "Unable to submit request because it has a maxOutputTokens value of 20000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.", ""), Want: provider.Error{Kind: provider.Invalid, MaxOutput: 8192}},
			{Name: "too long, behind a proxy", Status: 400, Body: `{"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"The input token count (1091639) exceeds the maximum number of tokens allowed (1048576).\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","code":400,"status":"Bad Request"}}`, Want: provider.Error{Kind: provider.TooLarge, Used: 1091639, Limit: 1048576}},
			{Name: "limited", Status: 429, Body: says("429", "RESOURCE_EXHAUSTED", "You exceeded your current quota.", retry), Want: provider.Error{Kind: provider.RateLimited, After: 34070 * time.Millisecond}},
			{Name: "limited, in words", Status: 429, Body: says("429", "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 59.44s.", ""), Want: provider.Error{Kind: provider.RateLimited, After: 59440 * time.Millisecond}},
			{Name: "limited, in a list", Status: 429, Body: "[" + says("429", "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", "") + "]", Want: provider.Error{Kind: provider.RateLimited}},
			{Name: "key", Status: 400, Body: says("400", "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`), Want: provider.Error{Kind: provider.Authentication}},
			{Name: "permission", Status: 403, Body: says("403", "PERMISSION_DENIED", "Method doesn't allow unregistered callers", ""), Want: provider.Error{Kind: provider.Authentication}},
			{Name: "overloaded", Status: 503, Body: says("503", "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), Want: provider.Error{Kind: provider.Overloaded}},
			{Name: "slow", Status: 504, Body: says("504", "DEADLINE_EXCEEDED", "Deadline expired", ""), Want: provider.Error{Kind: provider.TimedOut}},
			{Name: "invalid", Status: 400, Body: says("400", "INVALID_ARGUMENT", "Unknown name at 'tools'", ""), Want: provider.Error{Kind: provider.Invalid}, Message: "Unknown name"},
		},
		Count: `{"totalTokens":31,"cachedContentTokenCount":2}`, Counted: 31, CountPath: "/v1beta/models/gemini-2.5-pro:countTokens",
		Begin: `data: {"responseId":"`, End: "data: {\"candidates\":[]}\n\n",
		Environment: map[string]string{
			"GOOGLE_API_KEY": "env-key-1", "GEMINI_API_KEY": "env-key-2", "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GENAI_USE_ENTERPRISE": "true",
			"GOOGLE_GEMINI_BASE_URL": "http://env.invalid", "GOOGLE_CLOUD_PROJECT": "env-project-3", "GOOGLE_CLOUD_LOCATION": "env-place-4",
		},
	})
}

func TestKeyIsNeeded(t *testing.T) {
	if _, err := open("gemini/x")(provider.Options{}); provider.KindOf(err) != provider.Authentication {
		t.Error(err)
	}
}

// Older models take no request for a longer answer than they can give.
func TestMostOutput(t *testing.T) {
	for model, want := range map[string]string{
		"gemini-1.5-pro": `"maxOutputTokens":8192`, "gemini-2.0-flash": `"maxOutputTokens":8192`, "gemini-2.5-flash": `"maxOutputTokens":20000`,
	} {
		providertest.Asks(t, open("gemini/"+model), provider.Request{MaxTokens: 20_000}, want)
	}
}

// A model of one's own is named with its collection.
func TestCollections(t *testing.T) {
	for model, path := range map[string]string{
		"models/gemini-2.5-pro": "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
		"tunedModels/harbour-1": "/v1beta/tunedModels/harbour-1:streamGenerateContent",
	} {
		got := ""
		c := &http.Client{Transport: spy(func(r *http.Request) { got = r.URL.Path })}
		m, err := open("gemini/" + model)(provider.Options{Key: providertest.Key, Client: c})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t)}); err == nil || got != path {
			t.Errorf("%s: %s, %v", model, got, err)
		}
	}
}

// spy sees requests and answers nothing.
type spy func(*http.Request)

// RoundTrip implements [http.RoundTripper].
func (f spy) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, errors.New("offline")
}
