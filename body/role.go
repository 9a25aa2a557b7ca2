package body

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// role is the role under which a message goes out: its own where the provider
// knows it, else "" for the user's. OpenAI's APIs take the system's words
// anywhere; Anthropic takes texts that stood in a request to Anthropic.
func (w *wire) role(it wireItem) string {
	m, ok := it.Payload.(tenfold.UserMessage)
	if !ok || it.asUser {
		return ""
	}
	switch w.profile.Provider {
	case "openai", "openai-chat":
		if m.Role == "system" || m.Role == "developer" {
			return m.Role
		}
	case "anthropic":
		if m.Role == "system" && m.Provider == "anthropic" && !slices.ContainsFunc(userParts(m), bodyPart.isFile) {
			return m.Role
		}
	}
	return ""
}

// prompts puts what the system says before all else into the system prompt,
// for those who know no other place for it.
func (w *wire) prompts(m tenfold.UserMessage) bool {
	if w.profile.Provider == "openai" || w.profile.Provider == "openai-chat" {
		return false
	}
	parts := userParts(m)
	if slices.ContainsFunc(parts, bodyPart.isFile) {
		return false
	}
	for _, p := range parts {
		w.config.System = strings.TrimPrefix(w.config.System+"\n\n"+p.text, "\n\n")
	}
	return true
}

// giveUser gives the user a message at the front of a body that begins with
// none: no provider takes one where the model speaks first (P10).
func (w *wire) giveUser() {
	items := w.messages[0].items
	if !slices.ContainsFunc(items, func(it wireItem) bool { return w.role(it) == "" }) {
		items[len(items)-1].asUser = true
	}
}

// stretch is a part of a user's message that goes out under one role.
type stretch struct {
	role string
	message
}

// roleRuns parts a user's message by role. Results stand in the first, which
// is the user's, for they follow their calls at once.
func (w *wire) roleRuns(m message) []stretch {
	out := []stretch{{message: message{user: true}}}
	for _, it := range m.items {
		role := w.role(it)
		last := &out[len(out)-1]
		switch {
		case it.Payload.Kind() == tenfold.KindToolResult:
			last = &out[0]
		case role != last.role || role != "":
			out = append(out, stretch{role, message{user: true}})
			last = &out[len(out)-1]
		}
		last.items = append(last.items, it)
	}
	return out
}

// customInput is the text that a custom tool was called with: the arguments'
// one member "input", or what stands there instead.
func customInput(arguments string) string {
	var members map[string]jsontext.Value
	if unmarshal([]byte(arguments), &members) != nil {
		return arguments
	}
	var text string
	if input, ok := members["input"]; ok && len(members) == 1 && unmarshal(input, &text) == nil {
		return text
	}
	if len(members) == 0 {
		return "" // they were stripped
	}
	return arguments
}
