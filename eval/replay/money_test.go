package replay_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/logtest"
	"tenfold/strategy"
)

func TestMoneyRecorded(t *testing.T) {
	billed := 0.25
	l := tenfold.NewLog()
	if _, err := l.Append(
		tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: 10, Output: 1000, CacheRead: 20_000, CacheWrite: 4000}},
		tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: 5, Output: 10}, Branch: "scout"},
		tenfold.Entry{Payload: tenfold.Usage{Model: "zeta", Input: 7}},
		tenfold.Entry{Payload: tenfold.Usage{Model: "alpha", Input: 7}},
		tenfold.Entry{Payload: tenfold.Usage{Model: "zeta", Input: 7}},
		tenfold.Entry{Payload: tenfold.Usage{Model: "zeta", Cost: &billed}},
	); err != nil {
		t.Fatal(err)
	}
	m, err := replay.MoneyOf(t.Context(), l, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := replay.Recorded{
		Responses: 6, Priced: 3, Unpriced: []string{"alpha", "zeta"},
		Dollars: (10*3+1000*15+20_000*0.30+4000*3.75)/1e6 + (5*3+10*15)/1e6 + 0.25,
		Input:   36, Output: 1010, CacheRead: 20_000, CacheWrite: 4000,
	}
	if diff := cmp.Diff(want, m.Recorded); diff != "" {
		t.Error(diff)
	}
	if m.Own != nil || m.Ours != nil || m.Replay != nil {
		t.Errorf("there was nothing compacted: %+v", m)
	}
}

// A summary for 600 tokens more of conversation costs more than it saves, and
// that is said.
func TestMoneyOfAnOwnCompaction(t *testing.T) {
	l := tenfold.NewLog()
	n := 0
	for e := range replayLog(t).Entries() {
		if n++; n == 8 {
			if _, err := l.Append(tenfold.Entry{ID: "it", Payload: tenfold.Compaction{
				Source: "import", Summary: &tenfold.Summary{
					Text: strings.Repeat("word", 500), Placement: tenfold.PlaceMessage, Model: "claude-opus-4-5",
					Usage: &tenfold.Usage{Input: 100, CacheRead: 10_000, Output: 500},
				},
			}}, tenfold.Entry{Branch: "scout", Payload: tenfold.Compaction{ // a context of its own, of a sub-agent
				Strategy: "task", Source: "model", Turns: tenfold.Omit,
			}}); err != nil {
				t.Fatal(err)
			}
		}
		e.ID = ""
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	o := replay.Options{Model: "claude-sonnet-4-5"}
	m, err := replay.MoneyOf(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	// The fourth request finds the cache cold: 10,350 tokens are written without
	// the compaction, and 600 sent as they are with it.
	summary := (100*5 + 10_000*0.50 + 500*25) / 1e6
	saved := (10_350*3.75 - 600*3) / 1e6
	if b := m.Own; b == nil || b.Compactions != 1 || !nearly(b.Saved, saved) || b.Rewriting != 0 || !nearly(b.Summaries, summary) ||
		b.Estimated != 0 || b.BreakEven != 4 || b.Requests != 4 || b.TooLarge != 0 || !nearly(b.Net(), saved-summary) {
		t.Errorf("%+v", b)
	}
	if m.Ours != nil {
		t.Errorf("no strategies, and yet %+v", m.Ours)
	}

	o.Strategies = replayPolicy(t, "micro:keep_recent=1")
	m, err = replay.MoneyOf(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Ours; b == nil || b.Compactions != 1 || !nearly(b.Saved, (4994-40)*3.75/1e6) || !nearly(b.Net(), b.Saved) {
		t.Errorf("%+v", b)
	}

	o.Model = "nobodys-model"
	m, err = replay.MoneyOf(t.Context(), l, o)
	if err != nil || m.Own != nil || m.Ours != nil || m.Replay != nil || m.Model != "nobodys-model" {
		t.Errorf("without a price: %+v, %v", m, err)
	}
}

func nearly(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// What is saved, less what it cost, is what it costs less than no compaction.
func TestMoneyAddsUp(t *testing.T) {
	policy := replayPolicy(t, "micro:keep_recent=1,over=10", "strip-reasoning")
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		for _, e := range logtest.Entries(60).Draw(t, "log") {
			e.Tokens = 100 * tenfold.CountPayload(tenfold.Chars4{}, e.Payload)
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		m, err := replay.MoneyOf(t.Context(), l, replay.Options{Strategies: policy, Model: "claude-fable-5-1", Options: strategy.Options{Window: 5000}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Ours.Net(), m.Replay.Saved(m.Replay.Rule); math.Abs(got-want) > 1e-9 {
			t.Fatalf("net %v, cheaper by %v", got, want)
		}
		if m.Own != nil && math.Abs(m.Own.Net()-m.Replay.Saved(m.Replay.Own)) > 1e-9 {
			t.Fatalf("net %v, cheaper by %v", m.Own.Net(), m.Replay.Saved(m.Replay.Own))
		}
		if m.Own != nil && m.Own.Compactions == 0 {
			t.Skip("all of them after the last request")
		}
	})
}
