package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// long is a model that reads much, and then answers.
func long(calls int, then ...script.Answer) *script.Model {
	var all []script.Answer
	for i := range calls {
		all = append(all, script.Calls(call(fmt.Sprint(i), "big")))
	}
	return script.New(append(all, then...)...)
}

func compactions(k *talk) (n int) {
	for _, line := range k.shows() {
		if line == "compaction" {
			n++
		}
	}
	return n
}

// Issue 18, 4: a request that is too large is answered by one compaction, and sent
// again; the second time the context is exceeded (A6).
func TestA6TooLargeIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	large := script.Fail(&provider.Error{Kind: provider.TooLarge, Message: "prompt is too long", Used: 9000, Limit: 6000})
	k := begin(t, long(5, large, script.Text("It fits."), large, large), big)
	if stop := k.stop("Go."); stop.Reason != agent.Answered || compactions(k) != 1 {
		t.Errorf("%+v with %d compactions", stop, compactions(k))
	}
	if g := k.Gauge(); g.Window != 6000 {
		t.Errorf("the window is %d, and the provider said 6000", g.Window)
	}
	if stop := k.stop("Again."); stop.Reason != agent.Exceeded {
		t.Errorf("nothing more to free: %+v", stop)
	}
	k = begin(t, long(9, large, large, script.Text("Never.")), big)
	if stop := k.stop("Go."); stop.Reason != agent.Exceeded || compactions(k) != 1 || len(k.model.Shown()) != 11 {
		t.Errorf("the second time: %+v, %d compactions, %d requests", stop, compactions(k), len(k.model.Shown()))
	}
}

// A2, A7: the loop compacts by itself when the context fills, tells of it, and goes on.
func TestA2LoopGoesOnAfterACompaction(t *testing.T) {
	t.Parallel()
	k := begin(t, long(30, script.Text("Done.")), big, func(o *agent.Options) { o.Live.Request.Options.Window = 8000 })
	events, err := k.run("Go.")
	if err != nil {
		t.Fatal(err)
	}
	var actions []session.Action
	for _, e := range events {
		if e.Compaction != nil {
			actions = append(actions, e.Compaction.Action)
		}
	}
	if len(actions) < 4 || len(actions)%2 != 0 || actions[0] != session.Compact || actions[1] != session.Compacted || compactions(k) < 2 {
		t.Errorf("events %v, %d compactions", actions, compactions(k))
	}
	for _, shown := range k.model.Shown() {
		if tokens := (tenfold.Chars4{}).Count(shown.Body); tokens > 8000 {
			t.Errorf("a request of %d tokens", tokens)
		}
	}
	n := k.Gauge().Compactions
	if changed, err := k.Undo(t.Context()); err != nil || len(changed) == 0 || n != compactions(k) {
		t.Errorf("undo of %d: %v, %v", n, changed, err)
	}
	if _, err := k.Redo(t.Context()); err != nil {
		t.Error(err)
	}
}

// sameID is a model whose server gives every response one id.
type sameID struct{ *script.Model }

