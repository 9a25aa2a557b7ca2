package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/permission"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// stub is a tool for tests.
type stub struct {
	name   string
	effect toolbox.Effect
	run    func(ctx context.Context, c toolbox.Call) (toolbox.Result, error)
}

func (s stub) Definition() tenfold.ToolDefinition {
	return tenfold.ToolDefinition{Name: s.name, Description: "does " + s.name, Schema: `{"type":"object"}`}
}

func (s stub) Intent(arguments string) (toolbox.Intent, error) {
	if !strings.HasPrefix(arguments, "{") {
		return toolbox.Intent{}, errors.New("the arguments are not an object")
	}
	return toolbox.Intent{Effect: s.effect, Subject: arguments}, nil
}

func (s stub) Run(ctx context.Context, c toolbox.Call) (toolbox.Result, error) {
	if s.run == nil {
		return toolbox.Result{Parts: tenfold.Text(s.name + " of " + c.Arguments), Outcome: tenfold.Success}, nil
	}
	return s.run(ctx, c)
}

// judge allows all, but what it is told otherwise.
type judge struct {
	mu       sync.Mutex
	verdicts map[string]permission.Verdict
	consents []string
}

func (j *judge) Judge(tool string, _ toolbox.Intent) permission.Verdict {
	j.mu.Lock()
	defer j.mu.Unlock()
	if v, ok := j.verdicts[tool]; ok {
		return v
	}
	return permission.Verdict{Action: permission.Allow, Reason: "it is a test"}
}

func (j *judge) Consent(tool string, _ toolbox.Intent) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.consents = append(j.consents, tool)
	delete(j.verdicts, tool)
}

type approver func(agent.Question) agent.Answer

func (a approver) Approve(_ context.Context, q agent.Question) (agent.Answer, error) {
	return a(q), nil
}

// the tools of the tests.
func tools() []toolbox.Tool {
	return []toolbox.Tool{
		stub{name: "look", effect: toolbox.Reads},
		stub{name: "edit", effect: toolbox.Edits},
		stub{name: "sh", effect: toolbox.Commands},
		stub{name: "odd", effect: toolbox.Unknown},
	}
}

// talk is a conversation with an agent, for tests.
type talk struct {
	*agent.Agent

	t     testing.TB
	store store.Store
	model *script.Model
}

func begin(t testing.TB, model *script.Model, change ...func(*agent.Options)) *talk {
	t.Helper()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	return beginIn(t, st, model, change...)
}

func beginIn(t testing.TB, st store.Store, model *script.Model, change ...func(*agent.Options)) *talk {
	t.Helper()
	s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).OpenOrCreate(t.Context(), session.Create{ID: "talk"})
	if err != nil {
		t.Fatal(err)
	}
	o := agent.Options{Model: model, Tools: tools(), Judge: &judge{}}
	o.Live.Auto.Enabled = true
	for _, c := range change {
		c(&o)
	}
	a, err := agent.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return &talk{a, t, st, model}
}

// run has a run and gives its events.
func (k *talk) run(text ...string) ([]agent.Event, error) {
	k.t.Helper()
	var parts []tenfold.Part
	for _, one := range text {
		parts = append(parts, tenfold.TextPart(one))
	}
	return collect(k.Run(k.t.Context(), parts...))
}

func collect(seq func(func(agent.Event, error) bool)) (events []agent.Event, err error) {
	for e, fault := range seq {
		if fault != nil {
			return events, fault
		}
		events = append(events, e)
	}
	return events, nil
}

// stop has a run and gives its end.
func (k *talk) stop(text ...string) agent.Stop {
	k.t.Helper()
	events, err := k.run(text...)
	if err != nil {
		k.t.Fatal(err)
	}
	last := events[len(events)-1]
	if last.Stop == nil {
		k.t.Fatalf("the last event is %+v", last)
	}
	return *last.Stop
}

// shows is the log in short lines.
func (k *talk) shows() []string { return lines(k.Session().Log()) }

func lines(l *tenfold.Log) []string {
	var out []string
	for e := range l.Entries() {
		var line string
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			line = "user: " + p.Parts[0].Text
			if p.Purpose != "" {
				line = string(p.Purpose) + ": " + p.Parts[0].Text
			}
		case tenfold.AssistantMessage:
			line = "assistant: " + p.Text
		case tenfold.ToolCall:
			line = fmt.Sprintf("call %s: %s %s", p.CallID, p.Name, p.Arguments)
		case tenfold.ToolResult:
			line = fmt.Sprintf("result %s: %s", p.CallID, p.Parts[0].Text)
			if p.IsError {
				line = "error " + line[len("result "):]
			}
		case tenfold.Approval:
			line = fmt.Sprintf("%s %s: %s", p.State, p.CallID, p.Reason)
		default:
			line = string(e.Payload.Kind())
		}
		if e.Branch != "" {
			line = e.Branch + "| " + line
		}
		out = append(out, line)
	}
	return out
}

