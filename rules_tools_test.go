package tenfold_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tenfold"
)

// strip leaves nothing of arguments, for tests that are not about what it leaves.
func strip() tenfold.ToolPolicy {
	return tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Arguments: tenfold.ArgumentsNone}
}

func tools(p tenfold.ToolPolicy) tenfold.Entry {
	return overlay("tools", tenfold.Compaction{ToTurn: 99, ToolCalls: &p})
}

// oneCall is a turn whose agent makes one call: entry 2, its result entry 3.
func oneCall(tool, output string, p tenfold.ToolPolicy) []tenfold.Entry {
	return []tenfold.Entry{user("go"), call("c1", tool, `{"path":"main.go"}`), result("c1", output), say("done"), tools(p)}
}

func TestP5Strip(t *testing.T) {
	const args = `{"path":"main.go"}`
	for name, c := range map[string]struct {
		request, response bool
		call, result      string
		fates             string
	}{
		"both":      {true, true, "call c1 read {}", "result c1 [compacted] read: done", "stripped tools, stripped tools"},
		"requests":  {true, false, "call c1 read {}", "result c1 output", "stripped tools, kept"},
		"responses": {false, true, "call c1 read " + args, "result c1 [compacted] read: done", "kept, stripped tools"},
		"neither":   {false, false, "call c1 read " + args, "result c1 output", "kept, kept"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, oneCall("read", "output", tenfold.ToolPolicy{Action: tenfold.Strip, Request: c.request, Response: c.response, Arguments: tenfold.ArgumentsNone})...)
			sees(t, p, "user: go", c.call, c.result, "assistant: done")
			same(t, "fates", fateOf(p, 2)+", "+fateOf(p, 3), c.fates)
		})
	}
}

func TestP5StripKeepsWhetherTheCallFailed(t *testing.T) {
	p := project(t, user("go"), call("c1", "shell", `{"command":"make"}`), failed("c1", "no rule to make target"), tools(strip()))
	sees(t, p, "user: go", "call c1 shell {}", "error c1 [compacted] shell: error\nno rule to make target")
}

func TestP5StubTexts(t *testing.T) {
	long := strings.Repeat("ä", 200)
	cut := "…" + strings.Repeat("ä", 198) + "…"
	for name, c := range map[string]struct {
		output                string
		firstLine, recall     bool
		form, tool, wantsText string
	}{
		"plain":                             {"one\ntwo", false, false, "", "read", "[compacted] read: done, 2 lines"},
		"an empty output":                   {"", false, false, "", "read", "[compacted] read: done"},
		"first line":                        {"one\ntwo", true, false, "", "read", "[compacted] read: done, 2 lines\none"},
		"first line of one":                 {"one", true, false, "", "read", "[compacted] read: done\none"},
		"first line after line ends":        {"\r\n\none\r\ntwo", true, false, "", "read", "[compacted] read: done, 4 lines\none"},
		"first line of nothing":             {"", true, false, "", "read", "[compacted] read: done"},
		"first line of line ends":           {"\n\n", true, false, "", "read", "[compacted] read: done, 2 lines"},
		"first line of 200 characters":      {long + "\ntwo", true, false, "", "read", "[compacted] read: done, 2 lines\n" + long},
		"first line of 201 characters":      {long + "z\ntwo", true, false, "", "read", "[compacted] read: done, 2 lines\n" + cut},
		"recall":                            {"one", false, true, "", "read", "[compacted] read: done (recall 3)"},
		"recall after the first line":       {"one\ntwo", true, true, "", "read", "[compacted] read: done, 2 lines\none (recall 3)"},
		"recall after a cut first line":     {long + long, true, true, "", "read", "[compacted] read: done\n" + cut + " (recall 3)"},
		"the other form":                    {"one", false, false, "previous", "read", "[Previous: used read]"},
		"the other form with its reference": {"one", true, true, "previous", "read", "[Previous: used read]\none (recall 3)"},
		"a tool without a name":             {"one", false, false, "", "", "[compacted] unknown: done"},
		"an odd tool name is kept":          {"one", false, false, "", "mcp: read\"", "[compacted] mcp: read\": done"},
	} {
		t.Run(name, func(t *testing.T) {
			policy := strip()
			policy.FirstLine, policy.Recall, policy.Stub = c.firstLine, c.recall, c.form
			p := project(t, oneCall(c.tool, c.output, policy)...)
			sees(t, p, "user: go", "call c1 "+c.tool+" {}", "result c1 "+c.wantsText, "assistant: done")
		})
	}
}

