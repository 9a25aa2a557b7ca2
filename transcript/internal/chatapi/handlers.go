package chatapi

import (
	"context"
	"fmt"
	"io"

	"tenfold/body"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// Handlers lists the formats of APIs, and of recordings of them, in the order
// of a listing.
func Handlers() []engine.Handler {
	return []engine.Handler{
		bodyHandler(intake.AnthropicBody, "Anthropic messages, request and response bodies", func() dialect { return &Anthropic{} }),
		bodyHandler(intake.OpenAIChat, "OpenAI chat messages, request and response bodies", func() dialect { return &openai{} }),
		{
			Format: intake.OpenAIResponses, About: "OpenAI responses bodies",
			Recognise: RecogniseResponses, Import: importResponses, Export: exportBody(intake.OpenAIResponses),
		},
		bodyHandler(intake.GeminiBody, "Gemini contents, request and response bodies", func() dialect { return &gemini{} }),
		chatHandler(intake.GeminiResponses, "recorded Gemini responses (*.responses)", recogniseGeminiRecording, func() dialect { return &geminiRecording{} }),
		chatHandler(intake.LiteLLM, "LiteLLM call logs of OpenHands (*.json)", recogniseLiteLLM, func() dialect { return &litellm{} }),
		chatHandler(intake.AgentDojo, "AgentDojo runs (*.json)", recogniseAgentDojo, func() dialect { return &agentdojo{} }),
	}
}

// chatHandler is that of a format that is made of messages.
func chatHandler(format intake.Format, about string, recognise func(intake.Head) intake.Confidence, way func() dialect) engine.Handler {
	return engine.Handler{Format: format, About: about, Recognise: recognise, Import: func(ctx context.Context, src intake.Source, sink intake.Sink) error {
		return ImportChat(ctx, src, sink, format, way())
	}}
}

// bodyHandler is that of a provider's bodies, which are told from one another
// by what their messages hold.
func bodyHandler(format intake.Format, about string, way func() dialect) engine.Handler {
	h := chatHandler(format, about, func(h intake.Head) intake.Confidence {
		if chatMarks(h).chat() == format {
			return intake.Likely
		}
		return intake.No
	}, way)
	h.Export = exportBody(format)
	return h
}

// exportBody writes the conversation part of one request, ready to send, as
// the profile of the same name does.
func exportBody(format intake.Format) func(w io.Writer, v engine.View) ([]string, error) {
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
