package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/toolbox"
)

func entry(p tenfold.Payload) agent.Event { return agent.Event{Appended: &tenfold.Entry{Payload: p}} }

func textResult(id, text string) tenfold.ToolResult {
	return tenfold.ToolResult{CallID: id, Parts: []tenfold.Part{{Text: text}}}
}

// outline is what an editor shows, a line an update.
func outline(updates []sdk.SessionUpdate) string {
	var b strings.Builder
	contents := func(list []sdk.ToolCallContent) string {
		s := ""
		for _, c := range list {
			switch {
			case c.Content != nil && c.Content.Content.Text != nil:
				s += " | " + strings.ReplaceAll(c.Content.Content.Text.Text, "\n", "⏎")
			case c.Diff != nil:
				old := ""
				if c.Diff.OldText != nil {
					old = *c.Diff.OldText
				}
				s += fmt.Sprintf(" | diff %s: %q → %q", c.Diff.Path, old, c.Diff.NewText)
			default:
				s += " | image"
			}
		}
		return s
	}
	for _, u := range updates {
		switch {
		case u.UserMessageChunk != nil:
			fmt.Fprintf(&b, "user: %s\n", u.UserMessageChunk.Content.Text.Text)
		case u.AgentMessageChunk != nil:
			fmt.Fprintf(&b, "agent: %s\n", strings.TrimSpace(u.AgentMessageChunk.Content.Text.Text))
		case u.AgentThoughtChunk != nil:
			fmt.Fprintf(&b, "thought: %s\n", u.AgentThoughtChunk.Content.Text.Text)
		case u.ToolCall != nil:
			fmt.Fprintf(&b, "call %s [%s, %s] %s%s\n", u.ToolCall.ToolCallId, u.ToolCall.Kind, u.ToolCall.Status, u.ToolCall.Title, contents(u.ToolCall.Content))
		case u.ToolCallUpdate != nil:
			c := u.ToolCallUpdate
			status, title, place := "", "", ""
			if c.Status != nil {
				status = " " + string(*c.Status)
			}
			if c.Title != nil {
				title = " " + *c.Title
			}
			for _, l := range c.Locations {
				place += " at " + l.Path
			}
			fmt.Fprintf(&b, "update %s%s%s%s%s\n", c.ToolCallId, status, title, place, contents(c.Content))
		case u.Plan != nil:
			for _, e := range u.Plan.Entries {
				fmt.Fprintf(&b, "plan: %s (%s)\n", e.Content, e.Status)
			}
		case u.UsageUpdate != nil:
			fmt.Fprintf(&b, "usage: %d of %d\n", u.UsageUpdate.Used, u.UsageUpdate.Size)
		case u.SessionInfoUpdate != nil:
			fmt.Fprintf(&b, "title: %s\n", *u.SessionInfoUpdate.Title)
		case u.AvailableCommandsUpdate != nil:
			for _, c := range u.AvailableCommandsUpdate.AvailableCommands {
				fmt.Fprintf(&b, "command: /%s\n", c.Name)
			}
		}
	}
	return b.String()
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	got, want = strings.TrimSpace(got), strings.TrimSpace(want)
	if got != want {
		t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

func TestAnEditorIsShownEverythingOnce(t *testing.T) {
	t.Parallel()
	read := tenfold.ToolCall{CallID: "c1", Name: "fs_read_file", Arguments: `{"path":"a.go"}`}
	edit := tenfold.ToolCall{CallID: "c2", Name: "fs_modify_file", Arguments: `{"path":"a.go","old":"x","new":"y"}`}
	shell := tenfold.ToolCall{CallID: "c3", Name: "shell", Arguments: `{"command":"go test ./..."}`}
	broken := tenfold.ToolCall{CallID: "c4", Name: "fs_read_file", Arguments: `{"path":`}
	inner := tenfold.ToolCall{CallID: "c1", Name: "fs_grep_files", Arguments: `{"pattern":"main","path":"."}`}
	exit := textResult("c3", "FAIL ``` \x1b[31mred")
	exit.Outcome = tenfold.Exit(1)
	h := newHost(func(p *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		if err := p.s.Append(ctx, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("A title")}}); err != nil {
			t.Error(err)
		}
		return events(
			agent.Event{Reasoning: "Let me "},
			agent.Event{Reasoning: "look."},
			entry(tenfold.Reasoning{Text: "Let me look."}),
			agent.Event{Text: "I look\x1b[2J."},
			entry(tenfold.AssistantMessage{Text: "I look\x1b[2J."}),
			entry(read), entry(edit), entry(shell), entry(broken),
			entry(tenfold.ToolCall{CallID: "c5", Name: "todo_write", Arguments: `{"items":[{"text":"Look","status":"completed"},{"text":"Mend","status":"in_progress"},{"text":"Rest"}]}`}),
			agent.Event{Running: &agent.Running{Call: read, Intent: toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"a.go"}, Subject: "a.go"}}},
			agent.Event{Branch: "root.task1", Text: "not for the person"},
			agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{Branch: "root.task1", Payload: inner}},
			agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{Branch: "root.task1", Payload: tenfold.ToolCall{CallID: "c2", Name: "todo_write", Arguments: `{"items":[{"text":"inner","status":"pending"}]}`}}},
			agent.Event{Running: &agent.Running{Call: shell, Intent: toolbox.Intent{Effect: toolbox.Commands, Command: "go test ./...", Subject: "go test ./..."}}},
			agent.Event{Output: &agent.Output{CallID: "c3", Text: "one\n"}},
			agent.Event{Output: &agent.Output{CallID: "c3", Text: "two\n"}},
			agent.Event{Output: &agent.Output{CallID: "unknown", Text: "two\n"}},
			entry(textResult("c1", "package a")),
			agent.Event{Branch: "root.task1", Appended: &tenfold.Entry{Branch: "root.task1", Payload: textResult("c1", "main.go:1")}},
			entry(textResult("c2", "edited")), entry(exit),
			entry(tenfold.ToolResult{CallID: "c4", IsError: true, Parts: []tenfold.Part{{Text: "invalid arguments"}}}),
			entry(textResult("c5", "ok")), entry(textResult("c5", "ok")),
			agent.Event{Waiting: &agent.Waiting{Attempt: 1, After: 2*time.Second + 3456, Err: errors.New("overloaded")}},
			agent.Event{Compaction: &session.Decision{Action: session.Compact, Reason: "80 % of the window"}},
			agent.Event{Compaction: &session.Decision{Action: session.Compacted, Result: session.Result{Plan: strategy.Plan{Before: 9000, After: 2000}}}},
			agent.Event{Compaction: &session.Decision{Action: session.Compacted, Micro: true, Result: session.Result{Plan: strategy.Plan{Before: 5000, After: 2000}}}},
			agent.Event{Gauge: &agent.Gauge{Tokens: 2000, Window: 32000}},
			entry(tenfold.AssistantMessage{Text: "Done."}), // a model that streams nothing
		)
	})
	h.notices = []string{"the MCP server x: it did *not* start"}
	c := connect(t, h)
	id := c.begin(t)
	soon(t, "the greeting", func() bool { return len(c.updates(id)) > 1 })
	if got := c.say(t, id, "go on"); got != sdk.StopReasonEndTurn {
		t.Errorf("stopped with %s", got)
	}
	compare(t, outline(c.updates(id)), `
command: /compact
command: /undo
agent: *the MCP server x: it did \*not\* start*
thought: Let me 
thought: look.
agent: I look\x1b[2J.
call c1 [read, pending] fs_read_file a.go
call c2 [edit, pending] fs_modify_file a.go | diff /project/a.go: "x" → "y"
call c3 [execute, pending] shell go test ./...
call c4 [read, pending] fs_read_file
call c5 [think, pending] todo_write
plan: Look (completed)
plan: Mend (in_progress)
plan: Rest (pending)
update c1 in_progress fs_read_file a.go at /project/a.go
call root.task1/c1 [search, pending] root.task1: fs_grep_files main
call root.task1/c2 [think, pending] root.task1: todo_write
update c3 in_progress shell go test ./...
update c3 | `+"```⏎one⏎```"+`
update c3 | `+"```⏎one⏎two⏎```"+`
update c1 completed | `+"```⏎package a⏎```"+`
update root.task1/c1 completed | `+"```⏎main.go:1⏎```"+`
update c2 completed | diff /project/a.go: "x" → "y"
update c3 failed | `+"````⏎FAIL ``` \\x1b[31mred⏎````"+`
update c4 failed | `+"```⏎invalid arguments⏎```"+`
update c5 completed | `+"```⏎ok⏎```"+`
agent: *Trying again in 2s: overloaded*
call compaction-1 [other, in_progress] Compacting | 80 % of the window
update compaction-1 completed Compacted: 9,000 → 2,000 tokens
call compaction-2 [other, completed] Cleared old tool results: 5,000 → 2,000 tokens
usage: 2000 of 32000
agent: Done.
title: A title`)
	c.say(t, id, "again")
	if got := strings.Count(outline(c.updates(id)), "title: "); got != 1 {
		t.Errorf("the title was told %d times", got)
	}
}

