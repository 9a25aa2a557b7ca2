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
	finish := func(i int, entries []tenfold.Entry, err error) {
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
			entries, err := w.answerCall(ctx, j)
			finish(i, entries, err)
			continue
		}
		group.Go(func() {
			places <- struct{}{}
			entries, err := w.answerCall(ctx, j)
			<-places
			finish(i, entries, err)
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
	var began []bool
	for _, seq := range p.open {
		e, _ := log.Entry(seq)
		call, _ := e.Payload.(tenfold.ToolCall)
		jobs = append(jobs, job{seq: seq, call: call, mapped: call})
		began = append(began, p.began[call.CallID] || seq < since)
	}
	w.mu.Unlock()
	for i := range jobs {
		j := &jobs[i]
		if w.resolveCall(j); began[i] && (j.refused != "" || j.seq < since || alone(*j)) {
			j.refused = unfinished
		}
	}
	return jobs
}

// unfinished answers a call of which it is not known whether it was run.
const unfinished = "Interrupted: the program that ran the call ended before it did, or still runs it. It may have run, in part or whole. Look at what it changed before you repeat it."

// resolveCall finds the tool of a call, and what the call would do.
func (w *worker) resolveCall(j *job) {
	t, ok := w.tools[j.call.Name]
	if !ok && w.options.Alias != nil {
		mapped, err := w.options.Alias(j.call)
		if err != nil {
			j.refused = problem.ForModel(err)
			return
		}
		j.mapped, j.mapped.CallID = mapped, j.call.CallID
		t, ok = w.tools[mapped.Name]
	}
	if !ok {
		j.refused = w.unknownTool(j.call.Name)
		return
	}
	if j.tool = t; w.options.NoTools {
		j.refused = "Tools may not be called in this run. Answer without them."
		return
	}
	defer func() {
		if p := recover(); p != nil {
			j.refused = fmt.Sprintf("the tool failed: %v", p)
		}
	}()
	intent, err := t.Intent(j.mapped.Arguments)
	if err != nil && w.options.Alias != nil && j.mapped.Name == j.call.Name {
		// Another agent's tool may have the name of one that is here.
		if mapped, other := w.options.Alias(j.call); other == nil && w.tools[mapped.Name] != nil {
			j.tool, j.mapped, j.mapped.CallID = w.tools[mapped.Name], mapped, j.call.CallID
			intent, err = j.tool.Intent(mapped.Arguments)
		}
	}
	if err != nil {
		j.refused = problem.ForModel(err)
	}
	j.intent = intent
}

func (w *worker) unknownTool(name string) string {
	names := make([]string, len(w.declared))
	for i, d := range w.declared {
		names[i] = d.Name
	}
	text := fmt.Sprintf("There is no tool %q. ", name[:min(len(name), 100)])
	if near := problem.Nearest(name, names); near != "" {
		return text + "Did you mean " + near + "?"
	}
	return text + "The tools are: " + strings.Join(names, ", ") + "."
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
		entries = append(entries, w.interrupted(call, text))
	}
	return entries
}

// answerCall decides about a call, runs it, and gives what to append. An error is
// one of the store.
func (w *worker) answerCall(ctx context.Context, j job) ([]tenfold.Entry, error) {
	if j.refused != "" {
		return w.result(j, failure(j.refused)), nil
	}
	if over(ctx) {
		return []tenfold.Entry{w.interrupted(j.call, notRun)}, nil
	}
	verdict, denied, err := w.decide(ctx, j)
	switch {
	case errors.Is(err, errTaken):
		return []tenfold.Entry{}, nil // the log says what became of it, or the next look at it does
	case err != nil:
		return nil, err
	case over(ctx):
		return []tenfold.Entry{w.interrupted(j.call, notRun)}, nil
	case denied != "":
		return w.result(j, failure("Denied: "+denied)), nil
	}
	w.emit(Event{Branch: w.branch, Running: &Running{Call: j.call, Intent: j.intent, Contained: verdict.Contained}})
	result, err := w.perform(ctx, j, verdict)
	if err != nil {
		return nil, err
	}
	return w.result(j, result), nil
}

// errTaken says that another program, which goes on with the same conversation, has
// answered a call or runs it.
var errTaken = errors.New("another program has taken the call")

