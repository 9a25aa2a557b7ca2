// Package permission decides whether a tool call may run without asking, must be
// asked about, or may not run at all. It runs nothing and asks nobody.
package permission

import "tenfold/toolbox"

// An Action is what is to be done with a call.
type Action string

// The actions.
const (
	Allow Action = "allow"
	Ask   Action = "ask"
	Deny  Action = "deny"
)

// A Verdict is what was decided about a call, and why.
type Verdict struct {
	Action Action
	// Contained has the call run in containment: it is allowed because of that.
	Contained, Network bool
	// Firm has it asked about whatever a rule or a consent allows.
	Firm bool
	// Reason is fit to be shown to a person and to the model.
	Reason string
}

// A Judge decides about calls. It is safe for concurrent use.
type Judge interface {
	// Judge decides about a call of a tool of that name.
	Judge(tool string, intent toolbox.Intent) Verdict
	// Consent takes in that a person allowed such calls for the rest of the
	// session: all edits of the work tree, or this very command or tool.
	Consent(tool string, intent toolbox.Intent)
}
