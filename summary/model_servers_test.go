package summary_test

import (
	"context"
	"strings"
	"testing"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary"
)

// work asks for a summary of so many turns.
func work(t *testing.T, turns int) strategy.SummaryRequest {
	t.Helper()
	var lines []string
	for range turns {
		lines = append(lines, "t", "u Go on.", "a "+strings.Repeat("Some work was done. ", 30))
	}
	return requestOf(talk(t, lines...), 0, turns-1)
}

// M1a: a model that takes no schema is asked in words alone, and only once with
// one: the other parts are asked without.
func TestModelWithoutSchemas(t *testing.T) {
	refused := 0
	m := &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
		if r.Schema != "" {
			refused++
			return nil, &provider.Error{Kind: provider.Invalid, Message: "response_format is not known"}
		}
		return says(`{"summary":"Some work was done.","active_files":[],"open_tasks":[]}`), nil
	}}
	got, err := summary.Model{Provider: m, Window: 3000, MaxTokens: 200}.Summarize(context.Background(), work(t, 40))
	if err != nil || !strings.Contains(got.Text, "Some work was done.") {
		t.Fatalf("%+v, %v", got, err)
	}
	// Parts that are read at the same time may each find out for themselves.
	if len(m.asked)-refused < 3 || refused < 1 || refused > 3 {
		t.Errorf("%d requests, %d of them refused", len(m.asked), refused)
	}
	// Another mistake stays one.
	m = &played{answer: func(int, provider.Request) ([]provider.Event, error) {
		return nil, &provider.Error{Kind: provider.Invalid, Message: "no such model"}
	}}
	if _, err := (summary.Model{Provider: m}).Summarize(context.Background(), work(t, 4)); provider.KindOf(err) != provider.Invalid || len(m.asked) != 2 {
		t.Errorf("%d requests, %v", len(m.asked), err)
	}
}

// C5: a server that cuts off what it cannot take, and says nothing, has not read
// the range: its summary is none.
func TestC5ServerThatReadsHalf(t *testing.T) {
	reads := func(share int) *played {
		return &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
			u := tenfold.Usage{Input: r.View.Tokens() * share / 100, Output: 5}
			return append([]provider.Event{{Usage: &u}}, stops("Some work was done.", provider.StopEnd)...), nil
		}}
	}
	r := work(t, 200)
	_, err := summary.Model{Provider: reads(30)}.Summarize(context.Background(), r)
	if provider.KindOf(err) != provider.TooLarge || !strings.Contains(err.Error(), "left out the rest") {
		t.Errorf("a third was read: %v", err)
	}
	if _, err := (summary.Model{Provider: reads(80)}).Summarize(context.Background(), r); err != nil {
		t.Errorf("another tokenizer: %v", err)
	}
	if _, err := (summary.Model{Provider: reads(0)}).Summarize(context.Background(), r); err != nil {
		t.Errorf("no figure: %v", err)
	}
	// Where the window is known, the parts fit and all of them are read.
	limited := &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
		u := tenfold.Usage{Input: min(r.View.Tokens(), 4096), Output: 5}
		return append([]provider.Event{{Usage: &u}}, stops("Some work was done.", provider.StopEnd)...), nil
	}}
	if _, err := (summary.Model{Provider: limited, Window: 4096, MaxTokens: 300}).Summarize(context.Background(), r); err != nil {
		t.Errorf("in parts: %v", err)
	}
}

// A stream that breaks off in the middle is asked for once more, and what it cost
// is not known then; one that breaks off again is given up. What never began is
// the business of who retries.
func TestModelAfterABrokenStream(t *testing.T) {
	for _, tt := range []struct {
		name   string
		breaks int // how many requests break off
		begun  bool
		kind   provider.Kind
		asked  int
		ok     bool
	}{
		{"once", 1, true, provider.CutOff, 2, true},
		{"overloaded in the middle", 1, true, provider.Overloaded, 2, true},
		{"twice", 2, true, provider.CutOff, 2, false},
		{"before it began", 1, false, provider.CutOff, 1, false},
		{"another mistake", 1, true, provider.Authentication, 1, false},
	} {
		m := &played{answer: func(n int, _ provider.Request) ([]provider.Event, error) {
			if n >= tt.breaks {
				return says("Some work was done."), nil
			}
			var events []provider.Event
			if tt.begun {
				events = []provider.Event{{Text: "Some wo"}}
			}
			return events, &provider.Error{Kind: tt.kind}
		}}
		got, err := summary.Model{Provider: m, Cost: price}.Summarize(context.Background(), work(t, 4))
		if (err == nil) != tt.ok || len(m.asked) != tt.asked || (!tt.ok && provider.KindOf(err) != tt.kind) {
			t.Errorf("%s: %d requests, %v", tt.name, len(m.asked), err)
		}
		if tt.ok && (got.Usage.Cost != nil || got.Usage.Input != 100) {
			t.Errorf("%s: %+v", tt.name, got.Usage)
		}
	}
}
