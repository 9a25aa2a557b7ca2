package chat

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold/agent"
	"tenfold/internal/cli/terminal"
)

// A job is work of the agent that is under way: a run, a compaction, a command.
// What it reports is collected and taken in batches, so that a model that writes
// fast costs a redraw per batch and not per word.
type job struct {
	ctx    context.Context //nolint:containedctx // the job's own, which ends with it
	cancel context.CancelFunc
	done   chan struct{}
	ready  chan struct{} // holds a token while there are messages
	taken  chan struct{} // holds a token after they were taken

	mu       sync.Mutex
	messages []tea.Msg
	size     int // of the text in them
}

// batchEvery is how long messages are collected, about two frames, and mostBatch
// how much text: whoever writes more waits, so that keys are answered meanwhile.
const (
	batchEvery = 30 * time.Millisecond
	mostBatch  = 64 << 10
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
	j := &job{ctx: ctx, cancel: cancel, done: make(chan struct{}), ready: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
	door.job.Store(j)
	go func() {
		defer close(j.done)
		defer cancel()
		err := work(ctx, j.report)
		j.report(endMsg{err})
	}()
	return j
}

// report adds a message. Pieces of the same text are joined.
func (j *job) report(msg tea.Msg) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e, is := msg.(agent.Event); is && e.Text+e.Reasoning != "" {
		for j.size > mostBatch && j.ctx.Err() == nil {
			j.mu.Unlock()
			select {
			case <-j.taken:
			case <-j.ctx.Done():
			}
			j.mu.Lock()
		}
		j.size += len(e.Text + e.Reasoning)
		p := &piece{branch: e.Branch, thought: e.Text == ""}
		if n := len(j.messages); n > 0 {
			if last, is := j.messages[n-1].(*piece); is && last.branch == p.branch && last.thought == p.thought {
				p, j.messages = last, j.messages[:n-1]
			}
		}
		p.text = append(p.text, e.Text+e.Reasoning...)
		msg = p
	}
	j.messages = append(j.messages, msg)
	select {
	case j.ready <- struct{}{}:
	default:
	}
}

// next waits for messages; a batch is empty once all were taken.
func (j *job) next() tea.Msg {
	<-j.ready
	select {
	case <-j.done:
	case <-time.After(batchEvery):
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	select { // all of them are taken now
	case <-j.ready:
	default:
	}
	batch := batchMsg{j, j.messages}
	j.messages, j.size = nil, 0
	select {
	case j.taken <- struct{}{}:
	default:
	}
	return batch
}

// A piece is text, or a thought, that a model has just written.
type piece struct {
	branch  string
	thought bool
	text    []byte
}
