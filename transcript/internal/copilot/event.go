package copilot

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// Event is one event, with the places of what an importer reads.
type Event struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	typ, id, stamp, agent string

	session, source, role, model, newModel, selected, title, message, call, parentCall, tool, upTo string
	approved                                                                                       string
	success                                                                                        bool
	Content, Transformed, Reasoning, Opaque, Encrypted                                             walk.Span
	Arguments, Answer, Failed, Summary                                                             walk.Span
	before, after                                                                                  int
	output, input, cacheRead, cacheWrite                                                           int
	Attachments                                                                                    []copilotFile
	Requests                                                                                       []copilotRequest
	hasSuccess                                                                                     bool
}

// copilotRequest is a call that a message makes.
type copilotRequest struct {
	id, name  string
	Arguments walk.Span
}

// copilotFile is an attachment that carries its bytes.
type copilotFile struct {
	mediaType, name string
	Data            walk.Span
}

func (e *Event) Parse(s *walk.Scanner, raw []byte) {
	*e = Event{raw: raw, Requests: e.Requests[:0]}
	s.Reset(raw)
	e.kind = s.Kind()
	failure := walk.Shape{"message", &e.Failed}
	data := walk.Shape{
		"sessionId", &e.session,
		"source", &e.source,
		"role", &e.role,
		"model", &e.model,
		"newModel", &e.newModel,
		"selectedModel", &e.selected,
		"title", &e.title,
		"messageId", &e.message,
		"toolCallId", &e.call,
		"parentToolCallId", &e.parentCall,
		"toolName", &e.tool,
		"upToEventId", &e.upTo,
		"success", func() { e.hasSuccess, e.success = true, s.Flag() },
		"content", &e.Content,
		"transformedContent", &e.Transformed,
		"reasoningText", &e.Reasoning,
		"reasoningOpaque", &e.Opaque,
		"encryptedContent", &e.Encrypted,
		"summaryContent", &e.Summary,
		"arguments", &e.Arguments,
		"preCompactionTokens", &e.before,
		"postCompactionTokens", &e.after,
		"outputTokens", &e.output,
		"inputTokens", &e.input,
		"cacheReadTokens", &e.cacheRead,
		"cacheWriteTokens", &e.cacheWrite,
		"permissionRequest", walk.Inner("toolCallId", &e.call),
		"result", walk.Inner("content", &e.Answer, "kind", &e.approved),
		"error", func() {
			if s.Kind() == '{' {
				failure.Read(s)
			} else {
				e.Failed = s.Value()
			}
		},
		"toolRequests", func() {
			e.Requests = walk.Items(s, e.Requests, func(r *copilotRequest) {
				walk.Shape{"toolCallId", &r.id, "name", &r.name, "arguments", &r.Arguments}.Read(s)
			})
		},
		"attachments", func() {
			e.Attachments = walk.Items(s, e.Attachments, func(f *copilotFile) {
				walk.Shape{"mimeType", &f.mediaType, "displayName", &f.name, "data", &f.Data}.Read(s)
			})
		},
	}
	seen := false
	walk.Shape{
		"type", &e.typ,
		"id", &e.id,
		"timestamp", &e.stamp,
		"agentId", &e.agent,
		"data", func() {
			s.Once(&seen)
			data.Read(s)
		},
	}.Read(s)
	s.End()
	e.twice = s.Twice
}
