package wire

import (
	"encoding/hex"
	"strconv"

	"tenfold"
	"tenfold/purpose"
)

// message is one as Anthropic and Gemini have it: a role, and a text or a list.
type message struct {
	at      Span
	role    string
	content Span   // zero where there is none
	blocks  []Span // of a list
	list    bool
}

// messageOf reads a message whose content is the member of that name.
func messageOf(r *Request, i int, member string) (m message, err error) {
	if i < 0 || i >= len(r.Messages) {
		return m, errShape
	}
	m.at = Span{r.Messages[i].From, r.Messages[i].To}
	s := scanner{raw: r.Body[:m.at.To], at: m.at.From}
	roles, contents := 0, 0
	s.members(false, func(quoted []byte) {
		switch name := unquote(quoted); {
		case name == "role":
			roles++
			m.role = s.value(false).text(r.Body)
		case name == member && s.peek() == '[':
			contents++
			m.list, m.content.From = true, s.at
			s.items(func() { m.blocks = append(m.blocks, s.value(false)) })
			m.content.To = s.at
		case name == member:
			contents++
			m.content = s.value(false)
		default:
			s.value(false)
		}
	})
	switch {
	case s.err != nil:
		return m, s.err
	case roles > 1 || contents > 1:
		return m, errTwice
	case contents == 0:
		return m, errShape
	}
	return m, nil
}

// places gives those of the blocks; a text alone is one.
func (m *message) places() []Span {
	if m.list {
		return m.blocks
	}
	return []Span{m.content}
}

// pieces collects what is read of one message.
type pieces struct {
	raw    []byte
	id     string
	logged func(id string) tenfold.Payload // nil for nothing
	list   []Piece
	// model tells that the model said it: what it said at once stays together.
	model bool
	// parts are those of a user's message under way, at their places.
	parts   []tenfold.Part
	at      []Span
	purpose tenfold.Purpose
	asked   bool // a person said something in it
	updates bool // of Anthropic: thinking that can be read was said to the user
}

func newPieces(r *Request, i int) *pieces {
	m := &r.Messages[i]
	return &pieces{raw: r.Body, id: hex.EncodeToString(m.Chain[:8]), logged: r.Logged, model: m.Model, updates: m.Model && r.updates()}
}

func (p *pieces) add(payload tenfold.Payload, at ...Span) {
	p.flush()
	p.list = append(p.list, Piece{tenfold.Entry{Payload: payload}, at})
}

// part adds a part of what stands under the user's role. Parts of one purpose make
// one message: what a host put in goes before what a person asked (L11).
func (p *pieces) part(part tenfold.Part, at Span) {
	is := tenfold.Request
	if part.File == nil && !tenfold.Blank(part.Text) {
		is = purpose.OfText(part.Text)
	}
	if len(p.parts) > 0 && is != p.purpose {
		p.flush()
	}
	p.parts, p.at, p.purpose = append(p.parts, part), append(p.at, at), is
}

func (p *pieces) flush() {
	if len(p.parts) == 0 {
		return
	}
	m := tenfold.UserMessage{Parts: p.parts, Purpose: p.purpose, Synthetic: p.purpose != tenfold.Request}
	if m.IsRequest() && !p.asked {
		// What a person says begins a turn (L5).
		p.asked = true
		p.list = append(p.list, Piece{Entry: tenfold.Entry{Payload: tenfold.TurnStart{}}})
	}
	p.list = append(p.list, Piece{tenfold.Entry{Payload: m}, p.at})
	p.parts, p.at = nil, nil
}

// whole gives the pieces with their ids, which are the same whenever the same
// messages are read.
func (p *pieces) whole() []Piece {
	p.flush()
	for i := range p.list {
		e := &p.list[i].Entry
		if e.ID == "" {
			e.ID = p.idOf(i)
		}
		if p.model {
			e.MessageID = p.id
		}
	}
	return p.list
}

func (p *pieces) idOf(i int) string { return p.id + "-" + strconv.Itoa(i) }

// tool adds what a call gave, read unless the log has it.
func (p *pieces) tool(call string, at Span, read func() (tenfold.ToolResult, error)) error {
	p.flush()
	if p.logged != nil {
		id := p.idOf(len(p.list))
		if was, ok := p.logged(id).(tenfold.ToolResult); ok && was.CallID == call {
			p.list = append(p.list, Piece{tenfold.Entry{ID: id, Payload: was}, []Span{at}})
			return nil
		}
	}
	r, err := read()
	r.CallID = call
	p.add(r, at)
	return err
}

func (Anthropic) Read(r *Request, i int) ([]Piece, error) {
	m, err := messageOf(r, i, "content")
	if err != nil {
		return nil, err
	}
	p := newPieces(r, i)
	switch {
	case m.role != "user" && m.role != "assistant" && m.role != "system",
		!m.list && !m.content.isText(r.Body):
		return nil, errShape
	case m.role == "system":
		return p.system(m)
	case !m.list && m.role == "assistant":
		p.add(tenfold.AssistantMessage{Text: m.content.text(r.Body)}, m.content)
	case !m.list:
		p.part(tenfold.TextPart(m.content.text(r.Body)), m.content)
	}
	for _, at := range m.blocks {
		if err := p.anthropic(m.role, at); err != nil {
			return nil, err
		}
	}
	return p.whole(), nil
}

