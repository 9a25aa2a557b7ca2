// Package gemini calls Google's Gemini API.
//
// A schema goes as responseJsonSchema with the media type application/json.
// Thought signatures come as reasoning ahead of the part they stand on, which
// is where the profile looks for them. The options' Extra may hold
// {"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}.
package gemini

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

// BaseURL is Google's own address; the version of the API is added to it.
const BaseURL = "https://generativelanguage.googleapis.com"

// Model is one of Google's models; it implements [provider.Model].
type Model struct {
	name, model string
	address     string // the model's own, to which ":" and a method are added
	end         *wire.Endpoint
	extra       wire.Object
}

// New gives the model of a name like "gemini/gemini-2.5-pro". It needs a
// key. Nothing is read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Key == "" {
		return nil, &provider.Error{
			Kind: provider.Authentication, Model: name, Message: "no key",
			Hint: "name the environment variable that holds it in the configuration (api_key_env)",
		}
	}
	extra, err := wire.ParseExtra(name, o.Extra)
	if err != nil {
		return nil, err
	}
	base, version := strings.TrimRight(o.BaseURL, "/"), "v1beta"
	for _, v := range []string{"v1beta", "v1alpha", "v1"} {
		if rest, ok := strings.CutSuffix(base, "/"+v); ok {
			base, version = rest, v
			break
		}
	}
	if base == "" {
		base = BaseURL
	}
	path := model
	if !strings.Contains(path, "/") {
		path = "models/" + path
	}
	header := http.Header{"X-Goog-Api-Key": {string(o.Key)}}
	return &Model{
		name: name, model: model, address: base + "/" + version + "/" + path,
		end: wire.NewEndpoint(name, header, o), extra: extra,
	}, nil
}

// Name implements [provider.Model].
func (m *Model) Name() string { return m.name }

// Profile implements [provider.Model].
func (m *Model) Profile() body.Profile { return body.Gemini() }

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return m.end.Stream(ctx, func() (wire.Question, error) {
		body, err := m.body(r)
		return wire.Question{Address: m.address + ":streamGenerateContent?alt=sse", Body: body, Decoder: newStream(m.model)}, err
	})
}

// Count implements [provider.Model]: Google counts.
func (m *Model) Count(ctx context.Context, r provider.Request) (provider.Count, error) {
	view, err := wire.View(m.name, m.Profile(), r)
	if err != nil {
		return provider.Count{}, err
	}
	whole := "models/" + strings.TrimPrefix(m.model, "models/")
	inner := wire.Object{{Name: "model", Value: wire.Quote(whole)}}
	inner.Merge(view)
	body := wire.Object{{Name: "generateContentRequest", Value: inner.Bytes()}}.Bytes()
	raw, err := m.end.Fetch(ctx, m.address+":countTokens", body)
	if err != nil {
		return provider.Count{}, err
	}
	return wire.Counted(m.name, raw, "totalTokens")
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
	var generation, o wire.Object
	if r.MaxTokens > 0 {
		most := r.MaxTokens
		if limit, ok := (token.Windows{}).Output(m.model); ok {
			most = min(most, limit)
		}
		generation.Set("maxOutputTokens", wire.Number(most))
	}
	if schema != nil {
		generation.Set("responseMimeType", wire.Quote("application/json"))
		generation.Set("responseJsonSchema", schema)
	}
	if len(generation) > 0 {
		o.Set("generationConfig", generation.Bytes())
	}
	if r.NoTools && view.Get("tools") != nil {
		o.Set("toolConfig", []byte(`{"functionCallingConfig":{"mode":"NONE"}}`))
	}
	o.Merge(view)
	o.Merge(m.extra)
	return o.Bytes(), nil
}
