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
	session := engine.Shape{
		"sessionId", &r.session,
		"startTime", &r.start,
		"summary", &r.summary,
		"kind", func() { r.agent = s.Text() == "subagent" },
		"messages", func() {
			if s.Kind() != '[' {
				s.Value()
				return
			}
			r.messages = []geminiCLIMessage{}
			r.list = engine.Within(s, func() {
				engine.EachItem(s, func() {
					var m geminiCLIMessage
					m.read(s, nil)
					r.messages = append(r.messages, m)
				})
			})
		},
	}
	changes := engine.Shape{
		"$set", func() {
			r.set = s.Kind() == '{'
			session.Read(s)
		},
		"$rewindTo", func() { r.rewindTo = s.Value() },
	}
	r.Msg.read(s, func(name []byte) bool { return changes.Member(s, name) || session.Member(s, name) })
	s.End()
}

// read reads a message; other reads what else may stand in its record.
func (m *geminiCLIMessage) read(s *engine.Scanner, other func(name []byte) bool) {
	outside := s.Twice
	s.Twice = s.Kind() != '{'
	own := engine.Shape{
		"id", &m.id,
		"type", &m.typ,
		"timestamp", &m.stamp,
		"model", &m.model,
		"content", func() {
			s.Twice = s.Twice || m.Content.Found()
			if s.Kind() != '[' {
				m.Content = s.Value()
				return
			}
			m.Content = engine.Span{From: 0, To: 1}
			m.Parts = readParts(s)
		},
		"thoughts", func() {
			s.Twice = s.Twice || m.Thoughts != nil
			engine.EachItem(s, func() {
				var t geminiCLIThought
				engine.Shape{"subject", &t.Subject, "description", &t.Description}.Read(s)
				m.Thoughts = append(m.Thoughts, t)
			})
		},
		"toolCalls", func() {
			s.Twice = s.Twice || m.Calls != nil
			engine.EachItem(s, func() {
				var c geminiCLICall
				c.read(s)
				m.Calls = append(m.Calls, c)
			})
		},
		"tokens", func() { m.tokens.read(s) },
	}
	m.Span = engine.Within(s, func() {
		engine.EachMember(s, func(name []byte) {
			if !own.Member(s, name) && (other == nil || !other(name)) {
				s.Value()
			}
		})
	})
	m.twice, s.Twice = s.Twice, outside
}

func (c *geminiCLICall) read(s *engine.Scanner) {
	engine.Shape{
		"id", &c.id,
		"name", &c.name,
		"status", &c.status,
		"args", &c.Args,
		"result", func() {
			s.Twice = s.Twice || c.Result != nil
			switch s.Kind() {
			case '[':
				c.Result = readParts(s)
			case 'n':
				s.Value()
			default:
				c.Result = []Part{readPart(s)}
			}
		},
	}.Read(s)
}

// readParts reads a list of parts. It never gives nil.
func readParts(s *engine.Scanner) []Part {
	parts := []Part{}
	engine.EachItem(s, func() { parts = append(parts, readPart(s)) })
	return parts
}

// readPart reads a part; of those that are not objects a text says itself.
func readPart(s *engine.Scanner) Part {
	p := Part{kind: s.Kind()}
	if p.kind != '{' {
		p.Span = s.Value()
		if p.kind == '"' {
			p.Text = p.Span
		}
		return p
	}
	p.Span = engine.Within(s, func() {
		engine.Shape{
			"text", &p.Text,
			"thought", &p.Thought,
			"thoughtSignature", &p.Signature,
			"inlineData", func() {
				p.inline = true
				engine.Shape{"mimeType", &p.mediaType, "data", &p.Data}.Read(s)
			},
			"fileData", engine.Inner("mimeType", &p.mediaType, "fileUri", &p.uri),
			"functionCall", func() {
				p.Call = true
				p.function(s)
			},
			"functionResponse", func() {
				p.Response = true
				p.function(s)
			},
		}.Read(s)
	})
	return p
}

// function reads a call or a response.
func (p *Part) function(s *engine.Scanner) {
	texts := engine.Shape{"output", &p.Output, "error", &p.Fault}
	engine.Shape{
		"id", &p.ID,
		"name", &p.name,
		"args", &p.Args,
		"response", func() {
			s.Twice = s.Twice || p.Body.Found()
			n := 0
			p.Body = engine.Within(s, func() {
				engine.EachMember(s, func(name []byte) {
					if n++; !texts.Member(s, name) {
						n = 2
						s.Value()
					}
				})
			})
			if n != 1 || s.Err != nil || s.Raw[p.Output.From+p.Fault.From] != '"' {
				p.Output, p.Fault = engine.Span{}, engine.Span{} // more than a text: the whole is the result
			}
		},
	}.Read(s)
}

func (t *geminiCLITokens) read(s *engine.Scanner) {
	*t = geminiCLITokens{found: s.Kind() == '{'}
	engine.Shape{
		"input", &t.input,
		"output", &t.output,
		"cached", &t.cached,
		"thoughts", &t.thoughts,
		"tool", &t.tool,
	}.Read(s)
}
