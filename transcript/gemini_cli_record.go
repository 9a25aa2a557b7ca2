package transcript

import (
	"github.com/go-json-experiment/json/jsontext"
)

// geminiCLIRecord is one line, or the document, with the places of what an
// importer reads.
type geminiCLIRecord struct {
	raw  []byte
	kind jsontext.Kind

	session, start, summary string
	agent                   bool // of a sub-agent
	rewindTo                span
	set                     bool
	list                    span // of messages
	messages                []geminiCLIMessage
	msg                     geminiCLIMessage // the record itself
}

// geminiCLIMessage is one message.
type geminiCLIMessage struct {
	span
	twice                 bool
	worded                bool // its calls stand among its parts
	id, typ, stamp, model string
	content               span
	parts                 []geminiCLIPart // nil unless content is a list
	thoughts              []geminiCLIThought
	calls                 []geminiCLICall
	tokens                geminiCLITokens
}

type geminiCLIThought struct {
	subject     string
	description span
}

type geminiCLICall struct {
	id, name, status string
	args             span
	result           []geminiCLIPart
}

// geminiCLIPart is a part of Gemini's API.
type geminiCLIPart struct {
	span
	kind                      jsontext.Kind
	text, data, signature     span
	thought                   bool
	mediaType, uri            string
	inline                    bool
	call, response            bool
	id, name                  string
	args, output, fault, body span
}

type geminiCLITokens struct {
	found                                 bool
	input, output, cached, thoughts, tool int
}

func (r *geminiCLIRecord) parse(s *scanner, raw []byte) {
	*r = geminiCLIRecord{raw: raw}
	s.reset(raw)
	r.kind = s.kind()
	if r.kind != '{' {
		s.value()
		s.end()
		return
	}
	r.msg = geminiCLIObject(s, func(m *geminiCLIMessage, name []byte) bool {
		if string(name) == `"$set"` && s.kind() == '{' {
			r.set = true
			eachMember(s, func(name []byte) {
				if !r.member(s, name) {
					s.value()
				}
			})
			return true
		}
		if string(name) == `"$rewindTo"` {
			r.rewindTo = s.value()
			return true
		}
		return r.member(s, name)
	})
	s.end()
}

// member reads a member of a session.
func (r *geminiCLIRecord) member(s *scanner, name []byte) bool {
	switch string(name) {
	case `"sessionId"`:
		r.session = s.text()
	case `"startTime"`:
		r.start = s.text()
	case `"summary"`:
		r.summary = s.text()
	case `"kind"`:
		r.agent = s.text() == "subagent"
	case `"messages"`:
		if s.kind() != '[' {
			return false
		}
		s.token()
		from := int(s.offset()) - 1
		r.messages = []geminiCLIMessage{}
		for s.more() {
			if s.kind() == '{' {
				r.messages = append(r.messages, geminiCLIObject(s, nil))
				continue
			}
			at := s.value()
			r.messages = append(r.messages, geminiCLIMessage{span: at, twice: true})
		}
		s.token()
		r.list = span{from, int(s.offset())}
	default:
		return false
	}
	return true
}

// geminiCLIObject reads a message; other reads what else may stand in it.
func geminiCLIObject(s *scanner, other func(m *geminiCLIMessage, name []byte) bool) geminiCLIMessage {
	var m geminiCLIMessage
	s.token()
	m.from = int(s.offset()) - 1
	for s.more() {
		name := s.name()
		switch string(name) {
		case `"id"`:
			m.id = s.text()
		case `"type"`:
			m.typ = s.text()
		case `"timestamp"`:
			m.stamp = s.text()
		case `"model"`:
			m.model = s.text()
		case `"content"`:
			m.twice = m.twice || m.content.found()
			if s.kind() == '[' {
				m.content = span{0, 1}
				m.parts = geminiCLIParts(s, &m.twice)
				continue
			}
			m.content = s.value()
		case `"thoughts"`:
			m.twice = m.twice || m.thoughts != nil
			each(s, func() { m.thoughts = append(m.thoughts, geminiCLIThoughtOf(s, &m.twice)) })
		case `"toolCalls"`:
			m.twice = m.twice || m.calls != nil
			each(s, func() { m.calls = append(m.calls, geminiCLICallOf(s, &m.twice)) })
		case `"tokens"`:
			m.tokens = geminiCLITokensOf(s)
		default:
			if s.err != nil || other == nil || !other(&m, name) {
				s.value()
			}
		}
	}
	s.token()
	m.to = int(s.offset())
	return m
}

