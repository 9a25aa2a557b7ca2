package tenfold_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

// The shapes that keep chosen lines: of results, of bodies in arguments, and
// of messages.

func lines(pairs ...int) []tenfold.LineRange {
	out := []tenfold.LineRange{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, tenfold.LineRange{First: pairs[i], Last: pairs[i+1]})
	}
	return out
}

func fragment(line, from, to int) tenfold.LineRange {
	return tenfold.LineRange{First: line, Last: line, From: from, To: to}
}

// shortly is a selective policy with short marks.
func shortly(calls map[string]tenfold.CallPolicy) tenfold.ToolPolicy {
	return tenfold.ToolPolicy{Action: tenfold.Selective, Marks: tenfold.MarksShort, Calls: calls}
}

// numbered is a text of n lines, each longer than a stub.
func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d of the output, as long as lines are\n", i)
	}
	return b.String()
}

func line(n int) string { return fmt.Sprintf("line %d of the output, as long as lines are", n) }

func TestP5ShortMarksKeepNothingElse(t *testing.T) {
	const stub = "[compacted] read: done, 6 lines"
	for name, c := range map[string]struct {
		lines []tenfold.LineRange
		want  string
		fate  string
	}{
		"between":              {lines(3, 4), "… " + line(3) + "\n" + line(4) + " …", "trimmed tools"},
		"the first and last":   {lines(1, 1, 6, 6), line(1) + " …\n" + line(6), "trimmed tools"},
		"neighbours":           {lines(1, 1, 2, 2), line(1) + "\n" + line(2) + " …", "trimmed tools"},
		"beyond the end":       {lines(6, 99), "… " + line(6), "trimmed tools"},
		"all":                  {lines(1, 6), numbered(6), "kept"},
		"none":                 {nil, stub, "stripped tools"},
		"only beyond the end":  {lines(7, 9), stub, "stripped tools"},
		"before the first":     {lines(-3, 0), stub, "stripped tools"},
		"the wrong way around": {lines(4, 3), stub, "stripped tools"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, oneCall("read", numbered(6), shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: c.lines}}))...)
			sees(t, p, "user: go", `call c1 read {"path":"main.go"}`, "result c1 "+c.want, "assistant: done")
			same(t, "fate", fateOf(p, 3), c.fate)
		})
	}
}

func TestP5ShortMarksBesideHeadAndTail(t *testing.T) {
	head, tail := tenfold.Size(len(line(1))+1), tenfold.Size(len(line(9))+1)
	p := project(t, oneCall("read", numbered(9), shortly(map[string]tenfold.CallPolicy{
		"c1": {Action: tenfold.Trim, Head: head, Tail: tail, Lines: lines(2, 2, 5, 5)},
	}))...)
	want := strings.Join([]string{line(1), line(2) + " …", line(5) + " …", line(9)}, "\n")
	sees(t, p, "user: go", `call c1 read {"path":"main.go"}`, "result c1 "+want, "assistant: done")
}

func TestP5BlankLinesAskedForDoNotMakeAGap(t *testing.T) {
	text := "alpha alpha alpha\n\nbeta\r\ngamma gamma gamma\n\n\n"
	trim := func(l []tenfold.LineRange) string {
		p := project(t, oneCall("read", text, shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: l}}))...)
		return view(p)[2]
	}
	same(t, "with the blank line", trim(lines(1, 3)), "result c1 alpha alpha alpha\n\nbeta …")
	same(t, "without", trim(lines(1, 1, 3, 3)), "result c1 alpha alpha alpha\n\nbeta …")
	same(t, "blank lines alone", trim(lines(5, 6)), "result c1 [compacted] read: done, 6 lines")
}

