package copilot

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
)

// Event is one event, with the places of what an importer reads.
type Event struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	typ, id, stamp, agent string

	session, source, role, model, newModel, selected, title, message, call, parentCall, tool, upTo string
	approved                                                                                       string
	success                                                                                        bool
	Content, Transformed, Reasoning, Opaque, Encrypted                                             engine.Span
	Arguments, Answer, Failed, Summary                                                             engine.Span
	hasResult                                                                                      bool
	before, after                                                                                  int
	output, input, cacheRead, cacheWrite                                                           int
	Attachments                                                                                    []copilotFile
	Requests                                                                                       []copilotRequest
	hasSuccess                                                                                     bool
}

// copilotRequest is a call that a message makes.
type copilotRequest struct {
	id, name  string
	Arguments engine.Span
}

// copilotFile is an attachment that carries its bytes.
type copilotFile struct {
	typ, mediaType, name string
	Data                 engine.Span
}

func (e *Event) Parse(s *engine.Scanner, raw []byte) {
	requests := e.Requests[:0]
	*e = Event{raw: raw, Requests: requests}
	s.Reset(raw)
	e.kind = s.Kind()
	seen := false
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			e.typ = s.Text()
		case `"id"`:
			e.id = s.Text()
		case `"timestamp"`:
			e.stamp = s.Text()
		case `"agentId"`:
			e.agent = s.Text()
		case `"data"`:
			e.twice = e.twice || seen
			seen = true
			engine.EachMember(s, func(name []byte) { e.member(s, name) })
		default:
			s.Value()
		}
	})
	s.End()
}

func (e *Event) take(s *engine.Scanner, at *engine.Span) {
	v := s.Value()
	e.twice = e.twice || at.Found()
	*at = v
}

// member reads a member of the data.
func (e *Event) member(s *engine.Scanner, name []byte) {
	switch string(name) {
	case `"sessionId"`:
		e.session = s.Text()
	case `"source"`:
		e.source = s.Text()
	case `"role"`:
		e.role = s.Text()
	case `"model"`:
		e.model = s.Text()
	case `"newModel"`:
		e.newModel = s.Text()
	case `"selectedModel"`:
		e.selected = s.Text()
	case `"title"`:
		e.title = s.Text()
	case `"messageId"`:
		e.message = s.Text()
	case `"toolCallId"`:
		e.call = s.Text()
	case `"parentToolCallId"`:
		e.parentCall = s.Text()
	case `"toolName"`:
		e.tool = s.Text()
	case `"upToEventId"`:
		e.upTo = s.Text()
	case `"success"`:
		e.hasSuccess = true
		e.success = s.Flag()
	case `"content"`:
		e.take(s, &e.Content)
	case `"transformedContent"`:
		e.take(s, &e.Transformed)
	case `"reasoningText"`:
		e.take(s, &e.Reasoning)
	case `"reasoningOpaque"`:
		e.take(s, &e.Opaque)
	case `"encryptedContent"`:
		e.take(s, &e.Encrypted)
	case `"summaryContent"`:
		e.take(s, &e.Summary)
	case `"arguments"`:
		e.take(s, &e.Arguments)
	case `"preCompactionTokens"`:
		e.before = s.Number(s.Value())
	case `"postCompactionTokens"`:
		e.after = s.Number(s.Value())
	case `"outputTokens"`:
		e.output = s.Number(s.Value())
	case `"inputTokens"`:
		e.input = s.Number(s.Value())
	case `"cacheReadTokens"`:
		e.cacheRead = s.Number(s.Value())
	case `"cacheWriteTokens"`:
		e.cacheWrite = s.Number(s.Value())
	case `"permissionRequest"`:
		engine.EachMember(s, func(name []byte) {
			if string(name) == `"toolCallId"` {
				e.call = s.Text()
			} else {
				s.Value()
			}
		})
	case `"result"`:
		e.hasResult = true
		engine.EachMember(s, func(name []byte) {
			switch string(name) {
			case `"content"`:
				e.take(s, &e.Answer)
			case `"kind"`:
				e.approved = s.Text()
			default:
				s.Value()
			}
		})
	case `"error"`:
		if s.Kind() != '{' {
			e.take(s, &e.Failed)
			return
		}
		engine.EachMember(s, func(name []byte) {
			if string(name) == `"message"` {
				e.take(s, &e.Failed)
			} else {
				s.Value()
			}
		})
	case `"toolRequests"`:
		e.list(s, func() { e.request(s) })
	case `"attachments"`:
		e.list(s, func() { e.attachment(s) })
	default:
		s.Value()
	}
}

// list walks over a list of objects.
func (e *Event) list(s *engine.Scanner, each func()) {
	if s.Kind() != '[' {
		s.Value()
		return
	}
	s.Token()
	for s.More() {
		each()
	}
	s.Token()
}

func (e *Event) request(s *engine.Scanner) {
	var r copilotRequest
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"toolCallId"`:
			r.id = s.Text()
		case `"name"`:
			r.name = s.Text()
		case `"arguments"`:
			e.take(s, &r.Arguments)
		default:
			s.Value()
		}
	})
	e.Requests = append(e.Requests, r)
}

func (e *Event) attachment(s *engine.Scanner) {
	var f copilotFile
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			f.typ = s.Text()
		case `"mimeType"`:
			f.mediaType = s.Text()
		case `"displayName"`:
			f.name = s.Text()
		case `"data"`:
			e.take(s, &f.Data)
		default:
			s.Value()
		}
	})
	e.Attachments = append(e.Attachments, f)
}
