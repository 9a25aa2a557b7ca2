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
	cancel context.CancelFunc
	done   chan struct{}
	ready  chan struct{} // holds a token while there are messages

	mu       sync.Mutex
	messages []tea.Msg
}

// batchEvery is how long messages are collected: about two frames.
const batchEvery = 30 * time.Millisecond

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
	j := &job{cancel: cancel, done: make(chan struct{}), ready: make(chan struct{}, 1)}
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
	if e, is := msg.(agent.Event); is {
		if n := len(j.messages); n > 0 && join(j.messages[n-1], e) {
			return
		}
		if piece, is := pieceOf(e); is {
			msg = piece
		}
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
	j.messages = nil
	return batch
}

// A piece is text that a model has just written.
type piece struct {
	branch          string
	text, reasoning []byte
}

func pieceOf(e agent.Event) (*piece, bool) {
	if e.Text == "" && e.Reasoning == "" {
		return nil, false
	}
	return &piece{e.Branch, []byte(e.Text), []byte(e.Reasoning)}, true
}

// join adds an event to the message before it, if they are pieces of one text.
func join(last tea.Msg, e agent.Event) bool {
	p, ok := last.(*piece)
	if !ok || p.branch != e.Branch || (e.Text == "") != (len(p.text) == 0) || (e.Reasoning == "") != (len(p.reasoning) == 0) {
		return false
	}
	p.text = append(p.text, e.Text...)
	p.reasoning = append(p.reasoning, e.Reasoning...)
	return e.Text != "" || e.Reasoning != ""
}
