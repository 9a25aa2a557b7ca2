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

// updates tells whether the request asks for what the model says to the user between its calls
// ("progress updates"), and for nothing else that it thinks: then that is what thinking with a
// text in it is (https://platform.claude.com/docs/en/build-with-claude/thinking).
func (r *Request) updates() bool {
	p, ok := r.head.find("thinking")
	if !ok {
		return false
	}
	f, err := object(r.Body, p.at)
	display, there := f.get("display")
	return err == nil && there && display.text(r.Body) == "updates"
}

// Bound tells of what a vendor takes back only behind what it was made under (B1): what the model
// thought, and words of it that came as thinking.
func Bound(p tenfold.Payload) bool {
	return p.Kind() == tenfold.KindReasoning || SignatureOf(p) != ""
}

// SignatureOf gives Anthropic's signature of thinking, and of words that came as thinking.
func SignatureOf(p tenfold.Payload) string {
	switch p := p.(type) {
	case tenfold.AssistantMessage:
		return p.Signature
	case tenfold.Reasoning:
		if p.Provider == "anthropic" {
			return p.Signature
		}
	}
	return ""
}

func (Anthropic) Head(r *Request) (tenfold.ConfigDelta, error) { return r.settings("anthropic") }
