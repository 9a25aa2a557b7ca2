// Package wire is what the providers share: it sends a request over net/http,
// reads the events that come back within bounds, and makes errors of what
// providers and networks say.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tenfold/internal/sse"
	"tenfold/provider"
)

const (
	// MaxAnswer is the most bytes an answer may have.
	MaxAnswer = 64 << 20
	// maxProblem is the most bytes of an error's body that are read.
	maxProblem = 64 << 10
)

// An Endpoint is one model behind HTTP. It is never changed once made and is
// safe for concurrent use.
type Endpoint struct {
	// Name is the model's whole name, for errors.
	Name    string
	key     string
	header  http.Header
	timeout time.Duration
	client  *http.Client
	limit   int64
}

// NewEndpoint makes an endpoint of options. Each request carries the header.
func NewEndpoint(name string, header http.Header, o provider.Options) *Endpoint {
	e := &Endpoint{Name: name, key: string(o.Key), header: header.Clone(), timeout: o.Timeout, limit: MaxAnswer}
	e.header.Set("Content-Type", "application/json")
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	}
	e.timeout = cmp.Or(e.timeout, provider.DefaultTimeout)
	if client.Timeout > 0 && (e.timeout < 0 || client.Timeout < e.timeout) {
		e.timeout = client.Timeout
	}
	client.Timeout = 0 // the endpoint tells its own deadline from the caller's
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	e.client = &client
	return e
}

// post sends a body to an address and gives the response, or the error it comes
// to. The caller closes the response's body.
func (e *Endpoint) post(ctx context.Context, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, &provider.Error{
			Kind: provider.Invalid, Model: e.Name, Message: e.clean(err.Error(), body), Hint: "check the model's name and the base URL",
		}
	}
	req.Header = e.header.Clone()
	r, err := e.client.Do(req)
	if err != nil {
		return nil, e.unreachable(err)
	}
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return r, nil
	}
	raw, _ := io.ReadAll(io.LimitReader(r.Body, maxProblem))
	_ = r.Body.Close()
	return nil, e.Failure(ParseProblem(r.StatusCode, r.Header, raw), body)
}

// unreachable is what the network says. Its address is in it, no key is.
func (e *Endpoint) unreachable(err error) error {
	cause := err
	if u, ok := errors.AsType[*url.Error](err); ok {
		cause = u.Err
	}
	return &provider.Error{
		Kind: provider.Unreachable, Model: e.Name, Message: e.clean(cause.Error(), nil), Err: err,
		Hint: "check the network and the base URL",
	}
}

// A Decoder makes events of what a stream says. An error of type [*Problem]
// is the provider's.
type Decoder interface {
	// Take reads one event: its name, where the stream gives one, and data.
	Take(name string, data []byte) ([]provider.Event, error)
	// End is asked when the stream ended and no event has had Stop set.
	End() ([]provider.Event, error)
}

// stream sends a request and gives the events that d, a decoder of this answer
// alone, makes of the answer, up to the one with Stop set.
func (e *Endpoint) stream(ctx context.Context, address string, body []byte, d Decoder, yield func(provider.Event, error) bool) {
	inner, cancel := e.deadline(ctx)
	defer cancel()
	r, err := e.post(inner, address, body)
	if err != nil {
		yield(provider.Event{}, e.tellDeadline(ctx, inner, err))
		return
	}
	defer func() { _ = r.Body.Close() }()
	if mime, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.EqualFold(strings.TrimSpace(mime), "text/html") {
		raw, _ := io.ReadAll(io.LimitReader(r.Body, maxProblem))
		yield(provider.Event{}, e.tellDeadline(ctx, inner, &provider.Error{
			Kind: provider.Invalid, Model: e.Name, Message: e.clean("a web page came in the place of an answer: "+pageText(string(raw)), body),
			Hint: "check the base URL; a proxy or a page to sign in may stand before the server",
		}))
		return
	}
	if err = e.read(r.Body, d, func(ev provider.Event) bool { return yield(ev, nil) }); err == nil {
		return
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		p.Header = r.Header
		err = e.Failure(p, body)
	}
	yield(provider.Event{}, e.tellDeadline(ctx, inner, err))
}

var (
	// errTooMuch says that a stream is longer than any answer.
	errTooMuch = errors.New("the answer is too long")
	// errOver ends the reading of a stream that was stopped, or left.
	errOver = errors.New("nothing more is read")
)

// read goes through a stream. Without an error it was stopped, or left.
func (e *Endpoint) read(body io.Reader, d Decoder, yield func(provider.Event) bool) error {
	var over error // what ended the reading, where that is not the connection
	stopped := false
	give := func(events []provider.Event, err error) error {
		for _, ev := range events {
			if !yield(ev) {
				over = errOver
				return over
			}
			stopped = stopped || ev.Stop != ""
		}
		if over = err; over == nil && stopped {
			over = errOver
		}
		return over
	}
	events := sse.Reader{Take: func(name string, data []byte) error { return give(d.Take(name, data)) }}
	in := io.LimitedReader{R: body, N: e.limit + 1}
	_, err := io.CopyBuffer(&events, &in, make([]byte, 16<<10))
	switch {
	case err != nil && over == nil:
		err = fmt.Errorf("the connection broke: %w", err)
	case err == nil && in.N == 0:
		err = errTooMuch
	case err == nil:
		if err = events.End(); err == nil {
			err = give(d.End())
		}
	}
	switch {
	case errors.Is(err, errOver):
		return nil
	case err == nil:
		err = errors.New("the stream ended before the answer did")
	}
	if !errors.As(err, new(*Problem)) && !errors.As(err, new(*provider.Error)) {
		err = e.cutOff(err)
	}
	return err
}

func (e *Endpoint) cutOff(err error) error {
	message := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		message = "the connection ended before the answer did"
	}
	return &provider.Error{
		Kind: provider.CutOff, Model: e.Name, Message: e.clean(message, nil), Err: err,
		Hint: "try again",
	}
}

// Fetch sends a request to an address and gives the body of the answer.
func (e *Endpoint) Fetch(ctx context.Context, address string, body []byte) ([]byte, error) {
	inner, cancel := e.deadline(ctx)
	defer cancel()
	r, err := e.post(inner, address, body)
	if err != nil {
		return nil, e.tellDeadline(ctx, inner, err)
	}
	defer func() { _ = r.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxProblem))
	if err != nil {
		return nil, e.tellDeadline(ctx, inner, e.cutOff(err))
	}
	return raw, nil
}

func (e *Endpoint) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.timeout < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, e.timeout)
}

// tellDeadline tells the end of the caller's context, and of our own deadline, from
// what they look like to the network.
func (e *Endpoint) tellDeadline(ctx, inner context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case inner.Err() != nil:
		return &provider.Error{
			Kind: provider.TimedOut, Model: e.Name, Message: "the answer did not finish within " + e.timeout.String(),
			Hint: "set a longer timeout", Err: inner.Err(),
		}
	}
	return err
}
