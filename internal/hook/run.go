package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnknownEvent says that a client has no such event.
var ErrUnknownEvent = errors.New("unknown event")

// Nothing is the answer that has an agent do what it does without Tenfold.
const Nothing = "{}"

// LargestInput is the most bytes of an event that are read.
const LargestInput = 64 << 20

// Run answers one event of a client within a time limit, which the reading of
// the input counts against. It always answers: with [Nothing] where the client has
// nothing to say, and where anything fails, which is recorded (V7).
func (h *Host) Run(ctx context.Context, c Client, event string, in io.Reader, limit time.Duration) []byte {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h.reserve()
	type answer struct {
		out []byte
		err error
	}
	done := make(chan answer, 1) // what comes late is dropped
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a.out, a.err = nil, fmt.Errorf("internal error: %v", r)
			}
			done <- a
		}()
		a.out, a.err = h.answer(ctx, c, event, in)
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	if errors.Is(a.err, context.DeadlineExceeded) {
		a.err = fmt.Errorf("not done within %v", limit)
	}
	if a.err != nil {
		h.Fail(Failure{Client: c.About().Name, Event: event, Why: a.err.Error()})
		return []byte(Nothing)
	}
	if len(bytes.TrimSpace(a.out)) == 0 {
		return []byte(Nothing)
	}
	return a.out
}

// answer reads the input, and makes sure that an adapter can read what it is sent.
func (h *Host) answer(ctx context.Context, c Client, event string, in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, LargestInput+1))
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	if len(data) > LargestInput {
		return nil, fmt.Errorf("read the event: larger than %d MiB", LargestInput>>20)
	}
	out, err := c.Handle(ctx, h, event, data)
	if err == nil && len(bytes.TrimSpace(out)) > 0 && !jsontext.Value(out).IsValid() {
		err = errors.New("internal error: the answer is not JSON")
	}
	return out, err
}
