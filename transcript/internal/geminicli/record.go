package geminicli

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/walk"
)

// Record is one line, or the document, with the places of what an
// importer reads.
type Record struct {
	raw  []byte
	kind jsontext.Kind

	session, start, summary string
	agent                   bool // of a sub-agent
	rewindTo                walk.Span
	set                     bool
	list                    walk.Span // of messages
	messages                []geminiCLIMessage
	Msg                     geminiCLIMessage // the record itself
}

type geminiCLIMessage struct {
	walk.Span
	twice                 bool
	worded                bool // its calls stand among its parts
	id, typ, stamp, model string
	Content               walk.Span
	Parts                 []chatapi.GeminiPart // nil unless content is a list
	Thoughts              []geminiCLIThought
	Calls                 []geminiCLICall
	tokens                geminiCLITokens
}

type geminiCLIThought struct {
	Subject     string
	Description walk.Span
}

type geminiCLICall struct {
	id, name, status string
	Args             walk.Span
	Result           []chatapi.GeminiPart
}

type geminiCLITokens struct{ input, output, cached, thoughts, tool int }

func (r *Record) Parse(s *walk.Scanner, raw []byte) {
	*r = Record{raw: raw}
	s.Reset(raw)
	r.kind = s.Kind()
	session := walk.Shape{
		"sessionId", &r.session,
		"startTime", &r.start,
		"summary", &r.summary,
		"kind", func() { r.agent = s.Text() == "subagent" },
		"messages", func() {
			if s.Kind() != '[' {
				s.Value()
				return
			}
			r.list = walk.Within(s, func() {
				r.messages = walk.Items(s, []geminiCLIMessage{}, func(m *geminiCLIMessage) { m.read(s) })
			})
		},
	}
	changes := walk.Shape{
		"$set", func() {
			r.set = s.Kind() == '{'
			session.Read(s)
		},
		"$rewindTo", func() { r.rewindTo = s.Value() },
	}
	r.Msg.read(s, changes, session)
	s.End()
}

// read reads a message, and what else may stand in its record.
func (m *geminiCLIMessage) read(s *walk.Scanner, others ...walk.Shape) {
	outside := s.Twice
	s.Twice = s.Kind() != '{'
	own := walk.Shape{
		"id", &m.id,
		"type", &m.typ,
		"timestamp", &m.stamp,
		"model", &m.model,
		"content",
		walk.List{At: &m.Content, Read: func() { m.Parts = chatapi.ReadGeminiParts(s, []chatapi.GeminiPart{}) }},
		"thoughts", func() {
			s.Twice = s.Twice || m.Thoughts != nil
			m.Thoughts = walk.Items(s, m.Thoughts, func(t *geminiCLIThought) {
				walk.Shape{"subject", &t.Subject, "description", &t.Description}.Read(s)
			})
		},
		"toolCalls", func() {
			s.Twice = s.Twice || m.Calls != nil
			m.Calls = walk.Items(s, m.Calls, func(c *geminiCLICall) { c.read(s) })
		},
		"tokens", func() { m.tokens.read(s) },
	}
	m.Span = walk.Within(s, func() {
		own.Read(s, others...)
	})
	m.twice, s.Twice = s.Twice, outside
}

func (c *geminiCLICall) read(s *walk.Scanner) {
	walk.Shape{
		"id", &c.id,
		"name", &c.name,
		"status", &c.status,
		"args", &c.Args,
		"result", func() {
			s.Twice = s.Twice || c.Result != nil
			if s.Kind() == 'n' {
				s.Value()
				return
			}
			c.Result = chatapi.ReadGeminiParts(s, []chatapi.GeminiPart{})
		},
	}.Read(s)
}

// read reads what a response cost, in the words of the clients or of the API.
func (t *geminiCLITokens) read(s *walk.Scanner) {
	*t = geminiCLITokens{}
	walk.Shape{
		"input", &t.input, "promptTokenCount", &t.input,
		"output", &t.output, "candidatesTokenCount", &t.output,
		"cached", &t.cached, "cachedContentTokenCount", &t.cached,
		"thoughts", &t.thoughts, "thoughtsTokenCount", &t.thoughts,
		"tool", &t.tool, "toolUsePromptTokenCount", &t.tool,
	}.Read(s)
}

// usage is what a model counted, if anything.
func (t geminiCLITokens) usage(model string) (u tenfold.Usage, counted bool) {
	return tenfold.Usage{
		Model: model, Input: max(t.input+t.tool-t.cached, 0), Output: t.output + t.thoughts, CacheRead: t.cached,
	}, t.input|t.output|t.thoughts|t.tool != 0
}
