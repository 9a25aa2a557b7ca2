package tenfold_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

// What befalls the calls that a selective policy does not name, and the
// policy for what was said.

// texts lays a policy for messages, by seq, over all turns.
func texts(id string, p tenfold.TextPolicy) tenfold.Entry {
	p.Action = tenfold.Selective
	return overlay(id, tenfold.Compaction{ToTurn: 99, Texts: &p})
}

// spoken is two turns of messages: typed ones (2, 8), a synthetic one (4),
// answers (3, 5, 9), and a call with its result (6, 10).
func spoken() []tenfold.Entry {
	return []tenfold.Entry{
		start(), user(numbered(3)), say(numbered(3)),
		entry(tenfold.UserMessage{Parts: tenfold.Text(numbered(3)), Synthetic: true}), say("short"), call("c", "t", `{"a":1}`),
		start(), user("next"), say("done"), result("c", "late"),
	}
}

func rest(a tenfold.Action, calls map[string]tenfold.CallPolicy) tenfold.ToolPolicy {
	return tenfold.ToolPolicy{Action: tenfold.Selective, Rest: a, Marks: tenfold.MarksShort, Calls: calls}
}

func TestP5RestIsWhatIsNotNamed(t *testing.T) {
	entries := []tenfold.Entry{
		start(), user("go"), call("a", "t", `{"n":1}`), result("a", "one"), call("b", "u", `{"n":2}`), result("b", "two"),
		start(), user("more"), call("a", "t", `{"n":3}`), result("a", "three"),
	}
	a, b := []string{`call a t {"n":1}`, "result a one"}, []string{`call b u {"n":2}`, "result b two"}
	for name, c := range map[string]struct {
		policy tenfold.ToolPolicy
		want   []string
		fate   string
	}{
		"omitted":       {rest(tenfold.Omit, map[string]tenfold.CallPolicy{"a": {Action: tenfold.Keep}}), a, "omitted sel"},
		"stripped":      {rest(tenfold.Strip, map[string]tenfold.CallPolicy{"a": {Action: tenfold.Keep}}), flat(a, []string{`call b u {"n":2}`, "result b [compacted] u: done"}), "kept"},
		"kept":          {rest(tenfold.Keep, map[string]tenfold.CallPolicy{"a": {Action: tenfold.Omit}}), b, "kept"},
		"as it was":     {rest("", map[string]tenfold.CallPolicy{"a": {Action: tenfold.Omit}}), b, "kept"},
		"by id and seq": {rest(tenfold.Omit, map[string]tenfold.CallPolicy{"a@3": {Action: tenfold.Keep}}), a, "omitted sel"},
		"nothing named": {rest(tenfold.Omit, nil), nil, "omitted sel"},
		"a hint's wish": {
			tenfold.ToolPolicy{Action: tenfold.Selective, Rest: tenfold.Strip, Hints: map[string]tenfold.Hint{"u": {Request: tenfold.Keep}}},
			[]string{`call a t {"n":1}`, "result a [compacted] t: done", b[0], "result b [compacted] u: done"},
			"kept",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(slices.Clone(entries), overlay("sel", tenfold.Compaction{ToTurn: 0, ToolCalls: &c.policy}))...)
			sees(t, p, flat([]string{"user: go"}, c.want, []string{"user: more", `call a t {"n":3}`, "result a three"})...)
			same(t, "fate", fateOf(p, 5), c.fate)
		})
	}
}

func TestP2RestHasTheWordOverItsRange(t *testing.T) {
	base := []tenfold.Entry{user("go"), call("a", "t", `{"n":1}`), result("a", "one"), call("b", "t", `{"n":2}`), result("b", "two")}
	word := func(id string, p tenfold.ToolPolicy) tenfold.Entry {
		return overlay(id, tenfold.Compaction{ToolCalls: &p})
	}
	keepA := map[string]tenfold.CallPolicy{"a": {Action: tenfold.Keep}}
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     string // fates of a and b
	}{
		"over an older strip":             {[]tenfold.Entry{word("x", strip()), word("y", rest(tenfold.Omit, keepA))}, "kept, omitted y"},
		"kept, over an older strip":       {[]tenfold.Entry{word("x", strip()), word("y", rest(tenfold.Keep, nil))}, "kept, kept"},
		"under a later strip":             {[]tenfold.Entry{word("x", rest(tenfold.Omit, keepA)), word("y", strip())}, "stripped y, stripped y"},
		"under a later word on one":       {[]tenfold.Entry{word("x", rest(tenfold.Omit, nil)), word("y", rest("", keepA))}, "kept, omitted x"},
		"over an older word on one":       {[]tenfold.Entry{word("x", rest("", keepA)), word("y", rest(tenfold.Omit, nil))}, "omitted y, omitted y"},
		"revoked":                         {[]tenfold.Entry{word("x", strip()), word("y", rest(tenfold.Omit, keepA)), revoke("r", "y")}, "stripped x, stripped x"},
		"restored":                        {[]tenfold.Entry{word("x", strip()), word("y", rest(tenfold.Omit, keepA)), revoke("r", "y"), revoke("rr", "r")}, "kept, omitted y"},
		"without a rest, where not named": {[]tenfold.Entry{word("x", strip()), word("y", rest("", keepA))}, "kept, stripped x"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(slices.Clone(base), c.overlays...)...)
			same(t, "fates", fateOf(p, 2)+", "+fateOf(p, 4), c.want)
		})
	}
}

