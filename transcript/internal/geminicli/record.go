package geminicli

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
)

// Record is one line, or the document, with the places of what an
// importer reads.
type Record struct {
	raw  []byte
	kind jsontext.Kind

	session, start, summary string
	agent                   bool // of a sub-agent
	rewindTo                engine.Span
	set                     bool
	list                    engine.Span // of messages
	messages                []geminiCLIMessage
	Msg                     geminiCLIMessage // the record itself
}

// geminiCLIMessage is one message.
type geminiCLIMessage struct {
	engine.Span
	twice                 bool
	worded                bool // its calls stand among its parts
	id, typ, stamp, model string
	Content               engine.Span
	Parts                 []Part // nil unless content is a list
	Thoughts              []geminiCLIThought
	Calls                 []geminiCLICall
	tokens                geminiCLITokens
}

type geminiCLIThought struct {
	Subject     string
	Description engine.Span
}

type geminiCLICall struct {
	id, name, status string
	Args             engine.Span
	Result           []Part
}

// Part is a part of Gemini's API.
type Part struct {
	engine.Span
	kind                      jsontext.Kind
	Text, Data, Signature     engine.Span
	Thought                   bool
	mediaType, uri            string
	inline                    bool
	Call, Response            bool
	ID, name                  string
	Args, Output, Fault, Body engine.Span
}

type geminiCLITokens struct {
	found                                 bool
	input, output, cached, thoughts, tool int
}

func (r *Record) Parse(s *engine.Scanner, raw []byte) {
	*r = Record{raw: raw}
	s.Reset(raw)
	r.kind = s.Kind()
	if r.kind != '{' {
		s.Value()
		s.End()
		return
	}
	r.Msg = geminiCLIObject(s, func(m *geminiCLIMessage, name []byte) bool {
		if string(name) == `"$set"` && s.Kind() == '{' {
			r.set = true
			engine.EachMember(s, func(name []byte) {
				if !r.member(s, name) {
					s.Value()
				}
			})
			return true
		}
		if string(name) == `"$rewindTo"` {
			r.rewindTo = s.Value()
			return true
		}
		return r.member(s, name)
	})
	s.End()
}

// member reads a member of a session.
func (r *Record) member(s *engine.Scanner, name []byte) bool {
	switch string(name) {
	case `"sessionId"`:
		r.session = s.Text()
	case `"startTime"`:
		r.start = s.Text()
	case `"summary"`:
		r.summary = s.Text()
	case `"kind"`:
		r.agent = s.Text() == "subagent"
	case `"messages"`:
		if s.Kind() != '[' {
			return false
		}
		s.Token()
		from := int(s.Offset()) - 1
		r.messages = []geminiCLIMessage{}
		for s.More() {
			if s.Kind() == '{' {
				r.messages = append(r.messages, geminiCLIObject(s, nil))
				continue
			}
			at := s.Value()
			r.messages = append(r.messages, geminiCLIMessage{Span: at, twice: true})
		}
		s.Token()
		r.list = engine.Span{From: from, To: int(s.Offset())}
	default:
		return false
	}
	return true
}

// geminiCLIObject reads a message; other reads what else may stand in it.
func geminiCLIObject(s *engine.Scanner, other func(m *geminiCLIMessage, name []byte) bool) geminiCLIMessage {
	var m geminiCLIMessage
	s.Token()
	m.From = int(s.Offset()) - 1
	for s.More() {
		name := s.Name()
		switch string(name) {
		case `"id"`:
			m.id = s.Text()
		case `"type"`:
			m.typ = s.Text()
		case `"timestamp"`:
			m.stamp = s.Text()
		case `"model"`:
			m.model = s.Text()
		case `"content"`:
			m.twice = m.twice || m.Content.Found()
			if s.Kind() == '[' {
				m.Content = engine.Span{From: 0, To: 1}
				m.Parts = geminiCLIParts(s, &m.twice)
				continue
			}
			m.Content = s.Value()
		case `"thoughts"`:
			m.twice = m.twice || m.Thoughts != nil
			each(s, func() { m.Thoughts = append(m.Thoughts, geminiCLIThoughtOf(s, &m.twice)) })
		case `"toolCalls"`:
			m.twice = m.twice || m.Calls != nil
			each(s, func() { m.Calls = append(m.Calls, geminiCLICallOf(s, &m.twice)) })
		case `"tokens"`:
			m.tokens = geminiCLITokensOf(s)
		default:
			if s.Err != nil || other == nil || !other(&m, name) {
				s.Value()
			}
		}
	}
	s.Token()
	m.To = int(s.Offset())
	return m
}

// each walks over a list; f has to read one value.
func each(s *engine.Scanner, f func()) {
	if s.Kind() != '[' {
		s.Value()
		return
	}
	s.Token()
	for s.More() {
		f()
	}
	s.Token()
}

