package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// itemReader reads the items of OpenAI's Responses API, which a Codex rollout
// holds too. It takes values over from an item one by one, in a fixed order:
// reading, it notes the places to cut; writing back, it fills what the entries
// hold into the places that were cut. So the two cannot come apart.
type itemReader struct {
	scan *scanner
	cuts []cut
	// filling says that fill holds the values to put back, in order.
	filling bool
	fill    []string
	// odd says that an item held a block, or was in a shape, that is not
	// understood: it stays in the source and no model sees it.
	odd bool
}

// take is the next value to put back.
func (r *itemReader) take() string {
	if len(r.fill) == 0 {
		return ""
	}
	v := r.fill[0]
	r.fill = r.fill[1:]
	return v
}

// text takes a string over. One that would not come back the same stays in the
// item as well.
func (r *itemReader) text(n node) string {
	if r.filling {
		v := r.take()
		if string(n.raw()) == cutText {
			quoted, err := jsontext.AppendQuote(nil, v)
			if err != nil {
				quoted = []byte(cutText)
			}
			r.cuts = append(r.cuts, cut{n.at(), string(quoted)})
		}
		return v
	}
	t, exact := r.scan.unquoteIn(n.at(), n.t.raw)
	if exact {
		r.cuts = append(r.cuts, cut{n.at(), cutText})
	}
	return t
}

// whole takes any value over, verbatim.
func (r *itemReader) whole(n node) string {
	if r.filling {
		v := r.take()
		r.cuts = append(r.cuts, cut{n.at(), oneLine(v)})
		return v
	}
	r.cuts = append(r.cuts, cut{n.at(), cutValue})
	return string(n.raw())
}

// The input of a custom tool is text. Arguments are JSON: the text, as it is
// quoted in the item, stands in them as a member.
const (
	inputStart = `{"input":`
	inputEnd   = `}`
)

// input takes the text a custom tool was called with.
func (r *itemReader) input(n node) string {
	if r.filling {
		v := strings.TrimSuffix(strings.TrimPrefix(r.take(), inputStart), inputEnd)
		r.cuts = append(r.cuts, cut{n.at(), v})
		return v
	}
	r.cuts = append(r.cuts, cut{n.at(), cutText})
	return inputStart + string(n.raw()) + inputEnd
}

// held lists what the payloads of an item hold, in the order in which
// [itemReader.item] takes it.
func held(payloads []tenfold.Payload) []string {
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

// item reads one item: what a model sees of it, as payloads. There are none
// when no model sees it, or when it says nothing.
func (r *itemReader) item(n node) []tenfold.Payload {
	if n.kind() != '{' {
		if len(r.fill) > 0 { // the item was taken as a whole
			r.whole(n)
		}
		return nil
	}
	typ := n.text("type")
	if typ == "" && n.get("role").isText() && n.get("content").found() {
		typ = "message" // requests may leave the type out
	}
	callID := n.text("call_id")
	switch typ {
	case "message":
		return r.message(n)
	case "reasoning":
		return r.reasoning(n)
	case "function_call":
		if a := n.get("arguments"); a.isText() {
			return one(tenfold.ToolCall{CallID: callID, Name: n.text("name"), Arguments: r.text(a)})
		}
	case "custom_tool_call":
		if in := n.get("input"); in.isText() && callID != "" {
			return one(tenfold.ToolCall{CallID: callID, Name: n.text("name"), Arguments: r.input(in), Custom: true})
		}
	case "local_shell_call":
		if a := n.get("action"); a.found() && callID != "" {
			return one(tenfold.ToolCall{CallID: callID, Name: "local_shell", Arguments: r.whole(a)})
		}
	case "tool_search_call":
		if a := n.get("arguments"); a.found() && callID != "" {
			return one(tenfold.ToolCall{CallID: callID, Name: "tool_search", Arguments: r.whole(a)})
		}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return one(r.result(n, callID))
	case "tool_search_output":
		res := tenfold.ToolResult{CallID: callID}
		if tools := n.get("tools"); tools.found() {
			res.Parts = tenfold.Text(r.whole(tools))
		}
		return one(res)
	case "ghost_snapshot": // an undo point of Codex, which it does not send
		return nil
	case "":
		r.odd = true
		return nil
	}
	if typ == "function_call" {
		r.odd = true // without arguments it is no call
		return nil
	}
	return one(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: r.whole(n)})
}

