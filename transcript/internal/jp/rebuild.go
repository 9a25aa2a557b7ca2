package jp

import (
	"encoding/base64"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// rebuildJP gives the event that the entries of one record came from, by
// filling the payloads into what the Source left; false when they do not fit.
func rebuildJP(scan *walk.Scanner, source string, entries []tenfold.Entry) (string, bool) {
	if source == walk.CutValue {
		// The configuration stood in the event itself.
		if d, ok := entries[0].Payload.(tenfold.ConfigDelta); ok {
			return d.Extra, d.Extra != ""
		}
	}
	e := jpEvent{raw: []byte(source)}
	e.parse(scan)
	if scan.Err != nil {
		return "", false
	}
	r := engine.Finder{Raw: e.raw}
	for _, entry := range entries {
		switch p := entry.Payload.(type) {
		case tenfold.UserMessage:
			if len(p.Parts) != 1 {
				return "", false
			}
			r.Put(e.content, p.Parts[0].Text)
			r.Put(e.message, p.Parts[0].Text)
		case tenfold.AssistantMessage:
			if e.replyContent.Found() {
				r.Put(e.replyContent, p.Text)
			} else {
				r.Put(e.message, p.Text)
			}
		case tenfold.Reasoning:
			switch {
			case p.CallID != "" && e.arguments.Found(): // the call's event keeps its signature
			case e.replyReasoning.Found():
				r.Put(e.replyReasoning, p.Text)
			default:
				r.Put(e.reasoning, p.Text)
				r.Put(e.anthropic, p.Signature)
				r.Put(e.google, p.Signature)
			}
		case tenfold.ToolCall:
			r.PutWhole(e.arguments, EncodeStrings(p.Arguments))
		case tenfold.ToolResult:
			if len(p.Parts) > 0 {
				r.Put(e.content, base64.StdEncoding.EncodeToString([]byte(p.Parts[0].Text)))
			}
		case tenfold.Approval:
			r.Put(e.question, p.Reason)
		case tenfold.ConfigDelta:
			r.PutWhole(e.delta, p.Extra)
		case tenfold.Compaction:
			if p.Summary != nil {
				at := e.summaryText
				if !at.Found() {
					at = e.summary
				}
				r.Put(at, p.Summary.Text)
			}
		}
	}
	return r.Done(), true
}

// EncodeStrings encodes every string of a value as base64, the names of members
// aside: the counterpart of decodeAll. What is no JSON becomes one string.
func EncodeStrings(value string) string {
	var s walk.Scanner
	s.Reset([]byte(value))
	out := mapStrings(&s, make([]byte, 0, len(value)+len(value)/2), func(out []byte, at walk.Span) []byte {
		text, _ := s.Unquote(at)
		return append(base64.StdEncoding.AppendEncode(append(out, '"'), []byte(text)), '"')
	})
	s.End()
	if s.Err != nil {
		return `{"input":"` + base64.StdEncoding.EncodeToString([]byte(value)) + `"}`
	}
	return string(out)
}
