package chat

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold/agent"
	"tenfold/internal/cli/terminal"
)

// A job is work of the agent that is under way: a run, a compaction, a command.
// What it reports is taken in batches, so that a model that writes fast costs a redraw
// per batch and not per word.
type job struct {
	ctx      context.Context //nolint:containedctx // the job's own, which ends with it
	cancel   context.CancelFunc
	done     chan struct{}
	messages chan tea.Msg // who reports waits while it is full, so that keys are answered meanwhile
	cut      bool         // what the model writes is left out from now on
}

// batchEvery is how long messages are collected, about two frames, mostBatch how much
// text, and mostWaiting how many messages wait to be.
const (
	batchEvery  = 30 * time.Millisecond
	mostBatch   = 64 << 10
	mostWaiting = 64
)

// batchMsg is what a job reported since the last one.
type batchMsg struct {
	job      *job
	messages []tea.Msg
}

// A change is what else a job reports: what it does to the chat.
type change func(m *model)

func saying(text string) change {
	return func(m *model) { m.say(terminal.Normal, text) }
}

// endMsg is the last message of a job.
type endMsg struct{ err error }

// startJob runs work in a goroutine, whose questions go through the door.
func startJob(ctx context.Context, door *approver, work func(ctx context.Context, report func(tea.Msg)) error) *job {
	ctx, cancel := context.WithCancel(ctx)
	j := &job{ctx: ctx, cancel: cancel, done: make(chan struct{}), messages: make(chan tea.Msg, mostWaiting)}
	door.job.Store(j)
	go func() {
		defer close(j.done)
		defer cancel()
		j.report(endMsg{work(ctx, j.report)})
	}()
	return j
}

// report hands on a message. What a model still writes once the job is to end does not
// hold that up: what is kept of it comes as an entry.
func (j *job) report(msg tea.Msg) {
	if written(msg) == 0 {
		j.messages <- msg
		return
	}
	if j.cut {
		return
	}
	select {
	case j.messages <- msg:
		return
	default:
	}
	select {
	case j.messages <- msg:
	case <-j.ctx.Done():
		j.cut = true
	}
}

// written is how much text a model has just written.
func written(msg tea.Msg) int {
	e, _ := msg.(agent.Event)
	return len(e.Text) + len(e.Reasoning)
}

// next waits for messages, and collects those that follow.
func (j *job) next() tea.Msg {
	batch, size := batchMsg{job: j}, 0
	msg := <-j.messages
	for over := time.After(batchEvery); ; {
		batch.messages = append(batch.messages, msg)
		size += written(msg)
		if _, ended := msg.(endMsg); ended || size > mostBatch {
			return batch
		}
		select {
		case msg = <-j.messages:
		case <-over:
			return batch
		}
	}
}

// wait waits for a job that was told to end, and whose messages nobody takes any more.
func (j *job) wait(most time.Duration) {
	for over := time.After(most); ; {
		select {
		case <-j.messages:
		case <-j.done:
			return
		case <-over:
			return
		}
	}
}