func (m sameID) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		for e, err := range m.Model.Stream(ctx, r) {
			if e.MessageID != "" {
				e.MessageID = "chatcmpl"
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// L6: each response is a step, whatever its id. As one step all would stay, until the
// context is exceeded.
func TestOneIDForEveryResponse(t *testing.T) {
	t.Parallel()
	model := long(80, script.Text("Done."))
	k := begin(t, model, big, func(o *agent.Options) { o.Model, o.Live.Request.Options.Window = sameID{model}, 8000 })
	stop := k.stop("Go.")
	if turn, _ := k.Session().Log().Turn(0); stop.Reason != agent.Answered || turn.Steps != 81 {
		t.Errorf("%+v, a turn of %d steps", stop, turn.Steps)
	}
}

// V3: a result that is too long is stored whole, and trimmed before a model sees it.
func TestV3ResultsAreTrimmedAtBirth(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ok in oven.go\n", 2000) + "FAIL: the cake is burnt\n" + strings.Repeat("ok in cake.go\n", 2000)
	k := begin(t, script.New(script.Calls(call("1", "much")), script.Text("Done.")), func(o *agent.Options) { o.TrimOver = 1000 },
		tool("much", toolbox.Commands, func(context.Context, toolbox.Call) (toolbox.Result, error) { return says(text) }))
	k.stop("Go.")
	p := k.Session().Projection()
	for it := range p.Items() {
		r, ok := it.Payload.(tenfold.ToolResult)
		if !ok {
			continue
		}
		e, _ := p.Log().Entry(it.Seq)
		if whole := tenfold.TextLines(e.Payload); whole != text {
			t.Errorf("%d bytes are stored of %d", len(whole), len(text))
		}
		shown := tenfold.TextLines(r)
		if it.Fate != tenfold.Trimmed || it.Tokens > 1000 || !strings.Contains(shown, "the cake is burnt") || !strings.Contains(shown, "recall "+session.Handle("talk")) {
			t.Errorf("%s, %d tokens: %s", it.Fate, it.Tokens, shown)
		}
	}
	if p.Note() != "" || strings.Contains(k.model.Shown()[1].Body, "are shortened") {
		t.Error("the beginning of the view changed: the prompt cache is lost")
	}
	if _, err := k.Undo(t.Context()); !errors.Is(err, session.ErrNothingToUndo) || k.Gauge().Compactions != 0 || k.Gauge().Method != agent.Reported {
		t.Errorf("it counts as a compaction: %v, %+v", err, k.Gauge())
	}
}

// V3: the last step is never compacted, so that the results of one response are shortened
// where together they would fill the window; the conversation goes on in any window.
func TestV3ResultsLeaveRoomInTheWindow(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 5, 40} {
		var calls []tenfold.Payload
		for i := range n {
			calls = append(calls, call(fmt.Sprint(i), "much"))
		}
		step := script.Answer{Blocks: append(calls, call("small", "look"))}
		k := begin(t, script.New(step, step, script.Text("Done.")), func(o *agent.Options) { o.Live.Request.Options.Window = 8000 },
			tool("much", toolbox.Reads, func(context.Context, toolbox.Call) (toolbox.Result, error) {
				return says(strings.Repeat("ok in oven.go\n", 2500))
			}))
		if stop := k.stop("Go."); stop.Reason != agent.Answered {
			t.Errorf("%d calls: %+v", n, stop)
		}
		for _, shown := range k.model.Shown() {
			if tokens := (tenfold.Chars4{}).Count(shown.Body); tokens > 8000 {
				t.Errorf("%d calls: a request of %d tokens", n, tokens)
			}
		}
		var shown []int
		for e := range k.Session().Log().Entries() {
			if c, ok := e.Payload.(tenfold.Compaction); ok && c.AtBirth() {
				shown = append(shown, c.TokensAfter)
			}
		}
		if len(shown) != 2*n || n < 40 && shown[0] < 1000 {
			t.Errorf("%d calls: results are shortened to %d tokens", n, shown)
		}
	}
}

// B1: thinking that was made under a view which somebody compacted meanwhile stands behind
// the compaction in the log, and is bound to what stood before: it is not sent again.
func TestB1ThinkingMadeWhileSomebodyCompacts(t *testing.T) {
	t.Parallel()
	for _, changes := range []bool{false, true} {
		st, n := memory.New(), 0
		k := beginIn(t, st, script.Choose(func(s script.Shown) script.Answer {
			if n++; n == 4 {
				return script.Text("Done.")
			}
			if n == 3 && changes {
				other, err := session.NewService(st).Open(t.Context(), "talk")
				if err != nil {
					t.Fatal(err)
				}
				if d, err := other.Compact(t.Context(), session.Request{Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}, Strategies: []strategy.Strategy{strategy.StripTools{}}}); err != nil || d.Outcome != session.Applied {
					t.Fatal(d.Outcome, d.Reason, err)
				}
			}
			return script.Answer{Blocks: []tenfold.Payload{
				tenfold.Reasoning{Text: fmt.Sprintf("Thought %d.", n), Provider: "anthropic", Signature: fmt.Sprintf("sig%d", n)}, call(fmt.Sprint(n), "big"),
			}}
		}), big)
		if stop := k.stop("Go."); stop.Reason != agent.Answered {
			t.Errorf("%+v", stop)
		}
		last := k.model.Shown()[3].Body
		if strings.Contains(last, "sig3") == changes || strings.Contains(last, "sig2") == changes {
			t.Errorf("somebody compacted: %v, and the next request is\n%s", changes, last)
		}
		if text := strings.Join(k.shows(), "\n"); strings.Count(text, "reasoning") != 3 {
			t.Errorf("the log is\n%s", text)
		}
	}
}

