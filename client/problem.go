package client

import (
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/problem"
)

// longestProblem is how much is read of an answer that says what is wrong, in bytes.
const longestProblem = 1 << 20

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// As gives the problem as one that a person reads.
func (p *Problem) As(target any) bool {
	said, ok := target.(**problem.Error)
	if ok {
		*said = &problem.Error{Problem: p.Detail, Hint: p.Hint, Code: p.Code}
	}
	return ok
}

// problemIn reads what is wrong from an answer, also from one that does not come from
// the server itself.
func problemIn(resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, longestProblem))
	p := &Problem{}
	if err != nil || json.Unmarshal(text, p, form) != nil || p.Detail == "" {
		p = &Problem{Detail: "the server answered " + resp.Status, Hint: `check the address: it is that of "tenfold serve"`}
	}
	p.Status, p.Title = int64(resp.StatusCode), http.StatusText(resp.StatusCode)
	p.Detail = strings.ToValidUTF8(p.Detail, "\uFFFD")
	return p
}
