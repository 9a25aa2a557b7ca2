package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/agent"
	"tenfold/session"
	"tenfold/strategy"
)

// A run shows what the model wrote, each call in a line, and the end of what
// failed.
func TestRunIsShown(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Model: "test/model"})
	goOn := make(chan struct{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Reasoning: "hmm"})
		emit(appended(tenfold.Reasoning{Text: "hmm, the tests"}))
		emit(agent.Event{Text: "I look "})
		emit(agent.Event{Text: "first."})
		emit(appended(tenfold.AssistantMessage{Text: "I look first."}))
		read, shell := call("1", "fs_read_file", `{"path":"a.go"}`), call("2", "shell", `{"command":"go test"}`)
		emit(appended(read))
		emit(appended(shell))
		emit(runs(read, "a.go"))
		emit(runs(shell, "go test"))
		<-goOn
		emit(result("1", "package a", tenfold.Success))
		emit(result("2", "one\ntwo\nthree\nfour\nfive\nFAIL", tenfold.Exit(1)))
		emit(appended(tenfold.AssistantMessage{Text: "It fails."})) // a model that does not stream
		b.agent.gauge.Tokens = 4321
		emit(answered())
		return nil
	}
	b.enter("run the tests")
	b.while(func() bool { return len(b.running) < 2 })
	b.clock.pass(3 * time.Second)
	b.wants(b.below(), "  fs_read_file a.go  3.0 s\n  shell go test  3.0 s\n")
	close(goOn)
	b.settle()
	b.wants(b.written(),
		"> run the tests\n", "· Thought for 0.0 s\n", "\n\n  I look first.", "✓ fs_read_file a.go  3.0 s\n",
		"✗ shell go test  exit 1, 3.0 s\n  │ two\n  │ three\n  │ four\n  │ five\n  │ FAIL", "\n\n  It fails.")
	b.lacks(b.written(), "│ one", "package a", "the tests\n  ")
	b.wants(b.below(), "context 2 %: 4,321 of 200,000 tokens (reported)", "test/model")
	if n := strings.Count(b.written(), "I look first."); n != 1 {
		t.Errorf("the text is written %d times", n)
	}
	if !slices.Equal(b.agent.asked, []string{"run the tests"}) {
		t.Errorf("asked %q", b.agent.asked)
	}
	b.press("ctrl+o")
	b.wants(b.written(), "▾ shell go test\n  one\n  two")
	b.press("ctrl+o", "ctrl+o")
	b.wants(b.written(), "▾ fs_read_file a.go\n  package a", "▾ Thought for 0.0 s\n  hmm, the tests")
	b.press("ctrl+o")
	b.wants(b.below(), "nothing left to unfold")
}

// A call that a program before this one left open has its name where its end is told.
func TestACallOfARunBeforeHasItsName(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	left := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}, {Payload: call("1", "shell", `{"command":"make"}`)}}
	if err := b.agent.session.Append(t.Context(), left...); err != nil {
		t.Fatal(err)
	}
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(result("1", "Interrupted before it was run.", tenfold.Failed))
		return nil
	}
	b.enter("well?")
	b.settle()
	b.wants(b.written(), `✗ shell make  failed`)
}

// What sub-agents say is not shown, what they call is, with their name.
func TestL7BranchesAreNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		main, sub := call("1", "shell", "{}"), call("1", "fs_read_file", "{}") // the same id
		emit(appended(main))
		emit(runs(main, "make"))
		emit(agent.Event{Text: "main talk"})
		emit(agent.Event{Branch: "root.task1", Text: "sub talk"})
		emit(agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{Branch: "root.task1", Payload: tenfold.AssistantMessage{Text: "sub talk"}}})
		emit(agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{Branch: "root.task1", Payload: sub}})
		e := runs(sub, "b.go")
		e.Branch = "root.task1"
		emit(e)
		emit(agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{
			Branch: "root.task1", Payload: tenfold.ToolResult{CallID: "1", Outcome: tenfold.Success},
		}})
		emit(result("1", "", tenfold.Success))
		return nil
	}
	b.enter("go")
	b.settle()
	b.wants(b.written(), "✓ root.task1: fs_read_file b.go", "✓ shell make")
	b.wants(b.written(), "main talk")
	b.lacks(b.written(), "sub talk")
	b.event(agent.Event{Branch: "root.task1", Gauge: &agent.Gauge{Tokens: 999_999}})
	b.lacks(b.below(), "999,999")
}

