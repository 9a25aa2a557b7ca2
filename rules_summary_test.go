package tenfold_test

import (
	"regexp"
	"slices"
	"testing"

	"tenfold"
	"tenfold/body"
)

const heading = "user: " + tenfold.DefaultHeading

// talk is turns of a request, a call with its result, and an answer: turn n
// is five entries, the request entry 5n+2, the call 5n+3, the answer 5n+5.
func talk(turns int) []tenfold.Entry {
	var out []tenfold.Entry
	for i := range turns {
		n := string(rune('0' + i))
		out = append(out, start(), user("ask "+n), call("c"+n, "t", `{}`), result("c"+n, "r"+n), say("told "+n))
	}
	return out
}

// turn is what the model sees of turn n of a talk.
func turn(n string) []string {
	return []string{"user: ask " + n, "call c" + n + " t {}", "result c" + n + " r" + n, "assistant: told " + n}
}

func flat(lists ...[]string) []string { return slices.Concat(lists...) }

func placed(id string, from, to int, s tenfold.Summary) tenfold.Entry {
	return overlay(id, tenfold.Compaction{FromTurn: from, ToTurn: to, Summary: &s})
}

func TestP3SummaryStandsForItsRun(t *testing.T) {
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     []string
	}{
		"at the start":         {[]tenfold.Entry{summary("s", 0, 1, "S")}, flat([]string{heading, "assistant: S"}, turn("2"), turn("3"))},
		"in the middle":        {[]tenfold.Entry{summary("s", 1, 2, "S")}, flat(turn("0"), []string{heading, "assistant: S"}, turn("3"))},
		"at the end":           {[]tenfold.Entry{summary("s", 3, 3, "S")}, flat(turn("0"), turn("1"), turn("2"), []string{heading, "assistant: S"})},
		"all":                  {[]tenfold.Entry{summary("s", 0, 3, "S")}, []string{heading, "assistant: S"}},
		"another heading":      {[]tenfold.Entry{placed("s", 0, 2, tenfold.Summary{Text: "S", Heading: "[Before]"})}, flat([]string{"user: [Before]", "assistant: S"}, turn("3"))},
		"a blank heading":      {[]tenfold.Entry{placed("s", 0, 2, tenfold.Summary{Text: "S", Heading: " "})}, flat([]string{heading, "assistant: S"}, turn("3"))},
		"no text, nothing":     {[]tenfold.Entry{summary("s", 0, 2, " \n")}, turn("3")},
		"two side by side":     {[]tenfold.Entry{summary("a", 0, 0, "A"), summary("b", 1, 2, "B")}, flat([]string{heading, "assistant: A", heading, "assistant: B"}, turn("3"))},
		"inner newer":          {[]tenfold.Entry{summary("outer", 0, 3, "OUTER"), summary("inner", 1, 2, "INNER")}, []string{heading, "assistant: OUTER", heading, "assistant: INNER", heading, "assistant: OUTER"}},
		"inner older":          {[]tenfold.Entry{summary("inner", 1, 2, "INNER"), summary("outer", 0, 3, "OUTER")}, []string{heading, "assistant: OUTER"}},
		"inner revoked":        {[]tenfold.Entry{summary("outer", 0, 3, "OUTER"), summary("inner", 1, 2, "INNER"), revoke("r", "inner")}, []string{heading, "assistant: OUTER"}},
		"newer at one end":     {[]tenfold.Entry{summary("old", 0, 2, "OLD"), summary("new", 2, 3, "NEW")}, []string{heading, "assistant: OLD", heading, "assistant: NEW"}},
		"omitted turns within": {[]tenfold.Entry{summary("s", 0, 2, "S"), overlay("o", tenfold.Compaction{FromTurn: 1, ToTurn: 1, Turns: tenfold.Omit})}, flat([]string{heading, "assistant: S"}, turn("3"))},
		"omitted turns beside": {[]tenfold.Entry{overlay("o", tenfold.Compaction{ToTurn: 2, Turns: tenfold.Omit}), summary("s", 1, 1, "S")}, flat([]string{heading, "assistant: S"}, turn("3"))},
	} {
		t.Run(name, func(t *testing.T) { sees(t, project(t, append(talk(4), c.overlays...)...), c.want...) })
	}
}

