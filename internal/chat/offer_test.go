package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/agent"
	"tenfold/problem"
	"tenfold/session"
)

// A6: a failure is shown, nothing is tried again by itself, and the person is
// offered what can be done.
func TestA6FailedCompaction(t *testing.T) {
	t.Parallel()
	failing := func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Compaction: &session.Decision{Action: session.Compact}})
		emit(agent.Event{Compaction: &session.Decision{
			Action: session.Failed, Problem: &problem.Error{Op: "compact", Problem: "the model declined", Hint: "try another"},
		}})
		emit(answered())
		return nil
	}
	for _, tt := range []struct {
		key, want string
		runs      int
	}{{"r", "retried", 1}, {"c", "", 1}, {"n", "A new conversation.", 1}, {"esc", "", 1}} {
		b := newBench(t, Options{})
		b.agent.run = failing
		b.agent.compact = func(context.Context, string, func(agent.Event)) error { return errors.New("retried") }
		first := b.agent
		b.enter("go")
		b.settle()
		b.wants(b.written(), "✗ Compacting failed: compact: the model declined. Nothing was removed.", "hint: try another")
		b.wants(b.below(), "[r] retry compaction  [c] continue  [n] new session")
		b.press("x")
		b.wants(b.below(), "press one of the keys in brackets")
		b.press(tt.key)
		b.settle()
		b.wants(b.written(), tt.want)
		if len(first.asked) != tt.runs {
			t.Errorf("%s: asked %q", tt.key, first.asked)
		}
		if (tt.key == "n") == (b.model.agent == Agent(first)) {
			t.Errorf("%s: the agent", tt.key)
		}
		if tt.key == "c" || tt.key == "esc" {
			if b.write("x"); b.input.value() != "x" {
				t.Errorf("%s: the input has %q", tt.key, b.input.value())
			}
		}
	}
}

// A6: over the window and failed, the input is closed until there is room again.
func TestA6Exceeded(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]agent.Event{
		"decision": {Compaction: &session.Decision{Action: session.Exceeded, Reason: "full"}},
		"stop":     {Stop: &agent.Stop{Reason: agent.Exceeded, Detail: "full"}},
	} {
		b := newBench(t, Options{})
		b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error { emit(event); return nil }
		b.enter("go")
		b.settle()
		b.wants(b.below(), "[r] retry compaction  [n] new session  [q] quit")
		b.wants(b.written(), "✗ The context is full")
		b.press("esc")
		b.handle(tea.PasteMsg{Content: "hello"})
		b.enter("hello")
		if len(b.agent.asked) != 1 || b.offer == nil || b.input.value() != "" {
			t.Fatalf("%s: asked %q, input %q", name, b.agent.asked, b.input.value())
		}
		b.agent.compact = func(_ context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.Event{Compaction: &session.Decision{Action: session.Failed, Reason: "again"}})
			return nil
		}
		b.press("r")
		b.settle()
		if b.offer == nil || !b.closed {
			t.Errorf("%s: a retry that failed opened the input", name)
		}
		b.agent.compact = func(_ context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.Event{Compaction: &session.Decision{Action: session.Compacted}})
			return nil
		}
		b.press("r")
		b.settle()
		if b.offer != nil || b.closed {
			t.Errorf("%s: a compaction did not open the input", name)
		}
	}
}

// A6: where a model was chosen whose window the conversation does not fit, the one before
// is offered, and answers what was said.
func TestA6BackToTheModelBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Model: "a/large", Switch: func(context.Context, Agent, string) error { return nil }})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		if b.modelName == "b/small" {
			emit(agent.Event{Stop: &agent.Stop{Reason: agent.Exceeded, Detail: "full"}})
			return nil
		}
		emit(appended(tenfold.AssistantMessage{Text: "It fits here."}))
		emit(answered())
		return nil
	}
	b.enter("/model b/small")
	b.settle()
	b.enter("go")
	b.settle()
	b.wants(b.below(), "[r] retry compaction  [m] back to a/large  [n] new session  [q] quit")
	b.screen.width = 40
	b.wants(b.below(), "[r] retry compaction\n[m] back to a/large  [n] new session\n[q] quit\n")
	b.press("m")
	b.settle()
	if b.closed || b.modelName != "a/large" {
		t.Fatalf("closed: %v, with %s", b.closed, b.modelName)
	}
	b.wants(b.below(), "[g] go on  [c] write something")
	b.press("g")
	b.settle()
	b.wants(b.written(), "It fits here.")
	if b.offer != nil || !slices.Equal(b.agent.asked, []string{"go", ""}) {
		t.Errorf("asked %q; offered %v", b.agent.asked, b.offer)
	}
}

