package tenfold_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

func bodyOf(t testing.TB, f body.Profile, p *tenfold.Projection) string {
	t.Helper()
	out, err := f.Write(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestP1SameLogSameBytes(t *testing.T) {
	entries := append(session(), summary("s", 0, 0, "S"), pin("e4"), overlay("o", tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}}))
	l := logWith(t, entries...)
	for _, f := range body.Profiles() {
		first := bodyOf(t, f, tenfold.Project(l))
		for range 3 {
			if again := bodyOf(t, f, project(t, entries...)); again != first {
				t.Errorf("%s:\n%s\n%s", f.Name, first, again)
			}
		}
	}
}

func TestP1ReadingAProjectionChangesNothing(t *testing.T) {
	l := logWith(t, append(session(), summary("s", 0, 0, "S"))...)
	before := slices.Collect(l.Entries())
	p := tenfold.Project(l)
	first := items(p)
	for range p.Entries() {
		p.Totals()
		p.Config()
	}
	same(t, "items", items(p), first)
	same(t, "log", slices.Collect(l.Entries()), before)
}

func TestP1NeverFails(t *testing.T) {
	step := -7
	for name, entries := range map[string][]tenfold.Entry{
		"nothing":                nil,
		"an overlay alone":       {summary("s", 0, 0, "S")},
		"bounds without sense":   {user("a"), overlay("o", tenfold.Compaction{FromTurn: 9, ToTurn: -9, ToStep: &step, Turns: tenfold.Omit})},
		"an unknown target":      {user("a"), revoke("r", "nobody")},
		"a revocation of itself": {user("a"), revoke("r", "r")},
		"a pin of nothing":       {user("a"), pin("nobody", "", "e99"), unpin("e1")},
		"an unknown action":      {user("a"), overlay("o", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: "shred"}, ToolCalls: &tenfold.ToolPolicy{Action: "shred"}, Attachments: &tenfold.Policy{}, Turns: "shred"})},
		"an unknown placement":   {user("a"), overlay("o", tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: "above"}})},
		"only orphans":           {result("c", "r"), result("", "")},
		"blank messages":         {user(""), user(" \n"), say("\t"), think("")},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, entries...)
			for _, f := range body.Profiles() {
				for _, v := range f.Check([]byte(bodyOf(t, f, p))) {
					t.Errorf("%s: %s", f.Name, v)
				}
			}
		})
	}
}