func TestP5TheReferenceStandsOnceAfterTheLastLine(t *testing.T) {
	policy := shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: lines(2, 2, 4, 4)}})
	policy.Recall = true
	p := project(t, oneCall("read", numbered(6), policy)...)
	same(t, "result", view(p)[2], "result c1 … "+line(2)+" …\n"+line(4)+" … (recall 3)")
	policy.Calls = map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: lines(6, 6)}}
	same(t, "last line kept", view(project(t, oneCall("read", numbered(6), policy)...))[2], "result c1 … "+line(6)+" (recall 3)")
	policy.Calls = map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim}}
	same(t, "stub", view(project(t, oneCall("read", numbered(6), policy)...))[2], "result c1 [compacted] read: done, 6 lines (recall 3)")
}

func TestP5ATrimThatSavesNothingIsNone(t *testing.T) {
	p := project(t, oneCall("read", "ok\nno", shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: lines(1, 1)}}))...)
	same(t, "a mark as long as the line", fateOf(p, 3), "kept")
	p = project(t, oneCall("read", "ok", shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim}}))...)
	same(t, "a stub longer than the text", fateOf(p, 3), "kept")
	p = project(t, oneCall("read", "", shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: lines(1, 1)}}))...)
	same(t, "no text", fateOf(p, 3), "kept")
}

func TestP5bFragmentsOfALine(t *testing.T) {
	const data = `{"id":12,"list":[1,22,333,4444,55555,666666,7777777],"name":"alpha","grün":true,"more":[1,22,333,4444,55555,666666,7777777],"rest":"läuft"}`
	at := func(text string) int { return strings.Index(data, text) }
	const short = "läuft – 走る, und noch viel mehr davon steht hier"
	text := data + "\n" + short + "\n"
	for name, c := range map[string]struct {
		lines []tenfold.LineRange
		want  string
	}{
		"the start":                     {[]tenfold.LineRange{fragment(1, 0, 5)}, `…{"id"…`},
		"a word is whole":               {[]tenfold.LineRange{fragment(1, at("lpha"), at("pha"))}, "…alpha…"},
		"words at both ends are whole":  {[]tenfold.LineRange{fragment(1, at("ame"), at("pha"))}, `…name":"alpha…`},
		"characters are whole":          {[]tenfold.LineRange{fragment(1, at("ün")+1, at("ün")+2)}, "…grün…"},
		"the end":                       {[]tenfold.LineRange{fragment(1, at("uft"), len(data))}, "…läuft\"}…"},
		"beyond the end":                {[]tenfold.LineRange{fragment(1, at("uft"), 999)}, "…läuft\"}…"},
		"several":                       {[]tenfold.LineRange{fragment(1, at("333"), at("4444")), fragment(1, at("lpha"), at("pha"))}, "…333,…alpha…"},
		"overlapping":                   {[]tenfold.LineRange{fragment(1, at("ame"), at("lpha")), fragment(1, at("me"), at("pha"))}, `…name":"alpha…`},
		"one within another":            {[]tenfold.LineRange{fragment(1, at("ame"), at("pha")), fragment(1, at("me"), at("e\""))}, `…name":"alpha…`},
		"a fragment and its whole line": {[]tenfold.LineRange{fragment(1, 2, 9), {First: 1, Last: 1}}, data + " …"},
		"of one sentence":               {[]tenfold.LineRange{fragment(2, 2, 3)}, "… " + short},
		"out of range":                  {[]tenfold.LineRange{fragment(1, 200, 240), fragment(2, 0, 6)}, "… " + short},
		"of nothing":                    {[]tenfold.LineRange{fragment(1, 5, 5), fragment(1, 7, 3), fragment(1, -2, 3), fragment(2, 0, 6)}, "… " + short},
		"over two lines":                {[]tenfold.LineRange{{First: 1, Last: 2, From: 1, To: 4}, fragment(2, 0, 6)}, "… " + short},
		"next to lines":                 {[]tenfold.LineRange{fragment(1, 0, 5), {First: 2, Last: 2}}, `…{"id"…` + "\n" + short},
		"nearly all of the line":        {[]tenfold.LineRange{fragment(1, 1, len(data))}, data + " …"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, oneCall("read", text, shortly(map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Lines: c.lines}}))...)
			same(t, "result", strings.TrimSuffix(view(p)[2], "\n"), "result c1 "+c.want)
		})
	}
}

