// Package gemini calls Google's Gemini API over the vendor's SDK. No type of the
// SDK leaves it; package catalog has the same models without the SDK.
//
// A schema goes as responseJsonSchema with the media type application/json.
// Thought signatures come as reasoning ahead of the part they stand on, which
// is where the profile looks for them. The options' Extra may hold
// {"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}.
package gemini

import (
	"context"

	"google.golang.org/genai"

	"tenfold/provider"
	format "tenfold/provider/internal/gemini"
	"tenfold/provider/internal/wire"
)

// BaseURL is Google's own address; the version of the API is added to it.
const BaseURL = format.BaseURL

// Model is one of Google's models; it implements [provider.Model].
type Model = format.Model

// New gives the model of a name like "gemini/gemini-2.5-pro". A key is needed:
// without one the SDK would look for it in the environment. Nothing of the
// environment has an effect. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) { return format.New(name, o, send) }

// ask is what the SDK is given to send: the body is put in its place.
func ask() []*genai.Content { return genai.Text("body") }

// send has the SDK send requests. What the environment could say to it is
// all said here.
func send(end *wire.Endpoint, model, base, version string, key provider.Key) (stream, count wire.Send, err error) {
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: string(key), Backend: genai.BackendGeminiAPI, HTTPClient: end.Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version},
	})
	if err != nil {
		return nil, nil, err
	}
	stream = func(ctx context.Context, _ []byte) error {
		once := false
		config := &genai.GenerateContentConfig{AutomaticContinuation: &once}
		for _, err := range client.Models.GenerateContentStream(ctx, model, ask(), config) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	count = func(ctx context.Context, _ []byte) error {
		_, err := client.Models.CountTokens(ctx, model, ask(), nil)
		return err
	}
	return stream, count, nil
}
