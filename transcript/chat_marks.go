package transcript

import (
	"slices"
	"strings"
)

// marks counts what in a head of messages speaks for one provider or another.
type marks struct {
	messages, plain           int // all messages, and those anybody could have written
	openai, anthropic, gemini int // what only one of them writes
	blocks                    int // lists of plain text blocks, which Anthropic's users write
	system                    int // system messages after the first, which both take
	model                     Format
	foreign                   bool // a record that is somebody else's
}

// chat tells whose messages they are; "" for nobody's.
func (m marks) chat() Format {
	switch {
	case m.foreign || m.messages == 0 && m.openai+m.anthropic+m.gemini == 0:
		return ""
	case m.gemini > 0 && m.gemini >= m.openai && m.gemini >= m.anthropic:
		return GeminiBody
	case m.openai != m.anthropic:
		if m.openai > m.anthropic {
			return OpenAIChat
		}
		return AnthropicBody
	case m.model == OpenAIChat || m.model == AnthropicBody:
		return m.model
	case m.system > 0:
		return OpenAIChat
	case m.blocks > 0 && m.blocks == m.messages:
		return AnthropicBody
	}
	return OpenAIChat
}

// chatMarks looks for messages at the top, and in the records there.
func chatMarks(h Head) marks {
	var m marks
	for i, o := range h.json.objects {
		if h.json.shape == shapeText {
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
func (m *marks) record(o object) bool {
	if o.values["type"] == "message_start" && o.has("message") {
		m.anthropic++
		return true
	}
	at := slices.IndexFunc(chatRecords, func(name string) bool { return o.kinds[name] == '[' })
	if at < 0 {
		return o.kinds["type"] == '"' && (strings.HasPrefix(o.values["type"], "content_block_") || o.values["type"] == "ping" || strings.HasPrefix(o.values["type"], "message_"))
	}
	name := chatRecords[at]
	switch name {
	case "choices":
		m.openai++
	case "candidates":
		m.gemini++
	case "contents":
		m.gemini += len(o.items[name])
	}
	switch model := strings.ToLower(o.values["model"]); {
	case strings.Contains(model, "claude"):
		m.model = AnthropicBody
	case strings.Contains(model, "gpt"), strings.HasPrefix(model, "o1"), strings.HasPrefix(model, "o3"):
		m.model = OpenAIChat
	case strings.Contains(model, "gemini"):
		m.model = GeminiBody
	}
	// Whose the rest is.
	switch {
	case o.kinds["system"] == '"', o.kinds["system"] == '[', o.has("anthropic_version"), o.has("anthropic_beta"), o.has("stop_sequences"):
		m.anthropic++
	}
	for _, t := range o.items["tools"] {
		switch {
		case t.has("input_schema"):
			m.anthropic++
		case t.has("function"):
			m.openai++
		}
	}
	if o.has("trajectory_format") || o.inner["info"].has("mini_version") || o.inner["info"].has("model_stats") || o.has("trajectory") || o.has("history") || o.has("rollout") {
		m.foreign = true
	}
	for _, inner := range o.items[name] {
		if name != "choices" && name != "candidates" && !m.message(inner) && inner.whole {
			m.foreign = true
		}
	}
	return true
}

// message looks at a message.
func (m *marks) message(o object) bool {
	role := o.values["role"]
	if o.kinds["parts"] == '[' && (role == "" || role == "user" || role == "model" || role == "function" || role == "system") {
		m.messages++
		m.gemini++
		return true
	}
	if role == "" || (!o.has("content") && !o.has("tool_calls") && !o.has("function_call")) {
		return !o.whole && (role != "" || len(o.names) == 0 || o.has("content"))
	}
	if o.has("type") && o.values["type"] != "message" {
		return false
	}
	m.messages++
	before := m.openai + m.anthropic
	if o.values["type"] == "message" {
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
	if o.has("tool_calls") || o.has("function_call") || o.has("tool_call_id") || o.has("refusal") {
		m.openai++
	}
	if o.kinds["content"] == '[' {
		texts := 0
		for _, b := range o.items["content"] {
			switch b.values["type"] {
			case "text":
				texts++
			case "image_url", "input_audio", "refusal", "file":
				m.openai++
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "compaction", "server_tool_use", "image", "document":
				m.anthropic++
			}
		}
		if texts > 0 && texts == len(o.items["content"]) {
			m.blocks++
		}
	}
	if before == m.openai+m.anthropic {
		m.plain++
	}
	return true
}
