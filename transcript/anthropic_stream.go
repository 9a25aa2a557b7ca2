package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// anthropicStream puts a streamed response together. Each event is kept, so
// that one that came only in part keeps its ids when the rest comes; what a
// block became stands behind the event that ended it.
type anthropicStream struct {
	message string // id of the message
	model   string
	block   []byte          // as it was begun
	pieces  strings.Builder // what was added to it
	sign    strings.Builder
	kind    string // of the deltas
	usage   claudeUsage
}

func streamEvent(r *chatRecord) bool {
	switch t := r.text("type"); t {
	case "message_start":
		return r.at("message").found()
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping":
		return true
	}
	return false
}

// event takes one event; false when the object is none.
func (t *anthropicStream) event(c *chat, raw []byte, id string) (bool, error) {
	s := &c.in
	s.reset(raw)
	var typ, kind, text, sign string
	var block span
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			typ = s.text()
		case `"message"`:
			var l blockReader
			var m claudeMessage
			l.message(s, &m)
			t.message, t.model, t.usage = m.id, m.model, m.usage
		case `"usage"`:
			var l blockReader
			l.usage(s, &t.usage)
		case `"content_block"`:
			block = s.value()
		case `"delta"`:
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"type"`:
					kind = s.text()
				case `"text"`, `"thinking"`, `"partial_json"`, `"content"`:
					text += s.text()
				case `"signature"`:
					sign += s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	})
	if s.err != nil {
		return false, nil //nolint:nilerr // no event: the message is read as it is
	}
	switch typ {
	case "message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "error":
	default:
		return false, nil
	}
	if err := c.keep(id, tenfold.Kind("anthropic."+typ), raw); err != nil {
		return true, err
	}
	switch typ {
	case "message_start":
		if t.model != "" {
			return true, c.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: t.model}})
		}
	case "content_block_start":
		t.block = nil
		if block.found() {
			t.block = append([]byte(nil), block.of(raw)...)
		}
		t.pieces.Reset()
		t.sign.Reset()
		t.kind = ""
	case "content_block_delta":
		if kind != "signature_delta" {
			t.kind = kind
		}
		t.pieces.WriteString(text)
		t.sign.WriteString(sign)
	case "content_block_stop":
		return true, t.stop(c, id)
	case "message_stop":
		u, message := t.usage, t.message
		p := tenfold.Usage{Model: t.model, Input: u.input, Output: u.output, CacheRead: u.cacheRead, CacheWrite: u.cacheWrite}
		*t = anthropicStream{}
		if u.found {
			return true, c.emit(tenfold.Entry{ID: id + "/usage", MessageID: message, Payload: p})
		}
	}
	return true, nil
}

// stop emits the block that was put together.
func (t *anthropicStream) stop(c *chat, id string) error {
	if t.block == nil {
		return nil
	}
	raw := t.whole()
	t.block = nil
	var l blockReader
	c.in.reset(raw)
	blocks := l.blocks(&c.in, nil)
	m := anthropicMessage{kind: '{', role: "assistant", content: span{0, 1}, blocks: blocks, twice: l.twice}
	w := &contentWriter{scan: &c.in, raw: raw}
	if c.in.err != nil || !m.readable(w) {
		c.warnHere("streamed block could not be understood and is shown to no model", "streamed blocks could not be understood and are shown to no model")
		return nil //nolint:nilerr // the events are kept
	}
	payloads, own := m.answer(w)
	warnOwn(c, own)
	return c.emit(tenfold.Entry{ID: id + "/block", MessageID: t.message, Payload: payloads[0]})
}

// whole gives the block as a list of one, with what the deltas added in it.
func (t *anthropicStream) whole() []byte {
	member := map[string]string{
		"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "input", "compaction_delta": "content",
	}[t.kind]
	added, _ := jsontext.AppendQuote(nil, t.pieces.String())
	if member == "input" {
		added = []byte(t.pieces.String())
		if v := jsontext.Value(added); !v.IsValid(scanOptions...) {
			added, _ = jsontext.AppendQuote(nil, t.pieces.String()) // cut off in the middle
		}
	}
	var s scanner
	out := []byte("[{")
	put := func(name, value []byte) {
		if len(out) > 2 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	s.reset(t.block)
	signed := t.sign.Len() > 0
	eachMember(&s, func(name []byte) {
		at := s.value()
		switch {
		case s.err != nil:
		case member != "" && string(name) == `"`+member+`"`:
		case signed && string(name) == `"signature"`:
		default:
			put(name, at.of(t.block))
		}
	})
	if member != "" {
		put([]byte(`"`+member+`"`), added)
	}
	if signed {
		sign, _ := jsontext.AppendQuote(nil, t.sign.String())
		put([]byte(`"signature"`), sign)
	}
	return append(out, "}]"...)
}
