package openhands

import (
	"cmp"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// sdkEvent takes an event of the SDK.
func (o *openHands) sdkEvent(id string, m engine.Members) error {
	f := &o.find
	kind := m.Peek("kind")
	switch kind {
	case "SystemPromptEvent":
		prompt := m.Get("system_prompt")
		if !f.IsString(prompt) {
			prompt = f.In(prompt, "text")
		}
		text := f.Text(prompt)
		if more := m.Object("dynamic_context").Get("text"); f.Peek(more) != "" {
			text += "\n\n" + f.Peek(more)
		}
		return o.prompt(id, text, m.Get("tools"))
	case "MessageEvent":
		return o.sdkMessage(id, m)
	case "ActionEvent":
		return o.sdkAction(id, m)
	case "ObservationEvent":
		return o.put(id, "", o.sdkResult(m))
	case "UserRejectObservation":
		call := m.Peek("tool_call_id")
		reason := f.Text(m.Get("rejection_reason"))
		return o.put(id, "", tenfold.ToolResult{CallID: call, Parts: tenfold.Text(reason), IsError: true},
			tenfold.Approval{State: tenfold.ApprovalDenied, CallID: call, Reason: reason})
	case "AgentErrorEvent":
		return o.put(id, "", tenfold.ToolResult{CallID: m.Peek("tool_call_id"), Parts: f.Parts(m.Get("error")), IsError: true})
	case "Condensation":
		return o.condense(id, m)
	}
	return o.keep(id, kind)
}

// sdkMessage takes what a person or the model said.
func (o *openHands) sdkMessage(id string, m engine.Members) error {
	f := &o.find
	message := m.Object("llm_message")
	if message.Peek("role") != "assistant" {
		parts := f.Parts(message.Get("content"))
		parts = append(parts, f.Parts(m.Get("extended_content"))...)
		if m.Peek("source") != "user" {
			return o.put(id, "", tenfold.UserMessage{Parts: parts, Synthetic: true})
		}
		return o.user(id, parts)
	}
	response := m.Peek("llm_response_id")
	list := o.sdkReasoning(message)
	n := len(list)
	list = append(list, o.sdkTexts(message.Get("content"))...)
	if len(list) == n {
		list = append(list, tenfold.AssistantMessage{})
	}
	_ = o.put(id, response, list...)
	return o.addUsage(id, response)
}

// sdkTexts reads text blocks of a model, one by one.
func (o *openHands) sdkTexts(at walk.Span) []tenfold.Payload {
	f := &o.find
	var list []tenfold.Payload
	if f.Is(at, '"') {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: f.Text(at)}}
	}
	for _, item := range f.List(at) {
		if text := f.In(item, "text"); f.Peek(text) != "" {
			list = append(list, tenfold.AssistantMessage{Text: f.Text(text)})
		}
	}
	return list
}

// sdkReasoning reads the three ways in which thinking is kept.
func (o *openHands) sdkReasoning(m engine.Members) []tenfold.Payload {
	f := &o.find
	if list := f.Thoughts(m.Get("thinking_blocks")); len(list) > 0 {
		return list
	}
	if item := m.Object("responses_reasoning_item"); item.Any() {
		r := tenfold.Reasoning{Provider: "openai", ItemID: item.Peek("id")}
		if at := item.Get("encrypted_content"); f.Is(at, '"') {
			r.Encrypted = f.Text(at)
		}
		r.Text = f.Joined(item.Items("summary"))
		return []tenfold.Payload{r}
	}
	if at := m.Get("reasoning_content"); f.Peek(at) != "" {
		return []tenfold.Payload{tenfold.Reasoning{Text: f.Text(at)}}
	}
	return nil
}

// sdkAction takes a call. The calls of one response are events of their own;
// the first of them carries the thought.
func (o *openHands) sdkAction(id string, m engine.Members) error {
	f := &o.find
	response := cmp.Or(m.Peek("llm_response_id"), id)
	list := o.sdkReasoning(m)
	list = append(list, o.sdkTexts(m.Get("thought"))...)
	call, ok := f.Call(m.Get("tool_call"))
	if !ok {
		call = tenfold.ToolCall{CallID: m.Peek("tool_call_id"), Name: m.Peek("tool_name")}
		if at := m.Get("action"); at.Found() {
			call.Arguments = f.Whole(at)
		}
	}
	if id := m.Peek("tool_call_id"); id != "" {
		call.CallID = id // what the observation answers
	}
	_ = o.put(id, response, append(list, call)...)
	return o.addUsage(id, response)
}

// addUsage hands on what a response cost, once.
func (o *openHands) addUsage(id, response string) error {
	u, ok := o.spent[response]
	if !ok || o.told[response] {
		return nil
	}
	o.told[response] = true
	return o.usage(id, response, u)
}

// sdkResult reads an observation: its content, or whatever it is.
func (o *openHands) sdkResult(m engine.Members) tenfold.ToolResult {
	f := &o.find
	at := m.Get("observation")
	in := f.Object(at)
	r := tenfold.ToolResult{CallID: m.Peek("tool_call_id"), Outcome: o.exitCode(in)}
	if e := in.Get("is_error"); f.Is(e, 't') {
		r.IsError = true
	}
	if e := in.Get("error"); f.Peek(e) != "" {
		r.IsError = true
	}
	for _, name := range [...]string{"content", "output", "text", "result"} {
		if c := in.Get(name); f.Is(c, '"') || f.Is(c, '[') {
			r.Parts = f.Parts(c)
			return r
		}
	}
	if in.Any() {
		r.Parts = tenfold.Text(f.Whole(at))
	}
	return r
}
