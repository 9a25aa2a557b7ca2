package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/body"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// Limits stop a run with their reason, nothing is lost, and the next run goes on.
func TestLimitsStopARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		usage := tenfold.Usage{Input: 300_000, CacheRead: 300_000, CacheWrite: 300_000, Output: 100_000} // of the model that was asked
		answer := script.Answer{Blocks: []tenfold.Payload{call("1", "look")}, Usage: usage, Before: time.Minute}
		for name, c := range map[string]struct {
			limits agent.Limits
			prices provider.Prices
			steps  int
			detail string
		}{
			"steps":    {agent.Limits{Steps: 2}, nil, 2, "2 steps"},
			"tokens":   {agent.Limits{Tokens: 3_000_000}, nil, 3, "3,000,000 tokens is reached: 3,000,000 tokens were"},
			"dollars":  {agent.Limits{Dollars: 2}, provider.Prices{"m": {Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1}}, 2, "$2.00"},
			"no price": {agent.Limits{Dollars: 2}, provider.Prices{}, 1, "price of m is not known"},
			"time":     {agent.Limits{Time: 150 * time.Second}, nil, 2, "2m30s"},
		} {
			model := script.New(answer, answer, answer, answer, script.Text("Done.")).As("m", body.Anthropic())
			k := begin(t, model, func(o *agent.Options) {
				o.Limits, o.Prices, o.Live.Auto.Enabled = c.limits, c.prices, false
			})
			stop := k.stop("Go.")
			if stop.Reason != agent.Limited || stop.Steps != c.steps || !strings.Contains(stop.Detail, c.detail) {
				t.Errorf("%s: %+v", name, stop)
			}
			for range 5 {
				stop = k.stop()
			}
			if log := k.shows(); stop.Reason != agent.Answered || log[len(log)-2] != "assistant: Done." {
				t.Errorf("%s: it goes on with %+v to %q", name, stop, log)
			}
		}
	})
}

var big = tool("big", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) {
	return says(strings.Repeat("func bake() { /* in oven.go */ }\n", 100))
})

// An answer whose price is not known says that the limit of money is not kept; nor is a
// summary free that a model was paid for.
func TestMoneyIsCountedWhole(t *testing.T) {
	t.Parallel()
	usage := tenfold.Usage{Model: "m", Input: 900_000, Output: 100_000}
	limited := func(prices provider.Prices) func(*agent.Options) {
		return func(o *agent.Options) {
			o.Limits, o.Prices, o.Live.Auto.Enabled = agent.Limits{Dollars: 2}, prices, false
		}
	}
	k := begin(t, script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "Done."}}, Usage: usage}), limited(provider.Prices{}))
	if stop, want := k.stop("Go."), (agent.Stop{Reason: agent.Answered, Detail: "the limit of $2.00 cannot be kept: the price of m is not known", Steps: 1}); stop != want {
		t.Errorf("%+v, want %+v", stop, want)
	}

	st := memory.New()
	summarises := tool("summarises", toolbox.Unknown, func(ctx context.Context, _ toolbox.Call) (toolbox.Result, error) {
		other, err := session.NewService(st).Open(ctx, "talk")
		if err != nil {
			return toolbox.Result{}, err
		}
		return toolbox.Result{}, other.Append(ctx, tenfold.Entry{Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: "Short.", Model: "m", Usage: &tenfold.Usage{Input: 1_500_000}}}})
	})
	k = beginIn(t, st, script.New(script.Answer{Blocks: []tenfold.Payload{call("1", "summarises")}, Usage: usage}, script.Text("Done.")),
		limited(provider.Prices{"m": {Input: 1, Output: 1}}), summarises)
	if stop, want := k.stop("Go."), (agent.Stop{Reason: agent.Limited, Detail: "the limit of $2.00 is reached: $2.50 were spent; the next run goes on", Steps: 1}); stop != want {
		t.Errorf("%+v, want %+v", stop, want)
	}
	if err := k.Do(func(*session.Session) error { return nil }); err != nil { // it is measured anew
		t.Fatal(err)
	}
	if g := k.Gauge(); g.Dollars == nil || *g.Dollars != 2.5 || g.Spent.Input != 2_400_000 {
		t.Errorf("%+v", g)
	}
}

