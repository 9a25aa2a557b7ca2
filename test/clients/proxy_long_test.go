package clients

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold/internal/corpustest"
	"tenfold/internal/proxy"
	"tenfold/test/modelserver"
)

// longTurns is how many turns the long scenario has, each with a call of a tool.
const longTurns = 30

// TestRunClientsLong has each client hold thirty turns through the proxy, with a
// sub-agent, two compactions of its own, a pause after which the vendor's cache is
// cold, and an undo while it runs: what reaches the model is valid always, and what
// the client sent wherever no epoch changed it; and each answer is shown.
func TestRunClientsLong(t *testing.T) {
	if !corpustest.All() {
		t.Skip("takes minutes: run with TENFOLD_TEST_ALL=1")
	}
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			full := &atomic.Bool{} // the next answer says that the context is full
			f := proxied(t, c, func(p *Place) modelserver.Script { return p.turns(full) })
			say, compact := f.speaks(t, full)
			begun := 0
			for turn := 1; turn <= longTurns; turn++ {
				if turn == 10 || turn == 20 {
					compact()
				}
				if turn == 15 { // the vendor has forgotten all by then
					f.later.Add(int64(3 * time.Hour))
				}
				if out := say(fmt.Sprintf("This is turn %d.", turn)); !strings.Contains(out, fmt.Sprintf("Answer %d.", turn)) {
					t.Fatalf("turn %d: the client says %s", turn, out)
				}
				_, now := f.holds(t)
				if turn == 15 {
					t.Logf("after the pause %d epochs began", now-begun)
				}
				begun = now
			}
			edited, _ := f.holds(t)
			t.Logf("%d requests, %d edited, %d epochs: %+v", len(f.pairs()), edited, begun, f.keeper.Status())
			if edited < longTurns/3 || begun < 3 {
				t.Errorf("%d requests were edited, %d epochs began", edited, begun)
			}
			f.undone(t, say)
		})
	}
}

// turns answers each prompt with a call of a tool and then with its number. One turn
// has a sub-agent do the work, where the client has such.
func (p *Place) turns(full *atomic.Bool) modelserver.Script {
	agents := map[string]modelserver.Block{
		"claude-code": call("Agent", map[string]any{"description": "Count", "prompt": "Count for me.", "subagent_type": "general-purpose", "run_in_background": false}),
		"opencode":    call("task", map[string]any{"description": "Count", "prompt": "Count for me.", "subagent_type": "general"}),
	}
	return func(r modelserver.Request) modelserver.Reply {
		turn, called := 0, false
		lines := History(r, false)
		for i, l := range slices.Backward(lines) {
			if _, rest, ok := strings.Cut(l.Text, "This is turn "); ok && l.Role == "user" && l.Kind == "text" {
				n, _, _ := strings.Cut(rest, ".")
				turn, _ = strconv.Atoi(n)
				called = slices.ContainsFunc(lines[i:], func(l Line) bool { return l.Kind == "result" })
				break
			}
		}
		agent, has := agents[p.Client.Name]
		switch {
		case !r.Main():
			return modelserver.Sequence()(r)
		case len(lines) < 6 && ofAgent(r):
			return modelserver.Text("The agent counted.")
		case turn == 0:
			return modelserver.Text("<summary>They count.</summary>") // a compaction of the client's own
		case called:
			answer := modelserver.Thinking("Enough.", modelserver.Text(fmt.Sprintf("Answer %d.", turn)))
			if full.CompareAndSwap(true, false) {
				answer.Usage = &modelserver.Usage{Input: 260_000, Output: 10}
			}
			return answer
		case turn == 5 && has:
			return modelserver.Thinking("They can do it.", modelserver.Calls(agent))
		}
		return modelserver.Thinking("Hm.", modelserver.Saying("I count.", modelserver.Calls(p.Client.Runs(fmt.Sprintf("seq %d %d", 10_000*turn, 10_000*turn+1200)))))
	}
}

// speaks gives how a person says something to a client, and has it compact by
// itself, where that can be done from outside.
func (f *front) speaks(t *testing.T, full *atomic.Bool) (say func(prompt string) string, compact func()) {
	t.Helper()
	if f.Client.Name == "opencode" {
		o := f.serve()
		s := o.begin()
		say = func(prompt string) string {
			return string(o.ask("POST", "/session/"+s.ID+"/message", `{"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"},"parts":[{"type":"text","text":"`+prompt+`"}]}`))
		}
		return say, func() { o.compact(s) }
	}
	var s Session
	say = func(prompt string) (out string) {
		if s.ID == "" {
			s, out = f.Begin(prompt)
			return out
		}
		return f.Resume(s, prompt)
	}
	switch f.Client.Name {
	case "claude-code":
		return say, func() { f.Resume(s, "/compact") }
	case "pi": // whose estimate of these numbers is low
		f.Write(filepath.Join(f.Home, ".pi", "agent", "settings.json"), `{"compaction":{"keepRecentTokens":4000}}`)
		return say, func() { f.commands(s, `{"type":"compact"}`) }
	case "codex":
		config := filepath.Join(f.Home, ".codex", "config.toml")
		f.Write(config, "model_auto_compact_token_limit = 250000\n"+f.read(config))
		return say, func() { full.Store(true) }
	}
	return say, func() {}
}

// undone holds that an undo by another process counts from the next request on,
// while the client runs.
func (f *front) undone(t *testing.T, say func(prompt string) string) {
	t.Helper()
	all := f.keeper.Status()
	at := slices.IndexFunc(all, func(c proxy.Conversation) bool { return c.Epochs > 0 && c.Passing == "" })
	if at < 0 {
		t.Fatalf("no conversation has epochs: %+v", all)
	}
	f.tenfold("conversation", "undo", all[at].ID)
	pairs := f.pairs()
	before := len(pairs[len(pairs)-1].request.Body)
	say("This is turn 99.")
	for _, p := range f.pairs()[len(pairs):] {
		if p.request.Main() {
			t.Logf("after the undo %d bytes went, %d before, of %d", len(p.request.Body), before, len(p.sent))
			break
		}
	}
	f.holds(t)
}
