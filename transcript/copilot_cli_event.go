package transcript

import (
	"github.com/go-json-experiment/json/jsontext"
)

// copilotEvent is one event, with the places of what an importer reads.
type copilotEvent struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	typ, id, stamp, agent string

	session, source, role, model, newModel, selected, title, message, call, parentCall, tool, upTo string
	approved                                                                                       string
	success                                                                                        bool
	content, transformed, reasoning, opaque, encrypted                                             span
	arguments, answer, failed, summary                                                             span
	hasResult                                                                                      bool
	before, after                                                                                  int
	output, input, cacheRead, cacheWrite                                                           int
	attachments                                                                                    []copilotFile
	requests                                                                                       []copilotRequest
	hasSuccess                                                                                     bool
}

// copilotRequest is a call that a message makes.
type copilotRequest struct {
	id, name  string
	arguments span
}

// copilotFile is an attachment that carries its bytes.
type copilotFile struct {
	typ, mediaType, name string
	data                 span
}

func (e *copilotEvent) parse(s *scanner, raw []byte) {
	requests := e.requests[:0]
	*e = copilotEvent{raw: raw, requests: requests}
	s.reset(raw)
	e.kind = s.kind()
	seen := false
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			e.typ = s.text()
		case `"id"`:
			e.id = s.text()
		case `"timestamp"`:
			e.stamp = s.text()
		case `"agentId"`:
			e.agent = s.text()
		case `"data"`:
			e.twice = e.twice || seen
			seen = true
			eachMember(s, func(name []byte) { e.member(s, name) })
		default:
			s.value()
		}
	})
	s.end()
}

func (e *copilotEvent) take(s *scanner, at *span) {
	v := s.value()
	e.twice = e.twice || at.found()
	*at = v
}

// member reads a member of the data.
func (e *copilotEvent) member(s *scanner, name []byte) {
	switch string(name) {
	case `"sessionId"`:
		e.session = s.text()
	case `"source"`:
		e.source = s.text()
	case `"role"`:
		e.role = s.text()
	case `"model"`:
		e.model = s.text()
	case `"newModel"`:
		e.newModel = s.text()
	case `"selectedModel"`:
		e.selected = s.text()
	case `"title"`:
		e.title = s.text()
	case `"messageId"`:
		e.message = s.text()
	case `"toolCallId"`:
		e.call = s.text()
	case `"parentToolCallId"`:
		e.parentCall = s.text()
	case `"toolName"`:
		e.tool = s.text()
	case `"upToEventId"`:
		e.upTo = s.text()
	case `"success"`:
		e.hasSuccess = true
		e.success = s.flag()
	case `"content"`:
		e.take(s, &e.content)
	case `"transformedContent"`:
		e.take(s, &e.transformed)
	case `"reasoningText"`:
		e.take(s, &e.reasoning)
	case `"reasoningOpaque"`:
		e.take(s, &e.opaque)
	case `"encryptedContent"`:
		e.take(s, &e.encrypted)
	case `"summaryContent"`:
		e.take(s, &e.summary)
	case `"arguments"`:
		e.take(s, &e.arguments)
	case `"preCompactionTokens"`:
		e.before = s.number(s.value())
	case `"postCompactionTokens"`:
		e.after = s.number(s.value())
	case `"outputTokens"`:
		e.output = s.number(s.value())
	case `"inputTokens"`:
		e.input = s.number(s.value())
	case `"cacheReadTokens"`:
		e.cacheRead = s.number(s.value())
	case `"cacheWriteTokens"`:
		e.cacheWrite = s.number(s.value())
	case `"permissionRequest"`:
		eachMember(s, func(name []byte) {
			if string(name) == `"toolCallId"` {
				e.call = s.text()
			} else {
				s.value()
			}
		})
	case `"result"`:
		e.hasResult = true
		eachMember(s, func(name []byte) {
			switch string(name) {
			case `"content"`:
				e.take(s, &e.answer)
			case `"kind"`:
				e.approved = s.text()
			default:
				s.value()
			}
		})
	case `"error"`:
		if s.kind() != '{' {
			e.take(s, &e.failed)
			return
		}
		eachMember(s, func(name []byte) {
			if string(name) == `"message"` {
				e.take(s, &e.failed)
			} else {
				s.value()
			}
		})
	case `"toolRequests"`:
		e.list(s, func() { e.request(s) })
	case `"attachments"`:
		e.list(s, func() { e.attachment(s) })
	default:
		s.value()
	}
}

// list walks over a list of objects.
func (e *copilotEvent) list(s *scanner, each func()) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for s.more() {
		each()
	}
	s.token()
}

func (e *copilotEvent) request(s *scanner) {
	var r copilotRequest
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"toolCallId"`:
			r.id = s.text()
		case `"name"`:
			r.name = s.text()
		case `"arguments"`:
			e.take(s, &r.arguments)
		default:
			s.value()
		}
	})
	e.requests = append(e.requests, r)
}

func (e *copilotEvent) attachment(s *scanner) {
	var f copilotFile
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			f.typ = s.text()
		case `"mimeType"`:
			f.mediaType = s.text()
		case `"displayName"`:
			f.name = s.text()
		case `"data"`:
			e.take(s, &f.data)
		default:
			s.value()
		}
	})
	e.attachments = append(e.attachments, f)
}
