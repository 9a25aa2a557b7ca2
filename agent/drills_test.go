package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/corpustest"
	"tenfold/permission"
	"tenfold/problem"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

func tool(name string, effect toolbox.Effect, run func(context.Context, toolbox.Call) (toolbox.Result, error)) func(*agent.Options) {
	return func(o *agent.Options) { o.Tools = append(o.Tools, stub{name, effect, run}) }
}

func says(text string) (toolbox.Result, error) { return toolbox.Result{Parts: tenfold.Text(text)}, nil }

// runUntil has a run whose context ends at the first event that matches.
func (k *talk) runUntil(match func(agent.Event) bool, text ...string) (events []agent.Event, last agent.Stop) {
	k.t.Helper()
	ctx, stop := context.WithCancel(k.t.Context())
	defer stop()
	var parts []tenfold.Part
	for _, one := range text {
		parts = append(parts, tenfold.TextPart(one))
	}
	for e, err := range k.Run(ctx, parts...) {
		if err != nil {
			k.t.Fatal(err)
		}
		if events = append(events, e); match(e) {
			stop()
		}
		if e.Stop != nil {
			last = *e.Stop
		}
	}
	return events, last
}

// Issue 18, 1: Ctrl-C ends the step and keeps what there is, and the next run goes on.
func TestInterruptKeepsWhatThereIs(t *testing.T) {
	t.Parallel()
	waits := tool("waits", toolbox.Commands, func(ctx context.Context, _ toolbox.Call) (toolbox.Result, error) {
		<-ctx.Done()
		r, _ := says("half of it")
		return r, ctx.Err()
	})
	t.Run("text", func(t *testing.T) {
		k := begin(t, script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.Reasoning{Text: "Hm."}, tenfold.AssistantMessage{Text: "one two three"}}, Chunk: 4}, script.Text("four")))
		if _, stop := k.runUntil(func(e agent.Event) bool { return e.Text == "two " }, "Count."); stop.Reason != agent.Interrupted {
			t.Errorf("%+v", stop)
		}
		k.wants("config_delta", "turn_start", "user: Count.", "reasoning", "assistant: one two ", "notice: [The answer was interrupted by the user.]")
		if stop := k.stop(); stop.Reason != agent.Answered {
			t.Errorf("it goes on with %+v", stop)
		}
		if k.stop() != (agent.Stop{Reason: agent.Answered}) {
			t.Error("it asks again what was answered")
		}
	})
	t.Run("call", func(t *testing.T) {
		k := begin(t, script.New(script.Calls(call("1", "look"), call("2", "waits"), call("3", "look")), script.Text("Well.")), waits)
		k.runUntil(func(e agent.Event) bool { return e.Running != nil && e.Running.Call.CallID == "2" }, "Go.")
		k.wants("config_delta", "turn_start", "user: Go.", "call 1: look {}", "call 2: waits {}", "call 3: look {}", "usage", "result 1: look of {}", "granted 2: it is a test",
			"error 2: Interrupted while it ran. Until then:\nhalf of it", "error 3: Interrupted before it was run.")
		if stop := k.stop(); stop != (agent.Stop{Reason: agent.Answered, Steps: 1}) {
			t.Errorf("it goes on with %+v", stop)
		}
	})
	t.Run("question", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		k := begin(t, script.New(script.Calls(call("1", "edit"))), func(o *agent.Options) {
			o.Judge = &judge{verdicts: map[string]permission.Verdict{"edit": {Action: permission.Ask, Reason: "it edits"}}}
			o.Approver = approver(func(agent.Question) agent.Answer { stop(); return agent.Answer{Allowed: true} })
		})
		if _, err := collect(k.Run(ctx, tenfold.TextPart("Go."))); err != nil {
			t.Error(err)
		}
		k.wants("config_delta", "turn_start", "user: Go.", "call 1: edit {}", "usage", "requested 1: it edits", "error 1: Interrupted before it was run.")
	})
	t.Run("left", func(t *testing.T) {
		k := begin(t, script.New(script.Calls(call("1", "waits")), script.Text("Well.")), waits)
		for e := range k.Run(t.Context(), tenfold.TextPart("Go.")) {
			if e.Running != nil {
				if _, err := collect(k.Run(t.Context())); !errors.Is(err, agent.ErrBusy) {
					t.Errorf("a second run: %v", err)
				}
				break
			}
		}
		if log := k.shows(); !strings.HasPrefix(log[len(log)-1], "error 1: Interrupted while it ran.") {
			t.Errorf("leaving the loop leaves %q", log)
		}
	})
}

