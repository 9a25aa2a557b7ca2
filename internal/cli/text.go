package cli

import (
	"strings"

	"tenfold"
	"tenfold/internal/report"
)

// kindWord names a kind.
func kindWord(k tenfold.Kind) string {
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

// entryText is the text of an entry, for a line about it.
func entryText(p tenfold.Payload) string {
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
		return "(" + size(len(p.Encrypted)+len(p.Signature)) + ", readable only by the provider)"
	}
	return p.Text
}
