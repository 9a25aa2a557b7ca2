package wire

import (
	"strings"

	"tenfold"
)

// Anthropic is the protocol of Anthropic's Messages API.
type Anthropic struct{}

// Name implements [Protocol].
func (Anthropic) Name() string { return "anthropic" }

// Kind implements [Protocol].
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
		list: "messages", text: true,
		// The choices are those that the vendor's documents name as ending a cached
		// prefix.
		head:  []string{"system", "tools", "tool_choice", "thinking"},
		model: func(role, _ string) bool { return role == "assistant" },
	}
}

// Scan implements [Protocol].
func (Anthropic) Scan(path string, body []byte, known []Message) (*Request, error) {
	return scan(path, body, known, anthropicShape())
}

// Head implements [Protocol].
func (Anthropic) Head(r *Request) (tenfold.ConfigDelta, error) { return r.settings("anthropic") }
