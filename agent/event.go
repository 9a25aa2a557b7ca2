package agent

import (
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/toolbox"
)

// An Event is a piece of what happens in a run: exactly one of its fields is set,
// Others aside, and Branch, where a sub-agent does it.
type Event struct {
	Branch string
	// Text and Reasoning are what the model has just written, for people who
	// watch. The whole comes as an entry.
	Text, Reasoning string
	// Appended is an entry that the store has taken. With it, Others tells that another
	// program said it in the conversation, while this one answered or before.
	Appended *tenfold.Entry
	Others   bool
	// Running is a call that begins to run; its end is its result, appended.
	Running *Running
	// Output is what a running call has just printed.
	Output *Output
	// Waiting tells that the model is asked again after a while, or the store: Err
	// says which and why.
	Waiting *Waiting
	// Compaction is what the controller decided: Compact where one begins, and how
	// it ended: Compacted, Failed, Exceeded, or GoOn where it came to nothing.
	// Nothing comes where there was nothing to do.
	Compaction *session.Decision
	// Gauge says how full the context is, after each response and compaction.
	Gauge *Gauge
	// Stop ends the run: it is the last event, unless there was an error.
	Stop *Stop
}

// Running is a call that runs.
type Running struct {
	Call   tenfold.ToolCall
	Intent toolbox.Intent
	// Contained tells that it runs in containment.
	Contained bool
}

// Output is a piece of what a call prints.
type Output struct {
	CallID string `json:"call_id,omitzero"`
	Text   string `json:"text"`
}

// Waiting is a wait before the model, or a store that is locked, is asked again.
type Waiting struct {
	Attempt int
	After   time.Duration
	Err     error
}

// A Gauge says how full the context is and what was spent.
type Gauge struct {
	// Tokens is what the next request takes of Window, as far as is known.
	Tokens int `json:"tokens"`
	Window int `json:"window"`
	// Method is where Tokens is from: "reported" by the provider with what came
	// since, or the name of a count (semantics T3).
	Method string `json:"method"`
	// Spent is what the conversation's responses and summaries used, and Dollars
	// what they cost; nil where a price is not known.
	Spent   tenfold.Usage `json:"usage"`
	Dollars *float64      `json:"dollars"`
	// Compactions is how many the conversation had.
	Compactions int `json:"compactions"`
}

// Reported is the method of a gauge that a provider reported.
const Reported = "reported"

// A Reason is why a run ended.
type Reason string

// The reasons.
const (
	// Answered: the model has said what it had to say.
	Answered Reason = "answered"
	// Limited: a limit of steps, tokens, money or time was reached.
	Limited Reason = "limit"
	// Interrupted: the context ended, as with Ctrl-C; what there was is kept.
	Interrupted Reason = "interrupted"
	// Refused: the model or a filter declined.
	Refused Reason = "refused"
	// CutOff: the answer reached its limit of tokens.
	CutOff Reason = "cut off"
	// Exceeded: the context is full and could not be compacted (semantics A6).
	Exceeded Reason = "context exceeded"
)

// A Stop is the end of a run.
type Stop struct {
	Reason Reason `json:"reason"`
	// Detail is fit to be shown: which limit, what a person can do.
	Detail string `json:"detail,omitzero"`
	// Steps is how many responses of a model the run had.
	Steps int `json:"steps"`
}
