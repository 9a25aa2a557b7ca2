package pi

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// Record is one line, with the places of what an importer reads.
type Record struct {
	raw   []byte
	line  int
	kind  jsontext.Kind
	twice bool

	Typ, id, parent, stamp, modelID, name, firstKept, target string
	hasParent, omits                                         bool
	tokens                                                   int
	level, FirstIndex, Summary                               walk.Span
	// ours says that Tenfold made the line, a compaction.
	ours bool
	Msg  piMessage
	seen bool
}

// piMessage is the message of a line; a custom_message has its members in the
// line itself, and a message that stands alone is the line.
type piMessage struct {
	role, api, provider, model, stop, call, command, output, fullOutput string
	content                                                             walk.Span
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
	walk.Span
	typ, id, name, mediaType                   string
	text, thinking, signature, arguments, data walk.Span
	thought                                    walk.Span
	redacted                                   bool
}

func (r *Record) Parse(s *walk.Scanner, raw []byte) {
	blocks := r.Msg.blocks[:0]
	*r = Record{raw: raw}
	s.Reset(raw)
	r.kind = s.Kind()
	m := &r.Msg
	message := walk.Shape{
		"role", &m.role,
		"api", &m.api,
		"provider", &m.provider,
		"model", &m.model,
		"stopReason", &m.stop,
		"toolCallId", &m.call,
		"isError", &m.isError,
		"command", &m.command,
		"output", &m.output,
		"fullOutputPath", &m.fullOutput,
		"exitCode", func() { m.exit, _ = strconv.Atoi(string(s.Value().Of(raw))) },
		"cancelled", &m.cancelled,
		"truncated", &m.truncated,
		"excludeFromContext", &m.excluded,
		"timestamp", &m.millis,
		"usage", func() { m.usage.read(s) },
		"content",
		walk.List{At: &m.content, Read: func() { m.blocks = readBlocks(s, blocks) }},
	}
	line := walk.Shape{
		"type", &r.Typ,
		"id", &r.id,
		"parentId", func() { r.hasParent, r.parent = true, s.Text() },
		"timestamp", func() {
			if s.Kind() == '0' {
				m.millis = s.Number(s.Value())
			} else {
				r.stamp = s.Text()
			}
		},
		"modelId", &r.modelID,
		"name", &r.name,
		"firstKeptEntryId", &r.firstKept,
		"firstKeptEntryIndex", func() { r.FirstIndex = s.Value() },
		"targetId", &r.target,
		"replacement", func() {
			r.omits = s.Kind() == 'n'
			s.Value()
		},
		"tokensBefore", &r.tokens,
		"thinkingLevel", func() { r.level = s.Value() },
		"details",
		walk.Shape{"tenfold", func() {
			r.ours = s.Kind() == '{'
			s.Value()
		}},
		"summary", &r.Summary,
		"message", func() {
			s.Once(&r.seen)
			message.Read(s)
		},
	}
	line.Read(s, message)
	s.End()
	r.twice = s.Twice
}

func (u *piUsage) read(s *walk.Scanner) {
	u.found = s.Kind() == '{'
	walk.Shape{
		"input", &u.input,
		"output", &u.output,
		"cacheRead", &u.cacheRead,
		"cacheWrite", &u.cacheWrite,
		"cost",
		walk.Shape{"total", func() {
			if f, err := strconv.ParseFloat(string(s.Value().Of(s.Raw)), 64); err == nil {
				u.cost = &f
			}
		}},
	}.Read(s)
}

// counts reports whether a provider counted anything at all.
func (u piUsage) counts() bool {
	return u.found && (u.input|u.output|u.cacheRead|u.cacheWrite != 0 || (u.cost != nil && *u.cost != 0))
}

// readBlocks reads a content list. It never gives nil.
func readBlocks(s *walk.Scanner, into []piBlock) []piBlock {
	if into == nil {
		into = []piBlock{}
	}
	return walk.Items(s, into, func(b *piBlock) {
		b.Span = walk.Within(s, func() {
			walk.Shape{
				"type", &b.typ,
				"id", &b.id,
				"name", &b.name,
				"mimeType", &b.mediaType,
				"redacted", &b.redacted,
				"text", &b.text,
				"thinking", &b.thinking,
				"thinkingSignature", &b.signature,
				"thoughtSignature", &b.thought,
				"arguments", &b.arguments,
				"data", &b.data,
			}.Read(s)
		})
	})
}
