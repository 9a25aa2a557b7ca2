package transcript

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// geminiContent is one content of a chat, or the one of a response.
type geminiContent struct {
	kind  jsontext.Kind
	role  string
	parts []geminiPart
	has   bool // it has a list of parts
	twice bool
}

// geminiPart is one part, with the places of its members.
type geminiPart struct {
	span
	kind                  jsontext.Kind
	text, signature       span
	thought               bool
	call, response        bool
	id, name              string
	args, answer          span
	output, failure       span // the only member of an answer, if it is one of these
	members               int  // of the answer
	media, uri, file      string
	data                  span
	inline, byURI, others bool
}

func (g *geminiContent) parse(s *scanner) {
	*g = geminiContent{kind: s.kind(), parts: g.parts[:0]}
	eachMember(s, func(name []byte) {
		switch {
		case string(name) == `"role"`:
			g.twice = g.twice || g.role != ""
			g.role = s.text()
		case string(name) == `"parts"` && s.kind() == '[':
			g.twice = g.twice || g.has
			g.has = true
			s.token()
			for s.more() {
				g.part(s)
			}
			s.token()
		default:
			s.value()
		}
	})
}

func (g *geminiContent) take(s *scanner, at *span) {
	g.twice = g.twice || at.found()
	*at = s.value()
}

func (g *geminiContent) part(s *scanner) {
	g.parts = append(g.parts, geminiPart{kind: s.kind()})
	p := &g.parts[len(g.parts)-1]
	if p.kind != '{' {
		p.span = s.value()
		return
	}
	s.token()
	p.from = int(s.offset()) - 1
	for s.more() {
		switch string(s.name()) {
		case `"text"`:
			g.take(s, &p.text)
		case `"thought"`:
			p.thought = s.flag()
		case `"thoughtSignature"`, `"thought_signature"`:
			g.take(s, &p.signature)
		case `"functionCall"`, `"function_call"`:
			g.twice, p.call = g.twice || p.call, s.kind() == '{'
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"id"`:
					p.id = s.text()
				case `"name"`:
					p.name = s.text()
				case `"args"`:
					g.take(s, &p.args)
				default:
					s.value()
				}
			})
		case `"functionResponse"`, `"function_response"`:
			g.twice, p.response = g.twice || p.response, s.kind() == '{'
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"id"`:
					p.id = s.text()
				case `"name"`:
					p.name = s.text()
				case `"response"`:
					g.answer(s, p)
				default:
					s.value()
				}
			})
		case `"inlineData"`, `"inline_data"`:
			p.inline = true
			g.blob(s, p)
		case `"fileData"`, `"file_data"`:
			p.byURI = true
			g.blob(s, p)
		case `"videoMetadata"`:
			s.value()
		default:
			p.others = true
			s.value()
		}
	}
	s.token()
	p.to = int(s.offset())
}

// answer reads what a tool gave: {"output": …} or {"error": …}, or any value.
func (g *geminiContent) answer(s *scanner, p *geminiPart) {
	if s.kind() != '{' {
		g.take(s, &p.answer)
		return
	}
	g.twice = g.twice || p.answer.found()
	s.token()
	p.answer.from = int(s.offset()) - 1
	for s.more() {
		p.members++
		name := string(s.name())
		at := s.value()
		switch name {
		case `"output"`:
			p.output = at
		case `"error"`:
			p.failure = at
		}
	}
	s.token()
	p.answer.to = int(s.offset())
}

func (g *geminiContent) blob(s *scanner, p *geminiPart) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"mimeType"`, `"mime_type"`:
			p.media = s.text()
		case `"data"`:
			g.take(s, &p.data)
		case `"fileUri"`, `"file_uri"`:
			p.uri = s.text()
		case `"displayName"`, `"display_name"`:
			p.file = s.text()
		default:
			s.value()
		}
	})
}

// result gives a tool's answer. A text alone is one; any other is its JSON.
func (p *geminiPart) result(w *contentWriter, callID string) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: callID, IsError: p.failure.found()}
	switch {
	case p.members == 1 && w.isString(p.output):
		r.Parts = textOrNone(w.text(p.output))
	case p.members == 1 && w.isString(p.failure):
		r.Parts = textOrNone(w.text(p.failure))
	case w.isString(p.answer):
		r.Parts = textOrNone(w.text(p.answer))
	case p.answer.found():
		r.Parts = tenfold.Text(w.whole(p.answer))
	}
	return r
}

func textOrNone(text string) []tenfold.Part {
	if text == "" {
		return nil
	}
	return tenfold.Text(text)
}

// given reads a user's part; false when it is one that only Gemini knows.
func (p *geminiPart) given(w *contentWriter) (tenfold.Part, bool) {
	f := &tenfold.File{Type: tenfold.PartFile, Name: p.file, MediaType: p.media}
	if len(p.media) > 6 && p.media[:6] == "image/" {
		f.Type = tenfold.PartImage
	}
	switch {
	case p.kind == '"':
		return tenfold.TextPart(w.text(p.span)), true
	case p.kind != '{':
		return tenfold.Part{}, false
	case w.isString(p.text):
		return tenfold.TextPart(w.text(p.text)), true
	case p.inline && w.isString(p.data):
		f.URI = "data:" + p.media + ";base64," + w.text(p.data)
	case p.byURI && p.uri != "":
		f.URI = p.uri
	default:
		return tenfold.Part{}, false
	}
	return tenfold.Part{File: f}, true
}

// said reads a model's part, after the signature that stands on it. own says
// that only Gemini knows it; an empty part that is none gives nothing.
func (p *geminiPart) said(w *contentWriter, calls *nameless) (payloads []tenfold.Payload, own bool) {
	signature := ""
	if w.isString(p.signature) {
		signature = w.text(p.signature)
	}
	switch {
	case p.kind != '{' || (!p.call && !w.isString(p.text)):
		drop(w, p.signature)
		if p.kind == '{' && len(p.of(w.raw)) > 2 {
			return []tenfold.Payload{tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: w.whole(p.span)}}, true
		}
		return nil, false
	case p.call:
		t := tenfold.ToolCall{CallID: calls.call(p.id, p.name), Name: p.name}
		if p.args.found() {
			t.Arguments = w.whole(p.args)
		}
		if signature != "" {
			payloads = append(payloads, tenfold.Reasoning{Provider: "gemini", Signature: signature, CallID: t.CallID})
		}
		return append(payloads, t), false
	case p.thought:
		r := tenfold.Reasoning{Text: w.text(p.text)}
		if signature != "" {
			r.Provider, r.Signature = "gemini", signature
		}
		return []tenfold.Payload{r}, false
	}
	if signature != "" {
		payloads = append(payloads, tenfold.Reasoning{Provider: "gemini", Signature: signature})
	}
	return append(payloads, tenfold.AssistantMessage{Text: w.text(p.text)}), false
}

// drop takes back the cut of a value that something larger holds.
func drop(w *contentWriter, at span) {
	for i := len(w.cuts) - 1; i >= 0; i-- {
		if w.cuts[i].span == at {
			w.cuts = append(w.cuts[:i], w.cuts[i+1:]...)
		}
	}
}
