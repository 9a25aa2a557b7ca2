// Package answer reads what vendors answer to requests that another program sent:
// the same decoders and the same words for errors that the models of package
// provider use.
package answer

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/anthropic"
	"tenfold/provider/gemini"
	"tenfold/provider/internal/wire"
	"tenfold/provider/openai"
)

// A Decoder makes events of what one answer says: of the events of a stream in
// order, or of the body of an answer that is none.
type Decoder interface {
	// Take reads one event: its name, where the stream gives one, and its data.
	Take(name string, data []byte) ([]provider.Event, error)
	// End is asked when the stream ended and no event has had Stop set.
	End() ([]provider.Event, error)
}

// Anthropic decodes answers of Anthropic's Messages API, to a request that asked for thinking
// as updates or not.
func Anthropic(model string, updates bool) Decoder { return anthropic.NewDecoder(model, updates) }

// Gemini decodes answers of Google's generateContent. A call gets the id that callID gives
// for its tool, not the one it comes with.
func Gemini(model string, callID func(tool string) string) Decoder {
	return gemini.NewDecoder(model, callID)
}

// Responses decodes answers of OpenAI's Responses API; read gives what an item of one says.
func Responses(model string, read func(item jsontext.Value) []tenfold.Payload) Decoder {
	return openai.NewResponsesDecoder(model, read)
}

// Chat decodes answers of OpenAI's chat completions. A call that comes without an id
// has none.
func Chat(model string) Decoder { return openai.NewChatDecoder(model) }

// ErrorKind tells what a response other than a success means.
func ErrorKind(status int, body []byte) provider.Kind {
	return wire.ParseProblem(status, nil, body).Kind()
}
