package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenfold/problem"
	"tenfold/store"
)

// hint says what to try.
func hint(err error) string {
	var refused *statusError
	var said *serverError
	switch {
	case !isConnection(err) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrClosed)):
		return ""
	case errors.As(err, &refused):
		return refused.hint()
	case errors.As(err, &said):
		return said.hint
	case errors.Is(err, errAway):
		return "try again in a moment, or tell whoever runs the server"
	case isConnection(err):
		return "check that the server runs and that this machine reaches it"
	}
	return ""
}

// A statusError is an answer that does not come from the store.
type statusError struct {
	status int
	// says, tells and code are what the server says is wrong, what it says to try,
	// and its name for that.
	says, tells, code string
	// after is when it says to try again, where it does.
	after time.Duration
}

// Error implements error.
func (e *statusError) Error() string {
	text := fmt.Sprintf("the server answered %d %s", e.status, http.StatusText(e.status))
	if e.says != "" {
		text += ": " + e.says
	}
	return text
}

// As fills in a [problem.Error]. The hint is in the text already: see Explain.
func (e *statusError) As(target any) bool {
	p, ok := target.(**problem.Error)
	if ok {
		*p = &problem.Error{Code: cmp.Or(e.code, "store"), Err: e}
	}
	return ok
}

func (e *statusError) hint() string {
	switch {
	case strings.HasPrefix(e.code, "token_"):
		return "check TENFOLD_TOKEN: " + e.tells
	case e.status == http.StatusUnauthorized, e.status == http.StatusForbidden && e.tells == "":
		return "set TENFOLD_TOKEN to a token of the server"
	case e.status == http.StatusNotFound, e.status == http.StatusOK: // which another server answers
		return "check the address, which is that of \"tenfold serve\", and that the server is not of an earlier release"
	case e.status == http.StatusTooManyRequests:
		return cmp.Or(e.tells, "try again later")
	case e.status == http.StatusForbidden, e.status == http.StatusServiceUnavailable:
		return e.tells
	}
	return ""
}

// delay is how long to wait before something is tried again, of which wait would be
// the usual time; false where it is not to be. A server that has too many requests
// says itself when: nothing was done then, so that anything may be tried again. Those
// who were refused at once do not come back at once.
func delay(err error, wait time.Duration, twice bool) (time.Duration, bool) {
	if refused, ok := errors.AsType[*statusError](err); ok && refused.status == http.StatusTooManyRequests {
		pause := max(refused.after, wait)
		return pause + rand.N(pause/4), refused.after > 0 && refused.after <= Patience
	}
	return wait, isConnection(err) && (twice || unsent(err))
}

// unsent reports whether there was no connection to send anything on, as while the server
// starts: nothing was done then.
func unsent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// A connectionError says that the server could not be reached, or broke off. It is
// [store.ErrUnavailable] too.
type connectionError struct{ error }

func (e connectionError) Unwrap() error { return e.error }

// Is is for [errors.Is].
func (e connectionError) Is(target error) bool { return target == store.ErrUnavailable }

func isConnection(err error) bool { return errors.Is(err, store.ErrUnavailable) }

// refusal is what the server says in its own words.
func refusal(answer *http.Response) *statusError {
	out := &statusError{status: answer.StatusCode}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 {
		out.after = time.Duration(min(seconds, 1e6)) * time.Second
	}
	var p struct {
		Detail string `json:"detail"`
		Hint   string `json:"hint"`
		Code   string `json:"code"`
	}
	if body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10)); err == nil && decode(body, &p) == nil {
		out.says, out.tells, out.code = p.Detail, p.Hint, p.Code
	}
	return out
}
