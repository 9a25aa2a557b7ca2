package wire

import (
	"bytes"
	"slices"
	"strings"

	"tenfold"
	"tenfold/body"
)

// geminiPart is one part of a content, as far as it is read.
type geminiPart struct {
	at               Span
	f                fields
	call, result     fields
	isCall, isResult bool
	signature        Span // zero where there is none
}

// first gives the first member of several names.
func (f fields) first(names ...string) (Span, bool) {
	for _, name := range names {
		if at, ok := f.get(name); ok {
			return at, true
		}
	}
	return Span{}, false
}

func geminiPartAt(raw []byte, at Span) (p geminiPart, err error) {
	p.at = at
	if p.f, err = object(raw, at); err != nil {
		return p, err
	}
	var inner Span
	if inner, p.isCall = p.f.first("functionCall", "function_call"); p.isCall {
		p.call, err = object(raw, inner)
	}
	if inner, p.isResult = p.f.first("functionResponse", "function_response"); p.isResult && err == nil {
		p.result, err = object(raw, inner)
	}
	if sig, ok := p.f.first("thoughtSignature", "thought_signature"); ok && sig.isText(raw) && sig.text(raw) != body.UnsignedCall("gemini-3") {
		p.signature = sig
	}
	if p.isCall && p.isResult {
		err = errShape
	}
	return p, err
}

// geminiRole gives the role of a content: one without a role is the user's.
func geminiRole(role string) (string, error) {
	switch role {
	case "", "user", "function":
		return "user", nil
	case "model":
		return role, nil
	}
	return "", errShape
}

func (Gemini) Read(r *Request, i int) ([]Piece, error) {
	m, err := messageOf(r, i, "parts")
	if err != nil {
		return nil, err
	}
	role, err := geminiRole(m.role)
	if err != nil || !m.list {
		return nil, errShape
	}
	p := newPieces(r, i)
	for k, at := range m.blocks {
		part, err := geminiPartAt(r.Body, at)
		switch {
		case err != nil:
			return nil, err
		case role == "model" && part.isResult, role == "user" && part.isCall:
			return nil, errShape
		case role == "model":
			p.geminiSaid(part, r.calls)
		case part.isResult:
			call := r.calls.of(at.From)
			if call.again && slices.ContainsFunc(m.blocks[:k], func(was Span) bool { return bytes.Equal(was.of(r.Body), at.of(r.Body)) }) {
				continue // Gemini CLI resumes a session with all results doubled
			}
			if err := p.geminiResult(part, call.id); err != nil {
				return nil, err
			}
		default:
			if err := p.geminiGiven(part); err != nil {
				return nil, err
			}
		}
	}
	return p.whole(), nil
}

// named gives the id that a call or a result came with, empty for none, and its tool.
func (*geminiPart) named(raw []byte, f fields) (given, tool string) {
	at, _ := f.get("id")
	name, _ := f.get("name")
	return at.text(raw), name.text(raw)
}

// geminiSaid reads a part of the model's. Its signature is reasoning of its own,
// before what it stands on.
func (p *pieces) geminiSaid(part geminiPart, calls *geminiCalls) {
	sign := func(callID string) {
		if part.signature.To > 0 {
			p.add(tenfold.Reasoning{Provider: "gemini", Signature: part.signature.text(p.raw), CallID: callID}, part.at)
		}
	}
	text, isText := part.f.get("text")
	thought, _ := part.f.get("thought")
	// With a member that nobody knows it is a part of the vendor's own, as when it was
	// heard.
	isText = isText && text.isText(p.raw) && !slices.ContainsFunc(part.f, func(m field) bool {
		return !slices.Contains([]string{"text", "thought", "thoughtSignature", "thought_signature"}, m.name)
	})
	switch {
	case part.isCall:
		_, tool := part.named(p.raw, part.call)
		id := calls.of(part.at.From).id
		c := tenfold.ToolCall{CallID: id, Name: tool, Arguments: "{}"}
		if args, ok := part.call.get("args"); ok && p.raw[args.From] != 'n' {
			c.Arguments = string(args.of(p.raw))
		}
		sign(id)
		p.add(c, part.at)
	case isText && string(thought.of(p.raw)) == "true":
		t := tenfold.Reasoning{Text: text.text(p.raw)}
		if part.signature.To > 0 {
			t.Provider, t.Signature = "gemini", part.signature.text(p.raw)
		}
		p.add(t, part.at)
	case isText && (part.signature.To == 0 || text.To-text.From > 2):
		sign("")
		p.add(tenfold.AssistantMessage{Text: text.text(p.raw)}, part.at)
	default:
		p.add(tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: canonical(p.raw, part.at)}, part.at)
	}
}

// geminiResult reads what a tool gave.
func (p *pieces) geminiResult(part geminiPart, call string) error {
	text, failed, _, err := geminiOutput(p.raw, part.result)
	r := tenfold.ToolResult{CallID: call, IsError: failed}
	if text != "" {
		r.Parts = tenfold.Text(text)
	}
	p.add(r, part.at)
	return err
}

// geminiGiven reads another part of the user's.
func (p *pieces) geminiGiven(part geminiPart) error {
	if text, ok := part.f.get("text"); ok && text.isText(p.raw) {
		p.part(tenfold.TextPart(text.text(p.raw)), part.at)
		return nil
	}
	file := &tenfold.File{Type: tenfold.PartFile}
	if blob, ok := part.f.first("inlineData", "inline_data", "fileData", "file_data"); ok && p.raw[blob.From] == '{' {
		f, err := object(p.raw, blob)
		if err != nil {
			return err
		}
		text := func(names ...string) string {
			at, _ := f.first(names...)
			return at.text(p.raw)
		}
		file.MediaType, file.Name = text("mimeType", "mime_type"), text("displayName", "display_name")
		if file.URI = text("fileUri", "file_uri"); file.URI == "" {
			file.URI = "data:" + file.MediaType + ";base64," + text("data")
		}
		if strings.HasPrefix(file.MediaType, "image/") {
			file.Type = tenfold.PartImage
		}
		p.part(tenfold.Part{File: file}, part.at)
		return nil
	}
	p.add(tenfold.ProviderItem{Provider: "gemini", Role: "user", Data: canonical(p.raw, part.at)}, part.at)
	return nil
}

// geminiOutput gives what a tool gave: {"output": text} or {"error": text}, or any
// JSON as it is written; and the place of it.
func geminiOutput(raw []byte, result fields) (text string, failed bool, at Span, err error) {
	at, ok := result.get("response")
	if !ok {
		return "", false, at, nil
	}
	if at.isText(raw) {
		return at.text(raw), false, at, nil
	}
	if raw[at.From] == '{' {
		f, err := object(raw, at)
		if err != nil {
			return "", false, at, err
		}
		_, failed = f.get("error")
		if len(f) == 1 && (f[0].name == "output" || f[0].name == "error") && f[0].value.isText(raw) {
			return f[0].value.text(raw), failed, f[0].value, nil
		}
	}
	return canonical(raw, at), failed, at, nil
}