func TestP5bFragmentsUnderCountedMarks(t *testing.T) {
	text := strings.Repeat("head\n", 3) + strings.Repeat(`{"a":1},`, 50) + "\ntail"
	p := project(t, oneCall("read", text, tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{
		"c1": {Action: tenfold.Trim, Lines: []tenfold.LineRange{fragment(4, 0, 8), fragment(4, 80, 88)}},
	}})...)
	sees(t, p, "user: go", `call c1 read {"path":"main.go"}`, `result c1 … 3 lines left out …
…{"a":1},…{"a":1},…
… 1 line left out …`, "assistant: done")
}

const edit = `{ "path":"a.go", "n":1.50, "new":"one\ntwo\nthree\n\u00fcber\nfive\n", "old":"a\nb\nc",` +
	` "more":[{"text":"six\nseven\neight\nnine","text":"x"}], "\n\n\n\nname":true}`

// trimmedEdit is what is left of the arguments, what stands with the result, and the
// fate of the arguments.
func trimmedEdit(t *testing.T, arguments string, kept []tenfold.LineRange) (string, string, string) {
	t.Helper()
	p := project(t, user("go"), call("c", "edit", arguments), result("c", "done"),
		tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Body: kept, Result: tenfold.Keep}})))
	for _, f := range body.Profiles() {
		for _, v := range f.Check([]byte(bodyOf(t, f, p))) {
			t.Errorf("%s: %s", f.Name, v)
		}
	}
	return strings.TrimPrefix(view(p)[1], "call c edit "), strings.TrimPrefix(view(p)[2], "result c "), fateOf(p, 2)
}

func TestP5LinesOfBodiesStandWithTheResult(t *testing.T) {
	short, _, _ := trimmedEdit(t, edit, lines(4, 4))
	same(t, "all values are short", short, edit)
	// Copilot's patches are a text, and no member of anything.
	_, text, _ := trimmedEdit(t, fmt.Sprintf("%q", strings.Repeat("one line of a patch\n", 20)+"last\n"), lines(21, 21))
	same(t, "all that there is", text, "done\n[argument] … last")
	one, two := strings.Repeat("one line of the first\n", 9), strings.Repeat("one line of the second\n", 9)
	long := fmt.Sprintf(`{"path":"a.go","new":%q, "n":1.50, "more":[{"text":%q,"at":1}]}`, one+"last\n", two+"last")
	for name, c := range map[string]struct {
		body []tenfold.LineRange
		want string
	}{
		"nothing":                   {lines(), ""},
		"one line":                  {lines(10, 10), "\n[argument new] … last"},
		"a line of the second body": {lines(20, 20), "\n[argument text] … last"},
		"over the end of the first": {lines(10, 11), "\n[argument new] … last\n[argument text] one line of the second …"},
		"a fragment":                {[]tenfold.LineRange{fragment(10, 0, 2)}, "\n[argument new] … last"},
		"four lines":                {lines(7, 10), "\n[argument new] …\n" + strings.Repeat("one line of the first\n", 3) + "last"},
		"the first four":            {lines(1, 4), "\n[argument new]\n" + strings.Repeat("one line of the first\n", 3) + "one line of the first …"},
		"the first three":           {lines(1, 3), "\n[argument new] " + strings.Repeat("one line of the first\n", 2) + "one line of the first …"},
		"beyond the end":            {lines(21, 22), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, result, fate := trimmedEdit(t, long, c.body)
			same(t, "arguments", got, `{"path":"a.go","n":1.50}`)
			same(t, "result", result, "done"+c.want)
			same(t, "fate", fate, "stripped tools")
		})
	}
	got, result, fate := trimmedEdit(t, long, nil)
	same(t, "no opinion on bodies", got+" "+result+" "+fate, long+" done kept")
}

