// Package proxy stands between live clients and vendors of models: their bytes go
// through as they are, except where an epoch begins (live §4). When to compact and
// what is decided by package session.
package proxy

import (
	"context"
	"net/http"

	"tenfold/internal/proxy/wire"
)

// An Incoming is a request of a client, read whole and decoded.
type Incoming struct {
	Protocol wire.Protocol
	Kind     wire.Kind
	Path     string
	Header   http.Header
	Body     []byte
	// Client names the agent that was started through us, "" where nobody knows;
	// Dir is its working directory.
	Client, Dir string
}

// A Keeper knows the conversations that go through a proxy.
type Keeper interface {
	// Take decides about a request. It never fails: what it does not understand
	// passes (V7). It waits for nothing but a compaction that is due.
	Take(ctx context.Context, in Incoming) Exchange
	// Status tells of every conversation seen, the newest first.
	Status() []Conversation
	// Close waits until everything that was heard is in the store. It fails if the store
	// cannot take that.
	Close(ctx context.Context) error
}

// An Exchange is one request on its way and its response. Its methods are called
// one after the other.
type Exchange interface {
	// Body is what goes to the vendor: the very bytes that came, unless an epoch
	// changed them.
	Body() []byte
	// Answer is the whole response where we answer and nothing is to be sent on
	// (X4, or a thread of the vendor's that hides the conversation); nil else.
	Answer() *Answer
	// Refused hears of a response other than a success before any of it went to
	// the client, and gives the body to try again with, once (X6); nil for none.
	Refused(status int, body []byte) []byte
	// Heard gives what listens to the response's body, decoded; nil for nothing.
	Heard() wire.Listener
	// Done ends the exchange: the response went to its end, or was cut. What was
	// heard becomes entries, beside the client's way.
	Done(status int, cut bool)
}

// An Answer is a response of our own.
type Answer struct {
	Status      int // zero is 200
	ContentType string
	Body        []byte
}

// A Conversation is what can be shown of one that goes through.
type Conversation struct {
	// ID is that in the store.
	ID string `json:"id"`
	// Client and Protocol tell who speaks, and how.
	Client   string `json:"client,omitzero"`
	Protocol string `json:"protocol"`
	Model    string `json:"model,omitzero"`
	Requests int    `json:"requests"`
	// Epochs counts the compactions; Edited the requests whose bytes were changed.
	Epochs int `json:"epochs"`
	Edited int `json:"edited"`
	// Sent and Saved are in tokens: of all requests as they went, and what they
	// were smaller than they came.
	Sent  int64 `json:"sent"`
	Saved int64 `json:"saved"`
	// CacheRead is the share of the prompt's tokens that the vendor read from its
	// cache, 0 to 1, by what it reported.
	CacheRead float64 `json:"cache_read"`
	// Passing says why the conversation passes through unedited; empty while we
	// compact it.
	Passing string `json:"passing,omitzero"`
	// Waiting is how many answers wait in memory as the store cannot be written, and
	// Unwritable why.
	Waiting    int    `json:"waiting,omitzero"`
	Unwritable string `json:"unwritable,omitzero"`
}
