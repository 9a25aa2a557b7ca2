package transcript

import (
	"tenfold"
)

// sdkEvent takes an event of the SDK.
func (o *openHands) sdkEvent(id string, m members) error {
	f := &o.find
	kind := f.peek(m.get("kind"))
	switch kind {
	case "SystemPromptEvent":
		prompt := m.get("system_prompt")
		text := ""
		if f.is(prompt, '"') {
			text = f.text(prompt)
		} else {
			text = f.text(f.in(prompt, "text"))
		}
		if more := f.in(m.get("dynamic_context"), "text"); f.peek(more) != "" {
			text += "\n\n" + f.peek(more)
		}
		d := tenfold.ConfigDelta{System: &text}
		if tools := o.tools(m.get("tools")); tools != nil {
			d.Tools = &tools
		}
		return o.put(id, "", d)
	case "MessageEvent":
		return o.sdkMessage(id, m)
	case "ActionEvent":
		return o.sdkAction(id, m)
	case "ObservationEvent":
		return o.put(id, "", o.sdkResult(m))
	case "UserRejectObservation":
		call := f.peek(m.get("tool_call_id"))
		reason := f.text(m.get("rejection_reason"))
		return o.put(id, "", tenfold.ToolResult{CallID: call, Parts: tenfold.Text(reason), IsError: true},
			tenfold.Approval{State: tenfold.ApprovalDenied, CallID: call, Reason: reason})
	case "AgentErrorEvent":
		return o.put(id, "", tenfold.ToolResult{CallID: f.peek(m.get("tool_call_id")), Parts: f.parts(m.get("error")), IsError: true})
	case "Condensation":
		return o.condense(id, m)
	}
	return o.keep(id, kind)
}

// sdkMessage takes what a person or the model said.
func (o *openHands) sdkMessage(id string, m members) error {
	f := &o.find
	message := f.object(m.get("llm_message"))
	if f.peek(message.get("role")) != "assistant" {
		parts := f.parts(message.get("content"))
		parts = append(parts, f.parts(m.get("extended_content"))...)
		if f.peek(m.get("source")) != "user" {
			return o.put(id, "", tenfold.UserMessage{Parts: parts, Synthetic: true})
		}
		return o.user(id, parts)
	}
	response := f.peek(m.get("llm_response_id"))
	list := o.sdkReasoning(message)
	n := len(list)
	list = append(list, o.sdkTexts(message.get("content"))...)
	if len(list) == n {
		list = append(list, tenfold.AssistantMessage{})
	}
	if err := o.put(id, response, list...); err != nil {
		return err
	}
	return o.bill(id, response)
}

// sdkTexts reads text blocks of a model, one by one.
func (o *openHands) sdkTexts(at span) []tenfold.Payload {
	f := &o.find
	var list []tenfold.Payload
	if f.is(at, '"') {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: f.text(at)}}
	}
	for _, item := range f.list(at) {
		if text := f.in(item, "text"); f.peek(text) != "" {
			list = append(list, tenfold.AssistantMessage{Text: f.text(text)})
		}
	}
	return list
}

// sdkReasoning reads the three ways in which thinking is kept.
func (o *openHands) sdkReasoning(m members) []tenfold.Payload {
	f := &o.find
	if list := f.thoughts(m.get("thinking_blocks")); len(list) > 0 {
		return list
	}
	if item := f.object(m.get("responses_reasoning_item")); item != nil {
		r := tenfold.Reasoning{Provider: "openai", ItemID: f.peek(item.get("id"))}
		if at := item.get("encrypted_content"); f.is(at, '"') {
			r.Encrypted = f.text(at)
		}
		r.Text = f.joined(f.list(item.get("summary")))
		return []tenfold.Payload{r}
	}
	if at := m.get("reasoning_content"); f.peek(at) != "" {
		return []tenfold.Payload{tenfold.Reasoning{Text: f.text(at)}}
	}
	return nil
}

// sdkAction takes a call. The calls of one response are events of their own;
// the first of them carries the thought.
func (o *openHands) sdkAction(id string, m members) error {
	f := &o.find
	response := f.peek(m.get("llm_response_id"))
	if response == "" {
		response = id
	}
	list := o.sdkReasoning(m)
	list = append(list, o.sdkTexts(m.get("thought"))...)
	call, ok := f.call(m.get("tool_call"))
	if !ok {
		call = tenfold.ToolCall{CallID: f.peek(m.get("tool_call_id")), Name: f.peek(m.get("tool_name"))}
		if at := m.get("action"); at.found() {
			call.Arguments = f.whole(at)
		}
	}
	if id := f.peek(m.get("tool_call_id")); id != "" {
		call.CallID = id // what the observation answers
	}
	if err := o.put(id, response, append(list, call)...); err != nil {
		return err
	}
	return o.bill(id, response)
}

// bill hands on what a response cost, once.
func (o *openHands) bill(id, response string) error {
	u, ok := o.spent[response]
	if !ok || o.told[response] {
		return nil
	}
	o.told[response] = true
	return o.usage(id, response, u)
}

// sdkResult reads an observation: its content, or whatever it is.
func (o *openHands) sdkResult(m members) tenfold.ToolResult {
	f := &o.find
	at := m.get("observation")
	in := f.object(at)
	r := tenfold.ToolResult{CallID: f.peek(m.get("tool_call_id"))}
	if e := in.get("is_error"); f.is(e, 't') {
		r.IsError = true
	}
	if e := in.get("error"); f.peek(e) != "" {
		r.IsError = true
	}
	for _, name := range [...]string{"content", "output", "text", "result"} {
		if c := in.get(name); f.is(c, '"') || f.is(c, '[') {
			r.Parts = f.parts(c)
			return r
		}
	}
	if len(in) > 0 {
		r.Parts = tenfold.Text(f.whole(at))
	}
	return r
}