func TestP3ThePairIsASyntheticTurnAtTheRunsFirstEntry(t *testing.T) {
	p := project(t, append(talk(4), summary("s", 1, 2, "S"))...)
	var added []tenfold.Item
	for it := range p.Items() {
		if it.Added != 0 {
			added = append(added, it)
		}
	}
	if len(added) != 2 {
		t.Fatalf("%d items are added, want 2", len(added))
	}
	for i, it := range added {
		if it.Added != tenfold.AddedSummary || it.By != "s" || it.Turn != 1 || it.Seq != 0 || it.ID == "" {
			t.Errorf("item %d is %+v", i, it)
		}
	}
	same(t, "the heading", added[0].Payload, tenfold.Payload(tenfold.UserMessage{Parts: tenfold.Text(tenfold.DefaultHeading), Synthetic: true}))
	same(t, "the text", added[1].Payload, tenfold.Payload(tenfold.AssistantMessage{Text: "S"}))
	same(t, "heading", tenfold.DefaultHeading, "[Summary of previous conversation]")
	if added[0].ID == added[1].ID {
		t.Errorf("both have the id %q", added[0].ID)
	}
}

func TestP3ShieldedEntriesComeBeforeTheSummary(t *testing.T) {
	pair := []string{heading, "assistant: S"}
	for name, c := range map[string]struct {
		from   int
		pinned []string
		want   []string
	}{
		"a call in the middle of the view":       {1, []string{"e13"}, flat(turn("0"), []string{"call c2 t {}", "result c2 r2"}, pair, turn("3"))},
		"an answer":                              {1, []string{"e15"}, flat(turn("0"), []string{"assistant: told 2"}, pair, turn("3"))},
		"in log order, however pinned":           {1, []string{"e15", "e8"}, flat(turn("0"), []string{"call c1 t {}", "result c1 r1", "assistant: told 2"}, pair, turn("3"))},
		"a request last takes the heading's job": {1, []string{"e12"}, flat(turn("0"), []string{"user: ask 2", "assistant: S"}, turn("3"))},
		"a request first, an answer last":        {1, []string{"e7", "e15"}, flat(turn("0"), []string{"user: ask 1", "assistant: told 2"}, pair, turn("3"))},
		"two requests":                           {1, []string{"e7", "e12"}, flat(turn("0"), []string{"user: ask 1", "user: ask 2", "assistant: S"}, turn("3"))},
		"a call where the view begins":           {0, []string{"e3"}, flat([]string{heading, "call c0 t {}", "result c0 r0", "assistant: S"}, turn("3"))},
		"an answer where the view begins":        {0, []string{"e15"}, flat([]string{heading, "assistant: told 2", "assistant: S"}, turn("3"))},
		"a call, then a request, at the start":   {0, []string{"e3", "e12"}, flat([]string{heading, "call c0 t {}", "result c0 r0", "user: ask 2", "assistant: S"}, turn("3"))},
		"a request where the view begins":        {0, []string{"e2"}, flat([]string{"user: ask 0", "assistant: S"}, turn("3"))},
		"a request, then a call, at the start":   {0, []string{"e2", "e3"}, flat([]string{"user: ask 0", "call c0 t {}", "result c0 r0"}, pair, turn("3"))},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(talk(4), pin(c.pinned...), summary("s", c.from, 2, "S"))...)
			sees(t, p, c.want...)
			for _, f := range body.Profiles() {
				for _, v := range f.Check([]byte(bodyOf(t, f, p))) {
					t.Errorf("%s: %s", f.Name, v)
				}
			}
		})
	}
}

func TestP3APinDoesNotSplitARun(t *testing.T) {
	p := project(t, append(talk(3), summary("s", 0, 2, "S"), pin("e7"))...)
	sees(t, p, "user: ask 1", "assistant: S")
	same(t, "unpinned", view(project(t, append(talk(3), summary("s", 0, 2, "S"), pin("e7"), unpin("e7"))...)), []string{heading, "assistant: S"})
}

