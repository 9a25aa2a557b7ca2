package transcript

import (
	"context"
	"strings"

	"tenfold"
)

// openaiImporter reads chats as OpenAI's Chat Completions API takes and gives
// them: arrays of messages, request bodies, responses, and recorded runs that
// hold such messages.
//
//	leading system                config_delta
//	later ones, developer         user_message, synthetic, with its role
//	unknown roles                 user_message, synthetic
//	user                          turn_start + user_message
//	assistant                     reasoning, assistant_message, tool_call
//	tool, function                tool_result
//	model, tools of a request     config_delta
//	choices of a response         the first is a message; usage
type openaiImporter struct{}

func openaiChatHandler() handler {
	return handler{
		format: OpenAIChat, about: "OpenAI chat messages, request and response bodies",
		importer: openaiImporter{}, exporter: bodyExporter{string(OpenAIChat)},
	}
}

// Recognise implements [Importer].
func (openaiImporter) Recognise(h Head) Confidence {
	if m := chatMarks(h); m.chat() == OpenAIChat {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (openaiImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, OpenAIChat, &openai{})
}

// openai is the dialect of Chat Completions, and of those who follow it.
type openai struct {
	m      openaiMessage
	calls  nameless
	system []string
	answer openaiResponse
}

func (*openai) holds(name string) bool {
	return name == "messages" || name == "traj" || name == "conversation"
}

func (*openai) fleeting() []string { return []string{"cache_control"} }

func (*openai) alone(r *chatRecord) bool { return r.at("role").found() }

func (o *openai) open(*chat) { *o = openai{} }

func (*openai) name(source string) string { return source }

func (*openai) close(*chat) error { return nil }

func (o *openai) begin(c *chat, r *chatRecord) error {
	set := c.setting(r)
	set.delta.Model = r.text("model")
	set.tools(r.at("tools"))
	set.tools(r.at("functions"))
	if r.at("choices").found() {
		o.answer.read(&c.in, r, r.span)
	}
	return o.record(c, r, set)
}

// record emits what a record says, the message of a response aside.
func (o *openai) record(c *chat, r *chatRecord, set *setting) error {
	if o.answer.message.found() {
		set.cuts = append(set.cuts, cut{o.answer.message, cutValue})
		if o.answer.more {
			c.warnHere("choice besides the first is kept aside", "choices besides the first are kept aside")
		}
	}
	c.at(o.answer.created)
	return c.record(r, set)
}

func (o *openai) end(c *chat, r *chatRecord) error { return o.respond(c, r, nil) }

// respond emits the message of a response, and what it cost.
func (o *openai) respond(c *chat, r *chatRecord, cost *float64) error {
	a := o.answer
	o.answer = openaiResponse{}
	if a.message.found() {
		raw := c.compact(a.message.of(r.raw))
		if err := o.one(c, raw, c.messageID(raw), a.id); err != nil {
			return err
		}
	}
	if !a.counted && cost == nil {
		return nil
	}
	a.usage.Model, a.usage.Cost = a.model, cost
	return c.emit(tenfold.Entry{ID: r.id + "/usage", MessageID: a.id, Payload: a.usage})
}

func (o *openai) message(c *chat, raw []byte, id string) error { return o.one(c, raw, id, "") }

func (o *openai) one(c *chat, raw []byte, id, response string) error {
	m := &o.m
	m.parse(&c.in, raw)
	if m.kind != '{' || m.twice || c.in.err != nil {
		return c.unread(id, raw)
	}
	w := &contentWriter{scan: &c.in, raw: raw}
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
		r := tenfold.ToolResult{CallID: o.calls.result(m.callID, m.name), Parts: m.parted(w)}
		r.IsError = w.isString(m.failure) && m.failure.to-m.failure.from > 2
		if r.IsError && saysNothing(r.Parts) {
			r.Parts = append(r.Parts, tenfold.TextPart(w.text(m.failure)))
		}
		return c.say(id, w, "", []tenfold.Payload{r})
	case "user", "developer":
	default:
		c.warnHere("message is of an unknown role and is taken for context", "messages are of unknown roles and are taken for context")
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
func (o *openai) prompt(c *chat, w *contentWriter, id string, texts []span) error {
	first := len(o.system) == 0 && len(texts) == 1
	for _, at := range texts {
		o.system = append(o.system, w.text(at))
	}
	if !first {
		w.cuts = nil
	}
	text := strings.Join(o.system, "\n\n")
	return c.say(id, w, "", []tenfold.Payload{tenfold.ConfigDelta{System: &text}})
}

func (o *openai) assistant(c *chat, w *contentWriter, id, response string) error {
	payloads, odd := o.m.said(w)
	if odd {
		c.warnHere("part of an answer was not understood and is shown to no model", "parts of answers were not understood and are shown to no model")
	}
	if len(o.m.calls) > 0 {
		o.calls.next()
	}
	for _, call := range o.m.calls {
		t := tenfold.ToolCall{CallID: o.calls.call(call.id, call.name), Name: call.name, Custom: call.custom}
		switch {
		case w.isString(call.arguments):
			t.Arguments = w.text(call.arguments)
		case call.arguments.found():
			t.Arguments = w.whole(call.arguments)
		}
		payloads = append(payloads, t)
	}
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.AssistantMessage{})
	}
	return c.say(id, w, response, payloads)
}

func saysNothing(parts []tenfold.Part) bool {
	for _, p := range parts {
		if p.File != nil || strings.TrimSpace(p.Text) != "" {
			return false
		}
	}
	return true
}