func TestP2LatestOverlayWinsEachSlot(t *testing.T) {
	stripped, kept := &tenfold.Policy{Action: tenfold.Strip}, &tenfold.Policy{Action: tenfold.Keep}
	toolsStripped := strip()
	toolsKept := tenfold.ToolPolicy{Action: tenfold.Keep}
	all := func(id string, c tenfold.Compaction) tenfold.Entry { c.ToTurn = 1; return overlay(id, c) }
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     map[int64]string // seq → fate
	}{
		"one of a kind": {
			[]tenfold.Entry{all("a", tenfold.Compaction{Reasoning: stripped, ToolCalls: &toolsStripped, Attachments: stripped})},
			map[int64]string{2: "kept", 6: "omitted a", 4: "stripped a", 5: "stripped a", 7: "kept", 9: "stripped a"},
		},
		"the later of two": {
			[]tenfold.Entry{all("a", tenfold.Compaction{Reasoning: stripped}), all("b", tenfold.Compaction{Reasoning: kept})},
			map[int64]string{3: "kept", 6: "kept"},
		},
		"the later of two, the other way": {
			[]tenfold.Entry{all("a", tenfold.Compaction{Reasoning: kept}), all("b", tenfold.Compaction{Reasoning: stripped})},
			map[int64]string{3: "omitted b", 6: "omitted b"},
		},
		"slots resolve independently": {
			[]tenfold.Entry{all("a", tenfold.Compaction{Reasoning: stripped, ToolCalls: &toolsStripped}), all("b", tenfold.Compaction{ToolCalls: &toolsKept})},
			map[int64]string{6: "omitted a", 4: "kept", 5: "kept"},
		},
		"only where it covers": {
			[]tenfold.Entry{all("a", tenfold.Compaction{ToolCalls: &toolsStripped}), overlay("b", tenfold.Compaction{FromTurn: 1, ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}})},
			map[int64]string{4: "stripped a", 5: "stripped a", 10: "omitted b", 11: "omitted b"},
		},
		"a revoked one has no say": {
			[]tenfold.Entry{all("a", tenfold.Compaction{ToolCalls: &toolsStripped}), all("b", tenfold.Compaction{ToolCalls: &toolsKept}), revoke("r", "b")},
			map[int64]string{4: "stripped a", 5: "stripped a"},
		},
		"redone it stands where it stood": {
			[]tenfold.Entry{all("a", tenfold.Compaction{ToolCalls: &toolsKept}), all("b", tenfold.Compaction{ToolCalls: &toolsStripped}), revoke("r", "a"), revoke("rr", "r")},
			map[int64]string{4: "stripped b", 5: "stripped b"},
		},
		"a summary hides whatever later slots say": {
			[]tenfold.Entry{summary("s", 0, 1, "S"), all("b", tenfold.Compaction{Reasoning: kept, ToolCalls: &toolsKept})},
			map[int64]string{2: "summarised s", 3: "summarised s", 4: "summarised s", 9: "summarised s"},
		},
		"turns omit hides whatever later slots say": {
			[]tenfold.Entry{all("o", tenfold.Compaction{Turns: tenfold.Omit}), all("b", tenfold.Compaction{ToolCalls: &toolsKept})},
			map[int64]string{2: "omitted o", 4: "omitted o", 9: "omitted o"},
		},
		"turns keep shows what was omitted": {
			[]tenfold.Entry{all("o", tenfold.Compaction{Turns: tenfold.Omit}), overlay("k", tenfold.Compaction{Turns: tenfold.Keep})},
			map[int64]string{2: "kept", 4: "kept", 9: "omitted o"},
		},
		"turns keep shows nothing a summary hides": {
			[]tenfold.Entry{summary("s", 0, 1, "S"), all("k", tenfold.Compaction{Turns: tenfold.Keep})},
			map[int64]string{2: "summarised s"},
		},
		"of two that hide the later is named": {
			[]tenfold.Entry{summary("s", 0, 1, "S"), overlay("o", tenfold.Compaction{FromTurn: 1, ToTurn: 1, Turns: tenfold.Omit})},
			map[int64]string{2: "summarised s", 9: "omitted o"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(session(), c.overlays...)...)
			for seq, want := range c.want {
				if got := fateOf(p, seq); got != want {
					t.Errorf("entry %d is %s, want %s", seq, got, want)
				}
			}
		})
	}
}

func TestP2OrderIsTheLogsNotTheClocks(t *testing.T) {
	older := overlay("older", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	newer := overlay("newer", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Keep}})
	older.Time, newer.Time = clock(9), clock(8)
	same(t, "fate", fateOf(project(t, user("a"), think("b"), say("c"), older, newer), 2), "kept")
}

func TestP7ConfigInAHiddenRangeHolds(t *testing.T) {
	system, other := "Be brief.", "Be long."
	defs := []tenfold.ToolDefinition{{Name: "read"}, {Name: "shell"}}
	entries := []tenfold.Entry{
		start(), entry(tenfold.ConfigDelta{Model: "m1", System: &system}), user("a"), say("b"),
		start(), entry(tenfold.ConfigDelta{Model: "m2", Tools: &defs}), user("c"), say("d"),
		start(), user("e"), entry(tenfold.ConfigDelta{System: &other}), say("f"),
	}
	want := project(t, entries...).Config()
	same(t, "configuration", want, tenfold.Config{Model: "m2", System: other, Tools: defs})
	for name, e := range map[string]tenfold.Entry{
		"summary": summary("s", 0, 2, "S"), "turns": overlay("o", tenfold.Compaction{ToTurn: 2, Turns: tenfold.Omit}),
	} {
		same(t, "configuration under "+name, project(t, append(slices.Clone(entries), e)...).Config(), want)
	}
}

