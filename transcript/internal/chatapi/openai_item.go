package chatapi

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
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

// Text takes a string over, and whole any value.
func (r *ItemReader) Text(n walk.Node) string {
	r.Raw = n.T.Raw
	return r.Finder.Text(n.At())
}

func (r *ItemReader) whole(n walk.Node) string {
	r.Raw = n.T.Raw
	return r.Whole(n.At())
}

// The input of a custom tool is text. Arguments are JSON: the text, as it is
// quoted in the item, stands in them as a member.
const (
	InputStart = `{"input":`
	InputEnd   = `}`
)

// input takes the text a custom tool was called with.
func (r *ItemReader) input(n walk.Node) string {
	if r.Filling {
		v := strings.TrimSuffix(strings.TrimPrefix(r.Next(), InputStart), InputEnd)
		r.Cuts = append(r.Cuts, walk.Cut{Span: n.At(), With: v})
		return v
	}
	r.Cuts = append(r.Cuts, walk.Cut{Span: n.At(), With: walk.CutText})
	return InputStart + string(n.Raw()) + InputEnd
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

// Item reads one item: what a model sees of it, as payloads. There are none
// when no model sees it, or when it says nothing.
func (r *ItemReader) Item(n walk.Node) []tenfold.Payload {
	if n.Kind() != '{' {
		if len(r.Fill) > 0 { // the item was taken as a whole
			r.whole(n)
		}
		return nil
	}
	typ := n.Text("type")
	if typ == "" && n.Get("role").IsText() && n.Get("content").Found() {
		typ = "message" // requests may leave the type out
	}
	callID := n.Text("call_id")
	switch typ {
	case "message":
		return r.message(n)
	case "reasoning":
		return r.reasoning(n)
	case "function_call":
		if a := n.Get("arguments"); a.IsText() {
			return One(tenfold.ToolCall{CallID: callID, Name: n.Text("name"), Arguments: r.Text(a)})
		}
	case "custom_tool_call":
		if in := n.Get("input"); in.IsText() && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: n.Text("name"), Arguments: r.input(in), Custom: true})
		}
	case "local_shell_call":
		if a := n.Get("action"); a.Found() && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: "local_shell", Arguments: r.whole(a)})
		}
	case "tool_search_call":
		if a := n.Get("arguments"); a.Found() && callID != "" {
			return One(tenfold.ToolCall{CallID: callID, Name: "tool_search", Arguments: r.whole(a)})
		}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return One(r.result(n, callID))
	case "tool_search_output":
		res := tenfold.ToolResult{CallID: callID}
		if tools := n.Get("tools"); tools.Found() {
			res.Parts = tenfold.Text(r.whole(tools))
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
	return One(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: r.whole(n)})
}

func One(p tenfold.Payload) []tenfold.Payload { return []tenfold.Payload{p} }

// message reads a message: an assistant's gives one payload a block. Of the
// other roles all is context but what the user says; whether a person typed
// that, [engine.Typed] tells.
func (r *ItemReader) message(n walk.Node) []tenfold.Payload {
	role, content := n.Text("role"), n.Get("content")
	if role == "assistant" {
		if content.IsText() {
			return One(tenfold.AssistantMessage{Text: r.Text(content)})
		}
		var out []tenfold.Payload
		for b := List(content); b.Found(); b = b.Next() {
			text := b.Get("text")
			if b.Text("type") == "refusal" {
				text = b.Get("refusal")
			}
			if text.IsText() {
				out = append(out, tenfold.AssistantMessage{Text: r.Text(text)})
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
	u := tenfold.UserMessage{Parts: parts, Synthetic: role != "user" || !engine.Typed(parts)}
	if role == "system" || role == "developer" {
		u.Role, u.Provider = role, "openai"
	}
	return One(u)
}

// List is the first item of a list.
func List(n walk.Node) walk.Node {
	if n.Kind() != '[' {
		return walk.Node{}
	}
	return n.First()
}

// parts reads the content of a message or a result.
func (r *ItemReader) parts(content walk.Node) []tenfold.Part {
	if content.IsText() {
		return tenfold.Text(r.Text(content))
	}
	var parts []tenfold.Part
	for b := List(content); b.Found(); b = b.Next() {
		parts = append(parts, r.part(b))
	}
	return parts
}

func (r *ItemReader) part(b walk.Node) tenfold.Part {
	switch b.Text("type") {
	case "input_text", "output_text", "text":
		if text := b.Get("text"); text.IsText() {
			return tenfold.TextPart(r.Text(text))
		}
	case "input_image":
		if url := b.Get("image_url"); url.IsText() {
			uri := r.Text(url)
			return tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: mediaType(uri), URI: uri}}
		}
	case "input_file":
		for _, name := range [...]string{"file_data", "file_url"} {
			if data := b.Get(name); data.IsText() {
				uri := r.Text(data)
				return tenfold.Part{File: &tenfold.File{
					Type: tenfold.PartFile, Name: b.Text("filename"), MediaType: mediaType(uri), URI: uri,
				}}
			}
		}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: b.Text("type"), Detail: r.whole(b)}}
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
func (r *ItemReader) result(n walk.Node, callID string) tenfold.ToolResult {
	res := tenfold.ToolResult{CallID: callID}
	out := n.Get("output")
	if out.Kind() == '{' {
		inner := out.Get("content")
		switch string(out.Get("success").Raw()) {
		case "false":
			res.IsError = true
		case "true":
			res.Outcome = tenfold.Success
		}
		if inner.Found() {
			out = inner
		}
	}
	switch out.Kind() {
	case '"', '[':
		res.Parts = r.parts(out)
	case 0:
	case 'n':
		if len(r.Fill) > 0 { // what was neither text nor list
			r.whole(out)
		}
	default:
		res.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: r.whole(out)}}}
	}
	return res
}

// reasoning reads a reasoning item. One with neither text nor encrypted content
// says nothing to anybody.
func (r *ItemReader) reasoning(n walk.Node) []tenfold.Payload {
	p := tenfold.Reasoning{ItemID: n.Text("id")}
	var texts []walk.Node
	for _, name := range [...]string{"summary", "content"} {
		for b := List(n.Get(name)); b.Found(); b = b.Next() {
			if text := b.Get("text"); text.IsText() {
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
		for _, n := range texts {
			t, _ := r.Scan.UnquoteIn(n.At(), n.T.Raw)
			all = append(all, t)
		}
		p.Text = strings.Join(all, "\n\n")
	}
	if e := n.Get("encrypted_content"); e.IsText() {
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
