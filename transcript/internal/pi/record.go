package pi

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
)

// Record is one line, with the places of what an importer reads.
type Record struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	Typ, id, parent, stamp, modelID, name, firstKept, target string
	hasParent, omits                                         bool
	version, tokens                                          int
	level, FirstIndex, Summary                               engine.Span
	Msg                                                      piMessage
	seen                                                     bool
}

// piMessage is the message of a line; a custom_message has its members in the
// line itself, and a message that stands alone is the line.
type piMessage struct {
	role, api, provider, model, stop, call, command, output, fullOutput string
	content                                                             engine.Span
	blocks                                                              []piBlock // nil unless content is a list
	isError, cancelled, truncated, excluded                             bool
	exit                                                                int
	millis                                                              int
	usage                                                               piUsage
}

type piUsage struct {
	found                                bool
	input, output, cacheRead, cacheWrite int
	cost                                 *float64
}

type piBlock struct {
	engine.Span
	kind                                       jsontext.Kind
	typ, id, name, mediaType                   string
	text, thinking, signature, arguments, data engine.Span
	thought                                    engine.Span
	redacted                                   bool
}

func (r *Record) Parse(s *engine.Scanner, raw []byte) {
	blocks := r.Msg.blocks[:0]
	*r = Record{raw: raw}
	s.Reset(raw)
	r.kind = s.Kind()
	if r.kind != '{' {
		s.Value()
		s.End()
		return
	}
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			r.Typ = s.Text()
		case `"id"`:
			r.id = s.Text()
		case `"parentId"`:
			r.hasParent = true
			r.parent = s.Text()
		case `"timestamp"`:
			if s.Kind() == '0' {
				r.Msg.millis = s.Number(s.Value())
			} else {
				r.stamp = s.Text()
			}
		case `"modelId"`:
			r.modelID = s.Text()
		case `"name"`:
			r.name = s.Text()
		case `"firstKeptEntryId"`:
			r.firstKept = s.Text()
		case `"firstKeptEntryIndex"`:
			r.FirstIndex = s.Value()
		case `"targetId"`:
			r.target = s.Text()
		case `"replacement"`:
			r.omits = s.Kind() == 'n'
			s.Value()
		case `"tokensBefore"`:
			r.tokens = s.Number(s.Value())
		case `"thinkingLevel"`:
			r.level = s.Value()
		case `"version"`:
			r.version = s.Number(s.Value())
		case `"summary"`:
			r.take(s, &r.Summary)
		case `"message"`:
			r.twice = r.twice || r.seen
			r.seen = true
			if s.Kind() != '{' {
				s.Value()
				return
			}
			engine.EachMember(s, func(name []byte) { r.member(s, name, blocks) })
		default:
			r.member(s, name, blocks)
		}
	})
	s.End()
}

// take reads a value whose place is to be had once.
func (r *Record) take(s *engine.Scanner, at *engine.Span) {
	v := s.Value()
	r.twice = r.twice || at.Found()
	*at = v
}

// member reads a member of a message.
func (r *Record) member(s *engine.Scanner, name []byte, blocks []piBlock) {
	m := &r.Msg
	switch string(name) {
	case `"role"`:
		m.role = s.Text()
	case `"api"`:
		m.api = s.Text()
	case `"provider"`:
		m.provider = s.Text()
	case `"model"`:
		m.model = s.Text()
	case `"stopReason"`:
		m.stop = s.Text()
	case `"toolCallId"`:
		m.call = s.Text()
	case `"isError"`:
		m.isError = s.Flag()
	case `"command"`:
		m.command = s.Text()
	case `"output"`:
		m.output = s.Text()
	case `"fullOutputPath"`:
		m.fullOutput = s.Text()
	case `"exitCode"`:
		at := s.Value()
		if s.Err == nil {
			m.exit, _ = strconv.Atoi(string(at.Of(s.Raw)))
		}
	case `"cancelled"`:
		m.cancelled = s.Flag()
	case `"truncated"`:
		m.truncated = s.Flag()
	case `"excludeFromContext"`:
		m.excluded = s.Flag()
	case `"timestamp"`:
		m.millis = s.Number(s.Value())
	case `"usage"`:
		m.usage.read(s)
	case `"content"`:
		if s.Kind() != '[' {
			r.take(s, &m.content)
			return
		}
		r.twice = r.twice || m.content.Found()
		m.content = engine.Span{From: 0, To: 1} // a list: the blocks have their own places
		m.blocks = r.blocks(s, blocks)
	default:
		s.Value()
	}
}

func (u *piUsage) read(s *engine.Scanner) {
	u.found = s.Kind() == '{'
	engine.EachMember(s, func(name []byte) {
		if string(name) == `"cost"` && s.Kind() == '{' {
			engine.EachMember(s, func(name []byte) {
				at := s.Value()
				if string(name) != `"total"` || s.Err != nil {
					return
				}
				if f, err := strconv.ParseFloat(string(at.Of(s.Raw)), 64); err == nil {
					u.cost = &f
				}
			})
			return
		}
		at := s.Value()
		switch string(name) {
		case `"input"`:
			u.input = s.Number(at)
		case `"output"`:
			u.output = s.Number(at)
		case `"cacheRead"`:
			u.cacheRead = s.Number(at)
		case `"cacheWrite"`:
			u.cacheWrite = s.Number(at)
		}
	})
}

// counts reports whether a provider counted anything at all.
func (u piUsage) counts() bool {
	return u.found && (u.input|u.output|u.cacheRead|u.cacheWrite != 0 || (u.cost != nil && *u.cost != 0))
}

// blocks reads a content list. It never gives nil.
func (r *Record) blocks(s *engine.Scanner, into []piBlock) []piBlock {
	if into == nil {
		into = []piBlock{}
	}
	s.Token()
	for s.More() {
		into = append(into, piBlock{kind: s.Kind()})
		b := &into[len(into)-1]
		if b.kind != '{' {
			b.Span = s.Value()
			continue
		}
		s.Token()
		b.From = int(s.Offset()) - 1
		for s.More() {
			switch string(s.Name()) {
			case `"type"`:
				b.typ = s.Text()
			case `"id"`:
				b.id = s.Text()
			case `"name"`:
				b.name = s.Text()
			case `"mimeType"`:
				b.mediaType = s.Text()
			case `"redacted"`:
				b.redacted = s.Flag()
			case `"text"`:
				r.take(s, &b.text)
			case `"thinking"`:
				r.take(s, &b.thinking)
			case `"thinkingSignature"`:
				r.take(s, &b.signature)
			case `"thoughtSignature"`:
				r.take(s, &b.thought)
			case `"arguments"`:
				r.take(s, &b.arguments)
			case `"data"`:
				r.take(s, &b.data)
			default:
				s.Value()
			}
		}
		s.Token()
		b.To = int(s.Offset())
	}
	s.Token()
	return into
}
