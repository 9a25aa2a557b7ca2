package crush

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// crushPart is one part of a message: places in the message's row.
type crushPart struct {
	walk.Span
	typ string

	text, thinking, signature, thought walk.Span
	encrypted                          walk.Span
	input, content, data, url          walk.Span
	id, name, callID, toolID, item     string
	mime, path, command, output        string
	hidden, isError                    bool
	exit                               string
}

// parseCrush finds the parts in a row.
func parseCrush(s *walk.Scanner, raw []byte) (parts []crushPart, list walk.Span) {
	s.Reset(raw)
	walk.Shape{"parts", func() {
		list = walk.Within(s, func() {
			parts = walk.Items(s, nil, func(p *crushPart) {
				p.Span = walk.Within(s, func() {
					walk.Shape{"type", &p.typ, "data", func() { p.read(s) }}.Read(s)
				})
			})
		})
	}}.Read(s)
	s.End()
	return parts, list
}

func (p *crushPart) read(s *walk.Scanner) {
	walk.Shape{
		"text", &p.text,
		"hidden", &p.hidden,
		"thinking", &p.thinking,
		"signature", &p.signature,
		"thought_signature", &p.thought,
		"tool_id", &p.toolID,
		"responses_data", walk.Inner("item_id", &p.item, "encrypted_content", &p.encrypted),
		"id", &p.id,
		"name", &p.name,
		"input", &p.input,
		"tool_call_id", &p.callID,
		"content", &p.content,
		"is_error", &p.isError,
		"data", &p.data, // of a result
		"Data", &p.data, // of a file
		"mime_type", &p.mime,
		"MIMEType", &p.mime,
		"Path", &p.path,
		"url", &p.url,
		"command", &p.command,
		"output", &p.output,
		"exit_code", func() { p.exit = string(s.Value().Of(s.Raw)) },
	}.Read(s)
}

// Message hands on one message.
func (s *Session) Message(raw []byte, m Row) error {
	s.Em.At(m.Created)
	id := m.ID
	if !intake.PlainID(id) {
		id = "message:" + intake.Digest([]byte(id))
	}
	id = s.Em.Ids.Unique(id)
	parts, list := parseCrush(&s.scan, raw)
	if s.scan.Err != nil || !list.Found() || raw[list.From] != '[' {
		s.Em.Warn.Odd(0, "message")
		return s.keep(id, raw)
	}
	if m.Summary {
		return s.summary(raw, id, parts)
	}
	w := &engine.Finder{Scan: &s.scan, Raw: raw}
	var entries []tenfold.Entry
	add := func(p tenfold.Payload) { entries = append(entries, tenfold.Entry{Payload: p}) }
	typed := false
	if m.Role == "user" {
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
			add(tenfold.ToolCall{CallID: p.id, Name: p.name, Arguments: w.Text(p.input)})
		case m.Role == "user":
		case p.typ == "reasoning":
			for _, r := range crushReasoning(w, p) {
				add(r)
			}
		case p.typ == "text" && w.IsString(p.text):
			if text := w.Text(p.text); text != "" {
				add(tenfold.AssistantMessage{Text: text})
			}
		case p.typ == "finish":
		default:
			s.Em.Warn.Odd(0, "part")
		}
	}
	if len(entries) == 0 || m.Role == "system" {
		return s.keep(id, raw)
	}
	s.begin(m, id, entries[0], typed)
	var started []string
	for i := range entries {
		e := &entries[i]
		e.ID = intake.BlockID(id, i)
		if i == 0 {
			e.Source = w.Done()
		}
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			if child, ok := s.Started[p.CallID]; ok {
				started = append(started, child)
			}
			e.MessageID = id
		case tenfold.AssistantMessage, tenfold.Reasoning:
			e.MessageID = id
		}
		_ = s.Emit(*e)
	}
	for _, child := range started {
		if err := s.agent(child); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) keep(id string, raw []byte) error {
	return s.Emit(tenfold.Entry{ID: id, Source: string(raw), Payload: tenfold.Unknown{Name: crushMessageName}})
}

// begin opens a turn where one is due, and says when the model changed.
func (s *Session) begin(m Row, id string, first tenfold.Entry, typed bool) {
	if s.Name != "" {
		return
	}
	if m.model != "" && m.model != s.model {
		s.model = m.model
		_ = s.Emit(tenfold.Entry{ID: id + "/config", Payload: tenfold.ConfigDelta{Model: m.model}})
	}
	var begins bool
	if _, user := first.Payload.(tenfold.UserMessage); user {
		begins = s.opened.Said(typed)
	} else {
		begins = s.opened.Answered()
	}
	if begins {
		s.Em.Turn(id)
	}
}

