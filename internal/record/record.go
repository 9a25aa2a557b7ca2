// Package record has the form in which stores keep a payload, and the form of a
// payload that every store gives back.
package record

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/rawjson"
)

// A Record is the form in which a store keeps a payload: the one long text
// apart and unquoted, so that a log opens at the speed of reading it, and the
// little that is left as JSON. Head is nil where Text says it all.
type Record struct {
	Kind tenfold.Kind
	Head []byte
	Text string
}

// The heads of payloads whose text stands apart. A head with Plain set means
// that Text is the content's one text part.
type head struct {
	Plain     bool   `json:"plain,omitzero"`
	Synthetic bool   `json:"synthetic,omitzero"`
	CallID    string `json:"call_id,omitzero"`
	Name      string `json:"name,omitzero"`
	IsError   bool   `json:"is_error,omitzero"`
	Outcome   string `json:"outcome,omitzero"`
	Purpose   string `json:"purpose,omitzero"`
	Custom    bool   `json:"custom,omitzero"`
	Role      string `json:"role,omitzero"`
	Phase     string `json:"phase,omitzero"`
	// Of reasoning, and of a role.
	Provider  string `json:"provider,omitzero"`
	Signature string `json:"signature,omitzero"`
	Encrypted string `json:"encrypted,omitzero"`
	ItemID    string `json:"item_id,omitzero"`
}

// New gives the payload's record. A payload that could not be read back is an error: a
// store that kept it would have a log that does not load any more.
func New(p tenfold.Payload) (Record, error) {
	p, err := tenfold.Value(p)
	if err != nil {
		return Record{}, err
	}
	if survives(p) {
		return record(p)
	}
	r, _, err := readBack(p)
	return r, err
}

// readBack gives the record of a payload, and the payload of that.
func readBack(p tenfold.Payload) (r Record, again tenfold.Payload, err error) {
	kind := cmp.Or(p.Kind(), "payload")
	if u, ok := p.(tenfold.Unknown); ok {
		p, err = known(u)
	}
	if err == nil {
		r, err = record(p)
	}
	if err == nil {
		again, err = r.Payload()
	}
	if err != nil {
		return r, nil, fmt.Errorf("the %s could not be read back: %w", kind, err)
	}
	return r, again, nil
}

func record(p tenfold.Payload) (r Record, err error) {
	r = Record{Kind: p.Kind()}
	var rest any
	switch p := p.(type) {
	case tenfold.TurnStart:
		return r, nil
	case tenfold.AssistantMessage:
		if r.Text = p.Text; p.Phase == "" && p.Signature == "" {
			return r, nil
		}
		rest = head{Phase: p.Phase, Signature: p.Signature}
	case tenfold.Reasoning:
		if r.Text, p.Text = p.Text, ""; p != (tenfold.Reasoning{}) {
			rest = p
		}
	case tenfold.ToolCall:
		r.Text = p.Arguments
		rest = head{CallID: p.CallID, Name: p.Name, Custom: p.Custom}
	case tenfold.ToolResult:
		if isPlain(p.Parts) {
			r.Text = p.Parts[0].Text
			rest = head{Plain: true, CallID: p.CallID, IsError: p.IsError, Outcome: string(p.Outcome)}
		}
	case tenfold.UserMessage:
		if isPlain(p.Parts) && len(p.Attachments) == 0 {
			r.Text = p.Parts[0].Text
			rest = head{Plain: true, Purpose: string(p.Purpose), Synthetic: p.Synthetic, Role: p.Role, Provider: p.Provider}
		}
	}
	switch {
	case rest != nil:
		r.Head, err = json.Marshal(rest, rawjson.Verbatim, json.Deterministic(true))
	case r.Text == "":
		r.Head, err = tenfold.MarshalPayload(p)
	}
	return r, err
}

// Payload gives the payload back.
func (r Record) Payload() (tenfold.Payload, error) {
	switch r.Kind {
	case tenfold.KindAssistantMessage:
		if len(r.Head) == 0 {
			return tenfold.AssistantMessage{Text: r.Text}, nil
		}
		h, err := decodedHead(r.Head)
		return tenfold.AssistantMessage{Text: r.Text, Phase: h.Phase, Signature: h.Signature}, err
	case tenfold.KindReasoning:
		if len(r.Head) == 0 {
			return tenfold.Reasoning{Text: r.Text}, nil
		}
		h, err := decodedHead(r.Head)
		return tenfold.Reasoning{
			Text: r.Text, Provider: h.Provider, Signature: h.Signature, Encrypted: h.Encrypted,
			ItemID: h.ItemID, CallID: h.CallID,
		}, err
	case tenfold.KindToolCall:
		h, err := decodedHead(r.Head)
		return tenfold.ToolCall{CallID: h.CallID, Name: h.Name, Arguments: r.Text, Custom: h.Custom}, err
	case tenfold.KindToolResult, tenfold.KindUserMessage:
		h, err := decodedHead(r.Head)
		if err != nil || !h.Plain {
			break
		}
		if r.Kind == tenfold.KindToolResult {
			return tenfold.ToolResult{CallID: h.CallID, Parts: tenfold.Text(r.Text), IsError: h.IsError, Outcome: tenfold.Outcome(h.Outcome)}, nil
		}
		return tenfold.UserMessage{
			Parts: tenfold.Text(r.Text), Purpose: tenfold.Purpose(h.Purpose), Synthetic: h.Synthetic, Role: h.Role, Provider: h.Provider,
		}, nil
	}
	members := r.Head
	if len(members) == 0 {
		members = []byte(`{}`)
	}
	return tenfold.UnmarshalPayload(r.Kind, members)
}

