package chatapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// GeminiContent is one content of a chat, or the one of a response.
type GeminiContent struct {
	Kind  jsontext.Kind
	Role  string
	Parts []GeminiPart
	Has   bool // it has a list of parts
	// Twice says that a member the importer models came twice, so that the text
	// has to speak for itself.
	Twice bool
}

// GeminiPart is one part, with the places of its members.
type GeminiPart struct {
	walk.Span
	Kind            jsontext.Kind
	Text, Signature walk.Span // a part may be a text and nothing else
	Thought         bool
	Call, Response  bool
	ID, Name        string
	Args, Answer    walk.Span
	// Output and Failure are texts that are all of an answer, one of which Fails.
	Output, Failure    walk.Span
	Fails              bool
	Media, URI, file   string
	Data               walk.Span
	inline, byURI, odd bool
}

func (g *GeminiContent) Parse(s *walk.Scanner) {
	*g = GeminiContent{Kind: s.Kind(), Parts: g.Parts[:0]}
	outside := s.Twice
	s.Twice = false
	walk.Shape{
		"role",
		walk.Once{Text: &g.Role},
		"parts", func() {
			if s.Kind() != '[' {
				s.Value()
				return
			}
			s.Once(&g.Has)
			g.Parts = ReadGeminiParts(s, g.Parts)
		},
	}.Read(s)
	g.Twice, s.Twice = s.Twice, outside
}

// ReadGeminiParts reads a list of parts, or the one that is there.
func ReadGeminiParts(s *walk.Scanner, into []GeminiPart) []GeminiPart {
	one := func() {
		into = append(into, GeminiPart{Kind: s.Kind()})
		p := &into[len(into)-1]
		p.Span = walk.Within(s, func() { p.read(s) })
		if p.Kind == '"' {
			p.Text = p.Span
		}
	}
	if s.Kind() == '[' {
		walk.EachItem(s, one)
	} else {
		one()
	}
	return into
}

// read reads a part, whose members Python's client spells in snake_case.
func (p *GeminiPart) read(s *walk.Scanner) {
	function := func(is *bool) func() {
		return func() {
			s.Twice = s.Twice || *is
			*is = s.Kind() == '{'
			p.function(s)
		}
	}
	file := func(is *bool) func() {
		return func() {
			*is = true
			walk.Shape{
				"mimeType", &p.Media, "mime_type", &p.Media, "data", &p.Data, "fileUri", &p.URI, "file_uri", &p.URI,
				"displayName", &p.file, "display_name", &p.file,
			}.Read(s)
		}
	}
	call, response, inline, byURI := function(&p.Call), function(&p.Response), file(&p.inline), file(&p.byURI)
	own := walk.Shape{
		"text", &p.Text,
		"thought", &p.Thought,
		"thoughtSignature", &p.Signature, "thought_signature", &p.Signature,
		"functionCall", call, "function_call", call,
		"functionResponse", response, "function_response", response,
		"inlineData", inline, "inline_data", inline,
		"fileData", byURI, "file_data", byURI,
		"videoMetadata", func() { s.Value() },
	}
	own.ReadAll(s, func([]byte) {
		p.odd = true
		s.Value()
	})
}

// function reads a call, or the answer to one.
func (p *GeminiPart) function(s *walk.Scanner) {
	walk.Shape{
		"id", &p.ID,
		"name", &p.Name,
		"args", &p.Args,
		"response", func() {
			s.Twice = s.Twice || p.Answer.Found()
			p.Answer = walk.Within(s, func() { p.readAnswer(s) })
		},
	}.Read(s)
}

// readAnswer reads what a tool gave: {"output": …} or {"error": …}, or any value.
func (p *GeminiPart) readAnswer(s *walk.Scanner) {
	var output, failure walk.Span
	members, fails := 0, false
	walk.Shape{
		"output", func() { members, output = members+1, s.Value() },
		"error", func() { members, failure, fails = members+1, s.Value(), true },
	}.ReadAll(s, func([]byte) {
		members++
		s.Value()
	})
	p.Fails = fails
	if members == 1 && s.Err == nil && s.Raw[output.From+failure.From] == '"' {
		p.Output, p.Failure = output, failure
	}
}

// Result gives a tool's answer. A text alone is one; any other is its JSON.
func (p *GeminiPart) Result(w *engine.Finder, callID string) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: callID, IsError: p.Fails}
	switch {
	case p.Output.Found():
		r.Parts = textOrNone(w.Text(p.Output))
	case p.Failure.Found():
		r.Parts = textOrNone(w.Text(p.Failure))
	case w.IsString(p.Answer):
		r.Parts = textOrNone(w.Text(p.Answer))
	case p.Answer.Found():
		r.Parts = tenfold.Text(w.Whole(p.Answer))
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
func (p *GeminiPart) Given(w *engine.Finder) (tenfold.Part, bool) {
	f := &tenfold.File{Type: tenfold.PartFile, Name: p.file, MediaType: p.Media}
	if len(p.Media) > 6 && p.Media[:6] == "image/" {
		f.Type = tenfold.PartImage
	}
	switch {
	case p.Kind == '"':
		return tenfold.TextPart(w.Text(p.Span)), true
	case p.Kind != '{':
		return tenfold.Part{}, false
	case w.IsString(p.Text):
		return tenfold.TextPart(w.Text(p.Text)), true
	case p.inline && w.IsString(p.Data):
		f.URI = engine.Inline(p.Media, w.Text(p.Data))
	case p.byURI && p.URI != "":
		f.URI = p.URI
	default:
		return tenfold.Part{}, false
	}
	return tenfold.Part{File: f}, true
}

// said reads a model's part, after the signature that stands on it. own says
// that only Gemini knows it; an empty part that is none gives nothing.
func (p *GeminiPart) said(w *engine.Finder, calls *Nameless) (payloads []tenfold.Payload, own bool) {
	signature := w.Text(p.Signature)
	switch {
	case p.Kind != '{' || (!p.Call && !w.IsString(p.Text)):
		drop(w, p.Signature)
		if p.Kind == '{' && len(p.Of(w.Raw)) > 2 {
			return []tenfold.Payload{tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: w.Whole(p.Span)}}, true
		}
		return nil, false
	case p.Call:
		t := tenfold.ToolCall{CallID: calls.call(p.ID, p.Name), Name: p.Name}
		if p.Args.Found() {
			t.Arguments = w.Whole(p.Args)
		}
		if signature != "" {
			payloads = append(payloads, tenfold.Reasoning{Provider: "gemini", Signature: signature, CallID: t.CallID})
		}
		return append(payloads, t), false
	case p.Thought:
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
func drop(w *engine.Finder, at walk.Span) {
	for i := len(w.Cuts) - 1; i >= 0; i-- {
		if w.Cuts[i].Span == at {
			w.Cuts = append(w.Cuts[:i], w.Cuts[i+1:]...)
		}
	}
}
