package htmlexport

import (
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/tool"
)

// kindWord names a kind.
func kindWord(p tenfold.Payload) string {
	if v, ok := p.(tenfold.UserMessage); ok {
		switch {
		case v.Purpose != tenfold.Request:
			return string(v.Purpose)
		case v.Synthetic:
			return "host"
		}
	}
	return strings.ReplaceAll(report.KindWord(p.Kind()), "_", " ")
}

// textOf is the text of an entry. A call's begins with the name of the tool.
func textOf(p tenfold.Payload) string {
	switch v := p.(type) {
	case tenfold.ToolCall:
		if text := tool.ArgumentsText(v.Arguments); text != v.Arguments {
			return v.Name + "\n" + text
		}
		return v.Name + " " + v.Arguments
	case tenfold.ProviderItem:
		return v.Provider + "\n" + v.Data
	}
	return report.EntryText(p)
}

// note describes an entry that no model sees, "" for one that is not worth a line.
func note(p tenfold.Payload) (kind, text string) {
	switch v := p.(type) {
	case tenfold.Compaction:
		return "compaction", report.Where(v) + ": " + report.Why(v)
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

func numeral(seq int64) string { return strconv.FormatInt(seq, 10) }
