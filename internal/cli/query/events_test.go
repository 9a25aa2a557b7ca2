package query

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/toolbox"
)

// played gives events and then an error, if there is one.
func played(err error, events ...agent.Event) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(agent.Event{}, err)
		}
	}
}

func appended(branch string, p tenfold.Payload) agent.Event {
	return agent.Event{Branch: branch, Appended: &tenfold.Entry{ID: "e", Branch: branch, Payload: p}}
}

// The answer goes to standard output, and all else in short lines to standard
// error: whatever a model, a tool or a server says controls no terminal.
func TestQueryPrintsEvents(t *testing.T) {
	call := func(id, name, subject string) agent.Event {
		return agent.Event{Running: &agent.Running{Call: tenfold.ToolCall{CallID: id, Name: name}, Intent: toolbox.Intent{Subject: subject}}}
	}
	compaction := func(d session.Decision) agent.Event { return agent.Event{Compaction: &d} }
	done := session.Result{Overlays: []tenfold.Overlay{{ID: "cmp"}}, Plan: strategy.Plan{Before: 9000, After: 300, Scale: token.Scale{Percent: 140}}} // as the provider counts (T3)
	events := []agent.Event{
		{Text: "Let me\x1b[2J"},
		{Text: " look."},
		{Appended: &tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "of another program"}}, Others: true},
		{Appended: &tenfold.Entry{Payload: tenfold.Usage{Input: 1e6}}, Others: true},
		{Reasoning: "hm"},
		appended("", tenfold.AssistantMessage{Text: "Let me look."}),
		appended("", tenfold.ToolCall{CallID: "c1", Name: "shell"}),
		appended("", tenfold.ToolCall{CallID: "c2", Name: "shell"}),
		call("c1", "shell", "go test\x1b]0;x\x07 ./..."),
		{Output: &agent.Output{CallID: "c1", Text: "ok"}},
		appended("", tenfold.ToolResult{CallID: "c1", Outcome: tenfold.Exit(1), Parts: []tenfold.Part{tenfold.TextPart("a\nFAIL\x1b[0m\n[exit code 1]\n[contained: no network]\n")}}),
		appended("", tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c2", Reason: "no"}),
		appended("", tenfold.ToolResult{CallID: "c2", IsError: true, Parts: []tenfold.Part{tenfold.TextPart("Denied: no")}}),
		{Branch: "root.task7", Text: "sub"},
		appended("root.task7", tenfold.AssistantMessage{Text: "sub"}),
		appended("root.task7", tenfold.ToolCall{CallID: "c1", Name: "git_diff"}),
		appended("root.task7", tenfold.ToolResult{CallID: "c1", Outcome: tenfold.Exit(1)}),
		{Branch: "root.task7", Running: &agent.Running{Call: tenfold.ToolCall{Name: "fs_read_file"}}},
		{Waiting: &agent.Waiting{Attempt: 1, After: 2*time.Second + 12345678, Err: errors.New("over\x1bloaded")}},
		compaction(session.Decision{Action: session.Compact, Reason: "the context is full"}),
		compaction(session.Decision{Action: session.Compacted, Result: done}),
		compaction(session.Decision{Action: session.Compacted, Micro: true, Result: done}),
		compaction(session.Decision{Action: session.Failed, Problem: &problem.Error{Problem: "no progress", Hint: "go on"}}),
		appended("", tenfold.Usage{Model: "claude-sonnet-4-5", Input: 1_000_000}),
		appended("", tenfold.AssistantMessage{Text: "Whole."}),
		{Gauge: &agent.Gauge{Tokens: 1500, Window: 3000}},
		{Stop: &agent.Stop{Reason: agent.Answered, Steps: 2}},
	}
	out, errs, err := followed(t, false, played(nil, events...))
	if want := "Let me\\x1b[2J look.\nWhole.\n"; out != want || err != nil {
		t.Errorf("standard output is\n%q, want\n%q (%v)", out, want, err)
	}
	const want = `• shell go test\x1b]0;x\x07 ./...
shell: exit 1: FAIL\x1b[0m [contained: no network]
denied shell: no
root.task7: git_diff: exit 1
root.task7: • fs_read_file
waiting 2s: over\x1bloaded
Compacting: the context is full
Compacted: 12,600 → 420 tokens; "tenfold conversation undo" puts it back
Cleared old tool results: 12,600 → 420 tokens; "tenfold conversation undo" puts it back
warning: no progress; go on
2 steps, context 1,500 of 3,000 tokens (50 %), $3.0000
`
	if errs != want {
		t.Errorf("standard error is\n%s, want\n%s", errs, want)
	}
	out, errs, err = followed(t, true, played(nil, events...))
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != len(events)+1 || errs != "" || err != nil ||
		!strings.Contains(lines[len(lines)-1], `"answer":"Whole.","reason":"answered","steps":2,"usage":{"input":1000000},"dollars":3,`) ||
		!strings.Contains(lines[len(lines)-1], `"warnings":["no progress; go on"]`) {
		t.Errorf("the JSON is %d lines\n%s%s (%v)", len(lines), out, errs, err)
	}
}

