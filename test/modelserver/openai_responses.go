package modelserver

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type responsesBody struct {
	Model        string           `json:"model"`
	Stream       bool             `json:"stream"`
	Instructions string           `json:"instructions"`
	Tools        []jsontext.Value `json:"tools"`
	Input        jsontext.Value   `json:"input"`
}

type responsesItem struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments string         `json:"arguments"`
	Input     string         `json:"input"`
	Output    jsontext.Value `json:"output"`
	Encrypted string         `json:"encrypted_content"`
	Summary   jsontext.Value `json:"summary"`
}

// maxCallID is how long a call id of OpenAI's may be.
const maxCallID = 64

// readResponses reads a body of the Responses API and checks it.
func readResponses(r *Request) *Error {
	var b responsesBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return refuse("%v", err)
	}
	r.Model, r.Stream, r.System = b.Model, b.Stream, b.Instructions
	r.prefix.add("instructions", quoted(b.Instructions))
	for _, tool := range b.Tools {
		r.Tools = append(r.Tools, toolNames(tool)...)
		r.prefix.add("tools", tool)
	}
	var items []jsontext.Value
	if b.Input.Kind() == '"' {
		items = []jsontext.Value{jsontext.Value(`{"type":"message","role":"user","content":` + string(b.Input) + `}`)}
	} else if err := json.Unmarshal(b.Input, &items); err != nil {
		return refuse("Invalid type for 'input': %v", err)
	}
	c := callCheck{}
	lone := "" // reasoning that nothing followed yet
	for i, raw := range items {
		var it responsesItem
		if err := json.Unmarshal(raw, &it); err != nil {
			return refuse("Invalid 'input[%d]': %v", i, err)
		}
		it.Type = cmp.Or(it.Type, "message")
		if lone != "" && it.Type == "message" && it.Role != "assistant" || lone != "" && strings.HasSuffix(it.Type, "_output") {
			return refuse("Item '%s' of type 'reasoning' was provided without its required following item.", lone)
		}
		lone = ""
		if it.Type == "reasoning" {
			lone = it.ID
		}
		if it.Type == "compaction_trigger" {
			r.trigger = true
			continue
		}
		if err := c.item(r, i, it, raw); err != nil {
			return err
		}
		r.unit(it.Role, raw)
	}
	if len(items) == 0 {
		return refuse("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.")
	}
	if len(c.open) > 0 {
		return refuse("No tool output found for function call %s.", c.open[0])
	}
	return nil
}

// item adds an item to the request's messages.
func (c *callCheck) item(r *Request, i int, it responsesItem, raw jsontext.Value) *Error {
	out := Block{Kind: KindOther, Type: it.Type, Raw: raw}
	role := "assistant"
	switch it.Type {
	case "additional_tools":
		role = it.Role
		r.Tools = append(r.Tools, toolNames(raw)...)
	case "message":
		role = it.Role
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, role) {
			return refuse("Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", role)
		}
		for _, part := range blocksOf(it.Content) {
			kind, text := KindText, textOf(part)
			if text == "" {
				kind = KindOther
			}
			r.add(role, Block{Kind: kind, Text: text, Type: typeOf(part), Raw: part})
		}
		return nil
	case "reasoning":
		out.Kind, out.Signature = KindThinking, it.Encrypted
		for _, part := range blocksOf(it.Summary) {
			out.Text += textOf(part)
		}
	case "function_call", "custom_tool_call":
		out.Kind, out.ID, out.Name, out.Arguments = KindCall, it.CallID, it.Name, it.Arguments
		if it.Type == "custom_tool_call" {
			out.Custom, out.Arguments = true, it.Input
		}
		if err := c.call(fmt.Sprintf("input[%d].call_id", i), it.CallID); err != nil {
			return err
		}
	case "function_call_output", "custom_tool_call_output":
		role = "user"
		out.Kind, out.ID = KindResult, it.CallID
		for _, part := range blocksOf(it.Output) {
			out.Text += textOf(part)
		}
		if !c.answer(it.CallID) {
			return refuse("No tool call found for function call output with call_id %s.", it.CallID)
		}
	}
	r.add(role, out)
	return nil
}

// toolNames names a tool, or those of a namespace and what else holds tools.
func toolNames(v jsontext.Value) []string {
	var space struct {
		Tools []jsontext.Value `json:"tools"`
	}
	if json.Unmarshal(v, &space) != nil || space.Tools == nil {
		return []string{nameOf(v)}
	}
	var names []string
	for _, tool := range space.Tools {
		names = append(names, toolNames(tool)...)
	}
	return names
}

// callCheck follows the calls of OpenAI's wires.
type callCheck struct {
	seen, open []string
}

func (c *callCheck) call(path, id string) *Error {
	if len(id) > maxCallID {
		return refuse("Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", path, maxCallID, len(id))
	}
	if id == "" {
		return refuse("Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", path)
	}
	c.seen, c.open = append(c.seen, id), append(c.open, id)
	return nil
}

