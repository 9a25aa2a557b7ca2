package geminicli

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/walk"
)

// qwenRecord is one line, with the places of what an importer reads.
type qwenRecord struct {
	raw   []byte
	kind  jsontext.Kind
	twice bool

	uuid, parent, session, stamp, typ, subtype, model, title string
	content                                                  chatapi.GeminiContent
	failed                                                   bool // a tool call
	usage                                                    geminiCLITokens
	history                                                  []chatapi.GeminiContent // of a compression
}

func (r *qwenRecord) parse(s *walk.Scanner, raw []byte) {
	*r = qwenRecord{raw: raw}
	s.Reset(raw)
	r.kind = s.Kind()
	walk.Shape{
		"uuid", &r.uuid,
		"parentUuid", &r.parent,
		"sessionId", &r.session,
		"timestamp", &r.stamp,
		"type", &r.typ,
		"subtype", &r.subtype,
		"model", &r.model,
		"message", func() {
			r.twice = r.twice || r.content.Kind != 0
			readContent(s, &r.content)
		},
		"toolCallResult", walk.Inner("status", func() { r.failed = s.Text() == "error" }),
		"usageMetadata", func() { r.usage.read(s) },
		"systemPayload", walk.Inner(
			"customTitle", &r.title,
			"compressedHistory", func() {
				r.twice = r.twice || r.history != nil
				r.history = walk.Items(s, r.history, func(g *chatapi.GeminiContent) { readContent(s, g) })
			},
		),
	}.Read(s)
	s.End()
}

// readContent reads a content; any other value leaves it empty.
func readContent(s *walk.Scanner, g *chatapi.GeminiContent) {
	if s.Kind() == '{' {
		g.Parse(s)
	} else {
		s.Value()
	}
}
