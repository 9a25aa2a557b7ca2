package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tenfold"
	"tenfold/permission"
	"tenfold/problem"
	"tenfold/toolbox"
)

// maxAtOnce is how many calls run at once.
const maxAtOnce = 8

// job is a call to be answered.
type job struct {
	seq    int64
	call   tenfold.ToolCall // as the log has it
	mapped tenfold.ToolCall // as the tools here know it
	tool   toolbox.Tool
	intent toolbox.Intent
	began  bool // as far as is known, by a program that died
	// refused is the answer where it cannot be run.
	refused string
}

// calls answers the open calls of the branch: those that look at things at once,
// those that change something one after the other, in order. Results come into
// the log in the order of the calls, each as soon as those before it are there.
func (w *worker) calls() error {
	jobs := w.openJobs()
	ctx, stop := context.WithCancel(w.ctx)
	defer stop()
	var (
		mu     sync.Mutex
		ready  = make([][]tenfold.Entry, len(jobs))
		next   int
		failed error
		group  sync.WaitGroup
		places = make(chan struct{}, maxAtOnce)
	)
	answer := func(i int) {
		result, err := w.answerCall(ctx, jobs[i])
		var entries []tenfold.Entry
		switch {
		case errors.Is(err, errTaken): // the log says what became of it, or the next look at it does
			entries, err = []tenfold.Entry{}, nil
		case err == nil:
			entries = []tenfold.Entry{w.result(jobs[i].call, result)}
		}
		mu.Lock()
		defer mu.Unlock()
		ready[i] = entries
		for failed == nil && next < len(jobs) && ready[next] != nil {
			failed = w.append(w.trimmed(jobs[next], ready[next])...)
			next++
		}
		if failed = errors.Join(failed, err); failed != nil {
			stop()
		}
	}
	for i, j := range jobs {
		if alone(j) {
			group.Wait()
			answer(i)
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			answer(i)
			<-places
		})
	}
	group.Wait()
	return failed
}

// alone tells whether a call is run while no other is.
func alone(j job) bool {
	return j.refused == "" && j.intent.Effect != toolbox.Reads && j.intent.Effect != toolbox.Converses
}

// openJobs looks at the open calls. What may have been run before, by a program that
// died, is refused: a call runs once at most. That is known of calls whose running
// was not decided, and it does not matter of those that only look at something.
func (w *worker) openJobs() []job {
	w.mu.Lock()
	p, since, log := w.past.at(w.branch), w.past.since, w.session.Log()
	jobs := make([]job, 0, len(p.open))
	for _, seq := range p.open {
		e, _ := log.Entry(seq)
		call, _ := e.Payload.(tenfold.ToolCall)
		jobs = append(jobs, job{seq: seq, call: call, mapped: call, began: p.began[call.CallID] || seq < since})
	}
	w.mu.Unlock()
	for i := range jobs {
		j := &jobs[i]
		if w.resolveCall(j); j.began && (j.refused != "" || j.seq < since || alone(*j)) {
			j.refused = unfinished
		}
	}
	return jobs
}

// unfinished answers a call of which it is not known whether it was run.
const unfinished = "Interrupted: the program that ran the call ended before it did, or still runs it. It may have run, in part or whole. Look at what it changed before you repeat it."

// resolveCall finds the tool of a call, and what the call would do.
func (w *worker) resolveCall(j *job) {
	err := w.intend(j, j.call)
	if err != nil && w.options.Alias != nil { // another agent's tool may have the name of one that is here
		mapped, other := w.options.Alias(j.call)
		switch {
		case other == nil && w.tools[mapped.Name] != nil:
			err = w.intend(j, mapped)
		case other != nil && j.tool == nil:
			err = other
		}
	}
	switch {
	case j.tool != nil && w.options.NoTools:
		j.refused = "Tools may not be called in this run. Answer without them."
	case err != nil:
		j.refused = problem.ForModel(err)
	}
}

// intend has the tool of a call say what it would do.
func (w *worker) intend(j *job, c tenfold.ToolCall) (err error) {
	t := w.tools[c.Name]
	if t == nil {
		return w.unknownTool(c.Name)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool failed: %v", p)
		}
	}()
	j.tool, j.mapped = t, c
	j.intent, err = t.Intent(c.Arguments)
	return err
}