// No run goes on with a sub-agent that a limit stopped: what a model is told of it says
// no such thing.
func TestStoppedSubAgentIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(script.Calls(call("t", "task", `{"prompt":"Do a part."}`)), script.Calls(call("x", "look")), script.Text("Well.")),
		func(o *agent.Options) { o.Limits.Steps = 2 })
	if stop := k.stop("Go."); stop.Detail != "the limit of 2 steps is reached; the next run goes on" {
		t.Errorf("%+v", stop)
	}
	if log := k.shows(); log[len(log)-1] != "error t: The sub-agent stopped before it was done: limit: the limit of 2 steps is reached." {
		t.Errorf("%q", log[len(log)-1])
	}
}

// A message that no request can hold is refused: nothing compacts the last message of a
// person, and the conversation could never go on.
func TestAMessageLongerThanTheContextIsNotAdded(t *testing.T) {
	t.Parallel()
	k := begin(t, script.New(script.Text("Done."), script.Text("Done again.")), func(o *agent.Options) { o.Live.Request.Options.Window = 10_000 })
	k.stop("Go.")
	_, err := k.run(strings.Repeat("A line of a paste.\n", 3000))
	if p, ok := errors.AsType[*problem.Error](err); !ok || p.Code != "message_too_long" || !strings.Contains(p.Problem, "14,250 tokens") {
		t.Errorf("%v", err)
	}
	if stop := k.stop("And now?"); stop.Reason != agent.Answered {
		t.Errorf("it goes on with %+v", stop)
	}
}

// A provider of one's own that says something in a person's place, or lays an overlay, is
// an error: its message would be answered, and so would be that answer, without an end.
func TestAModelWritesNothingThatIsNotAModels(t *testing.T) {
	t.Parallel()
	for _, block := range []tenfold.Payload{
		tenfold.UserMessage{Parts: tenfold.Text("Go on.")},
		tenfold.TurnStart{},
		tenfold.Compaction{Turns: tenfold.Omit},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("done")},
	} {
		answer := script.Answer{Blocks: []tenfold.Payload{block}}
		k := begin(t, script.New(answer, answer, script.Text("Done.")), func(o *agent.Options) { o.Limits.Steps = 3 })
		_, err := k.run("Go.")
		if provider.KindOf(err) != provider.Invalid || !strings.Contains(err.Error(), "which no model writes") {
			t.Errorf("%s: %v", block.Kind(), err)
		}
		if last, _ := k.Session().Log().Entry(k.Session().Log().Version()); last.Payload.Kind() == block.Kind() && block.Kind() != tenfold.KindUserMessage {
			t.Errorf("%s is in the log", block.Kind())
		}
	}
}

// panics panics where it is asked first: at once, or amid its answer, after a call.
type panics struct {
	provider.Model
	amid  bool
	asked int
}

func (p *panics) Stream(ctx context.Context, q provider.Request) iter.Seq2[provider.Event, error] {
	if p.asked++; p.asked > 1 {
		return p.Model.Stream(ctx, q)
	}
	return func(yield func(provider.Event, error) bool) {
		if p.amid && !yield(provider.Event{Block: tenfold.ToolCall{CallID: "c", Name: "echo", Arguments: `{"text":"a"}`}}, nil) {
			return
		}
		panic("it broke")
	}
}

// A provider of one's own that panics is an error of its step, and the next run goes on.
func TestAModelThatPanics(t *testing.T) {
	t.Parallel()
	for _, amid := range []bool{false, true} {
		k := begin(t, script.New(script.Text("Done.")), func(o *agent.Options) { o.Model = &panics{Model: o.Model, amid: amid} })
		if _, err := k.run("Go."); provider.KindOf(err) != provider.Invalid || !strings.Contains(err.Error(), "the provider failed: it broke") {
			t.Errorf("it ends with %v", err)
		}
		if stop := k.stop("And now?"); stop.Reason != agent.Answered {
			t.Errorf("it goes on with %+v", stop)
		}
	}
}
