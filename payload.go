package tenfold

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The JSON forms of the payloads whose Go form is another. Those of L3 that
// are missing here are marshalled as they are.
type (
	userMessageJSON struct {
		Text        string       `json:"text,omitzero"`
		Parts       []partJSON   `json:"parts,omitzero"`
		Attachments []Attachment `json:"attachments,omitzero"`
		Purpose     Purpose      `json:"purpose,omitzero"`
		Synthetic   bool         `json:"synthetic,omitzero"`
		Role        string       `json:"role,omitzero"`
		Provider    string       `json:"provider,omitzero"`
	}
	toolCallJSON struct {
		CallID        string         `json:"call_id"`
		Name          string         `json:"name"`
		Arguments     jsontext.Value `json:"arguments,omitzero"`
		ArgumentsText string         `json:"arguments_text,omitzero"`
		Custom        bool           `json:"custom,omitzero"`
	}
	toolResultJSON struct {
		CallID  string     `json:"call_id"`
		Text    string     `json:"text,omitzero"`
		Parts   []partJSON `json:"parts,omitzero"`
		IsError bool       `json:"is_error,omitzero"`
		Outcome Outcome    `json:"outcome,omitzero"`
	}
	providerItemJSON struct {
		Provider string         `json:"provider"`
		Role     string         `json:"role,omitzero"`
		Data     jsontext.Value `json:"data,omitzero"`
		DataText string         `json:"data_text,omitzero"`
	}
	configDeltaJSON struct {
		Model     string            `json:"model,omitzero"`
		System    *string           `json:"system,omitzero"`
		Tools     *[]ToolDefinition `json:"tools,omitzero"`
		Extra     jsontext.Value    `json:"extra,omitzero"`
		ExtraText string            `json:"extra_text,omitzero"`
	}
	partJSON struct {
		Text string `json:"text,omitzero"`
		File *File  `json:"file,omitzero"`
	}
)

// MarshalPayload gives the payload's members as one JSON object on one line.
func MarshalPayload(p Payload) ([]byte, error) {
	p, err := Value(p)
	if err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case UserMessage:
		text, parts := splitParts(p.Parts)
		return marshal(userMessageJSON{text, parts, p.Attachments, p.Purpose, p.Synthetic, p.Role, p.Provider})
	case ToolCall:
		raw, text := splitRaw(p.Arguments)
		return marshal(toolCallJSON{CallID: p.CallID, Name: p.Name, Arguments: raw, ArgumentsText: text, Custom: p.Custom})
	case ToolResult:
		text, parts := splitParts(p.Parts)
		return marshal(toolResultJSON{CallID: p.CallID, Text: text, Parts: parts, IsError: p.IsError, Outcome: p.Outcome})
	case ProviderItem:
		raw, text := splitRaw(p.Data)
		return marshal(providerItemJSON{Provider: p.Provider, Role: p.Role, Data: raw, DataText: text})
	case ConfigDelta:
		raw, text := splitRaw(p.Extra)
		return marshal(configDeltaJSON{Model: p.Model, System: p.System, Tools: p.Tools, Extra: raw, ExtraText: text})
	case Unknown:
		return marshalUnknown(p)
	}
	return marshal(p)
}

// UnmarshalPayload reads what MarshalPayload wrote. A kind it does not know
// gives an [Unknown] that holds the members verbatim.
func UnmarshalPayload(kind Kind, object []byte) (Payload, error) {
	switch kind {
	case KindTurnStart:
		return TurnStart{}, nil
	case KindUserMessage:
		w, err := decoded[userMessageJSON](object)
		return UserMessage{joinParts(w.Text, w.Parts), w.Attachments, w.Purpose, w.Synthetic, w.Role, w.Provider}, err
	case KindAssistantMessage:
		return decoded[AssistantMessage](object)
	case KindReasoning:
		return decoded[Reasoning](object)
	case KindToolCall:
		w, err := decoded[toolCallJSON](object)
		return ToolCall{CallID: w.CallID, Name: w.Name, Arguments: joinRaw(w.Arguments, w.ArgumentsText), Custom: w.Custom}, err
	case KindToolResult:
		w, err := decoded[toolResultJSON](object)
		return ToolResult{CallID: w.CallID, Parts: joinParts(w.Text, w.Parts), IsError: w.IsError, Outcome: w.Outcome}, err
	case KindProviderItem:
		w, err := decoded[providerItemJSON](object)
		return ProviderItem{Provider: w.Provider, Role: w.Role, Data: joinRaw(w.Data, w.DataText)}, err
	case KindApproval:
		return decoded[Approval](object)
	case KindUsage:
		return decoded[Usage](object)
	case KindConfigDelta:
		w, err := decoded[configDeltaJSON](object)
		return ConfigDelta{Model: w.Model, System: w.System, Tools: w.Tools, Extra: joinRaw(w.Extra, w.ExtraText)}, err
	case KindCompaction:
		return decoded[Compaction](object)
	case KindCompactionRevoked:
		return decoded[CompactionRevoked](object)
	case KindCompactionFailed:
		return decoded[CompactionFailed](object)
	case KindCompactionAttempt:
		return decoded[CompactionAttempt](object)
	case KindPin:
		return decoded[Pin](object)
	case KindUnpin:
		return decoded[Unpin](object)
	case KindRecalled:
		return decoded[Recalled](object)
	}
	if string(object) == `{}` {
		return Unknown{Name: kind}, nil
	}
	return Unknown{Name: kind, Data: string(object)}, nil
}