func (w *worker) unknownTool(name string) error {
	names := make([]string, len(w.declared))
	for i, d := range w.declared {
		names[i] = d.Name
	}
	text := fmt.Sprintf("There is no tool %q. ", name[:min(len(name), 100)])
	if near := problem.Nearest(name, names); near != "" {
		return errors.New(text + "Did you mean " + near + "?")
	}
	return errors.New(text + "The tools are: " + strings.Join(names, ", ") + ".")
}

// closeCalls answers the open calls of the branch without running them.
func (w *worker) closeCalls() error {
	return w.appendOf(w.answerOpenCalls)
}

// answerOpenCalls answers the open calls of the branch: as interrupted where they may have been
// run, else as not run. It is called with the lock held.
func (w *worker) answerOpenCalls() []tenfold.Entry {
	p := w.past.at(w.branch)
	entries := make([]tenfold.Entry, 0, len(p.open)+3)
	for _, seq := range p.open {
		e, _ := w.session.Log().Entry(seq)
		call, _ := e.Payload.(tenfold.ToolCall)
		text := notRun
		if p.began[call.CallID] || seq < w.past.since || w.past.branches[w.branchOf(seq)] != nil {
			text = unfinished
		}
		entries = append(entries, w.result(call, failure(text)))
	}
	return entries
}

// answerCall decides about a call, and runs it. An error is one of the store, or
// errTaken.
func (w *worker) answerCall(ctx context.Context, j job) (toolbox.Result, error) {
	if j.refused != "" {
		return failure(j.refused), nil
	}
	if over(ctx) {
		return failure(notRun), nil
	}
	verdict, denied, err := w.decide(ctx, j)
	switch {
	case err != nil:
		return toolbox.Result{}, err
	case over(ctx):
		return failure(notRun), nil
	case denied != "":
		return failure("Denied: " + denied), nil
	}
	w.emit(Event{Branch: w.branch, Running: &Running{Call: j.call, Intent: j.intent, Contained: verdict.Contained}})
	return w.perform(ctx, j, verdict)
}

// errTaken says that another program, which goes on with the same conversation, has
// answered a call or runs it.
var errTaken = errors.New("another program has taken the call")

// decide decides whether a call may run. Decisions about what changes something are
// in the log before it runs, so that after a crash it is known what may have run.
func (w *worker) decide(ctx context.Context, j job) (v permission.Verdict, denied string, err error) {
	switch v = w.judge(j); v.Action {
	case permission.Allow:
		if alone(j) {
			err = w.note(j, tenfold.ApprovalGranted, v.Reason)
		}
	case permission.Ask:
		denied, err = w.approve(ctx, j, v)
	default:
		denied = cmp.Or(v.Reason, "it is not allowed")
		err = w.note(j, tenfold.ApprovalDenied, denied)
	}
	return v, denied, err
}

// note puts a decision about a call into the log.
func (w *worker) note(j job, state tenfold.ApprovalState, reason string) error {
	taken := false
	err := w.appendOf(func() []tenfold.Entry {
		p := w.past.at(w.branch)
		if taken = !slices.Contains(p.open, j.seq) || p.began[j.call.CallID]; taken {
			return nil
		}
		return []tenfold.Entry{{Branch: w.branch, Payload: tenfold.Approval{State: state, CallID: j.call.CallID, Reason: reason}}}
	})
	if err == nil && taken {
		return errTaken
	}
	return err
}

// Unasked begins the reason of a denial for want of somebody to ask; a colon follows
// where a rule would allow the call.
const Unasked = "it requires approval, and no one is there to give it"

// approve asks a person.
func (w *worker) approve(ctx context.Context, j job, v permission.Verdict) (denied string, err error) {
	if w.options.Approver == nil {
		denied = Unasked
		if v.Firm {
			denied += ", whatever is allowed"
		}
		denied += ": " + cmp.Or(v.Reason, "no reason is given")
		return denied, w.note(j, tenfold.ApprovalDenied, denied)
	}
	if err := w.note(j, tenfold.ApprovalRequested, v.Reason); err != nil {
		return "", err
	}
	answer, err := w.askPerson(ctx, Question{Branch: w.branch, Call: j.call, Intent: j.intent, Firm: v.Firm, Reason: v.Reason})
	switch {
	case over(ctx):
		return "", nil
	case err != nil:
		// The entry says no more: its reason is what a person said.
		return "asking the user failed: " + err.Error(), w.note(j, tenfold.ApprovalDenied, "")
	case !answer.Allowed:
		denied = "the user does not want it"
		if answer.Reason != "" {
			denied = "the user says: " + answer.Reason
		}
		return denied, w.note(j, tenfold.ApprovalDenied, answer.Reason)
	}
	if answer.Always && w.options.Judge != nil {
		w.options.Judge.Consent(j.mapped.Name, j.intent)
	}
	return "", w.note(j, tenfold.ApprovalGranted, answer.Reason)
}

