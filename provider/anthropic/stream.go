package anthropic

import (
	"cmp"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/internal/wire"
)

// stream makes events of the Messages API's. It implements [wire.Decoder].
type stream struct {
	id     string
	usage  tenfold.Usage
	blocks map[int]*block
	reason string
	// updates tells that of what the model thinks only what it says to the user has a text.
	updates bool
}

// block is a content block under way.
type block struct {
	*wire.Block
	kind string
	// input is the JSON of a call, as it comes.
	input []byte
}

// NewDecoder decodes one answer, to a request that asked for thinking as updates or not.
func NewDecoder(model string, updates bool) wire.Decoder {
	return &stream{usage: tenfold.Usage{Model: model}, blocks: map[int]*block{}, updates: updates}
}

// event is any event of the stream, with the members that are read.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *usage `json:"usage"`
	} `json:"message"`
	Block jsontext.Value `json:"content_block"`
	Delta jsontext.Value `json:"delta"`
	Usage *usage         `json:"usage"`
}

type usage struct {
	Input      *wire.Int `json:"input_tokens"`
	Output     *wire.Int `json:"output_tokens"`
	CacheRead  *wire.Int `json:"cache_read_input_tokens"`
	CacheWrite *wire.Int `json:"cache_creation_input_tokens"`
}

// Take implements [wire.Decoder]. Kinds of events that are not known say
// nothing of the answer: Anthropic asks to pass over them.
func (s *stream) Take(_ string, data []byte) ([]provider.Event, error) {
	var e event
	if err := wire.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "message_start":
		s.id = e.Message.ID
		if e.Message.Model != "" {
			s.usage.Model = e.Message.Model
		}
		return s.addUsage(e.Message.Usage), nil
	case "content_block_start":
		return s.begin(e)
	case "content_block_delta":
		return s.delta(e)
	case "content_block_stop":
		return s.finish(e.Index)
	case "message_delta":
		var d struct {
			Reason string `json:"stop_reason"`
		}
		if e.Delta != nil {
			if err := wire.Unmarshal(e.Delta, &d); err != nil {
				return nil, err
			}
		}
		if d.Reason != "" {
			s.reason = d.Reason
		}
		return s.addUsage(e.Usage), nil
	case "message":
		return s.whole(data)
	case "message_stop":
		return []provider.Event{{Stop: stop(s.reason)}}, nil
	case "error":
		return nil, wire.ParseProblem(0, nil, data)
	}
	return nil, nil
}

// whole reads an answer that is not a stream.
func (s *stream) whole(data []byte) ([]provider.Event, error) {
	var m struct {
		ID      string           `json:"id"`
		Model   string           `json:"model"`
		Content []jsontext.Value `json:"content"`
		Reason  string           `json:"stop_reason"`
		Usage   *usage           `json:"usage"`
	}
	if err := wire.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	s.id, s.usage.Model = m.ID, cmp.Or(m.Model, s.usage.Model)
	var out []provider.Event
	for i, raw := range m.Content {
		e := event{Index: i, Block: raw}
		if _, err := s.begin(e); err != nil {
			return nil, err
		}
		said, err := s.finish(i)
		if err != nil {
			return nil, err
		}
		out = append(out, said...)
	}
	return append(append(out, s.addUsage(m.Usage)...), provider.Event{Stop: stop(m.Reason)}), nil
}

// End implements [wire.Decoder].
func (s *stream) End() ([]provider.Event, error) { return nil, nil }

// addUsage adds what a usage says; a member that is not there leaves what was.
func (s *stream) addUsage(u *usage) []provider.Event {
	if u == nil {
		return nil
	}
	for _, f := range []struct {
		from *wire.Int
		to   *int
	}{
		{u.Input, &s.usage.Input},
		{u.Output, &s.usage.Output},
		{u.CacheRead, &s.usage.CacheRead},
		{u.CacheWrite, &s.usage.CacheWrite},
	} {
		if f.from != nil {
			*f.to = int(*f.from)
		}
	}
	now := s.usage
	return []provider.Event{{Usage: &now}}
}

