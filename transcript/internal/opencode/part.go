package opencode

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// openCodeMessage is one message of opencode with its parts: places in the text
// {"info":…,"parts":[…]}, which the importer cuts values out of and the
// exporter fills again.
type openCodeMessage struct {
	raw   []byte
	kind  jsontext.Kind
	info  walk.Span
	parts walk.Span
	list  []openCodePart

	id, role, model, finish string
	errorName, errorText    string
	system                  walk.Span
	created, completed      int
	summary                 bool
	tokens                  openCodeTokens
}

// openCodeTokens is what opencode counted of one response.
type openCodeTokens struct {
	input, output, reasoning, cacheRead, cacheWrite int
	cost                                            walk.Span
}

// openCodePart is one part of a message.
type openCodePart struct {
	walk.Span
	id, typ, call, tool, status string
	text, input, output, failed walk.Span
	synthetic, ignored          bool
	start, end, compacted       int
	file                        openCodeFile
	files                       []openCodeFile
	opaque                      openCodeOpaque
	tokens                      openCodeTokens
	session, tail               string
	auto, interrupted           bool
	partial                     walk.Span // what an interrupted tool had said
	exit                        walk.Span // of a command
}

// openCodeFile is a file part, or an attachment of a result.
type openCodeFile struct {
	mime, name string
	url        walk.Span
}

// openCodeOpaque is the opaque data that providers want back.
type openCodeOpaque struct {
	item                                    string
	signature, redacted, encrypted, thought walk.Span
}

// parse reads {"info":…,"parts":[…]}.
func (m *openCodeMessage) parse(s *walk.Scanner) {
	s.Reset(m.raw)
	m.kind = s.Kind()
	walk.Shape{
		"info", func() { m.info = walk.Within(s, func() { m.readInfo(s) }) },
		"parts", func() {
			m.parts = walk.Within(s, func() {
				m.list = walk.Items(s, nil, func(p *openCodePart) {
					p.Span = walk.Within(s, func() { p.read(s) })
				})
			})
		},
	}.Read(s)
	s.End()
}

func (m *openCodeMessage) readInfo(s *walk.Scanner) {
	failure := walk.Shape{"name", &m.errorName, "data", walk.Inner("message", &m.errorText)}
	walk.Shape{
		"id", &m.id,
		"role", &m.role,
		"modelID", &m.model,
		"model", walk.Inner("modelID", &m.model),
		"finish", &m.finish,
		"system", &m.system,
		"summary", &m.summary, // of a user message it is an object
		"tokens", func() { m.tokens.read(s) },
		"cost", &m.tokens.cost,
		"time", walk.Inner("created", &m.created, "completed", &m.completed),
		"error", func() {
			m.errorName = "error"
			failure.Read(s)
		},
	}.Read(s)
}

func (t *openCodeTokens) read(s *walk.Scanner) {
	walk.Shape{
		"input", &t.input,
		"output", &t.output,
		"reasoning", &t.reasoning,
		"cache", walk.Inner("read", &t.cacheRead, "write", &t.cacheWrite),
	}.Read(s)
}

func (p *openCodePart) read(s *walk.Scanner) {
	walk.Shape{
		"id", &p.id,
		"type", &p.typ,
		"callID", &p.call,
		"tool", &p.tool,
		"text", &p.text,
		"synthetic", &p.synthetic,
		"ignored", &p.ignored,
		"auto", &p.auto,
		"tail_start_id", &p.tail,
		"mime", &p.file.mime,
		"filename", &p.file.name,
		"url", &p.file.url,
		"time", func() { p.readTime(s) },
		"tokens", func() { p.tokens.read(s) },
		"cost", &p.tokens.cost,
		// One object for each provider, whatever its name.
		"metadata", func() { walk.EachMember(s, func([]byte) { p.opaque.read(s) }) },
		"state", func() { p.readState(s) },
	}.Read(s)
}

func (p *openCodePart) readTime(s *walk.Scanner) {
	walk.Shape{"start", &p.start, "end", &p.end, "compacted", &p.compacted}.Read(s)
}

func (p *openCodePart) readState(s *walk.Scanner) {
	walk.Shape{
		"status", &p.status,
		"input", &p.input,
		"output", &p.output,
		"error", &p.failed,
		"time", func() { p.readTime(s) },
		"metadata", walk.Inner("sessionId", &p.session, "interrupted", &p.interrupted, "output", &p.partial, "exit", &p.exit),
		"attachments", func() {
			p.files = walk.Items(s, nil, func(f *openCodeFile) {
				walk.Shape{"mime", &f.mime, "filename", &f.name, "url", &f.url}.Read(s)
			})
		},
	}.Read(s)
}

func (o *openCodeOpaque) read(s *walk.Scanner) {
	walk.Shape{
		"itemId", &o.item,
		"signature", &o.signature,
		"redactedData", &o.redacted,
		"reasoningEncryptedContent", &o.encrypted,
		"thoughtSignature", &o.thought,
	}.Read(s)
}
