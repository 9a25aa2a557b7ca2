// Package anthropic calls Anthropic's Messages API over the vendor's SDK. No
// type of the SDK leaves it; package catalog has the same models without the SDK.
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

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"tenfold/provider"
	format "tenfold/provider/internal/anthropic"
	"tenfold/provider/internal/wire"
)

// BaseURL is Anthropic's own address.
const BaseURL = format.BaseURL

// Model is one of Anthropic's models; it implements [provider.Model].
type Model = format.Model

// New gives the model of a name like "anthropic/claude-sonnet-4-5". Nothing is
// read from the environment. Errors are [*provider.Error].
func New(name string, o provider.Options) (*Model, error) { return format.New(name, o, send) }

// send has the SDK send requests. A client made by hand has no defaults:
// NewClient would read the environment and files of the vendor's tools.
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