// A result that comes after the overlay changes nothing before it.
func TestP11aLateResultsUnderExcerpts(t *testing.T) {
	remove := map[string]tenfold.Hint{"t": {Response: tenfold.Remove}}
	for name, c := range map[string]struct {
		policy tenfold.ToolPolicy
		want   []string
	}{
		"omitted":             {rest(tenfold.Omit, nil), nil},
		"stripped":            {rest(tenfold.Strip, nil), []string{`call c t {"a":1}`, "result c [compacted] t: done, 9 lines"}},
		"removed by a hint":   {tenfold.ToolPolicy{Action: tenfold.Selective, Rest: tenfold.Strip, Hints: remove}, []string{`call c t {"a":1}`, "result c [compacted] t: done, 9 lines"}},
		"trimmed":             {shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Lines: lines(2, 2)}}), []string{`call c t {"a":1}`, "result c … " + line(2) + " …"}},
		"kept, others folded": {shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 2}}}), []string{`call c t {"a":1}`, "result c [2 earlier calls not shown]\n" + numbered(9)}},
	} {
		t.Run(name, func(t *testing.T) {
			l := logWith(t, user("go"), call("c", "t", `{"a":1}`), tools(c.policy))
			p := tenfold.Project(l)
			var before []tenfold.Item
			for it := range p.Items() {
				if it.Added != tenfold.AddedPlaceholder {
					before = append(before, it)
				}
			}
			if _, err := l.Append(result("c", numbered(9))); err != nil {
				t.Fatal(err)
			}
			p.Advance()
			after := items(p)
			same(t, "what stood before", after[:len(before)], before)
			sees(t, p, flat([]string{"user: go"}, c.want)...)
			same(t, "anew", items(tenfold.Project(l)), after)
		})
	}
}

func TestP5TextsAreKeptLineByLine(t *testing.T) {
	trim := func(l []tenfold.LineRange) tenfold.TextTrim {
		return tenfold.TextTrim{Action: tenfold.Trim, Lines: l}
	}
	omit, keep := tenfold.TextTrim{Action: tenfold.Omit}, tenfold.TextTrim{Action: tenfold.Keep}
	all, two := numbered(3), "… "+line(2)+" …"
	calls := []string{"assistant: short", `call c t {"a":1}`, "result c late", "user: next", "assistant: done"}
	for name, c := range map[string]struct {
		policy tenfold.TextPolicy
		want   []string
		fates  string // of 2, 3 and 4
	}{
		"trimmed": {
			tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{2: trim(lines(2, 2)), 3: trim(lines(1, 1, 3, 3)), 4: trim(lines(3, 3))}},
			[]string{"user: " + two, "assistant: " + line(1) + " …\n" + line(3), "user: … " + line(3)},
			"trimmed x, trimmed x, trimmed x",
		},
		"to nothing": {
			tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{2: trim(nil), 3: trim(nil), 4: trim(lines(9, 9))}},
			[]string{"user: " + all},
			"kept, omitted x, omitted x",
		},
		"omitted": {
			tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{2: omit, 3: omit, 4: omit}},
			[]string{"user: [Conversation continues]"},
			"omitted x, omitted x, omitted x",
		},
		"kept": {
			tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{2: keep, 3: keep, 4: trim(lines(1, 3))}},
			[]string{"user: " + all, "assistant: " + all, "user: " + all},
			"kept, kept, kept",
		},
		"with the reference": {
			tenfold.TextPolicy{Recall: true, Entries: map[int64]tenfold.TextTrim{3: trim(lines(1, 1))}},
			[]string{"user: " + all, "assistant: " + line(1) + " … (recall 3)", "user: " + all},
			"kept, trimmed x, kept",
		},
		"folded calls": {
			tenfold.TextPolicy{Recall: true, Entries: map[int64]tenfold.TextTrim{
				2: {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 3, From: 5, To: 9}},
				3: {Action: tenfold.Trim, Folded: &tenfold.Folded{Calls: 3, From: 5, To: 9}},
				4: {Action: tenfold.Trim, Lines: lines(1, 1), Folded: &tenfold.Folded{Calls: 3, After: true}},
			}},
			[]string{"user: [3 earlier calls not shown: …; t (recall 5-9)]\n" + all, "assistant: [3 earlier calls not shown: …; t (recall 5-9)]", "user: " + line(1) + " … (recall 4)\n[3 later calls not shown]"},
			"trimmed x, trimmed x, trimmed x",
		},
		"nothing said": {tenfold.TextPolicy{}, []string{"user: " + all, "assistant: " + all, "user: " + all}, "kept, kept, kept"},
	} {
		t.Run(name, func(t *testing.T) {
			c.policy.Marks = tenfold.MarksShort
			p := project(t, append(spoken(), texts("x", c.policy))...)
			sees(t, p, append(slices.Clone(c.want), calls...)...)
			same(t, "fates", strings.Join([]string{fateOf(p, 2), fateOf(p, 3), fateOf(p, 4)}, ", "), c.fates)
		})
	}
}

