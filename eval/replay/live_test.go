package replay_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/eval"
	"tenfold/eval/replay"
	"tenfold/internal/config"
	"tenfold/internal/corpustest"
	"tenfold/internal/live"
	"tenfold/internal/logtest"
	"tenfold/provider"
	"tenfold/session"
)

// liveDefaults is what runs where nothing is configured.
func liveDefaults(t testing.TB) session.Live {
	t.Helper()
	all, err := config.Read(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := all.With()
	if err != nil {
		t.Fatal(err)
	}
	settings, err := live.Settings(e.Config, "")
	if err != nil {
		t.Fatal(err)
	}
	settings.Request.Options.Window = 0
	return settings
}

// steps is a conversation that somebody drew: turns of calls with results, some
// after a pause.
func steps(t *rapid.T) *tenfold.Log {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	now := replayNoon
	add := func(tokens int, p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Time: now, Tokens: tokens, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add(0, tenfold.ConfigDelta{Model: "claude-sonnet-4-5"})
	calls := 0
	for range rapid.IntRange(1, 6).Draw(t, "turns") {
		add(0, tenfold.TurnStart{})
		add(rapid.IntRange(1, 4000).Draw(t, "prompt"), tenfold.UserMessage{Parts: tenfold.Text("build it")})
		for range rapid.IntRange(0, 12).Draw(t, "calls") {
			calls++
			id := fmt.Sprintf("c%d", calls)
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 5, 60, 299, 300, 301, 4000}).Draw(t, "pause")) * time.Second)
			add(50, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
			now = now.Add(time.Second)
			add(rapid.SampledFrom([]int{10, 900, 5000, 20_000}).Draw(t, "result"), tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 400))})
		}
		now = now.Add(time.Second)
		add(50, tenfold.AssistantMessage{Text: "it builds"})
		now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 299, 302, 100_000}).Draw(t, "rest")) * time.Second)
	}
	return l
}

// Formats of APIs keep no times. Their requests come one right after the other: no
// cache goes cold between them, and nothing is cleared before it is paid for.
func TestV2RequestsWithoutTimes(t *testing.T) {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	add := func(tokens int, p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Tokens: tokens, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add(0, tenfold.TurnStart{})
	add(10, tenfold.UserMessage{Parts: tenfold.Text("build it")})
	for i := range 30 {
		id := fmt.Sprintf("c%d", i)
		add(50, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
		add(3000, tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 400))})
	}
	add(5, tenfold.AssistantMessage{Text: "it builds"})
	for _, way := range eval.LiveWays(liveDefaults(t))[:3] {
		r, err := replay.Live(t.Context(), l, replay.LiveOptions{Live: way.Live, Model: "claude-sonnet-4-5"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Cold+r.Full+r.Cleared > 0 || r.With.Dollars > r.Without.Dollars {
			t.Errorf("%s: cold %d, full %d, cleared %d; $%f with us, $%f without", way.Name, r.Cold, r.Full, r.Cleared, r.With.Dollars, r.Without.Dollars)
		}
	}
}

// live V2: wherever a conversation ends, it cost no more through us, as long as it
// was never full.
func TestV2NeverDearerWhereverItEnds(t *testing.T) {
	defaults := liveDefaults(t)
	cleared, held := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := steps(t)
		o := replay.LiveOptions{Live: defaults, Lifetime: rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "lifetime")}
		o.Live.Request.Options.Window = 2_000_000
		o.Live.Micro.Strategy.KeepRecent = rapid.IntRange(1, 4).Draw(t, "keep recent")
		r, err := replay.Live(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Worst > 1e-9 || r.Full > 0 {
			t.Fatalf("$%f dearer after some request: %+v", r.Worst, r)
		}
		cleared += r.Cleared
		o.Live.Micro.Stake = 1e9
		eager, err := replay.Live(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		if eager.Worst > 1e-9 {
			held++
		}
	})
	if cleared == 0 || held == 0 {
		t.Errorf("%d times something was cleared, %d times it would have cost", cleared, held)
	}
}