// summary makes an overlay of a summary: crush goes on with it, as a user's
// message, and with what comes after.
func (s *Session) summary(raw []byte, id string, parts []crushPart) error {
	w := &engine.Finder{Scan: &s.scan, Raw: raw}
	text := ""
	for i := range parts {
		if p := &parts[i]; p.typ == "text" && w.IsString(p.text) {
			text = w.Text(p.text) // the first text is the message's
			break
		}
	}
	if strings.TrimSpace(text) == "" || s.Name != "" || !s.Em.Place.Opened {
		s.Em.Warn.Add(0, "compaction covers nothing of this conversation: its summary is kept and not shown",
			"compactions cover nothing of this conversation: their summaries are kept and not shown")
		return s.keep(id, raw)
	}
	s.opened = intake.TurnOver
	return s.Emit(tenfold.Entry{ID: id + "/compaction", Source: w.Done(), Payload: engine.Summarised(s.Em.Place.Turn, "summarised in crush", text)})
}

// crushUser reads a user's message: what it says, and whether a person did.
func crushUser(w *engine.Finder, parts []crushPart) (u tenfold.UserMessage, said, typed bool) {
	shell := 0 // parts that a command of the person's printed
	for i := range parts {
		p := &parts[i]
		switch {
		case p.typ == "text" && w.IsString(p.text):
			text := w.Text(p.text)
			if text == "" {
				continue
			}
			typed = typed || !p.hidden
			u.Parts = append(u.Parts, tenfold.TextPart(text))
		case p.typ == "shell_command":
			typed = true
			shell++
			u.Parts = append(u.Parts, tenfold.TextPart("$ "+p.command+"\n"+p.output+"\n(exit code "+p.exit+")"))
		case p.typ == "binary" && w.IsString(p.data):
			typed = true
			crushBinary(w, &u, p)
		case p.typ == "image_url" && w.IsString(p.url):
			typed = true
			u.Parts = append(u.Parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, URI: w.Text(p.url)}})
		}
	}
	u.Synthetic = !typed
	switch u.Purpose = purpose.Of(u); {
	case u.Purpose != tenfold.Request:
	case u.Synthetic, shell > 0 && shell == len(u.Parts)+len(u.Attachments):
		u.Purpose, u.Synthetic = tenfold.Notice, true
	}
	return u, len(u.Parts)+len(u.Attachments) > 0, typed
}

// crushBinary reads a file given along; crush sends text files as text.
func crushBinary(w *engine.Finder, u *tenfold.UserMessage, p *crushPart) {
	if strings.HasPrefix(p.mime, "text/") {
		encoded, _ := w.Scan.UnquoteIn(p.data, w.Raw)
		if text, err := base64.StdEncoding.DecodeString(encoded); err == nil && utf8.Valid(text) {
			if base64.StdEncoding.EncodeToString(text) == encoded {
				w.Cuts = append(w.Cuts, walk.Cut{Span: p.data, With: walk.CutText})
			}
			u.Attachments = append(u.Attachments, tenfold.Attachment{Name: p.path, MediaType: p.mime, Content: string(text)})
			return
		}
	}
	u.Parts = append(u.Parts, crushFile(w, p))
}

func crushFile(w *engine.Finder, p *crushPart) tenfold.Part {
	return engine.FilePart(p.path, p.mime, engine.Inline(p.mime, w.Text(p.data)))
}

func crushResult(w *engine.Finder, p *crushPart) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: p.callID, IsError: p.isError}
	if text := w.Text(p.content); text != "" {
		r.Parts = append(r.Parts, tenfold.TextPart(text))
	}
	if w.IsString(p.data) && p.mime != "" && p.data.To-p.data.From > 2 {
		r.Parts = append(r.Parts, crushFile(w, p))
	}
	return r
}

// crushReasoning reads reasoning; a Gemini signature that stands on a call is
// one of its own.
func crushReasoning(w *engine.Finder, p *crushPart) (list []tenfold.Reasoning) {
	r := tenfold.Reasoning{Text: w.Text(p.thinking)}
	opaque := func(at walk.Span) string {
		if !w.IsString(at) || at.To-at.From == 2 {
			return ""
		}
		return w.Text(at)
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
