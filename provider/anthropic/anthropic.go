// Package anthropic calls Anthropic's Messages API.
//
// A schema goes as output_config.format, which Anthropic enforces while the
// model writes; objects of the schema that leave it open are closed to unnamed
// members, as the API asks. A forced tool is not used: newer models refuse one.
// Thinking is off unless the options' Extra turns it on, for example with
// {"thinking":{"type":"adaptive"}}; {"cache_control":{"type":"ephemeral"}} has
// the conversation's beginning kept in Anthropic's cache.
package anthropic

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

// BaseURL is Anthropic's own address.
const BaseURL = "https://api.anthropic.com"

// Model is one of Anthropic's models; it implements [provider.Model].
type Model struct {
	name, model string
	base        string // ends without a slash
	end         *wire.Endpoint
	extra       wire.Object
}

// New gives the model of a name like "anthropic/claude-sonnet-4-5". Nothing is
// read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	extra, err := wire.ParseExtra(name, o.Extra)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")
	if base == "" {
		base = BaseURL
	}
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if o.Key != "" {
		header.Set("X-Api-Key", string(o.Key))
	}
	return &Model{name: name, model: model, base: base, end: wire.NewEndpoint(name, header, o), extra: extra}, nil
}

// Name implements [provider.Model].
func (m *Model) Name() string { return m.name }

// Profile implements [provider.Model].
func (m *Model) Profile() body.Profile { return body.Anthropic() }

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return m.end.Stream(ctx, func() (wire.Question, error) {
		body, err := m.body(r)
		return wire.Question{Address: m.base + "/v1/messages", Body: body, Decoder: newStream(m.model)}, err
	})
}

// Count implements [provider.Model]: Anthropic counts.
func (m *Model) Count(ctx context.Context, r provider.Request) (provider.Count, error) {
	view, err := wire.View(m.name, m.Profile(), r)
	if err != nil {
		return provider.Count{}, err
	}
	o := wire.Object{{Name: "model", Value: wire.Quote(m.model)}}
	o.Merge(view)
	raw, err := m.end.Fetch(ctx, m.base+"/v1/messages/count_tokens", o.Bytes())
	if err != nil {
		return provider.Count{}, err
	}
	return wire.Counted(m.name, raw, "input_tokens")
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
	most := defaultMax(m.model)
	if r.MaxTokens > 0 {
		most = r.MaxTokens
		if limit, ok := (token.Windows{}).Output(m.model); ok {
			most = min(most, limit)
		}
	}
	o := wire.Object{
		{Name: "model", Value: wire.Quote(m.model)},
		{Name: "max_tokens", Value: wire.Number(most)},
		{Name: "stream", Value: []byte("true")},
	}
	if r.NoTools && view.Get("tools") != nil {
		o.Set("tool_choice", []byte(`{"type":"none"}`))
	}
	if schema != nil {
		closed, _ := wire.Closed(schema)
		format := wire.Object{{Name: "type", Value: wire.Quote("json_schema")}, {Name: "schema", Value: closed}}
		o.Set("output_config", wire.Object{{Name: "format", Value: format.Bytes()}}.Bytes())
	}
	o.Merge(view)
	o.Merge(m.extra)
	return o.Bytes(), nil
}

// defaultMax is what an answer may have when nobody says: the API wants a
// number. It is what all models of a generation take.
func defaultMax(model string) int {
	const usual = 32_000
	if limit, ok := (token.Windows{}).Output(model); ok {
		return min(limit, usual)
	}
	return usual
}
