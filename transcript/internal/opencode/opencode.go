package opencode

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.OpenCode, About: "opencode sessions (export JSON, opencode.db)",
		Recognise: recognise, Import: importExport, Export: export, Client: &client, Homes: []string{".local/share/opencode"},
		HomeEnv: "XDG_DATA_HOME", HomeBase: ".local/share", Sessions: []string{"opencode*.db"}, Ran: [][]string{{"info", "directory"}},
	}
}

// Names of the entries that hold records no model sees.
const (
	SessionName       = "opencode.session" // the document, its messages cut out
	MessageName       = "opencode.message" // an assistant's message, its parts cut out
	UserName          = "opencode.user"    // a user's message that says nothing
	openCodeOtherName = "opencode.other"   // a message that could not be understood
	TodoName          = "opencode.todo"
)

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if (s.Shape != intake.ShapeObject && s.Shape != intake.ShapeLines) || len(s.Objects) != 1 || s.Others > 0 {
		return intake.No
	}
	o := s.Objects[0]
	info, messages := o.Inner["info"], o.Items["messages"]
	if strings.HasPrefix(info.Values["id"], "ses") && (info.Has("projectID") || info.Has("directory") || info.Has("slug")) {
		return intake.Certain
	}
	if len(messages) > 0 && messages[0].Has("info") && (messages[0].Has("parts") || !messages[0].Whole) && messages[0].Inner["info"].Has("role") {
		return intake.Certain
	}
	if o.Has("info", "messages") && info.Has("id") && info.Has("time") {
		return intake.Likely
	}
	return intake.No
}

// importExport reads sessions of opencode: the JSON that "opencode export"
// writes, and its database.
func importExport(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return intake.WithDocument(ctx, src, intake.OpenCode, func(d intake.Document) error {
		s := walk.Scanner{Cost: walk.PlaceCost}
		s.Reset(d.Raw)
		if k := s.Kind(); k != '{' && k != 0 {
			return d.Problem(0, errors.New("a session is a JSON object with info and messages, this is none"), "it is what opencode export writes")
		}
		var info, list walk.Span
		var messages []walk.Span
		walk.Shape{
			"info", &info,
			"messages", func() {
				messages = messages[:0]
				list = walk.Within(&s, func() {
					walk.EachItem(&s, func() { messages = append(messages, s.Value()) })
				})
			},
		}.Read(&s)
		s.End()
		if s.Err != nil {
			return d.Broken(s.Err)
		}
		if !list.Found() || d.Raw[list.From] != '[' {
			return d.Problem(0, errors.New("the session has no messages"), "it is what opencode export writes")
		}
		o := &openCodeSession{em: &engine.Emitter{Sink: sink, Place: &engine.RootLog{}, Conv: intake.Conversation{Format: intake.OpenCode}}, scan: walk.Scanner{Cost: walk.BlockCost}, calls: &intake.Ids{}, places: map[string]engine.Place{}}
		o.session(info.Of(d.Raw))
		if !info.Found() || o.em.Conv.ID == "" {
			first := d.Raw[list.From:list.To]
			if len(messages) > 0 {
				first = messages[0].Of(d.Raw)
			}
			o.em.Conv.ID = intake.ContentID(src.Name, intake.OpenCode, walk.AppendCompact(nil, first))
		}
		head := walk.Splice(d.Raw, []walk.Cut{{Span: list, With: walk.CutValue}})
		_ = o.em.Keep(o.em.Ids.Unique("session"), SessionName, walk.AppendCompact(nil, []byte(head)))
		for i, at := range messages {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			o.buf = walk.AppendCompact(o.buf[:0], at.Of(d.Raw))
			if err := o.message(o.buf); err != nil {
				return err
			}
		}
		_ = o.finish()
		return o.em.End()
	})
}

// session reads what the conversation is called.
func (o *openCodeSession) session(info []byte) {
	var id string
	var created int
	o.scan.Reset(info)
	walk.Shape{
		"id", &id,
		"title", &o.em.Conv.Title,
		"time", walk.Inner("created", &created),
		"revert", o.readRevert,
	}.Read(&o.scan)
	if id != "" {
		o.em.Conv.ID, o.em.Conv.Named = intake.ConversationID(id), true
	}
	o.em.At(millis(created))
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
	em   *engine.Emitter
	scan walk.Scanner
	buf  []byte
	// branch is "" for the session itself.
	branch string
	// calls makes call ids unique: pairs are told by position, for a redacted
	// transcript has one id for all.
	calls  *intake.Ids
	model  string
	system string

	opened intake.TurnState
	count  int // messages so far
	places map[string]engine.Place
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
	return o.em.Emit(e)
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
	if !intake.PlainID(id) {
		id = "message:" + intake.Digest([]byte(o.branch+"/"+strconv.Itoa(o.count)))
	}
	id = o.em.Ids.Unique(id)
	o.em.At(millis(m.created))
	if m.kind != '{' || !m.info.Found() || (m.role != "user" && m.role != "assistant") || raw[m.parts.From] != '[' {
		o.em.Warn.Odd(0, "message")
		return o.keep(id, openCodeOtherName, raw)
	}
	o.prune(m.created)
	o.configure(m, id)
	if m.role == "user" {
		return o.user(m, id)
	}
	return o.assistant(m, id)
}

// configure says when the model or the system prompt is another from here on.
func (o *openCodeSession) configure(m *openCodeMessage, id string) {
	var delta tenfold.ConfigDelta
	if m.model != "" && m.model != o.model && !m.summary {
		o.model, delta.Model = m.model, m.model
	}
	if m.system.Found() && m.raw[m.system.From] == '"' {
		if text, _ := o.scan.UnquoteIn(m.system, m.raw); text != o.system {
			o.system, delta.System = text, &text
		}
	}
	if delta.Model == "" && delta.System == nil || o.branch != "" {
		return
	}
	_ = o.emit(tenfold.Entry{ID: id + "/config", Payload: delta})
}

// finish hands on what was waiting for the session's end.
func (o *openCodeSession) finish() error {
	if o.pend != nil {
		o.warnNoSummary()
	}
	o.prune(int(^uint(0) >> 1))
	return o.takeBack()
}
