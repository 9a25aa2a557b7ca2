package acp_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/toolbox"
)

func TestQuestionsGoToThePersonAsTheModeSays(t *testing.T) {
	t.Parallel()
	edit := agent.Question{
		Call:   tenfold.ToolCall{CallID: "c1", Name: "fs_create_file", Arguments: `{"path":"a","content":"A"}`},
		Intent: toolbox.Intent{Effect: toolbox.Edits, Paths: []string{"a"}, Subject: "a"},
	}
	hook := edit // in .git, say
	hook.Firm = true
	run := agent.Question{
		Call:   tenfold.ToolCall{CallID: "c2", Name: "shell", Arguments: `{"command":"make"}`},
		Intent: toolbox.Intent{Effect: toolbox.Commands, Command: "make", Subject: "make"}, Reason: "make is in no list",
	}
	theirs := agent.Question{
		Call:   tenfold.ToolCall{CallID: "c3", Name: "theirs", Arguments: `{"delete":"everything"}`},
		Intent: toolbox.Intent{Effect: toolbox.Unknown, Subject: "all is well"},
	}
	selected := sdk.NewRequestPermissionOutcomeSelected
	for _, at := range []struct {
		mode    sdk.SessionModeId
		q       agent.Question
		outcome sdk.RequestPermissionOutcome
		want    agent.Answer
		asked   int
		why     string // no answer of a person came
	}{
		{"ask", edit, selected("allow"), agent.Answer{Allowed: true}, 1, ""},
		{"ask", edit, selected("always"), agent.Answer{Allowed: true, Always: true}, 1, ""},
		{"ask", run, selected("reject"), agent.Answer{}, 1, ""},
		{"ask", theirs, selected("reject"), agent.Answer{}, 1, ""},
		{"ask", run, selected("something else"), agent.Answer{}, 1, "not offered"},
		{"ask", run, sdk.NewRequestPermissionOutcomeCancelled(), agent.Answer{}, 1, "cancelled the question"},
		{"edits", edit, selected("reject"), agent.Answer{Allowed: true}, 0, ""},
		{"edits", hook, selected("reject"), agent.Answer{}, 1, ""},
		{"edits", run, selected("reject"), agent.Answer{}, 1, ""},
		{"all", run, selected("reject"), agent.Answer{Allowed: true}, 0, ""},
	} {
		var got agent.Answer
		h := newHost(func(p *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
			return func(yield func(agent.Event, error) bool) {
				var err error
				if got, err = p.approver.Approve(ctx, at.q); at.why == "" && err != nil || at.why != "" && (err == nil || !strings.Contains(err.Error(), at.why)) {
					t.Errorf("mode %s, %s: %v, want %q", at.mode, at.q.Call.Name, err, at.why)
				}
				yield(agent.Event{Stop: &agent.Stop{Reason: agent.Answered}}, nil)
			}
		})
		c := connect(t, h)
		c.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome { return at.outcome }
		id := c.begin(t)
		if _, err := c.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: id, ModeId: at.mode}); err != nil {
			t.Fatal(err)
		}
		c.say(t, id, "go")
		if got != at.want || len(c.asked) != at.asked {
			t.Errorf("mode %s, %s: %+v after %d questions, want %+v after %d", at.mode, at.q.Call.Name, got, len(c.asked), at.want, at.asked)
		}
		if at.asked == 1 {
			data, err := json.Marshal(c.asked[0])
			if err != nil {
				t.Fatal(err)
			}
			if offered := strings.Contains(string(data), `"allow_always"`); offered == at.q.Firm {
				t.Errorf("to be allowed always is offered: %v", offered)
			}
			whole := map[string]string{"theirs": "delete: everything", "shell": "make", "fs_create_file": `"newText":"A"`}[at.q.Call.Name]
			for _, part := range []string{string(id), at.q.Intent.Subject, at.q.Reason, whole} {
				if !strings.Contains(string(data), part) {
					t.Errorf("the question lacks %q: %s", part, data)
				}
			}
		}
		if _, err := c.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: id, ModeId: "yolo"}); err == nil {
			t.Error("an unknown mode was taken")
		}
	}
}

// A question that nobody answers any more ends with the run.
func TestCancellingEndsAQuestion(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	h := newHost(func(p *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			_, err := p.approver.Approve(ctx, agent.Question{Call: tenfold.ToolCall{CallID: "c", Name: "shell"}})
			yield(agent.Event{}, err)
		}
	})
	c := connect(t, h)
	c.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		close(asked)
		select {}
	}
	id := c.begin(t)
	first := make(chan sdk.StopReason)
	go func() { first <- c.say(t, id, "go") }()
	<-asked
	if err := c.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-first; r != sdk.StopReasonCancelled {
		t.Errorf("the cancelled prompt: %s", r)
	}
}
