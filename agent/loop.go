package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tenfold"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/trigger"
)

// worker goes through the steps of one branch: the root, or a sub-agent's.
type worker struct {
	*run

	ctx    context.Context //nolint:containedctx // a run's, or that of the call which began the sub-agent
	branch string
	depth  int
	// large tells that the provider called the request too large, and that a
	// compaction answered it; broken counts responses in a row that did not end.
	large  bool
	broken int
	most   int // tokens of an answer, where the provider said so
	// wish is that of a sub-agent's model to be compacted.
	wish atomic.Pointer[session.Wish]
}

// maxBroken is how many responses in a row may break off before the run ends.
const maxBroken = 3

// What the model is told in a notice.
const (
	cutOffNotice      = "[The answer above was cut off. Go on from where it stops, without repeating it.]"
	lengthNotice      = "[The answer above reached the limit of its length. Go on from where it stops, without repeating it.]"
	interruptedNotice = "[The answer was interrupted by the user.]"
	timeNotice        = "[The answer was stopped: a limit of time was reached.]"
	laterNotice       = "[Results of calls came after the text above was written. Go on from here.]"
)

// work goes from state to state until there is a reason to stop.
func (w *worker) work() (Stop, error) {
	for {
		state := w.state()
		if stop := w.ended(w.ctx); stop != nil {
			return *stop, w.leaveResumable(state)
		}
		var stop *Stop
		var err error
		switch state {
		case Asked:
			if stop = w.reachedLimit(); stop == nil {
				stop, err = w.step()
			}
		case Answering:
			err = w.append(w.notice(cutOffNotice))
		case Calling:
			err = w.calls()
		case Empty, Said:
			stop = &Stop{Reason: Answered}
		}
		if stop != nil || err != nil {
			if err != nil && w.ctx.Err() != nil && provider.KindOf(err) == "" && errors.Is(err, w.ctx.Err()) {
				continue // the error is that the context ended
			}
			stop = cmp.Or(stop, &Stop{})
			return *stop, err
		}
	}
}

// leaveResumable leaves the branch so that the next run can go on: calls are answered, and a
// notice stands behind an answer that was cut off.
func (w *worker) leaveResumable(state State) error {
	switch state {
	case Calling:
		return w.calls()
	case Answering:
		return w.append(w.notice(w.brokenOff()))
	}
	return nil
}

// brokenOff tells the model why its answer broke off.
func (w *worker) brokenOff() string {
	switch {
	case w.ctx.Err() == nil:
		return cutOffNotice
	case errors.Is(context.Cause(w.ctx), errTime):
		return timeNotice
	}
	return interruptedNotice
}

func (w *worker) notice(text string) tenfold.Entry {
	return tenfold.Entry{Branch: w.branch, Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: tenfold.Notice, Synthetic: true}}
}

// step compacts if it is time to, and has the model answer once. A stop is given
// where there is a reason for one.
func (w *worker) step() (*Stop, error) {
	if stop, err := w.consultController(); stop != nil || err != nil || w.state() != Asked {
		return stop, err // another program may have answered meanwhile
	}
	if w.answered() {
		return nil, w.append(w.notice(laterNotice))
	}
	end, err := w.answer()
	if w.branch == "" && (end != "" || err == nil) {
		w.emitGauge()
		w.prepare()
	}
	switch kind := provider.KindOf(err); {
	case err == nil:
		w.large, w.broken = false, 0
	case w.ctx.Err() != nil:
		return nil, err
	case kind == provider.TooLarge && w.state() == Asked:
		return w.tooLarge(err)
	case kind == provider.Invalid && w.most == 0 && provider.MaxOutput(err) > 0:
		w.most = provider.MaxOutput(err)
		return nil, nil
	case kind == provider.Refused:
		return &Stop{Reason: Refused, Detail: err.Error()}, w.closeCalls()
	case errors.Is(err, errBroken) && w.broken < maxBroken:
		w.broken++
		if waited, over := w.retry().Pause(w.ctx, w.broken, err); waited {
			return nil, over
		}
		return nil, err
	default:
		return nil, err
	}
	switch s := w.state(); end {
	case provider.StopLength:
		if s == Calling { // calls that were made before are run first
			return nil, nil
		}
		return &Stop{Reason: CutOff, Detail: "the answer reached its limit of tokens"}, w.append(w.notice(lengthNotice))
	case provider.StopRefused:
		return &Stop{Reason: Refused, Detail: "the model, or a filter of its provider, declined to go on"}, w.closeCalls()
	case provider.StopEnd, provider.StopTools:
		if s == Asked || s == Said && strings.TrimSpace(w.lastResponse()) == "" { // it said nothing at all
			return &Stop{Reason: Answered, Detail: "the answer was empty"}, nil
		}
	}
	return nil, nil
}