// What the planner numbers is what the projection shows.
func TestP5LinesAreNumberedAlikeEverywhere(t *testing.T) {
	arguments := strings.Replace(edit, "three", strings.Repeat("three ", 50), 1)
	arguments = strings.Replace(arguments, "eight", strings.Repeat("eight ", 50), 1)
	var bodies []string
	for _, text := range tenfold.ArgumentTexts(arguments) {
		if text.Body {
			bodies = append(bodies, text.Name)
		}
	}
	same(t, "bodies", bodies, []string{"new", "text"})
	n := 0
	for _, b := range tenfold.ArgumentTexts(arguments) {
		if !b.Body {
			continue
		}
		for l := range strings.Lines(b.Text) {
			n++
			if _, got, _ := trimmedEdit(t, arguments, lines(n, n)); !strings.Contains(got, "] "+strings.TrimSuffix(l, "\n")) && !strings.Contains(got, "] … "+strings.TrimSuffix(l, "\n")) {
				t.Errorf("line %d is %q, and shown is %s", n, l, got)
			}
		}
	}
	same(t, "lines", n, 9)
	picture := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png"}}
	parts := []tenfold.Part{tenfold.TextPart("a\n"), picture, tenfold.TextPart("b")}
	same(t, "of a result", tenfold.TextLines(tenfold.ToolResult{Parts: parts}), "a\n\na.png\nb")
	same(t, "of a result, as searched", tenfold.TextLines(tenfold.ToolResult{Parts: parts}), tenfold.SearchText(tenfold.ToolResult{Parts: parts}))
	same(t, "of a request", tenfold.TextLines(tenfold.UserMessage{Parts: parts}), "a\n\nb")
	same(t, "of an answer", tenfold.TextLines(tenfold.AssistantMessage{Text: "a\nb"}), "a\nb")
	same(t, "of a call", tenfold.TextLines(tenfold.ToolCall{Arguments: edit}), "")
}

func TestP5TrimSaysWhatBecomesOfTheResult(t *testing.T) {
	for name, c := range map[string]struct {
		policy tenfold.CallPolicy
		want   string
		fate   string
	}{
		"its stub":            {tenfold.CallPolicy{Result: tenfold.Strip, Lines: lines(1, 1)}, "[compacted] edit: done, 3 lines", "stripped tools"},
		"all of it":           {tenfold.CallPolicy{Result: tenfold.Keep, Lines: lines(1, 1)}, numbered(3), "kept"},
		"lines":               {tenfold.CallPolicy{Lines: lines(1, 1)}, line(1) + " …", "trimmed tools"},
		"the arguments go":    {tenfold.CallPolicy{Request: true, Body: lines(1, 1), Lines: lines(1, 1)}, line(1) + " …", "trimmed tools"},
		"a body and no lines": {tenfold.CallPolicy{Body: lines()}, "[compacted] edit: done, 3 lines", "stripped tools"},
	} {
		t.Run(name, func(t *testing.T) {
			c.policy.Action = tenfold.Trim
			p := project(t, user("go"), call("c", "edit", edit), result("c", numbered(3)), tools(shortly(map[string]tenfold.CallPolicy{"c": c.policy})))
			same(t, "result", view(p)[2], "result c "+c.want)
			same(t, "fate", fateOf(p, 3), c.fate)
			if c.policy.Request {
				same(t, "call", view(p)[1]+", "+fateOf(p, 2), "call c edit "+edit+", kept")
			}
		})
	}
}

func TestP5RequestBeatsBody(t *testing.T) {
	arguments := `{"path":"a.go","new":"` + strings.Repeat(`a line of code\n`, 20) + `"}`
	p := project(t, user("go"), call("c", "edit", arguments), result("c", "done"),
		tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Request: true, Body: lines(1, 1), Result: tenfold.Keep}})))
	sees(t, p, "user: go", `call c edit {"path":"a.go"}`, "result c done")
}

