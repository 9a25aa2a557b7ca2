package transcript

import (
	"github.com/go-json-experiment/json/jsontext"
)

// qwenRecord is one line, with the places of what an importer reads.
type qwenRecord struct {
	raw   []byte
	kind  jsontext.Kind
	twice bool

	uuid, parent, session, stamp, typ, subtype, model, title string
	content                                                  geminiContent
	failed                                                   bool // a tool call
	usage                                                    geminiCLITokens
	history                                                  []geminiContent // of a compression
}

func (r *qwenRecord) parse(s *scanner, raw []byte) {
	*r = qwenRecord{raw: raw}
	s.reset(raw)
	if r.kind = s.kind(); r.kind != '{' {
		s.value()
		s.end()
		return
	}
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"uuid"`:
			r.uuid = s.text()
		case `"parentUuid"`:
			r.parent = s.text()
		case `"sessionId"`:
			r.session = s.text()
		case `"timestamp"`:
			r.stamp = s.text()
		case `"type"`:
			r.typ = s.text()
		case `"subtype"`:
			r.subtype = s.text()
		case `"model"`:
			r.model = s.text()
		case `"message"`:
			r.twice = r.twice || r.content.kind != 0
			if s.kind() != '{' {
				s.value()
				return
			}
			r.content.parse(s)
		case `"toolCallResult"`:
			eachMember(s, func(name []byte) {
				if string(name) == `"status"` {
					r.failed = s.text() == "error"
				} else {
					s.value()
				}
			})
		case `"usageMetadata"`:
			r.tokens(s)
		case `"systemPayload"`:
			r.system(s)
		default:
			s.value()
		}
	})
	s.end()
}

// tokens reads what a response cost, in the words of the API or of older
// releases.
func (r *qwenRecord) tokens(s *scanner) {
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"promptTokenCount"`, `"input"`:
			r.usage.input = s.number(at)
		case `"candidatesTokenCount"`, `"output"`:
			r.usage.output = s.number(at)
		case `"cachedContentTokenCount"`, `"cached"`:
			r.usage.cached = s.number(at)
		case `"thoughtsTokenCount"`, `"thoughts"`:
			r.usage.thoughts = s.number(at)
		case `"toolUsePromptTokenCount"`, `"tool"`:
			r.usage.tool = s.number(at)
		}
	})
}

func (r *qwenRecord) system(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"customTitle"`:
			r.title = s.text()
		case `"compressedHistory"`:
			r.twice = r.twice || r.history != nil
			each(s, func() {
				r.history = append(r.history, geminiContent{})
				if g := &r.history[len(r.history)-1]; s.kind() == '{' {
					g.parse(s)
				} else {
					s.value()
				}
			})
		default:
			s.value()
		}
	})
}
