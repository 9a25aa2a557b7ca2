package transcript

import (
	"context"
	"strconv"

	"tenfold"
)

// anthropicImporter reads messages as Anthropic's Messages API takes and gives
// them: request bodies, bare arrays, responses, and the events of a streamed
// response, one a line.
//
//	system, model, tools          config_delta
//	user text, images             turn_start + user_message
//	system among the messages     user_message, synthetic, with its role
//	user tool_result              the same
//	text, thinking, tool_use      assistant_message, reasoning, tool_call
//	compaction, server tools …    provider_item, verbatim
//	usage of a response           usage
type anthropicImporter struct{}

func anthropicHandler() handler {
	return handler{
		format: AnthropicBody, about: "Anthropic messages, request and response bodies",
		importer: anthropicImporter{}, exporter: bodyExporter{string(AnthropicBody)},
	}
}

// Recognise implements [Importer].
func (anthropicImporter) Recognise(h Head) Confidence {
	if m := chatMarks(h); m.chat() == AnthropicBody {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (anthropicImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, AnthropicBody, &anthropic{})
}

// anthropic is the dialect of the Messages API.
type anthropic struct {
	m       anthropicMessage
	answers int
	model   string
	stream  anthropicStream
	// typed reports whether a person wrote any of a message.
	typed func([]tenfold.Part) bool
}

func (*anthropic) holds(name string) bool { return name == "messages" }

// A cache mark moves on as a conversation grows.
func (*anthropic) fleeting() []string { return []string{"cache_control"} }

func (*anthropic) alone(r *chatRecord) bool { return r.at("role").found() || streamEvent(r) }

func (a *anthropic) open(*chat) { *a = anthropic{typed: typedParts} }

func (*anthropic) name(source string) string { return source }

func (*anthropic) close(*chat) error { return nil }

func (a *anthropic) begin(c *chat, r *chatRecord) error {
	a.model = r.text("model")
	set := c.setting(r)
	set.delta.Model = a.model
	set.system(r.at("system"))
	set.tools(r.at("tools"))
	return c.record(r, set)
}

func (*anthropic) end(*chat, *chatRecord) error { return nil }

func (a *anthropic) message(c *chat, raw []byte, id string) error {
	m := &a.m
	m.parse(&c.in, raw)
	if m.role == "" && m.kind == '{' && c.in.err == nil {
		if done, err := a.stream.event(c, raw, id); done || err != nil {
			return err
		}
	}
	w := &contentWriter{scan: &c.in, raw: raw}
	if c.in.err != nil || !m.readable(w) {
		return c.unread(id, raw)
	}
	return a.read(c, w, id, false)
}

// read emits a message that was parsed.
func (a *anthropic) read(c *chat, w *contentWriter, id string, injected bool) error {
	m := &a.m
	if m.role != "assistant" {
		if m.role != "user" && m.role != "system" {
			c.warnHere("message is of an unknown role and is taken for context", "messages are of unknown roles and are taken for context")
		}
		payloads, own := m.request(w, injected || m.role != "user", a.typed)
		if m.role == "system" {
			for i, p := range payloads {
				if u, ok := p.(tenfold.UserMessage); ok {
					u.Role, u.Provider = m.role, "anthropic"
					payloads[i] = u
				}
			}
		}
		warnOwn(c, own)
		return c.say(id, w, "", payloads)
	}
	if m.model != "" && m.model != a.model {
		a.model = m.model
		if err := c.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: m.model}}); err != nil {
			return err
		}
	}
	payloads, own := m.answer(w)
	warnOwn(c, own)
	a.answers++
	if m.id == "" && m.thinks > 0 {
		// Thinking that does not begin its message has to stay with it.
		m.id = "response-" + strconv.Itoa(a.answers)
	}
	if err := c.say(id, w, m.id, payloads); err != nil || !m.usage.found {
		return err
	}
	u := m.usage
	return c.emit(tenfold.Entry{ID: id + "/usage", MessageID: m.id, Payload: tenfold.Usage{
		Model: m.model, Input: u.input, Output: u.output, CacheRead: u.cacheRead, CacheWrite: u.cacheWrite,
	}})
}

func warnOwn(c *chat, n int) {
	for range n {
		c.warnHere("block is known to Anthropic only and is shown to no other model", "blocks are known to Anthropic only and are shown to no other model")
	}
}