// L12: a call of unknown outcome is not shown as a success.
func TestL12UnknownOutcome(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(appended(call("1", "their_tool", "{}")))
		emit(result("1", "text", ""))
		emit(appended(tenfold.ToolResult{CallID: "2", IsError: true, Parts: tenfold.Text("denied")}))
		return nil
	}
	b.enter("go")
	b.settle()
	b.wants(b.written(), "• their_tool {}  outcome unknown", "✗ tool  failed\n  │ denied")
}

// A5: while the conversation is compacted the input is closed, and the timeline
// says so.
func TestA5InputIsClosedWhileCompacting(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	release := make(chan struct{})
	b.agent.compact = func(_ context.Context, focus string, emit func(agent.Event)) error {
		emit(agent.Event{Compaction: &session.Decision{Action: session.Compact, Reason: "focus " + focus}})
		<-release
		emit(agent.Event{Compaction: &session.Decision{Action: session.Compacted, Result: session.Result{
			Count: 2, Plan: strategy.Plan{Before: 60_000, After: 15_000},
		}}})
		return nil
	}
	b.enter("/compact the API")
	b.while(func() bool { return !b.compacting })
	b.wants(b.written(), "◇ Compacting: focus the API. The input is closed until it is done.")
	b.write("hello")
	b.handle(tea.PasteMsg{Content: "pasted"})
	b.press("enter")
	b.wants(b.below(), "(input closed)", "the input is closed while the conversation is compacted")
	if b.input.value() != "" || len(b.queued) > 0 {
		t.Errorf("the input took %q, %q", b.input.value(), b.queued)
	}
	// Once one is done nothing says that the input is closed, though the run goes on.
	b.event(agent.Event{Compaction: &session.Decision{Action: session.Compacted, Micro: true}})
	b.lacks(b.below(), "closed")
	close(release)
	b.settle()
	// A7: what it did.
	b.wants(b.written(), "◆ Compacted: 60,000 → 15,000 tokens (75 % less); 2 compactions so far.")
	b.lacks(b.below(), "closed")
	b.write("hello")
	if b.input.value() != "hello" {
		t.Errorf("the input has %q", b.input.value())
	}
}

// A compaction that came to nothing says so, whether there was an attempt or not.
func TestNothingToCompact(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.compact = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Compaction: &session.Decision{Action: session.Wait, By: session.ByPerson, Reason: "a compaction is under way"}})
		return nil
	}
	b.enter("/compact")
	b.settle()
	b.wants(b.written(), "  Nothing was compacted: a compaction is under way.")
	b.agent.compact = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Compaction: &session.Decision{Action: session.Compact}})
		emit(agent.Event{Compaction: &session.Decision{Action: session.GoOn, Reason: "the range holds no turns"}})
		return nil
	}
	b.enter("/compact")
	b.settle()
	b.wants(b.written(), "  Nothing was compacted: the range holds no turns.")
	if b.compacting || b.offer != nil {
		t.Error("the input stays closed")
	}
}

// A stop other than an answer is shown; a limit can be gone past.
func TestStops(t *testing.T) {
	t.Parallel()
	for reason, want := range map[agent.Reason]string{
		agent.Limited: "! Stopped: limit: 40 steps.", agent.Refused: "! Stopped: refused: 40 steps.",
		agent.CutOff: "! Stopped: cut off: 40 steps.", agent.Interrupted: "Stopped. What there was is kept.",
	} {
		b := newBench(t, Options{})
		b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.Event{Stop: &agent.Stop{Reason: reason, Detail: "40 steps"}})
			return nil
		}
		b.enter("go")
		b.settle()
		b.wants(b.written(), want)
		if goesOn := reason == agent.Limited || reason == agent.CutOff; goesOn != (b.offer != nil) {
			t.Errorf("%s: offer %v", reason, b.offer)
		} else if goesOn {
			b.press("g")
			b.settle()
			if !slices.Equal(b.agent.asked, []string{"go", ""}) {
				t.Errorf("%s: asked %q", reason, b.agent.asked)
			}
		}
	}
}

