package modelserver

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// A Wire is a vendor's protocol.
type Wire string

// The wires that the server speaks.
const (
	Anthropic Wire = "anthropic"
	Responses Wire = "openai-responses"
	Chat      Wire = "openai-chat"
	Gemini    Wire = "gemini"
)

// A Purpose is what a client wants of a request.
type Purpose string

// What requests are for.
const (
	Generate Purpose = "generate"
	Count    Purpose = "count"
	Other    Purpose = "other" // lists of models, greetings, telemetry
)

// A Kind says what a block is, whatever the wire.
type Kind string

// The kinds of blocks.
const (
	KindText     Kind = "text"
	KindThinking Kind = "thinking"
	KindCall     Kind = "call"
	KindResult   Kind = "result"
	// KindOther is a block that the server does not look into: images,
	// documents, server tools, compaction items.
	KindOther Kind = "other"
)

// A Block is a piece of a message, in one shape for all wires.
type Block struct {
	Kind Kind
	// Text is what a text, a thinking block or a result says.
	Text string
	// ID names a call, in the call and in its result.
	ID string
	// Name is the tool's, in a call.
	Name string
	// Arguments are a call's, as JSON, or as plain text where Custom is set.
	Arguments string
	// Namespace is that of a tool of OpenAI's which stands in one.
	Namespace string
	// Custom marks a call of OpenAI's free-form tools (custom_tool_call).
	Custom bool
	// Signature is the opaque part of a thinking block.
	Signature string
	// Type is what the wire calls the block.
	Type string
	// Raw is the block as it came.
	Raw jsontext.Value
}

// A Message is what one side said. Wires without messages (Responses) have a
// message for each run of items of one side.
type Message struct {
	Role   string // system, developer, user, assistant
	Blocks []Block
}

// A Request is what a client sent.
type Request struct {
	// N counts all requests from 0.
	N       int
	Wire    Wire
	Purpose Purpose
	Method  string
	// Path is the URL's path with its query; credentials are masked.
	Path string
	// Header is what came, without credentials.
	Header http.Header
	// Body is the decoded body.
	Body []byte

	Model    string
	Stream   bool
	System   string
	Tools    []string
	Messages []Message

	// Problem is why the request was refused, nil otherwise.
	Problem *Error
	// Dropped lists the thinking blocks that were dropped rather than refused
	// because the client allowed it (input_transformations).
	Dropped []string
	// Usage is what was reported for it.
	Usage Usage

	prefix   prefix
	said     int // units up to the last that is the user's or the assistant's
	bindings []bound
	thoughts []string // signatures, in order
	drop     bool     // the client asks to drop thinking rather than refuse
	trigger  bool     // the client asks for its own compaction (Codex)
}

// Main tells whether the request belongs to the conversation with the person,
// rather than to what a client asks beside it (titles, topics, routing): those
// offer no tools.
func (r Request) Main() bool { return r.Purpose == Generate && (len(r.Tools) > 0 || r.trigger) }

// add appends a block to the message of a role, which is the last one where it
// has the same role.
func (r *Request) add(role string, b Block) {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Blocks = append(r.Messages[n-1].Blocks, b)
		return
	}
	r.Messages = append(r.Messages, Message{Role: role, Blocks: []Block{b}})
}

// unit makes a value the next unit of the request's prefix.
func (r *Request) unit(role string, v jsontext.Value) {
	r.prefix.add(role, v)
	if role != "system" {
		r.said = len(r.prefix.units)
	}
}

// Read reads a body as the server would, and says whether it would be refused;
// of thinking only the shape is checked.
func Read(wire Wire, body []byte) (Request, *Error) {
	r := Request{Wire: wire, Purpose: Generate, Body: body}
	return r, read(&r)
}

// read reads the body of a wire.
func read(r *Request) *Error {
	switch r.Wire {
	case Anthropic:
		return readAnthropic(r)
	case Responses:
		return readResponses(r)
	case Chat:
		return readChat(r)
	default:
		return readGemini(r)
	}
}
