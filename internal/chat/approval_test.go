package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/agent"
	"tenfold/toolbox"
)

// A call that was denied is shown by what it is about, not by its arguments.
func TestDeniedCallIsShown(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	c := call("1", "shell", `{"command":"make"}`)
	b.event(appended(c))
	b.queueQuestion(&question{Question: agent.Question{Call: c, Intent: toolbox.Intent{Subject: "make"}}, answer: make(chan agent.Answer, 1)})
	b.press("n")
	b.event(result("1", "Denied.", tenfold.Failed))
	b.wants(b.written(), "✗ shell make  failed\n  │ Denied.")
}

// asks has the agent ask about commands, one after the other or at once, and tells
// what was answered.
func asks(b *bench, commands ...string) chan agent.Answer { return asksEach(b, false, commands...) }

// asksEach is asks, and firm has it asked each time.
func asksEach(b *bench, firm bool, commands ...string) chan agent.Answer {
	answers := make(chan agent.Answer, len(commands))
	b.agent.run = func(ctx context.Context, _ string, _ func(agent.Event)) error {
		done := make(chan error)
		for _, command := range commands {
			go func() {
				a, err := b.agent.approver.Approve(ctx, agent.Question{
					Call: call("1", "shell", "{}"), Firm: firm, Reason: "it writes",
					Intent: toolbox.Intent{Effect: toolbox.Commands, Command: command, Subject: command},
				})
				answers <- a
				done <- err
			}()
		}
		var first error
		for range commands {
			if err := <-done; err != nil {
				first = err
			}
		}
		return first
	}
	b.enter("go")
	b.while(func() bool { return len(b.questions) < len(commands) })
	return answers
}

// Each key gives its answer, and all of the command was shown before.
func TestApproval(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]agent.Answer{
		"y": {Allowed: true}, "a": {Allowed: true, Always: true}, "n": {}, "esc": {},
	} {
		b := newBench(t, Options{})
		answers := asks(b, "make all &&\n\x1b[2Jrm -rf /tmp/x")
		b.wants(b.written(), "? Permission for shell: it writes.\n  │ make all &&\n  │ \\x1b[2Jrm -rf /tmp/x")
		b.wants(b.below(), "? Run shell", "[y] once  [a] always  [n] no  [r] no, with a reason", "waiting for your answer")
		b.press("x", "enter")
		if len(answers) > 0 {
			t.Fatal("another key answers")
		}
		b.press(key)
		b.settle()
		if got := <-answers; got != want {
			t.Errorf("%s: %+v", key, got)
		}
	}
}

// A no can have a reason; what was being written before is there again.
func TestApprovalReason(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	answers := asks(b, "make")
	b.input.set("a draft")
	b.press("r")
	b.wants(b.below(), "Why not? Enter sends it, Esc goes back.")
	b.write("no")
	b.press("esc")
	b.wants(b.below(), "[y] once")
	b.press("r")
	b.write("use y and a")
	b.handle(tea.PasteMsg{Content: ", please"})
	b.press("enter")
	b.settle()
	if got := <-answers; got != (agent.Answer{Reason: "use y and a, please"}) {
		t.Errorf("%+v", got)
	}
	b.wants(b.written(), "Denied: use y and a, please.")
	if b.input.value() != "a draft" {
		t.Errorf("the input has %q", b.input.value())
	}
}

// A question that was answered when the run ended takes nothing from the input.
func TestWithdrawnAfterItsAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	q := &question{Question: agent.Question{Call: call("1", "shell", "{}")}, answer: make(chan agent.Answer, 1)}
	b.queueQuestion(q)
	b.press("r", "n", "o", "enter")
	b.write("next")
	b.dropQuestion(q)
	if b.input.value() != "next" {
		t.Errorf("the input has %q", b.input.value())
	}
}

