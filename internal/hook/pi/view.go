package pi

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
	"tenfold/transcript"
)

// A line is one of a session file: an entry of pi's.
type line struct {
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Parent  string         `json:"parentId"`
	Message jsontext.Value `json:"message"`
}

// readBranch gives the entries of a session from its root to its last line,
// where pi stands. Damaged lines are left out, as pi leaves them out.
func readBranch(session []byte) []line {
	var all []line
	at := map[string]int{}
	for raw := range bytes.Lines(session) {
		var l line
		if json.Unmarshal(raw, &l) != nil || l.ID == "" || l.Type == "session" {
			continue
		}
		at[l.ID] = len(all)
		all = append(all, l)
	}
	var branch []line
	for i := len(all) - 1; i >= 0; {
		branch = append(branch, all[i])
		up, ok := at[all[i].Parent]
		if !ok || up >= i { // a parent comes before its children: no circles
			break
		}
		i = up
	}
	slices.Reverse(branch)
	return branch
}

// messages gives a view as pi's messages, oldest first: of one that stands in the
// branch as it is the id of its entry, of others the message.
func messages(v *hook.View, branch []line) ([]jsontext.Value, error) {
	var out bytes.Buffer
	view := transcript.View{
		Conversation: transcript.Conversation{ID: v.ID(), Format: transcript.Pi},
		Projection:   v.Projection(), Compacted: true,
	}
	if _, err := transcript.Export(&out, transcript.Pi, view); err != nil {
		return nil, err
	}
	kept := map[string][]string{} // ids by what the messages say
	for _, l := range branch {
		if key, ok := keyOf(l.Message); ok && l.Type == "message" {
			kept[key] = append(kept[key], l.ID)
		}
	}
	var list []jsontext.Value
	for raw := range bytes.Lines(out.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, fmt.Errorf("read the view: %w", err)
		}
		if l.Type != "message" {
			continue
		}
		if l.Message = withoutBound(l.Message); l.Message == nil {
			continue
		}
		key, ok := keyOf(l.Message)
		if !ok {
			return nil, errors.New("read the view: a message of an unknown shape")
		}
		if ids := kept[key]; len(ids) > 0 {
			kept[key] = ids[1:]
			id, err := json.Marshal(ids[0])
			if err != nil {
				return nil, err
			}
			l.Message = id
		}
		list = append(list, l.Message)
	}
	return list, nil
}

// withoutBound takes the signed thinking from a response: from now on pi sends it
// another prefix than the one it was made under, whatever the store knows of what
// pi sent before (B1). Where a response is nothing else it gives nil. OpenAI and
// Google take theirs after another prefix (B3).
func withoutBound(raw jsontext.Value) jsontext.Value {
	var m struct {
		Role    string           `json:"role"`
		API     string           `json:"api"`
		Content []jsontext.Value `json:"content"`
		Rest    jsontext.Value   `json:",embed"`
	}
	if !bytes.Contains(raw, []byte("thinkingSignature")) || json.Unmarshal(raw, &m) != nil || m.Role != "assistant" ||
		strings.HasPrefix(m.API, "openai") || strings.HasPrefix(m.API, "google") {
		return raw
	}
	n := len(m.Content)
	m.Content = slices.DeleteFunc(m.Content, func(b jsontext.Value) bool {
		var one block
		return json.Unmarshal(b, &one) == nil && one.Type == "thinking" && one.Signature != ""
	})
	if len(m.Content) == n {
		return raw
	}
	if len(m.Content) == 0 {
		return nil
	}
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}

// A message is what a model is sent of one.
type message struct {
	Role    string         `json:"role"`
	Call    string         `json:"toolCallId,omitzero"`
	Error   bool           `json:"isError,omitzero"`
	Content jsontext.Value `json:"content"`
	// Stop says that a response broke off: pi sends none of those.
	Stop string `json:"stopReason,omitzero"`
}

// A block is what a model is sent of a part of a message.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitzero"`
	Thinking  string         `json:"thinking,omitzero"`
	Signature string         `json:"thinkingSignature,omitzero"`
	Redacted  bool           `json:"redacted,omitzero"`
	Data      string         `json:"data,omitzero"`
	MediaType string         `json:"mimeType,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	Thought   string         `json:"thoughtSignature,omitzero"`
}

// keyOf is the same for two messages that a model is sent alike; false for what
// is not a message of the user's, the model's or a tool's.
func keyOf(raw jsontext.Value) (string, bool) {
	var m message
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return "", false
	}
	switch {
	case m.Role != "user" && m.Role != "assistant" && m.Role != "toolResult", m.Stop == "error", m.Stop == "aborted":
		return "", false
	}
	m.Stop = ""
	var blocks []block
	switch m.Content.Kind() {
	case '"':
		blocks = []block{{Type: "text"}}
		if json.Unmarshal(m.Content, &blocks[0].Text) != nil {
			return "", false
		}
	case '[':
		if json.Unmarshal(m.Content, &blocks) != nil {
			return "", false
		}
	default:
		return "", false
	}
	for i := range blocks {
		if len(blocks[i].Arguments) > 0 && blocks[i].Arguments.Canonicalize() != nil {
			return "", false
		}
	}
	content, err := json.Marshal(blocks)
	if err != nil {
		return "", false
	}
	m.Content = content
	key, err := json.Marshal(m)
	return string(key), err == nil
}
