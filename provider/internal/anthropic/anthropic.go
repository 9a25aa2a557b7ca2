// Package anthropic is the wire format of Anthropic's Messages API: what a
// request says and what the stream of its answer means. How a request is sent
// is the caller's affair: [Plain] sends it over net/http, and the package
// tenfold/provider/anthropic, for Go developers, over the vendor's SDK.
package anthropic

import (
	"context"
	"iter"
	"strings"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
	"tenfold/token"
)

// BaseURL is Anthropic's own address.
const BaseURL = "https://api.anthropic.com"

// Model is one of Anthropic's models; it implements [provider.Model].
type Model struct {
	name, model string
	end         *wire.Endpoint
	post        func(path string) wire.Send
	extra       wire.Object
}

// A Sender says how requests are sent to the paths behind a base URL, which
// ends with a slash. An empty key is not sent.
type Sender func(end *wire.Endpoint, base string, key provider.Key) func(path string) wire.Send

// New gives the model of a name like "anthropic/claude-sonnet-4-5". Nothing is
// read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options, send Sender) (*Model, error) {
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
	m := &Model{name: name, model: model, end: wire.NewEndpoint(name, o), extra: extra}
	m.post = send(m.end, base+"/", o.Key)
	return m, nil
}

// Name implements [provider.Model].
func (m *Model) Name() string { return m.name }

// Profile implements [provider.Model].
func (m *Model) Profile() tenfold.Profile { return tenfold.Anthropic() }

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		body, err := m.body(r)
		if err != nil {
			yield(provider.Event{}, err)
			return
		}
		for e, err := range m.end.Stream(ctx, body, m.post("v1/messages"), newStream(m.model)) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Count implements [provider.Model]: Anthropic counts.
func (m *Model) Count(ctx context.Context, r provider.Request) (provider.Count, error) {
	view, err := wire.View(m.name, m.Profile(), r)
	if err != nil {
		return provider.Count{}, err
	}
	o := wire.Object{{Name: "model", Value: wire.Quote(m.model)}}
	o.Merge(view)
	raw, err := m.end.Fetch(ctx, o.Bytes(), m.post("v1/messages/count_tokens"))
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