// once reads a value whose place is to be had once.
func once(s *engine.Scanner, at *engine.Span, twice *bool) {
	v := s.Value()
	*twice = *twice || at.Found()
	*at = v
}

func geminiCLIThoughtOf(s *engine.Scanner, twice *bool) geminiCLIThought {
	var t geminiCLIThought
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"subject"`:
			t.Subject = s.Text()
		case `"description"`:
			once(s, &t.Description, twice)
		default:
			s.Value()
		}
	})
	return t
}

func geminiCLICallOf(s *engine.Scanner, twice *bool) geminiCLICall {
	var c geminiCLICall
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			c.id = s.Text()
		case `"name"`:
			c.name = s.Text()
		case `"status"`:
			c.status = s.Text()
		case `"args"`:
			once(s, &c.Args, twice)
		case `"result"`:
			*twice = *twice || c.Result != nil
			if s.Kind() == '[' {
				c.Result = geminiCLIParts(s, twice)
				return
			}
			at := s.Value()
			if s.Err == nil && s.Raw[at.From] != 'n' {
				c.Result = []Part{geminiCLIBare(s, at)}
			}
		default:
			s.Value()
		}
	})
	return c
}

// geminiCLIBare is a part that is no object: a text says itself.
func geminiCLIBare(s *engine.Scanner, at engine.Span) Part {
	p := Part{Span: at}
	if s.Err == nil {
		p.kind = jsontext.Kind(s.Raw[at.From])
	}
	if p.kind == '"' {
		p.Text = at
	}
	return p
}

// geminiCLIParts reads a list of parts. It never gives nil.
func geminiCLIParts(s *engine.Scanner, twice *bool) []Part {
	parts := []Part{}
	each(s, func() {
		if s.Kind() != '{' {
			parts = append(parts, geminiCLIBare(s, s.Value()))
			return
		}
		p := Part{kind: '{'}
		s.Token()
		p.From = int(s.Offset()) - 1
		for s.More() {
			switch string(s.Name()) {
			case `"text"`:
				once(s, &p.Text, twice)
			case `"thought"`:
				p.Thought = s.Flag()
			case `"thoughtSignature"`:
				once(s, &p.Signature, twice)
			case `"inlineData"`:
				p.inline = true
				engine.EachMember(s, func(name []byte) {
					switch string(name) {
					case `"mimeType"`:
						p.mediaType = s.Text()
					case `"data"`:
						once(s, &p.Data, twice)
					default:
						s.Value()
					}
				})
			case `"fileData"`:
				engine.EachMember(s, func(name []byte) {
					switch string(name) {
					case `"mimeType"`:
						p.mediaType = s.Text()
					case `"fileUri"`:
						p.uri = s.Text()
					default:
						s.Value()
					}
				})
			case `"functionCall"`:
				p.Call = true
				p.function(s, twice)
			case `"functionResponse"`:
				p.Response = true
				p.function(s, twice)
			default:
				s.Value()
			}
		}
		s.Token()
		p.To = int(s.Offset())
		parts = append(parts, p)
	})
	return parts
}

// function reads a call or a response.
func (p *Part) function(s *engine.Scanner, twice *bool) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			p.ID = s.Text()
		case `"name"`:
			p.name = s.Text()
		case `"args"`:
			once(s, &p.Args, twice)
		case `"response"`:
			*twice = *twice || p.Body.Found()
			if s.Kind() != '{' {
				p.Body = s.Value()
				return
			}
			s.Token()
			from := int(s.Offset()) - 1
			n := 0
			for s.More() {
				n++
				switch string(s.Name()) {
				case `"output"`:
					once(s, &p.Output, twice)
				case `"error"`:
					once(s, &p.Fault, twice)
				default:
					n = 2
					s.Value()
				}
			}
			s.Token()
			p.Body = engine.Span{From: from, To: int(s.Offset())}
			if n != 1 || s.Err != nil || s.Raw[(p.Output.From+p.Fault.From)] != '"' {
				p.Output, p.Fault = engine.Span{}, engine.Span{} // more than a text: the whole is the result
			}
		default:
			s.Value()
		}
	})
}

func geminiCLITokensOf(s *engine.Scanner) geminiCLITokens {
	t := geminiCLITokens{found: s.Kind() == '{'}
	engine.EachMember(s, func(name []byte) {
		at := s.Value()
		switch string(name) {
		case `"input"`:
			t.input = s.Number(at)
		case `"output"`:
			t.output = s.Number(at)
		case `"cached"`:
			t.cached = s.Number(at)
		case `"thoughts"`:
			t.thoughts = s.Number(at)
		case `"tool"`:
			t.tool = s.Number(at)
		}
	})
	return t
}
