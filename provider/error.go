package provider

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tenfold/problem"
)

// Kind says what went wrong, as far as a caller can act on it.
type Kind string

// The kinds.
const (
	// TooLarge: the request does not fit the model's context.
	TooLarge Kind = "context_too_large"
	// RateLimited: too many requests or tokens; wait.
	RateLimited Kind = "rate_limited"
	// Overloaded: the provider is down or busy; wait.
	Overloaded Kind = "overloaded"
	// Refused: the model or a filter declined to answer.
	Refused Kind = "refused"
	// CutOff: the stream ended before the response did.
	CutOff Kind = "cut_off"
	// Authentication: the key is missing, wrong, or not allowed to do this.
	Authentication Kind = "authentication"
	// Invalid: the provider does not take the request.
	Invalid Kind = "invalid"
	// TimedOut: no answer came within the deadline.
	TimedOut Kind = "timed_out"
	// Unreachable: the network, or the server's address, does not work.
	Unreachable Kind = "unreachable"
)

// An Error is what a provider or the way to it answered instead of a response.
// No key and no part of the conversation is in it.
type Error struct {
	Kind Kind
	// Model is the one that was asked.
	Model string
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Message is what the provider said, one line.
	Message string
	// Used and Limit are tokens, with TooLarge, where the provider says them.
	Used, Limit int
	// MaxOutput is how many tokens the model may answer at most, with Invalid,
	// where the provider refused a request for more and says so: the same
	// request may be sent again with that MaxTokens.
	MaxOutput int
	// After is how long the provider asks to wait; 0 when it does not say.
	After time.Duration
	// Hint says what to try.
	Hint string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Kind == TooLarge && e.Limit > 0 {
		fmt.Fprintf(&b, ": %d tokens, the limit is %d", e.Used, e.Limit)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.After > 0 {
		fmt.Fprintf(&b, " (wait %s)", e.After.Round(time.Second))
	}
	return b.String()
}

// As fills in a [problem.Error], which has the hint.
func (e *Error) As(target any) bool {
	p, ok := target.(**problem.Error)
	if ok {
		*p = &problem.Error{Code: "model_" + string(e.Kind), Problem: e.Error(), Hint: e.Hint, Err: e.Err}
	}
	return ok
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// MaxOutput is how many tokens the model may answer at most, where the error is
// an [*Error] that says so; 0 otherwise.
func MaxOutput(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.MaxOutput
	}
	return 0
}

// KindOf tells the kind of an error; empty when it is no [*Error].
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