func TestP5TextsWithCountedMarks(t *testing.T) {
	p := project(t, append(spoken(), texts("x", tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{
		3: {Action: tenfold.Trim, Lines: lines(2, 2)}, 4: {Action: tenfold.Trim},
	}}))...)
	seesTrimmed(t, p, "user: "+numbered(3), "assistant: … cut …\n"+line(2)+"\n… cut …", "assistant: short",
		`call c t {"a":1}`, "result c late", "user: next", "assistant: done")
}

func TestP5TheRestOfTheTextsGoesButNeverWhatAPersonTyped(t *testing.T) {
	p := project(t, append(spoken(), texts("x", tenfold.TextPolicy{Rest: tenfold.Omit, Entries: map[int64]tenfold.TextTrim{9: {Action: tenfold.Keep}}}))...)
	sees(t, p, "user: "+numbered(3), `call c t {"a":1}`, "result c late", "user: next", "assistant: done")
	for seq, want := range map[int64]tenfold.Reason{
		2: tenfold.ReasonTyped, 3: tenfold.ReasonRest, 4: tenfold.ReasonRest, 5: tenfold.ReasonRest, 9: tenfold.ReasonLeft,
	} {
		same(t, fmt.Sprintf("why %d", seq), p.Why(seq), want)
	}
}

func TestP5TextsLeaveFilesAndAttachmentsAlone(t *testing.T) {
	picture := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png"}}
	message := func(synthetic bool) tenfold.Entry {
		return entry(tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart(line(1)), picture, tenfold.TextPart(line(2) + "\n" + line(3))},
			Attachments: []tenfold.Attachment{{Name: "b.md", Content: "notes"}}, Synthetic: synthetic,
		})
	}
	trim := texts("x", tenfold.TextPolicy{Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{1: {Action: tenfold.Trim, Lines: lines(2, 2)}}})
	bare := texts("x", tenfold.TextPolicy{Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{1: {Action: tenfold.Trim}}})
	files := overlay("f", tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip}})
	p := project(t, message(false), trim)
	sees(t, p, "user: … "+line(2)+" …|<a.png> +b.md")
	p = project(t, message(true), bare)
	sees(t, p, "user: <a.png> +b.md")
	same(t, "fate", fateOf(p, 1), "trimmed x")
	for _, both := range [][]tenfold.Entry{{trim, files}, {files, trim}} {
		p = project(t, append([]tenfold.Entry{message(false)}, both...)...)
		sees(t, p, "user: … "+line(2)+" …|[compacted] a.png|[compacted] b.md, 5 bytes")
		same(t, "fate", fateOf(p, 1), "trimmed x")
	}
	p = project(t, message(false), trim, files, revoke("r", "x"))
	same(t, "fate", fateOf(p, 1), "stripped f")
	p = project(t, entry(tenfold.UserMessage{Attachments: []tenfold.Attachment{{Name: "c", Content: "n"}}}), files)
	sees(t, p, "user: [compacted] c, 1 byte")
}