func TestP6GatesBodies(t *testing.T) {
	arguments := `{"path":"a.go","new":"` + strings.Repeat(`a line of code\n`, 20) + `"}`
	policy := shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Body: lines(1, 1), Result: tenfold.Keep}})
	policy.Over = tenfold.Size(len(arguments))
	p := project(t, user("go"), call("c", "edit", arguments), result("c", "done"), tools(policy))
	same(t, "as large as the gate", fateOf(p, 2)+", "+fateOf(p, 3), "kept, kept")
	policy.Over--
	p = project(t, user("go"), call("c", "edit", arguments), result("c", strings.Repeat("done ", 100)), tools(policy))
	same(t, "larger", fateOf(p, 2)+", "+fateOf(p, 3), "stripped tools, trimmed tools")
}

func TestP5FoldedCallsAreCounted(t *testing.T) {
	folded := &tenfold.Folded{Calls: 14, From: 12, To: 40}
	last := &tenfold.Folded{Calls: 14, From: 12, To: 40, After: true}
	for name, c := range map[string]struct {
		policy tenfold.CallPolicy
		recall bool
		want   string
		fate   string
	}{
		"kept":              {tenfold.CallPolicy{Action: tenfold.Keep, Folded: folded}, false, "[14 earlier calls not shown]\n" + numbered(2), "trimmed tools"},
		"last":              {tenfold.CallPolicy{Action: tenfold.Keep, Folded: last}, false, numbered(2) + "[14 later calls not shown]", "trimmed tools"},
		"with no reference": {tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 14}}, true, "[14 earlier calls not shown]\n" + numbered(2), "trimmed tools"},
		"of one": {
			tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, From: 12, To: 12}},
			true,
			"[1 earlier call not shown (recall 12)]\n" + numbered(2), "trimmed tools",
		},
		"of one, last": {tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, After: true}}, false, numbered(2) + "[1 later call not shown]", "trimmed tools"},
		"none":         {tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{From: 1, To: 2}}, true, numbered(2), "kept"},
		"trimmed":      {tenfold.CallPolicy{Action: tenfold.Trim, Lines: lines(1, 1), Folded: folded}, false, "[14 earlier calls not shown]\n" + line(1) + " …", "trimmed tools"},
		"trimmed, last": {
			tenfold.CallPolicy{Action: tenfold.Trim, Lines: lines(1, 1), Folded: last},
			true,
			line(1) + " … (recall 3)\n[14 later calls not shown (recall 12-40)]", "trimmed tools",
		},
		"on both sides": {
			tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 2, From: 50, To: 53, After: true, Next: folded}},
			true,
			"[14 earlier calls not shown (recall 12-40)]\n" + numbered(2) + "[2 later calls not shown (recall 50-53)]", "trimmed tools",
		},
		"stripped": {
			tenfold.CallPolicy{Action: tenfold.Strip, Response: true, Folded: folded},
			false,
			"[14 earlier calls not shown]\n[compacted] read: done, 2 lines", "stripped tools",
		},
	} {
		t.Run(name, func(t *testing.T) {
			policy := shortly(map[string]tenfold.CallPolicy{"c1": c.policy})
			policy.Recall = c.recall
			p := project(t, oneCall("read", numbered(2), policy)...)
			same(t, "result", view(p)[2], "result c1 "+c.want)
			same(t, "fate", fateOf(p, 3), c.fate)
		})
	}
}

// L7: what a sub-agent called is not told among the calls that are folded.
func TestL7FoldedCallsAreTheReaders(t *testing.T) {
	policy := shortly(map[string]tenfold.CallPolicy{
		"a": {Action: tenfold.Omit}, "c": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, From: 2, To: 4}},
	})
	p := project(t, user("go"), call("a", "read", `{"path":"a.go"}`), on("scout", call("b", "spy", `{"path":"b.go"}`)), result("a", "1"), call("c", "read", `{}`), result("c", "2"), tools(policy))
	sees(t, p, "user: go", "call c read {}", "result c [1 earlier call not shown: read]\n2")
}

