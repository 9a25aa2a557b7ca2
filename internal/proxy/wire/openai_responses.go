package wire

import (
	"cmp"
	"strings"

	"tenfold"
)

// OpenAIResponses is the protocol of OpenAI's Responses API, as Codex and others
// use it: without state at the vendor's, the whole history in each request.
type OpenAIResponses struct{}

func (OpenAIResponses) Name() string { return "openai-responses" }

func (OpenAIResponses) Kind(method, path string) Kind { return route(method, path, "/responses") }

// Scan implements [Protocol]. A request that goes on with what the vendor keeps is
// an error: what stands before its items is not known here.
func (OpenAIResponses) Scan(path string, body []byte, known []Message) (*Request, error) {
	return scan(path, body, known, shape{
		list: "input", alone: true,
		head:   []string{"instructions", "tools", "tool_choice"},
		unseen: []string{"previous_response_id", "conversation"},
		model: func(role, kind string) bool {
			return role == "assistant" || kind == "reasoning" || kind == compactionType || strings.HasSuffix(kind, "_call")
		},
	})
}

func (OpenAIResponses) Head(r *Request) (tenfold.ConfigDelta, error) { return r.settings("openai") }

func (OpenAIResponses) Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error) {
	return editOpenAI(r, upto, pieces, shown, openaiForm{part: "input_text", content: "output", add: responsesMessage})
}

// responsesMessage writes a message of a role.
func responsesMessage(role, text string) []byte {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return []byte(`{"type":"message","role":"` + role + `","content":[{"type":"` + kind + `","text":` + string(quote(text)) + `}]}`)
}

func (OpenAIResponses) Read(r *Request, i int) ([]Piece, error) {
	if i < 0 || i >= len(r.Messages) {
		return nil, errShape
	}
	p := newPieces(r, i)
	p.model = false // an answer is several items: results part the steps (L6)
	err := p.item(Span{r.Messages[i].From, r.Messages[i].To})
	return p.whole(), err
}

// kindOf is the type of an item; messages may leave it out.
func (p *pieces) kindOf(f fields) string {
	kind := p.str(f, "type")
	if _, ok := f.get("role"); ok && kind == "" {
		return "message"
	}
	return kind
}

// item reads one item. One of which nothing can be taken has no pieces: tools that
// are offered with it, what a vendor compacted, a reference, a trigger.
func (p *pieces) item(at Span) error {
	if at.isText(p.raw) { // all the input there is
		p.part(tenfold.TextPart(at.text(p.raw)), at)
		return nil
	}
	f, err := object(p.raw, at)
	if err != nil {
		return err
	}
	switch kind := p.kindOf(f); kind {
	case "additional_tools", compactionType, "context_compaction", triggerType, "item_reference":
	case "message":
		content, _ := f.get("content")
		if role := p.str(f, "role"); role != "assistant" {
			return p.openaiUser(role, content)
		}
		return p.outputs(content, p.str(f, "phase"))
	case "reasoning":
		return p.reasoning(f, at)
	default:
		call, isCall := strings.CutSuffix(kind, "_call")
		_, isResult := strings.CutSuffix(kind, "_call_output")
		isResult = isResult || kind == "tool_search_output"
		id, paired := f.get("call_id")
		switch {
		case isCall && paired && id.isText(p.raw):
			return p.call(f, at, call)
		case isResult && paired:
			return p.tool(id.text(p.raw), at, func() (r tenfold.ToolResult, err error) {
				output, _ := f.get("output")
				r.Parts, err = p.openaiResult(output)
				if found, ok := f.get("tools"); ok { // what a search for tools gave
					r.Parts = tenfold.Text(canonical(p.raw, found))
				}
				return r, err
			})
		}
		p.add(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: canonical(p.raw, at)}, at)
	}
	return nil
}

// outputs reads what the model said in a message of a phase.
func (p *pieces) outputs(content Span, phase string) error {
	if content.isText(p.raw) {
		p.add(tenfold.AssistantMessage{Text: content.text(p.raw), Phase: phase}, content)
		return nil
	}
	list, err := elements(p.raw, content)
	for _, part := range list {
		f, err := fieldsAt(p.raw, part)
		if err != nil {
			return err
		}
		text, ok := f.get("text")
		if !ok {
			text, _ = f.get("refusal")
		}
		if text.isText(p.raw) {
			p.add(tenfold.AssistantMessage{Text: text.text(p.raw), Phase: phase}, part)
		} else {
			p.add(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: canonical(p.raw, part)}, part)
		}
	}
	return err
}

// reasoning reads a reasoning item. The vendor binds what it encrypted to what
// stands before it (B3).
func (p *pieces) reasoning(f fields, at Span) error {
	m := tenfold.Reasoning{ItemID: p.str(f, "id"), Encrypted: p.str(f, "encrypted_content")}
	var texts []string
	for _, name := range []string{"summary", "content"} {
		value, _ := f.get(name)
		list, err := elements(p.raw, value)
		if err != nil {
			return err
		}
		for _, part := range list {
			if inner, err := fieldsAt(p.raw, part); err != nil {
				return err
			} else if text := p.str(inner, "text"); text != "" {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			break // the content is what the summary sums up
		}
	}
	m.Text = strings.Join(texts, "\n\n")
	if m.Encrypted != "" || m.ItemID != "" {
		m.Provider = "openai"
	}
	p.add(m, at)
	return nil
}

// call reads a call of a tool. The vendor's own tools have their arguments under
// names of their own.
func (p *pieces) call(f fields, at Span, name string) error {
	c := tenfold.ToolCall{CallID: p.str(f, "call_id"), Name: p.str(f, "name")}
	c.Name = cmp.Or(c.Name, name)
	value := argumentsOf(f)
	switch {
	case name == "custom_tool" && value.isText(p.raw):
		c.Custom, c.Arguments = true, customArguments(value.text(p.raw))
	case value.isText(p.raw):
		c.Arguments = value.text(p.raw)
	case value.To > value.From:
		c.Arguments = canonical(p.raw, value)
	}
	p.add(c, at)
	return nil
}

// argumentsOf gives the place of what a call hands to its tool.
func argumentsOf(f fields) Span {
	for _, name := range []string{"arguments", "input", "action", "operation"} {
		if value, ok := f.get(name); ok {
			return value
		}
	}
	return Span{}
}
