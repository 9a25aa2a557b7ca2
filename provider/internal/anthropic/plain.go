package anthropic

import (
	"net/http"

	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// Plain sends requests over net/http alone, for small programs that start fast.
// It is a [Sender].
func Plain(end *wire.Endpoint, base string, key provider.Key) func(path string) wire.Send {
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if key != "" {
		header.Set("X-Api-Key", string(key))
	}
	return func(path string) wire.Send { return end.Post(base+path, header) }
}
