package chatapi

import (
	"context"
	"fmt"
	"io"

	"tenfold/body"
	"tenfold/transcript/internal/engine"
)

// Handlers lists the formats of APIs, and of recordings of them, in the order
// of a listing.
func Handlers() []engine.Handler {
	return []engine.Handler{
		bodyHandler(engine.AnthropicBody, "Anthropic messages, request and response bodies", func() dialect { return &Anthropic{} }),
		bodyHandler(engine.OpenAIChat, "OpenAI chat messages, request and response bodies", func() dialect { return &openai{} }),
		{
			Format: engine.OpenAIResponses, About: "OpenAI responses bodies",
			Importer: OpenaiResponses{}, Exporter: bodyExporter(engine.OpenAIResponses),
		},
		bodyHandler(engine.GeminiBody, "Gemini contents, request and response bodies", func() dialect { return &gemini{} }),
		{
			Format: engine.GeminiResponses, About: "recorded Gemini responses (*.responses)",
			Importer: chatImporter{engine.GeminiResponses, recogniseGeminiRecording, func() dialect { return &geminiRecording{} }},
		},
		{
			Format: engine.LiteLLM, About: "LiteLLM call logs of OpenHands (*.json)",
			Importer: chatImporter{engine.LiteLLM, recogniseLiteLLM, func() dialect { return &litellm{} }},
		},
		{
			Format: engine.AgentDojo, About: "AgentDojo runs (*.json)",
			Importer: chatImporter{engine.AgentDojo, recogniseAgentDojo, func() dialect { return &agentdojo{} }},
		},
	}
}

// bodyHandler is that of a provider's bodies, which are told from one another
// by what their messages hold.
func bodyHandler(format engine.Format, about string, way func() dialect) engine.Handler {
	recognise := func(h engine.Head) engine.Confidence {
		if chatMarks(h).chat() == format {
			return engine.Likely
		}
		return engine.No
	}
	return engine.Handler{Format: format, About: about, Importer: chatImporter{format, recognise, way}, Exporter: bodyExporter(format)}
}

// chatImporter reads a format that is made of messages.
type chatImporter struct {
	format    engine.Format
	recognise func(engine.Head) engine.Confidence
	way       func() dialect
}

// Recognise implements [engine.Importer].
func (i chatImporter) Recognise(h engine.Head) engine.Confidence { return i.recognise(h) }

// Import implements [engine.Importer].
func (i chatImporter) Import(ctx context.Context, src engine.Source, sink engine.Sink) error {
	return ImportChat(ctx, src, sink, i.format, i.way())
}

// bodyExporter writes the conversation part of one request, ready to send, as
// the profile of the same name does.
type bodyExporter engine.Format

// Export implements [engine.Exporter].
func (x bodyExporter) Export(w io.Writer, v engine.View) ([]string, error) {
	for _, p := range body.Profiles() {
		if p.Name != string(x) {
			continue
		}
		shown, err := v.Shown()
		if err != nil {
			return nil, err
		}
		b, err := p.Write(shown)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(append(b, '\n'))
		return nil, err
	}
	return nil, fmt.Errorf("there is no profile %q", string(x))
}
