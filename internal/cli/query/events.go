package query

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/eventlog"
	"tenfold/internal/number"
	"tenfold/internal/takeover"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
)

// queryJSON is the result of a query.
type queryJSON struct {
	Event        string `json:"event"`
	Conversation string `json:"conversation"`
	Model        string `json:"model"`
	// Answer is what the model said last.
	Answer string `json:"answer"`
	// Reason is why the run ended: one of [agent.Reason], or "failed".
	Reason string `json:"reason"`
	Detail string `json:"detail,omitzero"`
	Steps  int    `json:"steps"`
	// Usage is what this run used, sub-agents and summaries included, and Dollars
	// what that cost, null where a price is not known.
	Usage   tenfold.Usage `json:"usage"`
	Dollars *float64      `json:"dollars"`
	// Context is how full the context is, and what the whole conversation used.
	Context  *agent.Gauge `json:"context"`
	Warnings []string     `json:"warnings"`
}

// failedReason is the reason of a run that ended with an error.
const failedReason = "failed"

// An eventPrinter prints the events of a run: the answer to standard output, all
// else in short lines to standard error; or each as JSON.
type eventPrinter struct {
	*command.App
	result queryJSON
	// said tells that the model's text has been printed up to here, open that the
	// line it is on has not ended.
	said, open bool
	unpriced   bool
	cost       float64
	// calls are those that were made; one that was denied has no name.
	calls map[callOf]tenfold.ToolCall
	// under are those of this run that have no result yet, and paused tells that it was said
	// what is waited for: then it is not the model that is silent.
	under  map[callOf]bool
	paused bool
}

// callOf names a call: ids are unique within a branch, if at all.
type callOf struct{ branch, id string }

// event prints one.
func (p *eventPrinter) event(e agent.Event) error {
	defer p.note(e)
	if p.JSON {
		line, err := eventlog.Append(nil, e)
		if err != nil {
			return err
		}
		p.EmitLine(line)
		return p.Flush()
	}
	switch {
	case e.Text != "" && e.Branch == "":
		p.say(e.Text)
		p.said = true
		return p.Flush()
	case e.Appended != nil && !e.Others:
		p.appended(e.Branch, *e.Appended)
	case e.Running != nil:
		p.line(e.Branch, "• "+terminal.CallLine("", e.Running.Call.Name, terminal.Excerpt(e.Running.Intent.Subject, 200)))
	case e.Waiting != nil:
		why := "the model does not answer"
		if e.Waiting.Err != nil {
			why = command.Explain(e.Waiting.Err).Error()
		}
		p.line(e.Branch, "waiting "+e.Waiting.After.Round(100*time.Millisecond).String()+": "+why)
	case e.Compaction != nil:
		p.compaction(e.Branch, *e.Compaction)
	}
	return p.Flush()
}

// note keeps what the result holds.
func (p *eventPrinter) note(e agent.Event) {
	p.paused = e.Waiting != nil || e.Compaction != nil && e.Compaction.Action == session.Compact
	switch {
	case e.Gauge != nil && e.Branch == "":
		p.result.Context = e.Gauge
	case e.Stop != nil:
		p.result.Reason, p.result.Detail, p.result.Steps = string(e.Stop.Reason), e.Stop.Detail, e.Stop.Steps
	case e.Compaction != nil && (e.Compaction.Action == session.Failed || e.Compaction.Action == session.Exceeded):
		p.result.Warnings = append(p.result.Warnings, failureOf(*e.Compaction))
	}
	if e.Appended == nil || e.Others {
		return
	}
	switch payload := e.Appended.Payload.(type) {
	case tenfold.AssistantMessage:
		if e.Branch == "" {
			p.result.Answer += payload.Text
		}
	case tenfold.ToolCall:
		call := callOf{e.Branch, payload.CallID}
		p.calls[call], p.under[call] = payload, true
		if e.Branch == "" { // it was said on the way
			p.result.Answer = ""
		}
	case tenfold.ToolResult:
		delete(p.under, callOf{e.Branch, payload.CallID})
	case tenfold.Usage:
		p.pay(payload.Model, payload)
	case tenfold.CompactionFailed:
		if u := payload.Usage; u != nil {
			p.pay(u.Model, *u)
		}
	case tenfold.Compaction:
		if s := payload.Summary; s != nil && s.Usage != nil {
			p.pay(cmp.Or(s.Usage.Model, s.Model), *s.Usage)
		}
	}
}