func systemOf(t *testing.T, system string, overlays ...tenfold.Entry) string {
	t.Helper()
	entries := []tenfold.Entry{entry(tenfold.ConfigDelta{System: &system})}
	return project(t, append(append(entries, talk(4)...), overlays...)...).Config().System
}

func TestP4SystemPlacementIsTheLastSection(t *testing.T) {
	inSystem := func(text string) tenfold.Summary {
		return tenfold.Summary{Text: text, Placement: tenfold.PlaceSystem}
	}
	const section = `## Continuation\n\n[^.\n]+\.\n\n<summary>\nS\n</summary>$`
	for name, c := range map[string]struct {
		system   string
		overlays []tenfold.Entry
		want     string
	}{
		"after the prompt":         {"Be brief.", []tenfold.Entry{placed("s", 0, 2, inSystem("S"))}, `^Be brief\.\n\n` + section},
		"after line ends":          {"Be brief.\n\n\n", []tenfold.Entry{placed("s", 0, 2, inSystem("S"))}, `^Be brief\.\n\n` + section},
		"without a prompt":         {"", []tenfold.Entry{placed("s", 0, 2, inSystem("S"))}, `^` + section},
		"one section for two":      {"", []tenfold.Entry{placed("a", 2, 3, inSystem("B")), placed("b", 0, 1, inSystem("A"))}, `^## Continuation\n\n[^.\n]+\.\n\n<summary>\nA\n</summary>\n\n<summary>\nB\n</summary>$`},
		"one text for two runs":    {"", []tenfold.Entry{placed("a", 0, 3, inSystem("S")), summary("b", 1, 1, "INNER")}, `^` + section},
		"a text of several lines":  {"", []tenfold.Entry{placed("s", 0, 2, inSystem("one\n\ntwo"))}, `<summary>\none\n\ntwo\n</summary>$`},
		"no text, no section":      {"Be brief.\n", []tenfold.Entry{placed("s", 0, 2, inSystem(" "))}, `^Be brief\.\n$`},
		"a revoked one is gone":    {"Be brief.", []tenfold.Entry{placed("s", 0, 2, inSystem("S")), revoke("r", "s")}, `^Be brief\.$`},
		"a pair leaves the prompt": {"Be brief.", []tenfold.Entry{summary("s", 0, 2, "S")}, `^Be brief\.$`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := systemOf(t, c.system, c.overlays...); !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("the system prompt is\n%q, want\n%s", got, c.want)
			}
		})
	}
	p := project(t, append(talk(4), placed("s", 0, 2, inSystem("S")))...)
	sees(t, p, turn("3")...)
}

func TestP4SystemPlacementWithNothingLeftStillBeginsWithTheUser(t *testing.T) {
	zero := 0
	p := project(t, append(talk(1), overlay("s", tenfold.Compaction{ToStep: &zero, Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}}))...)
	sees(t, p, "user: ask 0", "assistant: told 0")
	p = project(t, append(talk(1), pin("e5"), placed("s", 0, 0, tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}))...)
	sees(t, p, "user: [Conversation continues]", "assistant: told 0")
}

func TestP4UserPlacementCarriesTextAndTranscript(t *testing.T) {
	understood := "assistant: Understood, I will continue from this summary."
	for name, c := range map[string]struct {
		s    tenfold.Summary
		want []string
	}{
		"with a transcript":     {tenfold.Summary{Text: "S", Transcript: "old.jsonl"}, []string{"user: <summary>\nS\n</summary>\n\nThe whole transcript lies at old.jsonl.", understood}},
		"without":               {tenfold.Summary{Text: "S"}, []string{"user: S", understood}},
		"the heading is no use": {tenfold.Summary{Text: "S", Heading: "[Before]"}, []string{"user: S", understood}},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.Placement = tenfold.PlaceUser
			sees(t, project(t, append(talk(4), placed("s", 0, 2, c.s))...), flat(c.want, turn("3"))...)
		})
	}
	pinned := project(t, append(talk(2), pin("e2"), placed("s", 0, 0, tenfold.Summary{Text: "S", Placement: tenfold.PlaceUser}))...)
	sees(t, pinned, flat([]string{"user: ask 0", "user: S", understood}, turn("1"))...)
	message := project(t, append(talk(4), placed("s", 0, 2, tenfold.Summary{Text: "S", Placement: tenfold.PlaceMessage}))...)
	sees(t, message, flat([]string{"user: S"}, turn("3"))...)
}