func TestP5ResultOfAnUnknownCallGoes(t *testing.T) {
	policy := strip()
	p := project(t, user("go"), result("nobody", "text"), say("done"), tools(policy))
	sees(t, p, "user: go", "assistant: done")
	same(t, "fate", fateOf(p, 2), "omitted")
}

func TestP5OmitTakesCallAndResult(t *testing.T) {
	p := project(t, oneCall("read", "output", tenfold.ToolPolicy{Action: tenfold.Omit})...)
	sees(t, p, "user: go", "assistant: done")
	same(t, "fates", fateOf(p, 2)+", "+fateOf(p, 3), "omitted tools, omitted tools")
	open := project(t, user("go"), call("c1", "read", `{"a":1}`), say("done"), tools(tenfold.ToolPolicy{Action: tenfold.Omit}))
	sees(t, open, "user: go", "assistant: done")
}

func TestP5KeepShowsWhatAnOlderStripTook(t *testing.T) {
	entries := oneCall("read", "output", strip())
	entries = append(entries, overlay("keep", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Keep}}))
	sees(t, project(t, entries...), "user: go", `call c1 read {"path":"main.go"}`, "result c1 output", "assistant: done")
}

func TestP5HintsBeatStrip(t *testing.T) {
	const full, bare = `call c1 read {"path":"main.go"}`, "call c1 read {}"
	const text, stub = "result c1 output", "result c1 [compacted] read: done"
	for name, c := range map[string]struct {
		hint   tenfold.Hint
		policy tenfold.ToolPolicy
		want   []string
	}{
		"keep both":                       {tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Keep}, strip(), []string{full, text}},
		"keep the request":                {tenfold.Hint{Request: tenfold.Keep}, strip(), []string{full, stub}},
		"keep the response":               {tenfold.Hint{Response: tenfold.Keep}, strip(), []string{bare, text}},
		"strip agrees":                    {tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Strip}, strip(), []string{bare, stub}},
		"no wish":                         {tenfold.Hint{}, strip(), []string{bare, stub}},
		"remove takes both":               {tenfold.Hint{Response: tenfold.Remove}, strip(), nil},
		"remove beats a kept request":     {tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Remove}, strip(), nil},
		"remove where responses stay":     {tenfold.Hint{Response: tenfold.Remove}, tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Arguments: tenfold.ArgumentsNone}, []string{bare, text}},
		"keep has no say against an omit": {tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Keep}, tenfold.ToolPolicy{Action: tenfold.Omit}, nil},
		"remove has no say against keep":  {tenfold.Hint{Response: tenfold.Remove}, tenfold.ToolPolicy{Action: tenfold.Keep}, []string{full, text}},
	} {
		t.Run(name, func(t *testing.T) {
			c.policy.Hints = map[string]tenfold.Hint{"read": c.hint, "other": {Request: tenfold.Keep}}
			want := append(append([]string{"user: go"}, c.want...), "assistant: done")
			sees(t, project(t, oneCall("read", "output", c.policy)...), want...)
		})
	}
}

func TestP5HintsSpeakForTheirToolOnly(t *testing.T) {
	policy := strip()
	policy.Hints = map[string]tenfold.Hint{"read": {Request: tenfold.Keep, Response: tenfold.Keep}}
	p := project(
		t, user("go"), call("a", "read", `{"path":"x"}`), call("b", "shell", `{"command":"y"}`),
		result("a", "text"), result("b", "text"), tools(policy),
	)
	sees(t, p, "user: go", `call a read {"path":"x"}`, "call b shell {}", "result a text", "result b [compacted] shell: done")
}

var cutMark = regexp.MustCompile(`… \d+ lines? left out …`)

// seesTrimmed is sees without the figures in the marks of what was cut.
func seesTrimmed(t *testing.T, p *tenfold.Projection, want ...string) {
	t.Helper()
	got := view(p)
	for i := range got {
		got[i] = cutMark.ReplaceAllString(got[i], "… cut …")
	}
	same(t, "the model sees", got, want)
}

func selective(over tenfold.Size, calls map[string]tenfold.CallPolicy) tenfold.Entry {
	return tools(tenfold.ToolPolicy{Action: tenfold.Selective, Over: over, Calls: calls})
}

