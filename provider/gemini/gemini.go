// Package gemini calls Google's Gemini API.
//
// A schema goes as responseJsonSchema with the media type application/json.
// Thought signatures come as reasoning ahead of the part they stand on, which
// is where the profile looks for them. The options' Extra may hold
// {"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}.
package gemini

import (
	"cmp"
	"net/http"
	"strings"

	"tenfold/body"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// BaseURL is Google's own address; the version of the API is added to it.
const BaseURL = "https://generativelanguage.googleapis.com"

// Model is one of Google's models; it implements [provider.Model].
type Model = wire.Model

// New gives the model of a name like "gemini/gemini-2.5-pro". Google's own address
// needs a key. Nothing is read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) {
	model, err := wire.ModelOf(name, o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Key == "" && o.BaseURL == "" {
		return nil, &provider.Error{
			Kind: provider.Authentication, Model: name, Message: "no key",
			Hint: "name the environment variable that holds it in the configuration (api_key_env)",
		}
	}
	base, version := strings.TrimRight(o.BaseURL, "/"), "v1beta"
	for _, v := range []string{"v1beta", "v1alpha", "v1"} {
		if rest, ok := strings.CutSuffix(base, "/"+v); ok {
			base, version = rest, v
			break
		}
	}
	path := model
	if !strings.Contains(path, "/") {
		path = "models/" + path
	}
	address := cmp.Or(base, BaseURL) + "/" + version + "/" + path // ":" and a method are added
	header := http.Header{}
	if o.Key != "" {
		header.Set("X-Goog-Api-Key", string(o.Key))
	}
	return wire.NewModel(name, header, o, wire.Format{
		Profile: body.Gemini(),
		Address: address + ":streamGenerateContent?alt=sse",
		Ask:     func(a wire.Asked) rawjson.Object { return ask(model, a) },
		Decoder: func() wire.Decoder { return newStream(model) },

		CountAddress: address + ":countTokens", Counted: "totalTokens",
		CountBody: func(view rawjson.Object) rawjson.Object {
			whole := "models/" + strings.TrimPrefix(model, "models/")
			inner := append(rawjson.Object{{Name: "model", Value: rawjson.Quote(whole)}}, view...)
			return rawjson.Object{{Name: "generateContentRequest", Value: inner.Bytes()}}
		},
	})
}

func ask(model string, a wire.Asked) rawjson.Object {
	var generation, o rawjson.Object
	if a.MaxTokens > 0 {
		generation.Set("maxOutputTokens", wire.Number(wire.MostOutput(model, a.MaxTokens)))
	}
	if a.Schema != nil {
		generation.Set("responseMimeType", rawjson.Quote("application/json"))
		generation.Set("responseJsonSchema", a.Schema)
	}
	if len(generation) > 0 {
		o.Set("generationConfig", generation.Bytes())
	}
	if a.NoTools {
		o.Set("toolConfig", []byte(`{"functionCallingConfig":{"mode":"NONE"}}`))
	}
	return o
}