// An answer without a word is told as empty, whatever else came.
func TestEmptyAnswerIsTold(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string][]tenfold.Payload{
		"nothing": nil, "blanks": {tenfold.AssistantMessage{Text: " \n"}}, "thoughts": {tenfold.Reasoning{Text: "Hm."}},
	} {
		k := begin(t, script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "I look."}, call("1", "look")}}, script.Answer{Blocks: blocks}))
		if stop, want := k.stop("Go."), (agent.Stop{Reason: agent.Answered, Detail: "the answer was empty", Steps: 2}); stop != want {
			t.Errorf("%s: %+v, want %+v", name, stop, want)
		}
	}
}

// A message of characters that show nothing is no message: the request would end with
// what the model said.
func TestBlankMessageIsRefused(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(script.Text("Well.")))
	k.stop("Go.")
	was := len(k.shows())
	for _, text := range []string{" \n", "\u200b", "\ufeff\x01"} {
		var p *problem.Error
		if _, err := collect(k.Run(t.Context(), tenfold.TextPart(text))); !errors.As(err, &p) || p.Code != "nothing_to_answer" || len(k.shows()) != was {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A message is stored also where its run ends at once.
func TestMessageOfARunThatEndsAtOnceIsStored(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(script.Text("Well.")))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	events, err := collect(k.Run(ctx, tenfold.TextPart("Go.")))
	if err != nil || events[len(events)-1].Stop.Reason != agent.Interrupted {
		t.Errorf("%v, %v", events, err)
	}
	k.wants("config_delta", "turn_start", "user: Go.")
}

// Decisions are entries; what is denied is told to the model.
func TestDecisionsAreEntries(t *testing.T) {
	t.Parallel()
	j := &judge{verdicts: map[string]permission.Verdict{
		"look": {Action: permission.Deny, Reason: "secret"}, "edit": {Action: permission.Ask, Reason: "it edits"},
		"sh": {Action: permission.Ask, Reason: "it runs"}, "odd": {Action: permission.Ask, Reason: "who knows"},
	}}
	k := begin(t, script.New(script.Calls(call("1", "look"), call("2", "edit"), call("3", "edit"), call("4", "sh")), script.Text("Well.")), func(o *agent.Options) {
		o.Judge = j
		o.Approver = approver(func(q agent.Question) agent.Answer {
			if q.Call.Name == "sh" {
				return agent.Answer{Reason: "not today"}
			}
			return agent.Answer{Allowed: true, Always: true}
		})
	})
	k.stop("Go.")
	k.wants("config_delta", "turn_start", "user: Go.", "call 1: look {}", "call 2: edit {}", "call 3: edit {}", "call 4: sh {}", "usage",
		"denied 1: secret", "error 1: Denied: secret", "requested 2: it edits", "granted 2: ", "result 2: edit of {}", "granted 3: it is a test", "result 3: edit of {}",
		"requested 4: it runs", "denied 4: not today", "error 4: Denied: the user says: not today", "assistant: Well.", "usage")
	for _, o := range []func(*agent.Options){
		func(o *agent.Options) { o.Judge = j },
		func(o *agent.Options) { o.Judge = nil },
		func(o *agent.Options) { o.NoTools = true },
	} {
		k = begin(t, script.New(script.Calls(call("1", "odd")), script.Text("Well.")), o)
		k.stop("Go.")
		if log := strings.Join(k.shows(), "\n"); strings.Contains(log, "odd of") || !strings.Contains(log, "error 1: ") {
			t.Errorf("a call that nobody allowed: %s", log)
		}
	}
}

// What the program says of a question that failed is not recorded as the person's word,
// which the reason of a denial is.
func TestFailedQuestionIsNoWord(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(script.Calls(call("1", "edit")), script.Text("Well.")), func(o *agent.Options) {
		o.Judge = &judge{verdicts: map[string]permission.Verdict{"edit": {Action: permission.Ask, Reason: "it edits"}}}
		o.Approver = deaf{}
	})
	k.stop("Go.")
	k.wants("config_delta", "turn_start", "user: Go.", "call 1: edit {}", "usage",
		"requested 1: it edits", "denied 1: ", "error 1: Denied: asking the user failed: nobody answered", "assistant: Well.", "usage")
}

