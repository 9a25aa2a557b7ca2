package transcript

import (
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// rebuildJP gives the event that the entries of one record came from, by
// filling the payloads into what the Source left; false when they do not fit.
func rebuildJP(scan *scanner, source string, entries []tenfold.Entry) (string, bool) {
	if source == cutValue {
		// The configuration stood in the event itself.
		if d, ok := entries[0].Payload.(tenfold.ConfigDelta); ok {
			return d.Extra, d.Extra != ""
		}
	}
	e := jpEvent{raw: []byte(source)}
	e.parse(scan)
	if scan.err != nil {
		return "", false
	}
	var cuts []cut
	text := func(at span, t string) {
		if at.found() && string(at.of(e.raw)) == cutText && t != "" {
			quoted, _ := jsontext.AppendQuote(nil, t)
			cuts = append(cuts, cut{at, string(quoted)})
		}
	}
	whole := func(at span, value string) {
		if at.found() && string(at.of(e.raw)) == cutValue {
			cuts = append(cuts, cut{at, value})
		}
	}
	for _, entry := range entries {
		switch p := entry.Payload.(type) {
		case tenfold.UserMessage:
			if len(p.Parts) != 1 {
				return "", false
			}
			text(e.content, p.Parts[0].Text)
			text(e.message, p.Parts[0].Text)
		case tenfold.AssistantMessage:
			if e.replyContent.found() {
				text(e.replyContent, p.Text)
			} else {
				text(e.message, p.Text)
			}
		case tenfold.Reasoning:
			switch {
			case p.CallID != "" && e.arguments.found(): // the call's event keeps its signature
			case e.replyReasoning.found():
				text(e.replyReasoning, p.Text)
			default:
				text(e.reasoning, p.Text)
				text(e.anthropic, p.Signature)
				text(e.google, p.Signature)
			}
		case tenfold.ToolCall:
			whole(e.arguments, encodeStrings(p.Arguments))
		case tenfold.ToolResult:
			if len(p.Parts) > 0 {
				text(e.content, base64.StdEncoding.EncodeToString([]byte(p.Parts[0].Text)))
			}
		case tenfold.Approval:
			text(e.question, p.Reason)
		case tenfold.ConfigDelta:
			whole(e.delta, p.Extra)
		case tenfold.Compaction:
			if p.Summary != nil {
				at := e.summaryText
				if !at.found() {
					at = e.summary
				}
				text(at, p.Summary.Text)
			}
		}
	}
	return splice(e.raw, cuts), true
}

// encodeStrings encodes every string of a value as base64, the names of members
// aside: the counterpart of decodeAll. What is no JSON becomes one string.
func encodeStrings(value string) string {
	var s scanner
	s.reset([]byte(value))
	out := encodeValue(&s, make([]byte, 0, len(value)+len(value)/2))
	s.end()
	if s.err != nil {
		return `{"input":"` + base64.StdEncoding.EncodeToString([]byte(value)) + `"}`
	}
	return string(out)
}

func encodeValue(s *scanner, out []byte) []byte {
	switch kind := s.kind(); kind {
	case '{', '[':
		s.token()
		out = append(out, byte(kind))
		for first := true; s.more(); first = false {
			if !first {
				out = append(out, ',')
			}
			if kind == '{' {
				out = append(append(out, s.name()...), ':')
			}
			out = encodeValue(s, out)
		}
		s.token()
		if kind == '{' {
			return append(out, '}')
		}
		return append(out, ']')
	case '"':
		out = append(out, '"')
		out = base64.StdEncoding.AppendEncode(out, []byte(s.text()))
		return append(out, '"')
	default:
		at := s.value()
		if s.err != nil {
			return out
		}
		return append(out, strings.TrimSpace(string(at.of(s.raw)))...)
	}
}
