package talk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/web/shape"
	"tenfold/toolbox"
)

func call(id, name string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: name, Arguments: "{}"}
}

// What runs and what is waited for is in the status until it is over.
func TestTheStatusSaysWhatRuns(t *testing.T) {
	t.Parallel()
	c := New(nil).Use("talk")
	defer c.Release()
	now := func() (s shape.Status) {
		c.Now(&s)
		return s
	}
	c.handle(agent.Event{Branch: "root.task1", Running: &agent.Running{Call: call("1", "sh"), Intent: toolbox.Intent{Subject: "ls\n\u202egpj.exe"}, Contained: true}})
	c.handle(agent.Event{Running: &agent.Running{Call: call("1", "look")}})
	got := now().Running
	if len(got) != 2 || got[0] != (shape.Running{Call: "1", Branch: "root.task1", Line: `root.task1: sh ls \u202egpj.exe`, Contained: true}) {
		t.Errorf("%+v", got)
	}
	c.handle(agent.Event{Output: &agent.Output{CallID: "1", Text: "of the root"}})
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 1, Branch: "root.task1", Payload: tenfold.ToolResult{CallID: "1"}}})
	if got = now().Running; len(got) != 1 || got[0].Branch != "" || len(c.pieces) != 1 {
		t.Errorf("%+v and %d pieces after a result", got, len(c.pieces))
	}
	c.handle(agent.Event{Text: "Hel"})
	c.handle(agent.Event{Waiting: &agent.Waiting{Attempt: 2, After: time.Hour, Err: errors.New("over\x1bloaded")}})
	r := now().Retry
	if r == nil || r.Attempt != 2 || r.Why != `over\x1bloaded` || time.Until(r.At) < 50*time.Minute || len(c.pieces) != 1 {
		t.Errorf("%+v and %d pieces", r, len(c.pieces))
	}
	c.handle(agent.Event{Text: "Hel"})
	if r = now().Retry; r != nil {
		t.Errorf("%+v after an answer began", r)
	}
}

// A question is shown as it is: nothing in it turns the direction of text, and one
// that is too long to be shown whole cannot be answered with always.
func TestQuestionsAreShownWhole(t *testing.T) {
	t.Parallel()
	c := New(nil).Use("c")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{}, 3)
	ask := func(command string) shape.Question {
		go func() {
			_, _ = c.Approve(ctx, agent.Question{Call: call("1", "shell"), Firm: strings.HasPrefix(command, "each time"), Intent: toolbox.Intent{Effect: toolbox.Commands, Command: command}})
			done <- struct{}{}
		}()
		var s shape.Status
		for c.Now(&s); len(s.Waiting) == 0 || !strings.HasPrefix(s.Waiting[len(s.Waiting)-1].Detail, command[:2]); c.Now(&s) {
			s.Waiting = nil
			time.Sleep(time.Millisecond)
		}
		return s.Waiting[len(s.Waiting)-1]
	}
	if q := ask("rm \u202efr-\n\x1b[2K"); q.Detail != "rm \\u202efr-\n\\x1b[2K" || len(q.Choices) != 3 {
		t.Errorf("%+v", q)
	}
	q := ask("echo " + strings.Repeat("é", mostDetail))
	if len(q.Detail) > mostDetail+100 || !strings.Contains(q.Detail, "bytes that are not shown") || strings.Join(q.Choices, " ") != "once no" {
		t.Errorf("%d bytes, %v, ends %q", len(q.Detail), q.Choices, q.Detail[len(q.Detail)-60:])
	}
	if err := c.Reply(q.ID, shape.Reply{Answer: answerAlways}); err == nil {
		t.Error("always was taken for what was not shown")
	}
	if q := ask("each time"); strings.Join(q.Choices, " ") != "once no" {
		t.Errorf("%+v can be allowed always", q)
	}
	stop()
	for range 3 {
		<-done
	}
}
