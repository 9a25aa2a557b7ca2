package tenfold

import "strconv"

// Outcome says how a tool call ended, as far as the record says (semantics L12):
// "success", "error", "exit 2", or nothing where it is unknown. Nothing is called
// a success that is not known to be one.
type Outcome string

// The outcomes beside those of [Exit]. The zero value is unknown.
const (
	Success Outcome = "success"
	Failed  Outcome = "error"
)

// Exit is the outcome of a command that ended with a code.
func Exit(code int) Outcome {
	if code == 0 {
		return Success
	}
	return Outcome("exit " + strconv.Itoa(code))
}

// Ended is how the call ended: the outcome recorded, else the error flag.
func (r ToolResult) Ended() Outcome {
	if r.Outcome == "" && r.IsError {
		return Failed
	}
	return r.Outcome
}