// loop is a turn with a request, four steps, and a word from the user in the
// midst of them: entry 2 is the request, 8 the word.
func loop() []tenfold.Entry {
	return []tenfold.Entry{
		start(), user("the task"), call("c0", "t", `{}`), result("c0", "r0"), signed("anthropic", "hm"), call("c1", "t", `{}`), result("c1", "r1"),
		user("mind the tests"), call("c2", "t", `{}`), result("c2", "r2"), call("c3", "t", `{}`), result("c3", "r3"),
	}
}

func TestP9ARangeInsideATurnLeavesItsRequests(t *testing.T) {
	step3 := []string{"call c3 t {}", "result c3 r3"}
	step2 := append([]string{"call c2 t {}", "result c2 r2"}, step3...)
	for name, c := range map[string]struct {
		step int
		slot tenfold.Compaction
		want []string
	}{
		"request, summary, what was kept": {1, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}, flat([]string{"user: the task", "assistant: S", "user: mind the tests"}, step2)},
		"both requests, then the summary": {2, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}, flat([]string{"user: the task", "user: mind the tests", "assistant: S"}, step3)},
		"all steps":                       {3, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}, []string{"user: the task", "user: mind the tests", "assistant: S"}},
		"in the system prompt":            {2, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}}, flat([]string{"user: the task", "user: mind the tests"}, step3)},
		"turns omitted":                   {2, tenfold.Compaction{Turns: tenfold.Omit}, flat([]string{"user: the task", "user: mind the tests"}, step3)},
	} {
		t.Run(name, func(t *testing.T) {
			c.slot.ToStep = &c.step
			sees(t, project(t, append(loop(), overlay("o", c.slot))...), c.want...)
		})
	}
}

func TestP9EarlierTurnsAreHiddenAltogether(t *testing.T) {
	one := 1
	p := project(t, append(append(talk(1), loop()...), overlay("o", tenfold.Compaction{ToTurn: 1, ToStep: &one, Summary: &tenfold.Summary{Text: "S"}}))...)
	sees(t, p, "user: the task", "assistant: S", "user: mind the tests", "call c2 t {}", "result c2 r2", "call c3 t {}", "result c3 r3")
	same(t, "fates", fateOf(p, 2)+", "+fateOf(p, 7), "summarised o, kept")
}

func TestP9AWholeTurnIsHiddenWithItsRequests(t *testing.T) {
	p := project(t, append(loop(), summary("o", 0, 0, "S"))...)
	sees(t, p, heading, "assistant: S")
}

func TestP9AttachmentsOfTheTurnStay(t *testing.T) {
	zero := 0
	m := tenfold.UserMessage{Parts: tenfold.Text("see"), Attachments: []tenfold.Attachment{{Name: "a.md", Content: "notes"}}}
	entries := []tenfold.Entry{start(), entry(m), call("c", "t", `{}`), result("c", "r"), say("done")}
	files := tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip}}
	whole := project(t, append(entries, overlay("o", files))...)
	same(t, "whole", fateOf(whole, 2), "stripped o")
	files.ToStep = &zero
	same(t, "inside", fateOf(project(t, append(entries, overlay("o", files))...), 2), "kept")
}

func rng(from, to int, step ...int) tenfold.Range {
	r := tenfold.Range{FromTurn: from, ToTurn: to}
	if len(step) > 0 {
		r.ToStep = &step[0]
	}
	return r
}

