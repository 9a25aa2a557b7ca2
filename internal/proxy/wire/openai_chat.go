package wire

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/answer"
)

// OpenAIChat is the protocol of OpenAI's chat completions, and of the many servers
// that speak it. What the system says before all else is the head: it stands among
// the messages, and is none of theirs.
type OpenAIChat struct{}

func (OpenAIChat) Name() string { return "openai-chat" }

func (OpenAIChat) Kind(method, path string) Kind { return route(method, path, "/chat/completions") }

func (OpenAIChat) Scan(path string, body []byte, known []Message) (*Request, error) {
	r, err := scan(path, body, known, shape{
		list:  "messages",
		head:  []string{"tools", "functions", "response_format"},
		model: func(role, _ string) bool { return role == "assistant" || role == "model" },
	})
	if err == nil {
		r.unnamed = &unnamed{whole: r, calls: map[int]string{}}
	}
	return r, err
}

func (OpenAIChat) Head(r *Request) (tenfold.ConfigDelta, error) {
	d, err := r.settings("openai-chat")
	if err != nil {
		return d, err
	}
	var texts []string
	for i := range r.Messages {
		f, role, err := chatMessage(r, i)
		if err != nil {
			return d, err
		}
		if !isSystemRole(role) {
			break
		}
		if content, ok := f.get("content"); ok {
			if err := systemTexts(r.Body, content, &texts); err != nil {
				return d, err
			}
		}
	}
	if len(texts) > 0 {
		text := strings.Join(texts, "\n\n")
		d.System = &text
	}
	return d, nil
}

// chatMessage gives the members of a message, and its role.
func chatMessage(r *Request, i int) (f fields, role string, err error) {
	if i < 0 || i >= len(r.Messages) {
		return nil, "", errShape
	}
	f, err = object(r.Body, Span{r.Messages[i].From, r.Messages[i].To})
	at, _ := f.get("role")
	return f, at.text(r.Body), err
}

// leads reports whether a message stands before all that is not the system's.
func leads(r *Request, i int) bool {
	for j := range i {
		if _, role, err := chatMessage(r, j); err != nil || !isSystemRole(role) {
			return false
		}
	}
	return true
}

func (OpenAIChat) Read(r *Request, i int) ([]Piece, error) {
	f, role, err := chatMessage(r, i)
	if err != nil {
		return nil, err
	}
	p := newPieces(r, i)
	at := Span{r.Messages[i].From, r.Messages[i].To}
	content, _ := f.get("content")
	switch {
	case role == "user", isSystemRole(role) && !leads(r, i):
		err = p.openaiUser(role, content)
	case isToolRole(role):
		call := cmp.Or(p.str(f, "tool_call_id"), p.str(f, "name"))
		if call == "" {
			call = r.unnamed.of(at.From)
		}
		err = p.tool(call, at, func() (r tenfold.ToolResult, err error) {
			r.Parts, err = p.openaiResult(content)
			return r, err
		})
	case r.Messages[i].Model:
		err = p.chatAnswer(f)
	}
	return p.whole(), err
}

// unnamed has what results answer that say neither an id nor a tool: by the place of each in
// the body, as copies of a request may have some of its messages only. It is found for all
// results of an answer at once, however many there are.
type unnamed struct {
	mu    sync.Mutex
	whole *Request
	calls map[int]string
}

// of gives what stands for the id of the call that a result answers: the name of its tool.
// It is that of the call without an id which has as many before it as the result.
func (u *unnamed) of(place int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if call, ok := u.calls[place]; ok {
		return call
	}
	all := u.whole.Messages
	i := sort.Search(len(all), func(i int) bool { return all[i].From >= place })
	for i > 0 && !all[i-1].Model {
		i--
	}
	var calls []string
	if f, _, err := chatMessage(u.whole, i-1); err == nil {
		p := newPieces(u.whole, i-1)
		if p.chatAnswer(f) != nil {
			p.list = nil
		}
		for _, one := range p.whole() {
			if c, ok := one.Entry.Payload.(tenfold.ToolCall); ok && c.CallID == c.Name {
				calls = append(calls, c.Name)
			}
		}
	}
	for ; i < len(all) && !all[i].Model; i++ {
		f, role, err := chatMessage(u.whole, i)
		if id, _ := f.get("tool_call_id"); err == nil && isToolRole(role) && id.text(u.whole.Body) == "" {
			u.calls[all[i].From] = ""
			if len(calls) > 0 {
				u.calls[all[i].From], calls = calls[0], calls[1:]
			}
		}
	}
	return u.calls[place]
}

