package tenfold

import (
	"bytes"
	"errors"
	"fmt"
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
		Synthetic   bool         `json:"synthetic,omitzero"`
		Role        string       `json:"role,omitzero"`
		Provider    string       `json:"provider,omitzero"`
	}
	assistantMessageJSON struct {
		Text string `json:"text"`
	}
	reasoningJSON struct {
		Text      string `json:"text,omitzero"`
		Provider  string `json:"provider,omitzero"`
		Signature string `json:"signature,omitzero"`
		Encrypted string `json:"encrypted,omitzero"`
		ItemID    string `json:"item_id,omitzero"`
		CallID    string `json:"call_id,omitzero"`
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
	}
	providerItemJSON struct {
		Provider string         `json:"provider"`
		Role     string         `json:"role,omitzero"`
		Data     jsontext.Value `json:"data,omitzero"`
		DataText string         `json:"data_text,omitzero"`
	}
	approvalJSON struct {
		State  ApprovalState `json:"state"`
		CallID string        `json:"call_id"`
		Reason string        `json:"reason,omitzero"`
	}
	usageJSON struct {
		Model      string   `json:"model,omitzero"`
		Input      int      `json:"input,omitzero"`
		Output     int      `json:"output,omitzero"`
		CacheRead  int      `json:"cache_read,omitzero"`
		CacheWrite int      `json:"cache_write,omitzero"`
		Cost       *float64 `json:"cost,omitzero"`
	}
	configDeltaJSON struct {
		Model     string            `json:"model,omitzero"`
		System    *string           `json:"system,omitzero"`
		Tools     *[]ToolDefinition `json:"tools,omitzero"`
		Extra     jsontext.Value    `json:"extra,omitzero"`
		ExtraText string            `json:"extra_text,omitzero"`
	}
	revokedJSON struct {
		Target  string `json:"target"`
		Command string `json:"command,omitzero"`
	}
	failedJSON struct {
		Error    string `json:"error"`
		Tokens   int    `json:"tokens_now,omitzero"`
		Limit    int    `json:"limit,omitzero"`
		Exceeded bool   `json:"exceeded,omitzero"`
	}
	pinJSON struct {
		Entries []string `json:"entries"`
	}
	partJSON struct {
		Text string `json:"text,omitzero"`
		File *File  `json:"file,omitzero"`
	}
)

// MarshalPayload gives the payload's members as one JSON object on one line.
func MarshalPayload(p Payload) ([]byte, error) {
	p, err := value(p)
	if err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case TurnStart:
		return []byte(`{}`), nil
	case UserMessage:
		text, parts := splitParts(p.Parts)
		return marshal(userMessageJSON{text, parts, p.Attachments, p.Synthetic, p.Role, p.Provider})
	case AssistantMessage:
		return marshal(assistantMessageJSON(p))
	case Reasoning:
		return marshal(reasoningJSON(p))
	case ToolCall:
		raw, text := splitRaw(p.Arguments)
		return marshal(toolCallJSON{CallID: p.CallID, Name: p.Name, Arguments: raw, ArgumentsText: text, Custom: p.Custom})
	case ToolResult:
		text, parts := splitParts(p.Parts)
		return marshal(toolResultJSON{CallID: p.CallID, Text: text, Parts: parts, IsError: p.IsError})
	case ProviderItem:
		raw, text := splitRaw(p.Data)
		return marshal(providerItemJSON{Provider: p.Provider, Role: p.Role, Data: raw, DataText: text})
	case Approval:
		return marshal(approvalJSON(p))
	case Usage:
		return marshal(usageJSON(p))
	case ConfigDelta:
		raw, text := splitRaw(p.Extra)
		return marshal(configDeltaJSON{Model: p.Model, System: p.System, Tools: p.Tools, Extra: raw, ExtraText: text})
	case Compaction:
		return marshal(p)
	case CompactionRevoked:
		return marshal(revokedJSON(p))
	case CompactionFailed:
		return marshal(failedJSON(p))
	case Pin:
		return marshal(pinJSON(p))
	case Unpin:
		return marshal(pinJSON(p))
	case Unknown:
		return marshalUnknown(p)
	}
	return nil, fmt.Errorf("%T: %w", p, ErrPayloadType)
}