func TestP5SelectiveGoesByCallID(t *testing.T) {
	both := tenfold.CallPolicy{Action: tenfold.Strip, Request: true, Response: true}
	lines := strings.Repeat("0123456\n", 100)
	p := project(
		t, user("go"),
		call("keep", "t", `{"n":1}`), result("keep", "one"),
		call("strip", "t", `{"n":2}`), result("strip", "two"),
		call("half", "t", `{"n":3}`), result("half", "three"),
		call("omit", "t", `{"n":4}`), result("omit", "four"),
		call("trim", "t", `{"n":5}`), result("trim", lines),
		call("rest", "t", `{"n":6}`), result("rest", "six"),
		selective(0, map[string]tenfold.CallPolicy{
			"keep": {Action: tenfold.Keep}, "strip": both, "half": {Action: tenfold.Strip, Response: true},
			"omit": {Action: tenfold.Omit}, "trim": {Action: tenfold.Trim, Head: 16, Tail: 8}, "absent": both,
		}),
	)
	seesTrimmed(
		t, p, "user: go",
		`call keep t {"n":1}`, "result keep one",
		`call strip t {"n":2}`, "result strip [compacted] t: done",
		`call half t {"n":3}`, "result half [compacted] t: done",
		`call trim t {"n":5}`, "result trim 0123456\n0123456\n… cut …\n0123456",
		`call rest t {"n":6}`, "result rest six",
	)
	same(t, "fates", fateOf(p, 9)+", "+fateOf(p, 11), "omitted tools, trimmed tools")
}

func TestP5SelectiveTellsUsesOfOneIDApartBySeq(t *testing.T) {
	twice := func(calls map[string]tenfold.CallPolicy) []tenfold.Entry {
		return []tenfold.Entry{
			user("go"), call("c", "t", `{"n":1}`), result("c", "one"), call("c", "t", `{"n":2}`), result("c", "two"),
			selective(0, calls),
		}
	}
	omit, keep := tenfold.CallPolicy{Action: tenfold.Omit}, tenfold.CallPolicy{Action: tenfold.Keep}
	first, second := []string{`call c t {"n":1}`, "result c one"}, []string{`call c t {"n":2}`, "result c two"}
	for name, c := range map[string]struct {
		calls map[string]tenfold.CallPolicy
		want  [][]string
	}{
		"the id means every use":           {map[string]tenfold.CallPolicy{"c": omit}, nil},
		"id@seq means the first":           {map[string]tenfold.CallPolicy{"c@2": omit}, [][]string{second}},
		"id@seq means the second":          {map[string]tenfold.CallPolicy{"c@4": omit}, [][]string{first}},
		"id@seq beats the id":              {map[string]tenfold.CallPolicy{"c": omit, "c@4": keep}, [][]string{second}},
		"the seq of a result is not a key": {map[string]tenfold.CallPolicy{"c@3": omit}, [][]string{first, second}},
		"a seq beyond the log":             {map[string]tenfold.CallPolicy{"c@400": omit}, [][]string{first, second}},
		"another id at that seq":           {map[string]tenfold.CallPolicy{"d@2": omit}, [][]string{first, second}},
	} {
		t.Run(name, func(t *testing.T) {
			want := []string{"user: go"}
			for _, pair := range c.want {
				want = append(want, pair...)
			}
			sees(t, project(t, twice(c.calls)...), want...)
		})
	}
}

func TestP5SelectiveLeavesTheRestToOlderOverlays(t *testing.T) {
	older := overlay("older", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}})
	p := project(
		t, user("go"), call("a", "t", `{"n":1}`), result("a", "one"), call("b", "t", `{"n":2}`), result("b", "two"),
		older, selective(0, map[string]tenfold.CallPolicy{"b": {Action: tenfold.Keep}}),
	)
	sees(t, p, "user: go", `call a t {"n":1}`, "result a [compacted] t: done", `call b t {"n":2}`, "result b two")
	same(t, "fate", fateOf(p, 3), "stripped older")
}

func TestP2TheLatestWordOnACallWins(t *testing.T) {
	word := func(id string, a tenfold.Action) tenfold.Entry {
		return overlay(id, tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Arguments: tenfold.ArgumentsNone,
			Calls: map[string]tenfold.CallPolicy{"a": {Action: a, Request: true, Response: true}},
		}})
	}
	over := func(id string, a tenfold.Action) tenfold.Entry {
		return overlay(id, tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: a, Request: true, Response: true, Arguments: tenfold.ArgumentsNone}})
	}
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     string
	}{
		"of two that name it":            {[]tenfold.Entry{word("x", tenfold.Omit), word("y", tenfold.Strip)}, "stripped y"},
		"one that names it, then all":    {[]tenfold.Entry{word("x", tenfold.Omit), over("y", tenfold.Strip)}, "stripped y"},
		"all, then one that names it":    {[]tenfold.Entry{over("x", tenfold.Strip), word("y", tenfold.Omit)}, "omitted y"},
		"the later revoked":              {[]tenfold.Entry{word("x", tenfold.Omit), word("y", tenfold.Strip), revoke("r", "y")}, "omitted x"},
		"the older revoked and restored": {[]tenfold.Entry{word("x", tenfold.Omit), word("y", tenfold.Strip), revoke("r", "x"), revoke("rr", "r")}, "stripped y"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append([]tenfold.Entry{user("go"), call("a", "t", `{"n":1}`), result("a", "one")}, c.overlays...)...)
			same(t, "fate", fateOf(p, 2), c.want)
		})
	}
}

