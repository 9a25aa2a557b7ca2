package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary"
)

func warm(*tenfold.Projection) bool { return true }

// When the conversation's own prefix is cheap, it is sent with the request at
// its end.
func TestPrefixIsChosenByPrice(t *testing.T) {
	stripped := func(l *tenfold.Log) {
		c := tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}
		if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
	brief := "Be brief."
	unsigned := func(l *tenfold.Log) { // words that lost their signature are the same words
		for _, p := range []tenfold.Payload{tenfold.AssistantMessage{Text: "So I look.", Signature: "s"}, tenfold.ConfigDelta{System: &brief}} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	flat := func(string, tenfold.Usage) (float64, bool) { return 1, true }
	even := func(_ string, u tenfold.Usage) (float64, bool) { return float64(u.Input + u.CacheRead), true }
	unknown := func(string, tenfold.Usage) (float64, bool) { return 0, false }
	for _, tt := range []struct {
		name   string
		model  summary.Model
		change func(*tenfold.Log)
		to     int
		prefix bool
	}{
		{"warm and cheap", summary.Model{Warm: warm, Cost: price}, nil, 2, true},
		{"the cache is cold", summary.Model{Warm: func(*tenfold.Projection) bool { return false }, Cost: price}, nil, 2, false},
		{"nobody knows", summary.Model{Cost: price}, nil, 2, false},
		{"no prices", summary.Model{Warm: warm}, nil, 2, false},
		{"a price that is unknown", summary.Model{Warm: warm, Cost: unknown}, nil, 2, false},
		{"no cheaper", summary.Model{Warm: warm, Cost: flat}, nil, 2, false},
		{"a cache that costs as much, and a long tail", summary.Model{Warm: warm, Cost: even}, nil, 0, false},
		{"the view is not raw", summary.Model{Warm: warm, Cost: price}, stripped, 2, false},
		{"words without their signature", summary.Model{Warm: warm, Cost: price}, unsigned, 3, true},
		{"it does not fit", summary.Model{Warm: warm, Cost: price, Window: 2600, MaxTokens: 200}, nil, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := long(t)
			if tt.change != nil {
				tt.change(l)
			}
			m := plays(says("Bug 100 was fixed."))
			tt.model.Provider = m
			r := requestOf(l, 0, tt.to)
			quote := tt.model.Quote(r)
			if _, err := tt.model.Summarize(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			view := m.asked[0].View
			items := slices.Collect(view.Items())
			if got := len(items) > 2; got != tt.prefix {
				t.Fatalf("%d messages were sent", len(items))
			}
			if !m.asked[0].NoTools {
				t.Error("tools are not forbidden")
			}
			if !tt.prefix {
				return
			}
			before, _ := body.Anthropic().Write(r.View)
			now, _ := body.Anthropic().Write(view)
			if !strings.HasPrefix(string(now), strings.TrimRight(string(before), "]}\"")) {
				t.Error("the request does not begin as the conversation does")
			}
			if text := sent(m.asked[0]); !strings.Contains(text, fmt.Sprintf("turns 0..%d", tt.to)) || strings.Contains(text, "[turn 000]") {
				t.Error(text)
			}
			if quote.Input < r.View.Tokens() || *quote.Cost >= float64(r.View.Tokens())/100+500/20.0 {
				t.Errorf("%+v %f, view %d", quote, *quote.Cost, r.View.Tokens())
			}
		})
	}
}

// What a plan's earlier strategies would do is not what the cache holds.
func TestPrefixIsTheViewBeforeThePlan(t *testing.T) {
	m := plays(says("Bug 100 was fixed."))
	pl := strategy.Pipeline{parsed(t, "strip-tools"), parsed(t, "summarize")}
	_, err := pl.Plan(t.Context(), tenfold.Project(long(t)), strategy.Options{
		Range: tenfold.Range{ToTurn: 2}, Summarizer: summary.Model{Provider: m, Cost: price, Warm: warm},
	})
	if text := m.requests()[0]; err != nil || !strings.Contains(text, "line of part0 line of") || strings.Contains(text, "[compacted]") || strings.Contains(text, "[turn 000]") {
		t.Errorf("%v:\n%.500s", err, text)
	}
}

// A conversation that does not fit as it stands is read as text.
func TestPrefixThatIsTooLarge(t *testing.T) {
	m := &played{answer: func(n int, r provider.Request) ([]provider.Event, error) {
		if n == 0 {
			return nil, &provider.Error{Kind: provider.TooLarge}
		}
		return says("Bug 100 was fixed."), nil
	}}
	got, err := summary.Model{Provider: m, Cost: price, Warm: warm}.Summarize(t.Context(), requestOf(long(t), 0, 2))
	if err != nil || len(m.asked) != 2 || !strings.Contains(sent(m.asked[1]), "[turn 000]") || len(got.Notes) != 1 {
		t.Errorf("%d calls, %q, %v", len(m.asked), got.Notes, err)
	}
	// What a call cost that broke off is not known.
	if got.Usage.Input != 100 || got.Usage.Cost == nil {
		t.Errorf("%+v", got.Usage)
	}
}

// M3: asked at the end of the conversation, a model sees what comes before the
// range as well, and what it names of that is not made up.
func TestM3InPlaceTheModelSeesMore(t *testing.T) {
	model := summary.Model{Provider: plays(says("Bug 200 was fixed, after pkg/part0/main.go was.")), Warm: warm, Cost: price}
	if got, err := model.Summarize(t.Context(), requestOf(long(t), 1, 2)); err != nil || len(got.Notes) > 0 {
		t.Errorf("%v, %v", err, got.Notes)
	}
	model.Warm = nil
	if _, err := model.Summarize(t.Context(), requestOf(long(t), 1, 2)); err == nil {
		t.Error("what the model was not shown is taken from it")
	}
}
