package tenfold_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

// Cases at the edge of the rules that the code once got wrong.

func TestP3APinOfWhatNoModelSeesShieldsNothing(t *testing.T) {
	zero := 0
	p := project(
		t, start(), user("the task"), call("c", "t", `{}`), result("c", "r"), entry(tenfold.Usage{Input: 3}), say("done"),
		pin("e5"), overlay("s", tenfold.Compaction{ToStep: &zero, Summary: &tenfold.Summary{Text: "S"}}),
	)
	sees(t, p, "user: the task", "assistant: S", "assistant: done")
	p = project(t, start(), on("scout", user("aside")), summary("s", 0, 0, "S"), pin("e1", "e2"), unpin("e1", "e2"))
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

func TestL7APinOnAnotherBranchShieldsNothing(t *testing.T) {
	p := project(t, append(talk(1), on("scout", user("go")), pin("e6"), start(), user("next"), summary("s", 0, 0, "S"))...)
	sees(t, p, heading, "assistant: S", "user: next")
}

func TestL9AnEntryWithoutAnIDIsNeverTakenForAnother(t *testing.T) {
	l := tenfold.NewLog()
	n, err := l.Append(named("e2", user("a").Payload), user("b"))
	if err != nil || n != 2 || l.Version() != 2 {
		t.Fatalf("%d of 2 entries were added, %v", n, err)
	}
}

func TestP13PruningOverAnEmptyRangeHasNoEffect(t *testing.T) {
	defs := []tenfold.ToolDefinition{{Name: "read"}}
	p := project(t, entry(tenfold.ConfigDelta{Tools: &defs}), user("a"), overlay("o", tenfold.Compaction{
		FromTurn: 7, ToTurn: 9, ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"read"}},
	}))
	same(t, "tools", p.Config().Tools, defs)
}

func TestP10WhatNoProviderTakesIsLeftOut(t *testing.T) {
	for _, odd := range []tenfold.Payload{
		tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: "1"},
		tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `"x"`},
		tenfold.ProviderItem{Provider: "gemini", Role: "user", Data: "[]"},
		tenfold.Reasoning{Provider: "openai", Signature: "s"},
	} {
		p := project(t, user("go"), entry(odd), say("ok"))
		for _, f := range body.Profiles() {
			if found := f.Check([]byte(bodyOf(t, f, p))); len(found) > 0 {
				t.Errorf("%s with %v: %v", f.Name, odd, found)
			}
		}
	}
}

func TestP10ToolNamesStayApart(t *testing.T) {
	defs := []tenfold.ToolDefinition{{Name: "a b"}, {Name: "a_b"}, {Name: "twice"}, {Name: "twice"}}
	blank := " \n"
	p := project(t, entry(tenfold.ConfigDelta{Tools: &defs, System: &blank}), user("go"), call("c", "a_b", `{}`), failed("c", ""))
	for _, f := range body.Profiles() {
		text := bodyOf(t, f, p)
		if found := f.Check([]byte(text)); len(found) > 0 {
			t.Errorf("%s: %v", f.Name, found)
		}
		if strings.Count(text, `"a_b_2"`) != 2 && f.Name != "gemini" { // its definition and its call
			t.Errorf("%s does not call a_b by the name of its definition:\n%s", f.Name, text)
		}
	}
}

func TestP6SizesAreNumbers(t *testing.T) {
	for _, text := range []string{"nan", "NaNKB", "inf", "-1", "1e30GB"} {
		if size, err := tenfold.ParseSize(text); err == nil {
			t.Errorf("%q is read as %d", text, size)
		}
	}
}

func TestC3BoundsAreClampedToTheLogAsItStood(t *testing.T) {
	p := project(t, append(append(talk(2), overlay("o", tenfold.Compaction{ToTurn: 90, Turns: tenfold.Keep})), talk(2)...)...)
	same(t, "from last", resolve(t, p, "last", "3", nil), "2..3")
}

func TestC4ClampedSummaryExtendsToWhatThereWas(t *testing.T) {
	p := project(t, append(talk(3), summary("s", -4, 40, "S"))...)
	same(t, "extended", p.ExtendSummary(rng(1, 1)).String(), "0..2")
}

func TestP6TheGateHoldsForRemovalToo(t *testing.T) {
	policy := strip()
	policy.Over = 2048
	policy.Hints = map[string]tenfold.Hint{"read": {Response: tenfold.Remove}}
	p := project(t, oneCall("read", "tiny", policy)...)
	sees(t, p, "user: go", `call c1 read {"path":"main.go"}`, "result c1 tiny", "assistant: done")
	p = project(t, oneCall("read", strings.Repeat("big ", 1000), policy)...)
	for it := range p.Items() {
		if k := it.Payload.Kind(); k == tenfold.KindToolCall || k == tenfold.KindToolResult {
			t.Errorf("%s is still there", it.ID)
		}
	}
}

