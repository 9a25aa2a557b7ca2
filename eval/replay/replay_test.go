package replay_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/logtest"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/trigger"
)

var replayNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// replayLog is a conversation of four requests: three within a minute, over two
// large results, and one 20 minutes later.
func replayLog(t *testing.T) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	at := func(after time.Duration, tokens int, p tenfold.Payload) tenfold.Entry {
		return tenfold.Entry{Time: replayNoon.Add(after), Tokens: tokens, Payload: p}
	}
	user := tenfold.UserMessage{Parts: tenfold.Text("build it")}
	call := func(id string) tenfold.ToolCall {
		return tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`}
	}
	result := func(id string) tenfold.ToolResult {
		return tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 200))}
	}
	if _, err := l.Append(
		at(0, 0, tenfold.TurnStart{}),
		at(0, 2000, user),
		at(10*time.Second, 100, call("a")), // request 1
		at(20*time.Second, 5000, result("a")),
		at(30*time.Second, 100, call("b")), // request 2
		at(40*time.Second, 3000, result("b")),
		at(50*time.Second, 50, tenfold.AssistantMessage{Text: "it builds"}), // request 3
		at(20*time.Minute, 0, tenfold.TurnStart{}),
		at(20*time.Minute, 100, user),
		at(21*time.Minute, 50, tenfold.AssistantMessage{Text: "it still does"}), // request 4
	); err != nil {
		t.Fatal(err)
	}
	return l
}

func replayPolicy(t testing.TB, texts ...string) []strategy.Strategy {
	t.Helper()
	var list []strategy.Strategy
	for _, text := range texts {
		s, err := strategy.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// Each provider's rule, worked out by hand. Requests send 2,000, 7,100, 10,200
// and 10,350 tokens. Micro clears the first result, of 5,000 tokens, to a stub of
// 6 before the third, when 2,100 stand in front of it; with the note of 40 tokens
// (P5a), which comes first and of which the cache knows nothing, 5,246 are left
// then, and 5,396 in the fourth. The default rule waits for the fourth, which finds the
// cache cold.
func TestReplayByHand(t *testing.T) {
	tests := []struct {
		model             string
		none, every, rule replay.Cost
	}{
		{
			// Written at 3.75, read at 0.30 from 1,024 tokens on.
			"claude-sonnet-4-5",
			replay.Cost{Dollars: (20_550*3.75 + 9100*0.30) / 1e6, Written: 2000 + 5100 + 3100 + 10_350, Read: 2000 + 7100},
			replay.Cost{
				Dollars: (17_742*3.75 + 2000*0.30) / 1e6, Written: 2000 + 5100 + 5246 + 5396, Read: 2000,
				Firings: 1, Rewritten: 2146, RewriteDollars: 2146 * 3.45 / 1e6, BreakEven: 4,
			},
			replay.Cost{
				Dollars: (15_596*3.75 + 9100*0.30) / 1e6, Written: 2000 + 5100 + 3100 + 5396, Read: 2000 + 7100,
				Firings: 1, BreakEven: 4,
			},
		},
		{
			// From 4,096 on: the first request is not kept, so that the second
			// finds nothing, and what is left in front of the change is too
			// little for the third.
			"claude-opus-4-5",
			replay.Cost{Dollars: (2000*5 + 20_550*6.25 + 7100*0.50) / 1e6, Plain: 2000, Written: 7100 + 3100 + 10_350, Read: 7100},
			replay.Cost{
				Dollars: (2000*5 + 17_742*6.25) / 1e6, Plain: 2000, Written: 7100 + 5246 + 5396,
				Firings: 1, Rewritten: 2146, RewriteDollars: 2146 * 5.75 / 1e6, BreakEven: 4,
			},
			replay.Cost{
				Dollars: (2000*5 + 15_596*6.25 + 7100*0.50) / 1e6, Plain: 2000, Written: 7100 + 3100 + 5396, Read: 7100,
				Firings: 1, BreakEven: 4,
			},
		},
		{
			// 1.25 written or not, 0.125 read, from 1,024 on in steps of 128.
			"gpt-5",
			replay.Cost{Dollars: (20_690*1.25 + 8960*0.125) / 1e6, Written: 2000 + 5180 + 3160 + 10_350, Read: 1920 + 7040},
			replay.Cost{
				Dollars: (17_822*1.25 + 1920*0.125) / 1e6, Written: 2000 + 5180 + 5246 + 5396, Read: 1920,
				Firings: 1, Rewritten: 2146, RewriteDollars: 2146 * 1.125 / 1e6, BreakEven: 4,
			},
			replay.Cost{
				Dollars: (15_736*1.25 + 8960*0.125) / 1e6, Written: 2000 + 5180 + 3160 + 5396, Read: 1920 + 7040,
				Firings: 1, BreakEven: 4,
			},
		},
		{
			// 0.30 written or not, 0.03 read, from 2,048 on.
			"gemini/gemini-2.5-flash",
			replay.Cost{Dollars: (22_550*0.30 + 7100*0.03) / 1e6, Plain: 2000, Written: 7100 + 3100 + 10_350, Read: 7100},
			replay.Cost{
				Dollars: (19_742 * 0.30) / 1e6, Plain: 2000, Written: 7100 + 5246 + 5396,
				Firings: 1, Rewritten: 2146, RewriteDollars: 2146 * 0.27 / 1e6, BreakEven: 4,
			},
			replay.Cost{
				Dollars: (17_596*0.30 + 7100*0.03) / 1e6, Plain: 2000, Written: 7100 + 3100 + 5396, Read: 7100,
				Firings: 1, BreakEven: 4,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			r, err := replay.Run(t.Context(), replayLog(t), replay.Options{Strategies: replayPolicy(t, "micro:keep_recent=1"), Model: tt.model})
			if err != nil {
				t.Fatal(err)
			}
			if r.Requests != 4 || r.Timed != 3 || !r.CacheKnown {
				t.Errorf("%d requests, %d timed, rule known %v", r.Requests, r.Timed, r.CacheKnown)
			}
			equalReplay(t, "none", r.None, tt.none)
			equalReplay(t, "every", r.Every, tt.every)
			equalReplay(t, "rule", r.Rule, tt.rule)
			equalReplay(t, "own", r.Own, tt.none) // there are none
		})
	}
}

func equalReplay(t testing.TB, name string, got, want replay.Cost) {
	t.Helper()
	nearly := cmpopts.EquateApprox(0, 1e-12)
	if diff := cmp.Diff(want, got, nearly, cmpopts.IgnoreUnexported(replay.Cost{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Above a number of tokens a request has another price, and what does not fit
// the window is said.
func TestReplayOfLongRequests(t *testing.T) {
	prices, err := provider.ParsePrices("\"tiny\" = [1, 9, 0.5, 2]\n\"tiny > 7100\" = [10, 90, 5, 20]")
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Run(t.Context(), replayLog(t), replay.Options{Model: "tiny", Prices: prices, Options: strategy.Options{Window: 10_200}})
	if err != nil {
		t.Fatal(err)
	}
	equalReplay(t, "none", r.None, replay.Cost{
		Dollars: (2000*2 + 2000*0.5 + 5100*2 + 7100*5 + 3100*20 + 10_350*20) / 1e6,
		Written: 20_550, Read: 9100, TooLarge: 1,
	})
	if r.CacheKnown {
		t.Error("nobody knows how a tiny model's provider caches")
	}
}

// A request that was answered was not too large: the window is larger than the one in the
// table, unless somebody names another.
func TestReplayOfALongerWindow(t *testing.T) {
	for given, want := range map[int]int{0: 0, 200_000: 0, 150_000: 1} {
		l := tenfold.NewLog()
		if _, err := l.Append(
			tenfold.Entry{Tokens: 210_000, Payload: tenfold.UserMessage{Parts: tenfold.Text("long")}},
			tenfold.Entry{Tokens: 1, Payload: tenfold.AssistantMessage{Text: "Yes."}},
			tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: 210_000, Output: 1}},
		); err != nil {
			t.Fatal(err)
		}
		r, err := replay.Run(t.Context(), l, replay.Options{Options: strategy.Options{Window: given}})
		if err != nil || r.Requests != 1 || r.None.TooLarge != want {
			t.Errorf("window %d: %d of %d requests too large, %v", given, r.None.TooLarge, r.Requests, err)
		}
	}
}

// Where nobody noted when requests were sent, the cache is warm.
func TestReplayWithoutTimes(t *testing.T) {
	l := tenfold.NewLog()
	for e := range replayLog(t).Entries() {
		e.Time = time.Time{}
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	r, err := replay.Run(t.Context(), l, replay.Options{Strategies: replayPolicy(t, "micro:keep_recent=1"), Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Timed != 0 || r.Rule.Firings != 0 {
		t.Errorf("%d requests timed, fired %d times", r.Timed, r.Rule.Firings)
	}
	equalReplay(t, "none", r.None, replay.Cost{
		Dollars: (10_350*3.75 + 19_300*0.30) / 1e6, Written: 2000 + 5100 + 3100 + 150, Read: 2000 + 7100 + 10_200,
	})
}

func TestReplayNeedsAPrice(t *testing.T) {
	_, err := replay.Run(t.Context(), replayLog(t), replay.Options{Model: "nobodys-model"})
	if !errors.Is(err, replay.ErrNoPrice) || !strings.Contains(err.Error(), "nobodys-model") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.Run(ctx, replayLog(t), replay.Options{Model: "gpt-5"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r, err := replay.Run(t.Context(), tenfold.NewLog(), replay.Options{Model: "gpt-5", Strategies: replayPolicy(t, "micro")})
	if err != nil || r.Requests != 0 || r.None.Dollars != 0 || r.Every.Dollars != 0 {
		t.Errorf("of nothing: %+v, %v", r, err)
	}
}

// What holds for every log: a policy that never fires costs what none does, the
// tokens of all requests add up whatever is cached, and the same comes out twice.
func TestReplayLaws(t *testing.T) {
	models := []string{"claude-sonnet-4-5", "claude-haiku-5-5", "gpt-5", "gemini-2.5-pro"}
	policies := [][]string{{"micro:keep_recent=1,over=10"}, {"trim-results:over=20B"}, {"supersede"}, {"strip-reasoning", "strip-tools"}, {"hard-reset"}, {"sliding-window:n=4"}}
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		times := rapid.SampledFrom([]int{1, 100}).Draw(t, "times")
		for _, e := range logtest.Entries(80).Draw(t, "log") {
			e.Tokens = times * tenfold.CountPayload(tenfold.Chars4{}, e.Payload)
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		texts := rapid.SampledFrom(policies).Draw(t, "policy")
		var policy []strategy.Strategy
		for _, text := range texts {
			s, err := strategy.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			policy = append(policy, s)
		}
		o := replay.Options{Strategies: policy, Model: rapid.SampledFrom(models).Draw(t, "model"), Rule: trigger.Off()}
		r, err := replay.Run(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r.Rule, r.None) {
			t.Fatalf("never fired: %+v, none: %+v", r.Rule, r.None)
		}
		if again, err := replay.Run(t.Context(), l, o); err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("the second time: %+v, %v; the first: %+v", again, err, r)
		}
		o.Model = rapid.SampledFrom(models).Draw(t, "other model")
		if other, err := replay.Run(t.Context(), l, o); err != nil || other.None.Input() != r.None.Input() {
			t.Fatalf("%d tokens of input with %s: %v; %d with another model", other.None.Input(), o.Model, err, r.None.Input())
		}
		o.Model = r.Model
		o.Rule = trigger.Always()
		always, err := replay.Run(t.Context(), l, o)
		if err != nil || !reflect.DeepEqual(always.Rule, always.Every) {
			t.Fatalf("by the rule always: %+v, %v; at every request: %+v", always.Rule, err, always.Every)
		}
		for _, c := range []replay.Cost{r.None, r.Own, r.Every} {
			// Input costs no less than if all of it were read, and no more than
			// if all of it were written.
			input, p := float64(c.Input()), r.Price
			top := max(p.Input, p.CacheWrite)
			if p.Over != nil {
				top = max(top, p.Over.Input, p.Over.CacheWrite)
			}
			if c.Dollars < input*p.CacheRead/1e6-1e-9 || c.Dollars > input*top/1e6+1e-9 || c.RewriteDollars > c.Dollars {
				t.Fatalf("%+v at %+v", c, p)
			}
			if got, want := r.Saved(c), r.None.Dollars-c.Dollars; got != want {
				t.Fatalf("saved %v, want %v", got, want)
			}
		}
	})
}