// Whatever ends a run but an answer is an error that says how to go on; with
// --json the result comes first.
func TestQueryEnds(t *testing.T) {
	for _, reason := range []agent.Reason{agent.Limited, agent.Interrupted, agent.Refused, agent.CutOff, agent.Exceeded} {
		out, _, err := followed(t, true, played(nil, agent.Event{Stop: &agent.Stop{Reason: reason, Detail: "why", Steps: 1}}))
		var p *problem.Error
		if !errors.As(err, &p) || p.Code == "" || strings.Contains(p.Code, " ") || !strings.Contains(p.Error(), "no answer: "+string(reason)+": why") || p.Hint == "" {
			t.Errorf("%s: %v", reason, err)
		}
		if !strings.Contains(out, `{"event":"result",`) || !strings.Contains(out, `"reason":"`+string(reason)+`","detail":"why"`) {
			t.Errorf("%s: %s", reason, out)
		}
	}
	for reason, hint := range map[agent.Reason]string{agent.Limited: `"tenfold query" goes on`, agent.Refused: "in other words", agent.Exceeded: "--new"} {
		_, _, err := followed(t, true, played(nil, agent.Event{Stop: &agent.Stop{Reason: reason, Steps: 1}}))
		if p, ok := errors.AsType[*problem.Error](err); !ok || !strings.Contains(p.Hint, hint) {
			t.Errorf("%s: the hint of %v is not %q", reason, err, hint)
		}
	}
	out, _, err := followed(t, false, played(errors.New("broken"), agent.Event{Text: "half"}))
	if out != "half\n" || err == nil || err.Error() != "broken" {
		t.Errorf("%q %v", out, err)
	}
	// What there is to say of an answer is said.
	if _, errs, err := followed(t, false, played(nil, agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Detail: "the answer was empty", Steps: 1}})); errs != "warning: the answer was empty\n1 step\n" || err != nil {
		t.Errorf("%q %v", errs, err)
	}
	// A summary that a model was paid for is part of the sum.
	out, _, _ = followed(t, true, played(nil, appended("", tenfold.Usage{Model: "claude-sonnet-4-5", Input: 1_000_000}),
		appended("", tenfold.Compaction{Summary: &tenfold.Summary{Model: "claude-sonnet-4-5", Usage: &tenfold.Usage{Input: 1_000_000}}}), agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}))
	if !strings.Contains(out, `"usage":{"input":2000000},"dollars":6,`) {
		t.Errorf("the cost is %s", out)
	}
	// An unpriced response makes the sum unknown.
	out, _, _ = followed(t, true, played(nil, appended("", tenfold.Usage{Model: "claude-sonnet-4-5", Input: 1}),
		appended("", tenfold.Usage{Model: "nobody/knows", Input: 1}), agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}))
	if !strings.Contains(out, `"dollars":null`) {
		t.Errorf("the cost is %s", out)
	}
}

func followed(t *testing.T, asJSON bool, events iter.Seq2[agent.Event, error]) (out, errs string, err error) {
	t.Helper()
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(&stdout), Err: &stderr, JSON: asJSON}, Now: time.Now}
	a.Settings.Told = map[string]bool{}
	err = follow(a, s, "demo/m", events)
	_ = a.Flush()
	return stdout.String(), stderr.String(), err
}