func TestC4SummaryOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		live []tenfold.Range
		ask  tenfold.Range
		want string
	}{
		"none live":                    {nil, rng(2, 4), "2..4"},
		"apart":                        {[]tenfold.Range{rng(0, 1)}, rng(3, 4), "3..4"},
		"side by side do not meet":     {[]tenfold.Range{rng(0, 1)}, rng(2, 4), "2..4"},
		"meets at the start":           {[]tenfold.Range{rng(0, 2)}, rng(2, 4), "0..4"},
		"meets at the end":             {[]tenfold.Range{rng(4, 6)}, rng(2, 4), "2..6"},
		"encloses":                     {[]tenfold.Range{rng(3, 3)}, rng(2, 4), "2..4"},
		"is enclosed":                  {[]tenfold.Range{rng(0, 6)}, rng(2, 4), "0..6"},
		"the same":                     {[]tenfold.Range{rng(2, 4)}, rng(2, 4), "2..4"},
		"again and again":              {[]tenfold.Range{rng(0, 1), rng(1, 2), rng(2, 3)}, rng(3, 4), "0..4"},
		"again, in whatever order":     {[]tenfold.Range{rng(4, 5), rng(3, 4), rng(5, 6)}, rng(2, 3), "2..6"},
		"not those it does not reach":  {[]tenfold.Range{rng(0, 0), rng(2, 3)}, rng(3, 4), "2..4"},
		"a part of the turn meets":     {[]tenfold.Range{rng(0, 3, 1)}, rng(3, 4), "0..4"},
		"the longer part stays":        {[]tenfold.Range{rng(0, 4, 2)}, rng(3, 4, 1), "0..4.2"},
		"the asked part may be longer": {[]tenfold.Range{rng(0, 4, 1)}, rng(3, 4, 2), "0..4.2"},
		"the whole beats a part":       {[]tenfold.Range{rng(0, 4)}, rng(3, 4, 2), "0..4"},
		"a later turn beats a part":    {[]tenfold.Range{rng(3, 5)}, rng(2, 3, 0), "2..5"},
		"a later part is taken over":   {[]tenfold.Range{rng(3, 5, 0)}, rng(2, 3), "2..5.0"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := talk(7)
			for i, r := range c.live {
				entries = append(entries, overlay("s"+string(rune('0'+i)), r.On(tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}})))
			}
			same(t, "range", project(t, entries...).ExtendSummary(c.ask).String(), c.want)
		})
	}
}

func TestC4OnlyLiveSummariesExtend(t *testing.T) {
	p := project(
		t, append(
			talk(5), summary("s", 0, 2, "S"), revoke("r", "s"),
			overlay("o", tenfold.Compaction{ToTurn: 3, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}),
			overlay("e", tenfold.Compaction{FromTurn: 9, ToTurn: 12, Summary: &tenfold.Summary{Text: "of nothing"}}),
		)...,
	)
	same(t, "range", p.ExtendSummary(rng(2, 4)).String(), "2..4")
	redone := project(t, append(talk(5), summary("s", 0, 2, "S"), revoke("r", "s"), revoke("rr", "r"))...)
	same(t, "redone", redone.ExtendSummary(rng(2, 4)).String(), "0..4")
}

func TestC5RawEntriesUnderASummaryStayReadable(t *testing.T) {
	l := logWith(t, append(talk(3), summary("s", 0, 1, "S"), tools(tenfold.ToolPolicy{Action: tenfold.Omit}))...)
	p := tenfold.Project(l)
	r := p.ExtendSummary(rng(1, 2))
	same(t, "range", r.String(), "0..2")
	first, _ := l.Turn(r.FromTurn)
	last, _ := l.Turn(r.ToTurn)
	var raw []string
	for e := range l.After(first.First - 1) {
		if e.Seq <= last.Last && e.Payload.Kind().Visible() {
			raw = append(raw, show(e.Payload))
		}
	}
	same(t, "raw", raw, flat(turn("0"), turn("1"), turn("2")))
}
