package intake

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/problem"
)

// An Error says what is wrong with a source, where, and what to try.
type Error struct {
	// Name is the source's, Format what it was read as; either may be empty.
	Name   string
	Format Format
	// Line and Column count from 1; 0 when the error has no place. Columns
	// count bytes.
	Line, Column int
	Err          error
	Hint         string
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		b.WriteString(e.Name)
		if e.Line > 0 {
			b.WriteString(":" + strconv.Itoa(e.Line))
			if e.Column > 0 {
				b.WriteString(":" + strconv.Itoa(e.Column))
			}
		}
		b.WriteString(": ")
	} else if e.Line > 0 {
		b.WriteString("line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": ")
	}
	b.WriteString(e.Err.Error())
	if e.Format != "" {
		b.WriteString(" (read as " + string(e.Format) + ")")
	}
	return b.String()
}

// As fills in a [problem.Error], which has the hint.
func (e *Error) As(target any) bool {
	p, ok := target.(**problem.Error)
	if ok {
		*p = &problem.Error{Code: "transcript", Problem: e.Error(), Hint: e.Hint, Err: e.Err}
	}
	return ok
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// JSONProblem words an error of the JSON decoder, and gives its byte offset.
func JSONProblem(err error) (offset int64, cause error) {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return syntax.ByteOffset, ErrCutOff
		}
		return syntax.ByteOffset, errors.New("no valid JSON: " + syntax.Err.Error())
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return 0, ErrCutOff
	}
	if errors.As(err, new(*json.SemanticError)) {
		return 0, errors.New(rawjson.Words(err))
	}
	return 0, err
}

// IsSyntax reports whether an error says that a text is not JSON.
func IsSyntax(err error) bool {
	return errors.As(err, new(*jsontext.SyntacticError)) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

var ErrCutOff = errors.New("the JSON is cut off")