func TestHowARunEndsIsHowThePromptEnds(t *testing.T) {
	t.Parallel()
	failed := &provider.Error{Kind: provider.Authentication, Model: "x/y", Message: "invalid key", Hint: "set X_KEY"}
	for _, at := range []struct {
		reason agent.Reason
		err    error
		stop   sdk.StopReason
		said   string
	}{
		{agent.Answered, nil, sdk.StopReasonEndTurn, ""},
		{agent.Answered, nil, sdk.StopReasonEndTurn, "the answer was empty"},
		{agent.Limited, nil, sdk.StopReasonMaxTurnRequests, "the limit of 3 steps"},
		{agent.Refused, nil, sdk.StopReasonRefusal, "the model declined"},
		{agent.CutOff, nil, sdk.StopReasonMaxTokens, "the answer was cut off"},
		{agent.Exceeded, nil, sdk.StopReasonMaxTokens, "start a new session"},
		{agent.Interrupted, nil, sdk.StopReasonCancelled, ""},
		{"", failed, "", "set X_KEY"},
		{"", &problem.Error{Problem: "disk full", Hint: "make room"}, "", "make room"},
	} {
		h := newHost(func(*played, context.Context, []tenfold.Part) iter.Seq2[agent.Event, error] {
			return func(yield func(agent.Event, error) bool) {
				if at.err != nil {
					yield(agent.Event{}, at.err)
					return
				}
				yield(agent.Event{Stop: &agent.Stop{Reason: at.reason, Detail: at.said}}, nil)
			}
		})
		c := connect(t, h)
		id := c.begin(t)
		r, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}})
		switch {
		case at.err != nil:
			if err == nil || !strings.Contains(err.Error(), at.said) {
				t.Errorf("%v: the editor is told %v, without the hint", at.err, err)
			}
		case err != nil || r.StopReason != at.stop:
			t.Errorf("%s: stopped with %s, %v, want %s", at.reason, r.StopReason, err, at.stop)
		case at.said != "" && !strings.Contains(outline(c.updates(id)), at.said):
			t.Errorf("%s: the editor shows %s, not %q", at.reason, outline(c.updates(id)), at.said)
		}
		// The session goes on in any case.
		if _, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}}); err != nil && at.err == nil {
			t.Errorf("%s: the next prompt: %v", at.reason, err)
		}
	}
}