func (k *talk) wants(want ...string) {
	k.t.Helper()
	if got := k.shows(); !slices.Equal(got, want) {
		k.t.Errorf("the log has\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func call(id, name string, arguments ...string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: name, Arguments: strings.Join(append(arguments, "{}")[:1], "")}
}

func TestLoopRunsCallsAndAnswers(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(
		script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "I look."}, call("1", "look"), call("2", "edit")}},
		script.Text("Done."),
	))
	events, err := k.run("Do it.")
	if err != nil {
		t.Fatal(err)
	}
	k.wants(
		"config_delta", "turn_start", "user: Do it.", "assistant: I look.", "call 1: look {}", "call 2: edit {}", "usage",
		"result 1: look of {}", "granted 2: it is a test", "result 2: edit of {}", "assistant: Done.", "usage",
	)
	var appended []int64
	var text strings.Builder
	for _, e := range events {
		if e.Appended != nil {
			appended = append(appended, e.Appended.Seq)
		}
		text.WriteString(e.Text)
	}
	if len(appended) != len(k.shows()) || !slices.IsSorted(appended) || text.String() != "I look.Done." {
		t.Errorf("appended %v, text %q", appended, text.String())
	}
	if last := events[len(events)-1].Stop; last == nil || *last != (agent.Stop{Reason: agent.Answered, Steps: 2}) {
		t.Errorf("the end is %+v", last)
	}
	if g := k.Gauge(); g.Method != agent.Reported || g.Tokens == 0 || g.Spent.Output == 0 || g.Dollars != nil {
		t.Errorf("gauge %+v", g)
	}
}

func TestLoopDelegatesTasks(t *testing.T) {
	t.Parallel()
	k := begin(t, script.Choose(func(s script.Shown) script.Answer {
		switch {
		case strings.Contains(s.Body, "You are a sub-agent"):
			if strings.Contains(s.Body, "Do it.") {
				t.Error("the sub-agent sees the conversation")
			}
			if strings.Contains(s.Body, "look of") {
				return script.Text("Seven eggs.")
			}
			return script.Calls(call("e", "look"))
		case strings.Contains(s.Body, "Seven eggs."):
			return script.Text("There are seven.")
		}
		return script.Calls(call("t", "task", `{"prompt":"Count the eggs."}`))
	}))
	if stop := k.stop("Do it."); stop != (agent.Stop{Reason: agent.Answered, Steps: 4}) {
		t.Errorf("%+v", stop)
	}
	const b = "root.task4| "
	k.wants("config_delta", "turn_start", "user: Do it.", `call t: task {"prompt":"Count the eggs."}`, "usage",
		b+"config_delta", b+"compaction", b+"user: Count the eggs.", b+"call e: look {}", b+"usage", b+"result e: look of {}", b+"assistant: Seven eggs.", b+"usage",
		"result t: Seven eggs.", "assistant: There are seven.", "usage")
}

// The model is told of each tool once; a caller's takes the place of ours of that name.
func TestToolsAreDeclaredOnce(t *testing.T) {
	k := begin(t, script.New(script.Text("done")), func(o *agent.Options) { o.Tools = append(o.Tools, stub{name: "plan"}) })
	k.stop("go")
	var names []string
	for _, d := range k.Session().Projection().Config().Tools {
		names = append(names, d.Name)
		if d.Name == "plan" && d.Description != "does plan" {
			t.Errorf("plan is ours: %s", d.Description)
		}
	}
	if got, want := strings.Join(names, " "), "plan task compact recall look edit sh odd"; got != want {
		t.Errorf("declared are %s, want %s", got, want)
	}
}

// A sub-agent is told what it is on its branch alone: the conversation is configured once.
func TestSubAgentsConfigureTheirBranchAlone(t *testing.T) {
	k := begin(t, script.New(script.Calls(call("t", "task", `{"prompt":"Do a part."}`)), script.Text("The part is done."), script.Text("Done."), script.Text("Again.")))
	k.stop("Go.")
	k.stop("Once more.")
	configured := map[string]int{}
	for e := range k.Session().Log().Entries() {
		if e.Payload.Kind() == tenfold.KindConfigDelta {
			configured[strings.TrimRight(e.Branch, "0123456789")]++
		}
	}
	if configured[""] != 1 || configured["root.task"] != 1 || len(configured) != 2 {
		t.Errorf("%v", configured)
	}
}
