// Package chat is the conversation with the agent on a terminal. It writes into
// the terminal's own scroll-back and keeps only a small live area at the bottom:
// what is being written, what runs, the input and a gauge.
//
// Its rules:
//
//   - What is finished is written once, above the live area, and never touched
//     again. A change of the terminal's size repaints the last screen only.
//   - The live area takes at most a third of the screen, but at least four lines.
//   - The first two columns belong to the program. Whatever a model, a tool or a
//     file says is made visible (control characters are escaped) and indented by
//     two columns, so that it cannot pass for a question of the program.
//   - A question about a call is asked in the live area, after the whole of what
//     the call would do was written above it. Keys pressed too soon do not answer
//     it, and neither does a paste.
//   - While the conversation is compacted the input is closed (semantics A5).
//   - Colour carries no meaning alone.
package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"tenfold"
	"tenfold/agent"
	"tenfold/session"
)

// An Agent is what the chat needs of an agent. All of it is called by one
// goroutine at a time.
type Agent interface {
	// Run answers a message; without parts it goes on where the conversation
	// stopped.
	Run(ctx context.Context, parts ...tenfold.Part) iter.Seq2[agent.Event, error]
	// Compact compacts now, whatever failed before. The focus says what to
	// preserve.
	Compact(ctx context.Context, focus string) iter.Seq2[agent.Event, error]
	// Undo revokes the newest compaction, Redo applies it again.
	Undo(ctx context.Context) ([]tenfold.Overlay, error)
	Redo(ctx context.Context) ([]tenfold.Overlay, error)
	// Gauge says how full the context is.
	Gauge() agent.Gauge
	// Do calls f with the conversation, which f is not to keep.
	Do(f func(*session.Session) error) error
}

// Options are what a chat is made of. Open and Switch are required.
type Options struct {
	// Open opens the conversation, a new one if fresh: then warn is told what is missing of
	// it, as the chat has the terminal. The approver is to be asked about calls.
	Open func(ctx context.Context, fresh bool, approver agent.Approver, warn func(string)) (Agent, error)
	// Switch makes the agent use another model.
	Switch func(ctx context.Context, a Agent, model string) error
	// Model is the model's name, Models those that can be chosen.
	Model  string
	Models []string
	// Dir is the workspace, whose files can be named with "@".
	Dir string
	// History is the file that keeps what was entered; empty for none.
	History string
	// Colour allows colours and other text styles.
	Colour bool
	// In and Out are the terminal, Environ its environment.
	In, Out *os.File
	Environ []string

	now    func() time.Time // tests have a clock of their own
	frames int              // a second; 0 for the renderer's own
}

// Run shows the chat until the person leaves it, or ctx ends. A run that is under
// way then is interrupted and waited for.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	door := &approver{}
	conversation, err := o.Open(ctx, false, door, nil)
	if err != nil {
		return err
	}
	m := newModel(ctx, o, conversation, door)
	m.history.load()
	width, height, err := term.GetSize(int(o.Out.Fd()))
	if err == nil {
		err = m.begin(o.Out, width, height)
	}
	if err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	p := tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(paper{o.Out}), tea.WithEnvironment(o.Environ),
		tea.WithFPS(o.frames), tea.WithoutCatchPanics())
	_, err = p.Run()
	cancel()
	if m.job != nil {
		m.job.wait(leaveAfter)
	}
	switch {
	case errors.Is(err, tea.ErrInterrupted), err != nil && errors.Is(err, tea.ErrProgramKilled) && errors.Is(err, context.Canceled):
		return context.Canceled
	case err != nil:
		return fmt.Errorf("run the chat: %w", err)
	}
	return nil
}

// leaveAfter is how long a run may take to end once the person has left.
const leaveAfter = 10 * time.Second
