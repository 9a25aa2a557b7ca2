package tenfold

import (
	"strconv"
	"strings"
)

// Outcome says how a tool call ended, as far as the record says (semantics L12):
// "success", "error", "exit 2", or nothing where it is unknown. Nothing is called
// a success that is not known to be one.
type Outcome string

// The outcomes beside those of [Exit]. The zero value is unknown.
const (
	Success Outcome = "success"
	Failed  Outcome = "error"
)

// exitWord stands before the code in the outcome of a command.
const exitWord = "exit "

// Exit is the outcome of a command that ended with a code.
func Exit(code int) Outcome {
	if code == 0 {
		return Success
	}
	return Outcome(exitWord + strconv.Itoa(code))
}

// Code is the exit code, where the outcome is one of [Exit] that is not zero.
func (o Outcome) Code() (code int, ok bool) {
	text, ok := strings.CutPrefix(string(o), exitWord)
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(text)
	return code, err == nil && code != 0
}

// Bad reports whether the call is known not to have succeeded.
func (o Outcome) Bad() bool { return o != "" && o != Success }

// Ended is how the call ended: the outcome recorded, else the error flag.
func (r ToolResult) Ended() Outcome {
	if r.Outcome == "" && r.IsError {
		return Failed
	}
	return r.Outcome
}
