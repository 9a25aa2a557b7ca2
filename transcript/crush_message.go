package transcript

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// crushPart is one part of a message: places in the message's row.
type crushPart struct {
	span
	kind jsontext.Kind
	typ  string

	text, thinking, signature, thought span
	encrypted                          span
	input, content, data, url          span
	id, name, callID, toolID, item     string
	mime, path, command, output        string
	hidden, isError                    bool
	exit                               string
}

// parseCrush finds the parts in a row.
func parseCrush(s *scanner, raw []byte) (parts []crushPart, list span) {
	s.reset(raw)
	eachMember(s, func(name []byte) {
		if string(name) != `"parts"` {
			s.value()
			return
		}
		parts = nil
		list = within(s, func() {
			eachItem(s, func() {
				var p crushPart
				p.kind = s.kind()
				p.span = within(s, func() {
					eachMember(s, func(name []byte) {
						switch string(name) {
						case `"type"`:
							p.typ = s.text()
						case `"data"`:
							p.read(s)
						default:
							s.value()
						}
					})
				})
				parts = append(parts, p)
			})
		})
	})
	s.end()
	return parts, list
}

func (p *crushPart) read(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"text"`:
			p.text = s.value()
		case `"hidden"`:
			p.hidden = s.flag()
		case `"thinking"`:
			p.thinking = s.value()
		case `"signature"`:
			p.signature = s.value()
		case `"thought_signature"`:
			p.thought = s.value()
		case `"tool_id"`:
			p.toolID = s.text()
		case `"responses_data"`:
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"item_id"`:
					p.item = s.text()
				case `"encrypted_content"`:
					p.encrypted = s.value()
				default:
					s.value()
				}
			})
		case `"id"`:
			p.id = s.text()
		case `"name"`:
			p.name = s.text()
		case `"input"`:
			p.input = s.value()
		case `"tool_call_id"`:
			p.callID = s.text()
		case `"content"`:
			p.content = s.value()
		case `"is_error"`:
			p.isError = s.flag()
		case `"data"`, `"Data"`:
			p.data = s.value()
		case `"mime_type"`, `"MIMEType"`:
			p.mime = s.text()
		case `"Path"`:
			p.path = s.text()
		case `"url"`:
			p.url = s.value()
		case `"command"`:
			p.command = s.text()
		case `"output"`:
			p.output = s.text()
		case `"exit_code"`:
			p.exit = string(s.value().of(s.raw))
		default:
			s.value()
		}
	})
}

// message hands on one message.
func (s *crushSession) message(raw []byte, m crushRow) error {
	s.em.at(m.created)
	id := m.id
	if !plainID(id) {
		id = "message:" + digest([]byte(id))
	}
	id = s.em.ids.unique(id)
	parts, list := parseCrush(&s.scan, raw)
	if s.scan.err != nil || !list.found() || raw[list.from] != '[' {
		s.em.warn.add(0, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
		return s.keep(id, raw)
	}
	if m.summary {
		return s.summary(raw, id, parts)
	}
	w := &contentWriter{scan: &s.scan, raw: raw}
	var entries []tenfold.Entry
	add := func(p tenfold.Payload) { entries = append(entries, tenfold.Entry{Payload: p}) }
	typed := false
	if m.role == "user" {
		if u, said, prompt := crushUser(w, parts); said {
			typed = prompt
			add(u)
		}
	}
	for i := range parts {
		p := &parts[i]
		switch {
		case p.typ == "tool_result":
			add(crushResult(w, p))
		case p.typ == "tool_call" && p.name != "":
			call := tenfold.ToolCall{CallID: p.id, Name: p.name}
			if w.isString(p.input) {
				call.Arguments = w.text(p.input)
			}
			add(call)
		case m.role == "user":
		case p.typ == "reasoning":
			for _, r := range crushReasoning(w, p) {
				add(r)
			}
		case p.typ == "text" && w.isString(p.text):
			if text := w.text(p.text); text != "" {
				add(tenfold.AssistantMessage{Text: text})
			}
		case p.typ == "finish":
		default:
			s.em.warn.add(0, "part could not be understood and was kept as it is", "parts could not be understood and were kept as they are")
		}
	}
	if len(entries) == 0 || m.role == "system" {
		return s.keep(id, raw)
	}
	if err := s.begin(m, id, entries[0], typed); err != nil {
		return err
	}
	var started []string
	for i := range entries {
		e := &entries[i]
		e.ID = blockID(id, i)
		if i == 0 {
			e.Source = splice(raw, w.cuts)
		}
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			if child, ok := s.started[p.CallID]; ok {
				started = append(started, child)
			}
			e.MessageID = id
		case tenfold.AssistantMessage, tenfold.Reasoning:
			e.MessageID = id
		}
		if err := s.emit(*e); err != nil {
			return err
		}
	}
	for _, child := range started {
		if err := s.agent(child); err != nil {
			return err
		}
	}
	return nil
}

func (s *crushSession) keep(id string, raw []byte) error {
	return s.emit(tenfold.Entry{ID: id, Source: string(raw), Payload: tenfold.Unknown{Name: crushMessageName}})
}

