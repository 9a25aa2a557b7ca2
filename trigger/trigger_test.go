package trigger_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/token"
	"tenfold/trigger"
)

func must(t *testing.T) func(trigger.Trigger, error) trigger.Trigger {
	return func(w trigger.Trigger, err error) trigger.Trigger {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

func TestTriggersAtTheirBoundaries(t *testing.T) {
	some := must(t)
	yes, no := trigger.Always(), trigger.Off()
	tests := []struct {
		when  trigger.Trigger
		view  trigger.View
		fires bool
		words string
	}{
		{trigger.Turns(20), trigger.View{Turns: 20}, false, "20 complete turns"},
		{trigger.Turns(20), trigger.View{Turns: 21}, true, "more than 20"},
		{trigger.Turns(0), trigger.View{}, false, ""},
		{trigger.Tokens(4000), trigger.View{Tokens: 3999}, false, "3999"},
		{trigger.Tokens(4000), trigger.View{Tokens: 4000}, true, "threshold is 4000"},
		{trigger.Tokens(4000), trigger.View{Tokens: 10, Reported: 9000}, false, ""},
		{trigger.Context(0), trigger.View{Tokens: 800, Window: 1000}, false, "not over 80%"},
		{trigger.Context(0), trigger.View{Tokens: 801, Window: 1000}, true, "801 of 1000 tokens (estimate), 80.1 %, over 80%"},
		{trigger.Context(0.5), trigger.View{Tokens: 100, Reported: 501, Window: 1000}, true, "provider"},
		{trigger.Context(0.5), trigger.View{Tokens: 900, Reported: 500, Window: 1000}, false, "provider"},
		{trigger.Context(0.5), trigger.View{Reported: 500, Since: 1, Window: 1000}, true, "501"},
		{trigger.Context(0.5), trigger.View{Tokens: 64_001}, true, "128000"},
		{trigger.Left(20_000), trigger.View{Tokens: 79_999, Window: 100_000}, false, "20001 tokens left"},
		{trigger.Left(20_000), trigger.View{Tokens: 80_000, Window: 100_000}, true, "20000 tokens left"},
		{yes, trigger.View{}, true, "always"},
		{no, trigger.View{Tokens: 1 << 30}, false, "off"},
		{some(trigger.Any(no, trigger.Turns(1))), trigger.View{Turns: 2}, true, "2 complete turns"},
		{some(trigger.Any(no, trigger.Turns(1))), trigger.View{Turns: 1}, false, "off"},
		{some(trigger.All(yes, trigger.Turns(1))), trigger.View{Turns: 2}, true, "always; 2 complete turns"},
		{some(trigger.All(yes, trigger.Turns(1))), trigger.View{Turns: 1}, false, "1 complete turns"},
	}
	for _, tt := range tests {
		fires, why := tt.when.Fires(tt.view)
		if fires != tt.fires || !strings.Contains(why, tt.words) || why == "" {
			t.Errorf("%s over %+v: %v, %q; want %v, %q", tt.when, tt.view, fires, why, tt.fires, tt.words)
		}
	}
}

func TestCompositionsNeedAMember(t *testing.T) {
	for _, compose := range []func(...trigger.Trigger) (trigger.Trigger, error){trigger.Any, trigger.All} {
		if _, err := compose(); !errors.Is(err, trigger.ErrNoMembers) {
			t.Errorf("without members: %v", err)
		}
		if _, err := compose(trigger.Always(), nil); !errors.Is(err, trigger.ErrNoMembers) || !strings.Contains(err.Error(), "member 2 of 2 is nil: leave it out") {
			t.Errorf("with a nil member: %v", err)
		}
	}
}

func TestNotationRoundTrip(t *testing.T) {
	tests := []struct{ text, want string }{
		{"80%", "80%"},
		{"7.5%", "7.5%"},
		{"100%", "100%"},
		{"29%", "29%"},
		{"150k", "150k"},
		{"150K", "150k"},
		{"1.5m", "1500k"},
		{"2m", "2m"},
		{"4001", "4001"},
		{"-20k", "-20k"},
		{"-500", "-500"},
		{"off", "off"},
		{"always", "always"},
		{"context", "80%"},
		{"context(0.5)", "50%"},
		{"context(50%)", "50%"},
		{"tokens(150k)", "150k"},
		{"turns(20)", "turns(20)"},
		{" Any( 80% , all(turns(3),-20k) ) ", "any(80%, all(turns(3), -20k))"},
	}
	for _, tt := range tests {
		when, err := trigger.Parse(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if when.String() != tt.want {
			t.Errorf("%q reads as %s, want %s", tt.text, when, tt.want)
		}
		again, err := trigger.Parse(when.String())
		if err != nil || again.String() != when.String() {
			t.Errorf("%s does not round-trip: %v, %v", when, again, err)
		}
	}
}

func TestBadNotation(t *testing.T) {
	for _, text := range []string{
		"", "eighty", "80", "0%", "101%", "-5%", "NaN%", "-", "--5", "+5", "0", "-0", "any()", "all()", "any(80%,)", "any(80%",
		"turns(-1)", "turns()", "maybe(3)", "k", "0k", "0.0001k", "tokens(0m)", "1e99k", "any(off,,off)", strings.Repeat("any(", 40) + "off" + strings.Repeat(")", 40),
	} {
		when, err := trigger.Parse(text)
		if text == "80" {
			continue // eighty tokens: odd, and what it says
		}
		if err == nil {
			t.Errorf("%q reads as %s", text, when)
		}
	}
}

// Compositions nest sixteen deep, and no deeper.
func TestHowDeepCompositionsNest(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("any(", n) + "off" + strings.Repeat(")", n) }
	if _, err := trigger.Parse(nested(16)); err != nil {
		t.Error(err)
	}
	if _, err := trigger.Parse(nested(17)); err == nil {
		t.Error("seventeen are read")
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"80%", "-20k", "any(80%, turns(20))", "all(off,always)", "context(0.3)", "cache(20k, 5m)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		when, err := trigger.Parse(text)
		if err != nil {
			return
		}
		again, err := trigger.Parse(when.String())
		if err != nil || again.String() != when.String() {
			t.Fatalf("%q → %s → %v, %v", text, when, again, err)
		}
	})
}

func user(text string) tenfold.Payload { return tenfold.UserMessage{Parts: tenfold.Text(text)} }

func logOf(t testing.TB, payloads ...tenfold.Payload) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	for _, p := range payloads {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// L7: only the root's turns count that a person asked for, once they are done.
func TestL7TurnsOfAView(t *testing.T) {
	start, said := tenfold.TurnStart{}, tenfold.AssistantMessage{Text: "done"}
	call, result := tenfold.ToolCall{CallID: "c", Name: "shell"}, tenfold.ToolResult{CallID: "c"}
	synthetic := tenfold.UserMessage{Parts: tenfold.Text("reminder"), Synthetic: true}
	turn := []tenfold.Payload{start, user("do"), said}
	with := func(more ...tenfold.Payload) []tenfold.Payload {
		return append(append(append([]tenfold.Payload{}, turn...), turn...), more...)
	}
	tests := []struct {
		name string
		log  []tenfold.Payload
		want int
	}{
		{"nothing", nil, 0},
		{"asked, not answered", []tenfold.Payload{start, user("do")}, 0},
		{"one", turn, 1},
		{"two", with(), 2},
		{"a third under way", with(start, user("go on"), call, result), 2},
		{"a third with a call open", with(start, user("go on"), call, said), 2},
		{"a third with a call open behind an orphan", with(start, user("go on"), tenfold.ToolResult{CallID: "x"}, call, said), 2},
		{"a third done", with(start, user("go on"), call, result, said), 3},
		{"a synthetic turn", with(start, synthetic, said), 2},
		{"a synthetic turn after one under way", []tenfold.Payload{start, user("do"), call, start, synthetic}, 1},
		{"two messages in a turn", []tenfold.Payload{start, user("do"), said, user("and"), said}, 1},
		{"a turn that an overlay hides", with(tenfold.Compaction{Turns: tenfold.Omit}), 1},
		{"a turn in a summary", with(tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}), 1},
		{"one it hid and an undo shows", with(tenfold.Compaction{Turns: tenfold.Omit}, tenfold.CompactionRevoked{Target: "e7"}), 2},
	}
	for _, tt := range tests {
		if v := trigger.Look(tenfold.Project(logOf(t, tt.log...))); v.Turns != tt.want {
			t.Errorf("%s: %d turns, want %d", tt.name, v.Turns, tt.want)
		}
	}
	l := logOf(t, turn...)
	for range 9 {
		if _, err := l.Append(tenfold.Entry{Branch: "scout", Payload: user("look")}, tenfold.Entry{Branch: "scout", Payload: said}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Append(tenfold.Entry{Branch: "scout", Payload: tenfold.Usage{Input: 90_000}}); err != nil {
		t.Fatal(err)
	}
	if v := trigger.Look(tenfold.Project(l)); v.Turns != 1 || v.Reported != 0 {
		t.Errorf("with a sub-agent's messages: %d turns, %d tokens reported", v.Turns, v.Reported)
	}
}

func TestViewReported(t *testing.T) {
	l := logOf(t, tenfold.ConfigDelta{Model: "claude-sonnet-4-5"}, tenfold.TurnStart{}, user("do"),
		tenfold.Usage{Input: 10, CacheRead: 1000, CacheWrite: 100, Output: 5})
	p := tenfold.Project(l)
	var w trigger.Watcher
	if v := w.Look(p); v.Reported != 1115 || v.Since != 0 || v.Window != 200_000 {
		t.Errorf("%+v", v)
	}
	add := func(payload tenfold.Payload) trigger.View {
		if _, err := l.Append(tenfold.Entry{Payload: payload}); err != nil {
			t.Fatal(err)
		}
		p.Advance()
		return w.Look(p)
	}
	if v := add(tenfold.AssistantMessage{Text: "four"}); v.Since != 1 {
		t.Errorf("%+v", v)
	}
	if v := add(tenfold.ConfigDelta{Model: "gpt-4o"}); v.Window != 128_000 {
		t.Errorf("%+v", v)
	}
	// What was reported before a compaction is no longer what it would be.
	if v := add(tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}); v.Reported != 0 || v.Since != 0 {
		t.Errorf("%+v", v)
	}
}

// T3: where the log says how its provider counts, the total is what the provider
// would report, before the first report after a compaction too.
func TestT3ViewIsCalibrated(t *testing.T) {
	l := tenfold.NewLog()
	add := func(tokens int, payload tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Tokens: tokens, Payload: payload}); err != nil {
			t.Fatal(err)
		}
	}
	add(0, tenfold.ConfigDelta{Model: "claude-sonnet-4-5"})
	seen := 0
	for range 10 {
		add(0, tenfold.TurnStart{})
		add(1000, user("do"))
		seen += 1000
		prompt := 20_000 + seen*3/2
		add(1000, tenfold.AssistantMessage{Text: "done"})
		seen += 1000
		add(0, tenfold.Usage{Model: "claude-sonnet-4-5", CacheRead: prompt, Output: 1500})
	}
	add(1000, user("and"))
	p := tenfold.Project(l)
	v := trigger.Look(p)
	if v.Reported != 20_000+19*1500+1500 || v.Since != 1500 || v.Tokens != 20_000+21*1500 || !v.Calibrated {
		t.Errorf("%+v", v)
	}
	if fires, why := trigger.Tokens(51_500).Fires(v); !fires {
		t.Error(why)
	}
	add(0, tenfold.Compaction{ToTurn: 4, Turns: tenfold.Omit})
	p.Advance()
	v = trigger.Look(p)
	if want := 20_000 + p.Tokens()*3/2; v.Reported != 0 || v.Tokens != want {
		t.Errorf("%d tokens, want %d: %+v", v.Tokens, want, v)
	}
	if _, why := trigger.Context(0.5).Fires(v); !strings.Contains(why, "(calibrated)") {
		t.Error(why)
	}
}

