package shape

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"tenfold/fleet/tenant"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/vault"
)

// A Problem is an error as the API tells it (RFC 9457): what the command line
// prints, with its hint and its code.
type Problem struct { //nolint:errname // as RFC 9457 calls it
	Title  string `json:"title" doc:"the status in words"`
	Status int    `json:"status" doc:"the HTTP status"`
	Detail string `json:"detail" doc:"what was being done, to what, and what is wrong"`
	Hint   string `json:"hint,omitempty" doc:"what to try"`
	Code   string `json:"code,omitempty" doc:"the kind of problem, for programs: not_found, conflict …"`
	// Expected and Actual are the versions of a conflict (L8).
	Expected *int64 `json:"expected,omitempty" doc:"of a conflict: the version that the request named"`
	Actual   *int64 `json:"actual,omitempty" doc:"of a conflict: the version of the log, which a new request has to read first"`
	// Errors are what is wrong with the parts of a request.
	Errors []Fault `json:"errors,omitempty"`

	// after is when to try again, where that is known: the header Retry-After.
	after time.Duration
}

// In tells when to try again.
func (p *Problem) In(after time.Duration) *Problem {
	p.after = after
	return p
}

// NewProblem makes a problem of its status, code and texts.
func NewProblem(status int, code, detail, hint string) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Code: code, Detail: detail, Hint: hint}
}

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.after > 0 { // in whole seconds, and not too early
		h.Set("Retry-After", strconv.Itoa(int((p.after+time.Second-1)/time.Second)))
	}
	return h
}

// A Fault is what is wrong with one part of a request.
type Fault struct {
	Location string `json:"location" doc:"such as query.limit or body.keep"`
	Message  string `json:"message"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return ProblemType }

// ProblemType is the media type of a problem.
const ProblemType = "application/problem+json"

// Write answers with a problem where huma does not. A writer that it goes through
// may note the code, with a method Refuse.
func (p *Problem) Write(w http.ResponseWriter) {
	for inner := w; inner != nil; {
		if noting, ok := inner.(interface{ Refuse(code string) }); ok {
			noting.Refuse(p.Code)
			break
		}
		wrapped, ok := inner.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		inner = wrapped.Unwrap()
	}
	body, _ := json.Marshal(p) //nolint:errchkjson // texts and numbers
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", ProblemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}

// statuses are those of errors that a caller can act on, with the code and the
// hint of those that bring none.
var statuses = []struct {
	is         error
	status     int
	code, hint string
}{
	{store.ErrNotFound, http.StatusNotFound, "not_found", "it may have been deleted: look at the list of conversations"},
	{session.ErrNoEntry, http.StatusNotFound, "not_found", "entries count from 1 to the version of the log"},
	{session.ErrAmbiguous, http.StatusConflict, "ambiguous", "write more of the ID"},
	{store.ErrExists, http.StatusConflict, "exists", "choose another ID"},
	{session.ErrNothingToUndo, http.StatusConflict, "nothing_to_undo", "no compaction is in effect"},
	{session.ErrNothingToRedo, http.StatusConflict, "nothing_to_redo", "only what was undone can be redone"},
	{session.ErrVetoed, http.StatusConflict, "vetoed", ""},
	{tenant.ErrDenied, http.StatusUnauthorized, "", ""},
	{tenant.ErrScope, http.StatusForbidden, "", ""},
	{store.ErrClosed, http.StatusServiceUnavailable, "closed", "the server is shutting down; start it again"},
	{store.ErrUnavailable, http.StatusServiceUnavailable, "store", "try again in a moment"},
	{store.ErrLocked, http.StatusServiceUnavailable, "locked", "another program writes to the store: try again in a moment; nothing of this was written"},
	{context.Canceled, http.StatusServiceUnavailable, "cancelled", ""},
	{context.DeadlineExceeded, http.StatusGatewayTimeout, "timeout", "try again"},
}

// ProblemOf says an error as the API does.
func ProblemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	p := &Problem{Status: http.StatusInternalServerError, Detail: err.Error()}
	var conflict *store.ConflictError
	if said, ok := errors.AsType[*problem.Error](err); ok {
		p.Hint, p.Code = said.Hint, said.Code
		switch {
		case said.Code == "not_found":
			p.Status = http.StatusNotFound
		case said.Code == "job_state":
			p.Status = http.StatusConflict
		case said.Code == "limit_jobs":
			p.Status, p.after = http.StatusTooManyRequests, time.Minute
		case said.Usage, said.Code == "usage":
			p.Status = http.StatusBadRequest
		case said.Hint != "":
			p.Status = http.StatusUnprocessableEntity // somebody can do something
		}
	}
	for _, known := range statuses {
		if errors.Is(err, known.is) {
			p.Status, p.Code, p.Hint = known.status, cmp.Or(p.Code, known.code), cmp.Or(p.Hint, known.hint)
			break
		}
	}
	if errors.Is(err, store.ErrUnavailable) {
		// The words of the error name the operator's machines.
		p.Detail, p.after = "the server cannot reach its database, or had no answer in time", time.Second
	}
	if failed, ok := errors.AsType[*store.FailedError](err); ok && p.Status >= http.StatusInternalServerError && p.after == 0 {
		p.Detail = failed.Outside() // where the store is concerns the operator alone
		switch {
		case errors.Is(err, store.ErrLocked):
			p.after = time.Second
		case failed.Full:
			p.Status, p.Code, p.Hint = http.StatusInsufficientStorage, "disk_full", "nothing of this was written: tell whoever runs the server to free some disk space"
		}
	}
	if errors.Is(err, vault.ErrNoMaster) || errors.Is(err, vault.ErrMaster) {
		*p = *NewProblem(http.StatusServiceUnavailable, CodeKey, "the server lacks the key of what the tenant keeps", "tell whoever runs the server: it needs the master key")
	}
	if limit, ok := errors.AsType[*tenant.LimitError](err); ok {
		p.Status, p.after = http.StatusTooManyRequests, limit.After
	}
	if errors.As(err, &conflict) {
		p.Status, p.Code = http.StatusConflict, "conflict"
		p.Hint = cmp.Or(p.Hint, "the conversation has changed: read it again and try again")
		p.Expected, p.Actual = &conflict.Expected, &conflict.Actual
	}
	switch p.Status {
	case http.StatusInternalServerError:
		p.Code, p.Hint = cmp.Or(p.Code, CodeInternal), cmp.Or(p.Hint, "tell whoever runs the server: its log has the request")
	case http.StatusUnprocessableEntity:
		p.Code = cmp.Or(p.Code, "invalid")
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// Codes of what went wrong on the server.
const (
	CodeInternal = "internal" // nobody expected it
	CodeKey      = "key"      // it has no master key, or the wrong one
)

// Refused is a request that cannot be meant.
func Refused(detail, hint string) *Problem {
	return NewProblem(http.StatusBadRequest, "usage", detail, hint)
}

// AsProblem has errors of huma's own, such as a parameter that is not a number, told
// in our form.
func AsProblem(_ huma.Context, _ string, v any) (any, error) {
	model, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := &Problem{Title: model.Title, Status: model.Status, Detail: model.Detail}
	if model.Status < http.StatusInternalServerError {
		p.Code, p.Hint = "usage", "/api/openapi.json says what this operation takes"
	}
	for _, e := range model.Errors {
		p.Errors = append(p.Errors, Fault{Location: e.Location, Message: e.Message})
	}
	if len(p.Errors) > 0 {
		p.Detail = p.Errors[0].Location + ": " + p.Errors[0].Message
	}
	return p, nil
}