// decodedHead reads a head. Those New writes hold plain strings nearly
// always; they are read by hand, which opens a log a fifth faster (T7).
func decodedHead(object []byte) (head, error) {
	if h, ok := plainHead(string(object)); ok {
		return h, nil
	}
	return unmarshalHead(object)
}

func unmarshalHead(object []byte) (h head, err error) {
	err = json.Unmarshal(object, &h, rawjson.Verbatim)
	return h, err
}

// plainHead reads the form that has no escapes and no space; all else is not
// ok. The strings of the head share the one given.
func plainHead(object string) (h head, ok bool) {
	rest, ok := strings.CutPrefix(object, "{")
	for ok && rest != "}" {
		var name string
		if name, rest, ok = plainString(rest); !ok || !strings.HasPrefix(rest, ":") {
			return h, false
		}
		rest = rest[1:]
		switch name {
		case "call_id":
			h.CallID, rest, ok = plainString(rest)
		case "name":
			h.Name, rest, ok = plainString(rest)
		case "provider":
			h.Provider, rest, ok = plainString(rest)
		case "signature":
			h.Signature, rest, ok = plainString(rest)
		case "encrypted":
			h.Encrypted, rest, ok = plainString(rest)
		case "item_id":
			h.ItemID, rest, ok = plainString(rest)
		case "outcome":
			h.Outcome, rest, ok = plainString(rest)
		case "purpose":
			h.Purpose, rest, ok = plainString(rest)
		case "role":
			h.Role, rest, ok = plainString(rest)
		case "phase":
			h.Phase, rest, ok = plainString(rest)
		case "plain", "synthetic", "is_error", "custom":
			rest, ok = strings.CutPrefix(rest, "true")
			h.Plain = h.Plain || name == "plain"
			h.Synthetic = h.Synthetic || name == "synthetic"
			h.IsError = h.IsError || name == "is_error"
			h.Custom = h.Custom || name == "custom"
		default:
			return h, false
		}
		if ok && rest != "}" {
			rest, ok = strings.CutPrefix(rest, ",")
			ok = ok && rest != "}"
		}
	}
	return h, ok
}

// plainString reads a JSON string that stands for itself.
func plainString(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], s[i+1:], true
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			return "", "", false
		}
	}
	return "", "", false
}

func isPlain(parts []tenfold.Part) bool {
	return len(parts) == 1 && parts[0].File == nil && parts[0].Text != ""
}

// known gives the payload that u spells out, where its kind is one of the
// package's after all; else u.
func known(u tenfold.Unknown) (tenfold.Payload, error) {
	object, err := tenfold.MarshalPayload(u)
	if err != nil {
		return u, err
	}
	p, err := tenfold.UnmarshalPayload(u.Name, object)
	if _, unknown := p.(tenfold.Unknown); unknown {
		return u, nil
	}
	return p, err
}

// Canonical gives a payload as every store gives it back: the value where p is a
// pointer, and what stands in JSON as JSON has it. A payload that could not be
// read back is an error. Writers of logs append what Canonical gives, so that a
// log in memory and the same log reopened are equal.
func Canonical(p tenfold.Payload) (tenfold.Payload, error) {
	p, err := tenfold.Value(p)
	if err != nil || survives(p) {
		return p, err
	}
	_, p, err = readBack(p)
	return p, err
}

// survives reports whether a payload is known to come back as it is without
// writing it: so is nearly all that a conversation is made of.
func survives(p tenfold.Payload) bool {
	switch p := p.(type) {
	case tenfold.TurnStart:
		return true
	case tenfold.AssistantMessage:
		return utf8.ValidString(p.Phase) && utf8.ValidString(p.Signature)
	case tenfold.UserMessage:
		return isPlain(p.Parts) && p.Attachments == nil && utf8.ValidString(p.Role) && utf8.ValidString(p.Provider)
	case tenfold.ToolCall:
		return utf8.ValidString(p.CallID) && utf8.ValidString(p.Name)
	case tenfold.ToolResult:
		return isPlain(p.Parts) && utf8.ValidString(p.CallID)
	case tenfold.Reasoning:
		return utf8.ValidString(p.Provider) && utf8.ValidString(p.Signature) && utf8.ValidString(p.Encrypted) &&
			utf8.ValidString(p.ItemID) && utf8.ValidString(p.CallID)
	}
	return false
}

// Same reports whether two compactions say the same: their bounds and
// slots, wherever they came from.
func Same(c, d tenfold.Compaction) bool {
	for _, x := range []*tenfold.Compaction{&c, &d} {
		x.Profile, x.Strategy, x.Source, x.Reason, x.Command = "", "", "", "", ""
		x.TokensBefore, x.TokensAfter = 0, 0
		if x.Summary != nil {
			s := *x.Summary
			s.Usage, s.Artifacts, s.Transcript = nil, nil, ""
			x.Summary = &s
		}
	}
	a, errA := tenfold.MarshalPayload(c)
	b, errB := tenfold.MarshalPayload(d)
	return errA == nil && errB == nil && string(a) == string(b)
}
