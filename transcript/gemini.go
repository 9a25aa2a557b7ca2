package transcript

import (
	"context"
	"strconv"

	"tenfold"
)

// geminiImporter reads contents as Gemini's generateContent takes and gives
// them: request bodies, bare arrays, and single responses.
//
//	systemInstruction, tools      config_delta
//	user text and files           turn_start + user_message
//	functionResponse              tool_result; without an id by name, in order
//	model text, thought, call     assistant_message, reasoning, tool_call
//	thoughtSignature              reasoning before what it stands on
//	other parts                   provider_item, verbatim
type geminiImporter struct{}

func geminiHandler() handler {
	return handler{
		format: GeminiBody, about: "Gemini contents, request and response bodies",
		importer: geminiImporter{}, exporter: bodyExporter{string(GeminiBody)},
	}
}

// Recognise implements [Importer].
func (geminiImporter) Recognise(h Head) Confidence {
	if m := chatMarks(h); m.chat() == GeminiBody {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (geminiImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, GeminiBody, &gemini{})
}

// gemini is the dialect of generateContent.
type gemini struct {
	g       geminiContent
	calls   nameless
	answers int
	model   string
	answer  geminiAnswer
}

func (*gemini) holds(name string) bool { return name == "contents" }

func (*gemini) fleeting() []string { return nil }

func (*gemini) alone(r *chatRecord) bool { return r.at("parts").found() || r.at("role").found() }

func (d *gemini) open(*chat) { *d = gemini{} }

func (*gemini) name(source string) string { return source }

func (*gemini) close(*chat) error { return nil }

func (d *gemini) begin(c *chat, r *chatRecord) error {
	d.model = r.text("model")
	set := c.setting(r)
	set.delta.Model = d.model
	if set.system(r.at("systemInstruction")); set.delta.System == nil {
		set.system(r.at("system_instruction"))
	}
	set.tools(r.at("tools"))
	if r.at("candidates").found() {
		// A response: the whole of it is the source of what it says.
		return nil
	}
	return c.record(r, set)
}

func (d *gemini) end(c *chat, r *chatRecord) error {
	if !r.at("candidates").found() {
		return nil
	}
	return d.respond(c, c.compact(r.of(r.raw)), r.id)
}

func (d *gemini) message(c *chat, raw []byte, id string) error {
	g := &d.g
	c.in.reset(raw)
	g.parse(&c.in)
	if g.kind != '{' || g.twice || !g.has || c.in.err != nil {
		return c.unread(id, raw)
	}
	if misplaced(g.parts, g.role == "model") {
		return c.unread(id, raw)
	}
	w := &contentWriter{scan: &c.in, raw: raw}
	if g.role == "model" {
		d.calls.next()
		payloads, own := g.said(w, &d.calls)
		warnGemini(c, own)
		if len(payloads) == 0 {
			payloads = append(payloads, tenfold.AssistantMessage{})
		}
		return c.say(id, w, "", payloads)
	}
	injected := g.role != "user" && g.role != "function" && g.role != ""
	if injected {
		c.warnHere("message is of an unknown role and is taken for context", "messages are of unknown roles and are taken for context")
	}
	return c.say(id, w, "", d.given(c, w, injected))
}

// said gives what a model's content says.
func (g *geminiContent) said(w *contentWriter, calls *nameless) (payloads []tenfold.Payload, own int) {
	for i := range g.parts {
		some, only := g.parts[i].said(w, calls)
		if payloads = append(payloads, some...); only {
			own++
		}
	}
	return payloads, own
}

// given gives what a user's content holds, in order.
func (d *gemini) given(c *chat, w *contentWriter, injected bool) []tenfold.Payload {
	var payloads []tenfold.Payload
	var parts []tenfold.Part
	flush := func() {
		if len(parts) > 0 {
			payloads = append(payloads, tenfold.UserMessage{Parts: parts, Synthetic: injected})
			parts = nil
		}
	}
	for i := range d.g.parts {
		p := &d.g.parts[i]
		if p.response {
			flush()
			payloads = append(payloads, p.result(w, d.calls.result(p.id, p.name)))
			continue
		}
		if part, ok := p.given(w); ok {
			parts = append(parts, part)
			continue
		}
		if p.kind != '{' {
			continue // no part at all: it stays in the message
		}
		flush()
		payloads = append(payloads, tenfold.ProviderItem{Provider: "gemini", Role: "user", Data: w.whole(p.span)})
		warnGemini(c, 1)
	}
	if flush(); len(payloads) == 0 {
		payloads = append(payloads, tenfold.UserMessage{Synthetic: injected})
	}
	return payloads
}

// misplaced reports whether a model answers calls, or a user makes some.
func misplaced(parts []geminiPart, model bool) bool {
	for i := range parts {
		if p := &parts[i]; (model && p.response) || (!model && p.call) || (p.call && p.response) {
			return true
		}
	}
	return false
}

func warnGemini(c *chat, n int) {
	for range n {
		c.warnHere("part is known to Gemini only and is shown to no other model", "parts are known to Gemini only and are shown to no other model")
	}
}

// respond emits a response, streamed or not: the model where it is new, what
// the first candidate says, and what it cost. Texts that came in pieces are
// joined; the pieces stay in the response as well.
func (d *gemini) respond(c *chat, raw []byte, id string) error {
	a := &d.answer
	d.answers++
	a.read(&c.in, raw)
	if c.in.err != nil || a.twice || misplaced(a.parts, true) {
		return c.unread(id, raw)
	}
	if a.id == "" {
		a.id = "response-" + strconv.Itoa(d.answers)
	}
	if a.more {
		c.warnHere("candidate besides the first is kept aside", "candidates besides the first are kept aside")
	}
	if a.model != "" && a.model != d.model {
		d.model = a.model
		if err := c.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: a.model}}); err != nil {
			return err
		}
	}
	w := &contentWriter{scan: &c.in, raw: raw}
	d.calls.next()
	payloads, own := a.said(w, &d.calls)
	warnGemini(c, own)
	if len(payloads) == 0 {
		payloads = append(payloads, tenfold.AssistantMessage{})
	}
	if err := c.say(id, w, a.id, payloads); err != nil || !a.counted {
		return err
	}
	a.usage.Model = d.model
	return c.emit(tenfold.Entry{ID: id + "/usage", MessageID: a.id, Payload: a.usage})
}