// answered tells that the view ends with what a model said, though something waits for an
// answer: it stood behind a call in the response, or is another program's. Providers refuse
// such a request, or take it for a text to write on.
func (w *worker) answered() bool {
	w.mu.Lock()
	log, last := w.session.Log(), tenfold.Kind("")
	for seq := log.Version(); seq > 0; seq-- {
		if e, _ := log.Entry(seq); e.Branch == w.branch && e.Payload.Kind().Visible() && e.Payload.Kind() != tenfold.KindToolResult {
			last = e.Payload.Kind()
			break
		}
	}
	w.mu.Unlock()
	if last == tenfold.KindUserMessage || last == tenfold.KindToolCall {
		return false
	}
	for it := range w.view().Items() {
		last = it.Payload.Kind()
	}
	return last != tenfold.KindUserMessage && last != tenfold.KindToolResult
}

func (w *worker) state() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.past.at(w.branch).state
}

// errBroken says that a response broke off after it had begun.
var errBroken = errors.New("the answer broke off")

// answer has the model answer, and appends each block as it is finished.
func (w *worker) answer() (provider.Stop, error) {
	view := w.view()
	made := view.Version() // the view goes on with the log
	request := provider.Request{View: view, MaxTokens: w.most, NoTools: w.options.NoTools, Cache: true}
	earlier := request.Earlier()
	model := provider.Retry(w.options.Model, w.retry())
	var (
		text  strings.Builder // of the message under way
		began bool
		kept  bool // a block of it is in the log
		calls bool // and one of them is a call
		own   int  // how many are
		id    string
		used  bool // there is a usage
		usage tenfold.Usage
		end   provider.Stop
		fault error
	)
	invalid := func(message, hint string) error {
		return &provider.Error{Kind: provider.Invalid, Model: w.options.Model.Name(), Message: message, Hint: hint}
	}
	bound := max(minAnswer, 8*w.window())
	for e, err := range model.Stream(w.ctx, request) {
		if err != nil {
			fault = err
			break
		}
		if e.MessageID != earlier { // else all that a server with one id for everything says would be one step
			id = cmp.Or(e.MessageID, id)
		}
		if text.Len()+len(e.Text) > bound || sizeOf(e.Block) > bound {
			fault = invalid(fmt.Sprintf("the answer was stopped: it has more than %d bytes, which the model could never read back", bound),
				"ask again, or use another model: nothing of that message was kept")
			text.Reset()
			break
		}
		if e.Block != nil && !slices.Contains(written, e.Block.Kind()) {
			fault = invalid(fmt.Sprintf("the answer has a block of kind %s, which no model writes", e.Block.Kind()),
				"a model answers with messages, reasoning, calls and items of its provider")
			break
		}
		switch {
		case e.Text != "":
			began = true
			text.WriteString(e.Text)
			w.emit(Event{Branch: w.branch, Text: e.Text})
		case e.Reasoning != "":
			began = true
			w.emit(Event{Branch: w.branch, Reasoning: e.Reasoning})
		case e.Block != nil:
			began = true
			text.Reset()
			block := func() []tenfold.Entry {
				return []tenfold.Entry{{Branch: w.branch, MessageID: id, Payload: w.unbound(e.Block, made, own)}}
			}
			if err := w.appendOf(block); err != nil {
				return "", err
			}
			kept, calls = true, calls || e.Block.Kind() == tenfold.KindToolCall
			own++
		}
		if e.Usage != nil {
			usage, used = *e.Usage, true
		}
		if e.Stop != "" {
			end = e.Stop
		}
	}
	var last []tenfold.Entry
	if said := text.String(); strings.TrimSpace(said) != "" {
		last = append(last, tenfold.Entry{Branch: w.branch, MessageID: id, Payload: tenfold.AssistantMessage{Text: said}})
		kept = true
	}
	if fault == nil && end == "" {
		fault = &provider.Error{Kind: provider.CutOff, Model: w.options.Model.Name(), Message: "the answer ended without saying why"}
	}
	if used || fault == nil {
		if fault != nil && !kept {
			usage.Output = 0 // it is not in the next request
		}
		usage.Model = cmp.Or(usage.Model, w.options.Model.Name())
		last = append(last, tenfold.Entry{Branch: w.branch, MessageID: id, Payload: usage})
	}
	if fault != nil && kept && !calls {
		last = append(last, w.notice(w.brokenOff())) // else the usage would say that it ended
	}
	if len(last) > 0 {
		if err := w.append(last...); err != nil {
			return "", err
		}
	}
	if provider.KindOf(fault) == provider.CutOff || began && provider.Passes(fault) {
		fault = fmt.Errorf("%w: %w", errBroken, fault)
	}
	return end, fault
}

