package transcript

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// jpEvent is one event, with the places of the members an importer reads.
type jpEvent struct {
	raw   []byte
	id    string
	kind  jsontext.Kind
	twice bool

	typ, stamp, call, name                               string
	content, message, reasoning, arguments, answer       span
	delta, summary, summaryText, tools                   span
	question, replyContent, replyReasoning, fromTo, toTo span
	anthropic, google                                    span
	isError                                              bool
}

func (e *jpEvent) parse(s *scanner) {
	s.reset(e.raw)
	e.kind = s.kind()
	take := func(at *span) {
		v := s.value()
		e.twice = e.twice || at.found()
		*at = v
	}
	// inner takes one member of an object and keeps the object's place too.
	inner := func(whole *span, pick func(name []byte) *span) {
		if s.kind() != '{' {
			take(whole)
			return
		}
		e.twice = e.twice || whole.found()
		s.token()
		from := int(s.offset()) - 1
		for s.more() {
			if at := pick(s.name()); at != nil {
				take(at)
			} else {
				s.value()
			}
		}
		s.token()
		*whole = span{from, int(s.offset())}
	}
	var ignored span
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"type"`:
			e.typ = s.text()
		case `"timestamp"`:
			e.stamp = s.text()
		case `"id"`:
			e.call = s.text()
		case `"name"`:
			e.name = s.text()
		case `"is_error"`:
			e.isError = s.flag()
		case `"content"`:
			take(&e.content)
		case `"message"`:
			take(&e.message)
		case `"reasoning"`:
			take(&e.reasoning)
		case `"arguments"`:
			take(&e.arguments)
		case `"answer"`:
			take(&e.answer)
		case `"delta"`:
			take(&e.delta)
		case `"tool_calls"`:
			take(&e.tools)
		case `"from_turn"`:
			take(&e.fromTo)
		case `"to_turn"`:
			take(&e.toTo)
		case `"summary"`:
			inner(&e.summary, func(name []byte) *span {
				if string(name) == `"summary"` {
					return &e.summaryText
				}
				return nil
			})
		case `"question"`:
			inner(&ignored, func(name []byte) *span {
				if string(name) == `"text"` {
					return &e.question
				}
				return nil
			})
		case `"reply"`:
			inner(&ignored, func(name []byte) *span {
				switch string(name) {
				case `"content"`:
					return &e.replyContent
				case `"reasoning"`:
					return &e.replyReasoning
				}
				return nil
			})
		case `"metadata"`:
			inner(&ignored, func(name []byte) *span {
				switch string(name) {
				case `"anthropic_thinking_signature"`:
					return &e.anthropic
				case `"google_thought_signature"`:
					return &e.google
				}
				return nil
			})
		default:
			s.value()
		}
	})
}

func (e *jpEvent) isText(at span) bool { return at.found() && e.raw[at.from] == '"' }

// event turns one event into entries.
func (j *jp) event(e *jpEvent) error {
	w := contentWriter{scan: &j.scan, raw: e.raw}
	var p tenfold.Payload
	switch {
	case e.kind != '{' || e.twice:
	case e.typ == "turn_start":
		j.explicit = true
		p = tenfold.TurnStart{}
	case e.typ == "chat_request" && e.isText(e.content):
		if !j.explicit {
			if err := j.emit(tenfold.Entry{ID: e.id + "/turn", Payload: tenfold.TurnStart{}}); err != nil {
				return err
			}
		}
		p = tenfold.UserMessage{Parts: tenfold.Text(w.text(e.content))}
	case e.typ == "chat_response" && e.isText(e.message) && !e.reasoning.found():
		p = tenfold.AssistantMessage{Text: w.text(e.message)}
	case e.typ == "chat_response" && e.isText(e.reasoning) && !e.message.found():
		p = j.reasoning(e, &w)
	case e.typ == "tool_call_request" && e.arguments.found():
		return j.call(e, &w)
	case e.typ == "tool_call_response" && e.isText(e.content):
		text, exact := j.decode(e.content, e.raw)
		if exact {
			w.cuts = append(w.cuts, cut{e.content, cutText})
		}
		r := tenfold.ToolResult{CallID: e.call, IsError: e.isError}
		if text != "" {
			r.Parts = tenfold.Text(text)
		}
		p = r
	case strings.HasPrefix(e.typ, "inquiry_") && !j.turns.holds && !j.root.opened:
		// To JP it is the first turn, to a log no model sees it.
		if err := j.emit(tenfold.Entry{ID: e.id + "/turn", Payload: tenfold.TurnStart{}}); err != nil {
			return err
		}
		return j.event(e)
	case e.typ == "inquiry_request":
		a := tenfold.Approval{State: tenfold.ApprovalRequested, CallID: inquiryCall(e.call)}
		if e.isText(e.question) {
			a.Reason = w.text(e.question)
		}
		p = a
	case e.typ == "inquiry_response":
		p = j.answer(e)
	case e.typ == "config_delta":
		delta := e.raw
		if e.delta.found() && e.raw[e.delta.from] == '{' {
			delta = e.delta.of(e.raw)
			w.cuts = append(w.cuts, cut{e.delta, cutValue})
		} else {
			w.cuts = append(w.cuts, cut{span{0, len(e.raw)}, cutValue}) // the keys stand in the event itself
		}
		p = j.config(delta)
	case e.typ == "compaction":
		if o, ok := j.compaction(e, &w); ok {
			p = o
		} else {
			j.warn.add(0, "compaction could not be understood and has no effect", "compactions could not be understood and have no effect")
		}
	case e.typ == "" && e.isText(e.message) && (e.isText(e.replyContent) || e.isText(e.replyReasoning)):
		return j.exchange(e, &w)
	}
	if p == nil {
		name := "jp.untyped"
		if e.kind == '{' && e.typ != "" {
			name = "jp." + e.typ
		}
		switch e.typ {
		case "chat_request", "chat_response", "tool_call_request", "tool_call_response", "":
			j.warn.add(0, "event could not be understood and was kept as it is", "events could not be understood and were kept as they are")
		}
		return j.emit(tenfold.Entry{ID: e.id, Source: string(e.raw), Payload: tenfold.Unknown{Name: tenfold.Kind(name)}})
	}
	return j.emit(tenfold.Entry{ID: e.id, Source: splice(e.raw, w.cuts), Payload: p})
}

func (j *jp) reasoning(e *jpEvent, w *contentWriter) tenfold.Reasoning {
	r := tenfold.Reasoning{Text: w.text(e.reasoning)}
	switch {
	case e.isText(e.anthropic):
		r.Provider, r.Signature = "anthropic", j.signature(e.anthropic, w)
	case e.isText(e.google):
		r.Provider, r.Signature = "gemini", j.signature(e.google, w)
	}
	return r
}

// signature takes a signature out of the layers of base64 that JP has put
// around it; the event keeps it as it was unless there were none.
func (j *jp) signature(at span, w *contentWriter) string {
	if in := at.of(w.raw); bytes.IndexByte(in, '\\') < 0 {
		in = in[1 : len(in)-1]
		inner := peelBytes(in)
		if len(inner) == len(in) && !bytes.Contains(in, []byte("\uFFFD")) {
			w.cuts = append(w.cuts, cut{at, cutText})
		}
		return string(inner)
	}
	t, exact := j.scan.unquote(at)
	inner := peel(t)
	if exact && inner == t {
		w.cuts = append(w.cuts, cut{at, cutText})
	}
	return inner
}

// call emits a call, after the thought signature that stands on it if any.
func (j *jp) call(e *jpEvent, w *contentWriter) error {
	call := tenfold.ToolCall{CallID: e.call, Name: e.name}
	arguments, exact := j.decodeAll(e.arguments.of(e.raw))
	call.Arguments = arguments
	if exact {
		w.cuts = append(w.cuts, cut{e.arguments, cutValue})
	}
	if e.isText(e.google) {
		r := tenfold.Reasoning{Provider: "gemini", CallID: e.call}
		t, _ := j.scan.unquote(e.google)
		r.Signature = peel(t)
		if err := j.emit(tenfold.Entry{ID: e.id + "/thought", Payload: r}); err != nil {
			return err
		}
	}
	return j.emit(tenfold.Entry{ID: e.id, Source: splice(e.raw, w.cuts), Payload: call})
}

// answer reads the answer to an inquiry: true grants, false denies, and
// anything else is an answer, which lets the call go on.
func (j *jp) answer(e *jpEvent) tenfold.Approval {
	a := tenfold.Approval{State: tenfold.ApprovalGranted, CallID: inquiryCall(e.call)}
	if !e.answer.found() {
		return a
	}
	switch text := string(e.answer.of(e.raw)); text {
	case "true":
	case "false":
		a.State = tenfold.ApprovalDenied
	default:
		a.Reason = text
	}
	return a
}

// inquiryCall is the call of an inquiry "<call id>.<question>".
func inquiryCall(id string) string {
	if i := strings.LastIndexByte(id, '.'); i > 0 {
		return id[:i]
	}
	return id
}

// exchange reads an item of messages.json: a message and its reply.
func (j *jp) exchange(e *jpEvent, w *contentWriter) error {
	var reply []tenfold.Payload
	user := tenfold.UserMessage{Parts: tenfold.Text(w.text(e.message))}
	if e.isText(e.replyReasoning) {
		reply = append(reply, tenfold.Reasoning{Text: w.text(e.replyReasoning)})
	}
	if e.isText(e.replyContent) {
		reply = append(reply, tenfold.AssistantMessage{Text: w.text(e.replyContent)})
	}
	if err := j.emit(tenfold.Entry{ID: e.id + "/turn", Payload: tenfold.TurnStart{}}); err != nil {
		return err
	}
	if err := j.emit(tenfold.Entry{ID: e.id, Source: splice(e.raw, w.cuts), Payload: user}); err != nil {
		return err
	}
	for i, p := range reply {
		if err := j.emit(tenfold.Entry{ID: blockID(e.id, i+1), Payload: p}); err != nil {
			return err
		}
	}
	return nil
}
