package opencode

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
)

// openCodeMessage is one message of opencode with its parts: places in the text
// {"info":…,"parts":[…]}, which the importer cuts values out of and the
// exporter fills again.
type openCodeMessage struct {
	raw   []byte
	kind  jsontext.Kind
	info  engine.Span
	parts engine.Span
	list  []openCodePart

	id, role, parent, model, finish string
	errorName, errorText            string
	system                          engine.Span
	created, completed              int
	summary                         bool
	tokens                          openCodeTokens
}

// openCodeTokens is what opencode counted of one response.
type openCodeTokens struct {
	input, output, reasoning, cacheRead, cacheWrite int
	cost                                            engine.Span
}

// openCodePart is one part of a message.
type openCodePart struct {
	engine.Span
	kind jsontext.Kind

	id, typ, call, tool, status string
	text, input, output, failed engine.Span
	synthetic, ignored          bool
	start, end, compacted       int
	file                        openCodeFile
	files                       []openCodeFile
	opaque                      openCodeOpaque
	tokens                      openCodeTokens
	session, tail               string
	auto, interrupted           bool
	partial                     engine.Span // what an interrupted tool had said
	exit                        engine.Span // of a command
}

// openCodeFile is a file part, or an attachment of a result.
type openCodeFile struct {
	mime, name string
	url        engine.Span
}

// openCodeOpaque is the opaque data that providers want back.
type openCodeOpaque struct {
	item                                    string
	signature, redacted, encrypted, thought engine.Span
}

// parse reads {"info":…,"parts":[…]}.
func (m *openCodeMessage) parse(s *engine.Scanner) {
	s.Reset(m.raw)
	m.kind = s.Kind()
	engine.Shape{
		"info", func() { m.info = engine.Within(s, func() { m.readInfo(s) }) },
		"parts", func() {
			m.list = nil
			m.parts = engine.Within(s, func() {
				engine.EachItem(s, func() {
					p := openCodePart{kind: s.Kind()}
					p.Span = engine.Within(s, func() { p.read(s) })
					m.list = append(m.list, p)
				})
			})
		},
	}.Read(s)
	s.End()
}

func (m *openCodeMessage) readInfo(s *engine.Scanner) {
	failure := engine.Shape{"name", &m.errorName, "data", engine.Inner("message", &m.errorText)}
	engine.Shape{
		"id", &m.id,
		"role", &m.role,
		"parentID", &m.parent,
		"modelID", &m.model,
		"model", engine.Inner("modelID", &m.model),
		"finish", &m.finish,
		"system", &m.system,
		"summary", &m.summary, // of a user message it is an object
		"tokens", func() { m.tokens.read(s) },
		"cost", &m.tokens.cost,
		"time", engine.Inner("created", &m.created, "completed", &m.completed),
		"error", func() {
			m.errorName = "error"
			failure.Read(s)
		},
	}.Read(s)
}

func (t *openCodeTokens) read(s *engine.Scanner) {
	engine.Shape{
		"input", &t.input,
		"output", &t.output,
		"reasoning", &t.reasoning,
		"cache", engine.Inner("read", &t.cacheRead, "write", &t.cacheWrite),
	}.Read(s)
}

func (p *openCodePart) read(s *engine.Scanner) {
	engine.Shape{
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
		"metadata", func() { engine.EachMember(s, func([]byte) { p.opaque.read(s) }) },
		"state", func() { p.readState(s) },
	}.Read(s)
}

func (p *openCodePart) readTime(s *engine.Scanner) {
	engine.Shape{"start", &p.start, "end", &p.end, "compacted", &p.compacted}.Read(s)
}

func (p *openCodePart) readState(s *engine.Scanner) {
	engine.Shape{
		"status", &p.status,
		"input", &p.input,
		"output", &p.output,
		"error", &p.failed,
		"time", func() { p.readTime(s) },
		"metadata", engine.Inner("sessionId", &p.session, "interrupted", &p.interrupted, "output", &p.partial, "exit", &p.exit),
		"attachments", func() {
			p.files = nil
			engine.EachItem(s, func() {
				var f openCodeFile
				engine.Shape{"mime", &f.mime, "filename", &f.name, "url", &f.url}.Read(s)
				p.files = append(p.files, f)
			})
		},
	}.Read(s)
}

func (o *openCodeOpaque) read(s *engine.Scanner) {
	engine.Shape{
		"itemId", &o.item,
		"signature", &o.signature,
		"redactedData", &o.redacted,
		"reasoningEncryptedContent", &o.encrypted,
		"thoughtSignature", &o.thought,
	}.Read(s)
}
