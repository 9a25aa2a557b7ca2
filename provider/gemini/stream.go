package gemini

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// stream makes events of generateContent's chunks. It implements
// [wire.Decoder]. Pieces of text join to one block until something else comes;
// a piece with a signature is a block of its own, so that the signature goes
// back on the very part it came with.
type stream struct {
	id, model      string
	text, thoughts strings.Builder
	calls          int
	usage          *tenfold.Usage
	reason         string
	// callID gives calls their ids; nil takes those they come with, and numbers the others.
	callID func(tool string) string
	// apart tells that the signature of what follows is no part of the thoughts before
	// it: so it is read when a client sends the answer back.
	apart bool
}

func newStream(model string) *stream { return &stream{model: model} }

// NewDecoder decodes one answer, for package answer. A call gets the id that callID gives
// for its tool, not the one it comes with.
func NewDecoder(model string, callID func(tool string) string) wire.Decoder {
	return &stream{model: model, callID: callID, apart: true}
}

type chunk struct {
	ID         string         `json:"responseId"`
	Model      string         `json:"modelVersion"`
	Error      jsontext.Value `json:"error"`
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []jsontext.Value `json:"parts"`
		} `json:"content"`
		Reason  string `json:"finishReason"`
		Message string `json:"finishMessage"`
	} `json:"candidates"`
	Feedback struct {
		Reason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     wire.Int `json:"promptTokenCount"`
		Tools      wire.Int `json:"toolUsePromptTokenCount"`
		Cached     wire.Int `json:"cachedContentTokenCount"`
		Candidates wire.Int `json:"candidatesTokenCount"`
		Thoughts   wire.Int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
}

// Take implements [wire.Decoder].
func (s *stream) Take(_ string, data []byte) ([]provider.Event, error) {
	if k := jsontext.Value(data).Kind(); k == '[' {
		return nil, wire.ParseProblem(0, nil, data)
	}
	var c chunk
	if err := wire.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Error != nil && c.Error.Kind() != 'n' {
		return nil, wire.ParseProblem(0, nil, data)
	}
	if c.ID != "" {
		s.id = c.ID
	}
	if c.Model != "" {
		s.model = c.Model
	}
	if u := c.Usage; u != nil {
		s.usage = &tenfold.Usage{
			Model: s.model, Input: max(0, int(u.Prompt+u.Tools-u.Cached)), CacheRead: int(u.Cached),
			Output: int(u.Candidates + u.Thoughts),
		}
	}
	if why := c.Feedback.Reason; why != "" && why != "BLOCK_REASON_UNSPECIFIED" {
		return nil, &wire.Problem{Words: []string{"refusal"}, Message: "the prompt was blocked: " + why}
	}
	var out []provider.Event
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue
		}
		for _, part := range candidate.Content.Parts {
			events, err := s.part(part)
			if err != nil {
				return out, err
			}
			out = append(out, events...)
		}
		if candidate.Reason != "" && candidate.Reason != "FINISH_REASON_UNSPECIFIED" {
			s.reason = candidate.Reason
		}
	}
	return out, nil
}

// part makes events of a part; what is whole before it comes first.
func (s *stream) part(raw jsontext.Value) ([]provider.Event, error) {
	o, err := wire.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	signature := rawjson.Text(o.Get("thoughtSignature"))
	text := rawjson.Text(o.Get("text"))
	switch {
	case o.Get("functionCall") != nil:
		return s.call(o.Get("functionCall"), signature)
	case only(o, "text", "thought", "thoughtSignature") && string(o.Get("thought")) == "true":
		out := s.flushText()
		if text != "" {
			s.thoughts.WriteString(text)
			out = append(out, provider.Event{Reasoning: text})
		}
		if signature != "" {
			out = append(out, s.think(signature, "")...)
		}
		return out, nil
	case only(o, "text", "thought", "thoughtSignature") && (signature == "" || text != ""):
		out := s.flushThoughts(signature, "")
		if signature != "" {
			// In front of this piece only: what was said before is its own.
			out = append(s.flushText(), out...)
		}
		if text != "" {
			s.text.WriteString(text)
			out = append(out, provider.Event{Text: text})
		}
		if signature != "" {
			out = append(out, s.flushText()...)
		}
		return out, nil
	case len(o) == 0:
		return nil, nil
	}
	out := append(s.flushThoughts("", ""), s.flushText()...)
	return append(out, s.give(tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: string(raw)})), nil
}

func (s *stream) call(raw jsontext.Value, signature string) ([]provider.Event, error) {
	var call struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	}
	if err := wire.Unmarshal(raw, &call); err != nil {
		return nil, err
	}
	s.calls++
	switch {
	case s.callID != nil:
		call.ID = s.callID(call.Name)
	case call.ID == "":
		call.ID = fmt.Sprintf("%s_call_%d", s.id, s.calls)
	}
	arguments := string(call.Args)
	if arguments == "" || arguments == "null" {
		arguments = "{}"
	}
	out := append(s.flushText(), s.flushThoughts(signature, call.ID)...)
	return append(out, s.give(tenfold.ToolCall{CallID: call.ID, Name: call.Name, Arguments: arguments})), nil
}

// only reports whether an object has no members but these.
func only(o rawjson.Object, names ...string) bool {
	return len(o) > 0 && !slices.ContainsFunc(o, func(m rawjson.Member) bool { return !slices.Contains(names, m.Name) })
}

func (s *stream) flushText() []provider.Event {
	if s.text.Len() == 0 {
		return nil
	}
	text := s.text.String()
	s.text.Reset()
	return []provider.Event{s.give(tenfold.AssistantMessage{Text: text})}
}

// flushThoughts ends the thoughts so far, with the signature of what follows.
func (s *stream) flushThoughts(signature, call string) (out []provider.Event) {
	if s.apart && s.thoughts.Len() > 0 {
		out = s.think("", "")
	}
	return append(out, s.think(signature, call)...)
}

// think gives the thoughts so far and a signature as one block, if there is any.
func (s *stream) think(signature, call string) []provider.Event {
	if s.thoughts.Len() == 0 && signature == "" {
		return nil
	}
	r := tenfold.Reasoning{Text: s.thoughts.String(), Signature: signature}
	s.thoughts.Reset()
	if signature != "" {
		r.Provider, r.CallID = "gemini", call
	}
	return []provider.Event{s.give(r)}
}

func (s *stream) give(p tenfold.Payload) provider.Event {
	return provider.Event{Block: p, MessageID: s.id}
}

// End implements [wire.Decoder]: the format has no last word, a whole stream
// has a reason to stop.
func (s *stream) End() ([]provider.Event, error) {
	if s.reason == "" {
		return nil, nil
	}
	out := append(s.flushThoughts("", ""), s.flushText()...)
	if s.usage != nil {
		out = append(out, provider.Event{Usage: s.usage})
	}
	stop := provider.StopEnd
	switch s.reason {
	case "STOP":
		if s.calls > 0 {
			stop = provider.StopTools
		}
	case "MAX_TOKENS":
		stop = provider.StopLength
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		stop = provider.StopRefused
	default: // MALFORMED_FUNCTION_CALL, OTHER and their like: there is no answer
		return out, fmt.Errorf("the model broke off: %s", s.reason)
	}
	return append(out, provider.Event{Stop: stop}), nil
}