// silent tells who is waited for, unless that is a call.
func (p *eventPrinter) silent() {
	switch {
	case len(p.under) > 0 || p.paused:
	case command.IsServer(p.URL()): // which may be away: what was said is stored there first
		p.line("", "waiting for "+p.result.Model+" or the server of the store: nothing has come for "+silentAfter.String())
	default:
		p.line("", "waiting for "+p.result.Model+", which has said nothing for "+silentAfter.String())
	}
}

// pay adds what a model used.
func (p *eventPrinter) pay(model string, used tenfold.Usage) {
	u := &p.result.Usage
	u.Input, u.Output = u.Input+used.Input, u.Output+used.Output
	u.CacheRead, u.CacheWrite = u.CacheRead+used.CacheRead, u.CacheWrite+used.CacheWrite
	dollars, known := provider.Cost(model, used)
	p.cost, p.unpriced = p.cost+dollars, p.unpriced || !known
}

// say prints what the model writes.
func (p *eventPrinter) say(text string) {
	p.Printf("%s", terminal.Visible(text))
	p.open = !strings.HasSuffix(text, "\n")
}

// closeLine ends the line that the model's text is on.
func (p *eventPrinter) closeLine() {
	if p.open {
		p.Printf("\n")
		p.open = false
	}
}

// line prints a short line beside the answer.
func (p *eventPrinter) line(branch, text string) {
	p.closeLine()
	if branch != "" {
		text = branch + ": " + text
	}
	p.Noticef("%s", terminal.VisibleLine(text))
}

func (p *eventPrinter) appended(branch string, e tenfold.Entry) {
	switch payload := e.Payload.(type) {
	case tenfold.AssistantMessage:
		if branch != "" {
			return
		}
		if !p.said {
			p.say(payload.Text)
		}
		p.said = false
		p.closeLine()
	case tenfold.ToolResult:
		if ended, name := payload.Ended(), p.calls[callOf{branch, payload.CallID}].Name; ended.Bad() && name != "" {
			p.line(branch, "  "+name+": "+string(ended)+lastLine(payload))
		}
	case tenfold.Approval:
		if payload.State == tenfold.ApprovalDenied {
			p.denied(callOf{branch, payload.CallID}, payload.Reason)
		}
	}
}

// denied says which call was denied and why, and which rule would allow it: where another
// agent's tool is called, the rule is for the one that does the same here.
func (p *eventPrinter) denied(call callOf, reason string) {
	c := p.calls[call]
	line := "denied " + c.Name
	if reason != "" {
		line += ": " + reason
	}
	if strings.HasPrefix(reason, agent.Unasked+": ") {
		rule := c
		if mapped, err := takeover.Alias(c); err == nil {
			rule = mapped
		}
		line += "; --allow " + rule.Name + " allows it"
	}
	p.line(call.branch, line)
	p.calls[call] = tenfold.ToolCall{}
}

// lastLine is the last line that a result says anything in, with what the tool says
// behind it; the exit code is the outcome.
func lastLine(r tenfold.ToolResult) string {
	lines := strings.Split(strings.TrimSpace(tenfold.SearchText(r)), "\n")
	notes := ""
	last := len(lines) - 1
	for ; last > 0 && strings.HasPrefix(lines[last], "[") && strings.HasSuffix(lines[last], "]"); last-- {
		if !strings.HasPrefix(lines[last], "[exit code ") {
			notes = " " + terminal.Excerpt(lines[last], 200) + notes
		}
	}
	text := lines[last]
	if text == "" {
		return ""
	}
	return ": " + terminal.Excerpt(text, 200) + notes
}

// failureOf says why a compaction failed, and what a person can do.
func failureOf(d session.Decision) string {
	reason, hint := d.Why()
	return strings.TrimSuffix(reason+"; "+hint, "; ")
}

func (p *eventPrinter) compaction(branch string, d session.Decision) {
	switch d.Action {
	case session.Compact:
		if !d.Micro {
			p.line(branch, d.Told()+": "+d.Reason)
		}
	case session.Compacted:
		p.line(branch, d.Told()+`; "tenfold conversation undo" puts it back`)
	case session.Failed, session.Exceeded:
		p.closeLine()
		p.Warn(failureOf(d))
	}
}

