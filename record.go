package tenfold

import (
	"strings"
	"unicode/utf8"
)

// A Record is the form in which a store keeps a payload: the one long text
// apart and unquoted, so that a log opens at the speed of reading it, and the
// little that is left as JSON. Head is nil where Text says it all.
type Record struct {
	Kind Kind
	Head []byte
	Text string
}

// The heads of payloads whose text stands apart. A head with Plain set means
// that Text is the content's one text part.
type recordHead struct {
	Plain     bool   `json:"plain,omitzero"`
	Synthetic bool   `json:"synthetic,omitzero"`
	CallID    string `json:"call_id,omitzero"`
	Name      string `json:"name,omitzero"`
	IsError   bool   `json:"is_error,omitzero"`
	Custom    bool   `json:"custom,omitzero"`
	Role      string `json:"role,omitzero"`
	// Of reasoning, as reasoningJSON writes them, and of a role.
	Provider  string `json:"provider,omitzero"`
	Signature string `json:"signature,omitzero"`
	Encrypted string `json:"encrypted,omitzero"`
	ItemID    string `json:"item_id,omitzero"`
}

// NewRecord gives the payload's record.
func NewRecord(p Payload) (Record, error) {
	p, err := value(p)
	if u, ok := p.(Unknown); ok && err == nil {
		p, err = u.known()
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{Kind: p.Kind()}
	var head any
	switch p := p.(type) {
	case TurnStart:
		return r, nil
	case AssistantMessage:
		r.Text = p.Text
		return r, nil
	case Reasoning:
		if r.Text = p.Text; p.opaque() || p.Provider != "" || p.ItemID != "" || p.CallID != "" {
			p.Text = ""
			head = reasoningJSON(p)
		}
	case ToolCall:
		r.Text = p.Arguments
		head = recordHead{CallID: p.CallID, Name: p.Name, Custom: p.Custom}
	case ToolResult:
		if isPlain(p.Parts) {
			r.Text = p.Parts[0].Text
			head = recordHead{Plain: true, CallID: p.CallID, IsError: p.IsError}
		}
	case UserMessage:
		if isPlain(p.Parts) && len(p.Attachments) == 0 {
			r.Text = p.Parts[0].Text
			head = recordHead{Plain: true, Synthetic: p.Synthetic, Role: p.Role, Provider: p.Provider}
		}
	}
	switch {
	case head != nil:
		r.Head, err = marshal(head)
	case r.Text == "":
		r.Head, err = MarshalPayload(p)
	}
	return r, err
}

// Payload gives the payload back.
func (r Record) Payload() (Payload, error) {
	switch r.Kind {
	case KindAssistantMessage:
		return AssistantMessage{Text: r.Text}, nil
	case KindReasoning:
		if len(r.Head) == 0 {
			return Reasoning{Text: r.Text}, nil
		}
		h, err := decodedHead(r.Head)
		return Reasoning{
			Text: r.Text, Provider: h.Provider, Signature: h.Signature, Encrypted: h.Encrypted,
			ItemID: h.ItemID, CallID: h.CallID,
		}, err
	case KindToolCall:
		h, err := decodedHead(r.Head)
		return ToolCall{CallID: h.CallID, Name: h.Name, Arguments: r.Text, Custom: h.Custom}, err
	case KindToolResult, KindUserMessage:
		h, err := decodedHead(r.Head)
		if err != nil || !h.Plain {
			break
		}
		if r.Kind == KindToolResult {
			return ToolResult{CallID: h.CallID, Parts: Text(r.Text), IsError: h.IsError}, nil
		}
		return UserMessage{Parts: Text(r.Text), Synthetic: h.Synthetic, Role: h.Role, Provider: h.Provider}, nil
	}
	head := r.Head
	if len(head) == 0 {
		head = []byte(`{}`)
	}
	return UnmarshalPayload(r.Kind, head)
}

// decodedHead reads a head. Those NewRecord writes hold plain strings nearly
// always; they are read by hand, which opens a log a fifth faster (T7).
func decodedHead(object []byte) (recordHead, error) {
	if h, ok := plainHead(string(object)); ok {
		return h, nil
	}
	return decoded[recordHead](object)
}

// plainHead reads the form that has no escapes and no space; all else is not
// ok. The strings of the head share the one given.
func plainHead(object string) (h recordHead, ok bool) {
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
		case "role":
			h.Role, rest, ok = plainString(rest)
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

func isPlain(parts []Part) bool {
	return len(parts) == 1 && parts[0].File == nil && parts[0].Text != ""
}

// SearchText gives the words a full-text search over raw entries looks in
// (D4): what was said, called and returned, and what a summary says. Opaque
// data and bytes of files are left out.
func SearchText(p Payload) string {
	p, _ = value(p)
	switch p := p.(type) {
	case UserMessage:
		text := partsText(p.Parts)
		for _, a := range p.Attachments {
			text += "\n" + a.Name + "\n" + a.Content
		}
		return strings.TrimPrefix(text, "\n")
	case AssistantMessage:
		return p.Text
	case Reasoning:
		return p.Text
	case ToolCall:
		return p.Name + " " + p.Arguments
	case ToolResult:
		return partsText(p.Parts)
	case Approval:
		return p.Reason
	case Compaction:
		if p.Summary != nil {
			return p.Summary.Text
		}
	case CompactionFailed:
		return p.Error
	}
	return ""
}

// partsText joins the texts of a content, and the names of its files.
func partsText(parts []Part) string {
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.File != nil {
			b.WriteString(p.File.Name)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
