package modelserver

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	invalidRequest = "invalid_request_error"
	bindingBeta    = "thinking-binding-controls-2026-08-01"
)

type anthropicBody struct {
	Model    string             `json:"model"`
	Stream   bool               `json:"stream"`
	System   jsontext.Value     `json:"system"`
	Tools    []jsontext.Value   `json:"tools"`
	Messages []anthropicMessage `json:"messages"`
	Thinking struct {
		Type    string `json:"type"`
		Binding struct {
			Mismatch string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	Thread struct {
		Type string `json:"type"`
	} `json:"thread"`
}

type anthropicMessage struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

type anthropicBlock struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitzero"`
	Thinking  string         `json:"thinking,omitzero"`
	Signature string         `json:"signature,omitzero"`
	Data      string         `json:"data,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
	ToolUseID string         `json:"tool_use_id,omitzero"`
	Content   jsontext.Value `json:"content,omitzero"`
	IsError   bool           `json:"is_error,omitzero"`
}

// readAnthropic reads a body of the Messages API and checks it.
func readAnthropic(r *Request) *Error {
	var b anthropicBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return refuse("%v", err)
	}
	r.Model, r.Stream = b.Model, b.Stream
	if b.Thread.Type == "continue" { // threads expire, here at once
		return &Error{Status: http.StatusNotFound, Type: "not_found_error", Message: "thread not found", Code: "thread_not_found"}
	}
	r.drop = b.Thinking.Binding.Mismatch == "drop_block" && strings.Contains(strings.Join(r.Header.Values("Anthropic-Beta"), ","), bindingBeta)
	for _, tool := range b.Tools {
		r.Tools = append(r.Tools, nameOf(tool))
		r.prefix.add("tools", tool)
	}
	for _, block := range blocksOf(b.System) {
		// Claude Code says another one in each request, and its cache is read all the same.
		if strings.HasPrefix(textOf(block), "x-anthropic-billing-header:") {
			continue
		}
		r.prefix.add("system", block)
		r.System += textOf(block) + "\n"
	}
	c := anthropicCheck{seen: map[string]bool{}}
	if len(b.Messages) == 0 {
		return refuse("messages: at least one message is required")
	}
	for i, m := range b.Messages {
		path := "messages." + strconv.Itoa(i)
		if err := placed(b.Messages, i); err != nil {
			return err
		}
		if m.Role != "user" && m.Role != "assistant" && m.Role != "system" {
			return refuse("%s.role: Input should be 'user' or 'assistant'", path)
		}
		if i == 0 && m.Role != "user" {
			return refuse("messages: first message must use the \"user\" role")
		}
		blocks := blocksOf(m.Content)
		if len(blocks) == 0 && m.Role != "system" { // Claude Code sends empty ones of that role
			return refuse("%s: all messages must have non-empty content except for the optional final assistant message", path)
		}
		start, earlier := len(r.prefix.units), slices.Clip(r.thoughts)
		for j, raw := range blocks {
			if err := c.block(r, m.Role, fmt.Sprintf("%s.content.%d", path, j), start, earlier, raw); err != nil {
				return err
			}
		}
		if err := c.turn(m.Role, i); err != nil {
			return err
		}
	}
	return c.open(len(b.Messages) - 1)
}

// placed refuses words of the system's that do not stand between a user's message and the
// model's (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages).
// A message without content, which sets the effort, may stand alone anywhere.
func placed(messages []anthropicMessage, i int) *Error {
	if messages[i].Role != "system" || len(blocksOf(messages[i].Content)) == 0 {
		return nil
	}
	before, after := i-1, i+1
	for before >= 0 && messages[before].Role == "system" {
		before--
	}
	for after < len(messages) && messages[after].Role == "system" {
		after++
	}
	switch {
	case before < 0:
		return refuse("messages.%d: use the top-level 'system' parameter for the initial system prompt", i)
	case messages[before].Role != "user" && !endsInServerTool(messages[before]):
		return refuse("messages.%d: role 'system' must follow a user message", i)
	case after < len(messages) && messages[after].Role != "assistant":
		return refuse("messages.%d: role 'system' must precede an assistant message or be the last one", i)
	}
	return nil
}

func endsInServerTool(m anthropicMessage) bool {
	blocks := blocksOf(m.Content)
	return len(blocks) > 0 && typeOf(blocks[len(blocks)-1]) == "server_tool_use"
}

func refuse(format string, args ...any) *Error {
	return &Error{Status: 400, Type: invalidRequest, Message: fmt.Sprintf(format, args...)}
}

// anthropicCheck follows the calls: each is answered in the very next message.
type anthropicCheck struct {
	seen    map[string]bool
	calls   []string // of the last assistant message
	answers []string // of the message being read
	use     []string // calls of the message being read
}

func (c *anthropicCheck) block(r *Request, role, path string, start int, earlier []string, raw jsontext.Value) *Error {
	var b anthropicBlock
	if err := json.Unmarshal(raw, &b); err != nil {
		return refuse("%s: %v", path, err)
	}
	out := Block{Kind: KindOther, Type: b.Type, Raw: raw}
	switch b.Type {
	case "text":
		out.Kind, out.Text = KindText, b.Text
		if b.Text == "" {
			return refuse("messages: text content blocks must be non-empty")
		}
		if strings.TrimSpace(b.Text) == "" {
			return refuse("messages: text content blocks must contain non-whitespace text")
		}
	case "thinking", "redacted_thinking":
		out.Kind, out.Text, out.Signature = KindThinking, b.Thinking, b.Signature+b.Data
		if role != "assistant" {
			return refuse("%s: `thinking` blocks may only be in `assistant` messages", path)
		}
		if b.Type == "thinking" {
			if b.Signature == "" {
				return refuse("%s.thinking.signature: Field required", path)
			}
			r.bindings = append(r.bindings, bound{path: path, signature: b.Signature, before: sums(r.prefix.units, start), earlier: earlier})
		}
		r.thoughts = append(r.thoughts, out.Signature)
	case "tool_use":
		out.Kind, out.ID, out.Name, out.Arguments = KindCall, b.ID, b.Name, string(b.Input)
		switch {
		case role != "assistant":
			return refuse("%s: `tool_use` blocks can only be in `assistant` messages", path)
		case !callID.MatchString(b.ID):
			return refuse("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", path)
		case b.Name == "" || len(b.Name) > 200:
			return refuse("%s.tool_use.name: String should have at most 200 characters", path)
		case b.Input.Kind() != '{':
			return refuse("%s.tool_use.input: Input should be a valid dictionary", path)
		case c.seen[b.ID]:
			return refuse("messages: `tool_use` ids must be unique")
		}
		c.seen[b.ID] = true
		c.use = append(c.use, b.ID)
	case "tool_result":
		out.Kind, out.ID = KindResult, b.ToolUseID
		if role != "user" {
			return refuse("%s: `tool_result` blocks can only be in `user` messages", path)
		}
		if !slices.Contains(c.calls, b.ToolUseID) {
			return refuse("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", path, b.ToolUseID)
		}
		if slices.Contains(c.answers, b.ToolUseID) {
			return refuse("%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", path, b.ToolUseID)
		}
		c.answers = append(c.answers, b.ToolUseID)
		for _, inner := range blocksOf(b.Content) {
			if b.IsError && typeOf(inner) != "text" {
				return refuse("%s.content: all content must be type 'text' if 'is_error' is true", path)
			}
			if text := textOf(inner); text != "" {
				out.Text += text
			} else if typeOf(inner) == "text" && b.Content.Kind() != '"' { // a tool that said nothing
				return refuse("messages: text content blocks must be non-empty")
			}
		}
	}
	r.add(role, out)
	r.unit(role, raw)
	return nil
}

// sums are those of the prefixes, thinking aside, that end between the unit of a number and the
// last one.
func sums(units []unit, from int) [][32]byte {
	var list [][32]byte
	for i := from; i <= len(units); i++ {
		if i == 0 {
			list = append(list, [32]byte{})
		} else {
			list = append(list, units[i-1].bare)
		}
	}
	return list
}

// turn ends a message: a user's must have answered the calls before it.
func (c *anthropicCheck) turn(role string, i int) *Error {
	if role != "user" {
		c.calls = append(c.calls, c.use...)
		c.use = nil
		return nil
	}
	if err := c.open(i - 1); err != nil {
		return err
	}
	c.calls, c.answers = nil, nil
	return nil
}

// open refuses calls of message i that nothing answered.
func (c *anthropicCheck) open(i int) *Error {
	var open []string
	for _, id := range c.calls {
		if !slices.Contains(c.answers, id) {
			open = append(open, id)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return refuse("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(open, ", "))
}

// writeAnthropic answers a request of the Messages API.
func (a *answer) writeAnthropic() {
	usage := map[string]any{
		"input_tokens": a.usage.Input, "cache_read_input_tokens": a.usage.CacheRead,
		"cache_creation_input_tokens": a.usage.CacheWrite, "output_tokens": a.usage.Output,
	}
	stop := "end_turn"
	var content []anthropicBlock
	for _, b := range a.blocks {
		switch b.Kind {
		case KindThinking:
			content = append(content, anthropicBlock{Type: "thinking", Thinking: b.Text, Signature: b.Signature})
		case KindCall:
			stop = "tool_use"
			content = append(content, anthropicBlock{Type: "tool_use", ID: b.ID, Name: b.Name, Input: jsontext.Value(b.Arguments)})
		case KindText, KindResult, KindOther:
			content = append(content, anthropicBlock{Type: "text", Text: b.Text})
		}
	}
	message := map[string]any{
		"id": a.id("msg_"), "type": "message", "role": "assistant", "model": a.request.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
	if len(a.request.Dropped) > 0 {
		var list []any
		for _, path := range a.request.Dropped {
			list = append(list, map[string]any{"type": "thinking_dropped", "path": path, "reason": "prefix_binding_mismatch"})
		}
		message["input_transformations"] = list
	}
	if !a.request.Stream {
		message["content"], message["stop_reason"] = content, stop
		a.json(http.StatusOK, message)
		return
	}
	a.event("message_start", map[string]any{"type": "message_start", "message": message})
	for i, b := range content {
		start, deltas := b, []map[string]any(nil)
		switch b.Type {
		case "text":
			start = anthropicBlock{Type: "text"}
			deltas = pieces(b.Text, "text_delta", "text")
		case "thinking":
			start = anthropicBlock{Type: "thinking"}
			deltas = append(pieces(b.Thinking, "thinking_delta", "thinking"), map[string]any{"type": "signature_delta", "signature": b.Signature})
		case "tool_use":
			deltas = pieces(string(b.Input), "input_json_delta", "partial_json")
		}
		shown := map[string]any{"type": start.Type}
		switch b.Type {
		case "tool_use":
			shown["id"], shown["name"], shown["input"] = b.ID, b.Name, map[string]any{}
		case "thinking":
			shown["thinking"], shown["signature"] = "", ""
		default:
			shown["text"] = ""
		}
		a.event("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": shown})
		for _, d := range deltas {
			a.event("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": d})
		}
		a.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}
	a.event("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage,
	})
	a.event("message_stop", map[string]any{"type": "message_stop"})
}
