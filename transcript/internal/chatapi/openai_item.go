package chatapi

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// ItemReader reads the items of OpenAI's Responses API, which a Codex rollout
// holds too, or fills what the entries hold back into what was left of them.
type ItemReader struct {
	engine.Finder
	// Odd says that an item held a block, or was in a shape, that is not
	// understood: it stays in the source and no model sees it.
	Odd bool
}

// The input of a custom tool is text. Arguments are JSON: the text, as it is
// quoted in the item, stands in them as a member.
const (
	InputStart = `{"input":`
	InputEnd   = `}`
)

// input takes the text a custom tool was called with.
func (r *ItemReader) input(at walk.Span) string {
	if r.Filling {
		v := strings.TrimSuffix(strings.TrimPrefix(r.Next(), InputStart), InputEnd)
		r.Cuts = append(r.Cuts, walk.Cut{Span: at, With: v})
		return v
	}
	r.Cuts = append(r.Cuts, walk.Cut{Span: at, With: walk.CutText})
	return InputStart + string(at.Of(r.Raw)) + InputEnd
}

// Held lists what the payloads of an item hold, in the order in which
// [ItemReader.Item] takes it.
func Held(payloads []tenfold.Payload) []string {
	var out []string
	parts := func(list []tenfold.Part) {
		for _, p := range list {
			switch {
			case p.File == nil:
				out = append(out, p.Text)
			case p.File.Detail != "":
				out = append(out, p.File.Detail)
			default:
				out = append(out, p.File.URI)
			}
		}
	}
	for _, p := range payloads {
		switch p := p.(type) {
		case tenfold.UserMessage:
			parts(p.Parts)
		case tenfold.ToolResult:
			parts(p.Parts)
		case tenfold.AssistantMessage:
			out = append(out, p.Text)
		case tenfold.Reasoning:
			out = append(out, p.Text, p.Encrypted)
		case tenfold.ToolCall:
			out = append(out, p.Arguments)
		case tenfold.ProviderItem:
			out = append(out, p.Data)
		}
	}
	return out
}

// Item reads the item at a place of the text: what a model sees of it, as payloads. There
// are none when no model sees it, or when it says nothing.
func (r *ItemReader) Item(at walk.Span) []tenfold.Payload {
	if !r.Is(at, '{') {
		if len(r.Fill) > 0 { // the item was taken as a whole
			r.Whole(at)
		}
		return nil
	}
	m := r.Object(at)
	typ := m.Peek("type")
	if typ == "" && r.IsString(m.Get("role")) && m.Get("content").Found() {
		typ = "message" // requests may leave the type out
	}
	callID := m.Peek("call_id")
	switch typ {
	case "message":
		return r.message(m)
	case "reasoning":
		return r.reasoning(m)
	case "function_call":
		if a := m.Get("arguments"); r.IsString(a) {
			return One(tenfold.ToolCall{CallID: callID, Name: m.Peek("name"), Arguments: r.Text(a)})
		}
	case "custom_tool_call":
		if in := m.Get("input"); r.IsString(in) && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: m.Peek("name"), Arguments: r.input(in), Custom: true})
		}
	case "local_shell_call":
		if a := m.Get("action"); a.Found() && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: "local_shell", Arguments: r.Whole(a)})
		}
	case "tool_search_call":
		if a := m.Get("arguments"); a.Found() && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: "tool_search", Arguments: r.Whole(a)})
		}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return One(r.result(m, callID))
	case "tool_search_output":
		res := tenfold.ToolResult{CallID: callID}
		if tools := m.Get("tools"); tools.Found() {
			res.Parts = tenfold.Text(r.Whole(tools))
		}
		return One(res)
	case "ghost_snapshot": // an undo point of Codex, which it does not send
		return nil
	case "":
		r.Odd = true
		return nil
	}
	if typ == "function_call" {
		r.Odd = true // a call needs arguments
		return nil
	}
	return One(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: r.Whole(at)})
}

func One(p tenfold.Payload) []tenfold.Payload { return []tenfold.Payload{p} }

