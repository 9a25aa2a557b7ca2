package openai

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// responses makes events of the Responses API's. It implements [wire.Decoder].
type responses struct {
	// read gives what an item says; nil reads it as [responses.item] does.
	read    func(item jsontext.Value) []tenfold.Payload
	id      string
	model   string
	done    []int // output indexes whose item came
	calls   bool
	refused bool
}

func newResponses(model string) *responses { return &responses{model: model} }

// NewResponsesDecoder decodes one answer of the Responses API, for package answer, which may
// be no stream. Read gives what an item of it says.
func NewResponsesDecoder(model string, read func(item jsontext.Value) []tenfold.Payload) wire.Decoder {
	return &responses{model: model, read: read}
}

type responsesEvent struct {
	Type     string         `json:"type"`
	Index    int            `json:"output_index"`
	Item     jsontext.Value `json:"item"`
	Delta    jsontext.Value `json:"delta"`
	Object   string         `json:"object"` // of an answer that is no stream
	Status   string         `json:"status"`
	Response struct {
		ID     string           `json:"id"`
		Model  string           `json:"model"`
		Output []jsontext.Value `json:"output"`
		Usage  *responsesUsage  `json:"usage"`
		Error  jsontext.Value   `json:"error"`
		Why    struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	} `json:"response"`
}

type responsesUsage struct {
	Input   wire.Int `json:"input_tokens"`
	Output  wire.Int `json:"output_tokens"`
	Details struct {
		Cached  wire.Int `json:"cached_tokens"`
		Written wire.Int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
}

// Take implements [wire.Decoder]. What a stream says of items before they are
// whole is for people who watch; the rest comes with the item.
func (s *responses) Take(_ string, data []byte) ([]provider.Event, error) {
	if string(data) == "[DONE]" {
		return nil, nil
	}
	var e responsesEvent
	if err := wire.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "response.created", "response.in_progress", "response.queued":
		s.meet(e)
	case "response.output_text.delta", "response.refusal.delta":
		if text := rawjson.Text(e.Delta); text != "" {
			return []provider.Event{{Text: text}}, nil
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if text := rawjson.Text(e.Delta); text != "" {
			return []provider.Event{{Reasoning: text}}, nil
		}
	case "response.output_item.done":
		if slices.Contains(s.done, e.Index) {
			return nil, nil
		}
		s.done = append(s.done, e.Index)
		return s.item(e.Item)
	case "response.completed", "response.incomplete":
		return s.finish(e)
	case "response.failed", "error":
		return nil, wire.ParseProblem(0, nil, failure(data, e.Response.Error))
	case "":
		if e.Object == "response" {
			kind := "response.completed"
			if e.Status == "incomplete" || e.Status == "failed" {
				kind = "response." + e.Status
			}
			return s.Take("", slices.Concat([]byte(`{"type":"`+kind+`","response":`), data, []byte("}")))
		}
		return nil, wire.ParseProblem(0, nil, data) // a plain error, or no event at all
	}
	return nil, nil
}

// End implements [wire.Decoder].
func (s *responses) End() ([]provider.Event, error) { return nil, nil }

func (s *responses) meet(e responsesEvent) {
	if e.Response.ID != "" {
		s.id = e.Response.ID
	}
	if e.Response.Model != "" {
		s.model = e.Response.Model
	}
}

// failure is the part of an event that says what went wrong.
func failure(data []byte, inner jsontext.Value) []byte {
	if inner.Kind() == '{' {
		return inner
	}
	return data
}

// finish gives the items that had no event of their own, the usage and the
// reason.
func (s *responses) finish(e responsesEvent) ([]provider.Event, error) {
	s.meet(e)
	var out []provider.Event
	for i, item := range e.Response.Output {
		if slices.Contains(s.done, i) {
			continue
		}
		events, err := s.item(item)
		if err != nil {
			return out, err
		}
		out = append(out, events...)
	}
	if u := e.Response.Usage; u != nil {
		out = append(out, provider.Event{Usage: &tenfold.Usage{
			Model: s.model, Output: int(u.Output),
			Input:     max(0, int(u.Input-u.Details.Cached-u.Details.Written)),
			CacheRead: int(u.Details.Cached), CacheWrite: int(u.Details.Written),
		}})
	}
	stop := provider.StopEnd
	switch {
	case e.Response.Why.Reason == "content_filter", s.refused && !s.calls:
		stop = provider.StopRefused
	case e.Type == "response.incomplete":
		stop = provider.StopLength
	case s.calls:
		stop = provider.StopTools
	}
	return append(out, provider.Event{Stop: stop}), nil
}

type responsesItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Phase     string `json:"phase"`
	Encrypted string `json:"encrypted_content"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Content []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// item makes blocks of an item of the output.
func (s *responses) item(raw jsontext.Value) (out []provider.Event, err error) {
	if s.read != nil {
		for _, p := range s.read(raw) {
			out = append(out, s.give(p)...)
		}
		return out, nil
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := wire.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	var it responsesItem
	switch head.Type {
	case "message", "reasoning", "function_call":
		if err := wire.Unmarshal(raw, &it); err != nil {
			return nil, err
		}
	default:
		return s.give(tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: string(raw)}), nil
	}
	switch it.Type {
	case "message":
		for _, c := range it.Content {
			text := c.Text
			if c.Type == "refusal" {
				text, s.refused = c.Refusal, true
			}
			if text != "" {
				out = append(out, s.give(tenfold.AssistantMessage{Text: text, Phase: it.Phase})...)
			}
		}
	case "reasoning":
		var texts []string
		for _, t := range it.Summary {
			texts = append(texts, t.Text)
		}
		if len(texts) == 0 { // servers with open reasoning
			for _, t := range it.Content {
				texts = append(texts, t.Text)
			}
		}
		r := tenfold.Reasoning{Text: strings.Join(texts, "\n\n"), Encrypted: it.Encrypted, ItemID: it.ID}
		if r.Encrypted != "" {
			r.Provider = "openai"
		}
		return s.give(r), nil
	case "function_call":
		s.calls = true
		return s.give(tenfold.ToolCall{CallID: it.CallID, Name: it.Name, Arguments: it.Arguments}), nil
	}
	return out, nil
}

func (s *responses) give(p tenfold.Payload) []provider.Event {
	return []provider.Event{{Block: p, MessageID: s.id}}
}
