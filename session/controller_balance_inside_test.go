package session

import (
	"math"
	"reflect"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/store/memory"
	"tenfold/trigger"
)

// live V2: what compactions saved and cost, worked out by hand.
func TestV2BalanceByHand(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := tenfold.NewLog()
	var b balance
	n, limit := 0, 1_000_000
	add := func(after time.Duration, tokens int, p tenfold.Payload) string {
		t.Helper()
		e := tenfold.Entry{ID: string(rune('a' + n)), Tokens: tokens, Payload: p}
		if after >= 0 {
			e.Time = noon.Add(after)
		}
		n++
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		stored, _ := l.Entry(l.Version())
		b.add(l, stored, 5*time.Minute, limit)
		return e.ID
	}
	want := func(name string, sum, read, written, rewritten, sentRead, sentWritten float64) {
		t.Helper()
		got := [6]float64{b.sum, b.read, b.written, b.rewritten, b.sentRead, b.sentWritten}
		if w := [6]float64{sum, read, written, rewritten, sentRead, sentWritten}; got != w {
			t.Errorf("%s: %v, want %v", name, got, w)
		}
	}
	ask := func(after time.Duration, tokens int) {
		add(after, 0, tenfold.TurnStart{})
		add(after, tokens, tenfold.UserMessage{Parts: tenfold.Text("go on")})
	}
	say := func(after time.Duration) { add(after, 10, tenfold.AssistantMessage{Text: "done"}) }
	shrink := tenfold.Compaction{Source: "micro", TokensBefore: 1000, TokensAfter: 400, Turns: tenfold.Keep}

	ask(0, 1000)
	say(time.Second)
	add(time.Second, 10, tenfold.AssistantMessage{Text: "of the same response"})
	want("the first request", 0, 0, 0, 0, 0, 1000)
	id := add(2*time.Second, 0, shrink)
	want("while it is warm", 600, 0, 0, 420, 0, 1000)
	ask(3*time.Second, 100)
	say(4 * time.Second)
	want("a warm request", 600, 600, 0, 420, 1000, 1000)
	ask(10*time.Minute, 100)
	say(10*time.Minute + time.Second)
	want("a cold one", 600, 600, 600, 420, 1000, 1630)
	undo := add(20*time.Minute, 0, tenfold.CompactionRevoked{Target: id})
	want("undone while it is cold", 0, 600, 600, 420, 1000, 1630)
	add(20*time.Minute, 0, tenfold.CompactionRevoked{Target: id})
	want("undone twice", 0, 600, 600, 420, 1000, 1630)
	add(20*time.Minute, 0, tenfold.CompactionRevoked{Target: undo})
	want("redone", 600, 600, 600, 420, 1000, 1630)
	ask(-1, 10) // nobody knows when: taken to be warm
	say(-1)
	want("without a time", 600, 1200, 600, 420, 1630, 1650)
	ask(time.Hour, 10)
	say(time.Hour)
	want("after one without a time", 600, 1800, 600, 420, 2280, 1670)
}

// live V2: where the context is full, or the client asks, the client would have had
// its conversation summarised; worked out by hand.
func TestV2BalanceOfTheClientsSummary(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		limit int
		pause time.Duration
		put   []tenfold.Payload // before the compaction
		then  []tenfold.Payload // after it
		want  balance
	}{
		{"room", 110_001, time.Second, nil, nil, balance{sum: 60_000, total: 110_010, read: 60_000, rewritten: 40_000, requests: 2}},
		// 110,000 are read for a summary of 2,200, which is then what is written.
		{"full", 110_000, time.Second, nil, nil, balance{sum: -47_800, total: 2210, read: 110_000 - 47_800, rewritten: 40_000 - 2200, summed: 2200, requests: 1}},
		{"full and cold", 110_000, time.Hour, nil, nil, balance{sum: -47_800, total: 2210, written: 110_000 - 47_800, rewritten: 40_000, summed: 2200, requests: 1}},
		{
			"asked", 500_000, time.Second,
			[]tenfold.Payload{tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: string(ByClient)}},
			nil,
			balance{sum: -47_800, total: 2210, read: 110_000 - 47_800, rewritten: 40_000 - 2200, summed: 2200, requests: 1},
		},
		{
			"somebody else asked", 500_000, time.Second,
			[]tenfold.Payload{tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: string(ByPerson)}},
			nil,
			balance{sum: 60_000, total: 110_010, read: 60_000, rewritten: 40_000, requests: 2},
		},
		{ // Of 99,990 tokens the provider reports 20,010 more.
			"full as the provider counts", 130_010, time.Second,
			[]tenfold.Payload{tenfold.Usage{Input: 10_000, CacheRead: 100_000, CacheWrite: 10_000}},
			nil,
			balance{sum: -47_800, total: 2210, read: 110_000 - 47_800, rewritten: 40_000 - 2200, summed: 2200, requests: 1},
		},
		{"not full as the provider counts", 130_011, time.Second, []tenfold.Payload{tenfold.Usage{CacheRead: 120_000}}, nil, balance{sum: 60_000, total: 110_010, read: 60_000, rewritten: 40_000, requests: 2, reported: 120_000, counted: 99_990}},
		{"its own", 500_000, time.Second, nil, []tenfold.Payload{tenfold.Compaction{Source: "import"}}, balance{total: 2000 + 10_010, rewritten: 40_000, requests: 1}},
	} {
		l := tenfold.NewLog()
		var b balance
		add := func(after time.Duration, tokens int, p tenfold.Payload) {
			t.Helper()
			if _, err := l.Append(tenfold.Entry{Time: noon.Add(after), Tokens: tokens, Payload: p}); err != nil {
				t.Fatal(err)
			}
			e, _ := l.Entry(l.Version())
			b.add(l, e, 5*time.Minute, tt.limit)
		}
		add(0, 0, tenfold.TurnStart{})
		add(0, 99_990, tenfold.UserMessage{Parts: tenfold.Text("go on")})
		add(0, 10, tenfold.AssistantMessage{Text: "done"})
		for _, p := range tt.put {
			add(0, 0, p)
		}
		add(0, 0, tenfold.Compaction{Source: "auto", TokensBefore: 100_000, TokensAfter: 40_000, Turns: tenfold.Keep})
		for _, p := range tt.then {
			add(0, 0, p)
		}
		add(tt.pause, 0, tenfold.TurnStart{})
		add(tt.pause, 10_000, tenfold.UserMessage{Parts: tenfold.Text("go on")})
		add(tt.pause, 10, tenfold.AssistantMessage{Text: "done"})
		got := balance{
			sum: math.Round(b.sum), total: math.Round(b.total), read: math.Round(b.read), written: math.Round(b.written),
			rewritten: math.Round(b.rewritten), summed: math.Round(b.summed),
			requests: b.requests, reported: b.reported, counted: b.counted,
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n%+v, want\n%+v", tt.name, got, tt.want)
		}
	}
}

