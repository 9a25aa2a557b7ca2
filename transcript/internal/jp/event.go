package jp

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// jpEvent is one event, with the places of the members an importer reads.
type jpEvent struct {
	raw   []byte
	id    string
	kind  jsontext.Kind
	twice bool

	typ, stamp, call, name                               string
	content, message, reasoning, arguments, answer       walk.Span
	delta, summary, summaryText, tools                   walk.Span
	question, replyContent, replyReasoning, fromTo, toTo walk.Span
	anthropic, google                                    walk.Span
	isError                                              bool
}

func (e *jpEvent) parse(s *walk.Scanner) {
	s.Reset(e.raw)
	e.kind = s.Kind()
	walk.Shape{
		"type", &e.typ,
		"timestamp", &e.stamp,
		"id", &e.call,
		"name", &e.name,
		"is_error", &e.isError,
		"content", &e.content,
		"message", &e.message,
		"reasoning", &e.reasoning,
		"arguments", &e.arguments,
		"answer", &e.answer,
		"delta", &e.delta,
		"tool_calls", &e.tools,
		"from_turn", &e.fromTo,
		"to_turn", &e.toTo,
		"summary", func() {
			s.Twice = s.Twice || e.summary.Found()
			e.summary = walk.Within(s, func() { walk.Shape{"summary", &e.summaryText}.Read(s) })
		},
		"question", walk.Inner("text", &e.question),
		"reply", walk.Inner("content", &e.replyContent, "reasoning", &e.replyReasoning),
		"metadata", walk.Inner("anthropic_thinking_signature", &e.anthropic, "google_thought_signature", &e.google),
	}.Read(s)
	e.twice = s.Twice
}

func (e *jpEvent) isText(at walk.Span) bool { return at.Found() && e.raw[at.From] == '"' }

// event turns one event into entries.
func (j *jp) event(e *jpEvent) error {
	w := engine.Finder{Scan: &j.scan, Raw: e.raw}
	var p tenfold.Payload
	switch {
	case e.kind != '{' || e.twice:
	case e.typ == "turn_start":
		j.explicit = true
		p = tenfold.TurnStart{}
	case e.typ == "chat_request" && e.isText(e.content):
		if !j.explicit {
			j.Turn(e.id)
		}
		p = tenfold.UserMessage{Parts: tenfold.Text(w.Text(e.content))}
	case e.typ == "chat_response" && e.isText(e.message) && !e.reasoning.Found():
		p = tenfold.AssistantMessage{Text: w.Text(e.message)}
	case e.typ == "chat_response" && e.isText(e.reasoning) && !e.message.Found():
		p = j.reasoning(e, &w)
	case e.typ == "tool_call_request" && e.arguments.Found():
		return j.call(e, &w)
	case e.typ == "tool_call_response" && e.isText(e.content):
		text, exact := j.decode(e.content, e.raw)
		if exact {
			w.Cuts = append(w.Cuts, walk.Cut{Span: e.content, With: walk.CutText})
		}
		r := tenfold.ToolResult{CallID: e.call, IsError: e.isError}
		if text != "" {
			r.Parts = tenfold.Text(text)
		}
		p = r
	case strings.HasPrefix(e.typ, "inquiry_") && !j.turns.Holds && !j.Place.Opened:
		// To JP it is the first turn, to a log no model sees it.
		j.Turn(e.id)
		return j.event(e)
	case e.typ == "inquiry_request":
		a := tenfold.Approval{State: tenfold.ApprovalRequested, CallID: inquiryCall(e.call)}
		if e.isText(e.question) {
			a.Reason = w.Text(e.question)
		}
		p = a
	case e.typ == "inquiry_response":
		p = j.answer(e)
	case e.typ == "config_delta":
		delta := e.raw
		if e.delta.Found() && e.raw[e.delta.From] == '{' {
			delta = e.delta.Of(e.raw)
			w.Cuts = append(w.Cuts, walk.Cut{Span: e.delta, With: walk.CutValue})
		} else {
			w.Cuts = append(w.Cuts, walk.Cut{Span: walk.Span{From: 0, To: len(e.raw)}, With: walk.CutValue}) // the keys stand in the event itself
		}
		p = j.config(delta)
	case e.typ == "compaction":
		if o, ok := j.compaction(e, &w); ok {
			p = o
		} else {
			j.Warn.Add(0, "compaction could not be understood and has no effect", "compactions could not be understood and have no effect")
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
			j.Warn.Odd(0, "event")
		}
		return j.Emit(tenfold.Entry{ID: e.id, Source: string(e.raw), Payload: tenfold.Unknown{Name: tenfold.Kind(name)}})
	}
	return j.Emit(tenfold.Entry{ID: e.id, Source: w.Done(), Payload: p})
}

func (j *jp) reasoning(e *jpEvent, w *engine.Finder) tenfold.Reasoning {
	r := tenfold.Reasoning{Text: w.Text(e.reasoning)}
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
func (j *jp) signature(at walk.Span, w *engine.Finder) string {
	if in := at.Of(w.Raw); bytes.IndexByte(in, '\\') < 0 {
		in = in[1 : len(in)-1]
		inner := peelBytes(in)
		if len(inner) == len(in) && !bytes.Contains(in, []byte("\uFFFD")) {
			w.Cuts = append(w.Cuts, walk.Cut{Span: at, With: walk.CutText})
		}
		return string(inner)
	}
	t, exact := j.scan.Unquote(at)
	inner := Peel(t)
	if exact && inner == t {
		w.Cuts = append(w.Cuts, walk.Cut{Span: at, With: walk.CutText})
	}
	return inner
}

// call emits a call, after the thought signature that stands on it if any.
func (j *jp) call(e *jpEvent, w *engine.Finder) error {
	call := tenfold.ToolCall{CallID: e.call, Name: e.name}
	arguments, exact := j.decodeAll(e.arguments.Of(e.raw))
	call.Arguments = arguments
	if exact {
		w.Cuts = append(w.Cuts, walk.Cut{Span: e.arguments, With: walk.CutValue})
	}
	if e.isText(e.google) {
		r := tenfold.Reasoning{Provider: "gemini", CallID: e.call}
		t, _ := j.scan.Unquote(e.google)
		r.Signature = Peel(t)
		_ = j.Emit(tenfold.Entry{ID: e.id + "/thought", Payload: r})
	}
	return j.Emit(tenfold.Entry{ID: e.id, Source: w.Done(), Payload: call})
}

// answer reads the answer to an inquiry: true grants, false denies, and
// anything else is an answer, which lets the call go on.
func (j *jp) answer(e *jpEvent) tenfold.Approval {
	a := tenfold.Approval{State: tenfold.ApprovalGranted, CallID: inquiryCall(e.call)}
	if !e.answer.Found() {
		return a
	}
	switch text := string(e.answer.Of(e.raw)); text {
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
func (j *jp) exchange(e *jpEvent, w *engine.Finder) error {
	var reply []tenfold.Payload
	user := tenfold.UserMessage{Parts: tenfold.Text(w.Text(e.message))}
	if e.isText(e.replyReasoning) {
		reply = append(reply, tenfold.Reasoning{Text: w.Text(e.replyReasoning)})
	}
	if e.isText(e.replyContent) {
		reply = append(reply, tenfold.AssistantMessage{Text: w.Text(e.replyContent)})
	}
	j.Turn(e.id)
	_ = j.Emit(tenfold.Entry{ID: e.id, Source: w.Done(), Payload: user})
	for i, p := range reply {
		_ = j.Emit(tenfold.Entry{ID: intake.BlockID(e.id, i+1), Payload: p})
	}
	return nil
}
