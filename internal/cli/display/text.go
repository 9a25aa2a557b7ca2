package display

import (
	"cmp"

	"tenfold"
	"tenfold/internal/report"
)

// EntryText is the text of an entry, for a line about it.
func EntryText(p tenfold.Payload) string {
	if call, ok := p.(tenfold.ToolCall); ok {
		return call.Name + "(" + call.Arguments + ")"
	}
	return cmp.Or(report.EntryText(p), tenfold.SearchText(p))
}
