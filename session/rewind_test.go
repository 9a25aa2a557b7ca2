package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/summary"
)

// L2, live X2: a rewind keeps the log, shows all up to an entry as before and nothing
// behind it but what is said from then on; it is not undone, and begins no epoch. Where
// overlays cannot say that, nothing is written.
func TestX2RewindHidesWhatWasTakenBack(t *testing.T) {
	rewound := 0
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
		entries := logtest.Entries(40).Draw(t, "log")
		if !rapid.Bool().Draw(t, "compacted") {
			entries = slices.DeleteFunc(entries, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindCompaction })
		}
		s, err := svc.Create(ctx, session.Create{Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(1, 3).Draw(t, "rewinds") {
			was, through := s.Projection().Snapshot(), int64(rapid.IntRange(0, int(s.Log().Version())).Draw(t, "through"))
			undoable, _ := was.Undoable()
			epoch := s.Control(session.Live{}).Epoch()
			done, err := s.Rewind(ctx, through, "rewound")
			if err != nil {
				t.Fatal(err)
			}
			now := s.Projection()
			if !done {
				if now.Version() != was.Version() {
					t.Fatal("it wrote, and says that it did not")
				}
				continue
			}
			rewound++
			for seq := range was.Version() {
				e, _ := s.Log().Entry(seq + 1)
				if !e.Payload.Kind().Visible() || e.Branch != "" {
					continue
				}
				before, by, cost := was.Fate(e.Seq)
				after, whose, costs := now.Fate(e.Seq)
				switch gone := after == tenfold.Omitted || after == tenfold.Summarised; {
				case e.Seq > through && !now.Rewound(e.Seq), now.Rewound(e.Seq) && !gone:
					t.Fatalf("entry %d is %v by %q, behind %d", e.Seq, after, whose, through)
				case e.Seq <= through && !was.Rewound(e.Seq) && (before != after || by != whose || cost != costs):
					t.Fatalf("entry %d is %v by %q, and was %v by %q, up to %d", e.Seq, after, whose, before, by, through)
				}
			}
			if is, _ := now.Undoable(); is.ID != undoable.ID || s.Control(session.Live{}).Epoch() != epoch {
				t.Fatal("it can be undone, or began an epoch")
			}
			if err := s.Append(ctx, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "I go on."}, MessageID: string(rune('a' + n))}); err != nil {
				t.Fatal(err)
			}
			if last := s.Log().Version(); s.Projection().Rewound(last) {
				t.Fatal("what is said from then on is hidden as well")
			}
		}
	})
	if rewound < 10 {
		t.Errorf("%d rewinds", rewound)
	}
}

// Inside a turn the steps before are shown again, but for those that were taken back before; what a
// compaction did to an earlier turn is no hindrance.
func TestX2RewindInsideATurn(t *testing.T) {
	call := func(id string) []tenfold.Entry {
		return []tenfold.Entry{
			{ID: id, MessageID: id, Payload: tenfold.ToolCall{CallID: id, Name: "read"}},
			{ID: "result " + id, Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", 100))}},
		}
	}
	say := func(id string) []tenfold.Entry {
		return []tenfold.Entry{{ID: id, MessageID: id, Payload: tenfold.AssistantMessage{Text: id}}}
	}
	ask := func(id string) []tenfold.Entry {
		return []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {ID: id, Payload: tenfold.UserMessage{Parts: tenfold.Text(id)}}}
	}
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
	s, err := svc.Create(t.Context(), session.Create{Entries: slices.Concat(ask("one"), call("a"), ask("two"), call("b"), say("wrong"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		first []tenfold.Entry
		back  string
		want  string
	}{
		{[]tenfold.Entry{{ID: "strip", Payload: tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}}}, "result b", "one a two b"},
		{slices.Concat(call("c"), call("d"), say("wrong as well")), "result c", "one a two b c"},
		{slices.Concat(call("e"), say("so be it"), ask("three")), "so be it", "one a two b c e so be it"},
	} {
		if err := s.Append(t.Context(), step.first...); err != nil {
			t.Fatal(err)
		}
		back, _ := s.Log().Lookup(step.back)
		if done, err := s.Rewind(t.Context(), back.Seq, "rewound"); err != nil || !done {
			t.Fatalf("back to %s: %v, %v", step.back, done, err)
		}
		var shown []string
		for it := range s.Projection().Items() {
			if it.Payload.Kind() != tenfold.KindToolResult {
				shown = append(shown, it.ID)
			}
		}
		if got := strings.Join(shown, " "); got != step.want {
			t.Errorf("back to %s: the view shows %s, not %s", step.back, got, step.want)
		}
	}
}

// A copy of what was said before a rewind shows it.
func TestX2ACopyOfWhatWasTakenBack(t *testing.T) {
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
	var entries []tenfold.Entry
	for _, text := range []string{"one", "two"} {
		entries = append(entries, tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done " + text}})
	}
	s, err := svc.Create(t.Context(), session.Create{Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := s.Rewind(t.Context(), 3, "rewound"); !done || err != nil || !s.Projection().Rewound(4) || !s.Projection().Rewound(6) || s.Projection().Rewound(3) {
		t.Fatal(done, err)
	}
	copied, err := svc.Fork(t.Context(), s, session.Fork{Through: 6})
	if err != nil || copied.Projection().Rewound(6) || copied.Projection().Tokens() <= s.Projection().Tokens() {
		t.Errorf("the copy has %d tokens, the rewound %d, %v", copied.Projection().Tokens(), s.Projection().Tokens(), err)
	}
}

// A copy shows what its original shows where a call was taken back that nobody answered: it
// waits for nothing, unless it was taken back behind the end of the copy.
func TestX2ACopyBehindACallThatWasTakenBack(t *testing.T) {
	call := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: id, MessageID: id, Payload: tenfold.ToolCall{CallID: id, Name: "read", Arguments: "{}"}}
	}
	result := tenfold.Entry{ID: "result", Payload: tenfold.ToolResult{CallID: "b", Parts: tenfold.Text("a result")}}
	for _, waits := range []bool{false, true} {
		svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
		s, err := svc.Create(t.Context(), session.Create{Entries: []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("one")}}, call("a")}})
		if err != nil {
			t.Fatal(err)
		}
		through := s.Log().Version()
		if done, err := s.Rewind(t.Context(), 2, "rewound"); !done || err != nil {
			t.Fatal(done, err)
		}
		if err := s.Append(t.Context(), call("b"), result); err != nil {
			t.Fatal(err)
		}
		if !waits {
			through = s.Log().Version()
		}
		_, step, _ := s.Log().Where(s.Log().Version())
		if err := s.Append(t.Context(), tenfold.Entry{ID: "c", Payload: tenfold.Compaction{ToStep: &step, Turns: tenfold.Omit}}); err != nil {
			t.Fatal(err)
		}
		copied, err := svc.Fork(t.Context(), s, session.Fork{Through: through})
		if err != nil {
			t.Fatal(err)
		}
		want := tenfold.Omitted
		if waits {
			want = tenfold.Kept
		}
		if is, _, _ := copied.Projection().Fate(through); is != want {
			t.Errorf("waits %v: the last entry of the copy is %v", waits, is)
		}
	}
}