// A8: the model asks for a compaction, and it comes after the step, with its focus.
func TestA8ModelAsksToCompact(t *testing.T) {
	t.Parallel()
	k := begin(t, long(5, script.Calls(call("c", "compact", `{"focus":"the oven"}`)), script.Text("Done.")), big)
	k.stop("Go.")
	focus := ""
	for e := range k.Session().Log().Entries() {
		if a, ok := e.Payload.(tenfold.CompactionAttempt); ok && a.State == tenfold.AttemptBegun {
			focus = a.Focus
		}
	}
	if focus != "the oven" || compactions(k) != 1 || len(k.model.Shown()) != 7 {
		t.Errorf("focus %q, %d compactions, %d requests", focus, compactions(k), len(k.model.Shown()))
	}
}

// A9: recall gives raw entries back, within 2,000 tokens.
func TestA9ModelRecalls(t *testing.T) {
	t.Parallel()
	calls := []tenfold.ToolCall{
		call("q", "recall", `{"query":"bake"}`), call("r", "recall", fmt.Sprintf(`{"ref":"%s:6"}`, session.Handle("talk"))),
		call("x", "recall", `{"ref":"nonsense"}`), call("y", "recall", `{}`), call("z", "recall", `{"ref":"000000:6"}`), call("n", "recall", `{"query":"…"}`),
	}
	k := begin(t, long(2, script.Calls(calls...), script.Text("Done.")), big)
	k.stop("Go.")
	log := k.Session().Log()
	for e := range log.Entries() {
		r, ok := e.Payload.(tenfold.ToolResult)
		if !ok || r.CallID < "a" {
			continue
		}
		text := tenfold.TextLines(r)
		if tokens := log.Counter().Count(text); tokens > session.RecallTokens {
			t.Errorf("%s has %d tokens", r.CallID, tokens)
		}
		good := r.CallID == "q" || r.CallID == "r"
		if good != (r.Outcome == tenfold.Success) || good != strings.Contains(text, "func bake()") {
			t.Errorf("%s: %s", r.CallID, text)
		}
	}
	if !slices.Contains(k.shows(), "recalled") {
		t.Error("that it was recalled is not recorded")
	}
}

// A switch to a model with a smaller window compacts before the next request.
func TestSwitchToASmallerWindow(t *testing.T) {
	t.Parallel()
	k := begin(t, long(8, script.Text("Done.")), big)
	k.stop("Go.")
	small := script.New(script.Text("Small."))
	small.As("script/small", small.Profile())
	live := session.Live{Auto: session.LiveAuto{Enabled: true}}
	live.Request.Options.Window = 5000
	if err := k.Switch(t.Context(), small, live); err != nil {
		t.Fatal(err)
	}
	if g := k.Gauge(); g.Window != 5000 || g.Tokens < 5000 {
		t.Errorf("%+v", g)
	}
	k.stop("On.")
	if tokens := (tenfold.Chars4{}).Count(small.Shown()[0].Body); compactions(k) == 0 || tokens > 5000 || k.Session().Projection().Config().Model != "script/small" {
		t.Errorf("%d compactions, the request has %d tokens, the model is %s", compactions(k), tokens, k.Session().Projection().Config().Model)
	}
}

