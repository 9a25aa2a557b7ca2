// Package talk is what happens in a conversation beside its log: an agent that works in
// it (talk.go), what it does and asks (state.go), and who listens to what is written
// (listener.go). All of it lasts as long as the process; what counts is in the log.
package talk

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/web/shape"
	"tenfold/session"
)

// idleTime is how long an agent is kept that nobody asks anything: it holds its log
// in memory, and servers of tools.
const idleTime = 10 * time.Minute

// Talks are the conversations in which this server has an agent, or somebody who
// listens.
type Talks struct {
	open OpenAgent
	ctx  context.Context //nolint:containedctx // of all agents: it ends with the server
	end  context.CancelFunc
	runs sync.WaitGroup

	mu     sync.Mutex
	closed bool
	all    map[string]*Talk
}

// OpenAgent makes an agent for a conversation, with a session of its own; the closer
// ends what it holds. An empty model is the configured one.
type OpenAgent func(ctx context.Context, id, model string, approver agent.Approver) (*agent.Agent, io.Closer, error)

// A Talk is what happens in one conversation beside its log. The agent has a session
// of its own, for as long as it is open: the one that the API reads from learns of
// what the agent appends as it learns of what another process does, from the store.
type Talk struct {
	talks *Talks
	id    string

	mu        sync.Mutex // of all that follows
	users     int        // listeners, and requests that are about to use it
	listeners map[*Listener]struct{}
	pieces    []*piece
	made      int         // pieces, ever
	waking    bool        // the listeners are about to be woken
	alarm     *time.Timer // wakes them when time alone changes the status; nil for none

	busy      bool
	newest    int64 // seq of the newest entry that the run told of
	running   []shape.Running
	retry     *shape.Retry
	questions []*question
	ended     *shape.Ended
	wanted    string // what the last work was asked to do
	key       string // of the request that the last work was begun with
	replied   reply

	stop  context.CancelFunc // of what is under way
	agent *held
	idle  *time.Timer
}

// held is an agent with the model that it was opened with, and what it holds.
type held struct {
	*agent.Agent
	io.Closer
	model string
}

// New gives the talks of a server, whose agents open makes. Close it.
func New(open OpenAgent) *Talks {
	t := &Talks{open: open, all: map[string]*Talk{}}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// Use gives the talk of a conversation, which stays until [Talk.Release].
func (t *Talks) Use(id string) *Talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.all[id]
	if c == nil {
		c = &Talk{talks: t, id: id, listeners: map[*Listener]struct{}{}}
		t.all[id] = c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users++
	return c
}

// Release gives one back. One without an agent and without listeners is forgotten.
func (c *Talk) Release() {
	c.talks.mu.Lock()
	defer c.talks.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users == 0 && c.agent == nil && !c.busy {
		delete(c.talks.all, c.id)
		if c.alarm != nil {
			c.alarm.Stop()
		}
	}
}

// Peek gives the talk of a conversation if there is one.
func (t *Talks) Peek(id string) *Talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[id]
}

// Close stops what is under way and waits for it: what the agents have done is in
// their logs, and the next run goes on.
func (t *Talks) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.runs.Wait()
	t.mu.Lock()
	all := t.all
	t.all = map[string]*Talk{}
	t.mu.Unlock()
	var errs []error
	for _, c := range all {
		errs = append(errs, c.free(func() bool { return true }))
	}
	return errors.Join(errs...)
}

// Begin takes the conversation for work: one at a time, none while it is compacted, by
// whomever (A5), and none where that failed and the context is full (A6). A key that the
// last work was begun with begins none, and is no error either: a browser may send a
// request twice.
func (c *Talk) Begin(key string, m shape.Message, state session.State) (context.Context, error) {
	c.talks.mu.Lock()
	defer c.talks.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case key != "" && key == c.key:
		return nil, nil //nolint:nilnil // nothing is to be done
	case c.talks.closed:
		return nil, shape.NewProblem(http.StatusServiceUnavailable, "closed", "the server is shutting down", "start it again")
	case state == session.Compacting:
		return nil, shape.NewProblem(http.StatusConflict, "compacting", "the conversation is being compacted: nothing can be sent until that is done",
			"wait for the status to change")
	case c.busy:
		return nil, shape.NewProblem(http.StatusConflict, "busy", "the agent is already working in this conversation", "wait for its answer, or stop it")
	case state == session.Closed:
		return nil, shape.NewProblem(http.StatusConflict, "context_exceeded", "the context is full, and compacting it failed: nothing can be sent",
			"retry the compaction, or begin a new conversation")
	}
	ctx, stop := context.WithCancel(c.talks.ctx)
	c.busy, c.stop, c.wanted, c.key, c.ended = true, stop, m.Do, key, nil
	if c.idle != nil {
		c.idle.Stop()
	}
	c.talks.runs.Add(1)
	c.changed()
	return ctx, nil
}