func (s *stream) begin(e event) ([]provider.Event, error) {
	b, err := wire.NewBlock(e.Block)
	if err != nil {
		return nil, err
	}
	if s.blocks[e.Index] != nil {
		return nil, errors.New("the stream starts a block twice")
	}
	kind := b.Text("type")
	s.blocks[e.Index] = &block{Block: b, kind: kind}
	switch {
	case kind == "text" && b.Text("text") != "":
		return []provider.Event{{Text: b.Text("text")}}, nil
	case kind == "thinking" && b.Text("thinking") != "":
		return s.thought(b.Text("thinking")), nil
	}
	return nil, nil
}

// thought gives a piece of what the model thinks, or says to the user.
func (s *stream) thought(text string) []provider.Event {
	if s.updates {
		return []provider.Event{{Text: text}}
	}
	return []provider.Event{{Reasoning: text}}
}

func (s *stream) delta(e event) ([]provider.Event, error) {
	b := s.blocks[e.Index]
	if b == nil {
		return nil, errors.New("the stream continues a block that never started")
	}
	d, err := wire.ParseObject(e.Delta)
	if err != nil {
		return nil, err
	}
	if piece := d.Get("partial_json"); piece != nil {
		b.input = append(b.input, rawjson.Text(piece)...)
		return nil, nil
	}
	switch rawjson.Text(d.Get("type")) {
	case "text_delta":
		text := rawjson.Text(d.Get("text"))
		b.Grow("text", text)
		if b.kind == "text" && text != "" {
			return []provider.Event{{Text: text}}, nil
		}
	case "thinking_delta":
		text := rawjson.Text(d.Get("thinking"))
		b.Grow("thinking", text)
		if text != "" {
			return s.thought(text), nil
		}
	case "citations_delta":
		// Citations belong to texts over documents that Tenfold does not send
		// with citations on; the text stays.
	default:
		b.Apply(d)
	}
	return nil, nil
}

func (s *stream) finish(index int) ([]provider.Event, error) {
	b := s.blocks[index]
	if b == nil {
		return nil, errors.New("the stream ends a block that never started")
	}
	delete(s.blocks, index)
	p := b.payload(s.updates)
	if p == nil {
		return nil, nil
	}
	return []provider.Event{{Block: p, MessageID: s.id}}, nil
}

// payload gives the block as a log has it; nil for an empty text.
func (b *block) payload(updates bool) tenfold.Payload {
	switch b.kind {
	case "text":
		if text := b.Text("text"); text != "" {
			return tenfold.AssistantMessage{Text: text}
		}
		return nil
	case "thinking":
		r := tenfold.Reasoning{Text: b.Text("thinking"), Signature: b.Text("signature")}
		if r.Signature != "" {
			r.Provider = "anthropic"
		}
		if updates && r.Signature != "" && !tenfold.Blank(r.Text) {
			return tenfold.AssistantMessage{Text: r.Text, Signature: r.Signature}
		}
		return r
	case "redacted_thinking":
		return tenfold.Reasoning{Provider: "anthropic", Encrypted: b.Text("data")}
	case "tool_use":
		arguments := cmp.Or(string(b.input), string(b.Get("input")))
		return tenfold.ToolCall{CallID: b.Text("id"), Name: b.Text("name"), Arguments: arguments}
	}
	if len(b.input) > 0 {
		input := jsontext.Value(b.input)
		if !input.IsValid() {
			input = rawjson.Quote(string(b.input)) // cut off: keep it as a text
		}
		b.Set("input", input)
	}
	return tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: string(b.Bytes())}
}

func stop(reason string) provider.Stop {
	switch reason {
	case "tool_use":
		return provider.StopTools
	case "max_tokens", "model_context_window_exceeded":
		return provider.StopLength
	case "refusal":
		return provider.StopRefused
	}
	return provider.StopEnd // end_turn, stop_sequence, pause_turn
}
