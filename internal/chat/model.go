package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/session"
	"tenfold/tool"
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
	calls      []*called // without a result, in order
	running    []*called
	folded     []folded
	compacting bool

	gauge     agent.Gauge
	modelName string
	// modelBefore is the one in whose place the person chose another; empty for none.
	modelBefore string
	questions   []*question
	reasoned    bool   // the reason of a no is entered
	draft       string // what was being written before
	lastKey     time.Time
	offer       []choice
	closed      bool // the context is exceeded: no input (A6)
	failed      bool // a compaction of this run failed
	stopping    bool // the job is over, or was told to end: no more questions
	// unfinished tells that a limit ended the run.
	unfinished bool
	queued     []string
	unsent     string    // the message of the job, until it is stored
	offered    time.Time // when the offer was made
	note       string    // one line about the last key
	leaving    time.Time // when Ctrl-C was pressed once
	gone       bool
}

// called is a call, and what it is about.
type called struct {
	tenfold.ToolCall
	branch, subject string
	since           time.Time // when it began to run, if it has
	contained       bool
	output          string // the last line of what it printed
}

// rememberCall keeps what a call is about. Some servers give several calls the same id, or
// none.
func (m *model) rememberCall(branch string, call tenfold.ToolCall) *called {
	at := slices.IndexFunc(m.calls, func(c *called) bool { return c.branch == branch && c.ToolCall == call })
	if at < 0 {
		at = len(m.calls)
		subject := cmp.Or(tool.Subject(call.Name, call.Arguments), call.Arguments)
		m.calls = append(m.calls, &called{ToolCall: call, branch: branch, subject: terminal.Excerpt(subject, 200)})
	}
	return m.calls[at]
}

func newModel(ctx context.Context, o Options, conversation Agent, door *approver) *model {
	m := &model{
		ctx: ctx, o: o, agent: conversation, door: door, paint: &terminal.Terminal{OutColour: o.Colour},
		now: o.now, gauge: conversation.Gauge(), modelName: o.Model,
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.history = history{file: o.History}
	m.input = newInput(o, m.paint)
	return m
}

// begin writes how the chat begins, before there is a live area.
func (m *model) begin(out io.Writer, width, height int) error {
	m.resize(width, height)
	m.showGreeting()
	_, err := io.WriteString(out, strings.Join(m.screen.queue, "\r\n")+"\r\n")
	m.screen.printed, m.screen.queue = len(m.screen.queue), nil
	return err
}

func (m *model) resize(width, height int) tea.Cmd {
	cmd := m.screen.resize(width, height)
	m.input.resize(m.screen.width, m.screen.most())
	return cmd
}

func (m *model) Init() tea.Cmd { return m.look() }

// lookMsg asks whether the terminal still has the size that was taken in. Its signals do
// not tell all: one that comes while the program begins is lost.
type lookMsg struct{}

func (m *model) look() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return lookMsg{} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
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

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg.Width, msg.Height)
	case lookMsg:
		if width, height, err := term.GetSize(int(m.o.Out.Fd())); err == nil && width > 0 && height > 0 && !m.screen.has(width, height) {
			return tea.Batch(tea.RequestWindowSize, m.look())
		}
		return m.look()
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
		m.input.showCompletions(msg)
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
	m.label, m.since, m.note, m.failed, m.unfinished, m.again = label, m.now(), "", false, false, nil
	m.stopping, m.leaving = false, time.Time{} // a Ctrl-C was for what was stopped before
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
		case agent.Event:
			m.event(msg)
		case change:
			msg(m)
		}
	}
	return m.job.next
}

// ended takes in that the job is over, and does what waits for it.
func (m *model) ended(err error) tea.Cmd {
	m.finishText()
	m.stopping = true
	for len(m.questions) > 0 {
		m.dropQuestion(m.questions[0])
	}
	m.job, m.compacting, m.running, m.calls = nil, false, nil, nil
	if m.gauge = m.agent.Gauge(); m.leaving.IsZero() {
		m.note = ""
	}
	stopped := errors.Is(err, context.Canceled)
	switch {
	case stopped:
		m.say(terminal.Yellow, "Stopped. What there was is kept.")
	case err != nil:
		m.fail(err)
	}
	if m.unsent != "" {
		m.say(terminal.Yellow, "The message was not stored. It is in the input again.")
		m.queued = append([]string{m.unsent}, m.queued...)
		m.sendQueued()
		m.again, m.unsent = nil, "" // what went before it would be gone on with
	}
	m.offer, m.offered = m.offerAfter(err != nil && !stopped), m.now()
	if m.offer != nil || len(m.queued) == 0 {
		return nil
	}
	next := m.queued[0]
	m.queued = m.queued[1:]
	return m.send(next)
}

// sendQueued puts what waits to be sent into the input, where nothing is run that it could
// wait for.
func (m *model) sendQueued() {
	if len(m.queued) > 0 {
		m.input.set(strings.TrimSuffix(strings.Join(append(m.queued, m.input.value()), "\n"), "\n"))
		m.queued = nil
	}
}

// send has the agent answer a message.
func (m *model) send(text string) tea.Cmd {
	m.showPrompt(text)
	cmd := m.run(tenfold.Text(m.input.expandPastes(text))...)
	m.unsent = text
	return cmd
}

// run has the agent answer, or go on where it stopped.
func (m *model) run(parts ...tenfold.Part) tea.Cmd {
	a := m.agent
	m.rememberOpen()
	return m.follow("asking the model", func() tea.Cmd { return m.run() }, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Run(ctx, parts...)
	})
}

// compact has the conversation compacted.
func (m *model) compact(focus string) tea.Cmd {
	a := m.agent
	return m.follow("compacting", func() tea.Cmd { return m.compact(focus) }, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Compact(ctx, focus)
	})
}

// follow begins a job that reports the events of a run; again does it once more.
func (m *model) follow(label string, again func() tea.Cmd, events func(context.Context) iter.Seq2[agent.Event, error]) tea.Cmd {
	cmd := m.start(label, func(ctx context.Context, report func(tea.Msg)) error {
		for event, err := range events(ctx) {
			if err != nil {
				return err
			}
			report(event)
		}
		return nil
	})
	m.again = again
	return cmd
}

// rememberOpen keeps the calls that a run before this one, in a program that was killed perhaps,
// left without a result: this one tells of that.
func (m *model) rememberOpen() {
	m.withSession(func(s *session.Session) {
		last, _ := s.Log().Turn(s.Log().Turns() - 1)
		for e := range s.Log().After(last.First - 1) {
			if call, ok := e.Payload.(tenfold.ToolCall); ok && s.Log().Pair(e.Seq) == 0 {
				m.rememberCall(e.Branch, call)
			}
		}
	})
}