func TestP2TheLatestWordOnATextWins(t *testing.T) {
	word := func(id string, a, rest tenfold.Action) tenfold.Entry {
		p := tenfold.TextPolicy{Marks: tenfold.MarksShort, Rest: rest}
		if a != "" {
			p.Entries = map[int64]tenfold.TextTrim{3: {Action: a, Lines: lines(2, 2)}}
		}
		return texts(id, p)
	}
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     string
	}{
		"of two that name it":             {[]tenfold.Entry{word("x", tenfold.Omit, ""), word("y", tenfold.Trim, "")}, "trimmed y"},
		"one that does not name it":       {[]tenfold.Entry{word("x", tenfold.Trim, ""), word("y", "", "")}, "trimmed x"},
		"one that names it, then all":     {[]tenfold.Entry{word("x", tenfold.Trim, ""), word("y", "", tenfold.Omit)}, "omitted y"},
		"all, then one that names it":     {[]tenfold.Entry{word("x", "", tenfold.Omit), word("y", tenfold.Trim, "")}, "trimmed y"},
		"all kept again":                  {[]tenfold.Entry{word("x", "", tenfold.Omit), word("y", "", tenfold.Keep)}, "kept"},
		"the later revoked":               {[]tenfold.Entry{word("x", tenfold.Omit, ""), word("y", tenfold.Trim, ""), revoke("r", "y")}, "omitted x"},
		"other slots have no say":         {[]tenfold.Entry{word("x", tenfold.Trim, ""), overlay("y", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Keep}})}, "trimmed x"},
		"a summary hides it all the same": {[]tenfold.Entry{summary("s", 0, 0, "S"), word("y", tenfold.Keep, "")}, "summarised s"},
		"named beside a whole slot": {
			[]tenfold.Entry{overlay("x", tenfold.Compaction{
				ToTurn: 9, Reasoning: &tenfold.Policy{Action: tenfold.Strip},
				Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{3: {Action: tenfold.Omit}}},
			})}, "omitted x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, "fate", fateOf(project(t, append(spoken(), c.overlays...)...), 3), c.want)
		})
	}
}

func TestP8PinsBeatExcerpts(t *testing.T) {
	policy := tenfold.TextPolicy{Rest: tenfold.Omit, Entries: map[int64]tenfold.TextTrim{2: {Action: tenfold.Trim, Lines: lines(1, 1)}}}
	p := project(t, append(spoken(), texts("x", policy), tools(rest(tenfold.Omit, nil)), pin("e2", "e4", "e10"))...)
	sees(t, p, "user: "+numbered(3), "user: "+numbered(3), `call c t {"a":1}`, "result c late", "user: next")
	same(t, "why", p.Why(4), tenfold.ReasonPinned)
}

func TestP9TheRequestsOfTheTurnAreNotTrimmed(t *testing.T) {
	zero := 0
	trim := map[int64]tenfold.TextTrim{2: {Action: tenfold.Trim, Lines: lines(1, 1)}, 3: {Action: tenfold.Trim, Lines: lines(1, 1)}}
	policy := &tenfold.TextPolicy{Action: tenfold.Selective, Marks: tenfold.MarksShort, Rest: tenfold.Omit, Entries: trim}
	p := project(t, append(spoken(), overlay("x", tenfold.Compaction{ToStep: &zero, Texts: policy}))...)
	same(t, "fates", fateOf(p, 2)+", "+fateOf(p, 3), "kept, trimmed x")
	same(t, "why", p.Why(2), tenfold.ReasonRequest)
	p = project(t, append(spoken(), overlay("x", tenfold.Compaction{Texts: policy}))...)
	same(t, "fate where the whole turn is covered", fateOf(p, 2), "trimmed x")
	for name, m := range map[string]tenfold.UserMessage{"context": {Purpose: tenfold.Context}, "notice": {Purpose: tenfold.Notice}, "of no person": {Synthetic: true}} {
		m.Parts = tenfold.Text(numbered(3))
		p = project(t, start(), user("go"), entry(m), overlay("x", tenfold.Compaction{ToStep: &zero, Texts: policy}))
		same(t, name+" is named, and no request", fateOf(p, 2)+", "+fateOf(p, 3), "kept, trimmed x")
		p = project(t, start(), user("go"), entry(m), overlay("x", tenfold.Compaction{ToStep: &zero, Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Omit}}))
		same(t, name+" is not named", fateOf(p, 3), "kept")
	}
}