// written are the kinds of blocks that a model may write. A message in a person's
// name would be answered, and that answer's, without an end.
var written = []tenfold.Kind{tenfold.KindAssistantMessage, tenfold.KindReasoning, tenfold.KindToolCall, tenfold.KindProviderItem}

// unbound gives a block without what its provider signed, where the view that it was made
// under changed meanwhile: a person compacted, or another program said something. What
// stands before it in the log is then not what it is bound to (live B1). Own is how many
// blocks of the response are in the log. It is called with the lock held.
func (w *worker) unbound(block tenfold.Payload, made int64, own int) tenfold.Payload {
	var plain tenfold.Payload
	switch b := block.(type) {
	case tenfold.Reasoning:
		if b.Signature == "" && b.Encrypted == "" {
			return block
		}
		plain = tenfold.Reasoning{Text: b.Text}
	case tenfold.AssistantMessage:
		if b.Signature == "" {
			return block
		}
		plain = tenfold.AssistantMessage{Text: b.Text}
	default:
		return block
	}
	for e := range w.session.Log().After(made) {
		if k := e.Payload.Kind(); e.Branch == w.branch && (k.Visible() || k == tenfold.KindConfigDelta || trigger.ChangesView(e)) {
			own--
		}
	}
	if own < 0 {
		return plain
	}
	return block
}

// retry says how the model is asked again, and tells of it.
func (w *worker) retry() provider.Policy {
	policy := w.options.Retry
	policy.Waiting = func(attempt int, err error, after time.Duration) {
		w.emit(Event{Branch: w.branch, Waiting: &Waiting{Attempt: attempt, After: after, Err: err}})
	}
	return policy
}

// minAnswer is how many bytes a message of a model may have in any case.
const minAnswer = 1 << 20

// sizeOf is how many bytes a block has.
func sizeOf(block tenfold.Payload) int {
	switch b := block.(type) {
	case tenfold.AssistantMessage:
		return len(b.Text) + len(b.Signature)
	case tenfold.ToolCall:
		return len(b.Name) + len(b.Arguments)
	case tenfold.Reasoning:
		return len(b.Text) + len(b.Encrypted) + len(b.Signature)
	}
	return 0
}

// window is the model's, in tokens.
func (r *run) window() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.control.Window()
}

// view is what the model is to see.
func (w *worker) view() *tenfold.Projection {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.branch == "" {
		return w.session.Projection() // nobody else appends while it is read
	}
	return w.branchView().Snapshot()
}

// branchView is the view of a sub-agent, kept up. It is called with the lock held.
func (w *worker) branchView() *tenfold.Projection {
	p := w.views[w.branch]
	if p == nil {
		p = tenfold.ProjectBranch(w.session.Log(), w.branch)
		w.views[w.branch] = p
	}
	p.Advance()
	return p
}

// tooLarge answers a request that the provider called too large: once by a
// compaction, then the context is exceeded.
func (w *worker) tooLarge(err error) (*Stop, error) {
	exceeded := &Stop{Reason: Exceeded, Detail: fmt.Sprintf("%v; start a new conversation, or compact this one to a smaller target", err)}
	if w.large {
		return exceeded, nil
	}
	w.large = true
	w.mu.Lock()
	if e, ok := errors.AsType[*provider.Error](err); ok && 0 < e.Limit && e.Limit < w.control.Window() {
		w.options.Live.Request.Options.Window = e.Limit
		w.control = w.session.Control(w.options.Live)
	}
	w.mu.Unlock()
	wish := session.Wish{By: session.ByTrigger, Reason: "the provider refused the request as too large", Idle: true}
	if w.branch != "" {
		return w.settleBranch(&wish)
	}
	switch d, failed := w.ask(wish); {
	case failed != nil || d.Action == session.Compacted:
		return nil, failed
	case d.Action == session.Wait:
		return nil, &problem.Error{
			Code: "compacting", Err: err,
			Problem: "the request is too large, and a compaction of the conversation is under way: another program makes it, or was killed while it did",
			Hint:    "go on when it is done, or in a minute; or compact it yourself, to a target of 10 %",
		}
	}
	return exceeded, nil
}