func TestP7AnEmptyDeltaLeavesWhatWas(t *testing.T) {
	system, none := "Be brief.", ""
	p := project(t, entry(tenfold.ConfigDelta{Model: "m", System: &system}), entry(tenfold.ConfigDelta{Extra: `{"k":1}`}), user("a"))
	same(t, "configuration", p.Config(), tenfold.Config{Model: "m", System: system})
	p = project(t, entry(tenfold.ConfigDelta{Model: "m", System: &system}), entry(tenfold.ConfigDelta{System: &none}), user("a"))
	same(t, "configuration", p.Config(), tenfold.Config{Model: "m"})
}

func TestP7PrunedDefinitionsComeBackOnUndo(t *testing.T) {
	defs := []tenfold.ToolDefinition{{Name: "read"}, {Name: "shell"}}
	prune := overlay("p", tenfold.Compaction{ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"shell", "never"}}})
	entries := []tenfold.Entry{entry(tenfold.ConfigDelta{Tools: &defs}), user("a"), say("b"), prune}
	same(t, "tools", project(t, entries...).Config().Tools, defs[:1])
	same(t, "tools", project(t, append(entries, revoke("r", "p"))...).Config().Tools, defs)
}

func TestP8PinnedIsShownVerbatim(t *testing.T) {
	hide := map[string]tenfold.Compaction{
		"summary": {ToTurn: 1, Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}},
		"turns":   {ToTurn: 1, Turns: tenfold.Omit},
		"tools":   {ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}},
		"strips": {
			ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
			Reasoning: &tenfold.Policy{Action: tenfold.Strip}, Attachments: &tenfold.Policy{Action: tenfold.Strip},
		},
	}
	pinned := []int64{4, 5, 6, 9} // call, result, reasoning that nobody signed, message with a file
	for name, c := range hide {
		for when, entries := range map[string][]tenfold.Entry{
			"before": append(session(), pin("e4", "e6", "e9"), overlay("o", c)),
			"after":  append(session(), overlay("o", c), pin("e5", "e6", "e9")),
		} {
			p := project(t, entries...)
			for _, seq := range pinned {
				if got := fateOf(p, seq); got != "kept" {
					t.Errorf("%s, pinned %s: entry %d is %s", name, when, seq, got)
				}
			}
			for it := range p.Items() {
				if raw, _ := p.Log().Entry(it.Seq); it.Seq > 0 && slices.Contains(pinned, it.Seq) {
					same(t, name, it.Payload, raw.Payload)
				}
			}
		}
	}
}

func TestP8HalfAPairPinsBoth(t *testing.T) {
	omit := overlay("o", tenfold.Compaction{ToTurn: 1, Turns: tenfold.Omit})
	for half, id := range map[string]string{"call": "e4", "result": "e5"} {
		p := project(t, append(session(), pin(id), omit)...)
		if got := fateOf(p, 4) + " " + fateOf(p, 5); got != "kept kept" {
			t.Errorf("the %s is pinned, yet they are %s", half, got)
		}
		p = project(t, append(session(), pin("e4", "e5"), omit, unpin(id))...)
		if got := fateOf(p, 4) + ", " + fateOf(p, 5); got != "omitted o, omitted o" {
			t.Errorf("the %s is unpinned, yet they are %s", half, got)
		}
	}
	late := project(t, user("a"), call("c", "t", `{"n":1}`), pin("e2"), result("c", "r"), overlay("o", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}))
	same(t, "a result that came after the pin", fateOf(late, 4), "kept")
}

