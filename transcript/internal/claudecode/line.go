package claudecode

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// claudeLine is one line of a session file, as far as an importer looks into
// it; everything else stays in raw.
type claudeLine struct {
	raw    []byte
	number int
	kind   jsontext.Kind
	twice  bool // a member that is modelled came twice: the text has to speak for itself

	typ, subtype, uuid, parent, sessionID, agentID, stamp, title string

	sidechain, meta, summary bool
	stopped                  bool   // the person stopped the call of the result
	display                  string // what the client asked to see of the thinking
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
func (l *claudeLine) parse(s *walk.Scanner, raw []byte) {
	blocks, agentBlocks := l.msg.Blocks[:0], l.agent.Blocks[:0]
	*l = claudeLine{raw: raw}
	l.msg.Blocks, l.agent.Blocks = blocks, agentBlocks
	s.Reset(raw)
	l.kind = s.Kind()
	var seenType, seenMessage, seenData, seenAttachment bool
	metadata := func() { l.metadata(s) }
	walk.Shape{
		"parentUuid", &l.parent,
		"isSidechain", &l.sidechain,
		"type", func() {
			s.Once(&seenType)
			l.typ = s.Text()
		},
		"message", func() {
			s.Once(&seenMessage)
			l.msg.Read(s)
		},
		"uuid", &l.uuid,
		"timestamp", &l.stamp,
		"sessionId", &l.sessionID,
		"agentId", &l.agentID,
		"isMeta", &l.meta,
		"isCompactSummary", &l.summary,
		"subtype", &l.subtype,
		"toolUseResult", walk.Inner("interrupted", &l.stopped),
		"origin", walk.Inner("kind", &l.origin),
		"thinkingDisplay", &l.display,
		"operation", &l.operation,
		"content", func() {
			if at := s.Value(); s.Err == nil && raw[at.From] == '"' {
				l.own.Content = at
			}
		},
		"data", func() {
			s.Once(&seenData)
			l.progress(s)
		},
		"attachment", func() {
			s.Once(&seenAttachment)
			l.attach(s)
		},
		"rendered", func() { l.render(s) },
		"summary", &l.title, "aiTitle", &l.title, "customTitle", &l.title,
		"compactMetadata", metadata, "microcompactMetadata", metadata,
	}.Read(s)
	s.End()
	l.twice = s.Twice
	if !seenMessage {
		l.msg.Blocks = nil
	}
	if l.agent.Kind == 0 {
		l.agent.Blocks = nil
	}
}

// progress looks into the data of a progress line for a sub-agent's message.
func (l *claudeLine) progress(s *walk.Scanner) {
	walk.Shape{
		"type", &l.dataType,
		"agentId", &l.agentID,
		"message", walk.Inner("type", &l.agentType, "message", func() {
			s.Twice = s.Twice || l.agent.Kind != 0
			l.agent.Read(s)
		}),
	}.Read(s)
}

func (l *claudeLine) metadata(s *walk.Scanner) {
	d := &l.compact
	var segmentHead, first string
	kept := func() { d.preserved = d.preserved || s.Kind() == '{' }
	walk.Shape{
		"trigger", &d.trigger,
		"preTokens", &d.preTokens,
		"postTokens", &d.postTokens,
		"tokensSaved", &d.saved,
		"compactedToolIds", func() { d.calls = append(d.calls, s.Texts()...) },
		"preCompactDiscoveredTools", func() { d.tools = append(d.tools, s.Texts()...) },
		"preservedSegment", func() {
			kept()
			walk.Shape{"headUuid", &segmentHead}.Read(s)
		},
		"preservedMessages", func() {
			kept()
			walk.OneMember(s, "uuids", func() {
				if all := s.Texts(); len(all) > 0 {
					first = all[0]
				}
			})
		},
	}.Read(s)
	d.head = cmp.Or(segmentHead, first, d.head)
}