// Keys that were meant for something else answer nothing: those that come with the
// question, those typed in a row, and a paste.
func TestApprovalIsNotAnsweredByAccident(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	answers := asks(b, "make")
	y := tea.KeyPressMsg{Code: 'y', Text: "y"}
	b.clock.pass(tooSoon - time.Millisecond)
	b.handle(y) // with the question
	if len(b.questions) != 1 {
		t.Fatal("a key that came with the question answers it")
	}
	b.clock.pass(tooSoon + time.Millisecond)
	b.handle(y) // the key before was long ago
	b.settle()
	if got := <-answers; !got.Allowed {
		t.Fatal("a key after a while does not answer")
	}
	b = newBench(t, Options{})
	answers = asks(b, "make")
	for range 20 { // someone who types
		b.clock.pass(100 * time.Millisecond)
		b.handle(y)
	}
	b.wants(b.below(), "pause for a moment, then choose")
	b.clock.pass(time.Second)
	b.handle(tea.PasteMsg{Content: "y"})
	b.wants(b.below(), "a paste is not an answer")
	if len(answers) > 0 || len(b.questions) != 1 {
		t.Fatal("it is answered")
	}
	b.press("n")
	b.settle()
	if got := <-answers; got.Allowed {
		t.Error("allowed")
	}
}

// A command that is too long to be shown cannot be allowed for good, and what is
// not shown is told.
func TestApprovalOfALongCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	answers := asks(b, strings.Repeat("echo hello\n", 150)+"rm -rf /")
	b.wants(b.written(), "… and 51 lines that are not shown.")
	b.lacks(b.below(), "always")
	b.press("a")
	b.wants(b.below(), "press one of the keys in brackets")
	b.press("y")
	b.settle()
	if got := <-answers; got != (agent.Answer{Allowed: true}) {
		t.Errorf("%+v", got)
	}
}

// What is asked about each time cannot be allowed for good.
func TestApprovalEachTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	answers := asksEach(b, true, "rm -rf .git/hooks")
	b.lacks(b.below(), "always")
	b.press("a")
	b.wants(b.below(), "press one of the keys in brackets")
	b.press("y")
	b.settle()
	if got := <-answers; got != (agent.Answer{Allowed: true}) {
		t.Errorf("%+v", got)
	}
}

// Edits and programs of others show their arguments: the subject is the tool's
// word for it.
func TestApprovalShowsArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.queueQuestion(&question{Question: agent.Question{
		Call: call("1", "theirs", `{"delete":"everything"}`), Branch: "root.task1", Intent: toolbox.Intent{Effect: toolbox.Unknown, Subject: "all is well", Paths: []string{"a.go", "b.go"}},
	}, answer: make(chan agent.Answer, 1)})
	b.wants(b.written(), "? Permission for root.task1: theirs.\n  │ all is well\n  │ a.go\n  │ b.go\n  │ delete: everything")
}

// Several questions are asked one after the other; Ctrl-C withdraws them.
func TestApprovalsInOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	answers := asks(b, "one", "two", "three")
	b.wants(b.below(), "(1 of 3)")
	first := b.questions[0].Intent.Command
	b.press("y")
	b.wants(b.below(), "(1 of 2)")
	if n := strings.Count(b.written(), "? Permission"); n != 2 || b.questions[0].Intent.Command == first {
		t.Errorf("%d were shown, then %q", n, b.questions[0].Intent.Command)
	}
	b.input.set("a draft")
	b.press("r", "n", "o", "ctrl+c")
	b.while(func() bool { return true })
	if b.input.value() != "a draft" {
		t.Errorf("the input has %q", b.input.value())
	}
	if b.job != nil || len(b.questions) != 0 {
		t.Fatal("it does not end")
	}
	allowed := 0
	for range 3 {
		if (<-answers).Allowed {
			allowed++
		}
	}
	if allowed != 1 {
		t.Errorf("%d are allowed", allowed)
	}
	b.wants(b.written(), "Stopped.")
	b.lacks(b.below(), "[y]")
	if n := strings.Count(b.written(), "? Permission"); n != 2 {
		t.Errorf("%d questions were shown", n)
	}
}

// Without a run nothing is allowed.
func TestApprovalOutsideARun(t *testing.T) {
	t.Parallel()
	if a, err := (&approver{}).Approve(t.Context(), agent.Question{}); a.Allowed || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	door := &approver{}
	door.job.Store(&job{messages: make(chan tea.Msg, 2)})
	if a, err := door.Approve(ctx, agent.Question{}); a.Allowed || fmt.Sprint(err) != "context canceled" {
		t.Errorf("%+v, %v", a, err)
	}
}