// What decides about calls is the caller's, and runs in goroutines of the agent's: where
// it panics, nothing runs, and the program goes on.
func TestWhoPanicsAllowsNothing(t *testing.T) {
	t.Parallel()
	for denied, o := range map[string]func(*agent.Options){
		"Denied: deciding about it failed: out of rules": func(o *agent.Options) { o.Judge = broken{} },
		"Denied: asking the user failed: out of paper": func(o *agent.Options) {
			o.Judge = &judge{verdicts: map[string]permission.Verdict{"edit": {Action: permission.Ask}}}
			o.Approver = broken{}
		},
		"Denied: " + agent.Unasked + ": no reason is given": func(o *agent.Options) {
			o.Judge = &judge{verdicts: map[string]permission.Verdict{"edit": {Action: permission.Ask}}}
		},
	} {
		k := begin(t, script.New(script.Calls(call("1", "edit")), script.Text("Well.")), o)
		k.stop("Go.")
		if log := strings.Join(k.shows(), "\n"); !strings.Contains(log, "error 1: "+denied) || strings.Contains(log, "edit of") {
			t.Errorf("%s: %s", denied, log)
		}
	}
}

// broken panics whatever it is asked.
type broken struct{}

func (broken) Judge(string, toolbox.Intent) permission.Verdict { panic("out of rules") }

func (broken) Consent(string, toolbox.Intent) {}

func (broken) Approve(context.Context, agent.Question) (agent.Answer, error) { panic("out of paper") }

// deaf is an approver whose questions fail.
type deaf struct{}

func (deaf) Approve(context.Context, agent.Question) (agent.Answer, error) {
	return agent.Answer{}, errors.New("nobody answered")
}

// A tool panics, never returns, or gives 40 MB: bounded, and the model is told.
func TestToolsMisbehave(t *testing.T) {
	t.Parallel()
	flood := 20 << 17
	if corpustest.UnderRace { // counting 16 MB takes it half a minute
		flood = 1 << 10
	}
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		k := begin(
			t, script.New(script.Calls(call("1", "panics"), call("2", "hangs"), call("3", "slow"), call("4", "fails"), call("5", "floods"), call("6", "silent"), call("7", "nosuch"), call("8", "look", "[")),
				script.Text("Well.")),
			tool("panics", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) { panic("boom") }),
			tool("hangs", toolbox.Unknown, func(context.Context, toolbox.Call) (toolbox.Result, error) { <-release; return says("late") }),
			tool("slow", toolbox.Reads, func(ctx context.Context, _ toolbox.Call) (toolbox.Result, error) {
				<-ctx.Done()
				return says("what it had")
			}),
			tool("fails", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) {
				return toolbox.Result{}, errors.New("no oven")
			}),
			tool("floods", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) {
				return says(strings.Repeat("flooding ", flood))
			}),
			tool("silent", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) { return toolbox.Result{}, nil }),
		)
		if stop := k.stop("Go."); stop.Reason != agent.Answered {
			t.Errorf("%+v", stop)
		}
		close(release)
		want := map[string]string{
			"1": "the tool failed: boom", "2": "Stopped: it took longer than 10m0s. it did not end when it was told to, and may go on",
			"3": "what it had", "4": "no oven", "6": "(no output)", "7": `There is no tool "nosuch".`, "8": "the arguments are not an object",
		}
		for e := range k.Session().Log().Entries() {
			if r, ok := e.Payload.(tenfold.ToolResult); ok {
				text := tenfold.TextLines(r)
				if r.CallID == "5" {
					if !corpustest.UnderRace && (len(text) > 17<<20 || !strings.Contains(text, "bytes are left out here")) {
						t.Errorf("%d bytes are stored", len(text))
					}
				} else if !strings.HasPrefix(text, want[r.CallID]) {
					t.Errorf("%s: %q, want %q", r.CallID, text, want[r.CallID])
				}
			}
		}
		for it := range k.Session().Projection().Items() {
			if it.Tokens > 26_000 {
				t.Errorf("the model is shown %d tokens", it.Tokens)
			}
		}
	})
}

