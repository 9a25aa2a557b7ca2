package chatapi

import (
	"cmp"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// gemini is the dialect of Gemini's generateContent: request bodies, bare
// arrays, and single responses.
//
//	systemInstruction, tools      config_delta
//	user text and files           turn_start + user_message
//	functionResponse              tool_result; without an id by name, in order
//	model text, thought, call     assistant_message, reasoning, tool_call
//	thoughtSignature              reasoning before what it stands on
//	other parts                   provider_item, verbatim
type gemini struct {
	plainDialect
	g       GeminiContent
	calls   Nameless
	answers int
	model   string
	answer  geminiAnswer
}

func (*gemini) holds(name string) bool { return name == "contents" }

func (*gemini) Alone(r *ChatRecord) bool { return r.Get("parts").Found() || r.Get("role").Found() }

func (d *gemini) Open(*Chat) { *d = gemini{} }

func (d *gemini) Begin(c *Chat, r *ChatRecord) error {
	d.model = r.Peek("model")
	set := c.Setting(r)
	set.delta.Model = d.model
	if set.system(r.Get("systemInstruction")); set.delta.System == nil {
		set.system(r.Get("system_instruction"))
	}
	set.tools(r.Get("tools"))
	if r.Get("candidates").Found() {
		// A response: the whole of it is the source of what it says.
		return nil
	}
	return c.Record(r, set)
}

func (d *gemini) end(c *Chat, r *ChatRecord) error {
	if !r.Get("candidates").Found() {
		return nil
	}
	return d.respond(c, c.compact(r.Of(r.raw)), r.id)
}

func (d *gemini) Message(c *Chat, raw []byte, id string) error {
	g := &d.g
	c.In.Reset(raw)
	g.Parse(&c.In)
	if g.Kind != '{' || g.Twice || !g.Has || c.In.Err != nil || Misplaced(g.Parts, g.Role == "model") {
		return c.Unread(id, raw)
	}
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	if g.Role == "model" {
		d.calls.Next()
		payloads, own := g.Said(w, &d.calls)
		warnGemini(c, own)
		if len(payloads) == 0 {
			payloads = append(payloads, tenfold.AssistantMessage{})
		}
		return c.say(id, w, "", payloads)
	}
	injected := g.Role != "user" && g.Role != "function" && g.Role != ""
	if injected {
		c.unknownRole()
	}
	return c.say(id, w, "", d.given(c, w, injected))
}

// Said gives what a model's content says.
func (g *GeminiContent) Said(w *engine.Finder, calls *Nameless) (payloads []tenfold.Payload, own int) {
	for i := range g.Parts {
		some, only := g.Parts[i].said(w, calls)
		if payloads = append(payloads, some...); only {
			own++
		}
	}
	return payloads, own
}

// given gives what a user's content holds, in order.
func (d *gemini) given(c *Chat, w *engine.Finder, injected bool) []tenfold.Payload {
	var payloads []tenfold.Payload
	var parts []tenfold.Part
	flush := func() {
		if len(parts) > 0 {
			payloads = append(payloads, tenfold.UserMessage{Parts: parts, Synthetic: injected})
			parts = nil
		}
	}
	for i := range d.g.Parts {
		p := &d.g.Parts[i]
		if p.Response {
			flush()
			payloads = append(payloads, p.Result(w, d.calls.Result(p.ID, p.Name)))
			continue
		}
		if part, ok := p.Given(w); ok {
			parts = append(parts, part)
			continue
		}
		if p.Kind != '{' {
			continue // no part at all: it stays in the message
		}
		flush()
		payloads = append(payloads, tenfold.ProviderItem{Provider: "gemini", Role: "user", Data: w.Whole(p.Span)})
		warnGemini(c, 1)
	}
	if flush(); len(payloads) == 0 {
		payloads = append(payloads, tenfold.UserMessage{Synthetic: injected})
	}
	return payloads
}

// Misplaced reports whether a model answers calls, or a user makes some.
func Misplaced(parts []GeminiPart, model bool) bool {
	for i := range parts {
		if p := &parts[i]; (model && p.Response) || (!model && p.Call) || (p.Call && p.Response) {
			return true
		}
	}
	return false
}

func warnGemini(c *Chat, n int) {
	for range n {
		c.WarnHere("part is known to Gemini only and is shown to no other model", "parts are known to Gemini only and are shown to no other model")
	}
}

// respond emits a response, streamed or not: the model where it is new, what
// the first candidate says, and what it cost. Texts that came in pieces are
// joined; the pieces stay in the response as well.
func (d *gemini) respond(c *Chat, raw []byte, id string) error {
	a := &d.answer
	d.answers++
	a.read(&c.In, raw)
	if c.In.Err != nil || a.twice || Misplaced(a.parts, true) {
		return c.Unread(id, raw)
	}
	a.id = cmp.Or(a.id, "response-"+strconv.Itoa(d.answers))
	if a.more {
		c.WarnHere("candidate besides the first is kept aside", "candidates besides the first are kept aside")
	}
	c.ChangeModel(id, a.model, &d.model)
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	d.calls.Next()
	payloads, own := a.said(w, &d.calls)
	warnGemini(c, own)
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.AssistantMessage{})
	}
	if err := c.say(id, w, a.id, payloads); err != nil || !a.counted {
		return err
	}
	a.usage.Model = d.model
	return c.Emit(tenfold.Entry{ID: id + "/usage", MessageID: a.id, Payload: a.usage})
}
