package chatapi

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// geminiRecording is the dialect of recorded Gemini responses: JSON lines
// {method, response}, where a streamed response is a list of chunks. They hold
// no user's side.
type geminiRecording struct{ gemini }

func recogniseGeminiRecording(h intake.Head) intake.Confidence {
	ours := 0
	for _, o := range h.JSON.Objects {
		if o.Has("method", "response") && (o.Inner["response"].Has("candidates") || slices.ContainsFunc(o.Items["response"], isGeminiChunk)) {
			ours++
		}
	}
	if h.JSON.Shape != intake.ShapeText && ours > 0 && 2*ours >= len(h.JSON.Objects) {
		return intake.Certain
	}
	return intake.No
}

func isGeminiChunk(o intake.Object) bool { return o.Has("candidates") || o.Has("usageMetadata") }

func (*geminiRecording) holds(string) bool { return false }

func (*geminiRecording) Alone(*ChatRecord) bool { return true }

func (d *geminiRecording) Message(c *Chat, raw []byte, id string) error {
	return d.respond(c, raw, id)
}

// geminiAnswer is a response, or the chunks of one.
type geminiAnswer struct {
	id, model string
	parts     []GeminiPart
	more      bool
	twice     bool
	counted   bool
	usage     tenfold.Usage
}

// read reads the response in raw: itself, in a member "response", in chunks.
func (a *geminiAnswer) read(s *walk.Scanner, raw []byte) {
	*a = geminiAnswer{parts: a.parts[:0]}
	s.Reset(raw)
	a.chunk(s, true)
}

func (a *geminiAnswer) chunk(s *walk.Scanner, outer bool) {
	if s.Kind() == '[' {
		walk.EachItem(s, func() { a.chunk(s, false) })
		return
	}
	walk.Shape{
		"response", func() {
			if outer {
				a.chunk(s, false)
				return
			}
			s.Value()
		},
		"candidates", func() { a.candidates(s) },
		"responseId", &a.id,
		"modelVersion", &a.model,
		"usageMetadata", func() { a.count(s) },
	}.Read(s)
}

func (a *geminiAnswer) candidates(s *walk.Scanner) {
	first := true
	walk.EachItem(s, func() {
		if !first {
			a.more = true
			s.Value()
			return
		}
		first = false
		walk.OneMember(s, "content", func() {
			g := GeminiContent{}
			g.Parse(s)
			a.parts = append(a.parts, g.Parts...)
			a.twice = a.twice || g.Twice
		})
	})
}

// count reads what a chunk reports: the last one counts.
func (a *geminiAnswer) count(s *walk.Scanner) {
	prompt, cached, said, thought := 0, 0, 0, 0
	a.counted = a.counted || s.Kind() == '{'
	walk.Shape{
		"promptTokenCount", &prompt,
		"cachedContentTokenCount", &cached,
		"candidatesTokenCount", &said,
		"thoughtsTokenCount", &thought,
	}.Read(s)
	a.usage = tenfold.Usage{Input: max(prompt-cached, 0), CacheRead: cached, Output: said + thought}
}

// said gives what the response says, texts and thoughts in pieces joined.
func (a *geminiAnswer) said(w *engine.Finder, calls *Nameless) (payloads []tenfold.Payload, own int) {
	for i := 0; i < len(a.parts); {
		n := 1
		for isPiece(w, &a.parts[i]) && i+n < len(a.parts) && isPiece(w, &a.parts[i+n]) && a.parts[i].Thought == a.parts[i+n].Thought {
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
func isPiece(w *engine.Finder, p *GeminiPart) bool {
	return p.Kind == '{' && !p.odd && !p.Call && !p.Response && !p.inline && !p.byURI && w.IsString(p.Text)
}

// joinPieces joins pieces; the places where they were joined are in the
// response only, so its texts stay there. The last signature counts.
func joinPieces(w *engine.Finder, parts []GeminiPart) []tenfold.Payload {
	cuts := w.Cuts
	var text strings.Builder
	signature := ""
	for i := range parts {
		text.WriteString(w.Text(parts[i].Text))
		if w.IsString(parts[i].Signature) {
			signature = w.Text(parts[i].Signature)
		}
	}
	w.Cuts = cuts
	r := tenfold.Reasoning{Signature: signature}
	if signature != "" {
		r.Provider = "gemini"
	}
	if parts[0].Thought {
		r.Text = text.String()
		return []tenfold.Payload{r}
	}
	if signature == "" {
		return []tenfold.Payload{tenfold.AssistantMessage{Text: text.String()}}
	}
	return []tenfold.Payload{r, tenfold.AssistantMessage{Text: text.String()}}
}
