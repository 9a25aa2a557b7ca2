package chatapi

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// openai is the dialect of OpenAI's Chat Completions API, and of those who
// follow it: arrays of messages, request bodies, responses, and recorded runs
// that hold such messages.
//
//	leading system                config_delta
//	later ones, developer         user_message, synthetic, with its role
//	unknown roles                 user_message, synthetic
//	user                          turn_start + user_message
//	assistant                     reasoning, assistant_message, tool_call
//	tool, function                tool_result
//	model, tools of a request     config_delta
//	choices of a response         the first is a message; usage
type openai struct {
	plainDialect
	m      openaiMessage
	calls  Nameless
	system []string
	answer openaiResponse
}

func (*openai) holds(name string) bool {
	return name == "messages" || name == "traj" || name == "conversation"
}

func (*openai) Fleeting() []string { return []string{"cache_control"} }

func (*openai) Alone(r *ChatRecord) bool { return r.Get("role").Found() }

func (o *openai) Open(*Chat) { *o = openai{} }

func (o *openai) Begin(c *Chat, r *ChatRecord) error {
	set := c.Setting(r)
	set.delta.Model = r.Peek("model")
	set.tools(r.Get("tools"))
	set.tools(r.Get("functions"))
	if r.Get("choices").Found() {
		o.answer.read(&c.In, r, r.Span)
	}
	return o.record(c, r, set)
}

// record emits what a record says, the message of a response aside.
func (o *openai) record(c *Chat, r *ChatRecord, set *setting) error {
	if o.answer.message.Found() {
		set.cuts = append(set.cuts, walk.Cut{Span: o.answer.message, With: walk.CutValue})
		if o.answer.more {
			c.WarnHere("choice besides the first is kept aside", "choices besides the first are kept aside")
		}
	}
	c.At(o.answer.created)
	return c.Record(r, set)
}

func (o *openai) end(c *Chat, r *ChatRecord) error { return o.respond(c, r, nil) }

// respond emits the message of a response, and what it cost.
func (o *openai) respond(c *Chat, r *ChatRecord, cost *float64) error {
	a := o.answer
	o.answer = openaiResponse{}
	if a.message.Found() {
		raw := c.compact(a.message.Of(r.raw))
		_ = o.one(c, raw, c.messageID(raw), a.id)
	}
	if !a.counted && cost == nil {
		return nil
	}
	a.usage.Model, a.usage.Cost = a.model, cost
	return c.Emit(tenfold.Entry{ID: r.id + "/usage", MessageID: a.id, Payload: a.usage})
}

func (o *openai) Message(c *Chat, raw []byte, id string) error { return o.one(c, raw, id, "") }

func (o *openai) one(c *Chat, raw []byte, id, response string) error {
	m := &o.m
	m.parse(&c.In, raw)
	if m.kind != '{' || m.twice || c.In.Err != nil {
		return c.Unread(id, raw)
	}
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	role := m.role
	if role == "" && response != "" {
		role = "assistant"
	}
	switch role {
	case "system":
		if texts, all := m.texts(w); all && !c.config {
			return o.prompt(c, w, id, texts)
		}
	case "assistant", "model":
		c.config = true
		return o.assistant(c, w, id, response)
	case "tool", "function":
		c.config = true
		r := tenfold.ToolResult{CallID: o.calls.Result(m.callID, m.name), Parts: m.parted(w)}
		r.IsError = w.IsString(m.failure) && m.failure.To-m.failure.From > 2
		if w.Is(m.failure, 'n') {
			r.Outcome = tenfold.Success // the format's own word
		}
		if r.IsError && !engine.SaySomething(r.Parts) {
			r.Parts = append(r.Parts, tenfold.TextPart(w.Text(m.failure)))
		}
		return c.say(id, w, "", []tenfold.Payload{r})
	case "user", "developer":
	default:
		c.unknownRole()
	}
	c.config = true
	u := tenfold.UserMessage{Parts: m.parted(w), Synthetic: role != "user"}
	if role == "system" || role == "developer" {
		u.Role, u.Provider = role, "openai"
	}
	return c.say(id, w, "", []tenfold.Payload{u})
}

// prompt takes a system message at the beginning for the system prompt, joined
// to those before it. Joined texts stay in the message as well.
func (o *openai) prompt(c *Chat, w *engine.Finder, id string, texts []walk.Span) error {
	first := len(o.system) == 0 && len(texts) == 1
	for _, at := range texts {
		o.system = append(o.system, w.Text(at))
	}
	if !first {
		w.Cuts = nil
	}
	text := strings.Join(o.system, "\n\n")
	return c.say(id, w, "", []tenfold.Payload{tenfold.ConfigDelta{System: &text}})
}

func (o *openai) assistant(c *Chat, w *engine.Finder, id, response string) error {
	payloads, odd := o.m.said(w)
	if odd {
		c.WarnHere("part of an answer was not understood and is shown to no model", "parts of answers were not understood and are shown to no model")
	}
	if len(o.m.calls) > 0 {
		o.calls.Next()
	}
	for _, call := range o.m.calls {
		t := tenfold.ToolCall{CallID: o.calls.call(call.id, call.name), Name: call.name, Custom: call.custom}
		switch {
		case w.IsString(call.arguments):
			t.Arguments = w.Text(call.arguments)
		case call.arguments.Found():
			t.Arguments = w.Whole(call.arguments)
		}
		payloads = append(payloads, t)
	}
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.AssistantMessage{})
	}
	return c.say(id, w, response, payloads)
}