// decide decides whether a call may run. Decisions about what changes something are
// in the log before it runs, so that after a crash it is known what may have run.
func (w *worker) decide(ctx context.Context, j job) (v permission.Verdict, denied string, err error) {
	free := !alone(j)
	v = permission.Verdict{Action: permission.Deny, Reason: "no permission is given"}
	if free {
		v = permission.Verdict{Action: permission.Allow}
	}
	if w.options.Judge != nil {
		v = w.judge(j)
	}
	note := func(state tenfold.ApprovalState, reason string) error {
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
	switch v.Action {
	case permission.Allow:
		if !free {
			err = note(tenfold.ApprovalGranted, v.Reason)
		}
		return v, "", err
	case permission.Ask:
		return w.approve(ctx, j, v, note)
	}
	denied = cmp.Or(v.Reason, "it is not allowed")
	return v, denied, note(tenfold.ApprovalDenied, denied)
}

// Unasked begins the reason of a denial for want of somebody to ask; a colon follows
// where a rule would allow the call.
const Unasked = "it requires approval, and no one is there to give it"

// approve asks a person.
func (w *worker) approve(ctx context.Context, j job, v permission.Verdict, note func(tenfold.ApprovalState, string) error) (permission.Verdict, string, error) {
	if w.options.Approver == nil {
		why := cmp.Or(v.Reason, "no reason is given")
		denied := Unasked + ": " + why
		if v.Firm {
			denied = Unasked + ", whatever is allowed: " + why
		}
		return v, denied, note(tenfold.ApprovalDenied, denied)
	}
	if err := note(tenfold.ApprovalRequested, v.Reason); err != nil {
		return v, "", err
	}
	answer, err := w.askPerson(ctx, Question{Branch: w.branch, Call: j.call, Intent: j.intent, Firm: v.Firm, Reason: v.Reason})
	switch {
	case over(ctx):
		return v, "", nil
	case err != nil:
		// The entry says no more: its reason is what a person said.
		return v, "asking the user failed: " + err.Error(), note(tenfold.ApprovalDenied, "")
	case !answer.Allowed:
		denied := "the user does not want it"
		if answer.Reason != "" {
			denied = "the user says: " + answer.Reason
		}
		return v, denied, note(tenfold.ApprovalDenied, answer.Reason)
	}
	if answer.Always && w.options.Judge != nil {
		w.options.Judge.Consent(j.mapped.Name, j.intent)
	}
	return v, "", note(tenfold.ApprovalGranted, answer.Reason)
}

// judge asks the Judge, and askPerson the Approver: where they panic, a call is denied. It is
// decided in a goroutine of the agent's, whose panic no caller could recover from.
func (w *worker) judge(j job) (v permission.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = permission.Verdict{Action: permission.Deny, Reason: fmt.Sprintf("deciding about it failed: %v", p)}
		}
	}()
	return w.options.Judge.Judge(j.mapped.Name, j.intent)
}

// hidden tells of a file that a call would find whether the call were denied that named it;
// nil where nobody denies any.
func (w *worker) hidden(j job) func(path string) bool {
	if w.options.Judge == nil {
		return nil
	}
	return func(path string) bool {
		one := j
		one.intent.Paths = []string{path}
		return w.judge(one).Action == permission.Deny
	}
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
	call := toolbox.Call{
		ID: j.call.CallID, Arguments: j.mapped.Arguments, Contained: v.Contained, Network: v.Network,
		Hidden: w.hidden(j),
		Output: func(text string) {
			if text != "" {
				w.emit(Event{Branch: w.branch, Output: &Output{CallID: j.call.CallID, Text: text}})
			}
		},
	}
	if inner, ok := j.tool.(ownTool); ok {
		return inner.run(ctx, w, j, call)
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
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case e = <-done:
		case <-late.C:
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

func (w *worker) interrupted(call tenfold.ToolCall, text string) tenfold.Entry {
	return tenfold.Entry{Branch: w.branch, Payload: tenfold.ToolResult{CallID: call.CallID, Parts: tenfold.Text(text), IsError: true, Outcome: tenfold.Failed}}
}

func failure(text string) toolbox.Result {
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Failed}
}

// result makes the entry of a result, and counts it while others still run.
func (w *worker) result(j job, r toolbox.Result) []tenfold.Entry {
	parts := bounded(r.Parts)
	if !slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || strings.TrimSpace(p.Text) != "" }) {
		parts = tenfold.Text("(no output)")
	}
	result := tenfold.ToolResult{CallID: j.call.CallID, Parts: parts, Outcome: r.Outcome, IsError: r.Outcome == tenfold.Failed}
	w.mu.Lock()
	counter := w.session.Log().Counter()
	w.mu.Unlock()
	return []tenfold.Entry{{Branch: w.branch, Payload: result, Tokens: tenfold.CountPayload(counter, result)}}
}