// Reasoning that goes when its loop closes stood between two calls of one
// response; their results stay where they were.
func TestP11aCallsPartedByReasoningStayApart(t *testing.T) {
	entries := []tenfold.Entry{
		start(), user("go"), in("m", call("a", "read", `{}`)), in("m", signed("anthropic", "hm")), in("m", call("b", "read", `{}`)),
		overlay("o", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}),
	}
	order := func(entries ...tenfold.Entry) string {
		var kinds []string
		for it := range project(t, entries...).Items() {
			if k := it.Payload.Kind(); k == tenfold.KindToolCall || k == tenfold.KindToolResult {
				kinds = append(kinds, string(k))
			}
		}
		return strings.Join(kinds, " ")
	}
	const want = "tool_call tool_result tool_call tool_result"
	same(t, "while the loop is open", order(entries...), want)
	same(t, "when it closed", order(append(entries, start(), user("next"))...), want)
}

// A result that comes late, between two calls of a response, answers a call of an earlier one.
func TestP11aALateResultPartsNoCalls(t *testing.T) {
	p := project(
		t, start(), user("go"), call("old", "t", `{}`), say("meanwhile"),
		in("m", call("a", "t", `{}`)), result("old", "r"), in("m", call("b", "t", `{}`)), result("a", "1"), result("b", "2"),
	)
	sees(t, p, "user: go", "call old t {}", "result old r", "assistant: meanwhile", "call a t {}", "call b t {}", "result a 1", "result b 2")
}

func TestP13AStepBeyondTheLogIsClamped(t *testing.T) {
	for _, step := range []int{math.MaxInt, math.MaxInt32, 99} {
		l := tenfold.NewLog()
		if _, err := l.Append(
			tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
			tenfold.Entry{ID: "r", Payload: tenfold.Reasoning{Text: "hm"}},
			tenfold.Entry{ID: "o", Payload: tenfold.Compaction{ToStep: &step, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
		); err != nil {
			t.Fatal(err)
		}
		for o := range tenfold.Project(l).Overlays() {
			if o.First != 1 || o.Last < 2 {
				t.Errorf("to step %d: covers %d to %d", step, o.First, o.Last)
			}
		}
	}
}

func TestT2CountsThatCannotBeAreCountedAgain(t *testing.T) {
	for _, tokens := range []int{-1, math.MinInt} {
		l := tenfold.NewLog()
		if _, err := l.Append(tenfold.Entry{ID: "u", Tokens: tokens, Payload: tenfold.UserMessage{Parts: tenfold.Text("four")}}); err != nil {
			t.Fatal(err)
		}
		if got := l.Tokens(); got != 1 {
			t.Errorf("%d tokens given: the log counts %d, want 1", tokens, got)
		}
	}
}

func TestP12EntriesStandInTheirTurnsAndSayWhenTheyWereMade(t *testing.T) {
	entries := talk(3)
	for i := range entries {
		entries[i].Time, entries[i].Source = clock(i), `{"line":`+strconv.Itoa(i+1)+`}`
	}
	var got []string
	for e := range project(t, append(entries, summary("s", 1, 1, "S"))...).Entries() {
		when := "made up"
		if i := slices.IndexFunc(entries, func(raw tenfold.Entry) bool { return raw.Source == e.Source && raw.Time.Equal(e.Time) }); i >= 0 {
			when = "line " + strconv.Itoa(i+1)
		}
		if e.Payload.Kind() == tenfold.KindTurnStart {
			when = "turn"
		}
		got = append(got, when)
	}
	same(t, "entries", got, []string{
		"turn", "line 2", "line 3", "line 4", "line 5", "turn", "made up", "made up", "turn", "line 12", "line 13", "line 14", "line 15",
	})
}

func TestP6ReasoningWithoutWordsIsStrippedWhereNoSizeIsGiven(t *testing.T) {
	entries := []tenfold.Entry{user("go"), entry(tenfold.Reasoning{Provider: "openai", Encrypted: "ZW5j", ItemID: "rs_1"}), say("done"), user("next")}
	strip := &tenfold.Policy{Action: tenfold.Strip}
	sees(t, project(t, append(entries, overlay("o", tenfold.Compaction{Reasoning: strip}))...), "user: go", "assistant: done", "user: next")
	strip.Over = 20
	same(t, "under the gate", fateOf(project(t, append(entries, overlay("o", tenfold.Compaction{Reasoning: strip}))...), 2), "kept")
}
