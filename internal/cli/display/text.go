package display

import (
	"cmp"

	"tenfold"
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
	if call, ok := p.(tenfold.ToolCall); ok {
		return call.Name + "(" + call.Arguments + ")"
	}
	return cmp.Or(report.EntryText(p), tenfold.SearchText(p))
}