// What there is to say of an answer is said.
func TestAnswerWithDetail(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Detail: "the answer was empty"}})
		return nil
	}
	b.enter("go")
	b.settle()
	b.wants(b.written(), "! The answer was empty.")
}

// A wait says why, and what was written of the answer is written again.
func TestWaiting(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Text: "The answ"})
		emit(agent.Event{Waiting: &agent.Waiting{Attempt: 2, After: 4 * time.Second, Err: errors.New("overloaded")}})
		emit(agent.Event{Text: "The answer."})
		emit(appended(tenfold.AssistantMessage{Text: "The answer."}))
		return nil
	}
	b.enter("go")
	b.settle()
	b.wants(b.written(), "  The answ\n! overloaded; trying again in 4.0 s (attempt 2)\n\n  The answer.")
}

// Ctrl-C ends what runs, twice it leaves; on a text it clears it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.agent.run = func(ctx context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Text: "so far"})
		<-ctx.Done()
		return ctx.Err()
	}
	b.enter("go")
	b.press("ctrl+c")
	b.wants(b.below(), "stopping", "press Ctrl-C again to quit")
	b.settle()
	b.wants(b.written(), "so far", "Stopped. What there was is kept.")
	if b.gone || b.offer != nil {
		t.Fatal("it left, or offers something")
	}
	b.write("abc")
	b.press("ctrl+c")
	if b.input.value() != "" || b.gone {
		t.Fatalf("input %q", b.input.value())
	}
	b.clock.pass(time.Minute)
	b.press("ctrl+c")
	if b.gone {
		t.Fatal("a Ctrl-C a minute ago counts")
	}
	b.press("a", "ctrl+c", "b")
	b.press("backspace", "ctrl+c")
	if b.gone {
		t.Fatal("a Ctrl-C before another key counts")
	}
	if b.press("ctrl+c"); !b.gone {
		t.Fatal("it does not leave")
	}
	b = newBench(t, Options{})
	b.agent.run = func(ctx context.Context, _ string, _ func(agent.Event)) error {
		<-ctx.Done()
		return ctx.Err()
	}
	b.enter("go")
	b.press("ctrl+c")
	b.settle() // at once
	b.wants(b.below(), "press Ctrl-C again to quit")
	if b.press("ctrl+c"); !b.gone {
		t.Fatal("the second Ctrl-C does not leave where the first was quick")
	}
	b = newBench(t, Options{})
	b.agent.run = func(ctx context.Context, _ string, _ func(agent.Event)) error {
		<-ctx.Done()
		return ctx.Err()
	}
	b.enter("one")
	b.enter("two")
	b.press("ctrl+c")
	b.while(func() bool { return b.unsent == "one" || len(b.queued) > 0 }) // and goes on with what was queued
	b.lacks(b.below(), "press Ctrl-C again to quit")
	if b.press("ctrl+c"); b.gone || b.job == nil || !b.stopping {
		t.Fatal("the second Ctrl-C leaves, and the first stopped something else")
	}
	b = newBench(t, Options{})
	b.press("ctrl+c")
	b.handle(tea.PasteMsg{Content: "pasted"})
	b.lacks(b.below(), "press Ctrl-C again to quit")
	if b.press("ctrl+c"); b.gone || b.input.value() != "" {
		t.Fatalf("a Ctrl-C before a paste counts, or the paste stays: %q", b.input.value())
	}
	b = newBench(t, Options{})
	b.write("a")
	if b.press("ctrl+d"); b.gone {
		t.Fatal("Ctrl-D left with a text")
	}
	if b.press("backspace", "ctrl+d"); !b.gone {
		t.Fatal("Ctrl-D does not leave")
	}
	b = newBench(t, Options{})
	if b.enter("/quit"); !b.gone {
		t.Fatal("/quit does not leave")
	}
}

