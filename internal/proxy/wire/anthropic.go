package wire

import (
	"strings"

	"tenfold"
)

// Anthropic is the protocol of Anthropic's Messages API.
type Anthropic struct{}

func (Anthropic) Name() string { return "anthropic" }

func (Anthropic) Kind(method, path string) Kind {
	path, _, _ = strings.Cut(path, "?")
	switch {
	case method != "POST":
	case strings.HasSuffix(path, "/v1/messages"):
		return Generate
	case strings.HasSuffix(path, "/v1/messages/count_tokens"):
		return Count
	}
	return Other
}

func anthropicShape() shape {
	return shape{
		list: "messages", text: true, thread: "thread",
		// The choices are those that the vendor's documents name as ending a cached
		// prefix.
		head:  []string{"system", "tools", "tool_choice", "thinking"},
		model: func(role, _ string) bool { return role == "assistant" },
	}
}

func (Anthropic) Scan(path string, body []byte, known []Message) (*Request, error) {
	return scan(path, body, known, anthropicShape())
}

func (Anthropic) Head(r *Request) (tenfold.ConfigDelta, error) { return r.settings("anthropic") }