// Through nothing a session costs what it costs: to the last figure that of Run.
func TestReplayLiveThroughNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := steps(t)
		if rapid.Bool().Draw(t, "any log") {
			l = tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
			for _, e := range logtest.Entries(80).Draw(t, "log") {
				_, _ = l.Append(e)
			}
		}
		r, err := replay.Live(t.Context(), l, replay.LiveOptions{Model: "gpt-5.1"})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := replay.Run(t.Context(), l, replay.Options{Model: "gpt-5.1"})
		if err != nil {
			t.Fatal(err)
		}
		plain.Own.BreakEven = 0
		if !reflect.DeepEqual(r.Without, plain.Own) {
			t.Fatalf("without us %+v, want %+v", r.Without, plain.Own)
		}
		if plain.Own.Firings == 0 && !reflect.DeepEqual(r.With, plain.None) {
			t.Fatalf("through nothing %+v, want %+v", r.With, plain.None)
		}
	})
}

// Prices k times as high make everything cost k times as much, and change nothing
// else.
func TestReplayLiveScalesWithPrices(t *testing.T) {
	defaults := liveDefaults(t)
	rapid.Check(t, func(t *rapid.T) {
		l := steps(t)
		price, _ := provider.Shipped().Price("claude-sonnet-4-5")
		cost := func(k float64) replay.LiveResult {
			prices := provider.Prices{"claude-sonnet-4-5": {Input: k * price.Input, Output: k * price.Output, CacheRead: k * price.CacheRead, CacheWrite: k * price.CacheWrite}}
			settings := defaults
			settings.Request.Prices = prices
			r, err := replay.Live(t.Context(), l, replay.LiveOptions{Live: settings, Prices: prices})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		one, four := cost(1), cost(4)
		if !nearly(four.With.Dollars, 4*one.With.Dollars) || !nearly(four.Without.Dollars, 4*one.Without.Dollars) ||
			one.With.Read != four.With.Read || one.With.Written != four.With.Written || one.Cold != four.Cold || one.Cleared != four.Cleared {
			t.Fatalf("at one price %+v, at four times it %+v", one, four)
		}
	})
}

// A client that compacts by itself asks us when the conversation is as large as it
// was then, and a person when it was.
func TestReplayLiveAnswersTheClientsOwn(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		live         func(*session.Live)
		asked        int
	}{
		{"as large", "auto", func(l *session.Live) { l.Micro.Enabled = false }, 1},
		{"smaller", "auto", nil, 0},
		{"by hand", "manual", nil, 1},
	} {
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		now := replayNoon
		add := func(tokens int, p tenfold.Payload) {
			now = now.Add(time.Second)
			if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("e", l.Version()), Time: now, Tokens: tokens, Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		turn := func() {
			add(0, tenfold.TurnStart{})
			add(100, tenfold.UserMessage{Parts: tenfold.Text("build it")})
			for range 15 {
				id := fmt.Sprint("c", l.Version())
				add(10, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
				add(3000, tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 1700))})
			}
			add(10, tenfold.AssistantMessage{Text: "it builds"})
		}
		turn()
		now = now.Add(time.Hour)
		turn()
		add(0, tenfold.Compaction{ToTurn: 1, Source: "import", Reason: tt.reason, Summary: &tenfold.Summary{Text: "they built it", Placement: tenfold.PlaceMessage}})
		for range 3 {
			add(0, tenfold.TurnStart{})
			add(100, tenfold.UserMessage{Parts: tenfold.Text("go on")})
			add(10, tenfold.AssistantMessage{Text: "it still builds"})
		}
		o := replay.LiveOptions{Live: liveDefaults(t), Model: "claude-sonnet-4-5"}
		if tt.live != nil {
			tt.live(&o.Live)
		}
		r, err := replay.Live(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Asked != tt.asked || r.Without.Firings != 1 || r.Without.Summaries == 0 || r.With.Summaries != 0 || r.With.Firings != r.Asked+r.Cold+r.Full+r.Cleared {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

// Usage right behind a client's summary is that of the summary: it tells how much of
// the conversation was read from the cache for it.
func TestReplayOfAReportedSummary(t *testing.T) {
	cost := func(behind ...tenfold.Payload) float64 {
		l := replayLog(t)
		for _, p := range append([]tenfold.Payload{tenfold.Compaction{
			ToTurn: 1, Source: "import", Summary: &tenfold.Summary{Text: strings.Repeat("word", 100), Placement: tenfold.PlaceMessage},
		}}, behind...) {
			if _, err := l.Append(tenfold.Entry{Time: replayNoon.Add(21 * time.Minute), Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Append(
			tenfold.Entry{Time: replayNoon.Add(22 * time.Minute), Payload: tenfold.TurnStart{}},
			tenfold.Entry{Time: replayNoon.Add(22 * time.Minute), Tokens: 10, Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}},
			tenfold.Entry{Time: replayNoon.Add(22 * time.Minute), Tokens: 10, Payload: tenfold.AssistantMessage{Text: "done"}},
		); err != nil {
			t.Fatal(err)
		}
		r, err := replay.Run(t.Context(), l, replay.Options{Model: "claude-sonnet-4-5"})
		if err != nil {
			t.Fatal(err)
		}
		if !nearly(r.Own.Summaries, r.Own.Estimated) {
			t.Errorf("%f for summaries, %f of it estimated", r.Own.Summaries, r.Own.Estimated)
		}
		return r.Own.Summaries
	}
	warm := cost()
	// Of 10,400 tokens 10,350 are in the cache.
	for _, tt := range []struct {
		name   string
		behind []tenfold.Payload
		read   int
	}{
		{"nothing read", []tenfold.Payload{tenfold.Usage{Input: 20_000}}, 0},
		{"half of it read", []tenfold.Payload{tenfold.Usage{CacheWrite: 10_000, CacheRead: 10_000}}, 5200},
		{"no usage", []tenfold.Payload{tenfold.Usage{}}, 10_350},
		{"usage of a response", []tenfold.Payload{tenfold.AssistantMessage{Text: "done"}, tenfold.Usage{Input: 20_000}}, 10_350},
	} {
		if got, want := cost(tt.behind...), warm+float64(10_350-tt.read)*(3.75-0.30)/1e6; !nearly(got, want) {
			t.Errorf("%s: %.6f, want %.6f", tt.name, got, want)
		}
	}
}

// A prompt larger than the window that the table knows shows that the window is a
// larger one; and who keeps prompts for an hour pays for that.
func TestReplayLiveTermsOfTheClient(t *testing.T) {
	l := replayLog(t)
	if _, err := l.Append(tenfold.Entry{Time: replayNoon.Add(time.Hour), Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: 5, CacheRead: 200_000, CacheWrite: 9}},
		tenfold.Entry{Time: replayNoon.Add(time.Hour), Tokens: 300_000, Payload: tenfold.UserMessage{Parts: tenfold.Text("read it all")}},
		tenfold.Entry{Time: replayNoon.Add(time.Hour), Payload: tenfold.AssistantMessage{Text: "done"}}); err != nil {
		t.Fatal(err)
	}
	r, err := replay.Live(t.Context(), l, replay.LiveOptions{Live: liveDefaults(t), Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if r.Price.CacheWrite != 6 || r.Cache.Lifetime != time.Hour || r.Without.TooLarge != 0 || r.With.TooLarge != 0 || r.Full+r.Cold != 0 {
		t.Errorf("%+v", r)
	}
}

// "Dollars by the cache model: through us ≤ without us on every recorded session of
// the open corpus, and the sum at least 30 % lower" (live §6).
func TestV2EveryRecordedSessionCostsNoMoreThroughUs(t *testing.T) {
	t.Parallel()
	files := corpustest.Files(t, "claude-code", "codex", "opencode", "pi", "gemini-cli")
	var all []eval.File
	if corpustest.UnderRace {
		files = corpustest.Sample(files)
	}
	for _, f := range files {
		all = append(all, eval.File{Path: f.Path, Name: f.Name, Source: f.Format})
	}
	defaults := liveDefaults(t)
	r, err := eval.Run(t.Context(), all, eval.Options{Live: []eval.LiveWay{{Name: "defaults", Live: defaults}}, MinRequests: 1 << 30}, nil)
	if err != nil || len(r.Failures) > 0 {
		t.Fatal(err, r.Failures)
	}
	for _, s := range r.Sessions {
		for _, p := range s.Live {
			if more := -p.Result.Saved(); more > 1e-9 {
				t.Errorf("%s, kept an hour: %v: $%.4f through us, $%.4f without", s.Name, p.Hour, p.Result.With.Dollars, p.Result.Without.Dollars)
			}
		}
	}
	for _, s := range r.Summarise().Live {
		t.Logf("%-10s kept an hour: %-5v %3d sessions, $%.2f through us, $%.2f without, %d dearer", s.Provider, s.Hour, s.Sessions, s.With, s.Without, s.Dearer)
		if s.Provider == "all" && !s.Hour && !corpustest.UnderRace && s.With > 0.70*s.Without {
			t.Errorf("all sessions cost $%.2f through us, $%.2f without: less than 30 %% lower", s.With, s.Without)
		}
	}
}
