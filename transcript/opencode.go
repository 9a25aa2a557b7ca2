package transcript

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenfold"
)

// openCodeImporter reads sessions of opencode: the JSON that "opencode export"
// writes, and its database.
type openCodeImporter struct{}

func openCodeHandler() handler {
	return handler{
		format: OpenCode, about: "opencode sessions (export JSON, opencode.db)",
		importer: openCodeImporter{}, exporter: openCodeExporter{}, homes: []string{".local/share/opencode"},
		homeEnv: "XDG_DATA_HOME", homeBase: ".local/share",
	}
}

// Names of the entries that hold records no model sees.
const (
	openCodeSessionName = "opencode.session" // the document, its messages cut out
	openCodeMessageName = "opencode.message" // an assistant's message, its parts cut out
	openCodeUserName    = "opencode.user"    // a user's message that says nothing
	openCodeOtherName   = "opencode.other"   // a message that could not be understood
	openCodeTodoName    = "opencode.todo"
)

// Recognise implements [Importer].
func (openCodeImporter) Recognise(h Head) Confidence {
	s := h.json
	if (s.shape != shapeObject && s.shape != shapeLines) || len(s.objects) != 1 || s.others > 0 {
		return No
	}
	o := s.objects[0]
	info, messages := o.inner["info"], o.items["messages"]
	if strings.HasPrefix(info.values["id"], "ses") && (info.has("projectID") || info.has("directory") || info.has("slug")) {
		return Certain
	}
	if len(messages) > 0 && messages[0].has("info") && (messages[0].has("parts") || !messages[0].whole) && messages[0].inner["info"].has("role") {
		return Certain
	}
	if o.has("info", "messages") && info.has("id") && info.has("time") {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (openCodeImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return withDocument(ctx, src, OpenCode, func(d document) error { return importOpenCode(ctx, src, d, sink) })
}

func importOpenCode(ctx context.Context, src Source, d document, sink Sink) error {
	s := scanner{cost: placeCost}
	s.reset(d.raw)
	if k := s.kind(); k != '{' && k != 0 {
		return d.problem(src, OpenCode, 0, errors.New("a session is a JSON object with info and messages, this is none"), "it is what opencode export writes")
	}
	var info, list span
	var messages []span
	eachMember(&s, func(name []byte) {
		switch string(name) {
		case `"info"`:
			info = s.value()
		case `"messages"`:
			messages = messages[:0]
			list = within(&s, func() {
				eachItem(&s, func() { messages = append(messages, s.value()) })
			})
		default:
			s.value()
		}
	})
	s.end()
	if s.err != nil {
		return d.broken(s.err)
	}
	if !list.found() || d.raw[list.from] != '[' {
		return d.problem(src, OpenCode, 0, errors.New("the session has no messages"), "it is what opencode export writes")
	}
	o := &openCodeSession{em: &emitter{sink: sink, place: &rootLog{}, conv: Conversation{Format: OpenCode}}, scan: scanner{cost: blockCost}, calls: &ids{}, places: map[string]place{}}
	o.session(info.of(d.raw))
	if !info.found() || o.em.conv.ID == "" {
		first := d.raw[list.from:list.to]
		if len(messages) > 0 {
			first = messages[0].of(d.raw)
		}
		o.em.conv.ID = contentID(src.Name, OpenCode, appendCompact(nil, first))
	}
	head := splice(d.raw, []cut{{list, cutValue}})
	if err := o.em.keep(o.em.ids.unique("session"), openCodeSessionName, appendCompact(nil, []byte(head))); err != nil {
		return err
	}
	for i, at := range messages {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o.buf = appendCompact(o.buf[:0], at.of(d.raw))
		if err := o.message(o.buf); err != nil {
			return err
		}
	}
	if err := o.finish(); err != nil {
		return err
	}
	return o.em.end()
}

// session reads what the conversation is called.
func (o *openCodeSession) session(info []byte) {
	var created int
	o.scan.reset(info)
	eachMember(&o.scan, func(name []byte) {
		switch string(name) {
		case `"id"`:
			if id := o.scan.text(); id != "" {
				o.em.conv.ID, o.em.conv.Named = conversationID(id), true
			}
		case `"title"`:
			o.em.conv.Title = o.scan.text()
		case `"time"`:
			eachMember(&o.scan, func(name []byte) {
				at := o.scan.value()
				if string(name) == `"created"` {
					created = o.scan.number(at)
				}
			})
		case `"revert"`:
			o.readRevert()
		default:
			o.scan.value()
		}
	})
	o.em.at(millis(created))
}

// millis is a time in milliseconds; zero is none.
func millis(ms int) time.Time {
	if ms <= 0 || int64(ms) > 1<<47 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// openCodeSession hands on the entries of one session, and of those its agents
// had, each on a branch of its own.
type openCodeSession struct {
	em   *emitter
	scan scanner
	buf  []byte
	// branch is "" for the session itself.
	branch string
	// calls makes call ids unique: pairs are told by position, for a redacted
	// transcript has one id for all.
	calls  *ids
	model  string
	system string

	opened turnState
	count  int // messages so far
	places map[string]place
	pend   *openCodeCompaction
	pruned []openCodePruned
	revert openCodeRevert

	step    string // message id of the response under way
	results []tenfold.Entry
	started []string // sessions that the calls under way started
	// agent hands on the session of a sub-agent; nil when there is none.
	agent func(session string) error
}

func (o *openCodeSession) emit(e tenfold.Entry) error {
	e.Branch = o.branch
	return o.em.emit(e)
}

func (o *openCodeSession) keep(id string, name tenfold.Kind, raw []byte) error {
	return o.emit(tenfold.Entry{ID: id, Source: string(raw), Payload: tenfold.Unknown{Name: name}})
}

// message takes one message: {"info":…,"parts":[…]} on one line.
func (o *openCodeSession) message(raw []byte) error {
	m := &openCodeMessage{raw: raw}
	m.parse(&o.scan)
	o.count++
	id := m.id
	if !plainID(id) {
		id = "message:" + digest([]byte(o.branch+"/"+itoa(o.count)))
	}
	id = o.em.ids.unique(id)
	o.em.at(millis(m.created))
	if m.kind != '{' || !m.info.found() || (m.role != "user" && m.role != "assistant") || raw[m.parts.from] != '[' {
		o.em.warn.add(0, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
		return o.keep(id, openCodeOtherName, raw)
	}
	if err := o.prune(m.created); err != nil {
		return err
	}
	if err := o.configure(m, id); err != nil {
		return err
	}
	if m.role == "user" {
		return o.user(m, id)
	}
	return o.assistant(m, id)
}

// configure says when the model or the system prompt is another from here on.
func (o *openCodeSession) configure(m *openCodeMessage, id string) error {
	var delta tenfold.ConfigDelta
	if m.model != "" && m.model != o.model && !m.summary {
		o.model, delta.Model = m.model, m.model
	}
	if m.system.found() && m.raw[m.system.from] == '"' {
		if text, _ := o.scan.unquoteIn(m.system, m.raw); text != o.system {
			o.system, delta.System = text, &text
		}
	}
	if delta.Model == "" && delta.System == nil || o.branch != "" {
		return nil
	}
	return o.emit(tenfold.Entry{ID: id + "/config", Payload: delta})
}

// finish hands on what was waiting for the session's end.
func (o *openCodeSession) finish() error {
	if o.pend != nil {
		o.warnNoSummary()
	}
	if err := o.prune(int(^uint(0) >> 1)); err != nil {
		return err
	}
	return o.takeBack()
}
