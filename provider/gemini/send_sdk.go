//go:build !plain

package gemini

import (
	"context"

	"google.golang.org/genai"

	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// ask is what the SDK is given to send: the body is put in its place.
func ask() []*genai.Content { return genai.Text("body") }

// senders have the SDK send requests. What the environment could say to it is
// all said here.
func senders(end *wire.Endpoint, model, base, version string, key provider.Key) (stream, count wire.Send, err error) {
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
