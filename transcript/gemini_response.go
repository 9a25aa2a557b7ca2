package transcript

import (
	"context"
	"strings"

	"tenfold"
)

// geminiResponsesImporter reads recordings of Gemini's responses: JSON lines
// {method, response}, where a streamed response is a list of chunks. They hold
// no user's side.
type geminiResponsesImporter struct{}

func geminiResponsesHandler() handler {
	return handler{format: GeminiResponses, about: "recorded Gemini responses (*.responses)", importer: geminiResponsesImporter{}}
}

// Recognise implements [Importer].
func (geminiResponsesImporter) Recognise(h Head) Confidence {
	ours := 0
	for _, o := range h.json.objects {
		if o.has("method", "response") && (o.inner["response"].has("candidates") || hasCandidates(o.items["response"])) {
			ours++
		}
	}
	if h.json.shape != shapeText && ours > 0 && 2*ours >= len(h.json.objects) {
		return Certain
	}
	return No
}

func hasCandidates(chunks []object) bool {
	for _, o := range chunks {
		if o.has("candidates") || o.has("usageMetadata") {
			return true
		}
	}
	return false
}

// Import implements [Importer].
func (geminiResponsesImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, GeminiResponses, &geminiRecording{})
}

// geminiRecording is the dialect of recorded responses.
type geminiRecording struct{ gemini }

func (*geminiRecording) holds(string) bool { return false }

func (*geminiRecording) alone(*chatRecord) bool { return true }

func (d *geminiRecording) message(c *chat, raw []byte, id string) error {
	return d.respond(c, raw, id)
}

// geminiAnswer is a response, or the chunks of one.
type geminiAnswer struct {
	id, model string
	parts     []geminiPart
	more      bool
	twice     bool
	counted   bool
	usage     tenfold.Usage
}

// read reads the response in raw: itself, in a member "response", in chunks.
func (a *geminiAnswer) read(s *scanner, raw []byte) {
	*a = geminiAnswer{parts: a.parts[:0]}
	s.reset(raw)
	a.chunk(s, true)
}

func (a *geminiAnswer) chunk(s *scanner, outer bool) {
	if s.kind() == '[' {
		s.token()
		for s.more() {
			a.chunk(s, false)
		}
		s.token()
		return
	}
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"response"`:
			if outer {
				a.chunk(s, false)
				return
			}
			s.value()
		case `"candidates"`:
			a.candidates(s)
		case `"responseId"`:
			a.id = s.text()
		case `"modelVersion"`:
			a.model = s.text()
		case `"usageMetadata"`:
			a.count(s)
		default:
			s.value()
		}
	})
}

func (a *geminiAnswer) candidates(s *scanner) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for n := 0; s.more(); n++ {
		if n > 0 {
			a.more = true
			s.value()
			continue
		}
		eachMember(s, func(name []byte) {
			if string(name) != `"content"` {
				s.value()
				return
			}
			g := geminiContent{}
			g.parse(s)
			a.parts = append(a.parts, g.parts...)
			a.twice = a.twice || g.twice
		})
	}
	s.token()
}

// count reads what a chunk reports: the last one counts.
func (a *geminiAnswer) count(s *scanner) {
	prompt, cached, said, thought := 0, 0, 0, 0
	a.counted = a.counted || s.kind() == '{'
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"promptTokenCount"`:
			prompt = s.number(at)
		case `"cachedContentTokenCount"`:
			cached = s.number(at)
		case `"candidatesTokenCount"`:
			said = s.number(at)
		case `"thoughtsTokenCount"`:
			thought = s.number(at)
		}
	})
	a.usage = tenfold.Usage{Input: max(prompt-cached, 0), CacheRead: cached, Output: said + thought}
}

// said gives what the response says, texts and thoughts in pieces joined.
func (a *geminiAnswer) said(w *contentWriter, calls *nameless) (payloads []tenfold.Payload, own int) {
	for i := 0; i < len(a.parts); {
		n := 1
		for isPiece(w, &a.parts[i]) && i+n < len(a.parts) && isPiece(w, &a.parts[i+n]) && a.parts[i].thought == a.parts[i+n].thought {
			n++
		}
		if n == 1 {
			some, only := a.parts[i].said(w, calls)
			if payloads = append(payloads, some...); only {
				own++
			}
		} else {
			payloads = append(payloads, joinPieces(w, a.parts[i:i+n])...)
		}
		i += n
	}
	return payloads, own
}

// isPiece reports whether a part is nothing but text, signed or not.
func isPiece(w *contentWriter, p *geminiPart) bool {
	return p.kind == '{' && !p.others && !p.call && !p.response && !p.inline && !p.byURI && w.isString(p.text)
}

// joinPieces joins pieces; the places where they were joined are in the
// response only, so its texts stay there. The last signature counts.
func joinPieces(w *contentWriter, parts []geminiPart) []tenfold.Payload {
	cuts := w.cuts
	var text strings.Builder
	signature := ""
	for i := range parts {
		text.WriteString(w.text(parts[i].text))
		if w.isString(parts[i].signature) {
			signature = w.text(parts[i].signature)
		}
	}
	w.cuts = cuts
	r := tenfold.Reasoning{Signature: signature}
	if signature != "" {
		r.Provider = "gemini"
	}
	if parts[0].thought {
		r.Text = text.String()
		return []tenfold.Payload{r}
	}
	if signature == "" {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: text.String()}}
	}
	return []tenfold.Payload{r, tenfold.AssistantMessage{Text: text.String()}}
}