// F7: marks that follow one another stand on one line; what was said keeps its own.
func TestF7MarksShareALine(t *testing.T) {
	both := &tenfold.Folded{Calls: 2, After: true, Next: &tenfold.Folded{Calls: 14}}
	for name, c := range map[string]struct {
		policy    tenfold.CallPolicy
		arguments string
		want      string
	}{
		"gaps at the ends":     {tenfold.CallPolicy{Action: tenfold.Trim, Lines: lines(3, 6), Folded: both}, "{}", "[14 earlier calls not shown] …\n" + strings.Join([]string{line(3), line(4), line(5), line(6)}, "\n") + " …\n[2 later calls not shown]"},
		"a mark within a line": {tenfold.CallPolicy{Action: tenfold.Trim, Lines: lines(3, 3), Folded: both}, "{}", "[14 earlier calls not shown]\n… " + line(3) + " …\n[2 later calls not shown]"},
		"a body":               {tenfold.CallPolicy{Action: tenfold.Trim, Result: tenfold.Strip, Body: lines(1, 1), Folded: both}, `{"new":"` + strings.Repeat(`a line of code\n`, 40) + `"}`, "[14 earlier calls not shown]\n[compacted] edit: done, 20 lines\n[argument new] a line of code …\n[2 later calls not shown]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, user("go"), call("c1", "edit", c.arguments), result("c1", numbered(20)), tools(shortly(map[string]tenfold.CallPolicy{"c1": c.policy})))
			if got := strings.TrimPrefix(view(p)[2], "result c1 "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func payloadAt(t *testing.T, p *tenfold.Projection, seq int64) tenfold.Payload {
	t.Helper()
	e, ok := p.Log().Entry(seq)
	if !ok {
		t.Fatalf("no entry %d", seq)
	}
	return e.Payload
}

func TestP5FoldedCallsStandBesideFiles(t *testing.T) {
	picture := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png"}}
	for name, c := range map[string]struct {
		parts []tenfold.Part
		after bool
		want  string
	}{
		"nothing":             {nil, false, "[2 earlier calls not shown]"},
		"a file":              {[]tenfold.Part{picture}, false, "[2 earlier calls not shown]|<a.png>"},
		"a file before":       {[]tenfold.Part{picture}, true, "<a.png>|[2 later calls not shown]"},
		"a file and its text": {[]tenfold.Part{tenfold.TextPart("see"), picture}, true, "see|<a.png>|[2 later calls not shown]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, user("go"), call("c", "t", `{}`), entry(tenfold.ToolResult{CallID: "c", Parts: c.parts}),
				tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 2, After: c.after}}})))
			same(t, "result", view(p)[2], "result c "+c.want)
			same(t, "parts of the log", len(payloadAt(t, p, 3).(tenfold.ToolResult).Parts), len(c.parts))
		})
	}
}

func TestP5FoldedCallsStandOnBothSidesOfFiles(t *testing.T) {
	picture := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png"}}
	folded := &tenfold.Folded{Calls: 3, After: true, Next: &tenfold.Folded{Calls: 2}}
	p := project(t, user("go"), call("c", "t", `{}`), entry(tenfold.ToolResult{CallID: "c", Parts: []tenfold.Part{picture}}),
		tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Keep, Folded: folded}})))
	same(t, "result", view(p)[2], "result c [2 earlier calls not shown]|<a.png>|[3 later calls not shown]")
}

// What a folded call is about is read once for all previews, and anew where another
// overlay goes by other arguments.
func TestP5FoldedCallsAreToldByTheOverlaysOwnArguments(t *testing.T) {
	base := project(t, user("go"), call("c1", "run", `{"cmd":"make","dir":"src"}`), result("c1", "done"), call("c2", "run", `{"cmd":"ls"}`), result("c2", "a.go"))
	for range 2 {
		for argument, want := range map[string]string{"cmd": "run make", "dir": "run src", "none": "run"} {
			policy := shortly(map[string]tenfold.CallPolicy{"c2": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, From: 2, To: 3}}})
			policy.Rest, policy.Primary = tenfold.Omit, map[string][]string{"run": {argument}}
			seen := view(base.With(tenfold.Compaction{ToTurn: 1, ToolCalls: &policy}))
			same(t, argument, seen[len(seen)-1], "result c2 [1 earlier call not shown: "+want+"]\na.go")
		}
	}
}

