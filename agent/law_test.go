package agent_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/agent"
	"tenfold/body"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/permission"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// units are the pieces of a request's conversation, and what stands around them.
func units(text string) (list []string, around string, err error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal([]byte(text), &members, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, "", fmt.Errorf("%w in %s", err, text)
	}
	for _, name := range []string{"messages", "input", "contents"} {
		var messages []map[string]jsontext.Value
		if members[name] == nil || json.Unmarshal(members[name], &messages) != nil {
			continue
		}
		delete(members, name)
		for _, m := range messages {
			var pieces []jsontext.Value
			role := string(m["role"])
			key := "content"
			if m["parts"] != nil {
				key = "parts"
			}
			content := m[key]
			delete(m, key)
			rest, _ := json.Marshal(m, json.Deterministic(true))
			if content.Kind() == '[' && json.Unmarshal(content, &pieces) == nil {
				for _, p := range pieces {
					list = append(list, role+" "+string(p))
				}
				if role == `"assistant"` && len(m) > 1 {
					list = append(list, string(rest))
				}
				continue
			}
			list = append(list, string(rest)+" "+string(content))
		}
	}
	rest, err := json.Marshal(members, json.Deterministic(true))
	return list, string(rest), err
}

// sent is a request of a branch, and the newest change of its view before it.
type sent struct {
	body, change string
	said         int // messages of users
}

func isReasoning(unit string) bool {
	return strings.Contains(unit, `"type":"thinking"`) || strings.Contains(unit, `"type":"reasoning"`)
}

// watcher is a model that holds each request to the laws.
type watcher struct {
	*script.Model

	profile body.Profile
	log     func() *tenfold.Log

	mu      sync.Mutex
	last    map[string]sent
	threads map[string]*body.Thread
	faults  []string
}

func (w *watcher) faultf(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *watcher) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	w.hold(r.View)
	return w.Model.Stream(ctx, r)
}

// changed is the id of the newest entry that changed what the reader of a view sees
// of the past.
func changed(p *tenfold.Projection) string {
	id := ""
	for e := range p.Log().Entries() {
		if !p.Reads(e.Seq) {
			continue
		}
		switch payload := e.Payload.(type) {
		case tenfold.Compaction:
			if !payload.AtBirth() {
				id = e.ID
			}
		case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin, tenfold.ConfigDelta:
			id = e.ID
		}
	}
	return id
}

func (w *watcher) hold(p *tenfold.Projection) {
	text, err := w.profile.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.faultf("%v", err)
		return
	}
	before := w.last[p.Branch()]
	now := sent{string(text), changed(p), 0}
	for it := range p.Items() {
		if it.Payload.Kind() == tenfold.KindUserMessage {
			now.said++
		}
	}
	w.last[p.Branch()] = now
	if w.threads[p.Branch()] == nil {
		w.threads[p.Branch()] = w.profile.Thread()
	}
	for _, v := range w.threads[p.Branch()].Check(text) {
		w.faultf("%s would refuse %s: %s", w.profile.Name, v, text)
	}
	if before.body == "" || before.change != now.change {
		return
	}
	a, around, errA := units(before.body)
	b, aroundNow, errB := units(now.body)
	if errA != nil || errB != nil {
		w.faultf("%v, %v", errA, errB)
	}
	if around != aroundNow {
		w.faultf("what stands around the messages changed:\n%s\n%s", around, aroundNow)
	}
	if now.change != "" && now.said > before.said {
		// The loop is closed for which a compaction left reasoning that it strips
		// (P11a names it).
		a, b = slices.DeleteFunc(a, isReasoning), slices.DeleteFunc(b, isReasoning)
	}
	if n := len(a) - 1; n >= 0 && n < len(b) && strings.HasPrefix(b[n], strings.TrimSuffix(a[n], `"`)) {
		a[n] = b[n] // a user's message after one that nobody answered joins it
	}
	if len(b) < len(a) || !slices.Equal(a, b[:len(a)]) {
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		w.faultf("%s, branch %q: a request does not begin with the one before it, from piece %d of %d:\n%s\n--\n%s\n--\n%s", w.profile.Name, p.Branch(), at, len(a),
			strings.Join(a[min(at, len(a)):], "\n"), strings.Join(b[min(at, len(b)):], "\n"), strings.Join(lines(p.Log()), "\n"))
	}
}

