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
	blockReader

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

// compactData is what a boundary says of the compaction.
type compactData struct {
	trigger                       string
	preTokens, postTokens, saved  int
	preserved                     bool   // some messages were kept verbatim
	head, segmentHead, firstOfAll string // uuid of the first of them
	calls                         []string
	tools                         []string // that tool searches had found
}

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
