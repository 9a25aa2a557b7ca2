package session

import (
	"testing"
	"time"

	"tenfold"
	"tenfold/store/memory"
	"tenfold/trigger"
)

// live V2: what compactions saved and cost, worked out by hand.
func TestV2BalanceByHand(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := tenfold.NewLog()
	var b balance
	n := 0
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
		b.add(l, stored, 5*time.Minute)
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

// live V2: what is read at once from the cache is saved at once.
func TestV2WhatIsSavedPaysForRewriting(t *testing.T) {
	b := balance{read: 1000, written: 100, rewritten: 20, sentRead: 500, sentWritten: 10}
	// Saved are 1000·1 + 100·10 − 20·9 = 1820, spent 500·1 + 10·10 = 600.
	for _, tt := range []struct {
		behind, going int
		stake         float64
		want          bool
	}{{203, 7, 0, true}, {203, 6, 0, false}, {202, 0, 0, true}, {0, 1, 0, true}, {269, 1, 1, true}, {269, 0, 1, false}} {
		if got := b.allows(trigger.Cache{Behind: tt.behind, Going: tt.going, Read: 1, Write: 10}, tt.stake); got != tt.want {
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
		{"nobody-knows", 59 * time.Minute, 0.1, 1.25},
		{"nobody-knows", time.Hour, 0.1, 2},
	} {
		s, err := NewService(memory.New()).Create(t.Context(), Create{ID: "c", Entries: []tenfold.Entry{{Payload: tenfold.ConfigDelta{Model: tt.model}}}})
		if err != nil {
			t.Fatal(err)
		}
		if read, write := s.Control(Live{Lifetime: tt.lifetime}).cachePrice(); read != tt.read || write != tt.write {
			t.Errorf("%s, kept for %v: %v and %v", tt.model, tt.lifetime, read, write)
		}
	}
}
