package chatapi

import (
	"slices"
	"strings"

	"tenfold/transcript/internal/intake"
)

// marks counts what in a head of messages speaks for one provider or another.
type marks struct {
	messages, plain           int // all messages, and those anybody could have written
	openai, anthropic, gemini int // what only one of them writes
	blocks                    int // lists of plain text blocks, which Anthropic's users write
	system                    int // system messages after the first, which both take
	model                     intake.Format
	foreign                   bool // a record that is somebody else's
}

// chat tells whose messages they are; "" for nobody's.
func (m marks) chat() intake.Format {
	switch {
	case m.foreign || m.messages == 0 && m.openai+m.anthropic+m.gemini == 0:
		return ""
	case m.gemini > 0 && m.gemini >= m.openai && m.gemini >= m.anthropic:
		return intake.GeminiBody
	case m.openai != m.anthropic:
		if m.openai > m.anthropic {
			return intake.OpenAIChat
		}
		return intake.AnthropicBody
	case m.model == intake.OpenAIChat || m.model == intake.AnthropicBody:
		return m.model
	case m.system > 0:
		return intake.OpenAIChat
	case m.blocks > 0 && m.blocks == m.messages:
		return intake.AnthropicBody
	}
	return intake.OpenAIChat
}

// chatMarks looks for messages at the top, and in the records there.
func chatMarks(h intake.Head) marks {
	var m marks
	for i, o := range h.JSON.Objects {
		if h.JSON.Shape == intake.ShapeText {
			break
		}
		if !m.record(o) && !m.message(o) && i == 0 {
			m.foreign = true // messages stand at the front
		}
	}
	return m
}

// chatRecords are members of which a record with messages has at least one.
var chatRecords = []string{"messages", "traj", "conversation", "contents", "choices", "candidates"}

// record looks at an object that holds messages.
func (m *marks) record(o intake.Object) bool {
	if o.Values["type"] == "message_start" && o.Has("message") {
		m.anthropic++
		return true
	}
	at := slices.IndexFunc(chatRecords, func(name string) bool { return o.Kinds[name] == '[' })
	if at < 0 {
		return o.Kinds["type"] == '"' && (strings.HasPrefix(o.Values["type"], "content_block_") || o.Values["type"] == "ping" || strings.HasPrefix(o.Values["type"], "message_"))
	}
	name := chatRecords[at]
	switch name {
	case "choices":
		m.openai++
	case "candidates":
		m.gemini++
	case "contents":
		m.gemini += len(o.Items[name])
	}
	switch model := strings.ToLower(o.Values["model"]); {
	case strings.Contains(model, "claude"):
		m.model = intake.AnthropicBody
	case strings.Contains(model, "gpt"), strings.HasPrefix(model, "o1"), strings.HasPrefix(model, "o3"):
		m.model = intake.OpenAIChat
	case strings.Contains(model, "gemini"):
		m.model = intake.GeminiBody
	}
	// Whose the rest is.
	switch {
	case o.Kinds["system"] == '"', o.Kinds["system"] == '[', o.Has("anthropic_version"), o.Has("anthropic_beta"), o.Has("stop_sequences"):
		m.anthropic++
	}
	for _, t := range o.Items["tools"] {
		switch {
		case t.Has("input_schema"):
			m.anthropic++
		case t.Has("function"):
			m.openai++
		}
	}
	if o.Has("trajectory_format") || o.Inner["info"].Has("mini_version") || o.Inner["info"].Has("model_stats") || o.Has("trajectory") || o.Has("history") || o.Has("rollout") {
		m.foreign = true
	}
	for _, inner := range o.Items[name] {
		if name != "choices" && name != "candidates" && !m.message(inner) && inner.Whole {
			m.foreign = true
		}
	}
	return true
}

// message looks at a message.
func (m *marks) message(o intake.Object) bool {
	role := o.Values["role"]
	if o.Kinds["parts"] == '[' && (role == "" || role == "user" || role == "model" || role == "function" || role == "system") {
		m.messages++
		m.gemini++
		return true
	}
	if role == "" || (!o.Has("content") && !o.Has("tool_calls") && !o.Has("function_call")) {
		return !o.Whole && (role != "" || len(o.Names) == 0 || o.Has("content"))
	}
	if o.Has("type") && o.Values["type"] != "message" {
		return false
	}
	m.messages++
	before := m.openai + m.anthropic
	if o.Values["type"] == "message" {
		m.anthropic++
	}
	switch role {
	case "system":
		if m.messages == 1 {
			m.openai++
		} else {
			m.system++
		}
	case "developer", "tool", "function":
		m.openai++
	}
	if o.Has("tool_calls") || o.Has("function_call") || o.Has("tool_call_id") || o.Has("refusal") {
		m.openai++
	}
	if o.Kinds["content"] == '[' {
		texts := 0
		for _, b := range o.Items["content"] {
			switch b.Values["type"] {
			case "text":
				texts++
			case "image_url", "input_audio", "refusal", "file":
				m.openai++
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "compaction", "server_tool_use", "image", "document":
				m.anthropic++
			}
		}
		if texts > 0 && texts == len(o.Items["content"]) {
			m.blocks++
		}
	}
	if before == m.openai+m.anthropic {
		m.plain++
	}
	return true
}