func (c *callCheck) answer(id string) bool {
	i := slices.Index(c.open, id)
	if i >= 0 {
		c.open = slices.Delete(c.open, i, i+1)
	}
	return i >= 0 || slices.Contains(c.seen, id)
}

// responsesOutput gives the items that blocks are, and the events that stream
// each.
func (a *answer) responsesOutput() []map[string]any {
	var items []map[string]any
	for _, b := range a.blocks {
		switch b.Kind {
		case KindThinking:
			items = append(items, map[string]any{
				"type": "reasoning", "id": a.id("rs_"), "encrypted_content": b.Signature,
				"summary": []any{map[string]any{"type": "summary_text", "text": b.Text}},
			})
		case KindCall:
			if b.Custom {
				items = append(items, map[string]any{
					"type": "custom_tool_call", "id": a.id("ctc_"), "call_id": b.ID, "name": b.Name, "input": b.Arguments, "status": "completed",
				})
				continue
			}
			item := map[string]any{
				"type": "function_call", "id": a.id("fc_"), "call_id": b.ID, "name": b.Name, "arguments": b.Arguments, "status": "completed",
			}
			if b.Namespace != "" {
				item["namespace"] = b.Namespace
			}
			items = append(items, item)
		case KindText, KindResult:
			items = append(items, map[string]any{
				"type": "message", "id": a.id("msg_"), "role": "assistant", "status": "completed",
				"content": []any{map[string]any{"type": "output_text", "text": b.Text, "annotations": []any{}}},
			})
		case KindOther:
			items = append(items, map[string]any{"type": b.Type, "id": a.id("cmp_"), "encrypted_content": b.Text})
		}
	}
	return items
}

// writeResponses answers a request of the Responses API.
func (a *answer) writeResponses() {
	items := a.responsesOutput()
	response := map[string]any{
		"id": a.id("resp_"), "object": "response", "created_at": a.now.Unix(), "status": "in_progress",
		"model": a.request.Model, "output": []any{}, "error": nil, "incomplete_details": nil,
	}
	usage := map[string]any{
		"input_tokens": a.usage.All(), "input_tokens_details": map[string]any{"cached_tokens": a.usage.CacheRead},
		"output_tokens": a.usage.Output, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
		"total_tokens": a.usage.All() + a.usage.Output,
	}
	if !a.request.Stream {
		response["status"], response["output"], response["usage"] = "completed", items, usage
		a.json(http.StatusOK, response)
		return
	}
	n := 0
	send := func(kind string, members map[string]any) {
		members["type"], members["sequence_number"] = kind, n
		n++
		a.event(kind, members)
	}
	send("response.created", map[string]any{"response": response})
	for i, item := range items {
		a.streamItem(send, i, item)
	}
	done := maps.Clone(response)
	done["status"], done["output"], done["usage"] = "completed", items, usage
	send("response.completed", map[string]any{"response": done})
}

func (a *answer) streamItem(send func(string, map[string]any), i int, item map[string]any) {
	id, _ := item["id"].(string)
	started := maps.Clone(item)
	switch item["type"] {
	case "message":
		started["content"], started["status"] = []any{}, "in_progress"
	case "reasoning":
		started["summary"] = []any{}
	case "function_call":
		started["arguments"], started["status"] = "", "in_progress"
	}
	send("response.output_item.added", map[string]any{"output_index": i, "item": started})
	at := func(more map[string]any) map[string]any {
		more["item_id"], more["output_index"] = id, i
		return more
	}
	if content, ok := item["content"].([]any); ok {
		part, _ := content[0].(map[string]any)
		text, _ := part["text"].(string)
		send("response.content_part.added", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}}))
		for _, piece := range split(text) {
			send("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": piece}))
		}
		send("response.output_text.done", at(map[string]any{"content_index": 0, "text": text}))
		send("response.content_part.done", at(map[string]any{"content_index": 0, "part": part}))
	}
	switch item["type"] {
	case "reasoning":
		list, _ := item["summary"].([]any)
		part, _ := list[0].(map[string]any)
		text, _ := part["text"].(string)
		send("response.reasoning_summary_part.added", at(map[string]any{"summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""}}))
		send("response.reasoning_summary_text.delta", at(map[string]any{"summary_index": 0, "delta": text}))
		send("response.reasoning_summary_text.done", at(map[string]any{"summary_index": 0, "text": text}))
		send("response.reasoning_summary_part.done", at(map[string]any{"summary_index": 0, "part": part}))
	case "function_call":
		arguments, _ := item["arguments"].(string)
		for _, piece := range split(arguments) {
			send("response.function_call_arguments.delta", at(map[string]any{"delta": piece}))
		}
		send("response.function_call_arguments.done", at(map[string]any{"arguments": arguments}))
	}
	send("response.output_item.done", map[string]any{"output_index": i, "item": item})
}
