package chatapi

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
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
	usage   BlockUsage
	find    engine.Finder
}

func streamEvent(r *ChatRecord) bool {
	switch t := r.Peek("type"); t {
	case "message_start":
		return r.Get("message").Found()
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping":
		return true
	}
	return false
}

// event takes one event; false when the object is none.
func (t *anthropicStream) event(c *Chat, raw []byte, id string) (bool, error) {
	t.find.Scan = &c.In
	m := t.find.Read(raw)
	if c.In.Err != nil {
		return false, nil //nolint:nilerr // no event: the message is read as it is
	}
	typ := m.Peek("type")
	switch typ {
	case "message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "error":
	default:
		return false, nil
	}
	if at := m.Get("message"); at.Found() {
		var message BlockMessage
		c.In.Reset(at.Of(raw))
		message.Read(&c.In)
		t.message, t.model, t.usage = message.ID, message.Model, message.Usage
	}
	if at := m.Get("usage"); at.Found() {
		c.In.Reset(at.Of(raw))
		t.usage.read(&c.In)
	}
	_ = c.Keep(id, tenfold.Kind("anthropic."+typ), raw)
	switch typ {
	case "message_start":
		if t.model != "" {
			return true, c.Emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: t.model}})
		}
	case "content_block_start":
		t.block = nil
		if at := m.Get("content_block"); at.Found() {
			t.block = slices.Clone(at.Of(raw))
		}
		t.pieces.Reset()
		t.sign.Reset()
		t.kind = ""
	case "content_block_delta":
		delta := m.Object("delta")
		if kind := delta.Peek("type"); kind != "signature_delta" {
			t.kind = kind
		}
		for _, name := range [...]string{"text", "thinking", "partial_json", "content"} {
			t.pieces.WriteString(delta.Peek(name))
		}
		t.sign.WriteString(delta.Peek("signature"))
	case "content_block_stop":
		return true, t.stop(c, id)
	case "message_stop":
		e := tenfold.Entry{ID: id + "/usage", MessageID: t.message, Payload: t.usage.By(t.model)}
		found := t.usage.Found
		*t = anthropicStream{}
		if found {
			return true, c.Emit(e)
		}
	}
	return true, nil
}

// stop emits the block that was put together.
func (t *anthropicStream) stop(c *Chat, id string) error {
	if t.block == nil {
		return nil
	}
	raw := t.whole()
	t.block = nil
	c.In.Reset(raw)
	m := AnthropicMessage{BlockMessage: BlockMessage{Kind: '{', Content: walk.Elsewhere, Blocks: readBlocks(&c.In, nil)}, Role: "assistant"}
	m.Twice = c.In.Twice
	w := &engine.Finder{Scan: &c.In, Raw: raw}
	if c.In.Err != nil || !m.Readable(w) {
		c.WarnHere("streamed block could not be understood and is shown to no model", "streamed blocks could not be understood and are shown to no model")
		return nil //nolint:nilerr // the events are kept
	}
	payloads, own := m.answer(w)
	warnOwn(c, own)
	return c.Emit(tenfold.Entry{ID: id + "/block", MessageID: t.message, Payload: payloads[0]})
}

// whole gives the block as a list of one, with what the deltas added in it.
func (t *anthropicStream) whole() []byte {
	member := map[string]string{
		"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "input", "compaction_delta": "content",
	}[t.kind]
	added, _ := jsontext.AppendQuote(nil, t.pieces.String())
	if member == "input" {
		added = []byte(t.pieces.String())
		if v := jsontext.Value(added); !v.IsValid(walk.ScanOptions...) {
			added, _ = jsontext.AppendQuote(nil, t.pieces.String()) // cut off in the middle
		}
	}
	var s walk.Scanner
	out := []byte("[{")
	put := func(name, value []byte) {
		if len(out) > 2 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	s.Reset(t.block)
	signed := t.sign.Len() > 0
	walk.EachMember(&s, func(name []byte) {
		at := s.Value()
		switch {
		case s.Err != nil:
		case member != "" && string(name) == `"`+member+`"`:
		case signed && string(name) == `"signature"`:
		default:
			put(name, at.Of(t.block))
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
