package opencode

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
)

// openCodeMessage is one message of opencode with its parts: places in the text
// {"info":…,"parts":[…]}, which the importer cuts values out of and the
// exporter fills again.
type openCodeMessage struct {
	raw   []byte
	kind  jsontext.Kind
	info  engine.Span
	parts engine.Span
	list  []openCodePart

	id, role, parent, model, finish string
	errorName, errorText            string
	system                          engine.Span
	created, completed              int
	summary                         bool
	tokens                          openCodeTokens
}

// openCodeTokens is what opencode counted of one response.
type openCodeTokens struct {
	input, output, reasoning, read, write int
	cost                                  engine.Span
}

// openCodePart is one part of a message.
type openCodePart struct {
	engine.Span
	kind jsontext.Kind

	id, typ, call, tool, status string
	text, input, output, failed engine.Span
	synthetic, ignored          bool
	start, end, compacted       int
	file                        openCodeFile
	files                       []openCodeFile
	opaque                      openCodeOpaque
	tokens                      openCodeTokens
	session, tail               string
	auto, interrupted           bool
	partial                     engine.Span // what an interrupted tool had said
}

// openCodeFile is a file part, or an attachment of a result.
type openCodeFile struct {
	mime, name string
	url        engine.Span
}

// openCodeOpaque is the opaque data that providers want back.
type openCodeOpaque struct {
	item                                    string
	signature, redacted, encrypted, thought engine.Span
}

// parse reads {"info":…,"parts":[…]}.
func (m *openCodeMessage) parse(s *engine.Scanner) {
	s.Reset(m.raw)
	m.kind = s.Kind()
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"info"`:
			m.info = engine.Within(s, func() { m.readInfo(s) })
		case `"parts"`:
			m.list = nil
			m.parts = engine.Within(s, func() {
				engine.EachItem(s, func() {
					var p openCodePart
					p.kind = s.Kind()
					p.Span = engine.Within(s, func() { p.read(s) })
					m.list = append(m.list, p)
				})
			})
		default:
			s.Value()
		}
	})
	s.End()
}

func (m *openCodeMessage) readInfo(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			m.id = s.Text()
		case `"role"`:
			m.role = s.Text()
		case `"parentID"`:
			m.parent = s.Text()
		case `"modelID"`:
			m.model = s.Text()
		case `"model"`:
			engine.EachMember(s, func(name []byte) {
				if string(name) == `"modelID"` {
					m.model = s.Text()
				} else {
					s.Value()
				}
			})
		case `"finish"`:
			m.finish = s.Text()
		case `"system"`:
			m.system = s.Value()
		case `"summary"`:
			m.summary = s.Flag() // of a user message it is an object
		case `"tokens"`:
			m.tokens.take(s)
		case `"cost"`:
			m.tokens.cost = s.Value()
		case `"error"`:
			m.errorName = "error"
			m.readError(s)
		case `"time"`:
			engine.EachMember(s, func(name []byte) {
				at := s.Value()
				switch string(name) {
				case `"created"`:
					m.created = s.Number(at)
				case `"completed"`:
					m.completed = s.Number(at)
				}
			})
		default:
			s.Value()
		}
	})
}

func (m *openCodeMessage) readError(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"name"`:
			m.errorName = s.Text()
		case `"data"`:
			engine.EachMember(s, func(name []byte) {
				if string(name) == `"message"` {
					m.errorText = s.Text()
				} else {
					s.Value()
				}
			})
		default:
			s.Value()
		}
	})
}

func (t *openCodeTokens) take(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		if string(name) == `"cache"` {
			engine.EachMember(s, func(name []byte) {
				at := s.Value()
				switch string(name) {
				case `"read"`:
					t.read = s.Number(at)
				case `"write"`:
					t.write = s.Number(at)
				}
			})
			return
		}
		at := s.Value()
		switch string(name) {
		case `"input"`:
			t.input = s.Number(at)
		case `"output"`:
			t.output = s.Number(at)
		case `"reasoning"`:
			t.reasoning = s.Number(at)
		}
	})
}

func (p *openCodePart) read(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			p.id = s.Text()
		case `"type"`:
			p.typ = s.Text()
		case `"callID"`:
			p.call = s.Text()
		case `"tool"`:
			p.tool = s.Text()
		case `"text"`:
			p.text = s.Value()
		case `"synthetic"`:
			p.synthetic = s.Flag()
		case `"ignored"`:
			p.ignored = s.Flag()
		case `"auto"`:
			p.auto = s.Flag()
		case `"tail_start_id"`:
			p.tail = s.Text()
		case `"mime"`:
			p.file.mime = s.Text()
		case `"filename"`:
			p.file.name = s.Text()
		case `"url"`:
			p.file.url = s.Value()
		case `"time"`:
			p.readTime(s)
		case `"tokens"`:
			p.tokens.take(s)
		case `"cost"`:
			p.tokens.cost = s.Value()
		case `"metadata"`:
			// One object for each provider, whatever its name.
			engine.EachMember(s, func([]byte) { p.opaque.read(s) })
		case `"state"`:
			p.readState(s)
		default:
			s.Value()
		}
	})
}

func (p *openCodePart) readTime(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		at := s.Value()
		switch string(name) {
		case `"start"`:
			p.start = s.Number(at)
		case `"end"`:
			p.end = s.Number(at)
		case `"compacted"`:
			p.compacted = s.Number(at)
		}
	})
}

func (p *openCodePart) readState(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"status"`:
			p.status = s.Text()
		case `"input"`:
			p.input = s.Value()
		case `"output"`:
			p.output = s.Value()
		case `"error"`:
			p.failed = s.Value()
		case `"time"`:
			p.readTime(s)
		case `"metadata"`:
			engine.EachMember(s, func(name []byte) {
				switch string(name) {
				case `"sessionId"`:
					p.session = s.Text()
				case `"interrupted"`:
					p.interrupted = s.Flag()
				case `"output"`:
					p.partial = s.Value()
				default:
					s.Value()
				}
			})
		case `"attachments"`:
			p.files = nil
			engine.EachItem(s, func() {
				var f openCodeFile
				engine.EachMember(s, func(name []byte) {
					switch string(name) {
					case `"mime"`:
						f.mime = s.Text()
					case `"filename"`:
						f.name = s.Text()
					case `"url"`:
						f.url = s.Value()
					default:
						s.Value()
					}
				})
				p.files = append(p.files, f)
			})
		default:
			s.Value()
		}
	})
}

func (o *openCodeOpaque) read(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"itemId"`:
			o.item = s.Text()
		case `"signature"`:
			o.signature = s.Value()
		case `"redactedData"`:
			o.redacted = s.Value()
		case `"reasoningEncryptedContent"`:
			o.encrypted = s.Value()
		case `"thoughtSignature"`:
			o.thought = s.Value()
		default:
			s.Value()
		}
	})
}
