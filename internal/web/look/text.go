// Package look says what the page is shown of a log: the texts of entries and what they are
// called (text.go), the structure in columns (outline.go), views beside each other
// (compare.go), and when the beginning of the view changed (epochs.go).
package look

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/tool"
)

// LineLength is how much of a text stands in a row, in characters.
const LineLength = 300

// Text is the text of any entry.
func Text(p tenfold.Payload) string {
	if p.Kind().Visible() {
		return report.EntryText(p)
	}
	return noteText(p)
}

// noteText says in words what an entry that no model sees records.
func noteText(p tenfold.Payload) string {
	var parts []string
	switch p := p.(type) {
	case tenfold.Compaction:
		parts = append(parts, tenfold.Range{FromTurn: p.FromTurn, ToTurn: p.ToTurn, ToStep: p.ToStep}.String(), cmp.Or(p.Profile, p.Strategy), p.Reason)
		if p.Summary != nil {
			parts = append(parts, p.Summary.Text)
		}
	case tenfold.CompactionRevoked:
		parts = append(parts, p.Target)
	case tenfold.CompactionFailed:
		parts = append(parts, p.Error)
	case tenfold.CompactionAttempt:
		parts = append(parts, string(p.State), p.Reason)
	case tenfold.Approval:
		parts = append(parts, string(p.State), p.Reason)
	case tenfold.Usage:
		parts = append(parts, p.Model, strconv.Itoa(p.Prompt())+" tokens in ("+strconv.Itoa(p.CacheRead)+" cached), "+strconv.Itoa(p.Output)+" out")
	case tenfold.ConfigDelta:
		if parts = append(parts, p.Model); p.System != nil {
			parts = append(parts, "system prompt of "+strconv.Itoa(len(*p.System))+" bytes")
		}
		if p.Tools != nil {
			parts = append(parts, strconv.Itoa(len(*p.Tools))+" tools")
		}
		parts = append(parts, p.Extra)
	case tenfold.Pin:
		parts = append(parts, strings.Join(p.Entries, ", "))
	case tenfold.Unpin:
		parts = append(parts, strings.Join(p.Entries, ", "))
	case tenfold.Recalled:
		parts = append(parts, strings.Join(p.Entries, ", "))
	case tenfold.Unknown:
		parts = append(parts, p.Data)
	}
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, ": ")
}

// labels are the names of kinds in a row.
var labels = map[tenfold.Kind]string{
	tenfold.KindTurnStart: "turn", tenfold.KindUserMessage: "user", tenfold.KindAssistantMessage: "assistant", tenfold.KindReasoning: "reasoning",
	tenfold.KindToolCall: "call", tenfold.KindToolResult: "result", tenfold.KindProviderItem: "provider item", tenfold.KindApproval: "approval",
	tenfold.KindUsage: "usage", tenfold.KindConfigDelta: "configuration", tenfold.KindCompaction: "compaction",
	tenfold.KindCompactionRevoked: "undo or redo", tenfold.KindCompactionFailed: "compaction failed", tenfold.KindCompactionAttempt: "compaction attempt",
	tenfold.KindPin: "pin", tenfold.KindUnpin: "unpin", tenfold.KindRecalled: "recall",
}

// Label names an entry in a few words: the tool and what the call is about, or
// the kind.
func Label(l *tenfold.Log, e tenfold.Entry) string {
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		return callLabel(p)
	case tenfold.ToolResult:
		if c, ok := l.CallOf(e.Seq); ok {
			return callLabel(c)
		}
	case tenfold.UserMessage:
		switch {
		case p.Purpose != tenfold.Request:
			return string(p.Purpose)
		case p.Synthetic:
			return "user, not typed by a person"
		}
	}
	if name := labels[e.Payload.Kind()]; name != "" {
		return name
	}
	return Line(string(e.Payload.Kind()), labelLength)
}

const labelLength = 200

func callLabel(c tenfold.ToolCall) string {
	return Line(c.Name+" "+tool.Subject(c.Name, c.Arguments), labelLength)
}

// Line is the beginning of a text on one line, at most n characters of it. What
// shows nothing, or turns the direction of what follows, is left out.
func Line(text string, n int) string {
	b := make([]byte, 0, min(len(text), 2*n))
	space := false
	for _, r := range text {
		switch {
		case r == ' ' || r < utf8.RuneSelf && r >= '\t' && r <= '\r' || r >= utf8.RuneSelf && unicode.IsSpace(r):
			space = len(b) > 0
			continue
		case r < ' ' || r == 0x7f, r >= utf8.RuneSelf && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d'):
			continue
		}
		if space {
			if n--; n < 1 { // a space at the end is none
				break
			}
			b, space = append(b, ' '), false
		}
		if n--; n < 0 {
			break
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// Window cuts characters from offset on out of a text, and tells how many it has.
func Window(text string, offset, limit int) (cut string, length int) {
	length = utf8.RuneCountInString(text)
	from := skip(text, min(offset, length))
	return text[from : from+skip(text[from:], min(limit, length-min(offset, length)))], length
}

// skip gives how many bytes n characters take.
func skip(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}
