package gemini

import (
	"net/http"
	"strings"

	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// Plain sends requests over net/http alone, for small programs that start fast.
// It is a [Sender].
func Plain(end *wire.Endpoint, model, base, version string, key provider.Key) (stream, count wire.Send, err error) {
	header := http.Header{"X-Goog-Api-Key": {string(key)}}
	if !strings.Contains(model, "/") {
		model = "models/" + model
	}
	at := base + version + "/" + model
	return end.Post(at+":streamGenerateContent?alt=sse", header), end.Post(at+":countTokens", header), nil
}
