package opencode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
)

// A drawing makes the messages that show a projection of a document.
type drawing struct {
	*document
	p *tenfold.Projection
	// known are the ids of messages that opencode has at hand.
	known map[string]bool
	out   []jsontext.Value
	made  int // messages made up

	// The message under way, its items by the id of the record they came from.
	at    int
	items map[string][]tenfold.Item
}

// draw gives the messages that show the projection: ids of those to be sent as
// opencode has them, and objects. Thinking that is bound to a prefix is shown
// nowhere, for the prefix is another (B1).
func draw(p *tenfold.Projection, d *document, known []told) ([]jsontext.Value, error) {
	w := &drawing{document: d, p: p, known: map[string]bool{}, at: -1}
	for _, m := range known {
		w.known[m.ID] = true
	}
	if text := p.Continuation(); text != "" {
		w.add("user", text)
	}
	for it := range p.Items() {
		if err := w.item(it); err != nil {
			return nil, err
		}
	}
	return w.out, w.flush()
}

// item takes in one item. What came from a message is drawn when all of it is
// there.
func (w *drawing) item(it tenfold.Item) error {
	if it.Added == tenfold.AddedPlaceholder {
		return nil // opencode says itself that a call was interrupted
	}
	if it.Seq == 0 {
		if err := w.flush(); err != nil {
			return err
		}
		switch payload := it.Payload.(type) {
		case tenfold.UserMessage:
			w.add("user", textOf(payload.Parts))
		case tenfold.AssistantMessage:
			w.add("assistant", payload.Text)
		default:
			return fmt.Errorf("the view holds a %s that is of no message", it.Payload.Kind())
		}
		return nil
	}
	record, _, _ := strings.Cut(it.ID, "/")
	at, ok := w.byMessage[record]
	if !ok {
		part, found := w.byPart[record]
		if !found {
			return fmt.Errorf("entry %s is of no message", it.ID)
		}
		at = part.message
	}
	if at != w.at {
		if err := w.flush(); err != nil {
			return err
		}
		w.at, w.items = at, map[string][]tenfold.Item{}
	}
	w.items[record] = append(w.items[record], it)
	return nil
}

// add adds a message of our own.
func (w *drawing) add(role, text string) {
	w.made++
	id := "msg_tenfold_" + strconv.Itoa(w.made)
	info := slices.Concat([]byte(`{"id":`), rawjson.Quote(id), []byte(`,"role":`), rawjson.Quote(role), []byte("}"))
	w.message(info, madePart("prt_tenfold_"+strconv.Itoa(w.made), id, text))
}

// madePart is a text of our own in a message.
func madePart(id, message, text string) jsontext.Value {
	return slices.Concat([]byte(`{"id":`), rawjson.Quote(id), []byte(`,"messageID":`), rawjson.Quote(message),
		[]byte(`,"type":"text","text":`), rawjson.Quote(text), []byte(`,"synthetic":true}`))
}

func (w *drawing) message(info jsontext.Value, parts ...jsontext.Value) {
	w.write(slices.Concat([]byte(`{"info":`), info, []byte(`,"parts":`), rawjson.List(parts), []byte("}")))
}

func (w *drawing) write(v jsontext.Value) { w.out = append(w.out, v) }

// flush draws the message under way.
func (w *drawing) flush() error {
	if w.at < 0 {
		return nil
	}
	m := &w.messages[w.at]
	items := w.items
	w.at, w.items = -1, nil
	if m.info.Role == "user" {
		return w.user(m, items[m.info.ID])
	}
	return w.assistant(m, items)
}

// whole draws a message as opencode has it.
func (w *drawing) whole(m *message) {
	if w.known[m.info.ID] {
		w.write(rawjson.Quote(m.info.ID))
		return
	}
	w.write(m.raw)
}

// user draws a user's message. One that is only noted keeps what opencode has at
// hand, which may say more than what it stores, such as its plan mode's reminder.
func (w *drawing) user(m *message, items []tenfold.Item) error {
	if len(items) != 1 {
		return fmt.Errorf("message %s is shown %d times", m.info.ID, len(items))
	}
	it := items[0]
	said, ok := it.Payload.(tenfold.UserMessage)
	if !ok {
		return fmt.Errorf("message %s is shown as a %s", m.info.ID, it.Payload.Kind())
	}
	var before []jsontext.Value
	parts := said.Parts
	if it.Noted && len(parts) > 0 {
		before, parts = append(before, madePart("prt_tenfold_note", m.info.ID, parts[0].Text)), parts[1:]
	}
	if it.Fate == tenfold.Kept && len(before) == 0 {
		w.whole(m)
		return nil
	}
	if it.Fate == tenfold.Kept && w.known[m.info.ID] {
		w.write(slices.Concat([]byte(`{"id":`), rawjson.Quote(m.info.ID), []byte(`,"before":`), rawjson.List(before), []byte("}")))
		return nil
	}
	shown := before
	for _, p := range m.parts {
		if p.Type == "text" && !p.Ignored || p.Type == "file" || p.Type == "subtask" {
			if len(parts) == 0 {
				return fmt.Errorf("message %s has more parts than are shown", m.info.ID)
			}
			text := parts[0]
			if parts = parts[1:]; p.Type == "text" && it.Fate != tenfold.Kept {
				var err error
				if p.raw, err = editText(p.raw, text.Text); err != nil {
					return err
				}
			}
		}
		shown = append(shown, p.raw)
	}
	w.message(m.head, shown...)
	return nil
}

