// Package remote is a store that another machine keeps: [Open] gives a client of
// one, [Handler] is what the server of it answers with. Both pass what a store on
// disk keeps of an entry, byte for byte, so that a conversation is the same
// wherever it lies.
//
// Each method of [store.Store] is a POST to the path of its name. A request is a
// frame of JSON with the parameters, and after it a frame for each entry; an answer
// is frames as well, and ends in one that says that it is whole, or what went wrong.
// An answer without an end was cut off. Frames are described in frame.go.
package remote

import (
	"cmp"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/problem"
	"tenfold/store"
)

// The paths, one for each method.
const (
	pathCreate        = "create"
	pathConversation  = "conversation"
	pathConversations = "conversations"
	pathPage          = "page"
	pathPrefix        = "prefix"
	pathHandle        = "handle"
	pathImported      = "imported"
	pathTitle         = "title"
	pathDelete        = "delete"
	pathAppend        = "append"
	pathEntries       = "entries"
	pathWatch         = "watch"
	pathSearch        = "search"
)

// contentType is that of requests and answers.
const contentType = "application/vnd.tenfold.frames"

// parameters of all methods; each uses some.
type parameters struct {
	ID           text          `json:"id,omitzero"`
	Key          text          `json:"key,omitzero"`
	Title        text          `json:"title,omitzero"`
	After        int64         `json:"after,omitzero"`
	Expected     *int64        `json:"expected,omitzero"`
	Now          time.Time     `json:"now,omitzero"`
	Text         text          `json:"text,omitzero"`
	Place        *place        `json:"place,omitzero"`
	Limit        int           `json:"limit,omitzero"`
	Conversation *conversation `json:"conversation,omitzero"`
	Stats        *stats        `json:"stats,omitzero"`
	Origin       *origin       `json:"origin,omitzero"`
}

// expected is the version that is expected, or what who says none means: earlier clients
// left 0 out of an append, and knew of none in a deletion.
func (p parameters) expected(unsaid int64) int64 {
	if p.Expected == nil {
		return unsaid
	}
	return *p.Expected
}

// An answer is what a frame of JSON from the server says.
type answer struct {
	Conversation *conversation `json:"conversation,omitzero"`
	Version      int64         `json:"version,omitzero"`
	// Snippet of a hit, in the conversation ID; its entry is the next frame.
	ID      text `json:"id,omitzero"`
	Snippet text `json:"snippet,omitzero"`
}

// A failure ends an answer.
type failure struct {
	// Code is one of those below, or that of a [problem.Error] with its hint.
	Code     string `json:"code"`
	Message  string `json:"message,omitzero"`
	Hint     string `json:"hint,omitzero"`
	Expected int64  `json:"expected,omitzero"`
	Actual   int64  `json:"actual,omitzero"`
	// Entries is how many a search left out, and Message tells of the first.
	Entries int `json:"entries,omitzero"`
}

// The codes of failures that a caller can act on, and one for all others.
const (
	codeNotFound    = "not_found"
	codeExists      = "exists"
	codeConflict    = "conflict"
	codeClosed      = "closed"
	codeUnavailable = "unavailable"
	codeLocked      = "locked"
	codeUnread      = "unread"
	codeInvalid     = "invalid"
	codeOther       = "store"
)

// newFailure says of an error what a client makes the same error of.
func newFailure(err error) failure {
	var conflict *store.ConflictError
	var said *problem.Error
	var unread *store.UnreadError
	var failed *store.FailedError
	message := err.Error()
	if errors.As(err, &failed) { // whose place is on the operator's machines
		message = failed.Outside()
	}
	switch {
	case errors.As(err, &conflict):
		return failure{Code: codeConflict, Expected: conflict.Expected, Actual: conflict.Actual}
	case errors.Is(err, store.ErrNotFound):
		return failure{Code: codeNotFound}
	case errors.Is(err, store.ErrExists):
		return failure{Code: codeExists}
	case errors.Is(err, store.ErrClosed):
		return failure{Code: codeClosed}
	case errors.Is(err, store.ErrUnavailable): // whose words name the operator's machines
		return failure{Code: codeUnavailable}
	case errors.Is(err, store.ErrLocked):
		return failure{Code: codeLocked, Message: message} // which an earlier client shows
	case errors.As(err, &unread):
		return failure{Code: codeUnread, Message: unread.First.Error(), Entries: unread.Entries}
	case errors.Is(err, errInvalid):
		return failure{Code: codeInvalid, Message: err.Error()}
	case errors.As(err, &said):
		return failure{Code: cmp.Or(said.Code, codeOther), Message: err.Error(), Hint: said.Hint}
	case failed != nil:
		return failure{Code: codeOther, Message: message, Hint: failed.Hint}
	}
	return failure{Code: codeOther, Message: message}
}