// system reads a message of an operator's among the others.
func (p *pieces) system(m message) ([]Piece, error) {
	var u tenfold.UserMessage
	var at []Span
	say := func() {
		u.Purpose, u.Synthetic, u.Role, u.Provider = tenfold.Context, true, m.role, "anthropic"
		p.add(u, at...)
		u, at = tenfold.UserMessage{}, nil
	}
	for _, block := range m.places() {
		part, err := p.result(block)
		if err != nil {
			return nil, err
		}
		if part.File != nil && changesTools(part.File.Name) {
			if at != nil {
				say()
			}
			p.add(tenfold.ProviderItem{Provider: "anthropic", Role: m.role, Data: part.File.Detail}, block)
			continue
		}
		u.Parts, at = append(u.Parts, part), append(at, block)
	}
	if at != nil || len(p.list) == 0 {
		say()
	}
	return p.whole(), nil
}

// changesTools reports whether a block of an operator's gives tools to the model, or takes
// them: no other place of the request says that.
func changesTools(kind string) bool { return kind == "tool_addition" || kind == "tool_removal" }

// anthropic reads one block of a message.
func (p *pieces) anthropic(role string, at Span) error {
	if p.raw[at.From] == '"' && role == "user" {
		p.part(tenfold.TextPart(at.text(p.raw)), at)
		return nil
	}
	f, err := object(p.raw, at)
	if err != nil {
		return err
	}
	kind, _ := f.get("type")
	if role == "assistant" {
		return p.said(f, kind.text(p.raw), at)
	}
	switch kind := kind.text(p.raw); kind {
	case "tool_result":
		return p.tool(p.str(f, "tool_use_id"), at, func() (r tenfold.ToolResult, err error) {
			if failed, ok := f.get("is_error"); ok {
				r.IsError = string(failed.of(p.raw)) == "true"
			}
			r.Parts, err = p.results(f, "content")
			return r, err
		})
	case "text", "image", "document":
		part, err := p.result(at)
		if err != nil {
			return err
		}
		if part.File != nil && part.File.URI == "" {
			p.add(tenfold.ProviderItem{Provider: "anthropic", Role: "user", Data: canonical(p.raw, at)}, at)
			return nil
		}
		p.part(part, at)
	default:
		p.add(tenfold.ProviderItem{Provider: "anthropic", Role: "user", Data: canonical(p.raw, at)}, at)
	}
	return nil
}

// said reads a block of the model's.
func (p *pieces) said(f fields, kind string, at Span) error {
	need := func(name string) (string, error) {
		if value, ok := f.get(name); ok && value.isText(p.raw) {
			return value.text(p.raw), nil
		}
		return "", errShape
	}
	var payload tenfold.Payload
	var err error
	switch kind {
	case "text":
		var m tenfold.AssistantMessage
		m.Text, err = need("text")
		payload = m
	case "thinking":
		r := tenfold.Reasoning{Signature: p.str(f, "signature")}
		if r.Signature != "" {
			r.Provider = "anthropic"
		}
		r.Text, err = need("thinking")
		payload = r
		if p.updates && r.Signature != "" && !tenfold.Blank(r.Text) {
			payload = tenfold.AssistantMessage{Text: r.Text, Signature: r.Signature}
		}
	case "redacted_thinking":
		r := tenfold.Reasoning{Provider: "anthropic"}
		r.Encrypted, err = need("data")
		payload = r
	case "tool_use":
		input, ok := f.get("input")
		if !ok {
			return errShape
		}
		payload = tenfold.ToolCall{CallID: p.str(f, "id"), Name: p.str(f, "name"), Arguments: string(input.of(p.raw))}
	case "tool_result":
		return errShape
	default:
		payload = tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: canonical(p.raw, at)}
	}
	p.add(payload, at)
	return err
}

// str gives a member that is a string.
func (p *pieces) str(f fields, name string) string {
	at, _ := f.get(name)
	return at.text(p.raw)
}

// results reads what a tool gave: a text, or a list of parts.
func (p *pieces) results(f fields, name string) ([]tenfold.Part, error) {
	at, ok := f.get(name)
	switch {
	case !ok || p.raw[at.From] == 'n':
		return nil, nil
	case p.raw[at.From] == '"':
		return tenfold.Text(at.text(p.raw)), nil
	case p.raw[at.From] != '[':
		return nil, errShape
	}
	items, err := array(p.raw, at)
	if err != nil {
		return nil, err
	}
	var parts []tenfold.Part
	for _, item := range items {
		part, err := p.result(item)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// result reads a part of a result or of what a user says. What is neither a text
// nor a file of a known shape was seen by the model all the same.
func (p *pieces) result(at Span) (tenfold.Part, error) {
	if p.raw[at.From] == '"' {
		return tenfold.TextPart(at.text(p.raw)), nil
	}
	f, err := object(p.raw, at)
	if err != nil {
		return tenfold.Part{}, err
	}
	kind := p.str(f, "type")
	if text, ok := f.get("text"); ok && kind == "text" && text.isText(p.raw) {
		return tenfold.TextPart(text.text(p.raw)), nil
	}
	if source, ok := f.get("source"); ok && (kind == "image" || kind == "document") && p.raw[source.From] == '{' {
		s, err := object(p.raw, source)
		if err != nil {
			return tenfold.Part{}, err
		}
		file := &tenfold.File{Type: tenfold.PartImage, MediaType: p.str(s, "media_type")}
		if kind == "document" {
			file.Type = tenfold.PartFile
		}
		switch p.str(s, "type") {
		case "base64":
			file.URI = "data:" + file.MediaType + ";base64," + p.str(s, "data")
			return tenfold.Part{File: file}, nil
		case "url":
			file.URI = p.str(s, "url")
			return tenfold.Part{File: file}, nil
		}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: kind, Detail: canonical(p.raw, at)}}, nil
}