// finish prints the result of a run that ended, with an error or without. One
// that did not end with an answer is a failure.
func (p *eventPrinter) finish(failure error) error {
	p.closeLine()
	r := &p.result
	switch {
	case failure != nil:
		r.Reason, r.Detail = failedReason, command.Explain(failure).Error()
	case r.Reason == string(agent.Answered) && r.Steps == 0: // nothing was asked, and nothing had stopped
		return command.Usage("tenfold query requires a MESSAGE: the conversation has nothing to go on with", "write one, or pipe it in")
	case r.Reason != string(agent.Answered):
		stopped := &problem.Error{
			Code: strings.ReplaceAll(r.Reason, " ", "_"), Problem: "no answer: " + r.Reason,
			Hint: hintOf(agent.Reason(r.Reason)),
		}
		if failure = stopped; r.Detail != "" {
			stopped.Problem += ": " + r.Detail
		}
	}
	if r.Usage != (tenfold.Usage{}) && !p.unpriced {
		r.Dollars = &p.cost
	}
	r.Warnings = append(p.Held(""), r.Warnings...)
	if p.JSON {
		return errors.Join(failure, p.Emit(r))
	}
	p.summary()
	return failure
}

// hintOf says what to do after a run that ended so.
func hintOf(reason agent.Reason) string {
	switch reason {
	case agent.Refused:
		return "what was done is kept; ask in other words, or another model with --model"
	case agent.Exceeded:
		return "what was done is kept; begin another conversation with --new"
	}
	return `what was done is kept, and "tenfold query" goes on with it`
}

// summary is the last line: how full the context is, and what this run cost.
func (p *eventPrinter) summary() {
	if r := p.result; r.Reason == string(agent.Answered) && r.Detail != "" {
		p.Warn(r.Detail)
	}
	parts := []string{number.Count(p.result.Steps, "step")}
	if g := p.result.Context; g != nil {
		text := number.Thousands(g.Tokens) + " tokens"
		if g.Window > 0 {
			text = number.Thousands(g.Tokens) + " of " + number.Thousands(g.Window) + " tokens (" + strconv.Itoa(int(100*float64(g.Tokens)/float64(g.Window))) + " %)"
		}
		parts = append(parts, "context "+text)
	}
	if d := p.result.Dollars; d != nil {
		parts = append(parts, "$"+strconv.FormatFloat(*d, 'f', 4, 64))
	}
	p.Noticef("%s", strings.Join(parts, ", "))
}

// asking asks a person on the terminal about calls, one after the other.
type asking struct {
	*command.App
	turn sync.Mutex
}

// mostAsked is how many lines of a call a person is shown who is asked about it. A longer
// call cannot be allowed for the rest of the session.
const mostAsked = 100

// Approve implements [agent.Approver].
func (k *asking) Approve(ctx context.Context, q agent.Question) (agent.Answer, error) {
	k.turn.Lock() // whose turn it is stops waiting with ctx, as it is one run's
	defer k.turn.Unlock()
	if ctx.Err() != nil {
		return agent.Answer{}, ctx.Err()
	}
	if q.Reason != "" {
		k.Note("", terminal.VisibleLine(q.Reason))
	}
	keys, always := "[y/N, a to always allow such calls in this session] ", !q.Firm
	if whole := strings.TrimSpace(q.Detail()); whole != q.Intent.Subject { // what that leaves out could be what matters
		lines := strings.Split(terminal.Visible(whole), "\n")
		for _, line := range lines[:min(len(lines), mostAsked)] {
			k.Note("  │ ", line)
		}
		if over := len(lines) - mostAsked; over > 0 {
			k.Note("", "… and "+number.Count(over, "line")+" that are not shown")
			always = false
		}
	}
	if !always {
		keys = "[y/N] "
	}
	for {
		said, err := k.Ask(ctx, "Allow "+terminal.CallLine(q.Branch, q.Call.Name, q.Intent.Subject)+"? "+keys)
		switch {
		case errors.Is(err, io.EOF):
			return agent.Answer{}, errors.New("no answer was given")
		case err != nil:
			return agent.Answer{}, err
		}
		switch said {
		case "y", "yes":
			return agent.Answer{Allowed: true}, nil
		case "a", "always":
			if always {
				return agent.Answer{Allowed: true, Always: true}, nil
			}
		case "", "n", "no":
			return agent.Answer{}, nil
		}
	}
}
