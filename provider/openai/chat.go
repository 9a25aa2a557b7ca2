package openai

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// chat makes events of the Chat Completions API's chunks. It implements
// [wire.Decoder]. Blocks come at the end: the format does not say earlier that
// one is whole.
type chat struct {
	id, model       string
	text, reasoning strings.Builder
	refused         bool
	calls           []*chatCall
	rest            *wire.Block // members of the message that are not known
	usage           *tenfold.Usage
	reason          string
	asked           bool // here: a call without an id gets one
}

type chatCall struct {
	index     int
	id, name  string
	arguments strings.Builder
	custom    bool // of a tool that takes text
}

func newChat(model string) *chat { return &chat{model: model, asked: true} }

// NewChatDecoder decodes one answer of chat completions, for package answer. A call
// that comes without an id has none.
func NewChatDecoder(model string) wire.Decoder { return &chat{model: model} }

type chatChunk struct {
	ID      string         `json:"id"`
	Model   string         `json:"model"`
	Error   jsontext.Value `json:"error"`
	Object  string         `json:"object"`
	Choices []struct {
		Index   int            `json:"index"`
		Delta   jsontext.Value `json:"delta"`
		Message jsontext.Value `json:"message"` // the whole, of an answer that is not a stream
		Reason  string         `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     wire.Int `json:"prompt_tokens"`
		Completion wire.Int `json:"completion_tokens"`
		Details    struct {
			Cached  wire.Int `json:"cached_tokens"`
			Written wire.Int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// Take implements [wire.Decoder].
func (s *chat) Take(_ string, data []byte) ([]provider.Event, error) {
	if string(data) == "[DONE]" {
		return s.End()
	}
	var c chatChunk
	if err := wire.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if (c.Error != nil && c.Error.Kind() != 'n') || c.Object == "error" {
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
			Output: int(u.Completion), Input: max(0, int(u.Prompt-u.Details.Cached-u.Details.Written)),
			CacheRead: int(u.Details.Cached), CacheWrite: int(u.Details.Written),
		}
	}
	var out []provider.Event
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		if choice.Message.Kind() == '{' {
			choice.Delta = choice.Message
		}
		if choice.Delta.Kind() == '{' {
			events, err := s.delta(choice.Delta)
			if err != nil {
				return out, err
			}
			out = append(out, events...)
		}
		if choice.Reason != "" {
			s.reason = choice.Reason
		}
	}
	return out, nil
}

// delta adds what a chunk says of the message.
func (s *chat) delta(raw jsontext.Value) ([]provider.Event, error) {
	d, err := wire.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	var out []provider.Event
	for _, m := range d {
		text := rawjson.Text(m.Value)
		switch m.Name {
		case "role":
		case "content":
			if text != "" {
				s.text.WriteString(text)
				out = append(out, provider.Event{Text: text})
			}
		case "refusal":
			if text != "" {
				s.refused = true
				s.text.WriteString(text)
				out = append(out, provider.Event{Text: text})
			}
		case "reasoning_content", "reasoning":
			// Servers that know both names send the same under each.
			if text != "" && (m.Name == "reasoning" || rawjson.Text(d.Get("reasoning")) == "") {
				s.reasoning.WriteString(text)
				out = append(out, provider.Event{Reasoning: text})
			}
		case "tool_calls":
			if err := s.callPieces(m.Value); err != nil {
				return out, err
			}
		case "function_call": // before there were tools
			if m.Value.Kind() == '{' {
				if err := s.callPieces(jsontext.Value(`[{"index":0,"function":` + string(m.Value) + `}]`)); err != nil {
					return out, err
				}
			}
		default:
			if err := s.keep(m); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// keep holds on to a member that is not known.
func (s *chat) keep(m rawjson.Member) error {
	if m.Value.Kind() == 'n' {
		return nil
	}
	if s.rest == nil {
		b, err := wire.NewBlock([]byte(`{}`))
		if err != nil {
			return err
		}
		s.rest = b
	}
	s.rest.Apply(rawjson.Object{m})
	return nil
}

type callPiece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`
}

func (s *chat) callPieces(raw jsontext.Value) error {
	var pieces []callPiece
	if raw.Kind() == 'n' {
		return nil
	}
	if err := wire.Unmarshal(raw, &pieces); err != nil {
		return err
	}
	for _, p := range pieces {
		c := s.call(p)
		if p.ID != "" {
			c.id = p.ID
		}
		c.name = cmp.Or(c.name, p.Function.Name)
		if p.Custom.Name != "" || p.Custom.Input != "" {
			c.name, c.custom = cmp.Or(c.name, p.Custom.Name), true
			c.arguments.WriteString(p.Custom.Input)
			continue
		}
		if p.Function.Arguments.Kind() == '{' { // some servers send the object itself
			c.arguments.Write(p.Function.Arguments)
			continue
		}
		c.arguments.WriteString(rawjson.Text(p.Function.Arguments))
	}
	return nil
}

// call finds the call a piece belongs to. Servers that give no index send
// calls whole, one a piece.
func (s *chat) call(p callPiece) *chatCall {
	index := len(s.calls)
	if p.Index != nil {
		index = *p.Index
	}
	for i := len(s.calls) - 1; i >= 0; i-- {
		if c := s.calls[i]; c.index != index {
			continue
		} else if !c.endsBefore(p) {
			return c
		}
		break // another call under the same number
	}
	c := &chatCall{index: index}
	s.calls = append(s.calls, c)
	return c
}

// endsBefore tells whether a piece with the number of a call begins another one: with
// another id, or, where there are none to compare, with another name or arguments of its
// own behind those that are whole. Some servers number all calls 0, and some say the name in
// each piece.
func (c *chatCall) endsBefore(p callPiece) bool {
	if p.ID != "" && c.id != "" {
		return p.ID != c.id
	}
	name := cmp.Or(p.Function.Name, p.Custom.Name)
	if name == "" || c.name == "" || name != c.name {
		return name != "" && c.name != ""
	}
	if c.id != "" {
		return false // another one would have an id too
	}
	was, more := c.arguments.String(), p.Function.Arguments
	begins := more.Kind() == '{' || strings.HasPrefix(strings.TrimSpace(rawjson.Text(more)), "{")
	return begins && strings.HasSuffix(strings.TrimSpace(was), "}") && jsontext.Value(was).IsValid()
}

// End implements [wire.Decoder]: a stream with a reason to stop is whole, with
// or without a last word.
func (s *chat) End() ([]provider.Event, error) {
	if s.reason == "" {
		return nil, errors.New("the stream ended before the answer did")
	}
	var out []provider.Event
	give := func(p tenfold.Payload) { out = append(out, provider.Event{Block: p, MessageID: s.id}) }
	if s.reasoning.Len() > 0 {
		give(tenfold.Reasoning{Text: s.reasoning.String()})
	}
	if s.text.Len() > 0 {
		give(tenfold.AssistantMessage{Text: s.text.String()})
	}
	for i, c := range s.calls {
		if s.asked {
			c.id = cmp.Or(c.id, fmt.Sprintf("%s_call_%d", s.id, i))
		}
		arguments := c.arguments.String()
		if c.custom { // its text is the member "input" (tenfold.ToolCall)
			arguments = string(rawjson.Object{{Name: "input", Value: rawjson.Quote(arguments)}}.Bytes())
		}
		give(tenfold.ToolCall{CallID: c.id, Name: c.name, Arguments: arguments, Custom: c.custom})
	}
	if s.rest != nil {
		give(tenfold.ProviderItem{Provider: "openai-chat", Role: "assistant", Data: string(s.rest.Bytes())})
	}
	if s.usage != nil {
		s.usage.Model = s.model
		out = append(out, provider.Event{Usage: s.usage})
	}
	return append(out, provider.Event{Stop: s.stop()}), nil
}

func (s *chat) stop() provider.Stop {
	switch s.reason {
	case "length":
		return provider.StopLength
	case "content_filter":
		return provider.StopRefused
	}
	switch {
	case len(s.calls) > 0: // many servers say "stop" here
		return provider.StopTools
	case s.refused:
		return provider.StopRefused
	}
	return provider.StopEnd
}