// A5: while a conversation runs or is compacted, a second prompt is refused, and
// leaves the first alone. Cancelling ends it.
func TestA5ASecondPromptIsRefused(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	h := newHost(func(_ *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return until(ctx, begun)
	})
	c := connect(t, h)
	id := c.begin(t)
	first := make(chan sdk.StopReason)
	go func() { first <- c.say(t, id, "go") }()
	<-begun
	for _, second := range []func() error{
		func() error {
			_, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("and?")}})
			return err
		},
		func() error {
			_, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("/compact")}})
			return err
		},
		func() error { return choose(t, c, id, "test/small") },
	} {
		if err := second(); err == nil || !strings.Contains(err.Error(), "busy") {
			t.Errorf("the second prompt: %v", err)
		}
	}
	select {
	case r := <-first:
		t.Fatalf("the second prompt ended the first: %s", r)
	case <-time.After(10 * time.Millisecond):
	}
	if err := c.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if r := <-first; r != sdk.StopReasonCancelled {
		t.Errorf("the cancelled prompt: %s", r)
	}
}

func choose(t *testing.T, c *client, id sdk.SessionId, model string) error {
	t.Helper()
	_, err := c.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{
		ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: id, ConfigId: "model", Value: sdk.SessionConfigValueId(model)},
	})
	return err
}