// A watcher sees what looking anew sees, whatever comes.
func TestWatcherEqualsLook(t *testing.T) {
	for seed := range 300 {
		entries := logtest.Entries(60).Example(seed)
		l := tenfold.NewLog()
		p := tenfold.Project(l)
		var w trigger.Watcher
		for _, e := range entries {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
			p.Advance()
			if got, want := w.Look(p), trigger.Look(tenfold.Project(l)); got != want {
				t.Fatalf("seed %d after %s %+v: watched %+v, looked %+v", seed, e.ID, e.Payload, got, want)
			}
		}
	}
}

func ExampleParse() {
	when, err := trigger.Parse("any(80%, turns(20))")
	if err != nil {
		fmt.Println(err)
		return
	}
	fires, why := when.Fires(trigger.View{Turns: 21, Tokens: 90_000, Window: 200_000})
	fmt.Println(fires, "–", why)
	// Output: true – 21 complete turns, more than 20
}

// The check before a model call (T1): flat in n, without allocation.
func BenchmarkWatcher(b *testing.B) {
	base := 0.0
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := tenfold.NewLog()
			if _, err := l.Append(logtest.Long(n)...); err != nil {
				b.Fatal(err)
			}
			p := tenfold.Project(l)
			var w trigger.Watcher
			w.Look(p)
			ids := make([]string, b.N)
			for i := range ids {
				ids[i] = fmt.Sprintf("new-%09d", i)
			}
			payload := tenfold.Payload(tenfold.AssistantMessage{Text: "ok"})
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if _, err := l.Append(tenfold.Entry{ID: ids[i], Tokens: 1, Payload: payload}); err != nil {
					b.Fatal(err)
				}
				p.Advance()
				if w.Look(p).Turns < 0 {
					b.Fatal("no turns at all")
				}
			}
			b.StopTimer()
			perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if n == 1_000 {
				base = perOp
			}
			b.ReportMetric(perOp/base, "×t(1k)")
		})
	}
}