func marshal(v any) ([]byte, error) {
	return json.Marshal(v, codecOptions, json.Deterministic(true))
}

func decoded[T any](object []byte) (T, error) {
	var w T
	err := json.Unmarshal(object, &w, codecOptions)
	return w, err
}

func marshalUnknown(p Unknown) ([]byte, error) {
	if p.Name == "" {
		return nil, errors.New("an unknown payload has no kind")
	}
	if p.Data == "" {
		return []byte(`{}`), nil
	}
	v := jsontext.Value(strings.TrimSpace(p.Data))
	if v.Kind() != '{' || !v.IsValid(codecOptions) {
		return nil, fmt.Errorf("the members of unknown kind %q are not a JSON object", p.Name)
	}
	if bytes.ContainsAny(v, "\n\r") {
		v = v.Clone()
		if err := v.Compact(codecOptions); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// splitRaw tells apart the texts that survive as JSON in the line, byte for
// byte, from those that must be quoted.
func splitRaw(text string) (raw jsontext.Value, quoted string) {
	if text == "" {
		return nil, ""
	}
	v := jsontext.Value(text)
	if v.IsValid(codecOptions) && isCompact(text) {
		return v, ""
	}
	return nil, text
}

func joinRaw(raw jsontext.Value, quoted string) string {
	if len(raw) > 0 {
		return string(raw)
	}
	return quoted
}

// isCompact reports whether valid JSON holds no white space between tokens,
// which the encoder would drop.
func isCompact(text string) bool {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			return false
		}
	}
	return true
}

// splitParts gives the short form of a content that is one text.
func splitParts(parts []Part) (string, []partJSON) {
	if len(parts) == 1 && parts[0].File == nil && parts[0].Text != "" {
		return parts[0].Text, nil
	}
	if len(parts) == 0 {
		return "", nil
	}
	out := make([]partJSON, len(parts))
	for i, p := range parts {
		out[i] = partJSON(p)
	}
	return "", out
}

func joinParts(text string, parts []partJSON) []Part {
	if text != "" {
		return Text(text)
	}
	if len(parts) == 0 {
		return nil
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		out[i] = Part(p)
	}
	return out
}

// What is no payload.
var (
	// ErrNoPayload says that an entry has no payload to append.
	ErrNoPayload = errors.New("entry has no payload")
	// ErrPayloadType says that a payload is not of a type of this package: a type
	// that embeds one of them, or that only implements [Payload], is kept by no log.
	ErrPayloadType = errors.New("not a payload type of package tenfold")
)

// Value gives the payload that p is or points to. A nil pointer is ErrNoPayload,
// a type of another package ErrPayloadType.
func Value(p Payload) (Payload, error) {
	if isValue(p) {
		return p, nil
	}
	v := reflect.ValueOf(p)
	switch {
	case p == nil:
		return nil, ErrNoPayload
	case v.Kind() != reflect.Pointer:
	case !v.IsNil():
		if q, ok := v.Elem().Interface().(Payload); ok && isValue(q) {
			return q, nil
		}
	default:
		if q, ok := reflect.Zero(v.Type().Elem()).Interface().(Payload); ok && isValue(q) {
			return nil, fmt.Errorf("a nil %T: %w", p, ErrNoPayload)
		}
	}
	return nil, fmt.Errorf("%T: %w", p, ErrPayloadType)
}

// isValue reports whether a payload is one of the structs of this package, which
// is what everything else here knows.
func isValue(p Payload) bool {
	switch p.(type) {
	case TurnStart, UserMessage, AssistantMessage, Reasoning, ToolCall, ToolResult, ProviderItem,
		Approval, Usage, ConfigDelta, Compaction, CompactionRevoked, CompactionFailed, CompactionAttempt, Pin, Unpin, Recalled, Unknown:
		return true
	}
	return false
}

// values gives entries whose payloads are values: the slice given, or a copy of
// it where some are pointers.
func values(entries []Entry) ([]Entry, error) {
	out := entries
	for i := range entries {
		if isValue(entries[i].Payload) {
			continue
		}
		p, err := Value(entries[i].Payload)
		if err != nil {
			return nil, fmt.Errorf("append entry %q: %w", entries[i].ID, err)
		}
		if &out[0] == &entries[0] {
			out = slices.Clone(entries)
		}
		out[i].Payload = p
	}
	return out, nil
}
