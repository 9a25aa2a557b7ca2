// Package anthropic calls Anthropic's Messages API.
//
// A schema goes as output_config.format, which Anthropic enforces while the
// model writes; objects of the schema that leave it open are closed to unnamed
// members, as the API asks. A forced tool is not used: newer models refuse one.
// Thinking is off unless the options' Extra turns it on, for example with
// {"thinking":{"type":"adaptive"}}. A request with Cache set marks where its prompt
// is to be kept in Anthropic's cache.
package anthropic

import (
	"cmp"
	"net/http"
	"strings"

	"tenfold/body"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// BaseURL is Anthropic's own address.
const BaseURL = "https://api.anthropic.com"

// Model is one of Anthropic's models; it implements [provider.Model].
type Model = wire.Model

// New gives the model of a name like "anthropic/claude-sonnet-5-5". Nothing is
// read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	base := cmp.Or(strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1"), BaseURL)
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if o.Key != "" {
		header.Set("X-Api-Key", string(o.Key))
	}
	return wire.NewModel(name, header, o, wire.Format{
		Profile: body.Anthropic(),
		Address: base + "/v1/messages",
		Ask:     func(a wire.Asked) rawjson.Object { return ask(model, a) },
		Mark:    mark,
		Decoder: func() wire.Decoder { return newStream(model) },

		CountAddress: base + "/v1/messages/count_tokens", Counted: "input_tokens",
		CountBody: func(view rawjson.Object) rawjson.Object {
			return append(rawjson.Object{{Name: "model", Value: rawjson.Quote(model)}}, view...)
		},
	})
}

// usualMax is what an answer may have when nobody says: the API wants a
// number, and all models of a generation take this one.
const usualMax = 32_000

func ask(model string, a wire.Asked) rawjson.Object {
	o := rawjson.Object{
		{Name: "model", Value: rawjson.Quote(model)},
		{Name: "max_tokens", Value: wire.Number(wire.MostOutput(model, cmp.Or(max(a.MaxTokens, 0), usualMax)))},
		{Name: "stream", Value: []byte("true")},
	}
	if a.NoTools {
		o.Set("tool_choice", []byte(`{"type":"none"}`))
	}
	if a.Schema != nil {
		closed, _ := wire.Closed(a.Schema)
		format := rawjson.Object{{Name: "type", Value: rawjson.Quote("json_schema")}, {Name: "schema", Value: closed}}
		o.Set("output_config", rawjson.Object{{Name: "format", Value: format.Bytes()}}.Bytes())
	}
	return o
}
