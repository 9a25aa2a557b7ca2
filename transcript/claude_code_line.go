package transcript

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// claudeLine is one line of a session file, as far as an importer looks into
// it; everything else stays in raw.
type claudeLine struct {
	raw    []byte
	number int
	kind   jsontext.Kind
	// twice says that a member the importer models came twice, or has another
	// kind than it can have, so that raw has to speak for itself.
	twice bool

	typ, subtype, uuid, parent, sessionID, agentID, stamp, title string

	sidechain, meta, summary bool
	origin                   string // kind of where a prompt came from
	msg                      claudeMessage

	// A progress line of a sub-agent holds a line of it.
	dataType, agentType string
	agent               claudeMessage

	compact compactData

	attachment claudeAttachment
	rendered   []claudeMessage

	operation string        // of a line of the queue
	own       claudeMessage // the content of a line that is no message
}

// claudeMessage is the API message of a line.
type claudeMessage struct {
	kind      jsontext.Kind
	id, model string
	content   span
	blocks    []claudeBlock
	usage     claudeUsage
}

type claudeUsage struct {
	found                                bool
	input, output, cacheRead, cacheWrite int
}

// claudeBlock is one item of a content list, with the places of its members.
type claudeBlock struct {
	span
	kind                            jsontext.Kind
	typ, id, name, callID           string
	text, thinking, signature, data span
	input, content, source          span
	sourceData                      span
	sourceType, mediaType, url      string
	isError                         bool
	items                           []claudeBlock
}

// compactData is what a boundary says of the compaction.
type compactData struct {
	trigger                       string
	preTokens, postTokens, saved  int
	preserved                     bool   // some messages were kept verbatim
	head, segmentHead, firstOfAll string // uuid of the first of them
	calls                         []string
	tools                         []string // that tool searches had found
}

// readable reports whether the content has a shape the importer models.
func (m *claudeMessage) readable() bool {
	return m.content.found() && (m.blocks != nil || m.isText())
}

func (m *claudeMessage) isText() bool { return m.blocks == nil && m.content.to-m.content.from >= 2 }

func (l *claudeLine) agentMessage() bool {
	return l.dataType == "agent_progress" && l.agentID != "" && l.agent.kind == '{' &&
		(l.agentType == "user" || l.agentType == "assistant")
}

func (l *claudeLine) time() time.Time {
	if l.stamp == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, l.stamp)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// parse reads a line; scan.err says whether it is JSON.
func (l *claudeLine) parse(s *scanner, raw []byte) {
	blocks, agentBlocks := l.msg.blocks[:0], l.agent.blocks[:0]
	*l = claudeLine{raw: raw}
	l.msg.blocks, l.agent.blocks = blocks, agentBlocks
	s.reset(raw)
	if l.kind = s.kind(); l.kind != '{' {
		s.value()
		s.end()
		l.msg.blocks, l.agent.blocks = nil, nil
		return
	}
	var seenType, seenMessage, seenData, seenAttachment bool
	s.token()
	for s.more() {
		switch string(s.name()) {
		case `"type"`:
			l.twice = l.twice || seenType
			l.typ, seenType = s.text(), true
		case `"message"`:
			l.twice = l.twice || seenMessage
			l.message(s, &l.msg)
			seenMessage = true
		case `"data"`:
			l.twice = l.twice || seenData
			l.progress(s)
			seenData = true
		case `"attachment"`:
			l.twice = l.twice || seenAttachment
			l.attach(s)
			seenAttachment = true
		case `"rendered"`:
			l.render(s)
		case `"operation"`:
			l.operation = s.text()
		case `"content"`:
			if at := s.value(); s.err == nil && raw[at.from] == '"' {
				l.own.content = at
			}
		case `"subtype"`:
			l.subtype = s.text()
		case `"uuid"`:
			l.uuid = s.text()
		case `"parentUuid"`:
			l.parent = s.text()
		case `"sessionId"`:
			l.sessionID = s.text()
		case `"agentId"`:
			l.agentID = s.text()
		case `"timestamp"`:
			l.stamp = s.text()
		case `"summary"`, `"aiTitle"`, `"customTitle"`:
			l.title = s.text()
		case `"isSidechain"`:
			l.sidechain = s.flag()
		case `"isMeta"`:
			l.meta = s.flag()
		case `"isCompactSummary"`:
			l.summary = s.flag()
		case `"origin"`:
			eachMember(s, func(name []byte) {
				if string(name) == `"kind"` {
					l.origin = s.text()
				} else {
					s.value()
				}
			})
		case `"compactMetadata"`, `"microcompactMetadata"`:
			l.metadata(s)
		default:
			s.value()
		}
	}
	s.token()
	s.end()
	if !seenMessage {
		l.msg.blocks = nil
	}
	if l.agent.kind == 0 {
		l.agent.blocks = nil
	}
}

