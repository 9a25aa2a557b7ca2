package clients

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/proxy"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/test/modelserver"
	"tenfold/trigger"
)

// The long scenario has thirty turns, each with a call of a tool: in one a sub-agent
// does the work, before two the client compacts by itself, before one the vendor
// forgets all, before one the proxy is started anew, and before one more somebody
// undoes what was compacted last.
const (
	longTurns  = 30
	agentTurn  = 5
	coldTurn   = 15
	anewTurn   = 17
	undoneTurn = longTurns + 1
)

var ownTurns = []int{10, 20}

// longLive has an epoch begin by itself before the first compaction of a client's
// own and behind the last, and leaves some turns between for the cache to go cold in.
func longLive(l *session.Live) {
	l.Turns, l.Auto.Trigger, l.Micro.ClearAtLeast = 6, trigger.Tokens(40_000), 4000
	l.Request.Options.Window = 250_000
	l.Request.Bounds.Tail.Tokens = 8000
}

// complaint is what clients print where something went wrong.
var complaint = regexp.MustCompile(`(?i)\b(error|retry|retrying|reconnecting|failed|refused|invalid)\b`)

// TestRunClientsLong has each client hold thirty turns through the proxy: what
// reaches the model is valid always, and what the client sent wherever no epoch
// changed it; each answer is shown, and no complaint.
func TestRunClientsLong(t *testing.T) {
	if !corpustest.All() {
		t.Skip("takes minutes: run with TENFOLD_TEST_ALL=1")
	}
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			full := &atomic.Bool{} // the next answer says that the context is full
			f := proxied(t, c, longLive, func(p *Place) modelserver.Script { return p.turns(full) })
			talk := f.talks(t, full)
			epochs := map[int]int{} // that began, by the turn
			var now seen
			var undone []string // what had been compacted until then
			for turn := 1; turn <= undoneTurn; turn++ {
				switch {
				case slices.Contains(ownTurns, turn):
					talk.compact()
				case turn == coldTurn:
					// What rests was stored by then: histories that the client left behind
					// would be found cold too.
					time.Sleep(session.RestAfter + 2*time.Second)
					f.later.Add(int64(3 * time.Hour))
				case turn == anewTurn:
					f.close()
					f.open(t)
					talk.anew()
				case turn == undoneTurn:
					undone = f.compactions(t)
					f.undo(t)
				}
				out := talk.say(fmt.Sprintf("This is turn %d.", turn))
				if !strings.Contains(out, fmt.Sprintf("Answer %d.", turn)) || complaint.MatchString(out) {
					t.Fatalf("turn %d: the client says %s", turn, out)
				}
				before := now.epochs
				now = f.holds(t)
				epochs[turn] = now.epochs - before
			}
			f.worked(t, now, epochs, undone)
		})
	}
}

