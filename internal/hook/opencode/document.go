package opencode

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// A document is a session as opencode tells it.
type document struct {
	info     jsontext.Value
	messages []message
	// byMessage and byPart find messages, and parts in them, by their ids.
	byMessage map[string]int
	byPart    map[string]place
}

// A place is that of a part: which message, and which part of it.
type place struct{ message, part int }

// A message is one with its parts.
type message struct {
	info  messageInfo
	head  jsontext.Value // what opencode knows of the message
	parts []part
	raw   jsontext.Value
}

type messageInfo struct {
	ID   string `json:"id"`
	Role string `json:"role"`
}

// A part is a text, a call with its result, a reasoning and so on.
type part struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Ignored bool   `json:"ignored"`
	Auto    bool   `json:"auto"` // of a compaction that nobody asked for
	raw     jsontext.Value
}

// document reads the session of an event, as far as the given message, which is
// included: what came later, such as the response that is about to be asked for,
// is not finished. An empty id takes all.
func (e *event) document(last string) (*document, error) {
	d := &document{info: e.Info.raw, byMessage: map[string]int{}, byPart: map[string]place{}}
	if len(d.info) == 0 {
		return nil, fmt.Errorf("the event holds no session")
	}
	for _, raw := range e.All {
		var m struct {
			Info  jsontext.Value   `json:"info"`
			Parts []jsontext.Value `json:"parts"`
		}
		one := message{raw: raw}
		if err := rawjson.Unmarshal(raw, &m); err == nil {
			one.head = m.Info
			_ = rawjson.Unmarshal(m.Info, &one.info) // so does such a message
		}
		at := len(d.messages)
		for i, raw := range m.Parts {
			p := part{raw: raw}
			_ = rawjson.Unmarshal(raw, &p) // one that is damaged says nothing to a model
			one.parts = append(one.parts, p)
			d.byPart[p.ID] = place{at, i}
		}
		d.byMessage[one.info.ID] = at
		if d.messages = append(d.messages, one); one.info.ID == last {
			return d, nil
		}
	}
	if last != "" {
		return nil, fmt.Errorf("message %s is not in the session", last)
	}
	return d, nil
}

// export is the document as "opencode export" writes it.
func (d *document) export() []byte {
	raws := make([]jsontext.Value, len(d.messages))
	for i, m := range d.messages {
		raws[i] = m.raw
	}
	return slices.Concat([]byte(`{"info":`), d.info, []byte(`,"messages":`), rawjson.List(raws), []byte("}"))
}