// An error ends the run and not the chat; a retry goes on where it stopped.
func TestErrorIsOffered(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(_ context.Context, message string, emit func(agent.Event)) error {
		if message == "" {
			emit(appended(tenfold.AssistantMessage{Text: "went on"}))
			return nil
		}
		emit(agent.Event{Text: "half a sent"})
		return fmt.Errorf("ask: %w", &problem.Error{Problem: "overloaded\x1b[2J", Hint: "wait a minute"})
	}
	b.enter("go")
	b.press("ctrl+o") // works while it runs
	b.settle()
	b.wants(b.written(), "  half a sent\n✗ ask: overloaded\\x1b[2J\n  hint: wait a minute")
	b.wants(b.below(), "[r] retry  [c] continue  [n] new session")
	b.press("r")
	b.settle()
	b.wants(b.written(), "went on")
	if !slices.Equal(b.agent.asked, []string{"go", ""}) {
		t.Errorf("asked %q", b.agent.asked)
	}
}

// A message that could not be stored is in the input again, pastes and what was written
// and queued since included; nothing else is asked in its place.
func TestMessageThatIsNotStoredComesBack(t *testing.T) {
	t.Parallel()
	for _, full := range []error{errors.New("disk full"), context.Canceled} {
		b := newBench(t, Options{})
		b.agent.full = full
		b.handle(tea.PasteMsg{Content: "a\tpaste"})
		b.enter(" and text")
		b.enter("next")
		b.write("later")
		b.settle()
		b.wants(b.written(), "The message was not stored. It is in the input again.")
		if b.offer != nil || b.input.expandPastes(b.input.value()) != "a\tpaste and text\nnext\nlater" || len(b.queued) > 0 {
			t.Errorf("%v: offer %v, the input has %q, queued %q", full, b.offer, b.input.value(), b.queued)
		}
		b.agent.full = nil
		b.press("enter")
		b.settle()
		if want := []string{"a\tpaste and text", "a\tpaste and text\nnext\nlater"}; !slices.Equal(b.agent.asked, want) {
			t.Errorf("asked %q, want %q", b.agent.asked, want)
		}
	}
}

// Keys that someone types into the input do not choose from an offer that comes meanwhile.
func TestOfferIsNotTakenByAccident(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(context.Context, string, func(agent.Event)) error { return errors.New("overloaded") }
	b.enter("go")
	b.settle()
	n := tea.KeyPressMsg{Code: 'n', Text: "n"}
	b.clock.pass(tooSoon - time.Millisecond)
	b.handle(n) // with the offer
	for range 5 {
		b.clock.pass(100 * time.Millisecond)
		b.handle(n) // someone who types
	}
	b.wants(b.below(), "[r] retry", "pause for a moment, then choose")
	b.press("c")
	if b.offer != nil || b.job != nil {
		t.Errorf("offer %v", b.offer)
	}
}

// What is queued when a run fails waits for the retry, and is in the input again where
// there is none: it is neither lost nor sent behind what is written next.
func TestQueueAfterAFailure(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"r": "", "c": "two", "esc": "two", "n": "two"} {
		b := newBench(t, Options{})
		b.agent.run = func(_ context.Context, message string, _ func(agent.Event)) error {
			if message == "one" {
				return errors.New("overloaded")
			}
			return nil
		}
		first := b.agent
		b.enter("one")
		b.enter("two")
		b.settle()
		b.press(key)
		for b.job != nil {
			b.settle()
		}
		if retried := slices.Equal(first.asked, []string{"one", "", "two"}); b.input.value() != want || len(b.queued) > 0 || retried != (key == "r") {
			t.Errorf("%s: the input has %q, queued %q, asked %q", key, b.input.value(), b.queued, first.asked)
		}
	}
}

// A command that failed offers nothing: the model is not to be asked instead.
func TestFailedCommandOffersNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Switch: func(context.Context, Agent, string) error { return errors.New("no such model") }})
	b.enter("/model x/y")
	b.settle()
	b.wants(b.written(), "✗ no such model")
	if b.offer != nil || len(b.agent.asked) > 0 {
		t.Errorf("offer %v, asked %q", b.offer, b.agent.asked)
	}
}