// failing is a store that fails from its nth append on, as with a full disk.
type failing struct {
	store.Store

	left int
}

var errFull = errors.New("no space left on device")

func (f *failing) Append(ctx context.Context, b store.Batch) (int64, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return f.Store.Append(ctx, b)
}

// The store fails from the nth append on: the run ends with its error, what was told
// of is stored, and once there is room again the conversation goes on to its end.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	for n := range 40 {
		f := &failing{memory.New(), n}
		ran := map[string]int{}
		counted := tool("edits", toolbox.Edits, func(_ context.Context, c toolbox.Call) (toolbox.Result, error) {
			ran[c.ID]++
			return says("edited")
		})
		model := script.Choose(func(s script.Shown) script.Answer {
			switch {
			case strings.Contains(s.Body, "You are a sub-agent"):
				return script.Text("The part is done.")
			case strings.Contains(s.Body, `"id":"2"`):
				return script.Text("Done.")
			case strings.Contains(s.Body, `"id":"1"`):
				return script.Calls(call("2", "task", `{"prompt":"Do a part."}`), call("3", "look"))
			}
			if strings.Contains(s.Body, `"id":"0"`) {
				return script.Calls(call("1", "edits"))
			}
			return script.Calls(call("0", "edits"), call("1", "edits"))
		})
		k := beginIn(t, f, model, counted)
		told := int64(0)
		var err error
		for e, fault := range k.Run(t.Context(), tenfold.TextPart("Go.")) {
			if err = fault; e.Appended != nil {
				told = e.Appended.Seq
			}
		}
		if err == nil {
			if n < 12 {
				t.Errorf("it took no more than %d appends", n)
			}
			break
		}
		if !errors.Is(err, errFull) || told != k.Session().Log().Version() {
			t.Errorf("full at append %d: %v; told of %d entries, %d are stored", n, err, told, k.Session().Log().Version())
		}
		f.left = 1 << 20
		again := beginIn(t, f, model, counted)
		parts := []string{"Go."}
		if again.Session().Log().Turns() > 0 {
			parts = nil
		}
		stop := again.stop(parts...)
		if log := again.shows(); stop.Reason != agent.Answered || !slices.Contains(log, "assistant: Done.") || ran["0"] > 1 || ran["1"] > 1 {
			t.Errorf("full at append %d: it goes on to %+v, runs %v:\n%s", n, stop, ran, strings.Join(log, "\n"))
		}
	}
}