func TestTheModelIsSwitchedToOneOfThoseOffered(t *testing.T) {
	t.Parallel()
	h := newHost(nil)
	c := connect(t, h)
	id := c.begin(t)
	if err := choose(t, c, id, "test/small"); err != nil {
		t.Fatal(err)
	}
	if err := choose(t, c, id, "evil/model"); err == nil {
		t.Error("a model that was not offered was taken")
	}
	if got := fmt.Sprint(h.switched); got != "[test/small]" {
		t.Errorf("switched to %s", got)
	}
	r, err := c.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: "/project", McpServers: []sdk.McpServer{}})
	if err != nil || len(r.ConfigOptions) != 1 || r.ConfigOptions[0].Select.Name != "Model" || len(*r.ConfigOptions[0].Select.Options.Ungrouped) != 2 {
		t.Errorf("the options: %+v, %v", r.ConfigOptions, err)
	}
}

// Several sessions run at once, and all stop when the editor goes.
func TestWhenTheEditorGoesEverythingStops(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 3)
	ended := make(chan struct{}, 3)
	h := newHost(func(_ *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return func(func(agent.Event, error) bool) {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
		}
	})
	c := connect(t, h)
	for range 3 {
		id := c.begin(t)
		go func() {
			_, _ = c.Prompt(context.WithoutCancel(t.Context()), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}})
		}()
	}
	idle := c.begin(t)
	for range 3 {
		<-begun
	}
	if _, err := c.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: idle}); err != nil || len(h.closed) != 1 {
		t.Errorf("closing one: %v, %v", h.closed, err)
	}
	if _, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: idle, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}}); err == nil {
		t.Error("a closed session answered")
	}
	c.hangUp()
	if err := <-c.served; err != nil {
		t.Fatal(err)
	}
	if len(ended) != 3 || len(h.closed) != 4 {
		t.Errorf("%d runs ended and %d conversations are closed, want 3 and 4", len(ended), len(h.closed))
	}
}

// Whatever comes as a message, the server answers or goes on, and ends with the
// input.
func FuzzMessages(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"a"}]}}`,
		`{"jsonrpc":"2.0","id":null,"method":"session/load","params":{"sessionId":"../..","cwd":"/","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{}`, `[]`, `null`, "\x00", `{"id":`, `{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"value":true,"type":"boolean"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/set_mode","params":{}}`, `{"jsonrpc":"2.0","id":1e999,"method":"session/list","params":{"cursor":"x"}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h := newHost(func(*played, context.Context, []tenfold.Part) iter.Seq2[agent.Event, error] { return events() })
		in := strings.NewReader(line + "\n" + line + "\n")
		if err := h.server().Serve(t.Context(), in, io.Discard); err != nil {
			t.Fatal(err)
		}
	})
}
