package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// What an agent cannot do without is missed when it is made, not when it runs.
func TestAnAgentNeedsASessionAModelAndTools(t *testing.T) {
	t.Parallel()
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{})
	if err != nil {
		t.Fatal(err)
	}
	model := script.New()
	for want, lacking := range map[string]func() (*agent.Agent, error){
		"no session": func() (*agent.Agent, error) { return agent.New(nil, agent.Options{Model: model}) },
		"no model":   func() (*agent.Agent, error) { return agent.New(s, agent.Options{}) },
		"tool 1 of 1 is nil": func() (*agent.Agent, error) {
			return agent.New(s, agent.Options{Model: model, Tools: []toolbox.Tool{nil}})
		},
	} {
		if _, err := lacking(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %s it is made: %v", want, err)
		}
	}
}

// Two programs have one conversation, as two terminals do: no call runs in both, none runs
// that the model was told is not run, and none is said to have ended with a program that
// still runs it.
func TestTwoProgramsRunNoCallTwice(t *testing.T) {
	t.Parallel()
	for name, message := range map[string][]string{"one goes on to something else": {"Something else."}, "one goes on": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := memory.New()
			t.Cleanup(func() { _ = st.Close() })
			var ran []string
			var other *talk
			edits := tool("edits", toolbox.Edits, func(_ context.Context, c toolbox.Call) (toolbox.Result, error) {
				if ran = append(ran, c.ID); c.ID == "1" && other == nil { // in the first program
					other = beginIn(t, st, script.New(script.Text("Well.")), tool("edits", toolbox.Edits, func(_ context.Context, c toolbox.Call) (toolbox.Result, error) {
						ran = append(ran, c.ID)
						return says("edited by the other")
					}))
					if stop := other.stop(message...); stop.Reason != agent.Answered {
						t.Errorf("the other program ends with %+v", stop)
					}
				}
				return says("edited")
			})
			k := beginIn(t, st, script.New(script.Calls(call("1", "edits"), call("2", "edits")), script.Text("Done.")), edits)
			if stop := k.stop("Go."); stop.Reason != agent.Answered {
				t.Errorf("it ends with %+v", stop)
			}
			log := strings.Join(k.shows(), "\n")
			if slices.Sort(ran); !slices.Equal(ran, slices.Compact(slices.Clone(ran))) {
				t.Errorf("calls %q ran; the log:\n%s", ran, log)
			}
			if notRun := strings.Contains(log, "error 2: Interrupted before it was run"); notRun == slices.Contains(ran, "2") {
				t.Errorf("calls %q ran; the log:\n%s", ran, log)
			}
			if !strings.Contains(log, "error 1: Interrupted: the program that ran the call ended before it did, or still runs it.") {
				t.Errorf("what is told of the call that runs is missing:\n%s", log)
			}
			results := 0
			for e := range k.Session().Log().Entries() {
				if _, ok := e.Payload.(tenfold.ToolResult); ok && k.Session().Log().Pair(e.Seq) > 0 {
					results++
				}
			}
			if results != 2 {
				t.Errorf("%d results answer the two calls:\n%s", results, log)
			}
		})
	}
}

// What another program has answered by now is not asked again: the request would end with
// what the model said.
func TestWhatAnotherProgramAnsweredIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	st := memory.New()
	k := beginIn(t, st, script.New(script.Text("Never.")), func(o *agent.Options) {
		o.Observe = func(e agent.Event) error {
			if m, ok := entry(e).(tenfold.UserMessage); !ok || m.Purpose != "" {
				return nil
			}
			other, err := session.NewService(st).Open(t.Context(), "talk")
			if err != nil {
				return err
			}
			return other.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Well."}}, tenfold.Entry{Payload: tenfold.Usage{}})
		}
	})
	if stop := k.stop("Go."); stop.Reason != agent.Answered || len(k.model.Shown()) > 0 {
		t.Errorf("%+v after %d requests", stop, len(k.model.Shown()))
	}
	k.wants("config_delta", "turn_start", "user: Go.", "assistant: Well.", "usage")
}

func entry(e agent.Event) tenfold.Payload {
	if e.Appended == nil {
		return nil
	}
	return e.Appended.Payload
}

// Where text stands behind a call, or two programs' answers and results come between each
// other, the view ends with what a model said, though something waits for an answer: a
// notice stands behind it.
func TestRequestDoesNotEndWithAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		entries []tenfold.Payload
		notice  bool
	}{
		"of another program": {[]tenfold.Payload{call("1", "look"), tenfold.Usage{}, tenfold.AssistantMessage{Text: "Theirs."}, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("a")}}, true},
		"its own":            {[]tenfold.Payload{tenfold.AssistantMessage{Text: "Ours."}, call("1", "look"), tenfold.Usage{}, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("a")}}, false},
		"behind the call":    {[]tenfold.Payload{call("1", "look"), tenfold.AssistantMessage{Text: "Ours."}, tenfold.Usage{}, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("a")}}, true},
	} {
		k := begin(t, script.New(script.Text("Well.")))
		if err := k.Do(func(s *session.Session) error {
			for _, p := range append([]tenfold.Payload{tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Go.")}}, c.entries...) {
				if err := s.Append(t.Context(), tenfold.Entry{Payload: p}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		k.stop()
		body := k.model.Shown()[0].Body
		if got := strings.Contains(body, "came after the text above"); got != c.notice {
			t.Errorf("%s: a notice is sent: %v\n%s\n%s", name, got, strings.Join(k.shows(), "\n"), body[max(len(body)-600, 0):])
		}
	}
}

// What another program says in the conversation while one answers is told as such, and
// counts as no step of the run.
func TestWhatAnotherProgramSaysIsTold(t *testing.T) {
	t.Parallel()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	var other *talk
	k := beginIn(t, st, script.Choose(func(script.Shown) script.Answer {
		if other == nil { // the other program begins and ends while this one's model answers
			other = beginIn(t, st, script.New(script.Calls(call("theirs", "look")), script.Text("Theirs.")))
			if stop := other.stop("Something else."); stop.Steps != 2 {
				t.Errorf("the other program has %d steps", stop.Steps)
			}
		}
		return script.Text("Ours.")
	}))
	events, err := k.run("Go.")
	if err != nil {
		t.Fatal(err)
	}
	var ours, theirs []string
	for _, e := range events {
		if e.Appended == nil {
			if e.Others {
				t.Errorf("%+v is of another program", e)
			}
			continue
		}
		text := string(e.Appended.Payload.Kind()) + " " + tenfold.SearchText(e.Appended.Payload)
		if e.Others {
			theirs = append(theirs, text)
		} else {
			ours = append(ours, text)
		}
	}
	said := strings.Join(theirs, "\n")
	for _, part := range []string{"turn_start", "user_message Something else.", "tool_call", "tool_result", "usage", "assistant_message Theirs."} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is missing in what others said:\n%s", part, said)
		}
	}
	if own := strings.Join(ours, "\n"); !strings.Contains(own, "user_message Go.") || !strings.Contains(own, "assistant_message Ours.") || strings.Contains(own, "heirs") {
		t.Errorf("what it said itself:\n%s", own)
	}
	if stop := events[len(events)-1].Stop; stop == nil || *stop != (agent.Stop{Reason: agent.Answered, Steps: 1}) {
		t.Errorf("it ends with %+v", stop)
	}
}