// judge asks the Judge, and askPerson the Approver: where they panic, a call is denied. It is
// decided in a goroutine of the agent's, whose panic no caller could recover from.
func (w *worker) judge(j job) (v permission.Verdict) {
	switch {
	case w.options.Judge == nil && alone(j):
		return permission.Verdict{Action: permission.Deny, Reason: "no permission is given"}
	case w.options.Judge == nil:
		return permission.Verdict{Action: permission.Allow}
	}
	defer func() {
		if p := recover(); p != nil {
			v = permission.Verdict{Action: permission.Deny, Reason: fmt.Sprintf("deciding about it failed: %v", p)}
		}
	}()
	return w.options.Judge.Judge(j.mapped.Name, j.intent)
}

func (w *worker) askPerson(ctx context.Context, q Question) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{}, fmt.Errorf("%v", p)
		}
	}()
	return w.options.Approver.Approve(ctx, q)
}

// grace is how long a call may take to end once it is told to.
const grace = 5 * time.Second

// perform runs a call, within its time. A tool that panics, or does not end, is an
// answer like any other. An error is one of the store.
func (w *worker) perform(ctx context.Context, j job, v permission.Verdict) (toolbox.Result, error) {
	if own, ok := j.tool.(ownTool); ok {
		return own.run(ctx, w, j)
	}
	call := toolbox.Call{
		ID: j.call.CallID, Arguments: j.mapped.Arguments, Contained: v.Contained, Network: v.Network,
		Hidden: func(path string) bool { // whether the call were denied that named it
			one := j
			one.intent.Paths = []string{path}
			return w.judge(one).Action == permission.Deny
		},
		Output: func(text string) {
			if text != "" {
				w.emit(Event{Branch: w.branch, Output: &Output{CallID: j.call.CallID, Text: text}})
			}
		},
	}
	limit := w.options.Limits.Call
	inner, stop := context.WithTimeout(ctx, limit)
	defer stop()
	type ended struct {
		result toolbox.Result
		err    error
	}
	done := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if p := recover(); p != nil {
				e = ended{err: fmt.Errorf("the tool failed: %v", p)}
			}
			done <- e
		}()
		e.result, e.err = j.tool.Run(inner, call)
	}()
	var e ended
	select {
	case e = <-done:
	case <-inner.Done():
		select {
		case e = <-done:
		case <-time.After(grace):
			e.err = errors.New("it did not end when it was told to, and may go on")
		}
	}
	switch {
	case over(ctx):
		text := "Interrupted while it ran."
		if said := tenfold.SearchText(tenfold.ToolResult{Parts: e.result.Parts}); said != "" {
			text += " Until then:\n" + said
		}
		return failure(text), nil
	case e.err != nil && inner.Err() != nil:
		return failure(fmt.Sprintf("Stopped: it took longer than %v. %s", limit, problem.ForModel(e.err))), nil
	case e.err != nil:
		return failure(problem.ForModel(e.err)), nil
	}
	return e.result, nil
}

// over tells that nobody waits for the results of calls any more.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// notRun answers a call that was not begun.
const notRun = "Interrupted before it was run."

func failure(text string) toolbox.Result {
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Failed}
}

// result makes the entry of a result, and counts it while others still run.
func (w *worker) result(call tenfold.ToolCall, r toolbox.Result) tenfold.Entry {
	parts := bounded(r.Parts)
	if !slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || strings.TrimSpace(p.Text) != "" }) {
		parts = tenfold.Text("(no output)")
	}
	result := tenfold.ToolResult{CallID: call.CallID, Parts: parts, Outcome: r.Outcome, IsError: r.Outcome == tenfold.Failed}
	return tenfold.Entry{Branch: w.branch, Payload: result, Tokens: tenfold.CountPayload(w.counter, result)}
}