func one(p tenfold.Payload) []tenfold.Payload { return []tenfold.Payload{p} }

// message reads a message: an assistant's gives one payload a block. Of the
// other roles all is context but what the user says; whether a person typed
// that, [typed] tells.
func (r *itemReader) message(n node) []tenfold.Payload {
	role, content := n.text("role"), n.get("content")
	if role == "assistant" {
		if content.isText() {
			return one(tenfold.AssistantMessage{Text: r.text(content)})
		}
		var out []tenfold.Payload
		for b := list(content); b.found(); b = b.next() {
			text := b.get("text")
			if b.text("type") == "refusal" {
				text = b.get("refusal")
			}
			if text.isText() {
				out = append(out, tenfold.AssistantMessage{Text: r.text(text)})
			} else {
				r.odd = true
			}
		}
		return out
	}
	parts := r.parts(content)
	if len(parts) == 0 {
		return nil
	}
	u := tenfold.UserMessage{Parts: parts, Synthetic: role != "user" || !typed(parts)}
	if role == "system" || role == "developer" {
		u.Role, u.Provider = role, "openai"
	}
	return one(u)
}

// list is the first item of a list.
func list(n node) node {
	if n.kind() != '[' {
		return node{}
	}
	return n.first()
}

// parts reads the content of a message or a result.
func (r *itemReader) parts(content node) []tenfold.Part {
	if content.isText() {
		return tenfold.Text(r.text(content))
	}
	var parts []tenfold.Part
	for b := list(content); b.found(); b = b.next() {
		parts = append(parts, r.part(b))
	}
	return parts
}

func (r *itemReader) part(b node) tenfold.Part {
	switch b.text("type") {
	case "input_text", "output_text", "text":
		if text := b.get("text"); text.isText() {
			return tenfold.TextPart(r.text(text))
		}
	case "input_image":
		if url := b.get("image_url"); url.isText() {
			uri := r.text(url)
			return tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: mediaType(uri), URI: uri}}
		}
	case "input_file":
		for _, name := range [...]string{"file_data", "file_url"} {
			if data := b.get(name); data.isText() {
				uri := r.text(data)
				return tenfold.Part{File: &tenfold.File{
					Type: tenfold.PartFile, Name: b.text("filename"), MediaType: mediaType(uri), URI: uri,
				}}
			}
		}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: b.text("type"), Detail: r.whole(b)}}
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
func (r *itemReader) result(n node, callID string) tenfold.ToolResult {
	res := tenfold.ToolResult{CallID: callID}
	out := n.get("output")
	if out.kind() == '{' {
		inner := out.get("content")
		res.IsError = string(out.get("success").raw()) == "false"
		if inner.found() {
			out = inner
		}
	}
	switch out.kind() {
	case '"', '[':
		res.Parts = r.parts(out)
	case 0:
	case 'n':
		if len(r.fill) > 0 { // what was neither text nor list
			r.whole(out)
		}
	default:
		res.Parts = []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartFile, Detail: r.whole(out)}}}
	}
	return res
}

// reasoning reads a reasoning item. One with neither text nor encrypted content
// says nothing to anybody.
func (r *itemReader) reasoning(n node) []tenfold.Payload {
	p := tenfold.Reasoning{ItemID: n.text("id")}
	var texts []node
	for _, name := range [...]string{"summary", "content"} {
		for b := list(n.get(name)); b.found(); b = b.next() {
			if text := b.get("text"); text.isText() {
				texts = append(texts, text)
			}
		}
	}
	switch {
	case len(texts) == 1:
		p.Text = r.text(texts[0])
	case r.filling:
		r.take() // several texts stay in the item
	default:
		var all []string
		for _, n := range texts {
			t, _ := r.scan.unquoteIn(n.at(), n.t.raw)
			all = append(all, t)
		}
		p.Text = strings.Join(all, "\n\n")
	}
	if e := n.get("encrypted_content"); e.isText() {
		p.Encrypted = r.text(e)
	}
	if p.Text == "" && p.Encrypted == "" {
		return nil
	}
	if p.Encrypted != "" || p.ItemID != "" {
		p.Provider = "openai"
	}
	return one(p)
}

// oneLine gives a JSON text on one line.
func oneLine(v string) string {
	if !strings.ContainsAny(v, "\r\n") {
		return v
	}
	return string(appendCompact(nil, []byte(v)))
}