func isToolRole(role string) bool { return role == "tool" || role == "function" }

// The members in which servers of chat completions hand reasoning on: as a text,
// and, where a vendor bound it to what stands before it, with the signatures.
func chatThoughts() []string { return []string{"reasoning_content", "reasoning"} }
func chatBound() []string    { return []string{"reasoning_details", "thinking_blocks"} }

// chatAnswer reads what the model said.
func (p *pieces) chatAnswer(f fields) error {
	if err := p.chatReasoning(f); err != nil {
		return err
	}
	if content, ok := f.get("content"); ok && string(content.of(p.raw)) != `""` {
		if err := p.outputs(content, ""); err != nil {
			return err
		}
	}
	if refusal, ok := f.get("refusal"); ok && refusal.isText(p.raw) {
		p.add(tenfold.AssistantMessage{Text: refusal.text(p.raw)}, refusal)
	}
	list, _ := f.get("tool_calls")
	calls, err := elements(p.raw, list)
	if err != nil {
		return err
	}
	for _, at := range calls {
		call, err := object(p.raw, at)
		if err != nil {
			return err
		}
		inner, custom := call.get("custom")
		if !custom {
			inner, _ = call.get("function")
		}
		if err := p.chatCall(inner, p.str(call, "id"), at); err != nil {
			return err
		}
	}
	if at, ok := f.get("function_call"); ok && p.raw[at.From] == '{' {
		return p.chatCall(at, "", at)
	}
	return nil
}

// chatReasoning reads the reasoning of a message.
func (p *pieces) chatReasoning(f fields) error {
	m := tenfold.Reasoning{Provider: "openai-chat"}
	var at []Span
	for _, name := range append(chatThoughts(), chatBound()...) {
		value, ok := f.get(name)
		switch {
		case !ok:
		case value.isText(p.raw):
			if at = append(at, value); m.Text == "" {
				m.Text = value.text(p.raw)
			}
		case p.raw[value.From] == '[':
			if at = append(at, value); tenfold.Blank(m.Text) {
				m.Encrypted = canonical(p.raw, value)
			}
		}
	}
	if !tenfold.Blank(m.Text) || m.Encrypted != "" {
		p.add(m, at...)
	}
	return nil
}

// chatCall reads a call: its function, or its custom tool with a text.
func (p *pieces) chatCall(inner Span, id string, at Span) error {
	f, err := fieldsAt(p.raw, inner)
	if err != nil {
		return err
	}
	c := tenfold.ToolCall{CallID: id, Name: p.str(f, "name")}
	if id == "" {
		c.CallID = c.Name
	}
	arguments, isFunction := f.get("arguments")
	input, _ := f.get("input")
	switch {
	case arguments.isText(p.raw):
		c.Arguments = arguments.text(p.raw)
	case isFunction:
		c.Arguments = canonical(p.raw, arguments)
	case input.isText(p.raw):
		c.Custom, c.Arguments = true, customArguments(input.text(p.raw))
	}
	p.add(c, at)
	return nil
}

func (OpenAIChat) Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error) {
	return editOpenAI(r, upto, pieces, shown, openaiForm{part: "text", content: "content", marks: true, bound: chatBound(), add: func(role, text string) []byte {
		return []byte(`{"role":"` + role + `","content":` + string(quote(text)) + `}`)
	}})
}

func (OpenAIChat) Listen(r *Request) Listener {
	return newListener(chatDecoder{answer.Chat(r.Model)})
}

// chatDecoder gives the blocks of an answer as [OpenAIChat.Read] does.
type chatDecoder struct{ answer.Decoder }

// Take implements [answer.Decoder].
func (d chatDecoder) Take(name string, data []byte) ([]provider.Event, error) {
	events, err := d.Decoder.Take(name, data)
	return asRead(events), err
}

// End implements [answer.Decoder].
func (d chatDecoder) End() ([]provider.Event, error) {
	events, err := d.Decoder.End()
	return asRead(events), err
}

// asRead leaves out an answer with calls that have no id: clients send them back as they
// are, or with ids of their own, by which their results go.
func asRead(events []provider.Event) (out []provider.Event) {
	nameless := slices.ContainsFunc(events, func(e provider.Event) bool {
		c, ok := e.Block.(tenfold.ToolCall)
		return ok && c.CallID == ""
	})
	for _, e := range events {
		if nameless {
			e.Block = nil
		}
		switch block := e.Block.(type) {
		case tenfold.ProviderItem:
			continue // members of the message that are not read
		case tenfold.Reasoning:
			block.Provider = "openai-chat"
			e.Block = block
		}
		out = append(out, e)
	}
	return out
}
