// Package wire reads and edits what live clients and vendors of models say to one
// another, in four protocols: Anthropic's messages, OpenAI's responses and chat
// completions, and Gemini. It works on the JSON as it came (live X2a): texts are
// replaced and items are taken out where a projection says so, and every other
// byte stays. It knows no conversation, no store and no network.
package wire

import (
	"time"

	"tenfold"
)

// A Kind is what a request asks for.
type Kind uint8

// The kinds. What is Other passes through.
const (
	Other Kind = iota
	// Generate asks a model for an answer.
	Generate
	// Count asks how many tokens a request takes (live X5).
	Count
)

// A Protocol is the wire format of one vendor. Its methods keep nothing and may be
// called from any goroutine.
type Protocol interface {
	// Name is that of the profile of package body: "anthropic".
	Name() string
	// Kind tells what a request asks for, by method and path alone (X2a).
	Kind(method, path string) Kind
	// Scan finds the messages of a request's body, and reads nothing of them.
	// Known are the messages of an earlier request of the same conversation: what
	// begins alike is only compared, so that a request costs what it adds. What is
	// not such a request is an error, and the body passes through.
	Scan(path string, body []byte, known []Message) (*Request, error)
	// Head gives the system prompt, the tools and the model of a request.
	Head(r *Request) (tenfold.ConfigDelta, error)
	// Read gives the entries of one message, without seqs, with the places they
	// stand in. A message of the model gives what [Response.Entries] gave of it.
	Read(r *Request, message int) ([]Piece, error)
	// Edit gives the bytes of the messages before upto, with the commas between
	// them, as a projection shows them: shown are its items in order. Pieces[i]
	// are those of message i, with the seqs that their entries have. What stays as
	// it is comes byte for byte, cache marks aside.
	Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error)
	// Listen gives a reader of the response to a request.
	Listen(r *Request) Listener
}

// A Request is a request's body with the places of its messages.
type Request struct {
	Body   []byte
	Path   string
	Model  string
	Stream bool
	// Continues tells that the vendor keeps what stands before the messages, and that it is
	// not here.
	Continues bool
	// Kept is how long the whole request asks the vendor's cache to live; 0 where it does not.
	Kept time.Duration
	// Head is the sum of what stands before the messages for the model: system
	// prompt, tools and the choices that a prefix depends on. Cache marks and
	// spacing do not count (V1).
	Head Sum
	// Messages are in the order of the request. First and End bound their array's
	// content in Body: the text from First to End is replaced by other messages.
	Messages   []Message
	First, End int
	// Same is how many messages at the start are those of known, unread.
	Same int
	// Logged gives what a log has under the id of an entry, or nil: what a tool gave is
	// most of a long request, and not read again where the log has it. It may be nil.
	Logged func(id string) tenfold.Payload

	head *head
	// Of chat completions, and of Gemini; copies of a request share them.
	unnamed *unnamed
	calls   *geminiCalls
}

// Tools reports whether a request offers its model tools.
func (r *Request) Tools() bool {
	for _, name := range []string{"tools", "functions"} {
		if p, ok := r.head.find(name); ok && r.Body[p.at.From] == '[' {
			s := scanner{raw: r.Body, at: p.at.From + 1}
			return s.peek() != ']'
		}
	}
	return false
}

// A Sum identifies JSON by what it means: spacing and cache marks do not count.
type Sum [16]byte

// A Message is one element of the array that makes the conversation of a request:
// a message of Anthropic and chat completions, an item of responses, a content of
// Gemini.
type Message struct {
	// From and To bound it in the body.
	From, To int
	// Sum is of the message alone, Chain of it and all messages before it.
	Sum, Chain Sum
	// Print is of the bytes as they came: a quick look whether a message is one
	// that was read before. It lasts as long as the process.
	Print uint64
	// Model tells that the model said it, and not the client, Marked that something of it
	// has a mark for the vendor's cache.
	Model, Marked bool

	head *head // of the request, in its first message
}

// A Piece is an entry and where it stands in its message.
type Piece struct {
	Entry tenfold.Entry
	// At are the places in the body of what the entry is made of, in the order of
	// its parts; what they are is the protocol's own affair.
	At []Span
}

// A Span is a range of a request's body.
type Span struct{ From, To int }

// A Listener reads one response as it goes by. It keeps up with any stream and
// never fails: what it cannot read is not part of what it tells.
type Listener interface {
	// Write takes the next bytes of the body, decoded. It does not keep them.
	Write(p []byte) (int, error)
	// Response tells what was read. Call it once, after the last byte.
	Response() Response
}

// A Response is what a model answered.
type Response struct {
	// Entries are the blocks of the answer in order, as [Protocol.Read] gives them
	// when the client sends them back.
	Entries []tenfold.Entry
	Usage   tenfold.Usage
	// Known tells that the vendor reported its usage.
	Known bool
	// Whole tells that the answer came to its end, whatever its reason. Models of
	// Gemini may say so in every chunk: a cut transport has the last word.
	Whole bool
}

// A Refusal is what an error of a vendor means.
type Refusal uint8

// What errors mean for whoever edited the request.
const (
	// Passing is none of our business: overload, limits, credentials.
	Passing Refusal = iota
	// Invalid says that the body is wrong: ours, where we edited it (X6).
	Invalid
	// TooLong says that the context does not fit.
	TooLong
)

// Protocols are all that there are.
func Protocols() []Protocol {
	return []Protocol{Anthropic{}, OpenAIResponses{}, OpenAIChat{}, Gemini{}}
}

// Of finds the protocol of a request by its method and path; ok is false for what
// passes through.
func Of(method, path string) (p Protocol, k Kind, ok bool) {
	for _, p := range Protocols() {
		if k := p.Kind(method, path); k != Other {
			return p, k, true
		}
	}
	return nil, Other, false
}

// Event is the content type of streams.
const Event = "text/event-stream"