// err is the error that a failure tells of, about a conversation.
func (f failure) err(id string) error {
	switch f.Code {
	case codeConflict:
		return &store.ConflictError{Conversation: id, Expected: f.Expected, Actual: f.Actual}
	case codeNotFound:
		return store.ErrNotFound
	case codeExists:
		return store.ErrExists
	case codeClosed:
		return errGone
	case codeUnavailable:
		return errAway
	case codeUnread:
		return &store.UnreadError{Entries: f.Entries, First: errors.New(f.Message)}
	}
	return &serverError{f.Code, f.Message, f.Hint}
}

// errGone says that the server is being shut down: its store, not ours, is closed.
var errGone = connectionError{errors.New("the server is shutting down")}

// errAway says that the server cannot reach its own store for now, or waited too long for it.
var errAway = connectionError{errors.New("the server cannot reach its database, or had no answer in time")}

// errInvalid says that a request is not valid.
var errInvalid = errors.New("invalid request")

// A serverError is one that only the server understands.
type serverError struct{ code, message, hint string }

// Error implements error.
func (e *serverError) Error() string { return e.message }

// Is tells [store.ErrLocked] of the server's own.
func (e *serverError) Is(target error) bool { return e.code == codeLocked && target == store.ErrLocked }

// As fills in a [problem.Error]. The hint is in the text already: see Explain.
func (e *serverError) As(target any) bool {
	p, ok := target.(**problem.Error)
	if ok {
		*p = &problem.Error{Code: e.code, Err: e}
	}
	return ok
}

// A text is a string that need not be UTF-8: one that is not is written in base64, as
// the one element of an array.
type text string

// MarshalJSONTo implements [json.MarshalerTo].
func (t text) MarshalJSONTo(enc *jsontext.Encoder) error {
	if utf8.ValidString(string(t)) {
		return enc.WriteToken(jsontext.String(string(t)))
	}
	return json.MarshalEncode(enc, [1][]byte{[]byte(t)})
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return json.UnmarshalDecode(dec, (*string)(t))
	}
	var b [1][]byte
	err := json.UnmarshalDecode(dec, &b)
	*t = text(b[0])
	return err
}

// What the store knows of a conversation, as JSON.
type (
	conversation struct {
		ID      text      `json:"id"`
		Title   text      `json:"title,omitzero"`
		Created time.Time `json:"created,omitzero"`
		Updated time.Time `json:"updated,omitzero"`
		Version int64     `json:"version,omitzero"`
		Stats   stats     `json:"stats,omitzero"`
		Origin  *origin   `json:"origin,omitzero"`
		Fault   string    `json:"fault,omitzero"`
	}
	place struct {
		Updated time.Time `json:"updated,omitzero"`
		ID      text      `json:"id"`
	}
	stats struct {
		Turns        int       `json:"turns,omitzero"`
		TokensBefore int       `json:"tokens_before,omitzero"`
		TokensAfter  int       `json:"tokens_after,omitzero"`
		Percent      int       `json:"percent,omitzero"`
		Ended        time.Time `json:"ended,omitzero"`
	}
	origin struct {
		Key       text `json:"key,omitzero"`
		Mark      text `json:"mark,omitzero"`
		Tool      text `json:"tool,omitzero"`
		Directory text `json:"directory,omitzero"`
	}
)

func newConversation(c store.Conversation) *conversation {
	return &conversation{text(c.ID), text(c.Title), c.Created, c.Updated, c.Version, stats(c.Stats), newOrigin(&c.Origin), c.Fault}
}

func newOrigin(o *store.Origin) *origin {
	if o == nil {
		return nil
	}
	return &origin{text(o.Key), text(o.Mark), text(o.Tool), text(o.Directory)}
}

func (o *origin) value() *store.Origin {
	if o == nil {
		return nil
	}
	return &store.Origin{Key: string(o.Key), Mark: string(o.Mark), Tool: string(o.Tool), Directory: string(o.Directory)}
}

func (c *conversation) value() store.Conversation {
	out := store.Conversation{
		ID: string(c.ID), Title: string(c.Title), Created: c.Created, Updated: c.Updated, Version: c.Version, Stats: store.Stats(c.Stats), Fault: c.Fault,
	}
	if o := c.Origin.value(); o != nil {
		out.Origin = *o
	}
	return out
}