// assistant draws a response: its parts that are shown, as they are shown.
func (w *drawing) assistant(m *message, items map[string][]tenfold.Item) error {
	var parts []jsontext.Value
	edited := false
	for _, p := range m.parts {
		raw, shown, err := w.part(p, items[p.ID])
		if err != nil {
			return fmt.Errorf("part %s: %w", p.ID, err)
		}
		if !shown {
			edited = true
			continue
		}
		edited = edited || string(raw) != string(p.raw)
		parts = append(parts, raw)
	}
	if !edited {
		w.whole(m)
		return nil
	}
	if w.reasoned(m) {
		for i, raw := range parts {
			o, err := rawjson.Parse(raw)
			if err != nil {
				return err
			}
			// It names items that the provider takes only with their reasoning.
			o.Delete("metadata")
			parts[i] = o.Bytes()
		}
	}
	w.message(m.head, parts...)
	return nil
}

// reasoned tells whether a response had reasoning that is bound, which is never
// shown. Gemini's does not count: its signatures stand on the calls, which it
// refuses without.
func (w *drawing) reasoned(m *message) bool {
	return slices.ContainsFunc(m.parts, func(p part) bool {
		e, _ := w.p.Log().Lookup(p.ID)
		r, ok := e.Payload.(tenfold.Reasoning)
		return ok && bound(r) && r.Provider != "gemini"
	})
}

// bound tells whether reasoning carries what a vendor checks.
func bound(r tenfold.Reasoning) bool {
	return r.CallID == "" && (r.Signature != "" || r.Encrypted != "" || r.ItemID != "")
}

// part draws a part of a response; shown is false for one that is left out.
func (w *drawing) part(p part, items []tenfold.Item) (raw jsontext.Value, shown bool, err error) {
	raw = p.raw
	for _, it := range items {
		switch payload := it.Payload.(type) {
		case tenfold.AssistantMessage:
			shown = true
			if it.Fate != tenfold.Kept {
				raw, err = editText(raw, payload.Text)
			}
		case tenfold.Reasoning:
			if payload.CallID != "" {
				continue // it stands on the call
			}
			if shown = !bound(payload); shown && it.Fate != tenfold.Kept {
				raw, err = editText(raw, payload.Text)
			}
		case tenfold.ToolCall:
			shown = true
			if args := jsontext.Value(payload.Arguments); it.Fate != tenfold.Kept && args.Kind() == '{' && args.IsValid() {
				raw, err = editMember(raw, "state", func(state *rawjson.Object) error { state.Set("input", args); return nil })
			}
		case tenfold.ToolResult:
			if it.Fate != tenfold.Kept {
				raw, err = editMember(raw, "state", func(state *rawjson.Object) error { return editResult(state, payload) })
			}
		default:
			shown = true
		}
		if err != nil {
			return nil, false, err
		}
	}
	if len(items) > 0 {
		return raw, shown, nil
	}
	// What no model sees is of no account, but for where steps begin. A part that a
	// model saw and that has no item is hidden.
	switch p.Type {
	case "text", "reasoning", "tool", "file":
		e, ok := w.p.Log().Lookup(p.ID)
		return raw, !ok || !e.Payload.Kind().Visible(), nil
	}
	return raw, true, nil
}

func editText(raw jsontext.Value, text string) (jsontext.Value, error) {
	o, err := rawjson.Parse(raw)
	if err != nil {
		return nil, err
	}
	o.Set("text", rawjson.Quote(text))
	return o.Bytes(), nil
}

// editMember changes a member that is an object itself.
func editMember(raw jsontext.Value, name string, change func(*rawjson.Object) error) (jsontext.Value, error) {
	o, err := rawjson.Parse(raw)
	if err != nil {
		return nil, err
	}
	inner, err := rawjson.Parse(o.Get(name))
	if err != nil {
		return nil, err
	}
	if err := change(&inner); err != nil {
		return nil, err
	}
	o.Set(name, inner.Bytes())
	return o.Bytes(), nil
}

// editResult has a call's state say what is shown of its result. Where opencode
// cleared it, that mark goes, for opencode would show its own words instead.
func editResult(state *rawjson.Object, r tenfold.ToolResult) error {
	text := rawjson.Quote(textOf(r.Parts))
	if string(state.Get("status")) == `"error"` {
		state.Set("error", text)
		if about, err := rawjson.Parse(state.Get("metadata")); err == nil && string(about.Get("interrupted")) == "true" {
			about.Set("output", text)
			state.Set("metadata", about.Bytes())
		}
		return nil
	}
	state.Set("output", text)
	if at := state.Get("time"); at != nil {
		times, err := rawjson.Parse(at)
		if err != nil {
			return err
		}
		times.Delete("compacted")
		state.Set("time", times.Bytes())
	}
	var files []jsontext.Value
	if raw := state.Get("attachments"); raw != nil {
		if err := rawjson.Unmarshal(raw, &files); err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(file jsontext.Value) bool {
			o, err := rawjson.Parse(file)
			return err != nil || !slices.ContainsFunc(r.Parts, func(p tenfold.Part) bool {
				return p.File != nil && string(rawjson.Quote(p.File.URI)) == string(o.Get("url"))
			})
		})
		state.Set("attachments", rawjson.List(files))
	}
	return nil
}

// textOf joins the texts of parts.
func textOf(parts []tenfold.Part) string {
	var texts []string
	for _, p := range parts {
		if p.File == nil {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
