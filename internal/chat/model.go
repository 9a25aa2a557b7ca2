package chat

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
)

// A model is the state of the chat. All of it belongs to the goroutine that calls
// Update.
type model struct {
	ctx   context.Context //nolint:containedctx // jobs are started by keys
	o     Options
	agent Agent
	door  *approver
	paint *terminal.Terminal
	now   func() time.Time

	screen  screen
	input   input
	history history

	job   *job
	again func() tea.Cmd // goes on with the job after an error; nil if that makes no sense
	label string         // what the job does
	since time.Time
	frame int // of the spinner

	text       stream
	streamed   int // bytes of the message under way
	reasoning  []byte
	thinking   time.Time
	calls      map[string]tenfold.ToolCall // without a result
	running    []*running
	folded     []folded
	compacting bool
	waiting    *agent.Waiting

	gauge     agent.Gauge
	modelName string
	questions []*question
	lastKey   time.Time
	offer     *offer
	closed    bool // the context is exceeded: no input (A6)
	failed    bool // a compaction of this run failed
	// unfinished tells that a limit ended the run.
	unfinished bool
	queued     []string
	note       string    // one line about the last key
	leaving    time.Time // when Ctrl-C was pressed once
	gone       bool
}

// running is a call that runs.
type running struct {
	branch    string
	call      tenfold.ToolCall
	subject   string
	contained bool
	since     time.Time
	output    string // its last line
}

func newModel(ctx context.Context, o Options, conversation Agent, door *approver) *model {
	m := &model{
		ctx: ctx, o: o, agent: conversation, door: door, paint: &terminal.Terminal{OutColour: o.Colour},
		now: o.now, calls: map[string]tenfold.ToolCall{}, gauge: conversation.Gauge(), modelName: o.Model,
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.history = history{file: o.History}
	m.input = newInput(o, m.paint)
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if m.gone {
		return m, tea.Quit
	}
	return m, tea.Batch(cmd, m.screen.flush(m.liveHeight()))
}

// tickMsg moves the spinner.
type tickMsg struct{ job *job }

const tickEvery = 100 * time.Millisecond

func (m *model) tick() tea.Cmd {
	j := m.job
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tickMsg{j} })
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		first := m.screen.width == 0
		cmd := m.screen.resize(msg.Width, msg.Height)
		m.input.resize(m.screen.width, m.most())
		if first {
			m.greet()
			m.screen.busy = true
			cmd = tea.Tick(settleAfter, func(time.Time) tea.Msg { return printedMsg{} })
		}
		return cmd
	case settledMsg:
		m.screen.settled(msg)
	case printedMsg:
		m.screen.busy = false
	case tickMsg:
		if msg.job == m.job && m.job != nil {
			m.frame++
			return m.tick()
		}
	case batchMsg:
		return m.batch(msg)
	case filesMsg:
		m.input.found(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.KeyPressMsg:
		return m.key(msg)
	default:
		return m.input.other(msg)
	}
	return nil
}

// start begins a job.
func (m *model) start(label string, work func(ctx context.Context, report func(tea.Msg)) error) tea.Cmd {
	m.label, m.since, m.note, m.failed, m.unfinished = label, m.now(), "", false, false
	m.again = nil
	m.job = startJob(m.ctx, m.door, work)
	return tea.Batch(m.job.next, m.tick())
}

// batch takes in what the job reported.
func (m *model) batch(b batchMsg) tea.Cmd {
	if b.job != m.job {
		return nil
	}
	for _, msg := range b.messages {
		switch msg := msg.(type) {
		case endMsg:
			return m.ended(msg.err)
		case *piece:
			m.wrote(msg)
		case agent.Event:
			m.event(msg)
		case questionMsg:
			m.asked(msg.question)
		case withdrawnMsg:
			m.withdrawn(msg.question)
		case openedMsg:
			m.opening(msg)
		case switchedMsg:
			m.modelName = msg.name
			m.say(terminal.Faint, "The model is "+clean(msg.name)+" now.")
		case saidMsg:
			m.say(terminal.Normal, msg.text)
		}
	}
	return m.job.next
}

// saidMsg is what came of a command.
type saidMsg struct{ text string }

// ended takes in that the job is over, and does what waits for it.
func (m *model) ended(err error) tea.Cmd {
	m.finishText()
	m.job, m.label, m.compacting, m.waiting, m.running, m.questions = nil, "", false, nil, nil, nil
	clear(m.calls)
	m.note = ""
	m.gauge = m.agent.Gauge()
	m.leaving = time.Time{}
	stopped := errors.Is(err, context.Canceled)
	switch {
	case stopped:
		m.say(terminal.Yellow, "Stopped. What there was is kept.")
	case err != nil:
		m.fail(err)
	}
	m.offer = m.offerAfter(err != nil && !stopped)
	if m.offer != nil || len(m.queued) == 0 {
		return nil
	}
	next := m.queued[0]
	m.queued = m.queued[1:]
	return m.send(next)
}

// send has the agent answer a message.
func (m *model) send(text string) tea.Cmd {
	m.said(text)
	full := m.input.unfold(text)
	return m.run(tenfold.Text(full)...)
}

// run has the agent answer, or go on where it stopped.
func (m *model) run(parts ...tenfold.Part) tea.Cmd {
	a := m.agent
	cmd := m.start("asking the model", func(ctx context.Context, report func(tea.Msg)) error {
		for event, err := range a.Run(ctx, parts...) {
			if err != nil {
				return err
			}
			report(event)
		}
		return nil
	})
	m.again = func() tea.Cmd { return m.run() }
	return cmd
}

// compact has the conversation compacted.
func (m *model) compact(focus string) tea.Cmd {
	a := m.agent
	cmd := m.start("compacting", func(ctx context.Context, report func(tea.Msg)) error {
		for event, err := range a.Compact(ctx, focus) {
			if err != nil {
				return err
			}
			report(event)
		}
		return nil
	})
	m.again = func() tea.Cmd { return m.compact(focus) }
	return cmd
}

// wait waits for the job to end, once its context has ended.
func (m *model) wait(most time.Duration) {
	if m.job == nil {
		return
	}
	select {
	case <-m.job.done:
	case <-time.After(most):
	}
}
