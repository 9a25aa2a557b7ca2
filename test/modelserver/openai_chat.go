package modelserver

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type chatBody struct {
	Model    string           `json:"model"`
	Stream   bool             `json:"stream"`
	Tools    []jsontext.Value `json:"tools"`
	Messages []jsontext.Value `json:"messages"`
}

type chatMessage struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	Reasoning  string         `json:"reasoning_content"`
	ToolCallID string         `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// readChat reads a body of Chat Completions and checks it.
func readChat(r *Request) *Error {
	var b chatBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return refuse("%v", err)
	}
	r.Model, r.Stream = b.Model, b.Stream
	for _, tool := range b.Tools {
		var t struct {
			Function jsontext.Value `json:"function"`
		}
		if json.Unmarshal(tool, &t) == nil && t.Function != nil {
			r.Tools = append(r.Tools, nameOf(t.Function))
		}
		r.prefix.add("tools", tool)
	}
	if len(b.Messages) == 0 {
		return refuse("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	c := callCheck{}
	for i, raw := range b.Messages {
		var m chatMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return refuse("Invalid 'messages[%d]': %v", i, err)
		}
		if err := c.message(r, i, m, raw); err != nil {
			return err
		}
		r.unit(m.Role, raw)
	}
	return c.unanswered()
}

func (c *callCheck) unanswered() *Error {
	if len(c.open) == 0 {
		return nil
	}
	return refuse("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(c.open, ", "))
}

func (c *callCheck) message(r *Request, i int, m chatMessage, raw jsontext.Value) *Error {
	if m.Role == "tool" {
		out := Block{Kind: KindResult, ID: m.ToolCallID, Type: "tool", Raw: raw}
		for _, part := range blocksOf(m.Content) {
			out.Text += textOf(part)
		}
		before := len(c.open)
		if c.answer(m.ToolCallID); len(c.open) == before {
			return refuse("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.") //nolint:misspell // as the vendor writes it
		}
		r.add("user", out)
		return nil
	}
	if err := c.unanswered(); err != nil {
		return err
	}
	switch m.Role {
	case "system", "developer", "user", "assistant":
	default:
		return refuse("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
	}
	if m.Reasoning != "" {
		r.add(m.Role, Block{Kind: KindThinking, Text: m.Reasoning, Type: "reasoning_content", Raw: raw})
	}
	for _, part := range blocksOf(m.Content) {
		kind, text := KindText, textOf(part)
		if text == "" {
			kind = KindOther
		}
		if m.Role == "system" || m.Role == "developer" {
			r.System += text + "\n"
		}
		r.add(m.Role, Block{Kind: kind, Text: text, Type: typeOf(part), Raw: part})
	}
	for j, call := range m.ToolCalls {
		if err := c.call(fmt.Sprintf("messages[%d].tool_calls[%d].id", i, j), call.ID); err != nil {
			return err
		}
		r.add(m.Role, Block{Kind: KindCall, ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments, Type: "function", Raw: raw})
	}
	return nil
}

// writeChat answers a request of Chat Completions.
func (a *answer) writeChat() {
	text, reasoning, stop := "", "", "stop"
	var calls []any
	for _, b := range a.blocks {
		switch b.Kind {
		case KindThinking:
			reasoning += b.Text
		case KindCall:
			stop = "tool_calls"
			calls = append(calls, map[string]any{
				"index": len(calls), "id": b.ID, "type": "function",
				"function": map[string]any{"name": b.Name, "arguments": b.Arguments},
			})
		case KindText, KindResult, KindOther:
			text += b.Text
		}
	}
	usage := map[string]any{
		"prompt_tokens": a.usage.All(), "completion_tokens": a.usage.Output, "total_tokens": a.usage.All() + a.usage.Output,
		"prompt_tokens_details": map[string]any{"cached_tokens": a.usage.CacheRead},
	}
	id := a.id("chatcmpl-")
	frame := func(object, member string, value map[string]any, finish any) map[string]any {
		return map[string]any{
			"id": id, "object": object, "created": a.now.Unix(), "model": a.request.Model,
			"choices": []any{map[string]any{"index": 0, member: value, "finish_reason": finish}},
		}
	}
	if !a.request.Stream {
		message := map[string]any{"role": "assistant", "content": text}
		if reasoning != "" {
			message["reasoning_content"] = reasoning
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		body := frame("chat.completion", "message", message, stop)
		body["usage"] = usage
		a.json(http.StatusOK, body)
		return
	}
	chunk := func(delta map[string]any, finish any) {
		a.event("", frame("chat.completion.chunk", "delta", delta, finish))
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	if reasoning != "" {
		chunk(map[string]any{"reasoning_content": reasoning}, nil)
	}
	for _, piece := range split(text) {
		chunk(map[string]any{"content": piece}, nil)
	}
	for _, call := range calls {
		chunk(map[string]any{"tool_calls": []any{call}}, nil)
	}
	chunk(map[string]any{}, stop)
	last := frame("chat.completion.chunk", "delta", nil, nil)
	last["choices"], last["usage"] = []any{}, usage
	a.event("", last)
	a.raw("data: [DONE]\n\n")
}
