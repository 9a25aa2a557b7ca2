package display

import (
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/internal/report"
)

// KindWord names a kind.
func KindWord(k tenfold.Kind) string {
	switch k {
	case tenfold.KindUserMessage:
		return "user"
	case tenfold.KindAssistantMessage:
		return "assistant"
	case tenfold.KindToolCall:
		return "call"
	case tenfold.KindToolResult:
		return "result"
	case tenfold.KindProviderItem:
		return "item"
	}
	return string(k)
}

// EntryText is the text of an entry, for a line about it.
func EntryText(p tenfold.Payload) string {
	switch p := p.(type) {
	case tenfold.UserMessage:
		return report.PartsText(p.Parts)
	case tenfold.AssistantMessage:
		return p.Text
	case tenfold.Reasoning:
		return reasoningText(p)
	case tenfold.ToolCall:
		return p.Name + "(" + p.Arguments + ")"
	case tenfold.ToolResult:
		return report.PartsText(p.Parts)
	case tenfold.ProviderItem:
		return p.Data
	}
	return tenfold.SearchText(p)
}

func reasoningText(p tenfold.Reasoning) string {
	if strings.TrimSpace(p.Text) == "" {
		return "(" + number.Size(len(p.Encrypted)+len(p.Signature)) + ", readable only by the provider)"
	}
	return p.Text
}