func TestP13TextsSpeakOfMessagesInTheirRange(t *testing.T) {
	omit := tenfold.TextTrim{Action: tenfold.Omit}
	policy := tenfold.TextPolicy{Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{
		-1: omit, 0: omit, 3: omit, 6: omit, 7: omit, 9: omit, 10: omit, 11: omit, 1 << 40: omit,
	}}
	p := project(t, append(spoken(), overlay("x", tenfold.Compaction{ToTurn: 0, Texts: &policy}), say("new"))...)
	for seq := int64(1); seq <= p.Version(); seq++ {
		same(t, fmt.Sprintf("fate %d", seq), fateOf(p, seq), map[bool]string{true: "omitted x", false: "kept"}[seq == 3])
	}
	branch := on("scout", say("of the scout"))
	l := logWith(t, user("go"), branch, texts("x", tenfold.TextPolicy{Rest: tenfold.Omit}))
	same(t, "on a branch not read", fateOf(tenfold.Project(l), 2), "kept")
	same(t, "on a branch read", fateOf(tenfold.ProjectBranch(l, "scout"), 2), "omitted x")
}

// everyExcerpt is a log with an overlay of each of the shapes.
func everyExcerpt() []tenfold.Entry {
	return append(spoken(), call("e", "edit", strings.Replace(edit, "three", strings.Repeat("three ", 50), 1)), result("e", numbered(9)), call("f", "t", `{"b":2}`), result("f", "x"),
		overlay("all", tenfold.Compaction{
			ToTurn: 9,
			ToolCalls: &tenfold.ToolPolicy{
				Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Recall: true,
				Calls: map[string]tenfold.CallPolicy{
					"e": {Action: tenfold.Trim, Body: []tenfold.LineRange{fragment(3, 1, 3)}, Lines: []tenfold.LineRange{{First: 2, Last: 3}, fragment(5, 0, 9)}},
					"c": {Action: tenfold.Trim, Body: lines(), Result: tenfold.Strip, Folded: &tenfold.Folded{Calls: 1, From: 13, To: 14}},
				},
			},
			Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{
				2: {Action: tenfold.Trim, Lines: lines(1, 1)}, 3: {Action: tenfold.Trim, Lines: lines(2, 2)}, 9: {Action: tenfold.Keep},
			}},
		}))
}

func TestP11ExcerptsAddUp(t *testing.T) {
	p := project(t, everyExcerpt()...)
	want := map[int64]string{
		2: "trimmed all", 3: "trimmed all", 4: "omitted all", 5: "omitted all", 6: "kept", 8: "kept", 9: "kept",
		10: "stripped all", 11: "stripped all", 12: "trimmed all", 13: "omitted all", 14: "omitted all",
	}
	for seq, fate := range want {
		same(t, fmt.Sprintf("fate %d", seq), fateOf(p, seq), fate)
	}
	for seq, why := range map[int64]tenfold.Reason{
		2: tenfold.ReasonLines, 4: tenfold.ReasonRest, 10: tenfold.ReasonNamed, 11: tenfold.ReasonNamed, 13: tenfold.ReasonRest,
	} {
		same(t, fmt.Sprintf("why %d", seq), p.Why(seq), why)
	}
	shown := 0
	for it := range p.Items() {
		shown += it.Tokens
		same(t, "tokens of "+it.ID, it.Tokens, tenfold.CountPayload(p.Log().Counter(), it.Payload))
	}
	same(t, "tokens", p.Tokens(), shown)
	same(t, "tokens of the log", p.Totals().Log().Before, p.Log().Tokens())
}

func TestC7ExcerptsAreUndone(t *testing.T) {
	entries := everyExcerpt()
	before := project(t, entries[:len(entries)-1]...)
	compacted := project(t, entries...)
	undone := project(t, append(entries, revoke("r", "all"))...)
	redone := project(t, append(entries, revoke("r", "all"), revoke("rr", "r"))...)
	for _, f := range body.Profiles() {
		same(t, f.Name+" undone", bodyOf(t, f, undone), bodyOf(t, f, before))
		same(t, f.Name+" redone", bodyOf(t, f, redone), bodyOf(t, f, compacted))
	}
	same(t, "items", items(undone), items(before))
}

func TestP10P12ExcerptsAreValidAndStay(t *testing.T) {
	p := project(t, everyExcerpt()...)
	again := project(t, slices.Collect(p.Entries())...)
	same(t, "again", view(again), view(p))
	for _, f := range body.Profiles() {
		for _, v := range f.Check([]byte(bodyOf(t, f, p))) {
			t.Errorf("%s: %s", f.Name, v)
		}
	}
}

func TestT2WhatIsTrimmedIsCountedOnce(t *testing.T) {
	c := counting{asked: map[string]int{}}
	l := tenfold.NewLog(tenfold.WithCounter(c))
	if _, err := l.Append(everyExcerpt()...); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	trimmed := tenfold.TextLines(withoutNote(items(p)[0].Payload))
	same(t, "counted", c.asked[trimmed], 1)
	for range p.Items() {
		p.Totals()
	}
	same(t, "counted still", c.asked[trimmed], 1)
}