func (l *claudeLine) message(s *scanner, m *claudeMessage) {
	*m = claudeMessage{kind: s.kind(), blocks: m.blocks[:0]}
	var seen bool
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			m.id = s.text()
		case `"model"`:
			m.model = s.text()
		case `"content"`:
			l.twice = l.twice || seen
			seen = true
			l.content(s, m)
		case `"usage"`:
			l.usage(s, &m.usage)
		default:
			s.value()
		}
	})
	if !seen {
		m.blocks = nil
	}
}

// content reads what a message says: a text or a list of blocks.
func (l *claudeLine) content(s *scanner, m *claudeMessage) {
	if s.kind() == '[' {
		m.content = span{0, 1} // a list: the blocks have their own places
		m.blocks = l.blocks(s, m.blocks)
		return
	}
	m.blocks = nil
	if at := s.value(); s.err == nil && s.raw[at.from] == '"' {
		m.content = at
	}
}

func (l *claudeLine) usage(s *scanner, u *claudeUsage) {
	eachMember(s, func(name []byte) {
		at := s.value()
		switch string(name) {
		case `"input_tokens"`:
			u.input = s.number(at)
		case `"output_tokens"`:
			u.output = s.number(at)
		case `"cache_read_input_tokens"`:
			u.cacheRead = s.number(at)
		case `"cache_creation_input_tokens"`:
			u.cacheWrite = s.number(at)
		}
	})
	// Zeros alone are no report: so does a session begin that was made here.
	u.found = u.input+u.output+u.cacheRead+u.cacheWrite > 0
}

// blocks reads a content list. It never gives nil.
func (l *claudeLine) blocks(s *scanner, into []claudeBlock) []claudeBlock {
	if into == nil {
		into = []claudeBlock{}
	}
	s.token()
	for s.more() {
		into = append(into, claudeBlock{kind: s.kind()})
		b := &into[len(into)-1]
		if b.kind != '{' {
			b.span = s.value()
			continue
		}
		b.from = -1
		l.block(s, b)
	}
	s.token()
	return into
}

func (l *claudeLine) block(s *scanner, b *claudeBlock) {
	seen := func(at *span, v span) {
		l.twice = l.twice || at.found()
		*at = v
	}
	s.token()
	b.from = int(s.offset()) - 1
	for s.more() {
		switch string(s.name()) {
		case `"type"`:
			// A type that is no text makes it a block of nobody.
			l.twice = l.twice || b.typ != "" || s.kind() != '"'
			b.typ = s.text()
		case `"id"`:
			b.id = s.text()
		case `"name"`:
			b.name = s.text()
		case `"tool_use_id"`:
			b.callID = s.text()
		case `"is_error"`:
			b.isError = s.flag()
		case `"text"`:
			seen(&b.text, s.value())
		case `"thinking"`:
			seen(&b.thinking, s.value())
		case `"signature"`:
			seen(&b.signature, s.value())
		case `"data"`:
			seen(&b.data, s.value())
		case `"input"`:
			seen(&b.input, s.value())
		case `"content"`:
			if s.kind() == '[' {
				l.twice = l.twice || b.content.found()
				b.content = span{0, 1}
				b.items = l.blocks(s, nil)
				continue
			}
			seen(&b.content, s.value())
		case `"source"`:
			l.twice = l.twice || b.source.found()
			b.source = span{0, 1}
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"data"`:
					seen(&b.sourceData, s.value())
				case `"type"`:
					b.sourceType = s.text()
				case `"media_type"`:
					b.mediaType = s.text()
				case `"url"`:
					b.url = s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	}
	s.token()
	b.to = int(s.offset())
}

// progress looks into the data of a progress line for a sub-agent's message.
func (l *claudeLine) progress(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			l.dataType = s.text()
		case `"agentId"`:
			l.agentID = s.text()
		case `"message"`:
			l.twice = l.twice || l.agent.kind != 0
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"type"`:
					l.agentType = s.text()
				case `"message"`:
					l.twice = l.twice || l.agent.kind != 0
					l.message(s, &l.agent)
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	})
}

func (l *claudeLine) metadata(s *scanner) {
	d := &l.compact
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"trigger"`:
			d.trigger = s.text()
		case `"preTokens"`:
			d.preTokens = s.number(s.value())
		case `"postTokens"`:
			d.postTokens = s.number(s.value())
		case `"tokensSaved"`:
			d.saved = s.number(s.value())
		case `"compactedToolIds"`:
			d.calls = append(d.calls, s.texts()...)
		case `"preCompactDiscoveredTools"`:
			d.tools = append(d.tools, s.texts()...)
		case `"preservedSegment"`:
			d.preserved = d.preserved || s.kind() == '{'
			eachMember(s, func(name []byte) {
				if string(name) == `"headUuid"` {
					d.segmentHead = s.text()
				} else {
					s.value()
				}
			})
		case `"preservedMessages"`:
			d.preserved = d.preserved || s.kind() == '{'
			eachMember(s, func(name []byte) {
				if string(name) == `"uuids"` {
					if all := s.texts(); len(all) > 0 {
						d.firstOfAll = all[0]
					}
				} else {
					s.value()
				}
			})
		default:
			s.value()
		}
	})
	if d.head = d.segmentHead; d.head == "" {
		d.head = d.firstOfAll
	}
}
