package transcript

import (
	"github.com/go-json-experiment/json/jsontext"
)

// openCodeMessage is one message of opencode with its parts: places in the text
// {"info":…,"parts":[…]}, which the importer cuts values out of and the
// exporter fills again.
type openCodeMessage struct {
	raw   []byte
	kind  jsontext.Kind
	info  span
	parts span
	list  []openCodePart

	id, role, parent, model, finish string
	errorName, errorText            string
	system                          span
	created, completed              int
	summary                         bool
	tokens                          openCodeTokens
}

// openCodeTokens is what opencode counted of one response.
type openCodeTokens struct {
	input, output, reasoning, read, write int
	cost                                  span
}

// openCodePart is one part of a message.
type openCodePart struct {
	span
	kind jsontext.Kind

	id, typ, call, tool, status string
	text, input, output, failed span
	synthetic, ignored          bool
	start, end, compacted       int
	file                        openCodeFile
	files                       []openCodeFile
	opaque                      openCodeOpaque
	tokens                      openCodeTokens
	session, tail               string
	auto, interrupted           bool
	partial                     span // what an interrupted tool had said
}

// openCodeFile is a file part, or an attachment of a result.
type openCodeFile struct {
	mime, name string
	url        span
}

// openCodeOpaque is the opaque data that providers want back.
type openCodeOpaque struct {
	item                                    string
	signature, redacted, encrypted, thought span
}

// parse reads {"info":…,"parts":[…]}.
func (m *openCodeMessage) parse(s *scanner) {
	s.reset(m.raw)
	m.kind = s.kind()
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"info"`:
			m.info = within(s, func() { m.readInfo(s) })
		case `"parts"`:
			m.list = nil
			m.parts = within(s, func() {
				eachItem(s, func() {
					var p openCodePart
					p.kind = s.kind()
					p.span = within(s, func() { p.read(s) })
					m.list = append(m.list, p)
				})
			})
		default:
			s.value()
		}
	})
	s.end()
}

func (m *openCodeMessage) readInfo(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			m.id = s.text()
		case `"role"`:
			m.role = s.text()
		case `"parentID"`:
			m.parent = s.text()
		case `"modelID"`:
			m.model = s.text()
		case `"model"`:
			eachMember(s, func(name []byte) {
				if string(name) == `"modelID"` {
					m.model = s.text()
				} else {
					s.value()
				}
			})
		case `"finish"`:
			m.finish = s.text()
		case `"system"`:
			m.system = s.value()
		case `"summary"`:
			m.summary = s.flag() // of a user message it is an object
		case `"tokens"`:
			m.tokens.take(s)
		case `"cost"`:
			m.tokens.cost = s.value()
		case `"error"`:
			m.errorName = "error"
			m.readError(s)
		case `"time"`:
			eachMember(s, func(name []byte) {
				at := s.value()
				switch string(name) {
				case `"created"`:
					m.created = s.number(at)
				case `"completed"`:
					m.completed = s.number(at)
				}
			})
		default:
			s.value()
		}
	})
}

func (m *openCodeMessage) readError(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"name"`:
			m.errorName = s.text()
		case `"data"`:
			eachMember(s, func(name []byte) {
				if string(name) == `"message"` {
					m.errorText = s.text()
				} else {
					s.value()
				}
			})
		default:
			s.value()
		}
	})
}

func (t *openCodeTokens) take(s *scanner) {
	eachMember(s, func(name []byte) {
		if string(name) == `"cache"` {
			eachMember(s, func(name []byte) {
				at := s.value()
				switch string(name) {
				case `"read"`:
					t.read = s.number(at)
				case `"write"`:
					t.write = s.number(at)
				}
			})
			return
		}
		at := s.value()
		switch string(name) {
		case `"input"`:
			t.input = s.number(at)
		case `"output"`:
			t.output = s.number(at)
		case `"reasoning"`:
			t.reasoning = s.number(at)
		}
	})
}

func (p *openCodePart) read(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			p.id = s.text()
		case `"type"`:
			p.typ = s.text()
		case `"callID"`:
			p.call = s.text()
		case `"tool"`:
			p.tool = s.text()
		case `"text"`:
			p.text = s.value()
		case `"synthetic"`:
			p.synthetic = s.flag()
		case `"ignored"`:
			p.ignored = s.flag()
		case `"auto"`:
			p.auto = s.flag()
		case `"tail_start_id"`:
			p.tail = s.text()
		case `"mime"`:
			p.file.mime = s.text()
		case `"filename"`:
			p.file.name = s.text()
		case `"url"`:
			p.file.url = s.value()
		case `"time"`:
			p.readTime(s)
		case `"tokens"`:
			p.tokens.take(s)
		case `"cost"`:
			p.tokens.cost = s.value()
		case `"metadata"`:
			// One object for each provider, whatever its name.
			eachMember(s, func([]byte) { p.opaque.read(s) })
		case `"state"`:
			p.readState(s)
		default:
			s.value()
		}
	})
}

func (p *openCodePart) readTime(s *scanner) {
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"start"`:
			p.start = s.number(at)
		case `"end"`:
			p.end = s.number(at)
		case `"compacted"`:
			p.compacted = s.number(at)
		}
	})
}

func (p *openCodePart) readState(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"status"`:
			p.status = s.text()
		case `"input"`:
			p.input = s.value()
		case `"output"`:
			p.output = s.value()
		case `"error"`:
			p.failed = s.value()
		case `"time"`:
			p.readTime(s)
		case `"metadata"`:
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"sessionId"`:
					p.session = s.text()
				case `"interrupted"`:
					p.interrupted = s.flag()
				case `"output"`:
					p.partial = s.value()
				default:
					s.value()
				}
			})
		case `"attachments"`:
			p.files = nil
			eachItem(s, func() {
				var f openCodeFile
				eachMember(s, func(name []byte) {
					switch string(name) {
					case `"mime"`:
						f.mime = s.text()
					case `"filename"`:
						f.name = s.text()
					case `"url"`:
						f.url = s.value()
					default:
						s.value()
					}
				})
				p.files = append(p.files, f)
			})
		default:
			s.value()
		}
	})
}

func (o *openCodeOpaque) read(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"itemId"`:
			o.item = s.text()
		case `"signature"`:
			o.signature = s.value()
		case `"redactedData"`:
			o.redacted = s.value()
		case `"reasoningEncryptedContent"`:
			o.encrypted = s.value()
		case `"thoughtSignature"`:
			o.thought = s.value()
		default:
			s.value()
		}
	})
}