// each walks over a list; f has to read one value.
func each(s *scanner, f func()) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for s.more() {
		f()
	}
	s.token()
}

// once reads a value whose place is to be had once.
func once(s *scanner, at *span, twice *bool) {
	v := s.value()
	*twice = *twice || at.found()
	*at = v
}

func geminiCLIThoughtOf(s *scanner, twice *bool) geminiCLIThought {
	var t geminiCLIThought
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"subject"`:
			t.subject = s.text()
		case `"description"`:
			once(s, &t.description, twice)
		default:
			s.value()
		}
	})
	return t
}

func geminiCLICallOf(s *scanner, twice *bool) geminiCLICall {
	var c geminiCLICall
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			c.id = s.text()
		case `"name"`:
			c.name = s.text()
		case `"status"`:
			c.status = s.text()
		case `"args"`:
			once(s, &c.args, twice)
		case `"result"`:
			*twice = *twice || c.result != nil
			if s.kind() == '[' {
				c.result = geminiCLIParts(s, twice)
				return
			}
			at := s.value()
			if s.err == nil && s.raw[at.from] != 'n' {
				c.result = []geminiCLIPart{geminiCLIBare(s, at)}
			}
		default:
			s.value()
		}
	})
	return c
}

// geminiCLIBare is a part that is no object: a text says itself.
func geminiCLIBare(s *scanner, at span) geminiCLIPart {
	p := geminiCLIPart{span: at}
	if s.err == nil {
		p.kind = jsontext.Kind(s.raw[at.from])
	}
	if p.kind == '"' {
		p.text = at
	}
	return p
}

// geminiCLIParts reads a list of parts. It never gives nil.
func geminiCLIParts(s *scanner, twice *bool) []geminiCLIPart {
	parts := []geminiCLIPart{}
	each(s, func() {
		if s.kind() != '{' {
			parts = append(parts, geminiCLIBare(s, s.value()))
			return
		}
		p := geminiCLIPart{kind: '{'}
		s.token()
		p.from = int(s.offset()) - 1
		for s.more() {
			switch string(s.name()) {
			case `"text"`:
				once(s, &p.text, twice)
			case `"thought"`:
				p.thought = s.flag()
			case `"thoughtSignature"`:
				once(s, &p.signature, twice)
			case `"inlineData"`:
				p.inline = true
				eachMember(s, func(name []byte) {
					switch string(name) {
					case `"mimeType"`:
						p.mediaType = s.text()
					case `"data"`:
						once(s, &p.data, twice)
					default:
						s.value()
					}
				})
			case `"fileData"`:
				eachMember(s, func(name []byte) {
					switch string(name) {
					case `"mimeType"`:
						p.mediaType = s.text()
					case `"fileUri"`:
						p.uri = s.text()
					default:
						s.value()
					}
				})
			case `"functionCall"`:
				p.call = true
				p.function(s, twice)
			case `"functionResponse"`:
				p.response = true
				p.function(s, twice)
			default:
				s.value()
			}
		}
		s.token()
		p.to = int(s.offset())
		parts = append(parts, p)
	})
	return parts
}

// function reads a call or a response.
func (p *geminiCLIPart) function(s *scanner, twice *bool) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			p.id = s.text()
		case `"name"`:
			p.name = s.text()
		case `"args"`:
			once(s, &p.args, twice)
		case `"response"`:
			*twice = *twice || p.body.found()
			if s.kind() != '{' {
				p.body = s.value()
				return
			}
			s.token()
			from := int(s.offset()) - 1
			n := 0
			for s.more() {
				n++
				switch string(s.name()) {
				case `"output"`:
					once(s, &p.output, twice)
				case `"error"`:
					once(s, &p.fault, twice)
				default:
					n = 2
					s.value()
				}
			}
			s.token()
			p.body = span{from, int(s.offset())}
			if n != 1 || s.err != nil || s.raw[(p.output.from+p.fault.from)] != '"' {
				p.output, p.fault = span{}, span{} // more than a text: the whole is the result
			}
		default:
			s.value()
		}
	})
}

func geminiCLITokensOf(s *scanner) geminiCLITokens {
	t := geminiCLITokens{found: s.kind() == '{'}
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"input"`:
			t.input = s.number(at)
		case `"output"`:
			t.output = s.number(at)
		case `"cached"`:
			t.cached = s.number(at)
		case `"thoughts"`:
			t.thoughts = s.number(at)
		case `"tool"`:
			t.tool = s.number(at)
		}
	})
	return t
}