// L7: a sub-agent's context is its own, and compacts itself; the root's does not
// notice.
func TestSubAgentCompactsItself(t *testing.T) {
	t.Parallel()
	for _, s := range []strategy.Strategy{strategy.Fit{}, strategy.Summarize{}} {
		subAgentCompactsItself(t, s)
	}
}

func subAgentCompactsItself(t *testing.T, with strategy.Strategy) {
	t.Helper()
	n := 0
	k := begin(t, script.Choose(func(s script.Shown) script.Answer {
		if !strings.Contains(s.Body, "You are a sub-agent") {
			if strings.Contains(s.Body, "tool_result") {
				return script.Text("Done.")
			}
			return script.Calls(call("t", "task", `{"prompt":"Read much."}`))
		}
		if !strings.Contains(s.Body, "Read much.") {
			t.Error("a sub-agent is not shown its task")
		}
		if tokens := (tenfold.Chars4{}).Count(s.Body); tokens > 8000 {
			t.Errorf("a sub-agent's request has %d tokens", tokens)
		}
		if n++; n > 20 {
			return script.Text("I have read it.")
		}
		return script.Calls(call(fmt.Sprint(n), "big"))
	}), big, func(o *agent.Options) {
		o.Live.Request.Options.Window, o.Live.Auto.Strategies = 8000, []strategy.Strategy{with}
	})
	if stop := k.stop("Go."); stop.Reason != agent.Answered || stop.Steps != 23 {
		t.Errorf("%+v: %s", stop, strings.Join(k.shows(), "\n"))
	}
	own := 0
	for e := range k.Session().Log().Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok {
			if e.Branch == "" {
				t.Errorf("the root has an overlay of %s", c.Strategy)
			}
			own++
		}
	}
	if own < 3 {
		t.Errorf("%d overlays on the branch", own)
	}
}

// V5: the call of a sub-agent that is alive is not hidden by a compaction that
// somebody else makes meanwhile, and the sub-agent goes on.
func TestV5SubAgentAliveDuringACompaction(t *testing.T) {
	t.Parallel()
	st := memory.New()
	k := beginIn(t, st, script.Choose(func(s script.Shown) script.Answer {
		switch {
		case strings.Contains(s.Body, "You are a sub-agent") && strings.Contains(s.Body, `"id":"x"`):
			return script.Text("The part is done.")
		case strings.Contains(s.Body, "You are a sub-agent"):
			return script.Calls(call("x", "compacts"))
		case strings.Contains(s.Body, "The part is done."):
			return script.Text("Done.")
		case strings.Contains(s.Body, `"id":"0"`):
			return script.Calls(call("t", "task", `{"prompt":"Do a part."}`))
		}
		return script.Calls(call("0", "big"))
	}), big, tool("compacts", toolbox.Unknown, func(ctx context.Context, _ toolbox.Call) (toolbox.Result, error) {
		other, err := session.NewService(st).Open(ctx, "talk")
		if err != nil {
			return toolbox.Result{}, err
		}
		d, err := other.Compact(ctx, session.Request{Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}})
		return toolbox.Result{Parts: tenfold.Text(string(d.Outcome)), Outcome: tenfold.Success}, err
	}))
	if stop := k.stop("Go."); stop.Reason != agent.Answered {
		t.Errorf("%+v", stop)
	}
	log := strings.Join(k.shows(), "\n")
	if !strings.Contains(log, "result x: applied") || !strings.Contains(log, "result t: The part is done.") {
		t.Errorf("%s", log)
	}
	for it := range k.Session().Projection().Items() {
		if c, ok := it.Payload.(tenfold.ToolCall); ok && c.CallID == "t" && it.Fate != tenfold.Kept {
			t.Errorf("the sub-agent's call is %s", it.Fate)
		}
	}
}