func TestP11FatesTellWhatAndByWhom(t *testing.T) {
	trim := tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c2": {Action: tenfold.Trim, Head: 10, Tail: 10}}}
	entries := session()
	entries[10] = failed("c2", strings.Repeat("x", 400))
	p := project(
		t, append(
			entries, summary("sum", 0, 0, "S"), overlay("trim", tenfold.Compaction{FromTurn: 1, ToTurn: 1, ToolCalls: &trim}),
			overlay("files", tenfold.Compaction{FromTurn: 1, ToTurn: 1, Attachments: &tenfold.Policy{Action: tenfold.Strip}}),
			start(), user("x"), think("y"), result("orphan", "z"), overlay("r", tenfold.Compaction{FromTurn: 2, ToTurn: 2, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}),
		)...,
	)
	for seq, want := range map[int64]string{
		1: "kept", 2: "summarised sum", 5: "summarised sum", 9: "stripped files", 10: "kept", 11: "trimmed trim", 12: "kept",
		13: "kept", 17: "kept", 18: "omitted r", 19: "omitted", 0: "kept", 99: "kept",
	} {
		if got := fateOf(p, seq); got != want {
			t.Errorf("entry %d is %s, want %s", seq, got, want)
		}
	}
	totals, log := p.Totals(), p.Log()
	if sum := totals.Log(); sum.Entries != int(log.Version()) || sum.Before != log.Tokens() {
		t.Errorf("the fates sum to %d entries, %d tokens; the log has %d, %d", sum.Entries, sum.Before, log.Version(), log.Tokens())
	}
	same(t, "trimmed entries", totals.Of(tenfold.Trimmed).Entries, 1)
	same(t, "summarised tokens left", totals.Of(tenfold.Summarised).After, 0)
	var words []string
	for _, f := range tenfold.Fates() {
		words = append(words, f.String())
	}
	same(t, "words", strings.Join(words, " "), "kept stripped trimmed omitted summarised")
}

func TestP11aAppendingLeavesThePrefix(t *testing.T) {
	l := logWith(t, append(session(), summary("s", 0, 0, "S"))...)
	before := view(tenfold.Project(l))
	for _, e := range []tenfold.Entry{
		entry(tenfold.Usage{Input: 1}), entry(tenfold.ConfigDelta{Model: "m"}), start(), user("next"), think("t"),
		say("u"), result("orphan", "v"), call("c9", "t", `{}`), entry(tenfold.Unknown{Name: "later"}),
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		same(t, "prefix", view(tenfold.Project(l))[:len(before)], before)
	}
}

func TestP11aExceptionPlaceholderGivesWayToTheResult(t *testing.T) {
	l := logWith(t, user("a"), call("c", "t", `{}`), say("b"))
	sees(t, tenfold.Project(l), "user: a", "call c t {}", "error c Tool call was interrupted.", "assistant: b")
	if _, err := l.Append(result("c", "late")); err != nil {
		t.Fatal(err)
	}
	sees(t, tenfold.Project(l), "user: a", "call c t {}", "result c late", "assistant: b")
}

func TestP11aExceptionReasoningGoesWhenItsLoopCloses(t *testing.T) {
	l := logWith(
		t, start(), user("a"), signed("anthropic", "hm"), think("unsigned"), call("c", "t", `{}`), result("c", "r"),
		overlay("o", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}),
	)
	p := tenfold.Project(l)
	sees(t, p, "user: a", "thinking: hm", "call c t {}", "result c r")
	if _, err := l.Append(start(), user("next")); err != nil {
		t.Fatal(err)
	}
	p.Advance()
	sees(t, p, "user: a", "call c t {}", "result c r", "user: next")
}

