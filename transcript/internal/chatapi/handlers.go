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
			Recognise: RecogniseResponses, Import: importResponses, Export: exportBody(engine.OpenAIResponses),
		},
		bodyHandler(engine.GeminiBody, "Gemini contents, request and response bodies", func() dialect { return &gemini{} }),
		chatHandler(engine.GeminiResponses, "recorded Gemini responses (*.responses)", recogniseGeminiRecording, func() dialect { return &geminiRecording{} }),
		chatHandler(engine.LiteLLM, "LiteLLM call logs of OpenHands (*.json)", recogniseLiteLLM, func() dialect { return &litellm{} }),
		chatHandler(engine.AgentDojo, "AgentDojo runs (*.json)", recogniseAgentDojo, func() dialect { return &agentdojo{} }),
	}
}

// chatHandler is that of a format that is made of messages.
func chatHandler(format engine.Format, about string, recognise func(engine.Head) engine.Confidence, way func() dialect) engine.Handler {
	return engine.Handler{Format: format, About: about, Recognise: recognise, Import: func(ctx context.Context, src engine.Source, sink engine.Sink) error {
		return ImportChat(ctx, src, sink, format, way())
	}}
}

// bodyHandler is that of a provider's bodies, which are told from one another
// by what their messages hold.
func bodyHandler(format engine.Format, about string, way func() dialect) engine.Handler {
	h := chatHandler(format, about, func(h engine.Head) engine.Confidence {
		if chatMarks(h).chat() == format {
			return engine.Likely
		}
		return engine.No
	}, way)
	h.Export = exportBody(format)
	return h
}

// exportBody writes the conversation part of one request, ready to send, as
// the profile of the same name does.
func exportBody(format engine.Format) func(w io.Writer, v engine.View) ([]string, error) {
	return func(w io.Writer, v engine.View) ([]string, error) {
		for _, p := range body.Profiles() {
			if p.Name != string(format) {
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
		return nil, fmt.Errorf("there is no profile %q", string(format))
	}
}