// F7, live X2: what a client had taken back is no part of what was folded, and is not told.
func TestF7WhatWasTakenBackIsNotTold(t *testing.T) {
	read := func(id string) []tenfold.Entry {
		return []tenfold.Entry{call(id, "read", `{"path":"`+id+`.go"}`), result(id, "text of "+id)}
	}
	asked := slices.Concat([]tenfold.Entry{start(), user("go")}, read("a"), read("b"), []tenfold.Entry{start(), user("on")}, read("gone"))
	back := entry(tenfold.Compaction{FromTurn: 1, ToTurn: 1, Turns: tenfold.Omit, Source: tenfold.SourceImport, Strategy: tenfold.StrategyRewind})
	asked = append(asked, back, start(), user("on then"))
	asked = append(asked, slices.Concat(read("c"), read("d"))...)
	// Calls 3, 5 and 13 are folded, 9 was taken back.
	d := tenfold.CallPolicy{Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 3, From: 3, To: 14}}
	fit := entry(tenfold.Compaction{ToTurn: 2, ToolCalls: &tenfold.ToolPolicy{
		Action: tenfold.Selective, Rest: tenfold.Omit, Calls: map[string]tenfold.CallPolicy{"d": d}, Primary: map[string][]string{"read": {"path"}},
	}})
	seen := view(project(t, append(asked, fit)...))
	same(t, "result", seen[len(seen)-1], "result d [3 earlier calls not shown: read a.go, b.go, c.go]\ntext of d")
}

// P5b: what is kept of a result has no codes for a terminal; a result that is kept as a whole is
// as it was.
func TestP5bWhatIsKeptOfAResultHasNoTerminalCodes(t *testing.T) {
	const output = "\x1b[31mred\x1b[0m one\n\x1b]0;title\x07two \x1b[1G\x1b[0Kof it\nthree\n\x1b[2mfour\x1b[22m"
	for name, tt := range map[string]struct {
		policy tenfold.CallPolicy
		want   string
	}{
		"lines": {tenfold.CallPolicy{Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 1, Last: 2}, {First: 4, Last: 4}}}, "red one\ntwo of it …\nfour"},
		"whole": {tenfold.CallPolicy{Action: tenfold.Keep}, output},
	} {
		p := project(t, user("go"), call("c", "t", `{}`), result("c", output), tools(shortly(map[string]tenfold.CallPolicy{"c": tt.policy})))
		same(t, name, view(p)[2], "result c "+tt.want)
	}
	for output, want := range map[string]string{
		"[comp\x1b[0macted] t: done\n":   `[\compacted] t: done`, // no mark of ours
		"\x1b]0;a title\nx\nbell \x07\n": "0;a title …\nbell \a", // whose end is not in its line
	} {
		lines := []tenfold.LineRange{{First: 1, Last: 1}, {First: 3, Last: 3}}
		if output += strings.Repeat("\n", 3-strings.Count(output, "\n")) + strings.Repeat("and so on\n", 9); want[0] == '[' {
			lines = lines[:1]
		}
		p := project(t, user("go"), call("c", "t", `{}`), result("c", output), tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Lines: lines}})))
		same(t, output, view(p)[2], "result c "+want+" …")
	}
	// A line of nothing but such codes is blank.
	p := project(t, user("go"), call("c", "t", `{}`), result("c", "\x1b[2K\x1b[1G\n"+strings.Repeat("and so on\n", 9)), tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 1, Last: 1}}}})))
	same(t, "codes alone", view(p)[2], "result c [compacted] t: done, 10 lines")
}
