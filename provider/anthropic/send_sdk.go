//go:build !plain

package anthropic

import (
	"context"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// poster has the SDK send requests. A client made by hand has no defaults:
// NewClient would read the environment and files of the vendor's tools.
func poster(end *wire.Endpoint, base string, key provider.Key) func(path string) wire.Send {
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