func TestP5SelectiveKeepsToItsRange(t *testing.T) {
	omit := tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c": {Action: tenfold.Omit}, "c@8": {Action: tenfold.Omit}}}
	p := project(
		t, start(), user("go"), call("c", "t", `{"n":1}`), result("c", "one"), say("ok"),
		start(), user("more"), call("c", "t", `{"n":2}`), result("c", "two"),
		overlay("sel", tenfold.Compaction{ToTurn: 0, ToolCalls: &omit}),
	)
	sees(t, p, "user: go", "assistant: ok", "user: more", `call c t {"n":2}`, "result c two")
}

func TestP5TrimKeepsHeadAndTail(t *testing.T) {
	unbroken := strings.Repeat("x", 1000)
	umlauts := strings.Repeat("ä", 500)
	for name, c := range map[string]struct {
		text       string
		head, tail tenfold.Size
		recall     bool
		want       string
	}{
		"cut at line ends":        {"aaaaaaa\nbbbbbbb\n" + unbroken + "\nccc\nddd\n", 18, 9, false, "aaaaaaa\nbbbbbbb\n… cut …\nccc\nddd"},
		"no line ends near":       {unbroken, 10, 10, false, "…xxxxxxxxxx…xxxxxxxxxx…"},
		"head alone":              {unbroken, 10, 0, false, "…xxxxxxxxxx…"},
		"tail alone":              {unbroken, 0, 10, false, "…xxxxxxxxxx…"},
		"characters stay whole":   {umlauts, 11, 11, false, "…ääääää…ääääää…"},
		"with the reference":      {unbroken, 10, 10, true, "…xxxxxxxxxx…xxxxxxxxxx… (recall 3)"},
		"400 of either end":       {unbroken + unbroken, 0, 0, false, "…" + unbroken[:400] + "…" + unbroken[:400] + "…"},
		"as long as what is kept": {unbroken, 500, 500, false, unbroken},
		"not worth it":            {unbroken, 500, 499, false, unbroken},
	} {
		t.Run(name, func(t *testing.T) {
			policy := tenfold.ToolPolicy{
				Action: tenfold.Selective, Recall: c.recall,
				Calls: map[string]tenfold.CallPolicy{"c1": {Action: tenfold.Trim, Head: c.head, Tail: c.tail}},
			}
			p := project(t, oneCall("read", c.text, policy)...)
			seesTrimmed(t, p, "user: go", `call c1 read {"path":"main.go"}`, "result c1 "+c.want, "assistant: done")
			if fate, want := fateOf(p, 3), map[bool]string{true: "kept", false: "trimmed tools"}[c.want == c.text]; fate != want {
				t.Errorf("the result is %s, want %s", fate, want)
			}
		})
	}
}

func TestP6OnlyStrictlyLargerContentsAreTouched(t *testing.T) {
	const gate = 20
	for _, c := range []struct {
		text    string
		touched bool
	}{
		{strings.Repeat("x", gate-1), false},
		{strings.Repeat("x", gate), false},
		{strings.Repeat("x", gate+1), true},
		{strings.Repeat("ä", gate/2), false}, // 20 bytes of 10 characters
		{strings.Repeat("ä", gate/2) + "x", true},
		{"", false},
	} {
		t.Run(fmt.Sprintf("%d bytes", len(c.text)), func(t *testing.T) {
			policy := strip()
			policy.Over = gate
			arguments := `{"a":"` + strings.Repeat("x", max(len(c.text)-len(`{"a":""}`), 0)) + `"}`
			thinking := overlay("r", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip, Over: gate}})
			for what, touched := range map[string]bool{
				"result":    fateOf(project(t, oneCall("t", c.text, policy)...), 3) != "kept",
				"arguments": fateOf(project(t, user("go"), call("c", "t", arguments), tools(policy)), 2) != "kept",
				"reasoning": c.text != "" && fateOf(project(t, user("go"), think(c.text), say("b"), thinking), 2) != "kept",
			} {
				want := c.touched
				if what == "arguments" {
					want = len(arguments) > gate
				}
				if touched != want {
					t.Errorf("%s touched: %v, want %v", what, touched, want)
				}
			}
		})
	}
}