// A model that says nothing is told of; a call that takes long is not the model's, and
// a wait that was told is not told again.
func TestQueryTellsOfSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pause := func() { time.Sleep(silentAfter + time.Second) }
		events := func(yield func(agent.Event, error) bool) {
			pause()
			yield(agent.Event{Text: "Let me look."}, nil)
			yield(appended("", tenfold.ToolCall{CallID: "c1", Name: "shell"}), nil)
			pause()
			yield(appended("", tenfold.ToolResult{CallID: "c1", Outcome: tenfold.Success}), nil)
			yield(agent.Event{Waiting: &agent.Waiting{After: time.Minute, Err: errors.New("over")}}, nil)
			pause()
			yield(agent.Event{Text: "Yes."}, nil)
			pause()
			yield(agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}, nil)
		}
		_, errs, err := followed(t, false, events)
		const told = "waiting for demo/m, which has said nothing for 10s\n"
		if want := told + "waiting 1m0s: over\n" + told + "1 step\n"; errs != want || err != nil {
			t.Errorf("it says %q (%v), want %q", errs, err, want)
		}
	})
	// A store on another machine may be what is waited for.
	t.Setenv("TENFOLD_STORE", "https://h")
	synctest.Test(t, func(t *testing.T) {
		_, errs, err := followed(t, false, func(yield func(agent.Event, error) bool) {
			time.Sleep(silentAfter + time.Second)
			yield(agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}, nil)
		})
		if errs != "waiting for demo/m or the server of the store: nothing has come for 10s\n1 step\n" || err != nil {
			t.Errorf("it says %q (%v)", errs, err)
		}
	})
}

// On a terminal a person is asked, one question after the other. A no has no words that
// the person did not say, and the end of input is no answer.
func TestQueryAsks(t *testing.T) {
	var stderr bytes.Buffer
	a := &command.App{Terminal: &terminal.Terminal{In: strings.NewReader("what?\ny\na\nn\n\n"), Out: bufio.NewWriter(io.Discard), Err: &stderr, InTTY: true, ErrTTY: true}}
	k := &asking{App: a}
	q := agent.Question{
		Branch: "root.task1", Call: tenfold.ToolCall{Name: "shell"}, Intent: toolbox.Intent{Subject: "rm -r x\x1b[1A\nAllow? y"}, Reason: "it may write\nanywhere",
	}
	for i, want := range []agent.Answer{{Allowed: true}, {Allowed: true, Always: true}, {}, {}} {
		if got, err := k.Approve(t.Context(), q); got != want || err != nil {
			t.Errorf("question %d: %+v %v, want %+v", i, got, err, want)
		}
	}
	if got, err := k.Approve(t.Context(), q); got != (agent.Answer{}) || err == nil || err.Error() != "no answer was given" {
		t.Errorf("at the end of input: %+v %v", got, err)
	}
	const line = "it may write anywhere\nAllow root.task1: shell rm -r x\\x1b[1A Allow? y? [y/N, a to always allow such calls in this session] "
	if first := stderr.String(); !strings.HasPrefix(first, line) || strings.Contains(first, "\x1b") {
		t.Errorf("the question is\n%q, want\n%q", first, line)
	}
}

