package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/internal/pause"
)

// Follow gives the events of a conversation: those of the entries after a seq, and
// then what comes, until ctx ends. A seq below 0 begins with what comes. Where the
// connection breaks off it goes on after the last entry that was given, so that each
// entry comes once, in order; a status comes again with each connection. An error
// ends the sequence: what the server refuses, or a server that is not reached for as
// long as the client's retries last.
func (c *Client) Follow(ctx context.Context, id string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			resp, err := c.Events(ctx, id, &EventsParams{After: &after}) //nolint:bodyclose // read closes it
			if err == nil {
				err = read(resp, &after, func(e Event) bool { return yield(e, nil) })
			}
			switch {
			case errors.Is(err, errEnough) || ctx.Err() != nil:
				return
			case err != nil:
				yield(Event{}, err)
				return
			}
			if pause.For(ctx, waitAfter(nil, 0)) != nil { // the server ended, or the connection did
				return
			}
		}
	}
}

// errEnough says that the reader of a sequence wants no more.
var errEnough = errors.New("enough")

// longestEvent bounds an event, in bytes: rows have a line of text.
const longestEvent = 16 << 20

// read gives the events of a connection, and keeps the place in the log. A connection
// that ends is not an error.
func read(resp *http.Response, after *int64, give func(Event) bool) error {
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, longestEvent)
	place, data := strconv.FormatInt(*after, 10), ""
	for lines.Scan() {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		if line != "" && name == "" { // a comment
			continue
		}
		switch value = strings.TrimPrefix(value, " "); name {
		case "id":
			place = value // the last line may be cut off
		case "data":
			data += value + "\n"
		case "":
			if data != "" {
				var e Event
				if err := json.Unmarshal([]byte(data), &e, form); err != nil {
					return fmt.Errorf("read events: %w", err)
				}
				if data = ""; !give(e) {
					return errEnough
				}
			}
			n, err := strconv.ParseInt(place, 10, 64)
			if err != nil {
				return fmt.Errorf("read events: the id %q is not a number", place)
			}
			*after = n // what is before it was given
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("read events: an event is longer than %d MB", longestEvent>>20)
	}
	return nil
}

// A Body is what a model is to be sent.
type Body struct {
	// JSON is the body of a request to the provider: system prompt, tools and
	// messages. The program adds options, such as max_tokens.
	JSON []byte
	// Version is that of the log: the Expected of what the model answers.
	Version int64
	// ETag names the body.
	ETag string
}

// Body gives what a model sees of a conversation, as the body of a request. Where the
// last one is still it, that one is given, and not sent again: keep it.
func (c *Client) Body(ctx context.Context, id string, params ProjectionParams, last *Body) (b *Body, err error) {
	if last != nil {
		params.IfNoneMatch = last.ETag
	}
	projection := request{method: http.MethodGet, path: fill("/api/conversations/{id}/projection", id), params: &params}
	err = c.sendTo(ctx, projection, func(resp *http.Response) (again bool, err error) {
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode == http.StatusNotModified && last != nil {
			b = last
			return false, nil
		}
		b = &Body{ETag: resp.Header.Get("ETag")}
		body := &watched{Reader: resp.Body}
		if b.JSON, err = io.ReadAll(body); err == nil {
			b.Version, err = strconv.ParseInt(resp.Header.Get("Tenfold-Version"), 10, 64)
		}
		if err != nil {
			err = fmt.Errorf("read the projection of %s: %w", id, err)
		}
		return body.broken, err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}