// What a host put in is taken back with the rest. A rewind that takes back all that was
// shortened would change what the view begins with, and is not written.
func TestX2WhatARewindTakesBack(t *testing.T) {
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
	s, err := svc.Create(t.Context(), session.Create{Entries: []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("one")}},
		{Payload: tenfold.AssistantMessage{Text: "done"}},
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("two")}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"), Purpose: tenfold.Context, Synthetic: true}},
		{Payload: tenfold.ToolCall{CallID: "c", Name: "read", Arguments: "{}"}},
		{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(strings.Repeat("a line\n", 100))}},
		{Payload: tenfold.AssistantMessage{Text: "read"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	strip := tenfold.Compaction{ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}
	if err := s.Append(t.Context(), tenfold.Entry{ID: "strip", Payload: strip}); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Rewind(t.Context(), 3, "rewound"); done || err != nil {
		t.Errorf("the view begins otherwise: %v, %v", done, err)
	}
	if _, err := s.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Rewind(t.Context(), 3, "rewound"); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	for it := range s.Projection().Items() {
		if it.Seq > 3 {
			t.Errorf("entry %d is shown", it.Seq)
		}
	}
}

// C5, live X2: a summary tells nothing of what a client had taken back. What one tells that
// was written before cannot be hidden: where the client goes back to before that, nothing is
// written, and a copy is without the summary.
func TestX2SummariesTellNothingThatWasTakenBack(t *testing.T) {
	ctx := t.Context()
	svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
	turn := func(word string) []tenfold.Entry {
		text := "Please look after the " + word + " today."
		return []tenfold.Entry{
			{Payload: tenfold.TurnStart{}},
			{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}},
			{Payload: tenfold.AssistantMessage{Text: strings.Repeat("I looked after the "+word+". ", 200)}},
		}
	}
	s, err := svc.Create(ctx, session.Create{Entries: slices.Concat(turn("apples"), turn("bananas"))})
	if err != nil {
		t.Fatal(err)
	}
	rewind := func(through int64) bool {
		t.Helper()
		done, err := s.Rewind(ctx, through, "rewound")
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if !rewind(3) {
		t.Fatal("nothing was taken back")
	}
	if err := s.Append(ctx, slices.Concat(turn("cherries"), turn("dates"))...); err != nil {
		t.Fatal(err)
	}
	for _, by := range []strategy.Strategy{strategy.Summarize{}, strategy.RecursiveSummary{Keep: 1}} {
		r := session.Request{Strategies: []strategy.Strategy{by}, Options: strategy.Options{Summarizer: summary.Digest{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1}}}
		if err := s.Append(ctx, slices.Concat(turn("elderberries"), turn("figs"))...); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Compact(ctx, r); err != nil {
			t.Fatal(err)
		}
		told := ""
		for it := range s.Projection().Items() {
			if m, ok := it.Payload.(tenfold.AssistantMessage); ok && it.Added == tenfold.AddedSummary {
				told += m.Text
			}
		}
		if !strings.Contains(told, "apples") || !strings.Contains(told, "cherries") || strings.Contains(told, "bananas") {
			t.Errorf("%s tells %q", by.Name(), told)
		}
	}
	if version := s.Log().Version(); rewind(3) || s.Log().Version() != version {
		t.Error("what a summary tells is said to be taken back")
	}
	copied, err := svc.Fork(ctx, s, session.Fork{Through: 3})
	if err != nil {
		t.Fatal(err)
	}
	for o := range copied.Projection().Overlays() {
		t.Errorf("the copy has an overlay of turns %d..%d", o.Compaction.FromTurn, o.Compaction.ToTurn)
	}
}
