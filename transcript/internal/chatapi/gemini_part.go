package chatapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// GeminiContent is one content of a chat, or the one of a response.
type GeminiContent struct {
	Kind  jsontext.Kind
	Role  string
	Parts []geminiPart
	Has   bool // it has a list of parts
	Once
}

// geminiPart is one part, with the places of its members.
type geminiPart struct {
	engine.Span
	Kind                  jsontext.Kind
	Text, signature       engine.Span
	thought               bool
	call, Response        bool
	ID, Name              string
	args, answer          engine.Span
	output, failure       engine.Span // the only member of an answer, if it is one of these
	members               int         // of the answer
	media, uri, file      string
	data                  engine.Span
	inline, byURI, others bool
}

func (g *GeminiContent) Parse(s *engine.Scanner) {
	*g = GeminiContent{Kind: s.Kind(), Parts: g.Parts[:0]}
	engine.EachMember(s, func(name []byte) {
		switch {
		case string(name) == `"role"`:
			g.Twice = g.Twice || g.Role != ""
			g.Role = s.Text()
		case string(name) == `"parts"` && s.Kind() == '[':
			g.Twice = g.Twice || g.Has
			g.Has = true
			engine.EachItem(s, func() {
				g.Parts = append(g.Parts, geminiPart{Kind: s.Kind()})
				p := &g.Parts[len(g.Parts)-1]
				p.Span = engine.Within(s, func() { g.part(s, p) })
			})
		default:
			s.Value()
		}
	})
}

func (g *GeminiContent) part(s *engine.Scanner, p *geminiPart) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"text"`:
			g.take(s, &p.Text)
		case `"thought"`:
			p.thought = s.Flag()
		case `"thoughtSignature"`, `"thought_signature"`:
			g.take(s, &p.signature)
		case `"functionCall"`, `"function_call"`:
			g.Twice, p.call = g.Twice || p.call, s.Kind() == '{'
			g.function(s, p)
		case `"functionResponse"`, `"function_response"`:
			g.Twice, p.Response = g.Twice || p.Response, s.Kind() == '{'
			g.function(s, p)
		case `"inlineData"`, `"inline_data"`:
			p.inline = true
			g.blob(s, p)
		case `"fileData"`, `"file_data"`:
			p.byURI = true
			g.blob(s, p)
		case `"videoMetadata"`:
			s.Value()
		default:
			p.others = true
			s.Value()
		}
	})
}

// function reads a call, or the answer to one.
func (g *GeminiContent) function(s *engine.Scanner, p *geminiPart) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			p.ID = s.Text()
		case `"name"`:
			p.Name = s.Text()
		case `"args"`:
			g.take(s, &p.args)
		case `"response"`:
			g.note(&p.answer, engine.Within(s, func() { p.output, p.failure, p.members = answer(s) }))
		default:
			s.Value()
		}
	})
}

// answer reads what a tool gave: {"output": …} or {"error": …}, or any value.
func answer(s *engine.Scanner) (output, failure engine.Span, members int) {
	engine.EachMember(s, func(name []byte) {
		members++
		switch string(name) {
		case `"output"`:
			output = s.Value()
		case `"error"`:
			failure = s.Value()
		default:
			s.Value()
		}
	})
	return output, failure, members
}

func (g *GeminiContent) blob(s *engine.Scanner, p *geminiPart) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"mimeType"`, `"mime_type"`:
			p.media = s.Text()
		case `"data"`:
			g.take(s, &p.data)
		case `"fileUri"`, `"file_uri"`:
			p.uri = s.Text()
		case `"displayName"`, `"display_name"`:
			p.file = s.Text()
		default:
			s.Value()
		}
	})
}

// Result gives a tool's answer. A text alone is one; any other is its JSON.
func (p *geminiPart) Result(w *engine.Finder, callID string) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: callID, IsError: p.failure.Found()}
	switch {
	case p.members == 1 && w.IsString(p.output):
		r.Parts = textOrNone(w.Text(p.output))
	case p.members == 1 && w.IsString(p.failure):
		r.Parts = textOrNone(w.Text(p.failure))
	case w.IsString(p.answer):
		r.Parts = textOrNone(w.Text(p.answer))
	case p.answer.Found():
		r.Parts = tenfold.Text(w.Whole(p.answer))
	}
	return r
}

func textOrNone(text string) []tenfold.Part {
	if text == "" {
		return nil
	}
	return tenfold.Text(text)
}

// Given reads a user's part; false when it is one that only Gemini knows.
func (p *geminiPart) Given(w *engine.Finder) (tenfold.Part, bool) {
	f := &tenfold.File{Type: tenfold.PartFile, Name: p.file, MediaType: p.media}
	if len(p.media) > 6 && p.media[:6] == "image/" {
		f.Type = tenfold.PartImage
	}
	switch {
	case p.Kind == '"':
		return tenfold.TextPart(w.Text(p.Span)), true
	case p.Kind != '{':
		return tenfold.Part{}, false
	case w.IsString(p.Text):
		return tenfold.TextPart(w.Text(p.Text)), true
	case p.inline && w.IsString(p.data):
		f.URI = "data:" + p.media + ";base64," + w.Text(p.data)
	case p.byURI && p.uri != "":
		f.URI = p.uri
	default:
		return tenfold.Part{}, false
	}
	return tenfold.Part{File: f}, true
}

// said reads a model's part, after the signature that stands on it. own says
// that only Gemini knows it; an empty part that is none gives nothing.
func (p *geminiPart) said(w *engine.Finder, calls *Nameless) (payloads []tenfold.Payload, own bool) {
	signature := ""
	if w.IsString(p.signature) {
		signature = w.Text(p.signature)
	}
	switch {
	case p.Kind != '{' || (!p.call && !w.IsString(p.Text)):
		drop(w, p.signature)
		if p.Kind == '{' && len(p.Of(w.Raw)) > 2 {
			return []tenfold.Payload{tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: w.Whole(p.Span)}}, true
		}
		return nil, false
	case p.call:
		t := tenfold.ToolCall{CallID: calls.call(p.ID, p.Name), Name: p.Name}
		if p.args.Found() {
			t.Arguments = w.Whole(p.args)
		}
		if signature != "" {
			payloads = append(payloads, tenfold.Reasoning{Provider: "gemini", Signature: signature, CallID: t.CallID})
		}
		return append(payloads, t), false
	case p.thought:
		r := tenfold.Reasoning{Text: w.Text(p.Text)}
		if signature != "" {
			r.Provider, r.Signature = "gemini", signature
		}
		return []tenfold.Payload{r}, false
	}
	if signature != "" {
		payloads = append(payloads, tenfold.Reasoning{Provider: "gemini", Signature: signature})
	}
	return append(payloads, tenfold.AssistantMessage{Text: w.Text(p.Text)}), false
}

// drop takes back the cut of a value that something larger holds.
func drop(w *engine.Finder, at engine.Span) {
	for i := len(w.Cuts) - 1; i >= 0; i-- {
		if w.Cuts[i].Span == at {
			w.Cuts = append(w.Cuts[:i], w.Cuts[i+1:]...)
		}
	}
}