func TestP12ProjectingAProjectionChangesNothing(t *testing.T) {
	system := "Be brief."
	for name, overlays := range map[string][]tenfold.Entry{
		"none":     nil,
		"summary":  {summary("s", 0, 0, "S")},
		"system":   {overlay("s", tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}})},
		"strips":   {tools(strip()), overlay("r", tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}, Attachments: &tenfold.Policy{Action: tenfold.Strip}})},
		"opening":  {overlay("o", tenfold.Compaction{Turns: tenfold.Omit}), pin("e7")},
		"unpaired": {call("c8", "t", `{"n":1}`), result("orphan", "r")},
		// The placeholder of the first call stands in the midst of the response.
		"some with an id": {
			in("m9", call("c8", "t", `{"n":1}`)), in("m9", entry(tenfold.Reasoning{Text: "hm"})), in("m9", call("c9", "t", `{"n":2}`)), call("c10", "t", `{"n":3}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			entries := append([]tenfold.Entry{entry(tenfold.ConfigDelta{Model: "m", System: &system})}, session()...)
			p := project(t, append(entries, overlays...)...)
			q := project(t, slices.Collect(p.Entries())...)
			sees(t, q, view(p)...)
			same(t, "tokens", q.Tokens(), p.Tokens())
			for _, f := range body.Profiles() {
				same(t, f.Name, bodyOf(t, f, q), bodyOf(t, f, p))
			}
		})
	}
}

// What one entry counts has an end, for a message with the note of the view as well.
func TestP12ANoteOnAMessageThatClaimsTooMuch(t *testing.T) {
	for _, opening := range []bool{false, true} {
		first := tenfold.Entry{ID: "first", Tokens: math.MaxInt, Payload: tenfold.UserMessage{Parts: tenfold.Text("a")}}
		if opening {
			first.Payload = tenfold.AssistantMessage{Text: "a"}
		}
		p := project(t, start(), first, call("c", "t", `{}`), result("c", numbered(30)), tools(strip()))
		q := project(t, slices.Collect(p.Entries())...)
		sees(t, q, view(p)...)
		same(t, "noted", p.Note() != "", true)
		same(t, "tokens", q.Tokens(), p.Tokens())
	}
}

func TestP13BoundsBeyondTheLogAreClamped(t *testing.T) {
	num := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		from, to int
		step     *int
		hidden   []int64
	}{
		"as it is":              {0, 0, nil, []int64{2, 7}},
		"to beyond the end":     {1, 900, nil, []int64{9, 12}},
		"from before the start": {-3, 0, nil, []int64{2, 7}},
		"both":                  {-9, 9, nil, []int64{2, 7, 9, 12}},
		"a step beyond the end": {1, 1, num(40), []int64{10, 12}},
		"step 0":                {1, 1, num(0), []int64{10, 11}},
		"a step of a turn beyond the end is not a bound": {1, 9, num(0), []int64{9, 12}},
		"from beyond the end":                            {2, 5, nil, nil},
		"ends before the start":                          {-5, -1, nil, nil},
		"inverted":                                       {1, 0, nil, nil},
		"ends before its first step":                     {1, 1, num(-1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			plain := project(t, session()...)
			p := project(t, append(session(), overlay("o", tenfold.Compaction{FromTurn: c.from, ToTurn: c.to, ToStep: c.step, Turns: tenfold.Omit}))...)
			var hidden []int64
			for _, seq := range []int64{2, 7, 9, 10, 11, 12} {
				if f, _, _ := p.Fate(seq); f == tenfold.Omitted {
					hidden = append(hidden, seq)
				}
			}
			for _, seq := range c.hidden {
				if !slices.Contains(hidden, seq) {
					t.Errorf("entry %d shows", seq)
				}
			}
			if len(c.hidden) == 0 {
				sees(t, p, view(plain)...)
			}
			if n := len(c.hidden); n > 0 && c.hidden[n-1] == 11 && slices.Contains(hidden, 12) {
				t.Error("entry 12, of the next step, is hidden")
			}
		})
	}
}

func TestP13AnOverlayCoversNothingThatCameAfterIt(t *testing.T) {
	p := project(t, start(), user("a"), say("b"), overlay("o", tenfold.Compaction{ToTurn: 9, Turns: tenfold.Omit}), say("c"), start(), user("d"))
	sees(t, p, "user: [Conversation continues]", "assistant: c", "user: d")
	for o := range p.Overlays() {
		same(t, "stretch", []int64{o.First, o.Last}, []int64{1, 3})
	}
}

// counting counts how often it is asked for a text.
type counting struct{ asked map[string]int }

func (c counting) Count(text string) int { c.asked[text]++; return len(text) }

func TestT2EntriesAreCountedOnceWhenAppended(t *testing.T) {
	c := counting{map[string]int{}}
	l := tenfold.NewLog(tenfold.WithCounter(c))
	known := say("counted elsewhere")
	known.Tokens = 3
	if _, err := l.Append(user("a question"), say("an answer"), known, entry(tenfold.Usage{Input: 7})); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	for range 3 {
		p.Tokens()
		items(p)
		tenfold.Project(l).Totals()
	}
	same(t, "asked", c.asked, map[string]int{"a question": 1, "an answer": 1, "Tool call was interrupted.": c.asked["Tool call was interrupted."]})
	same(t, "tokens", p.Tokens(), len("a question")+len("an answer")+3)
	same(t, "log tokens", l.Tokens(), p.Tokens())
}

// What is blank was said as well: a log counts it, whoever counted first, and
// only the view leaves it out (P10).
func TestT2BlankMessagesCount(t *testing.T) {
	blanks := []tenfold.Entry{user(" \n "), user("\u00a0\u2003\u3000"), say("\t\t\t\t\t"), say(""), think("  "), user("a question"), say("\u2028 ")}
	first, again := tenfold.NewLog(), tenfold.NewLog()
	want := 0
	for _, e := range blanks {
		counted := e
		counted.Tokens = tenfold.CountPayload(tenfold.Chars4{}, e.Payload)
		want += counted.Tokens
		for l, e := range map[*tenfold.Log]tenfold.Entry{first: e, again: counted} {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, "tokens", first.Tokens(), want)
	same(t, "totals", tenfold.Project(first).Totals(), tenfold.Project(again).Totals())
	same(t, "before", tenfold.Project(first).Totals().All().Before, want)
}

func TestT2TotalsAreKeptAsTheLogGrows(t *testing.T) {
	l := tenfold.NewLog()
	p := tenfold.Project(l)
	for _, e := range append(session(), summary("s", 0, 0, "S"), revoke("u", "s"), tools(strip()), start(), user("more")) {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		p.Advance()
		same(t, "totals", p.Totals(), tenfold.Project(l).Totals())
	}
}

func TestT4SystemPromptAndToolDefinitionsCount(t *testing.T) {
	system := strings.Repeat("x", 40)
	defs := []tenfold.ToolDefinition{{Name: "read", Description: strings.Repeat("d", 20), Schema: `{"type":"object"}`}, {Name: "shell"}}
	entries := []tenfold.Entry{entry(tenfold.ConfigDelta{System: &system, Tools: &defs}), user("four")}
	p := project(t, entries...)
	want := 10 + (1 + 5 + 5) + 2
	same(t, "configuration", p.Totals().Config, tenfold.Count{Before: want, After: want})
	same(t, "all", p.Tokens(), want+1)
	prune := overlay("p", tenfold.Compaction{ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"read"}}})
	pruned := project(t, append(entries, prune)...)
	same(t, "pruned", pruned.Totals().Config, tenfold.Count{Before: want, After: 12})
	placed := project(t, append(entries, overlay("s", tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}}))...)
	if placed.Tokens() <= want {
		t.Errorf("a summary in the system prompt costs nothing: %d tokens", placed.Tokens())
	}
}

func TestC7UndoAndRedo(t *testing.T) {
	l := logWith(t, append(session(), summary("old", 0, 0, "OLD"))...)
	p := tenfold.Project(l)
	state := func() string {
		p.Advance()
		var all bytes.Buffer
		for _, f := range body.Profiles() {
			all.WriteString(bodyOf(t, f, p))
		}
		return all.String()
	}
	do := func(e tenfold.Entry) string {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		return state()
	}
	before := state()
	after := do(summary("new", 0, 1, "NEW"))
	if after == before {
		t.Fatal("the compaction changed nothing")
	}
	same(t, "undo", do(revoke("u1", "new")), before)
	if redo := p.RedoOne(); len(redo) != 1 || redo[0].Overlay.ID != "new" || redo[0].Target != "u1" {
		t.Errorf("redo would do %v", redo)
	}
	same(t, "redo", do(revoke("r1", "u1")), after)
	if len(p.RedoOne()) > 0 {
		t.Error("there is something to redo after the redo")
	}
	same(t, "undo again", do(revoke("u2", "new")), before)
	if o, ok := p.Undoable(); !ok || o.ID != "old" {
		t.Errorf("undo takes back %q next, %v; want old", o.ID, ok)
	}
	same(t, "a second revocation restores (L3)", do(revoke("u3", "new")), after)
}