// Finish ends work that was begun. Nil tells that nothing was done.
func (c *Talk) Finish(ended *shape.Ended) {
	c.mu.Lock()
	c.stop()
	c.busy, c.running, c.retry, c.pieces, c.ended = false, nil, nil, nil, ended
	if c.agent != nil {
		c.idle = time.AfterFunc(idleTime, c.closeIdle)
	}
	c.changed()
	c.mu.Unlock()
	c.talks.runs.Done()
}

// Forget has the same key begin work again: with it none was.
func (c *Talk) Forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key == key {
		c.key = ""
	}
}

// closeIdle closes the agent after a while without work.
func (c *Talk) closeIdle() {
	now := c.talks.Use(c.id)
	defer now.Release()
	_ = c.free(func() bool { return !c.busy })
}

// free forgets the agent, if there is one and the condition holds, which is asked with the lock.
// It is closed without: it holds servers of tools, and its transcript.
func (c *Talk) free(condition func() bool) error {
	c.mu.Lock()
	a := c.agent
	if a == nil || !condition() {
		c.mu.Unlock()
		return nil
	}
	if c.idle != nil {
		c.idle.Stop()
	}
	c.agent, c.idle = nil, nil
	c.mu.Unlock()
	return a.Close()
}

// Interrupt stops what is under way, if anything is. What was done is kept.
func (c *Talk) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		c.stop()
	}
}

// Open gives the agent, with the model that was asked for. It is called by whoever
// began the work, and so by one at a time.
func (c *Talk) Open(model string) (*agent.Agent, error) {
	_ = c.free(func() bool { return c.agent.model != model })
	c.mu.Lock()
	now := c.agent
	c.mu.Unlock()
	if now != nil {
		return now.Agent, nil
	}
	a, hold, err := c.talks.open(c.talks.ctx, c.id, model, c)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agent, c.newest = &held{a, hold, model}, a.Session().Log().Version()
	return a, nil
}

// Work does what a message asks for, until it is done or stopped.
func (c *Talk) Work(ctx context.Context, a *agent.Agent, m shape.Message) {
	ended := &shape.Ended{Reason: reasonNothing}
	var events iter.Seq2[agent.Event, error]
	switch m.Do {
	case DoCompact:
		events = a.Compact(ctx, m.Text)
	case DoGoOn:
		events = a.Run(ctx)
	default:
		events = a.Run(ctx, tenfold.TextPart(m.Text))
	}
	for e, err := range events {
		switch {
		case err != nil && ctx.Err() != nil:
			ended = &shape.Ended{Reason: string(agent.Interrupted)}
		case err != nil:
			p := shape.ProblemOf(err)
			ended = &shape.Ended{Reason: ReasonFailed, Detail: visible(p.Detail), Hint: visible(p.Hint)}
		case e.Stop != nil:
			ended = &shape.Ended{Reason: string(e.Stop.Reason), Detail: visible(e.Stop.Detail)}
		case e.Compaction != nil && m.Do == DoCompact:
			ended = endOf(*e.Compaction, ended)
		}
		if err == nil {
			c.handle(e)
		}
	}
	c.Finish(ended)
	c.Release()
}

// What a message asks for, and how work ends beside the agent's own reasons.
const (
	DoCompact = "compact"
	DoGoOn    = "go_on"

	ReasonFailed       = "failed"
	reasonCompacted    = "compacted"
	ReasonNotCompacted = "not compacted"
	reasonNothing      = "nothing"
)

// endOf is how a compaction that was asked for ended, by the newest decision.
func endOf(d session.Decision, before *shape.Ended) *shape.Ended {
	switch d.Action {
	case session.Compacted:
		return &shape.Ended{Reason: reasonCompacted}
	case session.GoOn:
		return &shape.Ended{Reason: reasonNothing, Detail: visible(d.Reason)}
	case session.Failed, session.Exceeded, session.Wait:
		e := &shape.Ended{Reason: ReasonNotCompacted, Detail: visible(d.Reason)}
		if d.Problem != nil {
			e.Hint = visible(d.Problem.Hint)
		}
		return e
	}
	return before
}
