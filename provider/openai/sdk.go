// Package openai calls OpenAI's Responses API and its Chat Completions API, and
// the servers that speak either, Ollama's, llama.cpp's and vLLM's among them,
// over the vendor's SDK. No type of the SDK leaves it; package catalog has the
// same models without the SDK.
//
// Responses are asked for without stored state: reasoning comes encrypted and
// goes back with the conversation. A schema goes as a json_schema format, its
// objects closed to unnamed members; it is strict when every object requires
// all it names, which OpenAI asks of strict schemas.
package openai

import (
	"context"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"tenfold/provider"
	format "tenfold/provider/internal/openai"
	"tenfold/provider/internal/wire"
)

// BaseURL is OpenAI's own address.
const BaseURL = format.BaseURL

// API is one of the two wire formats.
type API = format.API

// The wire formats.
const (
	Responses = format.Responses
	Chat      = format.Chat
)

// Model is a model behind one of OpenAI's wire formats; it implements
// [provider.Model].
type Model = format.Model

// New gives the model of a name like "openai/gpt-5" or "ollama/qwen3:8b". An
// empty api is [Responses]. Nothing is read from the environment. Errors are
// [*provider.Error].
func New(name string, api API, o provider.Options) (*Model, error) {
	return format.New(name, api, o, send)
}

// send has the SDK send requests. A client made by hand has no defaults:
// NewClient would read the environment.
func send(end *wire.Endpoint, base string, key provider.Key) func(path string) wire.Send {
	options := []option.RequestOption{
		option.WithBaseURL(base), option.WithHTTPClient(end.Client()), option.WithMaxRetries(0),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(string(key)))
	}
	client := sdk.Client{Options: options}
	return func(path string) wire.Send {
		return func(ctx context.Context, body []byte) error {
			return client.Post(ctx, path, body, nil)
		}
	}
}
