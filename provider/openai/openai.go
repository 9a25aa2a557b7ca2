// Package openai calls OpenAI's Responses API and its Chat Completions API, and
// the servers that speak either, Ollama's, llama.cpp's and vLLM's among them.
//
// Responses are asked for without stored state: reasoning comes encrypted and
// goes back with the conversation. A schema goes as a json_schema format, its
// objects closed to unnamed members; it is strict when every object requires
// all it names, which OpenAI asks of strict schemas.
package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"tenfold/body"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
	"tenfold/token"
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
type Model struct {
	name, model string
	api         API
	own         bool   // at OpenAI's own address
	base        string // ends without a slash
	end         *wire.Endpoint
	extra       wire.Object
}

// New gives the model of a name like "openai/gpt-5" or "ollama/qwen3:8b". An
// empty api is [Responses]. Nothing is read from the environment. Errors are
// [*provider.Error].
func New(name string, api API, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	switch api {
	case "":
		api = Responses
	case Responses, Chat:
	default:
		return nil, &provider.Error{
			Kind: provider.Invalid, Model: name, Message: "there is no API called " + string(api), Hint: "it is responses or chat",
		}
	}
	extra, err := wire.ParseExtra(name, o.Extra)
	if err != nil {
		return nil, err
	}
	base := strings.TrimRight(o.BaseURL, "/")
	if base == "" {
		base = BaseURL
	}
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+string(o.Key))
	}
	return &Model{
		name: name, model: model, api: api, own: base == BaseURL, base: base,
		end: wire.NewEndpoint(name, header, o), extra: extra,
	}, nil
}

// Name implements [provider.Model].
func (m *Model) Name() string { return m.name }

// Profile implements [provider.Model].
func (m *Model) Profile() body.Profile {
	if m.api == Chat {
		return body.OpenAIChat()
	}
	return body.OpenAIResponses()
}

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return m.end.Stream(ctx, func() (wire.Question, error) {
		body, err := m.body(r)
		path, d := "/responses", wire.Decoder(newResponses(m.model))
		if m.api == Chat {
			path, d = "/chat/completions", newChat(m.model)
		}
		return wire.Question{Address: m.base + path, Body: body, Decoder: d}, err
	})
}

// Count implements [provider.Model] by estimate: the texts of the body, counted
// with o200k. No request is made.
func (m *Model) Count(_ context.Context, r provider.Request) (provider.Count, error) {
	view, err := wire.View(m.name, m.Profile(), r)
	if err != nil {
		return provider.Count{}, err
	}
	return provider.Count{Tokens: wire.CountTexts(token.O200k(), view.Bytes())}, nil
}

// body writes the whole request.
func (m *Model) body(r provider.Request) ([]byte, error) {
	view, err := wire.View(m.name, m.Profile(), r)
	if err != nil {
		return nil, err
	}
	schema, err := wire.Schema(m.name, r)
	if err != nil {
		return nil, err
	}
	o := wire.Object{
		{Name: "model", Value: wire.Quote(m.model)},
		{Name: "stream", Value: []byte("true")},
	}
	most := r.MaxTokens
	if limit, ok := (token.Windows{}).Output(m.model); ok && m.own {
		most = min(most, limit)
	}
	if m.api == Chat {
		m.askChat(&o, most, schema)
	} else {
		m.askResponses(&o, most, schema)
	}
	if r.NoTools && view.Get("tools") != nil {
		o.Set("tool_choice", wire.Quote("none"))
	}
	o.Merge(view)
	o.Merge(m.extra)
	return o.Bytes(), nil
}

// leastAnswer is the least the Responses API takes as a limit.
const leastAnswer = 16

func (m *Model) askResponses(o *wire.Object, most int, schema []byte) {
	o.Set("store", []byte("false"))
	if reasons(m.model) {
		o.Set("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if most > 0 {
		o.Set("max_output_tokens", wire.Number(max(most, leastAnswer)))
	}
	if schema != nil {
		format := append(wire.Object{{Name: "type", Value: wire.Quote("json_schema")}}, named(schema)...)
		o.Set("text", wire.Object{{Name: "format", Value: format.Bytes()}}.Bytes())
	}
}

func (m *Model) askChat(o *wire.Object, most int, schema []byte) {
	o.Set("stream_options", []byte(`{"include_usage":true}`))
	if most > 0 {
		limit := "max_tokens" // what other servers know
		if m.own {
			limit = "max_completion_tokens"
		}
		o.Set(limit, wire.Number(most))
	}
	if schema != nil {
		o.Set("response_format", wire.Object{
			{Name: "type", Value: wire.Quote("json_schema")},
			{Name: "json_schema", Value: named(schema).Bytes()},
		}.Bytes())
	}
}

func named(schema []byte) wire.Object {
	closed, strict := wire.Closed(schema)
	o := wire.Object{{Name: "name", Value: wire.Quote("answer")}, {Name: "schema", Value: closed}}
	if strict {
		o.Set("strict", []byte("true"))
	}
	return o
}

// reasons reports whether a model may be asked for encrypted reasoning: those
// known not to reason refuse the question.
func reasons(model string) bool {
	for _, plain := range []string{"gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat", "gpt-5.1-chat", "ft:gpt-3", "ft:gpt-4"} {
		if strings.HasPrefix(model, plain) {
			return false
		}
	}
	return true
}