// begin opens a turn where one is due, and says when the model changed.
func (s *crushSession) begin(m crushRow, id string, first tenfold.Entry, typed bool) error {
	if s.branch != "" {
		return nil
	}
	if m.model != "" && m.model != s.model {
		s.model = m.model
		if err := s.emit(tenfold.Entry{ID: id + "/config", Payload: tenfold.ConfigDelta{Model: m.model}}); err != nil {
			return err
		}
	}
	before := s.opened
	_, user := first.Payload.(tenfold.UserMessage)
	switch {
	case user && !typed && (before == turnNone || before == turnOver):
		s.opened = turnSoft
	case user && !typed, user && before == turnSoft:
		s.opened = max(before, s.opened)
		if typed {
			s.opened = turnOpen
		}
		return nil
	default:
		s.opened = turnOpen
	}
	if user || before == turnOver {
		return s.em.turn(id)
	}
	return nil
}

// summary makes an overlay of a summary: crush goes on with it, as a user's
// message, and with what comes after.
func (s *crushSession) summary(raw []byte, id string, parts []crushPart) error {
	w := &contentWriter{scan: &s.scan, raw: raw}
	text := ""
	for i := range parts {
		if p := &parts[i]; p.typ == "text" && w.isString(p.text) {
			text = w.text(p.text) // the first text is the message's
			break
		}
	}
	if strings.TrimSpace(text) == "" || s.branch != "" || !s.em.place.opened {
		s.em.warn.add(0, "compaction covers nothing of this conversation: its summary is kept and not shown",
			"compactions cover nothing of this conversation: their summaries are kept and not shown")
		return s.keep(id, raw)
	}
	s.opened = turnOver
	return s.emit(tenfold.Entry{ID: id + "/compaction", Source: splice(raw, w.cuts), Payload: tenfold.Compaction{
		ToTurn: s.em.place.turn, Source: "import", Reason: "summarised in crush",
		Summary: &tenfold.Summary{Text: text, Placement: tenfold.PlaceMessage},
	}})
}

// crushUser reads a user's message: what it says, and whether a person did.
func crushUser(w *contentWriter, parts []crushPart) (u tenfold.UserMessage, said, typed bool) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.typ == "text" && w.isString(p.text):
			text := w.text(p.text)
			if text == "" {
				continue
			}
			typed = typed || !p.hidden
			u.Parts = append(u.Parts, tenfold.TextPart(text))
		case p.typ == "shell_command":
			typed = true
			u.Parts = append(u.Parts, tenfold.TextPart("$ "+p.command+"\n"+p.output+"\n(exit code "+p.exit+")"))
		case p.typ == "binary" && w.isString(p.data):
			typed = true
			crushBinary(w, &u, p)
		case p.typ == "image_url" && w.isString(p.url):
			typed = true
			u.Parts = append(u.Parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, URI: w.text(p.url)}})
		}
	}
	u.Synthetic = !typed
	return u, len(u.Parts)+len(u.Attachments) > 0, typed
}

// crushBinary reads a file given along; crush sends text files as text.
func crushBinary(w *contentWriter, u *tenfold.UserMessage, p *crushPart) {
	if strings.HasPrefix(p.mime, "text/") {
		encoded, _ := w.scan.unquoteIn(p.data, w.raw)
		if text, err := base64.StdEncoding.DecodeString(encoded); err == nil && utf8.Valid(text) {
			if base64.StdEncoding.EncodeToString(text) == encoded {
				w.cuts = append(w.cuts, cut{p.data, cutText})
			}
			u.Attachments = append(u.Attachments, tenfold.Attachment{Name: p.path, MediaType: p.mime, Content: string(text)})
			return
		}
	}
	u.Parts = append(u.Parts, tenfold.Part{File: crushFile(w, p)})
}

func crushFile(w *contentWriter, p *crushPart) *tenfold.File {
	f := &tenfold.File{Type: tenfold.PartFile, Name: p.path, MediaType: p.mime, URI: "data:" + p.mime + ";base64," + w.text(p.data)}
	if strings.HasPrefix(p.mime, "image/") {
		f.Type = tenfold.PartImage
	}
	return f
}

func crushResult(w *contentWriter, p *crushPart) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: p.callID, IsError: p.isError}
	if w.isString(p.content) {
		if text := w.text(p.content); text != "" {
			r.Parts = append(r.Parts, tenfold.TextPart(text))
		}
	}
	if w.isString(p.data) && p.mime != "" && p.data.to-p.data.from > 2 {
		r.Parts = append(r.Parts, tenfold.Part{File: crushFile(w, p)})
	}
	return r
}

// crushReasoning reads reasoning; a Gemini signature that stands on a call is
// one of its own.
func crushReasoning(w *contentWriter, p *crushPart) (list []tenfold.Reasoning) {
	var r tenfold.Reasoning
	if w.isString(p.thinking) {
		r.Text = w.text(p.thinking)
	}
	opaque := func(at span) string {
		if !w.isString(at) || at.to-at.from == 2 {
			return ""
		}
		return w.text(at)
	}
	signature, thought, encrypted := opaque(p.signature), opaque(p.thought), opaque(p.encrypted)
	switch {
	case signature != "":
		r.Provider, r.Signature = "anthropic", signature
	case encrypted != "" || p.item != "":
		r.Provider, r.Encrypted, r.ItemID = "openai", encrypted, p.item
	case thought != "" && p.toolID == "":
		r.Provider, r.Signature = "gemini", thought
	}
	if r != (tenfold.Reasoning{}) {
		list = append(list, r)
	}
	if thought != "" && (p.toolID != "" || r.Provider != "gemini") {
		list = append(list, tenfold.Reasoning{Provider: "gemini", Signature: thought, CallID: p.toolID})
	}
	return list
}