func TestLimitIsWhereATriggerFires(t *testing.T) {
	for text, want := range map[string]int{
		"80%": 160_000, "150k": 150_000, "300k": 200_000, "-20k": 180_000, "-300k": 0, "off": 200_000, "turns(3)": 200_000, "cache(20k)": 200_000,
		"any(80%, -20k, turns(3))": 160_000, "all(80%, -20k)": 180_000, "any(-20k, all(10%, 30k))": 30_000,
	} {
		when, err := trigger.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := trigger.Limit(when, 200_000); got != want {
			t.Errorf("%s allows %d tokens, want %d", text, got, want)
		}
	}
}

// Numbers that no threshold is written with, but that a program may compute, count as
// ones that are: a conversation whose trigger never fires outgrows its window.
func TestNumbersThatNoThresholdIsWrittenWith(t *testing.T) {
	for _, c := range []struct {
		when trigger.Trigger
		want int
		text string
	}{
		{trigger.Context(math.NaN()), 800, "80%"},
		{trigger.Context(math.Inf(1)), 800, "80%"},
		{trigger.Context(80), 800, "80%"},
		{trigger.Context(1), 1000, "100%"},
		{trigger.Context(-1), 800, "80%"},
		{trigger.Tokens(math.MinInt), 1, "1"},
		{trigger.Tokens(-5), 1, "1"},
		{trigger.Left(math.MinInt), 999, "-1"},
		{trigger.Left(math.MaxInt), 0, "-9223372036854775807"},
		{trigger.Turns(-4), 1000, "turns(0)"},
	} {
		if got := trigger.Limit(c.when, 1000); got != c.want || c.when.String() != c.text {
			t.Errorf("%s allows %d tokens of 1000, want %s and %d", c.when, got, c.text, c.want)
		}
		if again, err := trigger.Parse(c.text); err != nil || again != c.when {
			t.Errorf("%s is read as %v, %v", c.text, again, err)
		}
	}
}

