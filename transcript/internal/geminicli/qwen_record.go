package geminicli

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
)

// qwenRecord is one line, with the places of what an importer reads.
type qwenRecord struct {
	raw   []byte
	kind  jsontext.Kind
	twice bool

	uuid, parent, session, stamp, typ, subtype, model, title string
	content                                                  chatapi.GeminiContent
	failed                                                   bool // a tool call
	usage                                                    geminiCLITokens
	history                                                  []chatapi.GeminiContent // of a compression
}

func (r *qwenRecord) parse(s *engine.Scanner, raw []byte) {
	*r = qwenRecord{raw: raw}
	s.Reset(raw)
	if r.kind = s.Kind(); r.kind != '{' {
		s.Value()
		s.End()
		return
	}
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"uuid"`:
			r.uuid = s.Text()
		case `"parentUuid"`:
			r.parent = s.Text()
		case `"sessionId"`:
			r.session = s.Text()
		case `"timestamp"`:
			r.stamp = s.Text()
		case `"type"`:
			r.typ = s.Text()
		case `"subtype"`:
			r.subtype = s.Text()
		case `"model"`:
			r.model = s.Text()
		case `"message"`:
			r.twice = r.twice || r.content.Kind != 0
			if s.Kind() != '{' {
				s.Value()
				return
			}
			r.content.Parse(s)
		case `"toolCallResult"`:
			engine.EachMember(s, func(name []byte) {
				if string(name) == `"status"` {
					r.failed = s.Text() == "error"
				} else {
					s.Value()
				}
			})
		case `"usageMetadata"`:
			r.tokens(s)
		case `"systemPayload"`:
			r.system(s)
		default:
			s.Value()
		}
	})
	s.End()
}

// tokens reads what a response cost, in the words of the API or of older
// releases.
func (r *qwenRecord) tokens(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		at := s.Value()
		switch string(name) {
		case `"promptTokenCount"`, `"input"`:
			r.usage.input = s.Number(at)
		case `"candidatesTokenCount"`, `"output"`:
			r.usage.output = s.Number(at)
		case `"cachedContentTokenCount"`, `"cached"`:
			r.usage.cached = s.Number(at)
		case `"thoughtsTokenCount"`, `"thoughts"`:
			r.usage.thoughts = s.Number(at)
		case `"toolUsePromptTokenCount"`, `"tool"`:
			r.usage.tool = s.Number(at)
		}
	})
}

func (r *qwenRecord) system(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"customTitle"`:
			r.title = s.Text()
		case `"compressedHistory"`:
			r.twice = r.twice || r.history != nil
			each(s, func() {
				r.history = append(r.history, chatapi.GeminiContent{})
				if g := &r.history[len(r.history)-1]; s.Kind() == '{' {
					g.Parse(s)
				} else {
					s.Value()
				}
			})
		default:
			s.Value()
		}
	})
}
