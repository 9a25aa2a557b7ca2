package chatapi

import (
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// Anthropic is the dialect of Anthropic's Messages API: request bodies, bare
// arrays, responses, and the events of a streamed response, one a line.
//
//	system, model, tools          config_delta
//	user text, images             turn_start + user_message
//	system among the messages     user_message, synthetic, with its role
//	user tool_result              the same
//	text, thinking, tool_use      assistant_message, reasoning, tool_call
//	compaction, server tools …    provider_item, verbatim
//	usage of a response           usage
type Anthropic struct {
	plainDialect
	M       AnthropicMessage
	answers int
	model   string
	stream  anthropicStream
	// Injected gives how many parts at the start of a message no person wrote.
	Injected func([]tenfold.Part) int
	// Spoken takes what a person said out of a result, if it can be there.
	Spoken func(*tenfold.ToolResult) []tenfold.Part
}

func (*Anthropic) holds(name string) bool { return name == "messages" }

// A cache mark moves on as a conversation grows.
func (*Anthropic) Fleeting() []string { return []string{"cache_control"} }

func (*Anthropic) Alone(r *ChatRecord) bool { return r.Get("role").Found() || streamEvent(r) }

func (a *Anthropic) Open(*Chat) { *a = Anthropic{Injected: intake.InjectedParts} }

func (a *Anthropic) Begin(c *Chat, r *ChatRecord) error {
	a.model = r.Peek("model")
	set := c.Setting(r)
	set.delta.Model = a.model
	set.system(r.Get("system"))
	set.tools(r.Get("tools"))
	return c.Record(r, set)
}

func (a *Anthropic) Message(c *Chat, raw []byte, id string) error {
	m := &a.M
	m.Parse(&c.In, raw)
	if m.Role == "" && m.Kind == '{' && c.In.Err == nil {
		if done, err := a.stream.event(c, raw, id); done || err != nil {
			return err
		}
	}
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	if c.In.Err != nil || !m.Readable(w) {
		return c.Unread(id, raw)
	}
	return a.Read(c, w, id, false)
}

// Read emits a message that was parsed.
func (a *Anthropic) Read(c *Chat, w *engine.Finder, id string, injected bool) error {
	m := &a.M
	if m.Role != "assistant" {
		if m.Role != "user" && m.Role != "system" {
			c.unknownRole()
		}
		payloads, own := a.Request(w, injected || m.Role != "user")
		if m.Role == "system" {
			for i, p := range payloads {
				switch p := p.(type) {
				case tenfold.UserMessage:
					p.Role, p.Provider = m.Role, "anthropic"
					payloads[i] = p
				case tenfold.ProviderItem:
					p.Role = m.Role
					payloads[i] = p
				}
			}
		}
		warnOwn(c, own)
		return c.say(id, w, "", payloads)
	}
	c.ChangeModel(id, m.Model, &a.model)
	payloads, own := m.answer(w)
	warnOwn(c, own)
	a.answers++
	if m.ID == "" && m.thinks > 0 {
		// Thinking that does not begin its message has to stay with it.
		m.ID = "response-" + strconv.Itoa(a.answers)
	}
	if err := c.say(id, w, m.ID, payloads); err != nil || !m.Usage.Found {
		return err
	}
	return c.Emit(tenfold.Entry{ID: id + "/usage", MessageID: m.ID, Payload: m.Usage.By(m.Model)})
}

func warnOwn(c *Chat, n int) {
	for range n {
		c.WarnHere("block is known to Anthropic only and is shown to no other model", "blocks are known to Anthropic only and are shown to no other model")
	}
}