// T3: what a provider counted for a request with another system prompt says
// nothing of the next one: an agent that takes a session over sends its own.
func TestT3AnotherSystemPrompt(t *testing.T) {
	log := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	add := func(payloads ...tenfold.Payload) {
		t.Helper()
		for _, p := range payloads {
			if _, err := log.Append(tenfold.Entry{ID: strconv.FormatInt(log.Version(), 10), Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask := tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart(strings.Repeat("word ", 2000))}}
	for i := range 5 { // 20,000 tokens of each prompt are not in the log
		add(tenfold.TurnStart{}, ask, tenfold.AssistantMessage{Text: "yes"}, tenfold.Usage{Model: "m", Input: 20_000 + 2501*(i+1), Output: 1})
	}
	used, source := trigger.Look(tenfold.Project(log)).Used()
	if source != token.Provider || used != 20_000+5*2501+1 {
		t.Fatalf("before: %d tokens, %s", used, source)
	}
	system := "You are another agent."
	add(tenfold.ConfigDelta{System: &system})
	used, source = trigger.Look(tenfold.Project(log)).Used()
	if source == token.Provider || used < 5*2400 || used > 5*2600 {
		t.Errorf("after: %d tokens, %s", used, source)
	}
	add(tenfold.TurnStart{}, ask, tenfold.AssistantMessage{Text: "yes"}, tenfold.Usage{Model: "m", Input: 15_100, Output: 1})
	if used, source = trigger.Look(tenfold.Project(log)).Used(); source != token.Provider || used != 15_101 {
		t.Errorf("after its own response: %d tokens, %s", used, source)
	}
}
