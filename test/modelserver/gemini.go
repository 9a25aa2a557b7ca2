package modelserver

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type geminiBody struct {
	System jsontext.Value `json:"systemInstruction"`
	Tools  []struct {
		Functions []jsontext.Value `json:"functionDeclarations"`
	} `json:"tools"`
	Contents []struct {
		Role  string           `json:"role"`
		Parts []jsontext.Value `json:"parts"`
	} `json:"contents"`
	Inner *geminiBody `json:"generateContentRequest"` // of countTokens
}

type geminiPart struct {
	Text      *string `json:"text"`
	Thought   bool    `json:"thought"`
	Signature string  `json:"thoughtSignature"`
	Call      *struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		Response jsontext.Value `json:"response"`
	} `json:"functionResponse"`
}

func invalidArgument(message string) *Error {
	return &Error{Status: 400, Type: "INVALID_ARGUMENT", Message: message}
}

// readGemini reads a body of generateContent and checks it.
func readGemini(r *Request) *Error {
	var b geminiBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return invalidArgument("Invalid JSON payload received. " + err.Error())
	}
	if b.Inner != nil {
		b = *b.Inner
	}
	r.prefix.add("system", b.System)
	var system struct {
		Parts []jsontext.Value `json:"parts"`
	}
	if b.System != nil && json.Unmarshal(b.System, &system) == nil {
		for _, part := range system.Parts {
			r.System += textOf(part) + "\n"
		}
	}
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, nameOf(f))
			r.prefix.add("tools", f)
		}
	}
	if len(b.Contents) == 0 {
		return invalidArgument("* GenerateContentRequest.contents: contents is not specified\n")
	}
	open := 0 // calls of the model's turn before
	for i, c := range b.Contents {
		role := map[string]string{"user": "user", "model": "assistant", "function": "user", "": "user"}[c.Role]
		if role == "" {
			return invalidArgument("Please use a valid role: user, model.")
		}
		if len(c.Parts) == 0 {
			return invalidArgument("* GenerateContentRequest.contents[" + strconv.Itoa(i) + "].parts: contents.parts must not be empty.\n")
		}
		calls, responses := 0, 0
		answered := map[string]bool{}
		for _, raw := range c.Parts {
			var part geminiPart
			if err := json.Unmarshal(raw, &part); err != nil {
				return invalidArgument(err.Error())
			}
			out := Block{Kind: KindOther, Raw: raw, Signature: part.Signature}
			switch {
			case part.Call != nil:
				calls++
				out.Kind, out.Type, out.ID, out.Name, out.Arguments = KindCall, "functionCall", part.Call.ID, part.Call.Name, string(part.Call.Args)
			case part.Response != nil:
				if part.Response.ID == "" || !answered[part.Response.ID] { // Gemini CLI resumes with doubles
					responses++
				}
				answered[part.Response.ID] = true
				out.Kind, out.Type, out.ID, out.Name, out.Text = KindResult, "functionResponse", part.Response.ID, part.Response.Name, said(part.Response.Response)
			case part.Thought:
				out.Kind, out.Type, out.Text = KindThinking, "thought", *part.Text
			case part.Text != nil:
				out.Kind, out.Type, out.Text = KindText, "text", *part.Text
			case part.Signature != "":
				out.Kind, out.Type = KindThinking, "thoughtSignature"
			}
			r.add(role, out)
			r.unit(role, raw)
		}
		if open > 0 && responses != open {
			return invalidArgument("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		}
		if responses > 0 && open == 0 {
			return invalidArgument("Please ensure that function response turn comes immediately after a function call turn.")
		}
		if calls > 0 && i == 0 {
			return invalidArgument("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		open = calls
	}
	return r.signed()
}

// said is what a response says: its output or its error where it is just that.
func said(response jsontext.Value) string {
	var r map[string]any
	if json.Unmarshal(response, &r) == nil && len(r) == 1 {
		for _, member := range []string{"output", "error"} {
			if text, ok := r[member].(string); ok {
				return text
			}
		}
	}
	return string(response)
}

// signed refuses calls of the open loop that lack the model's signature: the
// first call of each step since the user's last text carries it. Gemini 2 does
// not ask for it.
func (r *Request) signed() *Error {
	if !strings.Contains(r.Model, "gemini-3") {
		return nil
	}
	since := 0
	for i, m := range r.Messages {
		if m.Role == "user" && slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Kind == KindText }) {
			since = i
		}
	}
	for i, m := range r.Messages[since:] {
		if m.Role != "assistant" {
			continue
		}
		first := slices.IndexFunc(m.Blocks, func(b Block) bool { return b.Kind == KindCall })
		if first >= 0 && m.Blocks[first].Signature == "" {
			return invalidArgument(fmt.Sprintf("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d.", m.Blocks[first].Name, since+i+1))
		}
	}
	return nil
}

// writeGemini answers generateContent and streamGenerateContent.
func (a *answer) writeGemini() {
	var parts []map[string]any
	for _, b := range a.blocks {
		switch b.Kind {
		case KindThinking:
			parts = append(parts, map[string]any{"text": b.Text, "thought": true})
		case KindCall:
			parts = append(parts, map[string]any{
				"functionCall":     map[string]any{"id": b.ID, "name": b.Name, "args": jsontext.Value(b.Arguments)},
				"thoughtSignature": b.Signature,
			})
		case KindText, KindResult, KindOther:
			parts = append(parts, map[string]any{"text": b.Text})
		}
	}
	usage := map[string]any{
		"promptTokenCount": a.usage.All(), "cachedContentTokenCount": a.usage.CacheRead,
		"candidatesTokenCount": a.usage.Output, "totalTokenCount": a.usage.All() + a.usage.Output,
	}
	id := a.id("resp-")
	frame := func(parts []map[string]any, finish bool) map[string]any {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish {
			candidate["finishReason"] = "STOP"
		}
		return map[string]any{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": a.request.Model, "responseId": id}
	}
	if !a.request.Stream {
		a.json(http.StatusOK, frame(parts, true))
		return
	}
	var events [][]map[string]any
	for _, part := range parts {
		text, ok := part["text"].(string)
		if !ok || text == "" {
			events = append(events, []map[string]any{part})
			continue
		}
		for _, piece := range split(text) {
			piece := map[string]any{"text": piece}
			if part["thought"] == true {
				piece["thought"] = true
			}
			events = append(events, []map[string]any{piece})
		}
	}
	for i, parts := range events {
		a.event("", frame(parts, i == len(events)-1))
	}
	if len(events) == 0 {
		a.event("", frame(nil, true))
	}
}