// worked holds what the long scenario is to show: which epochs began, by the turn,
// and why. Undone are the compactions that there were before the undo.
func (f *front) worked(t *testing.T, now seen, epochs map[int]int, undone []string) {
	t.Helper()
	t.Logf("%+v, by turn %v", now, epochs)
	all := f.compactions(t)
	count := func(reason string) (n int) {
		for _, r := range all {
			if strings.Contains(r, reason) {
				n++
			}
		}
		return n
	}
	// The undo is not a compaction.
	if now.edited < 10 || now.epochs > len(all)+1 {
		t.Errorf("%+v, but compactions are %q", now, all)
	}
	// What a client's own compaction leaves is another history, but Codex keeps the
	// person's messages. Claude Code keeps thinking too, is refused and sends it again
	// without, as it does without us.
	want := map[string]seen{
		"claude-code": {histories: 6, faults: 2}, "codex": {histories: 2},
		"opencode": {histories: 4}, "pi": {histories: 3}, "gemini-cli": {histories: 6},
	}[f.Client.Name]
	if now.histories != want.histories || now.faults != want.faults {
		t.Errorf("%+v, want %+v", now, want)
	}
	// Codex asks for its own right after the proxy's, and is told what there is.
	if got, want := count("the client compacts"), map[string]int{"claude-code": 2}[f.Client.Name]; got != want {
		t.Errorf("%d compactions were made for the client's own, want %d", got, want)
	}
	if got := f.triggered(); f.Client.Name == "codex" && got != len(ownTurns) {
		t.Errorf("we answered %d compactions of Codex's own, want %d", got, len(ownTurns))
	}
	if epochs[coldTurn] != 1 || count("the prompt cache is cold") != 1 {
		t.Errorf("%d epochs began after the pause: %q", epochs[coldTurn], all)
	}
	if epochs[anewTurn] != 0 {
		t.Errorf("%d epochs began as the proxy was started anew", epochs[anewTurn])
	}
	if count("the threshold is") == 0 {
		t.Errorf("none began by itself: %q", all)
	}
	for _, reason := range all { // no later than a turn after it was due (A2)
		n, _, _ := strings.Cut(reason, " tokens used")
		if used, err := strconv.Atoi(n); err == nil && used > 47_000 {
			t.Errorf("one began late: %s", reason)
		}
	}
	if epochs[undoneTurn] != 1 || !slices.Equal(all, undone) {
		t.Errorf("%d epochs began with the undo: %q, before %q", epochs[undoneTurn], all, undone)
	}
	for _, c := range f.keeper.Status() {
		if c.Passing != "" {
			t.Errorf("it is compacted no longer: %+v", c)
		}
	}
}

// compactions gives the reasons of all compactions, each once: copies of a
// conversation have those of the original.
func (f *front) compactions(t *testing.T) (reasons []string) {
	t.Helper()
	seen := map[string]bool{}
	for c, err := range f.sessions.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range f.sessions.Entries(t.Context(), c.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := e.Payload.(tenfold.Compaction); ok && !seen[e.ID] {
				seen[e.ID] = true
				reasons = append(reasons, p.Reason)
			}
		}
	}
	return reasons
}

// turns answers each prompt with a call of a tool and then with its number.
func (p *Place) turns(full *atomic.Bool) modelserver.Script {
	agents := map[string]modelserver.Block{
		"claude-code": call("Agent", map[string]any{"description": "Count", "prompt": "Count for me.", "subagent_type": "general-purpose", "run_in_background": false}),
		"opencode":    call("task", map[string]any{"description": "Count", "prompt": "Count for me.", "subagent_type": "general"}),
		"codex":       collaboration("spawn_agent", map[string]any{"task_name": "count", "message": "Count for me.", "fork_turns": "none"}),
		"gemini-cli":  call("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": "Count for me."}),
	}
	return func(r modelserver.Request) modelserver.Reply {
		turn, called, waited := 0, false, false
		lines := History(r, false)
		for i, l := range slices.Backward(lines) {
			if _, rest, ok := strings.Cut(l.Text, "This is turn "); ok && l.Role == "user" && l.Kind == "text" {
				n, _, _ := strings.Cut(rest, ".")
				turn, _ = strconv.Atoi(n)
				called = slices.ContainsFunc(lines[i:], func(l Line) bool { return l.Kind == "result" })
				waited = slices.ContainsFunc(lines[i:], func(l Line) bool { return l.Name == "wait_agent" })
				break
			}
		}
		agent, has := agents[p.Client.Name]
		// What pi and opencode keep behind their own compaction is refused where it has
		// thinking, without us as well.
		thinking := modelserver.Thinking
		if p.Client.Name != "claude-code" && slices.ContainsFunc(ownTurns, func(own int) bool { return turn >= own-3 && turn < own }) {
			thinking = func(_ string, r modelserver.Reply) modelserver.Reply { return r }
		}
		switch {
		case !r.Main():
			return modelserver.Sequence()(r)
		case len(lines) < 6 && ofAgent(r):
			if slices.Contains(r.Tools, "complete_task") {
				return modelserver.Calls(call("complete_task", map[string]any{"result": "The agent counted."}))
			}
			return modelserver.Text("The agent counted.")
		case turn == 0:
			return modelserver.Text("<summary>They count.</summary>") // a compaction of the client's own
		case turn == agentTurn && p.Client.Name == "codex" && called && !waited:
			return modelserver.Calls(collaboration("wait_agent", map[string]any{}))
		case called:
			answer := thinking("Enough.", modelserver.Text(fmt.Sprintf("Answer %d.", turn)))
			if full.CompareAndSwap(true, false) {
				answer.Usage = &modelserver.Usage{Input: 260_000, Output: 10}
			}
			return answer
		case turn == agentTurn && has:
			return thinking("They can do it.", modelserver.Calls(agent))
		}
		return thinking("Hm.", modelserver.Saying("I count.", modelserver.Calls(p.Client.Runs(fmt.Sprintf("seq %d %d", 10_000*turn, 10_000*turn+1200)))))
	}
}