// drawAnswer draws what a model answers: what hurts.
func drawAnswer(t *rapid.T, n int) script.Answer {
	var a script.Answer
	if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
		a.Err = &provider.Error{Kind: rapid.SampledFrom([]provider.Kind{
			provider.CutOff, provider.Overloaded, provider.TooLarge, provider.TimedOut, provider.Refused, provider.Invalid,
		}).Draw(t, "kind"), Message: "as drawn"}
		a.At = rapid.IntRange(0, 4).Draw(t, "at")
	}
	if rapid.Bool().Draw(t, "thinks") {
		a.Blocks = append(a.Blocks, tenfold.Reasoning{Text: "Hm.", Provider: "anthropic", Signature: fmt.Sprint("sig", n)})
	}
	if rapid.Bool().Draw(t, "talks") {
		a.Blocks = append(a.Blocks, tenfold.AssistantMessage{Text: rapid.SampledFrom([]string{"So.", " \u00a0", "\x1b[2J", strings.Repeat("word ", 400)}).Draw(t, "text")})
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
		id := rapid.SampledFrom([]string{"same", "", fmt.Sprintf("c%d.%d", n, i), strings.Repeat("i", 200)}).Draw(t, "id")
		name := rapid.SampledFrom([]string{"look", "look", "edit", "sh", "big", "huge", "panics", "denied", "asks", "nobody", "", "plan", "compact", "recall", "task", "task"}).Draw(t, "name")
		arguments := map[string]string{
			"plan": `{"items":[{"text":"a","status":"pending"}]}`, "task": `{"prompt":"Do a part."}`, "recall": `{"query":"word"}`, "compact": `{"focus":"all"}`,
		}[name]
		if arguments == "" || rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			arguments = rapid.SampledFrom([]string{`{}`, `{"a":`, ``, `[]`, `{"path":"a\u00e9"}`, `"x"`}).Draw(t, "arguments")
		}
		a.Blocks = append(a.Blocks, tenfold.ToolCall{CallID: id, Name: name, Arguments: arguments})
	}
	if rapid.IntRange(0, 9).Draw(t, "stops") == 0 {
		a.Stop = rapid.SampledFrom([]provider.Stop{provider.StopLength, provider.StopRefused, provider.StopEnd}).Draw(t, "stop")
	}
	return a
}

// Issue 18, 1: every request is the projection's, valid for its provider, and two
// successive ones of a branch share their whole prefix unless a compaction was
// recorded between them; whatever the model answers, and whatever the tools do.
func TestRequestsShareTheirPrefix(t *testing.T) {
	t.Parallel()
	compactions, trims, tasks := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SampledFrom(body.Profiles()).Draw(t, "profile")
		w := &watcher{profile: profile, last: map[string]sent{}, threads: map[string]*body.Thread{}}
		var answers []script.Answer
		for n := range rapid.IntRange(1, 25).Draw(t, "answers") {
			answers = append(answers, drawAnswer(t, n))
		}
		var next atomic.Int64
		w.Model = script.Choose(func(script.Shown) script.Answer {
			if n := int(next.Add(1)); n <= len(answers) {
				return answers[n-1]
			}
			return script.Text("Enough.")
		}).As("script/"+profile.Name, profile)
		st := memory.New()
		defer func() { _ = st.Close() }()
		s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).Create(t.Context(), session.Create{ID: "law"})
		if err != nil {
			t.Fatal(err)
		}
		said := func(n int) func(context.Context, toolbox.Call) (toolbox.Result, error) {
			return func(context.Context, toolbox.Call) (toolbox.Result, error) {
				return toolbox.Result{Parts: tenfold.Text(strings.Repeat("a line of what was found in main.go:17\n", n))}, nil
			}
		}
		o := agent.Options{
			Model: w, TrimOver: 1000, Limits: agent.Limits{Steps: 40},
			Tools: append(tools(), stub{"big", toolbox.Reads, said(60)}, stub{"huge", toolbox.Reads, said(300)}, stub{"denied", toolbox.Edits, nil}, stub{"asks", toolbox.Edits, nil},
				stub{"panics", toolbox.Commands, func(context.Context, toolbox.Call) (toolbox.Result, error) { panic("boom") }}),
			Judge:    &judge{verdicts: map[string]permission.Verdict{"denied": {Action: permission.Deny, Reason: "no"}, "asks": {Action: permission.Ask, Reason: "why not"}}},
			Approver: approver(func(agent.Question) agent.Answer { return agent.Answer{Allowed: true} }),
			Retry:    provider.Policy{Attempts: 1, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
		}
		o.Live = session.Live{Auto: session.LiveAuto{Enabled: true}, Micro: session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 2, Over: 100}, ClearAtLeast: 500}}
		o.Live.Request.Options.Window = rapid.SampledFrom([]int{4000, 8000, 100_000}).Draw(t, "window")
		a, err := agent.New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		for turn := range rapid.IntRange(1, 5).Draw(t, "turns") {
			var parts []tenfold.Part
			if turn == 0 || rapid.Bool().Draw(t, "says") {
				parts = tenfold.Text(fmt.Sprintf("Turn %d.", turn))
			}
			_, err := collect(a.Run(t.Context(), parts...))
			if err != nil && provider.KindOf(err) == "" {
				t.Fatal(err)
			}
			if len(w.faults) > 0 {
				t.Fatal(strings.Join(w.faults, "\n"))
			}
			holdLog(t, s, err == nil)
		}
		for e := range s.Log().Entries() {
			if c, ok := e.Payload.(tenfold.Compaction); ok {
				switch {
				case c.AtBirth():
					trims++
				case c.Strategy == "task":
					tasks++
				default:
					compactions++
				}
			}
		}
	})
	if compactions == 0 || trims == 0 || tasks == 0 {
		t.Errorf("%d compactions, %d results trimmed at birth, %d tasks: the law was tried on too little", compactions, trims, tasks)
	}
}

// holdLog holds what a run leaves: each call answered once, nobody else's results.
func holdLog(t rapid.TB, s *session.Session, ended bool) {
	t.Helper()
	for e := range s.Log().Entries() {
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			if s.Log().Pair(e.Seq) == 0 && e.Branch == "" && ended {
				t.Fatalf("call %d, %s %q, has no result", e.Seq, p.Name, p.CallID)
			}
		case tenfold.ToolResult:
			if s.Log().Pair(e.Seq) == 0 {
				t.Fatalf("result %d, of %q, has no call", e.Seq, p.CallID)
			}
		}
	}
}