func TestP6GatesTrim(t *testing.T) {
	text := strings.Repeat("x", 200)
	for over, want := range map[tenfold.Size]string{0: "trimmed tools", 199: "trimmed tools", 200: "kept", 201: "kept"} {
		p := project(t, user("go"), call("c", "t", `{}`), result("c", text), selective(over, map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Head: 10, Tail: 10}}))
		same(t, "fate over "+over.String(), fateOf(p, 3), want)
	}
}

func TestP6SizeIsTheSumOfAContentsParts(t *testing.T) {
	policy := strip()
	policy.Over = 20
	for size, want := range map[int]string{10: "kept", 11: "stripped tools"} {
		parts := []tenfold.Part{tenfold.TextPart("0123456789"), tenfold.TextPart(strings.Repeat("x", size))}
		p := project(t, user("go"), call("c", "t", `{}`), entry(tenfold.ToolResult{CallID: "c", Parts: parts}), tools(policy))
		same(t, "fate", fateOf(p, 3), want)
	}
}

func TestP6AttachmentsAreMeasuredOneByOne(t *testing.T) {
	image := func(base64 string) tenfold.Part {
		return tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "shot.png", MediaType: "image/png", URI: "data:image/png;base64," + base64}}
	}
	m := tenfold.UserMessage{
		Parts:       []tenfold.Part{tenfold.TextPart("look"), image("AAAAAAAA"), image("AAAAAAAAAAAA")}, // 6 and 9 bytes
		Attachments: []tenfold.Attachment{{Name: "six.md", Content: "123456"}, {Name: "seven.md", MediaType: "text/markdown", Content: "1234567"}},
	}
	for over, want := range map[tenfold.Size]string{
		0: "user: look|[compacted] shot.png, image/png, 6 bytes|[compacted] shot.png, image/png, 9 bytes|[compacted] six.md, 6 bytes|[compacted] seven.md, text/markdown, 7 bytes",
		6: "user: look|<shot.png>|[compacted] shot.png, image/png, 9 bytes|[compacted] seven.md, text/markdown, 7 bytes +six.md",
		9: "user: look|<shot.png>|<shot.png> +six.md +seven.md",
	} {
		p := project(t, entry(m), overlay("a", tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: over}}))
		sees(t, p, want)
	}
}

func TestP6UnitsAreBinary(t *testing.T) {
	for text, want := range map[string]tenfold.Size{
		"0": 0, "800": 800, "800b": 800, "2KB": 2048, "2 kb": 2048, " 1.5 KB ": 1536, "1MB": 1 << 20, "1gb": 1 << 30, "0.5KB": 512,
	} {
		got, err := tenfold.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "KB", "-1", "-2KB", "two", "1TB", "1KBB", "1 2", "inf", "1e300GB"} {
		if got, err := tenfold.ParseSize(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
	for size, want := range map[tenfold.Size]string{0: "0", 800: "800", 1024: "1KB", 1536: "1536", 2048: "2KB", 3 << 20: "3MB", 1 << 30: "1GB"} {
		if got := size.String(); got != want {
			t.Errorf("%d is written %q, want %q", int64(size), got, want)
		}
	}
}

// Trim keeps the lines asked for, and can strip the arguments along.
func TestP5TrimKeepsChosenLines(t *testing.T) {
	var lines []string
	for i := 1; i <= 40; i++ {
		lines = append(lines, fmt.Sprintf("line %02d of the output", i))
	}
	p := project(t, append(
		[]tenfold.Entry{start(), user("go"), call("c", "read", `{"path":"a.go"}`), result("c", strings.Join(lines, "\n"))},
		selective(0, map[string]tenfold.CallPolicy{"c": {
			Action: tenfold.Trim, Request: true, Head: 45, Tail: 22,
			Lines: []tenfold.LineRange{{First: 1, Last: 1}, {First: 10, Last: 11}, {First: 30, Last: 30}},
		}}),
	)...)
	var got tenfold.ToolResult
	for it := range p.Items() {
		switch payload := it.Payload.(type) {
		case tenfold.ToolCall:
			if payload.Arguments != `{"path":"a.go"}` || it.Fate != tenfold.Kept {
				t.Errorf("the arguments are %s, %s", payload.Arguments, it.Fate)
			}
		case tenfold.ToolResult:
			got = payload
		}
	}
	want := strings.Join([]string{
		lines[0], lines[1], "… 7 lines left out …", lines[9], lines[10], "… 18 lines left out …",
		lines[29], "… 9 lines left out …", lines[39],
	}, "\n")
	if got.Parts[0].Text != want {
		t.Errorf("the result is\n%s\nwant\n%s", got.Parts[0].Text, want)
	}
}
