package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/trigger"
)

// counted counts how often a strategy is asked.
type counted struct {
	strategy.Strategy
	asked *int
}

func (c counted) Propose(ctx context.Context, p *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	*c.asked++
	return c.Strategy.Propose(ctx, p, o)
}

// large is a conversation of Claude's with two results of so many tokens, and an
// answer of a minute later.
func large(tokens int, at time.Time) []tenfold.Entry {
	result := func(id string) tenfold.Entry {
		return tenfold.Entry{Time: at, Tokens: tokens, Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 200))}}
	}
	call := func(id string) tenfold.Entry {
		return tenfold.Entry{Time: at, Tokens: 20, Payload: tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`}}
	}
	return []tenfold.Entry{
		{Time: at, Payload: tenfold.ConfigDelta{Model: "claude-sonnet-4-5"}},
		{Time: at, Payload: tenfold.TurnStart{}},
		{Time: at, Tokens: 10, Payload: tenfold.UserMessage{Parts: tenfold.Text("build it")}},
		call("a"), result("a"), call("b"), result("b"),
		{Time: at.Add(time.Minute), Tokens: 30, Payload: tenfold.AssistantMessage{Text: "it builds"}},
	}
}

// A compaction that breaks a warm cache waits until enough goes; a cold cache has
// nothing to lose. The clock is the service's.
func TestCompactByPromptCache(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		when    string
		tokens  int
		later   time.Duration
		applied bool
		asked   int
		why     string
	}{
		// One result of two goes; what stays behind it: its stub, the second
		// call with its result, the answer.
		{"warm, few", "cache()", 3000, 2 * time.Minute, false, 1, "of at least 20000, 3123 rewritten behind them, warm until 12:06:00 UTC, pays after 13 requests"},
		{"cold, few", "cache()", 3000, 7 * time.Minute, true, 1, "tokens to go, 3123 rewritten behind them, cold since 12:06:00 UTC, pays at once"},
		{"cold, crumbs", "cache()", 900, 7 * time.Minute, false, 1, "of at least 2000"},
		{"warm, many", "cache()", 21_000, 2 * time.Minute, true, 1, "tokens to go, 21123 rewritten behind them, warm until 12:06:00 UTC, pays after 12 requests"},
		{"no plan is needed", "any(2k, cache())", 3000, 2 * time.Minute, true, 1, "6080 tokens used, the threshold is 2000"},
		{"nor made", "all(80%, cache())", 3000, 7 * time.Minute, false, 0, "not over 80%"},
		{"but is asked about", "any(80%, cache())", 3000, 7 * time.Minute, true, 1, "cold since"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := memory.New()
			t.Cleanup(func() { _ = st.Close() })
			now := start.Add(tt.later)
			svc := session.NewService(st, session.WithClock(func() time.Time { return now }))
			s, err := svc.Create(t.Context(), session.Create{ID: "c", Entries: large(tt.tokens, start)})
			if err != nil {
				t.Fatal(err)
			}
			when, err := trigger.Parse(tt.when)
			if err != nil {
				t.Fatal(err)
			}
			micro, err := strategy.Parse("micro:keep_recent=1")
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			c, err := s.Compact(t.Context(), session.Request{
				Trigger: when, Strategies: []strategy.Strategy{counted{micro, &asked}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}},
			})
			if err != nil {
				t.Fatal(err)
			}
			why := c.Reason
			if c.Outcome == session.Applied {
				why = c.Overlays[0].Compaction.Reason
			}
			if (c.Outcome == session.Applied) != tt.applied || !strings.Contains(why, tt.why) {
				t.Errorf("%s, %q; want applied %v, %q", c.Outcome, why, tt.applied, tt.why)
			}
			if asked != tt.asked {
				t.Errorf("planned %d times, want %d", asked, tt.asked)
			}
		})
	}
}

// No model is paid to find out whether to ask it.
func TestCompactByPromptCacheAsksNoModel(t *testing.T) {
	s, err := newService(t).Create(t.Context(), session.Create{ID: "c", Entries: large(30_000, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
	if err != nil {
		t.Fatal(err)
	}
	summarize, err := strategy.Parse("summarize")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	c, err := s.Compact(t.Context(), session.Request{
		Trigger: trigger.CacheAware{}, Strategies: []strategy.Strategy{summarize}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}},
		Options: strategy.Options{Summarizer: costly{&asked}},
	})
	if err != nil || asked != 0 || c.Outcome != session.Nothing || !strings.Contains(c.Reason, "0 tokens to go of at least 2000") {
		t.Errorf("%v, %s, %q, asked %d times", err, c.Outcome, c.Reason, asked)
	}
}

// costly is a summarizer that counts how often it is paid.
type costly struct{ asked *int }

func (costly) Quote(strategy.SummaryRequest) strategy.Quote { return strategy.Quote{Model: "dear"} }

func (c costly) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	*c.asked++
	return strategy.SummaryResult{Text: "it was built"}, nil
}