// All that a call would do is shown before it is asked about, where a line of it cannot be
// taken for the program's; what is too long, or asked about each time, is not allowed for good.
func TestQueryAsksAboutTheWholeCall(t *testing.T) {
	long := strings.Repeat("x", 300) + "; rm -rf /"
	for name, at := range map[string]struct {
		q       agent.Question
		said    string
		want    agent.Answer
		shown   string
		refused bool
	}{
		"a long command": {
			agent.Question{Call: tenfold.ToolCall{Name: "shell"}, Intent: toolbox.Intent{Effect: toolbox.Commands, Command: long, Subject: long[:200]}},
			"a\n",
			agent.Answer{Allowed: true, Always: true},
			"  │ " + long + "\nAllow shell x", false,
		},
		"an edit": {
			agent.Question{Call: tenfold.ToolCall{Name: "fs_create_file", Arguments: `{"path":"a","content":"one\nAllow?"}`}, Intent: toolbox.Intent{Effect: toolbox.Edits, Paths: []string{"a"}, Subject: "a"}, Firm: true},
			"a\ny\n",
			agent.Answer{Allowed: true},
			"  │ content:\n  │ one\n  │ Allow?\nAllow fs_create_file a? [y/N] Allow", true,
		},
		"a call that is too long": {
			agent.Question{Call: tenfold.ToolCall{Name: "shell"}, Intent: toolbox.Intent{Effect: toolbox.Commands, Command: strings.Repeat("echo\n", 102) + "rm", Subject: "echo"}},
			"a\ny\n",
			agent.Answer{Allowed: true},
			"… and 3 lines that are not shown\nAllow shell echo? [y/N] Allow", true,
		},
	} {
		var stderr bytes.Buffer
		k := &asking{App: &command.App{Terminal: &terminal.Terminal{In: strings.NewReader(at.said), Out: bufio.NewWriter(io.Discard), Err: &stderr, InTTY: true, ErrTTY: true}}}
		if got, err := k.Approve(t.Context(), at.q); got != at.want || err != nil {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, at.want)
		}
		if !strings.Contains(stderr.String(), at.shown) || strings.Contains(stderr.String(), "always") == at.refused {
			t.Errorf("%s: it says\n%s\nwant\n%s", name, stderr.String(), at.shown)
		}
	}
}

// A call that an earlier run left open is told by its name when it is denied now.
func TestQueryGoesOnWithOpenCalls(t *testing.T) {
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{ID: "c", Entries: []tenfold.Entry{
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}, {Payload: tenfold.ToolCall{CallID: "c1", Name: "shell"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(io.Discard), Err: &stderr}, Now: time.Now}
	a.Settings.Told = map[string]bool{}
	stop := agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}
	if err := follow(a, s, "demo/m", played(nil, appended("", tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c1", Reason: "no"}), stop)); err != nil {
		t.Fatal(err)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "denied shell: no\n") {
		t.Errorf("it says %q", got)
	}
}

// A conversation in which nothing was said is removed in the end, but not one in which
// another program said something meanwhile.
func TestOnlyAnEmptyConversationIsDropped(t *testing.T) {
	for _, said := range []bool{false, true} {
		st := memory.New()
		service := session.NewService(st)
		s, err := service.Create(t.Context(), session.Create{ID: "c", Entries: []tenfold.Entry{{Payload: tenfold.ConfigDelta{Model: "demo/m"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if said {
			other, err := service.Open(t.Context(), "c")
			if err == nil {
				err = other.Append(t.Context(), tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		o := &Opened{app: &command.App{Workspace: &command.Workspace{Store: st, Service: service}}, session: s}
		if err := o.dropEmpty(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Conversation(t.Context(), "c"); errors.Is(err, store.ErrNotFound) == said {
			t.Errorf("where another program said something (%v): %v", said, err)
		}
	}
}

// The hint of a denied call names the tool that a rule would name, also where the model
// called it as another agent does.
func TestQuerySaysWhichToolToAllow(t *testing.T) {
	for name, rule := range map[string]string{"Bash": "shell", "shell": "shell", "fs_create_file": "fs_create_file", "git_commit": "git_commit", "mcp__issues__search": "issues__search", "weather": "weather"} {
		_, errs, err := followed(t, false, played(nil,
			appended("", tenfold.ToolCall{CallID: "c1", Name: name, Arguments: `{"command":"make","path":"a","content":"b","message":"c"}`}),
			appended("", tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c1", Reason: agent.Unasked + ": no rule"}),
			agent.Event{Stop: &agent.Stop{Reason: agent.Answered, Steps: 1}}))
		if want := "denied " + name + ": " + agent.Unasked + ": no rule; --allow " + rule + " allows it\n"; !strings.HasPrefix(errs, want) || err != nil {
			t.Errorf("it says\n%s, want\n%s(%v)", errs, want, err)
		}
	}
}
