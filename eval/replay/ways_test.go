package replay_test

import (
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/strategy"
)

// The tool's own compactions are replayed as they were, and left out of the
// other ways; what a person took back stays taken back in all of them.
func TestReplayOfOwnCompactions(t *testing.T) {
	build := func(c tenfold.Compaction) *tenfold.Log {
		l := tenfold.NewLog()
		n := 0
		for e := range replayLog(t).Entries() {
			if n++; n == 8 { // before the second turn
				if _, err := l.Append(tenfold.Entry{ID: "it", Time: replayNoon.Add(time.Minute), Payload: c}); err != nil {
					t.Fatal(err)
				}
			}
			if n >= 8 {
				e.Time = e.Time.Add(-18 * time.Minute) // while the cache is warm
			}
			e.ID = ""
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	o := replay.Options{Model: "claude-sonnet-4-5"}
	none := replay.Cost{Dollars: (10_350*3.75 + 19_300*0.30) / 1e6, Written: 10_350, Read: 19_300}

	text := strings.Repeat("word", 500) // 500 tokens
	r, err := replay.Run(t.Context(), build(tenfold.Compaction{
		Source: "import", Reason: "auto", Summary: &tenfold.Summary{Text: text, Placement: tenfold.PlaceMessage},
	}), o)
	if err != nil {
		t.Fatal(err)
	}
	equalReplay(t, "none", r.None, none)
	// The summary is asked for while the 10,200 tokens of the third request are
	// cached, and 50 of an answer are not; it has 500 itself. The last request
	// sends it and 100 tokens anew: less than is kept.
	asked := (10_200*0.30 + 50*3.75 + 500*15) / 1e6
	equalReplay(t, "own", r.Own, replay.Cost{
		Dollars: (10_200*3.75+9100*0.30+600*3)/1e6 + asked, Written: 10_200, Read: 9100, Plain: 600,
		Summaries: asked, Estimated: asked,
		Firings: 1, Rewritten: 500, RewriteDollars: 500 * 2.70 / 1e6,
	})
	if saved := r.Saved(r.Own); saved >= 0 {
		t.Errorf("a summary that costs more than it saves saved %v", saved)
	}

	r, err = replay.Run(t.Context(), build(tenfold.Compaction{Source: "import", Reason: "rewound in claude-code", Turns: tenfold.Omit}), o)
	if err != nil {
		t.Fatal(err)
	}
	equalReplay(t, "own of a rewind", r.Own, r.None)
	if r.None.Firings != 0 || r.None.Input() != 2000+7100+10_200+100 {
		t.Errorf("none of a rewind: %+v", r.None)
	}
}

// Another model has another cache, and other instructions are another prompt.
func TestReplayAcrossModels(t *testing.T) {
	one, two := "be brief", "be long"
	tests := []struct {
		name string
		c    tenfold.ConfigDelta
		read int
	}{
		{"the same again", tenfold.ConfigDelta{Model: "claude-sonnet-4-5", System: &one}, 2002},
		{"another model", tenfold.ConfigDelta{Model: "claude-opus-4"}, 0},
		{"another system prompt", tenfold.ConfigDelta{System: &two}, 0},
	}
	for _, tt := range tests {
		l := tenfold.NewLog()
		if _, err := l.Append(
			tenfold.Entry{Payload: tenfold.ConfigDelta{Model: "claude-sonnet-4-5", System: &one}},
			tenfold.Entry{Payload: tenfold.TurnStart{}},
			tenfold.Entry{Tokens: 2000, Payload: tenfold.UserMessage{Parts: tenfold.Text("build it")}},
			tenfold.Entry{Tokens: 100, Payload: tenfold.AssistantMessage{Text: "it builds"}},
			tenfold.Entry{Payload: tt.c},
			tenfold.Entry{Payload: tenfold.TurnStart{}},
			tenfold.Entry{Tokens: 50, Payload: tenfold.UserMessage{Parts: tenfold.Text("and now?")}},
			tenfold.Entry{Tokens: 10, Payload: tenfold.AssistantMessage{Text: "still"}},
		); err != nil {
			t.Fatal(err)
		}
		r, err := replay.Run(t.Context(), l, replay.Options{Model: "claude-sonnet-4-5"})
		if err != nil {
			t.Fatal(err)
		}
		if r.None.Read != tt.read {
			t.Errorf("%s: %d tokens read, want %d", tt.name, r.None.Read, tt.read)
		}
	}
}

// B1: reasoning goes with what changes the view before it, also that of an open tool
// loop: it is not held back to fall when the loop closes, which would make the cache
// behind it of no use once more.
func TestB1ReplayOfReasoning(t *testing.T) {
	thinks := tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2lnbmVk"}
	l := tenfold.NewLog()
	for _, e := range []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Tokens: 2000, Payload: tenfold.UserMessage{Parts: tenfold.Text("build it")}},
		{Tokens: 500, Payload: thinks}, // request 1
		{Tokens: 50, Payload: tenfold.AssistantMessage{Text: "how?"}},
		{Payload: tenfold.TurnStart{}},
		{Tokens: 100, Payload: tenfold.UserMessage{Parts: tenfold.Text("with make")}},
		{Tokens: 3000, Payload: thinks}, // request 2 strips what was thought before it
		{Tokens: 100, Payload: tenfold.ToolCall{CallID: "a", Name: "shell", Arguments: `{"command":"make"}`}},
		{Tokens: 1500, Payload: tenfold.ToolResult{CallID: "a", Parts: tenfold.Text(strings.Repeat("a line\n", 200))}},
		{Tokens: 50, Payload: tenfold.AssistantMessage{Text: "it builds"}}, // request 3 strips the result, and thoughts go (B1)
		{Payload: tenfold.TurnStart{}},
		{Tokens: 100, Payload: tenfold.UserMessage{Parts: tenfold.Text("good")}},
		{Tokens: 10, Payload: tenfold.AssistantMessage{Text: "yes"}}, // request 4
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	profile, err := strategy.FindProfile("default")
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Run(t.Context(), l, replay.Options{Strategies: []strategy.Strategy{profile}, Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	// The user's 2,000 tokens; nothing, for a view that shortens something begins
	// with a note (P5a); then all of that view: the reasoning of request 2 went when
	// what stood before it changed (B1), and nothing goes later. What was not a
	// message of the assistant is the call and the stub of its result.
	view := tenfold.Project(l).With(tenfold.Compaction{ToTurn: 1, ToolCalls: profile.ToolCalls})
	note := view.Note()
	_, _, stub := view.Fate(9)
	want := 2000 + tenfold.CountPayload(tenfold.Chars4{}, tenfold.AssistantMessage{Text: note}) + 2150 + 100 + stub
	if note == "" || r.Every.Read != want || r.Every.Firings != 2 {
		t.Errorf("%d tokens read, want %d; %d firings", r.Every.Read, want, r.Every.Firings)
	}
}

// What came with a compaction goes with it: the pins that an importer makes, and
// the history that stood in for what was hidden.
func TestReplayLeavesOutWhatCameWithACompaction(t *testing.T) {
	l := tenfold.NewLog()
	for e := range replayLog(t).Entries() {
		if e.Seq == 8 {
			if _, err := l.Append(
				tenfold.Entry{ID: "x/pin", Payload: tenfold.Pin{Entries: []string{"e2"}}},
				tenfold.Entry{ID: "x", Payload: tenfold.Compaction{Source: "import", Turns: tenfold.Omit}},
				tenfold.Entry{ID: "x/item-0", Tokens: 700, Payload: tenfold.UserMessage{Parts: tenfold.Text("so far"), Synthetic: true}},
				tenfold.Entry{ID: "x/item-0#1", Tokens: 30, Payload: tenfold.UserMessage{Parts: tenfold.Text("and"), Synthetic: true}},
				tenfold.Entry{ID: "x/item-1", Tokens: 40, Payload: tenfold.AssistantMessage{Text: "what was done"}},
				tenfold.Entry{ID: "xy/item-0", Tokens: 5, Payload: tenfold.UserMessage{Parts: tenfold.Text("my own"), Synthetic: true}},
			); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	r, err := replay.Run(t.Context(), l, replay.Options{Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests != 4 {
		t.Errorf("%d requests: what stood in for history is not a response", r.Requests)
	}
	if none, own := r.None.Input(), r.Own.Input(); none != 2000+7100+10_200+10_355 || own != 2000+7100+10_200+2000+775+100 {
		t.Errorf("%d tokens of input without the compaction, %d with it", none, own)
	}
}