// UnmarshalPayload reads what MarshalPayload wrote. A kind it does not know
// gives an [Unknown] that holds the members verbatim.
func UnmarshalPayload(kind Kind, object []byte) (Payload, error) {
	switch kind {
	case KindTurnStart:
		return TurnStart{}, nil
	case KindUserMessage:
		var w userMessageJSON
		err := unmarshal(object, &w)
		return UserMessage{joinParts(w.Text, w.Parts), w.Attachments, w.Synthetic, w.Role, w.Provider}, err
	case KindAssistantMessage:
		w, err := decoded[assistantMessageJSON](object)
		return AssistantMessage(w), err
	case KindReasoning:
		w, err := decoded[reasoningJSON](object)
		return Reasoning(w), err
	case KindToolCall:
		w, err := decoded[toolCallJSON](object)
		return ToolCall{CallID: w.CallID, Name: w.Name, Arguments: joinRaw(w.Arguments, w.ArgumentsText), Custom: w.Custom}, err
	case KindToolResult:
		w, err := decoded[toolResultJSON](object)
		return ToolResult{CallID: w.CallID, Parts: joinParts(w.Text, w.Parts), IsError: w.IsError}, err
	case KindProviderItem:
		w, err := decoded[providerItemJSON](object)
		return ProviderItem{Provider: w.Provider, Role: w.Role, Data: joinRaw(w.Data, w.DataText)}, err
	case KindApproval:
		w, err := decoded[approvalJSON](object)
		return Approval(w), err
	case KindUsage:
		w, err := decoded[usageJSON](object)
		return Usage(w), err
	case KindConfigDelta:
		w, err := decoded[configDeltaJSON](object)
		return ConfigDelta{Model: w.Model, System: w.System, Tools: w.Tools, Extra: joinRaw(w.Extra, w.ExtraText)}, err
	case KindCompaction:
		return decoded[Compaction](object)
	case KindCompactionRevoked:
		w, err := decoded[revokedJSON](object)
		return CompactionRevoked(w), err
	case KindCompactionFailed:
		w, err := decoded[failedJSON](object)
		return CompactionFailed(w), err
	case KindPin:
		w, err := decoded[pinJSON](object)
		return Pin(w), err
	case KindUnpin:
		w, err := decoded[pinJSON](object)
		return Unpin(w), err
	}
	if string(object) == `{}` {
		return Unknown{Name: kind}, nil
	}
	return Unknown{Name: kind, Data: string(object)}, nil
}

// MarshalJSONTo implements json.MarshalerTo, for usage that stands in another
// payload.
func (u Usage) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, usageJSON(u))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (u *Usage) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return json.UnmarshalDecode(dec, (*usageJSON)(u))
}

func marshal(v any) ([]byte, error) {
	return json.Marshal(v, codecOptions, json.Deterministic(true))
}

func unmarshal(object []byte, v any) error {
	return json.Unmarshal(object, v, codecOptions)
}

func decoded[T any](object []byte) (T, error) {
	var w T
	err := unmarshal(object, &w)
	return w, err
}

// known gives the payload that u spells out, where its kind is one of L3 after
// all; else u.
func (u Unknown) known() (Payload, error) {
	object, err := marshalUnknown(u)
	if err != nil {
		return u, err
	}
	p, err := UnmarshalPayload(u.Name, object)
	if _, unknown := p.(Unknown); unknown {
		return u, nil
	}
	return p, err
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
		return nil, fmt.Errorf("the members of unknown kind %q are no JSON object", p.Name)
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
