// Package agent is a small agent over a log that compacts itself: it sends the
// projection, appends each finished block, runs the calls, and goes on, within
// limits, through compactions, crashes and changes of the model.
package agent

import (
	"time"

	"tenfold/permission"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/toolbox"
)

// Options say how an Agent works. Model is required.
type Options struct {
	Model provider.Model
	// Tools are what the model may call, beside the agent's own: plan, task,
	// compact, recall.
	Tools []toolbox.Tool
	// System is the system prompt; empty is the agent's own.
	System string
	// Judge decides about calls; nil denies all but those that read.
	Judge permission.Judge
	// Approver is asked where the Judge says so; nil is nobody: denied.
	Approver Approver
	// Live says how the conversation is compacted.
	Live   session.Live
	Limits Limits
	// Observe, if set, is given each event before it is yielded, text and
	// reasoning aside; an error of it ends the run. It writes the transcript
	// file.
	Observe func(Event) error
	// Prices are what money is counted by; nil means those that come with the
	// program.
	Prices provider.Prices
}

// Limits bound a run; zero is no limit.
type Limits struct {
	// Steps are responses of the model, those of sub-agents included.
	Steps int
	// Tokens are input and output of all of them, Dollars what they cost.
	Tokens  int
	Dollars float64
	Time    time.Duration
}
