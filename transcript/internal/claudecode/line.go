package claudecode

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
)

// claudeLine is one line of a session file, as far as an importer looks into
// it; everything else stays in raw.
type claudeLine struct {
	raw    []byte
	number int
	kind   jsontext.Kind
	chatapi.BlockReader

	typ, subtype, uuid, parent, sessionID, agentID, stamp, title string

	sidechain, meta, summary bool
	stopped                  bool   // the person stopped the call of the result
	origin                   string // kind of where a prompt came from
	msg                      chatapi.BlockMessage

	// A progress line of a sub-agent holds a line of it.
	dataType, agentType string
	agent               chatapi.BlockMessage

	compact compactData

	attachment claudeAttachment
	rendered   []chatapi.BlockMessage

	operation string               // of a line of the queue
	own       chatapi.BlockMessage // the content of a line that is not a message
}

// compactData is what a boundary says of the compaction.
type compactData struct {
	trigger                      string
	preTokens, postTokens, saved int
	preserved                    bool   // some messages were kept verbatim
	head                         string // uuid of the first of them
	calls                        []string
	tools                        []string // that tool searches had found
}

func (l *claudeLine) agentMessage() bool {
	return l.dataType == "agent_progress" && l.agentID != "" && l.agent.Kind == '{' &&
		(l.agentType == "user" || l.agentType == "assistant")
}

func (l *claudeLine) time() time.Time {
	if l.stamp == "" {
		return time.Time{}
	}
	return engine.ReadTime(l.stamp)
}

// parse reads a line; scan.err says whether it is JSON.
func (l *claudeLine) parse(s *engine.Scanner, raw []byte) {
	blocks, agentBlocks := l.msg.Blocks[:0], l.agent.Blocks[:0]
	*l = claudeLine{raw: raw}
	l.msg.Blocks, l.agent.Blocks = blocks, agentBlocks
	s.Reset(raw)
	if l.kind = s.Kind(); l.kind != '{' {
		s.Value()
		s.End()
		l.msg.Blocks, l.agent.Blocks = nil, nil
		return
	}
	var seenType, seenMessage, seenData, seenAttachment bool
	s.Token()
	for s.More() {
		switch string(s.Name()) {
		case `"type"`:
			l.Twice = l.Twice || seenType
			l.typ, seenType = s.Text(), true
		case `"message"`:
			l.Twice = l.Twice || seenMessage
			l.Message(s, &l.msg)
			seenMessage = true
		case `"data"`:
			l.Twice = l.Twice || seenData
			l.progress(s)
			seenData = true
		case `"attachment"`:
			l.Twice = l.Twice || seenAttachment
			l.attach(s)
			seenAttachment = true
		case `"rendered"`:
			l.render(s)
		case `"operation"`:
			l.operation = s.Text()
		case `"content"`:
			if at := s.Value(); s.Err == nil && raw[at.From] == '"' {
				l.own.Content = at
			}
		case `"subtype"`:
			l.subtype = s.Text()
		case `"uuid"`:
			l.uuid = s.Text()
		case `"parentUuid"`:
			l.parent = s.Text()
		case `"sessionId"`:
			l.sessionID = s.Text()
		case `"agentId"`:
			l.agentID = s.Text()
		case `"timestamp"`:
			l.stamp = s.Text()
		case `"summary"`, `"aiTitle"`, `"customTitle"`:
			l.title = s.Text()
		case `"isSidechain"`:
			l.sidechain = s.Flag()
		case `"isMeta"`:
			l.meta = s.Flag()
		case `"isCompactSummary"`:
			l.summary = s.Flag()
		case `"origin"`:
			engine.OneMember(s, "kind", func() { l.origin = s.Text() })
		case `"toolUseResult"`:
			engine.OneMember(s, "interrupted", func() { l.stopped = s.Flag() })
		case `"compactMetadata"`, `"microcompactMetadata"`:
			l.metadata(s)
		default:
			s.Value()
		}
	}
	s.Token()
	s.End()
	if !seenMessage {
		l.msg.Blocks = nil
	}
	if l.agent.Kind == 0 {
		l.agent.Blocks = nil
	}
}

// progress looks into the data of a progress line for a sub-agent's message.
func (l *claudeLine) progress(s *engine.Scanner) {
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			l.dataType = s.Text()
		case `"agentId"`:
			l.agentID = s.Text()
		case `"message"`:
			l.Twice = l.Twice || l.agent.Kind != 0
			engine.EachMember(s, func(name []byte) {
				switch string(name) {
				case `"type"`:
					l.agentType = s.Text()
				case `"message"`:
					l.Twice = l.Twice || l.agent.Kind != 0
					l.Message(s, &l.agent)
				default:
					s.Value()
				}
			})
		default:
			s.Value()
		}
	})
}

func (l *claudeLine) metadata(s *engine.Scanner) {
	d := &l.compact
	var segmentHead, first string
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"trigger"`:
			d.trigger = s.Text()
		case `"preTokens"`:
			d.preTokens = s.Number(s.Value())
		case `"postTokens"`:
			d.postTokens = s.Number(s.Value())
		case `"tokensSaved"`:
			d.saved = s.Number(s.Value())
		case `"compactedToolIds"`:
			d.calls = append(d.calls, s.Texts()...)
		case `"preCompactDiscoveredTools"`:
			d.tools = append(d.tools, s.Texts()...)
		case `"preservedSegment"`:
			d.preserved = d.preserved || s.Kind() == '{'
			engine.OneMember(s, "headUuid", func() { segmentHead = s.Text() })
		case `"preservedMessages"`:
			d.preserved = d.preserved || s.Kind() == '{'
			engine.OneMember(s, "uuids", func() {
				if all := s.Texts(); len(all) > 0 {
					first = all[0]
				}
			})
		default:
			s.Value()
		}
	})
	d.head = cmp.Or(segmentHead, first, d.head)
}
