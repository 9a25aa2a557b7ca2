// Package script is a model that answers what was written before: for tests,
// demonstrations and work without a network.
package script

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/pause"
	"tenfold/internal/runes"
	"tenfold/provider"
)

// An Answer is one response, or what goes wrong with it.
type Answer struct {
	// Blocks are what the model answers. [Text] and [Calls] write the usual
	// ones.
	Blocks []tenfold.Payload
	// Usage is what the answer cost; the zero value is estimated from the
	// request and the blocks.
	Usage tenfold.Usage
	// Stop is why it ends; empty is StopTools with calls, else StopEnd.
	Stop provider.Stop
	// Before passes before the first event, Each before each one.
	Before, Each time.Duration
	// Chunk is how many bytes of a text come at once, never part of a
	// character; 0 is all of it.
	Chunk int
	// Err ends the answer instead of event number At, counted from 0.
	Err error
	At  int
	// Hang, instead of Err, waits at event At until the context ends.
	Hang bool
}

// Text is an answer of one message.
func Text(text string) Answer {
	return Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: text}}}
}

// Calls is an answer that calls tools.
func Calls(calls ...tenfold.ToolCall) Answer {
	var a Answer
	for _, c := range calls {
		a.Blocks = append(a.Blocks, c)
	}
	return a
}

// Fail is an answer that is an error.
func Fail(err error) Answer { return Answer{Err: err} }

// A Shown is a request the model was shown.
type Shown struct {
	provider.Request
	// Body is the conversation as the profile writes it.
	Body string
}

// Model plays answers. It is safe for concurrent use.
type Model struct {
	name    string
	profile body.Profile
	choose  func(Shown) Answer
	wait    func(context.Context, time.Duration) error

	mu      sync.Mutex
	answers []Answer
	shown   []Shown
}

// New gives a model that plays the answers in order, one a request. A request
// after the last one is an error of kind Invalid.
func New(answers ...Answer) *Model {
	return &Model{name: "script/script", profile: body.Anthropic(), answers: answers}
}

// Choose gives a model whose answers a function chooses.
func Choose(choose func(Shown) Answer) *Model {
	m := New()
	m.choose = choose
	return m
}

// As sets the model's name and profile, before its first use.
func (m *Model) As(name string, profile body.Profile) *Model {
	m.name, m.profile = name, profile
	return m
}

// Waiting sets how time passes, before the first use; by the clock otherwise.
func (m *Model) Waiting(wait func(context.Context, time.Duration) error) *Model {
	m.wait = wait
	return m
}

// Name implements [provider.Model].
func (m *Model) Name() string { return m.name }

// Profile implements [provider.Model].
func (m *Model) Profile() body.Profile { return m.profile }

// Shown lists the requests so far, counts aside, in the order they came.
func (m *Model) Shown() []Shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Shown(nil), m.shown...)
}

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		a, id, err := m.next(r)
		if err != nil {
			yield(provider.Event{}, err)
			return
		}
		if err := m.pass(ctx, a.Before); err != nil {
			yield(provider.Event{}, err)
			return
		}
		events := m.events(a, id, r)
		for i := 0; i <= len(events); i++ {
			if err := m.pass(ctx, a.Each); err != nil {
				yield(provider.Event{}, err)
				return
			}
			last := i == min(a.At, len(events))
			switch {
			case last && a.Hang:
				<-ctx.Done()
				yield(provider.Event{}, ctx.Err())
				return
			case last && a.Err != nil:
				yield(provider.Event{}, a.Err)
				return
			case i == len(events):
				return
			}
			if !yield(events[i], nil) {
				return
			}
		}
	}
}

// next notes a request and gives the answer to it.
func (m *Model) next(r provider.Request) (Answer, string, error) {
	s := Shown{Request: r}
	if r.View != nil {
		body, err := m.profile.Write(r.View)
		if err != nil {
			return Answer{}, "", err
		}
		s.Body = string(body)
	}
	m.mu.Lock()
	m.shown = append(m.shown, s)
	n := len(m.shown)
	var a Answer
	ok := m.choose != nil
	if !ok && n <= len(m.answers) {
		a, ok = m.answers[n-1], true
	}
	m.mu.Unlock()
	if !ok {
		return a, "", &provider.Error{
			Kind: provider.Invalid, Model: m.name, Message: fmt.Sprintf("the script has %d answers, this is request %d", len(m.answers), n),
			Hint: "write another answer",
		}
	}
	if m.choose != nil {
		a = m.choose(s)
	}
	return a, fmt.Sprintf("script-%d", n), nil
}

// events writes an answer as a provider streams it.
func (m *Model) events(a Answer, id string, r provider.Request) []provider.Event {
	var out []provider.Event
	stop := provider.StopEnd
	u := a.Usage
	for _, b := range a.Blocks {
		switch p := b.(type) {
		case tenfold.AssistantMessage:
			for _, piece := range pieces(p.Text, a.Chunk) {
				out = append(out, provider.Event{Text: piece})
			}
		case tenfold.Reasoning:
			for _, piece := range pieces(p.Text, a.Chunk) {
				out = append(out, provider.Event{Reasoning: piece})
			}
		case tenfold.ToolCall:
			stop = provider.StopTools
		}
		out = append(out, provider.Event{Block: b, MessageID: id})
		if a.Usage == (tenfold.Usage{}) {
			u.Output += tenfold.CountPayload(tenfold.Chars4{}, b)
		}
	}
	if a.Usage == (tenfold.Usage{}) {
		u.Model, u.Input = m.name, m.estimate(r)
	}
	if a.Stop != "" {
		stop = a.Stop
	}
	return append(out, provider.Event{Usage: &u}, provider.Event{Stop: stop})
}

// pieces cuts a text, never inside a character.
func pieces(text string, size int) []string {
	var out []string
	for text != "" {
		cut := len(text)
		if size > 0 && size < cut {
			cut = runes.Next(text, size)
		}
		out = append(out, text[:cut])
		text = text[cut:]
	}
	return out
}

func (m *Model) pass(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if m.wait != nil {
		return m.wait(ctx, d)
	}
	return pause.For(ctx, d)
}

func (m *Model) estimate(r provider.Request) int {
	if r.View == nil {
		return 0
	}
	body, err := m.profile.Write(r.View)
	if err != nil {
		return 0
	}
	return (tenfold.Chars4{}).Count(string(body))
}

// Count implements [provider.Model] by estimate.
func (m *Model) Count(_ context.Context, r provider.Request) (provider.Count, error) {
	return provider.Count{Tokens: m.estimate(r)}, nil
}
