package provider

import (
	"context"
	"errors"
	"iter"

	"tenfold"
	"tenfold/body"
)

// A Model is one model of one provider. It is safe for concurrent use.
type Model interface {
	// Name is the model as a configuration spells it: "anthropic/claude-…".
	Name() string
	// Profile says which bodies the model takes.
	Profile() body.Profile
	// Stream sends the request and gives what comes back, piece by piece: any
	// number of deltas and blocks, then the usage if the provider tells it,
	// and last an event with Stop set. An error ends the sequence; it is an
	// [*Error] unless ctx ended. Leaving the loop ends the call.
	Stream(ctx context.Context, r Request) iter.Seq2[Event, error]
	// Count tells how many tokens the request would have as input: as the
	// provider counts them where it offers that, else by estimate.
	Count(ctx context.Context, r Request) (Count, error)
}

// A Request asks for one response.
type Request struct {
	// View is the conversation to answer, as the model is to see it: its
	// configuration gives the system prompt and the tools.
	View *tenfold.Projection
	// MaxTokens is the most the answer may have; 0 leaves it to the model.
	MaxTokens int
	// NoTools forbids the model to call the tools it is told of. They stay in
	// the request, so that its beginning is the same and comes from the cache.
	NoTools bool
	// Cache asks the provider to keep the request in its prompt cache, where that
	// is not done unasked: the conversation goes on, and the next request begins
	// with this one. To be written there costs more than to be read once.
	Cache bool
	// Schema is a JSON Schema, an object, that the text of the answer is to
	// follow; empty for plain text.
	Schema string
}

// Earlier is the id that the provider gave the response before this one; empty for none. A
// server that gives it again gives it to every response: in a log all would be one step (L6).
func (r Request) Earlier() string {
	if r.View == nil {
		return ""
	}
	for seq := r.View.Version(); seq > 0; seq-- {
		if e, _ := r.View.Log().Entry(seq); e.Branch == r.View.Branch() {
			switch e.Payload.Kind() {
			case tenfold.KindAssistantMessage, tenfold.KindReasoning, tenfold.KindToolCall, tenfold.KindProviderItem:
				return e.MessageID
			}
		}
	}
	return ""
}

// An Event is a piece of a response: exactly one of its fields is set, or Block
// and MessageID.
type Event struct {
	// Text and Reasoning are what the model has just written of a text or of
	// its reasoning, for people who watch. The whole comes as a Block.
	Text, Reasoning string
	// Block is a finished block: an assistant message, reasoning, a tool call
	// or a provider item.
	Block tenfold.Payload
	// MessageID is the provider's id of the response the block came in; see [Request.Earlier].
	MessageID string
	// Usage is what the response cost so far; the last one counts.
	Usage *tenfold.Usage
	// Stop says that the response is at its end, and why.
	Stop Stop
}

// Stop says why a response ended.
type Stop string

// The reasons.
const (
	// StopEnd: the model has said what it had to say.
	StopEnd Stop = "end"
	// StopTools: it waits for the results of its calls.
	StopTools Stop = "tools"
	// StopLength: the token limit cut it off.
	StopLength Stop = "length"
	// StopRefused: the model, or a filter of the provider, declined.
	StopRefused Stop = "refused"
)

// A Count is a number of tokens, with where it came from (semantics T3).
type Count struct {
	Tokens int
	// Exact says that the provider itself counted.
	Exact bool
}

// A Response is a whole answer.
type Response struct {
	// Blocks are what the model answered, in order.
	Blocks []tenfold.Payload
	// MessageID is the provider's id of it; [Collect] leaves out one that tells it from no other.
	MessageID string
	Usage     tenfold.Usage
	Stop      Stop
}

// Text joins the assistant messages of the response.
func (r Response) Text() string {
	text := ""
	for _, b := range r.Blocks {
		if m, ok := b.(tenfold.AssistantMessage); ok {
			text += m.Text
		}
	}
	return text
}

// Calls lists the tool calls of the response.
func (r Response) Calls() []tenfold.ToolCall {
	var calls []tenfold.ToolCall
	for _, b := range r.Blocks {
		if call, ok := b.(tenfold.ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// Entries gives the response as the entries to append to a log: the blocks, and
// the usage if the provider reported any.
func (r Response) Entries() []tenfold.Entry {
	entries := make([]tenfold.Entry, 0, len(r.Blocks)+1)
	for _, b := range r.Blocks {
		entries = append(entries, tenfold.Entry{MessageID: r.MessageID, Payload: b})
	}
	if r.Usage != (tenfold.Usage{}) {
		entries = append(entries, tenfold.Entry{MessageID: r.MessageID, Payload: r.Usage})
	}
	return entries
}

var errNoModel = errors.New("there is no model to send the request to: it is nil")

// Collect sends a request and waits for the whole response. With an error comes
// what had arrived before it.
func Collect(ctx context.Context, m Model, r Request) (Response, error) {
	var out Response
	if m == nil {
		return out, errNoModel
	}
	earlier := r.Earlier()
	for e, err := range m.Stream(ctx, r) {
		if err != nil {
			return out, err
		}
		if e.Block != nil {
			out.Blocks = append(out.Blocks, e.Block)
		}
		if e.MessageID != "" && e.MessageID != earlier {
			out.MessageID = e.MessageID
		}
		if e.Usage != nil {
			out.Usage = *e.Usage
		}
		if e.Stop != "" {
			out.Stop = e.Stop
		}
	}
	return out, nil
}