// What is entered while the agent works waits, and can be taken back.
func TestQueue(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	release := make(chan struct{})
	b.agent.run = func(context.Context, string, func(agent.Event)) error { <-release; return nil }
	b.enter("one")
	b.enter("two")
	b.enter("three")
	b.wants(b.below(), "2 messages queued")
	b.press("up")
	if b.input.value() != "three" || len(b.queued) != 1 {
		t.Fatalf("%q, %q", b.input.value(), b.queued)
	}
	b.press("ctrl+c") // stops the run and keeps the text
	if b.input.value() != "three" {
		t.Errorf("the text is gone: %q", b.input.value())
	}
	b.enter("") // queued again
	b.enter("/undo")
	b.wants(b.below(), "wait until the agent is done")
	close(release)
	for b.job != nil {
		b.settle()
	}
	if !slices.Equal(b.agent.asked, []string{"one", "two", "three"}) {
		t.Errorf("asked %q", b.agent.asked)
	}
}

// Some servers give several calls the same id, or none: each line tells of its own call.
func TestCallsOfTheSameID(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	one, two := call("", "fs_read_file", `{"path":"a.go"}`), call("", "shell", `{"command":"go test"}`)
	for _, e := range []agent.Event{
		appended(one), appended(two), runs(two, "go test"), runs(one, "a.go"), result("", "package a", tenfold.Success), result("", "no", tenfold.Failed),
	} {
		b.event(e)
	}
	b.wants(b.written(), "✓ fs_read_file a.go", "✗ shell go test")
}

// A plan is drawn when it is made or changed, with marks and not only colours.
func TestPlanIsDrawn(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	items := `{"text":"one","status":"completed"},{"text":"two\u001b[2J","status":"in_progress"},{"text":"three","status":"cancelled"}`
	b.event(appended(call("1", "plan", `{"items":[`+items+strings.Repeat(`,{"text":"more","status":"pending"}`, 20)+`]}`)))
	b.event(result("1", "ok", tenfold.Success))
	b.wants(b.written(), "✓ plan\n  [x] one\n  [>] two\\x1b[2J\n  [-] three\n  [ ] more\n", "[ ] more\n  3 more items")
	b.lacks(b.written(), "{")
}

// The live area shows what is thought, what runs and since when, and what it
// prints.
func TestTail(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	goOn := make(chan struct{})
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		emit(agent.Event{Reasoning: "a thought"})
		<-goOn
		c := call("1", "shell", "{}")
		emit(appended(c))
		e := runs(c, "make all")
		e.Running.Contained = true
		emit(e)
		emit(agent.Event{Output: &agent.Output{CallID: "1", Text: "first\nlast\x1b[2J\n"}})
		<-goOn
		return nil
	}
	b.enter("go")
	b.while(func() bool { return len(b.reasoning) == 0 })
	b.wants(b.below(), "  a thought\n", "thinking 0.0 s  Ctrl-C stops")
	goOn <- struct{}{}
	b.while(func() bool { return len(b.running) == 0 || b.running[0].output == "" })
	b.clock.pass(75 * time.Second)
	b.wants(b.below(), "  shell make all  1 min 15 s, contained\n  │ last\\x1b[2J\n", "running shell")
	if n := strings.Count(b.below(), "\n") + 1; n != 8 {
		t.Errorf("the live area has %d lines", n)
	}
	goOn <- struct{}{}
	b.settle()
	for d, want := range map[time.Duration]string{0: "0.0 s", 9940 * time.Millisecond: "9.9 s", 59 * time.Second: "59 s", 61 * time.Minute: "61 min 00 s"} {
		if got := seconds(d); got != want {
			t.Errorf("%v is %q", d, got)
		}
	}
}
