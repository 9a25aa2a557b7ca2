// Package openai calls OpenAI's Responses API and its Chat Completions API, and
// the servers that speak either, Ollama's, llama.cpp's and vLLM's among them.
//
// Responses are asked for without stored state: reasoning comes encrypted and
// goes back with the conversation. A schema goes as a json_schema format, its
// objects closed to unnamed members; it is strict when every object requires
// all it names, which OpenAI asks of strict schemas.
package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tenfold/body"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// BaseURL is OpenAI's own address.
const BaseURL = "https://api.openai.com/v1"

// API is one of the two wire formats.
type API string

// The wire formats.
const (
	Responses API = "responses"
	Chat      API = "chat"
)

// Model is a model behind one of OpenAI's wire formats; it implements
// [provider.Model].
type Model = wire.Model

// New gives the model of a name like "openai/gpt-5" or "ollama/qwen3:8b". An
// empty api is [Responses]. Nothing is read from the environment. Errors are
// [*provider.Error].
func New(name string, api API, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	base := cmp.Or(strings.TrimRight(o.BaseURL, "/"), BaseURL)
	own := base == BaseURL
	var f wire.Format
	switch cmp.Or(api, Responses) {
	case Responses:
		f = wire.Format{
			Profile: body.OpenAIResponses(),
			Address: base + "/responses",
			Ask:     func(a wire.Asked) rawjson.Object { return askResponses(model, own, a) },
			Tool:    leaveOpen,
			Decoder: func() wire.Decoder { return newResponses(model) },
		}
	case Chat:
		f = wire.Format{
			Profile: body.OpenAIChat(),
			Address: base + "/chat/completions",
			Ask:     func(a wire.Asked) rawjson.Object { return askChat(model, own, a) },
			Tool:    sayLess,
			Decoder: func() wire.Decoder { return newChat(model) },
		}
	default:
		return nil, &provider.Error{
			Kind: provider.Invalid, Model: name, Message: fmt.Sprintf("unknown API %q", api), Hint: "use responses or chat",
		}
	}
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+string(o.Key))
	}
	return wire.NewModel(name, header, o, f)
}

// leaveOpen keeps optional arguments optional: the Responses API makes each of them
// required where a tool does not say that it is not strict.
func leaveOpen(tool *rawjson.Object) {
	if rawjson.Text(tool.Get("type")) == "function" && tool.Get("strict") == nil {
		tool.Set("strict", []byte("false"))
	}
}

// longestAbout is how many characters of what is said of a tool the Chat Completions API
// takes; it refuses requests with more.
const longestAbout = 1024

func sayLess(tool *rawjson.Object) {
	function, err := wire.ParseObject(tool.Get("function"))
	if err != nil {
		return
	}
	if about := []rune(rawjson.Text(function.Get("description"))); len(about) > longestAbout {
		function.Set("description", rawjson.Quote(string(about[:longestAbout-1])+"…"))
		tool.Set("function", function.Bytes())
	}
}

// asked begins a request, and gives the limit of the answer: that of OpenAI's
// models at OpenAI's own address alone, where the conversation is named too, by which its cached
// beginning is found (https://developers.openai.com/api/docs/guides/prompt-caching).
func asked(model string, own bool, a wire.Asked) (o rawjson.Object, most int) {
	most = a.MaxTokens
	if own {
		most = wire.MostOutput(model, most)
	}
	o = rawjson.Object{
		{Name: "model", Value: rawjson.Quote(model)},
		{Name: "stream", Value: []byte("true")},
	}
	if own && a.Conversation != "" {
		o.Set("prompt_cache_key", rawjson.Quote(a.Conversation))
	}
	return o, most
}

// leastAnswer is the least the Responses API takes as a limit.
const leastAnswer = 16

func askResponses(model string, own bool, a wire.Asked) rawjson.Object {
	o, most := asked(model, own, a)
	o.Set("store", []byte("false"))
	if reasons(model) {
		o.Set("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if most > 0 {
		o.Set("max_output_tokens", wire.Number(max(most, leastAnswer)))
	}
	if a.Schema != nil {
		format := append(rawjson.Object{{Name: "type", Value: rawjson.Quote("json_schema")}}, named(a.Schema)...)
		o.Set("text", rawjson.Object{{Name: "format", Value: format.Bytes()}}.Bytes())
	}
	forbidTools(&o, a)
	return o
}

func askChat(model string, own bool, a wire.Asked) rawjson.Object {
	o, most := asked(model, own, a)
	o.Set("stream_options", []byte(`{"include_usage":true}`))
	if most > 0 {
		limit := "max_tokens" // what other servers know
		if own {
			limit = "max_completion_tokens"
		}
		o.Set(limit, wire.Number(most))
	}
	if a.Schema != nil {
		o.Set("response_format", rawjson.Object{
			{Name: "type", Value: rawjson.Quote("json_schema")},
			{Name: "json_schema", Value: named(a.Schema).Bytes()},
		}.Bytes())
	}
	forbidTools(&o, a)
	return o
}

func forbidTools(o *rawjson.Object, a wire.Asked) {
	if a.NoTools {
		o.Set("tool_choice", rawjson.Quote("none"))
	}
}

func named(schema []byte) rawjson.Object {
	closed, strict := wire.Closed(schema)
	o := rawjson.Object{{Name: "name", Value: rawjson.Quote("answer")}, {Name: "schema", Value: closed}}
	if strict {
		o.Set("strict", []byte("true"))
	}
	return o
}

// reasons reports whether a model may be asked for encrypted reasoning: those
// known not to reason refuse the question.
func reasons(model string) bool {
	return !slices.ContainsFunc([]string{"gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat", "gpt-5.1-chat", "ft:gpt-3", "ft:gpt-4"}, func(plain string) bool { return strings.HasPrefix(model, plain) })
}
