package transcript

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// piRecord is one line, with the places of what an importer reads.
type piRecord struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	typ, id, parent, stamp, modelID, name, firstKept, target string
	hasParent, omits                                         bool
	version, tokens                                          int
	level, firstIndex, summary                               span
	msg                                                      piMessage
	seen                                                     bool
}

// piMessage is the message of a line; a custom_message has its members in the
// line itself, and a message that stands alone is the line.
type piMessage struct {
	role, api, provider, model, stop, call, command, output, fullOutput string
	content                                                             span
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
	span
	kind                                       jsontext.Kind
	typ, id, name, mediaType                   string
	text, thinking, signature, arguments, data span
	thought                                    span
	redacted                                   bool
}

func (r *piRecord) parse(s *scanner, raw []byte) {
	blocks := r.msg.blocks[:0]
	*r = piRecord{raw: raw}
	s.reset(raw)
	r.kind = s.kind()
	if r.kind != '{' {
		s.value()
		s.end()
		return
	}
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			r.typ = s.text()
		case `"id"`:
			r.id = s.text()
		case `"parentId"`:
			r.hasParent = true
			r.parent = s.text()
		case `"timestamp"`:
			if s.kind() == '0' {
				r.msg.millis = s.number(s.value())
			} else {
				r.stamp = s.text()
			}
		case `"modelId"`:
			r.modelID = s.text()
		case `"name"`:
			r.name = s.text()
		case `"firstKeptEntryId"`:
			r.firstKept = s.text()
		case `"firstKeptEntryIndex"`:
			r.firstIndex = s.value()
		case `"targetId"`:
			r.target = s.text()
		case `"replacement"`:
			r.omits = s.kind() == 'n'
			s.value()
		case `"tokensBefore"`:
			r.tokens = s.number(s.value())
		case `"thinkingLevel"`:
			r.level = s.value()
		case `"version"`:
			r.version = s.number(s.value())
		case `"summary"`:
			r.take(s, &r.summary)
		case `"message"`:
			r.twice = r.twice || r.seen
			r.seen = true
			if s.kind() != '{' {
				s.value()
				return
			}
			eachMember(s, func(name []byte) { r.member(s, name, blocks) })
		default:
			r.member(s, name, blocks)
		}
	})
	s.end()
}

// take reads a value whose place is to be had once.
func (r *piRecord) take(s *scanner, at *span) {
	v := s.value()
	r.twice = r.twice || at.found()
	*at = v
}

// member reads a member of a message.
func (r *piRecord) member(s *scanner, name []byte, blocks []piBlock) {
	m := &r.msg
	switch string(name) {
	case `"role"`:
		m.role = s.text()
	case `"api"`:
		m.api = s.text()
	case `"provider"`:
		m.provider = s.text()
	case `"model"`:
		m.model = s.text()
	case `"stopReason"`:
		m.stop = s.text()
	case `"toolCallId"`:
		m.call = s.text()
	case `"isError"`:
		m.isError = s.flag()
	case `"command"`:
		m.command = s.text()
	case `"output"`:
		m.output = s.text()
	case `"fullOutputPath"`:
		m.fullOutput = s.text()
	case `"exitCode"`:
		at := s.value()
		if s.err == nil {
			m.exit, _ = strconv.Atoi(string(at.of(s.raw)))
		}
	case `"cancelled"`:
		m.cancelled = s.flag()
	case `"truncated"`:
		m.truncated = s.flag()
	case `"excludeFromContext"`:
		m.excluded = s.flag()
	case `"timestamp"`:
		m.millis = s.number(s.value())
	case `"usage"`:
		m.usage.read(s)
	case `"content"`:
		if s.kind() != '[' {
			r.take(s, &m.content)
			return
		}
		r.twice = r.twice || m.content.found()
		m.content = span{0, 1} // a list: the blocks have their own places
		m.blocks = r.blocks(s, blocks)
	default:
		s.value()
	}
}

func (u *piUsage) read(s *scanner) {
	u.found = s.kind() == '{'
	eachMember(s, func(name []byte) {
		if string(name) == `"cost"` && s.kind() == '{' {
			eachMember(s, func(name []byte) {
				at := s.value()
				if string(name) != `"total"` || s.err != nil {
					return
				}
				if f, err := strconv.ParseFloat(string(at.of(s.raw)), 64); err == nil {
					u.cost = &f
				}
			})
			return
		}
		at := s.value()
		switch string(name) {
		case `"input"`:
			u.input = s.number(at)
		case `"output"`:
			u.output = s.number(at)
		case `"cacheRead"`:
			u.cacheRead = s.number(at)
		case `"cacheWrite"`:
			u.cacheWrite = s.number(at)
		}
	})
}

// counts reports whether a provider counted anything at all.
func (u piUsage) counts() bool {
	return u.found && (u.input|u.output|u.cacheRead|u.cacheWrite != 0 || (u.cost != nil && *u.cost != 0))
}

// blocks reads a content list. It never gives nil.
func (r *piRecord) blocks(s *scanner, into []piBlock) []piBlock {
	if into == nil {
		into = []piBlock{}
	}
	s.token()
	for s.more() {
		into = append(into, piBlock{kind: s.kind()})
		b := &into[len(into)-1]
		if b.kind != '{' {
			b.span = s.value()
			continue
		}
		s.token()
		b.from = int(s.offset()) - 1
		for s.more() {
			switch string(s.name()) {
			case `"type"`:
				b.typ = s.text()
			case `"id"`:
				b.id = s.text()
			case `"name"`:
				b.name = s.text()
			case `"mimeType"`:
				b.mediaType = s.text()
			case `"redacted"`:
				b.redacted = s.flag()
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
				s.value()
			}
		}
		s.token()
		b.to = int(s.offset())
	}
	s.token()
	return into
}