// live V2: the largest view that is paid for, worked out by hand.
func TestV2WhatAViewMayCost(t *testing.T) {
	p := provider.Price{Output: 50, CacheRead: 1, CacheWrite: 10}
	for _, tt := range []struct {
		name  string
		b     balance
		stake float64
		cold  bool
		want  float64
	}{
		// 100,000 are read and 2,000 written for the summary: 200,000.
		{"nothing saved", balance{total: 100_000, requests: 10}, 0, false, 2000 + 200_000/20},
		{"cold", balance{total: 100_000, requests: 10}, 0, true, 2000 + 1_100_000/20},
		{"longer", balance{total: 100_000, requests: 90}, 0, false, 2000 + 200_000/100},
		{"saved", balance{total: 100_000, requests: 10, read: 20_000, written: 1000, rewritten: 1000, summed: 20}, 0, false, 2000 + (200_000+22_000)/20},
		{"a stake", balance{total: 100_000, requests: 10, sentRead: 4000, sentWritten: 600}, 0.5, false, 2000 + (200_000+5000)/20},
		{"small", balance{total: 10_000, requests: 10}, 0, false, 1000 + 60_000/20},
		{"smaller than a summary", balance{total: 500, requests: 10}, 0, false, 500 + 25_500/20},
		{"lost more", balance{total: 100_000, requests: 10, rewritten: 100_000}, 0, false, 2000},
	} {
		if got := tt.b.affords(p, tt.stake, tt.cold); got != tt.want {
			t.Errorf("%s: %f, want %f", tt.name, got, tt.want)
		}
	}
}

// live V2: what is read at once from the cache is saved at once.
func TestV2WhatIsSavedPaysForRewriting(t *testing.T) {
	b := balance{read: 1000, written: 100, rewritten: 20, sentRead: 500, sentWritten: 10}
	// Saved are 1000·1 + 100·10 − 20·9 = 1820, spent 500·1 + 10·10 = 600.
	for _, tt := range []struct {
		behind, going int
		stake         float64
		want          bool
	}{{203, 7, 0, true}, {203, 6, 0, false}, {202, 0, 0, true}, {0, 1, 0, true}, {269, 1, 1, true}, {269, 0, 1, false}} {
		if got := b.allows(trigger.Cache{Behind: tt.behind, Going: tt.going}, provider.Price{CacheRead: 1, CacheWrite: 10}, tt.stake); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// live V2: the price is the model's, for as long as the client asks to keep prompts.
func TestV2PriceOfTheCache(t *testing.T) {
	for _, tt := range []struct {
		model       string
		lifetime    time.Duration
		read, write float64
	}{
		{"claude-sonnet-4-5", 0, 0.30, 3.75},
		{"claude-sonnet-4-5", time.Hour, 0.30, 6},
		{"gpt-5.1", time.Hour, 0.125, 1.25},
		{"gpt-6.2-sol", 24 * time.Hour, 0.10, 2.50},
		{"nobody-knows", 59 * time.Minute, 0.1, 1.25},
		{"nobody-knows", time.Hour, 0.1, 2},
	} {
		s, err := NewService(memory.New()).Create(t.Context(), Create{ID: "c", Entries: []tenfold.Entry{{Payload: tenfold.ConfigDelta{Model: tt.model}}}})
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Control(Live{Lifetime: tt.lifetime}).price(); p.CacheRead != tt.read || p.CacheWrite != tt.write {
			t.Errorf("%s, kept for %v: %+v", tt.model, tt.lifetime, p)
		}
	}
}
