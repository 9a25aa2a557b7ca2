// Package anthropic calls Anthropic's Messages API.
//
// A schema goes as output_config.format, which Anthropic enforces while the
// model writes; objects of the schema that leave it open are closed to unnamed
// members, as the API asks. A forced tool is not used: newer models refuse one.
// Thinking is left to the model: those from Opus 5 and Sonnet 5 on think unless told otherwise,
// older ones where the options' Extra has them, with {"thinking":{"type":"adaptive"}}. Models
// that would keep to themselves what they say to the user between calls are asked for it, at
// Anthropic's own address, unless Extra has a word on thinking. A request with Cache set marks
// where its prompt is to be kept in Anthropic's cache.
package anthropic

import (
	"cmp"
	"net/http"
	"slices"
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
	asks, updates := asksForUpdates(model, base, o.Extra)
	if updates {
		header.Set("Anthropic-Beta", "thinking-display-updates-2026-08-18")
	}
	return wire.NewModel(name, header, o, wire.Format{
		Profile: body.Anthropic(),
		Address: base + "/v1/messages",
		Ask:     func(a wire.Asked) rawjson.Object { return ask(model, asks, a) },
		Mark:    mark,
		Decoder: func() wire.Decoder { return NewDecoder(model, updates) },

		CountAddress: base + "/v1/messages/count_tokens", Counted: "input_tokens",
		CountBody: func(view rawjson.Object) rawjson.Object {
			return append(rawjson.Object{{Name: "model", Value: rawjson.Quote(model)}}, view...)
		},
	})
}

// usualMax is what an answer may have when nobody says: the API wants a
// number, and all models of a generation take this one.
const usualMax = 32_000

// tellsInThinking are how the names of models begin that write what they say to the user between
// calls as thinking, which is empty unless asked for
// (https://platform.claude.com/docs/en/build-with-claude/thinking).
var tellsInThinking = []string{"claude-fable-5", "claude-mythos-5-1", "claude-mythos-5-2", "claude-opus-5-5", "claude-sonnet-5-5"}

// asksForUpdates tells whether requests ask for that by themselves, and whether it comes.
func asksForUpdates(model, base, extra string) (asks, comes bool) {
	if o, err := wire.ParseObject([]byte(extra)); err == nil && o.Get("thinking") != nil {
		thinking, err := wire.ParseObject(o.Get("thinking"))
		return false, err == nil && rawjson.Text(thinking.Get("display")) == "updates"
	}
	asks = base == BaseURL && slices.ContainsFunc(tellsInThinking, func(name string) bool { return strings.HasPrefix(model, name) })
	return asks, asks
}

func ask(model string, updates bool, a wire.Asked) rawjson.Object {
	o := rawjson.Object{
		{Name: "model", Value: rawjson.Quote(model)},
		{Name: "max_tokens", Value: wire.Number(wire.MostOutput(model, cmp.Or(max(a.MaxTokens, 0), usualMax)))},
		{Name: "stream", Value: []byte("true")},
	}
	if updates {
		o.Set("thinking", []byte(`{"type":"adaptive","display":"updates"}`))
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
