package chat

import (
	"context"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/agent"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// scripted is an agent that does what a test says.
type scripted struct {
	session  *session.Session
	approver agent.Approver
	gauge    agent.Gauge
	asked    []string
	full     error // of a store that takes no message
	run      func(ctx context.Context, message string, emit func(agent.Event)) error
	compact  func(ctx context.Context, focus string, emit func(agent.Event)) error
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{Title: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{
		session: s, gauge: agent.Gauge{Tokens: 1200, Window: 200_000, Method: "reported"},
		run: func(context.Context, string, func(agent.Event)) error { return nil },
	}
}

func (s *scripted) Run(ctx context.Context, parts ...tenfold.Part) iter.Seq2[agent.Event, error] {
	message := ""
	for _, p := range parts {
		message += p.Text
	}
	s.asked = append(s.asked, message)
	return sequence(func(emit func(agent.Event)) error {
		if s.full != nil {
			return s.full
		}
		if message != "" {
			emit(appended(tenfold.UserMessage{Parts: parts}))
		}
		return s.run(ctx, message, emit)
	})
}

func (s *scripted) Compact(ctx context.Context, focus string) iter.Seq2[agent.Event, error] {
	return sequence(func(emit func(agent.Event)) error { return s.compact(ctx, focus, emit) })
}

func sequence(do func(emit func(agent.Event)) error) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		err := do(func(e agent.Event) { yield(e, nil) })
		if err != nil {
			yield(agent.Event{}, err)
		}
	}
}

func (s *scripted) Undo(ctx context.Context) ([]tenfold.Overlay, error) { return s.session.Undo(ctx) }

func (s *scripted) Redo(ctx context.Context) ([]tenfold.Overlay, error) { return s.session.Redo(ctx) }
func (s *scripted) Gauge() agent.Gauge                                  { return s.gauge }
func (s *scripted) Do(f func(*session.Session) error) error             { return f(s.session) }

// A clock is the time as a test sets it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// A bench drives the state of a chat without a terminal.
type bench struct {
	t *testing.T
	*model
	agent *scripted
	clock *clock
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{t: t, agent: newScripted(t), clock: newClock()}
	o.now = b.clock.now
	door := &approver{}
	b.agent.approver = door
	if o.Open == nil {
		o.Open = func(context.Context, bool, agent.Approver, func(string)) (Agent, error) {
			b.agent = newScripted(t)
			return b.agent, nil
		}
	}
	b.model = newModel(t.Context(), o, b.agent, door)
	b.history.load()
	if err := b.begin(io.Discard, 80, 24); err != nil {
		t.Fatal(err)
	}
	return b
}

var keyCodes = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "backspace": {Code: tea.KeyBackspace},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl}, "ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "left": {Code: tea.KeyLeft},
}

// press presses keys one after the other, as a person does who thinks in between.
func (b *bench) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.clock.pass(time.Second)
		msg, named := keyCodes[k]
		if !named {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		cmd := b.handle(msg)
		if files, ok := run(cmd).(filesMsg); ok {
			b.handle(files)
		}
	}
}

// run runs a command that ends at once.
func run(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok && len(batch) == 1 {
		return run(batch[0])
	}
	return msg
}

// write types a text.
func (b *bench) write(text string) {
	b.t.Helper()
	for _, r := range text {
		b.press(string(r))
	}
}

// enter types a text and sends it.
func (b *bench) enter(text string) {
	b.t.Helper()
	b.write(text)
	b.press("enter")
}

// settle takes in what the job reports until it is over, or something is asked.
func (b *bench) settle() {
	b.t.Helper()
	for b.job != nil && len(b.questions) == 0 {
		b.handle(b.job.next())
	}
}

// while takes in what the job reports.
func (b *bench) while(waits func() bool) {
	b.t.Helper()
	for b.job != nil && waits() {
		b.handle(b.job.next())
	}
}

// written is what was written above the live area so far, without styles.
func (b *bench) written() string { return ansi.Strip(strings.Join(b.screen.queue, "\n")) }

// below is the live area.
func (b *bench) below() string {
	lines, _ := b.live()
	return ansi.Strip(strings.Join(lines, "\n"))
}

func (b *bench) wants(text string, parts ...string) {
	b.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func (b *bench) lacks(text string, parts ...string) {
	b.t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			b.t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

// Events of a run.
func appended(p tenfold.Payload) agent.Event {
	return agent.Event{Appended: &tenfold.Entry{Payload: p}}
}

func answered() agent.Event { return agent.Event{Stop: &agent.Stop{Reason: agent.Answered}} }

func call(id, name, arguments string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: name, Arguments: arguments}
}

func runs(c tenfold.ToolCall, subject string) agent.Event {
	return agent.Event{Running: &agent.Running{Call: c, Intent: toolbox.Intent{Subject: subject}}}
}

func result(id, text string, o tenfold.Outcome) agent.Event {
	return appended(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text), Outcome: o})
}
