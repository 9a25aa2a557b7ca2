package htmlexport

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/number"
)

// kindWord names a kind.
func kindWord(p tenfold.Payload) string {
	switch v := p.(type) {
	case tenfold.UserMessage:
		switch {
		case v.Purpose != tenfold.Request:
			return string(v.Purpose)
		case v.Synthetic:
			return "host"
		}
		return "user"
	case tenfold.AssistantMessage:
		return "assistant"
	case tenfold.ToolCall:
		return "call"
	case tenfold.ToolResult:
		return "result"
	case tenfold.ProviderItem:
		return "item"
	}
	return strings.ReplaceAll(string(p.Kind()), "_", " ")
}

// textOf is the text of an entry. A call's begins with the name of the tool.
func textOf(p tenfold.Payload) string {
	switch v := p.(type) {
	case tenfold.UserMessage:
		text := partsText(v.Parts)
		for _, a := range v.Attachments {
			text += "\n\n[attached " + a.Name + "]\n" + a.Content
		}
		return text
	case tenfold.AssistantMessage:
		return v.Text
	case tenfold.Reasoning:
		if strings.TrimSpace(v.Text) == "" {
			return "(" + number.Thousands(len(v.Encrypted)+len(v.Signature)) + " bytes that only the provider can read)"
		}
		return v.Text
	case tenfold.ToolCall:
		return v.Name + argumentsText(v.Arguments)
	case tenfold.ToolResult:
		return partsText(v.Parts)
	case tenfold.ProviderItem:
		return v.Provider + "\n" + v.Data
	}
	return ""
}

func partsText(parts []tenfold.Part) string {
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.File == nil {
			b.WriteString(p.Text)
		} else {
			b.WriteString("[" + string(p.File.Type) + " " + p.File.Label() + ", " + number.Thousands(int(p.File.Size())) + " bytes]")
		}
	}
	return b.String()
}

// argumentsText writes the arguments of a call a line each, and longer texts below
// their names; as they are where they are not an object.
func argumentsText(arguments string) string {
	dec := jsontext.NewDecoder(strings.NewReader(arguments), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return " " + arguments
	}
	var b strings.Builder
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return " " + arguments
		}
		word := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return " " + arguments
		}
		text := string(value)
		if value.Kind() == '"' && json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		if strings.Contains(text, "\n") {
			text = "\n" + text
		} else {
			text = " " + text
		}
		b.WriteString("\n" + word + ":" + text)
	}
	if _, err := dec.ReadToken(); err != nil {
		return " " + arguments
	}
	return b.String()
}

// note describes an entry that no model sees, "" for one that is not worth a line.
func note(p tenfold.Payload) (kind, text string) {
	switch v := p.(type) {
	case tenfold.Compaction:
		return "compaction", where(v) + ": " + what(v)
	case tenfold.CompactionRevoked:
		return "undone", "undone or redone: " + v.Target
	case tenfold.CompactionFailed:
		return "failed", "compaction failed: " + v.Error
	case tenfold.Approval:
		return "approval", strings.TrimSpace(string(v.State) + " " + v.Reason)
	case tenfold.ConfigDelta:
		if v.Model != "" {
			return "model", v.Model
		}
	case tenfold.Pin:
		return "pin", "pinned " + number.CountOf(len(v.Entries), "entry", "entries")
	case tenfold.Unpin:
		return "pin", "unpinned " + number.CountOf(len(v.Entries), "entry", "entries")
	case tenfold.Recalled:
		return "recalled", "a model asked for " + number.CountOf(len(v.Entries), "entry", "entries") + " again"
	}
	return "", ""
}

// where is the range of a compaction.
func where(c tenfold.Compaction) string {
	out := "turn " + number.Thousands(c.FromTurn)
	if c.ToTurn != c.FromTurn {
		out = "turns " + number.Thousands(c.FromTurn) + "–" + number.Thousands(c.ToTurn)
	}
	if c.ToStep != nil {
		out += ", to step " + number.Thousands(*c.ToStep)
	}
	return out
}

// what is what a compaction changes, and who made it.
func what(c tenfold.Compaction) string {
	var slots, words []string
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"summary", c.Summary != nil},
		{"turns", c.Turns != ""},
		{"reasoning", c.Reasoning != nil},
		{"tool calls", c.ToolCalls != nil},
		{"texts", c.Texts != nil},
		{"attachments", c.Attachments != nil},
		{"tool definitions", c.ToolDefinitions != nil},
	} {
		if s.set {
			slots = append(slots, s.name)
		}
	}
	words = append(words, strings.Join(slots, ", "))
	switch {
	case c.Profile != "":
		words = append(words, "profile "+c.Profile)
	case c.Strategy != "":
		words = append(words, c.Strategy)
	}
	if c.Source != "" {
		words = append(words, "by "+c.Source)
	}
	return strings.Join(words, ", ")
}

func numeral(seq int64) string { return strconv.FormatInt(seq, 10) }