// collaboration calls one of Codex's tools for sub-agents, which work beside it.
func collaboration(tool string, arguments map[string]any) modelserver.Block {
	b := call(tool, arguments)
	b.Namespace = "collaboration"
	return b
}

// A talk is how a person works with a client: what they say, the next turn of which
// the client compacts by itself, and the client started anew where it is not at each
// turn.
type talk struct {
	say           func(prompt string) string
	compact, anew func()
}

func (f *front) talks(t *testing.T, full *atomic.Bool) talk {
	t.Helper()
	if f.Client.Name == "opencode" {
		config := filepath.Join(f.Home, ".config", "opencode", "opencode.json")
		f.Write(config, strings.Replace(f.read(config), "{", `{"compaction":{"preserve_recent_tokens":4000},`, 1))
		o := f.serve()
		s := o.begin()
		return talk{
			say: func(prompt string) string {
				return string(o.ask("POST", "/session/"+s.ID+"/message", `{"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"},"parts":[{"type":"text","text":"`+prompt+`"}]}`))
			},
			compact: func() { o.compact(s) },
			anew:    func() { o.stop(); o = f.serve() },
		}
	}
	var s Session
	out := talk{anew: func() {}, say: func(prompt string) (out string) {
		if s.ID == "" {
			s, out = f.Begin(prompt)
			return out
		}
		return f.Resume(s, prompt)
	}}
	switch f.Client.Name {
	case "claude-code":
		out.compact = func() { f.Resume(s, "/compact") }
	case "pi": // whose estimate of these numbers is low
		f.Write(filepath.Join(f.Home, ".pi", "agent", "settings.json"), `{"compaction":{"keepRecentTokens":4000}}`)
		out.compact = func() { f.commands(s, `{"type":"compact"}`) }
	case "codex":
		config := filepath.Join(f.Home, ".codex", "config.toml")
		f.Write(config, "model_auto_compact_token_limit = 250000\n"+f.read(config)+"[features]\nmulti_agent_v2 = true\n")
		out.compact = func() { full.Store(true) }
	case "gemini-cli":
		settings := filepath.Join(f.Home, ".gemini", "settings.json")
		usual, say := f.read(settings), out.say
		out.compact = func() {
			f.Write(settings, strings.Replace(usual, "{", `{"model":{"compressionThreshold":0.01},`, 1))
		}
		out.say = func(prompt string) string {
			defer f.Write(settings, usual)
			return say(prompt)
		}
	}
	return out
}

// undo takes back what was compacted last, as another process does by the proxy's clock:
// what the model thinks meanwhile is dated by it (B1).
func (f *front) undo(t *testing.T) {
	t.Helper()
	all := f.keeper.Status()
	at := slices.IndexFunc(all, func(c proxy.Conversation) bool { return c.Edited > 0 && c.Passing == "" })
	if at < 0 {
		t.Fatalf("no conversation was edited: %+v", all)
	}
	store, err := sqlite.Open(t.Context(), f.store())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	s, err := session.NewService(store, session.WithClock(f.now)).Open(t.Context(), all[at].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
}
