package providertest

import (
	"net/http"

	"tenfold"
	"tenfold/provider"
)

// A Vendor says how a provider speaks.
type Vendor struct {
	// Open makes the model.
	Open Open
	// Header and Secret are the header that carries the key, and its value.
	Header, Secret string
	// Path is where a request goes, behind the base URL's path.
	Path string
	// Addresses are base URLs and where a request then goes; empty is the
	// vendor's own.
	Addresses map[string]string
	// Body is the whole request for [View], as JSON; Asked the one for the
	// same view with MaxTokens 1000, NoTools and [Schema].
	Body, Asked string
	// Answers are streams and what they say; the first has text, two calls
	// and usage at least.
	Answers []Answer
	// Events are streams that end in an error.
	Events []Failure
	// Refusals are HTTP responses that are errors.
	Refusals []Failure
	// Count is the body of a count and what it says; empty for a provider
	// that estimates.
	Count      string
	Counted    int
	CountPath  string
	Begin, End string // of an event that never ends, and of one that says nothing
	// Environment are variables that may have no effect, with values that
	// would.
	Environment map[string]string
}

// An Answer is a stream and what is to come of it.
type Answer struct {
	Name   string
	Stream string
	Text   string
	Think  string
	Blocks []tenfold.Payload
	ID     string
	Usage  tenfold.Usage
	Stop   provider.Stop
	// Again are pieces of the next request's body, byte for byte.
	Again []string
	// Open says that the stream is whole without its last bytes: how many.
	Open int
}

// A Failure is a response or a stream that is an error.
type Failure struct {
	Name    string
	Status  int
	Header  http.Header
	Body    string
	Want    provider.Error // Kind, Used, Limit and After count
	Message string         // to be in the message
}