// message reads a message: an assistant's gives one payload a block. Of the
// other roles all is context but what the user says; whether a person typed
// that, [intake.Typed] tells.
func (r *ItemReader) message(m engine.Members) []tenfold.Payload {
	role, content := m.Peek("role"), m.Get("content")
	if role == "assistant" {
		phase := strings.Clone(m.Peek("phase"))
		if r.IsString(content) {
			return One(tenfold.AssistantMessage{Text: r.Text(content), Phase: phase})
		}
		var out []tenfold.Payload
		for _, at := range r.List(content) {
			b := r.Object(at)
			text := b.Get("text")
			if b.Peek("type") == "refusal" {
				text = b.Get("refusal")
			}
			if r.IsString(text) {
				out = append(out, tenfold.AssistantMessage{Text: r.Text(text), Phase: phase})
			} else {
				r.Odd = true
			}
		}
		return out
	}
	parts := r.parts(content)
	if len(parts) == 0 {
		return nil
	}
	u := tenfold.UserMessage{Parts: parts, Synthetic: role != "user" || !intake.Typed(parts)}
	if role == "system" || role == "developer" {
		u.Role, u.Provider = role, "openai"
	}
	return One(u)
}

// parts reads the content of a message or a result.
func (r *ItemReader) parts(content walk.Span) []tenfold.Part {
	if r.IsString(content) {
		return tenfold.Text(r.Text(content))
	}
	var parts []tenfold.Part
	for _, at := range r.List(content) {
		parts = append(parts, r.part(at))
	}
	return parts
}

func (r *ItemReader) part(at walk.Span) tenfold.Part {
	b := r.Object(at)
	typ := b.Peek("type")
	switch typ {
	case "input_text", "output_text", "text":
		if text := b.Get("text"); r.IsString(text) {
			return tenfold.TextPart(r.Text(text))
		}
	case "input_image":
		if url := b.Get("image_url"); r.IsString(url) {
			uri := r.Text(url)
			return tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: mediaType(uri), URI: uri}}
		}
	case "input_file":
		for _, name := range [...]string{"file_data", "file_url"} {
			if data := b.Get(name); r.IsString(data) {
				uri := r.Text(data)
				return tenfold.Part{File: &tenfold.File{
					Type: tenfold.PartFile, Name: b.Peek("filename"), MediaType: mediaType(uri), URI: uri,
				}}
			}
		}
	}
	return r.UnknownPart(typ, at)
}

// mediaType is that of a "data:" URI.
func mediaType(uri string) string {
	rest, ok := strings.CutPrefix(uri, "data:")
	if !ok {
		return ""
	}
	head, _, _ := strings.Cut(rest, ",")
	media, _, _ := strings.Cut(head, ";")
	if len(media) > 100 {
		return ""
	}
	return media
}

// result reads what a call gave. Early versions wrapped the text, and said
// whether the call went well.
func (r *ItemReader) result(m engine.Members, callID string) tenfold.ToolResult {
	res := tenfold.ToolResult{CallID: callID}
	out := m.Get("output")
	if r.Is(out, '{') {
		in := r.Object(out)
		switch ok := in.Get("success"); {
		case r.Is(ok, 'f'):
			res.IsError = true
		case r.Is(ok, 't'):
			res.Outcome = tenfold.Success
		}
		if inner := in.Get("content"); inner.Found() {
			out = inner
		}
	}
	switch {
	case r.IsString(out), r.Is(out, '['):
		res.Parts = r.parts(out)
	case out.Found() && (!r.Is(out, 'n') || len(r.Fill) > 0): // what was neither text nor list
		res.Parts = []tenfold.Part{r.UnknownPart("", out)}
	}
	return res
}

// reasoning reads a reasoning item. One with neither text nor encrypted content
// says nothing to anybody.
func (r *ItemReader) reasoning(m engine.Members) []tenfold.Payload {
	p := tenfold.Reasoning{ItemID: m.Peek("id")}
	var texts []walk.Span
	for _, name := range [...]string{"summary", "content"} {
		for _, at := range m.Items(name) {
			if text := r.In(at, "text"); r.IsString(text) {
				texts = append(texts, text)
			}
		}
	}
	switch {
	case len(texts) == 1:
		p.Text = r.Text(texts[0])
	case r.Filling:
		r.Next() // several texts stay in the item
	default:
		var all []string
		for _, at := range texts {
			all = append(all, r.Peek(at))
		}
		p.Text = strings.Join(all, "\n\n")
	}
	if e := m.Get("encrypted_content"); r.IsString(e) {
		p.Encrypted = r.Text(e)
	}
	if p.Text == "" && p.Encrypted == "" {
		return nil
	}
	if p.Encrypted != "" || p.ItemID != "" {
		p.Provider = "openai"
	}
	return One(p)
}
