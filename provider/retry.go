package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"tenfold/internal/pause"
)

// A Policy says how [Retry] waits. The zero value tries four times, waits a
// second, two and four, and gives each request no deadline of its own.
type Policy struct {
	// Attempts is how often a request is sent at most; 0 is 4.
	Attempts int
	// Base is the first wait; each one after it is twice as long. 0 is a
	// second.
	Base time.Duration
	// Most is the longest wait; 0 is a minute. A provider that asks for more
	// is not waited for.
	Most time.Duration
	// Timeout is what each request may take, its stream included; 0 leaves it
	// to the model and the context.
	Timeout time.Duration
	// Random gives numbers from 0 up to 1, so that many callers do not come
	// back at once: waits are shortened by up to half. Nil leaves them as
	// they are. A wait the provider asked for is never shortened.
	Random func() float64
	// Wait passes the time; it returns early with the context's error. Nil
	// waits by the clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Waiting, if set, is told of each wait: the attempt that failed, counted
	// from 1, why, and for how long.
	Waiting func(attempt int, err error, d time.Duration)
}

// Retry gives a model that sends a request again when waiting may help: after
// RateLimited, Overloaded, Unreachable and TimedOut. It waits as long as the
// provider asks, else longer each time. A stream that has given anything is
// never begun anew, so no event comes twice. The end of the context ends the
// wait at once. A panic of the model's is an error of kind Invalid.
func Retry(m Model, p Policy) Model { return retrying{m, p.filled()} }

// filled has the defaults where nothing is set.
func (p Policy) filled() Policy {
	if p.Attempts < 1 {
		p.Attempts = 4
	}
	if p.Base <= 0 {
		p.Base = time.Second
	}
	if p.Most <= 0 {
		p.Most = time.Minute
	}
	if p.Wait == nil {
		p.Wait = pause.For
	}
	return p
}

type retrying struct {
	Model
	policy Policy
}

// Stream implements [Model].
func (r retrying) Stream(ctx context.Context, q Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		began, reading := false, false
		err := r.try(ctx, func(ctx context.Context) (again bool, err error) {
			defer r.guard(&reading, &err)
			for e, err := range r.Model.Stream(ctx, q) {
				if err != nil {
					return !began, err
				}
				began, reading = true, true
				more := yield(e, nil)
				if reading = false; !more {
					return false, errLeft
				}
			}
			return false, nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

// guard makes an error of a panic of the model's: a caller that asks it in a goroutine of
// its own could not recover from it. One of the reader's is its own.
func (r retrying) guard(reading *bool, err *error) {
	if *reading {
		return
	}
	if p := recover(); p != nil {
		*err = &Error{Kind: Invalid, Model: r.Name(), Message: fmt.Sprintf("the provider failed: %v", p), Hint: "this is a fault of the provider's program; report it to who made that"}
	}
}

// errLeft says that the reader of a stream has had enough.
var errLeft = errors.New("the reader left")

// Count implements [Model].
func (r retrying) Count(ctx context.Context, q Request) (Count, error) {
	var out Count
	err := r.try(ctx, func(ctx context.Context) (again bool, err error) {
		defer r.guard(new(bool), &err)
		out, err = r.Model.Count(ctx, q)
		return true, err
	})
	return out, err
}

// try calls send until it is well, or says that it may not be called again, or
// waiting cannot help.
func (r retrying) try(ctx context.Context, send func(context.Context) (again bool, err error)) error {
	for attempt := 1; ; attempt++ {
		again, err := r.once(ctx, send)
		if err == nil || !again || attempt >= r.policy.Attempts || !Passes(err) {
			return err
		}
		if waited, over := r.policy.Pause(ctx, attempt, err); !waited {
			return err
		} else if over != nil {
			return fmt.Errorf("%w, while a request waited to be sent again: %s", over, err.Error())
		}
	}
}

// Passes reports whether waiting may help after such an error.
func Passes(err error) bool {
	return slices.Contains([]Kind{RateLimited, Overloaded, Unreachable, TimedOut}, KindOf(err))
}

// Pause waits as the policy says before a request is sent again of which an attempt,
// counted from 1, ended in an error: [Retry] does, and so may a caller whose stream broke
// off. It does not where the provider asks for more than is waited; over is the error of
// a context that ended meanwhile.
func (p Policy) Pause(ctx context.Context, attempt int, err error) (waited bool, over error) {
	p = p.filled()
	d, ok := p.delay(attempt, err)
	if !ok {
		return false, nil
	}
	if p.Waiting != nil {
		p.Waiting(attempt, err, d)
	}
	return true, p.Wait(ctx, d)
}

// once sends under the deadline of one request. That the deadline passed is no
// end of the caller's context.
func (r retrying) once(ctx context.Context, send func(context.Context) (bool, error)) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if r.policy.Timeout <= 0 {
		return send(ctx)
	}
	inner, cancel := context.WithTimeout(ctx, r.policy.Timeout)
	defer cancel()
	again, err := send(inner)
	if err != nil && KindOf(err) == "" && ctx.Err() == nil && inner.Err() != nil && !errors.Is(err, errLeft) {
		err = &Error{Kind: TimedOut, Model: r.Name(), Message: "the answer did not finish within " + r.policy.Timeout.String(), Hint: "set a longer timeout, or try again later", Err: err}
	}
	return again, err
}

// delay says how long to wait after a failed attempt, and whether to.
func (p Policy) delay(attempt int, err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*Error](err); ok && e.After > 0 {
		return e.After, e.After <= p.Most
	}
	d := p.Base
	for range attempt - 1 {
		if d >= p.Most/2 {
			d = p.Most
			break
		}
		d *= 2
	}
	d = min(d, p.Most)
	if p.Random != nil {
		d -= time.Duration(p.Random() * float64(d) / 2)
	}
	return d, true
}