// The configuration is told when it changes, and only then; so is the context of a
// turn.
func TestConfigurationIsToldWhenItChanges(t *testing.T) {
	t.Parallel()
	st := memory.New()
	today := "<environment_context>Monday</environment_context>"
	about := func(o *agent.Options) { o.Context = func() string { return today } }
	run := func(model *script.Model, change ...func(*agent.Options)) *talk {
		k := beginIn(t, st, model, append(change, about)...)
		k.stop("Go.")
		return k
	}
	run(script.New(script.Text("One.")))
	k := run(script.New(script.Text("Two."), script.Text("Three.")))
	k.wants("config_delta", "turn_start", "context: "+today, "user: Go.", "assistant: One.", "usage", "turn_start", "user: Go.", "assistant: Two.", "usage")
	yesterday := today
	today = "<environment_context>Tuesday</environment_context>"
	k.stop("On.")
	if log := k.shows(); log[len(log)-4] != "context: "+today || !strings.Contains(k.model.Shown()[1].Body, yesterday) {
		t.Errorf("%q", log)
	}
	k = run(script.New(script.Text("Four.")), func(o *agent.Options) { o.System = "Be brief." })
	if c := k.Session().Projection().Config(); c.System != "Be brief." {
		t.Errorf("%+v", c)
	}
	n := 0
	for _, line := range k.shows() {
		if line == "config_delta" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d configurations", n)
	}
}

// A call that a log from elsewhere left open is never run: who knows whether it was.
func TestForeignCallsAreNotRun(t *testing.T) {
	t.Parallel()
	st := memory.New()
	_, err := session.NewService(st).Create(t.Context(), session.Create{ID: "talk", Entries: []tenfold.Entry{
		{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("Go.")}}, {Payload: call("1", "edit")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	k := beginIn(t, st, script.New(script.Text("Done.")))
	k.stop()
	if log := k.shows(); !strings.HasPrefix(log[4], "error 1: Interrupted: ") || log[5] != "assistant: Done." {
		t.Errorf("%q", log)
	}
	for _, p := range []tenfold.Payload{call("2", "edit"), tenfold.UserMessage{Parts: tenfold.Text("Never mind.")}} {
		if err := k.Session().Append(t.Context(), tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	k = beginIn(t, st, script.New(script.Text("Well.")))
	k.stop("On.")
	if log := strings.Join(k.shows(), "\n"); strings.Contains(log, "error 2") {
		t.Errorf("an answer comes before the message that went over the call: %s", log)
	}
}

// A person who goes on to something else after a crash leaves the calls unanswered:
// the model is told which of them may have been run, a sub-agent's work among them.
func TestOpenCallsAreToldTruly(t *testing.T) {
	t.Parallel()
	st := memory.New()
	k := beginIn(t, st, script.New(script.Text("Done.")))
	k.stop("Begin.")
	open := []tenfold.Entry{
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("Go.")}},
		{Payload: call("1", "edit")},
		{Payload: call("2", "edit")},
		{ID: "task", Payload: call("3", "task", `{"prompt":"Do a part."}`)},
		{Payload: call("4", "task", `{"prompt":"Do a part."}`)},
		{Payload: tenfold.Usage{Input: 1}},
		{Payload: tenfold.Approval{State: tenfold.ApprovalGranted, CallID: "1"}},
	}
	if err := k.Session().Append(t.Context(), open...); err != nil {
		t.Fatal(err)
	}
	e, _ := k.Session().Log().Lookup("task")
	if err := k.Session().Append(t.Context(), tenfold.Entry{Branch: fmt.Sprintf("root.task%d", e.Seq), Payload: tenfold.UserMessage{Parts: tenfold.Text("Do a part.")}}); err != nil {
		t.Fatal(err)
	}
	again := beginIn(t, st, script.New(script.Text("Well.")))
	again.stop("Something else.")
	for i, want := range []string{"error 1: Interrupted: the", "error 2: Interrupted before", "error 3: Interrupted: the", "error 4: Interrupted before", "turn_start", "user: Something"} {
		if log := again.shows(); !strings.HasPrefix(log[len(open)+6+i], want) {
			t.Errorf("%q, want %q", log[len(open)+6+i], want)
		}
	}
}

// What cannot be observed ends the run.
func TestObserverEndsTheRun(t *testing.T) {
	t.Parallel()
	full := errors.New("no room for the transcript")
	k := begin(t, script.New(script.Calls(call("1", "edit")), script.Text("Done.")), func(o *agent.Options) {
		o.Observe = func(e agent.Event) error {
			if e.Running != nil {
				return full
			}
			return nil
		}
	})
	if _, err := k.run("Go."); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}
