package tenfold_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

var primary = map[string][]string{tenfold.AnyTool: {"file_path", "path"}, "Bash": {"command", "cmd"}}

// leaves is what a strip leaves of a call's arguments.
func leaves(t *testing.T, how tenfold.Arguments, tool, arguments string) string {
	t.Helper()
	p := project(t, user("go"), call("c", tool, arguments), result("c", "x"), tools(tenfold.ToolPolicy{
		Action: tenfold.Strip, Request: true, Response: true, Arguments: how, Primary: primary,
	}))
	return strings.TrimPrefix(view(p)[1], "call c "+tool+" ")
}

// P5: the first line beside the last telling one of an error; one line that is both is said once.
func TestP5FirstLineOfAnError(t *testing.T) {
	policy := strip()
	policy.FirstLine = true
	for output, want := range map[string]string{
		"running\nhalf way\nerror: boom": "[compacted] shell: error, 3 lines\nrunning\nerror: boom", "error: boom": "[compacted] shell: error\nerror: boom",
	} {
		p := project(t, user("go"), call("c", "shell", `{}`), failed("c", output), tools(policy))
		same(t, "result", view(p)[2], "error c "+want)
	}
}

func TestP5ShortArgumentsStayWhole(t *testing.T) {
	of := func(n int) string { return strings.Repeat("x", n) }
	five := `"a":"` + of(120) + `","b":"` + of(120) + `","c":"` + of(120) + `","d":"` + of(120) + `","e":"` + of(120) + `"`
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"a body goes with its key":       {"Write", `{"file_path":"a.go","content":"` + of(121) + `"}`, `{"file_path":"a.go"}`},
		"120 bytes stay":                 {"Write", `{"file_path":"a.go","content":"` + of(120) + `"}`, `{"file_path":"a.go","content":"` + of(120) + `"}`},
		"bytes are those of the tool":    {"Write", `{"a":"` + strings.Repeat(`\u00e9`, 60) + `","b":"` + of(200) + `"}`, `{"a":"` + strings.Repeat(`\u00e9`, 60) + `"}`},
		"the primary one has 300":        {"Bash", `{"command":"` + of(300) + `","why":"` + of(200) + `"}`, `{"command":"` + of(300) + `"}`},
		"and no more":                    {"Bash", `{"command":"` + of(301) + `","why":"short"}`, `{"why":"short"}`},
		"600 in all":                     {"Do", `{` + five + `,"f":"more"}`, `{` + five + `}`},
		"a file goes first":              {"Do", `{` + five + `,"path":"a.go"}`, `{` + strings.TrimSuffix(five, `,"e":"`+of(120)+`"`) + `,"path":"a.go"}`},
		"a list is one value":            {"Bash", `{"cmd":["bash","-lc","ls"],"more":["` + of(130) + `"]}`, `{"cmd":["bash","-lc","ls"]}`},
		"an object is one value":         {"Edit", `{"path":"a.go","edits":[{"old":"` + of(60) + `","new":"` + of(60) + `"}]}`, `{"path":"a.go"}`},
		"numbers and truth":              {"Read", `{"limit":10, "all":true,"x":null,"y":"` + of(200) + `"}`, `{"limit":10,"all":true,"x":null}`},
		"plain text of a tool of OpenAI": {"apply_patch", `{"input":"` + of(200) + `"}`, `{}`},
		"broken":                         {"Write", `{"file_path":"a.go","content":"` + of(200), `{}`},
		"no object":                      {"Write", `["` + of(200) + `"]`, `{}`},
	} {
		t.Run(name, func(t *testing.T) { same(t, "arguments", leaves(t, "", c.tool, c.arguments), c.want) })
	}
}

func TestP5ArgumentsPrimaryAndNone(t *testing.T) {
	const arguments = `{"command":"ls","timeout":10,"path":"a.go"}`
	same(t, "primary", leaves(t, tenfold.ArgumentsPrimary, "Bash", arguments), `{"command":"ls","path":"a.go"}`)
	same(t, "of a tool nobody knows", leaves(t, tenfold.ArgumentsPrimary, "mcp", `{"id":7,"title":"x"}`), `{"id":7}`)
	same(t, "none", leaves(t, tenfold.ArgumentsNone, "Bash", arguments), `{}`)
}

func TestP5StubsTellTheOutcomeAndTheLines(t *testing.T) {
	for name, c := range map[string]struct {
		result tenfold.ToolResult
		want   string
	}{
		"unknown":              {tenfold.ToolResult{Parts: tenfold.Text("a\nb")}, "[compacted] Bash: done, 2 lines"},
		"one line":             {tenfold.ToolResult{Parts: tenfold.Text("a\n"), Outcome: tenfold.Success}, "[compacted] Bash: success"},
		"success":              {tenfold.ToolResult{Parts: tenfold.Text("a\nb\nc"), Outcome: tenfold.Success}, "[compacted] Bash: success, 3 lines"},
		"an exit code":         {tenfold.ToolResult{Parts: tenfold.Text("a\nno such file\nexit code 2\n"), Outcome: tenfold.Exit(2)}, "[compacted] Bash: exit 2, 3 lines\nno such file"},
		"an error":             {tenfold.ToolResult{Parts: tenfold.Text("Exit code 1\n\nboom: it broke\n-----\n$\n"), IsError: true}, "[compacted] Bash: error, 5 lines\nboom: it broke"},
		"the record wins":      {tenfold.ToolResult{Parts: tenfold.Text("fine"), IsError: true, Outcome: tenfold.Success}, "[compacted] Bash: success"},
		"nothing telling":      {tenfold.ToolResult{Parts: tenfold.Text("Process exited with code 1"), IsError: true}, "[compacted] Bash: error"},
		"what was asked again": {tenfold.ToolResult{Parts: tenfold.Text("<tool_use_error>String to replace not found in file.\nString: a\nreturn b</tool_use_error>"), IsError: true}, "[compacted] Bash: error, 3 lines\nString to replace not found in file."},
		"the host's words":     {tenfold.ToolResult{Parts: tenfold.Text("FAIL: x is 2\nShell cwd was reset to /w\n\n<system-reminder>\nMind the todos.\n</system-reminder>\n"), IsError: true}, "[compacted] Bash: error, 6 lines\nFAIL: x is 2"},
		"how a shell ended":    {tenfold.ToolResult{Parts: tenfold.Text("no such file\n<shellId: 6 completed with exit code 1>"), IsError: true}, "[compacted] Bash: error, 2 lines\nno such file"},
		"a patch that is not":  {tenfold.ToolResult{Parts: tenfold.Text("apply_patch verification failed: Failed to find expected lines in a.go:\nreturn b"), IsError: true}, "[compacted] Bash: error, 2 lines\napply_patch verification failed: Failed to find expected lines in a.go:"},
		"colours":              {tenfold.ToolResult{Parts: tenfold.Text("\x1b[31mboom: it broke\x1b[0m\n\x1b[0m\n"), IsError: true}, "[compacted] Bash: error, 2 lines\nboom: it broke"},
		"a long line of words": {tenfold.ToolResult{Parts: tenfold.Text("It does not build. " + strings.Repeat("Many words follow here ", 20)), IsError: true}, "[compacted] Bash: error\nIt does not build. …"},
	} {
		t.Run(name, func(t *testing.T) {
			c.result.CallID = "c"
			p := project(t, user("go"), call("c", "Bash", `{}`), entry(c.result), tools(tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}))
			_, text, _ := strings.Cut(view(p)[2], " c ")
			same(t, "stub", text, c.want)
		})
	}
}

// A patch names its files: where it goes with its key, the stub of the result
// says them, unless lines of the patch stand below, which say theirs.
func TestP5StubsNameTheFilesOfAPatch(t *testing.T) {
	patch := `*** Begin Patch\n*** Update File: a.go\n@@\n-old\n*** Add File: b/c.go\n+` + strings.Repeat("new ", 60) + `\n*** Delete File: d.go\n*** Update File: e.go\n*** End Patch`
	const files = "\n*** Update File: a.go\n*** Add File: b/c.go\n*** Delete File: d.go"
	of := func(policy tenfold.ToolPolicy, r tenfold.ToolResult) string {
		r.CallID = "c"
		p := project(t, user("go"), call("c", "apply_patch", `{"input":"`+patch+`"}`), entry(r), tools(policy))
		_, text, _ := strings.Cut(view(p)[2], " c ")
		return text
	}
	strip := tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}
	done := tenfold.ToolResult{Parts: tenfold.Text("Done\nM a.go\nM e.go"), Outcome: tenfold.Success}
	same(t, "done", of(strip, done), "[compacted] apply_patch: success, 3 lines"+files)
	same(t, "failed", of(strip, tenfold.ToolResult{Parts: tenfold.Text("no such file: a.go"), IsError: true}), "[compacted] apply_patch: error\nno such file: a.go"+files)
	strip.FirstLine = true
	same(t, "with a first line", of(strip, done), "[compacted] apply_patch: success, 3 lines\nDone"+files)
	lines := tenfold.ToolPolicy{Action: tenfold.Selective, Recall: true, Calls: map[string]tenfold.CallPolicy{"c": {
		Action: tenfold.Trim, Result: tenfold.Strip, Body: []tenfold.LineRange{{First: 2, Last: 4}},
	}}}
	same(t, "with lines of it", of(lines, done), "[compacted] apply_patch: success, 3 lines (recall 3)\n[argument input] … *** Update File: a.go\n@@\n-old …")
}

func TestP5aTheNote(t *testing.T) {
	stripped := tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}
	recall := stripped
	recall.Recall = true
	handled := recall
	base := []tenfold.Entry{user("go"), call("c", "t", `{}`), result("c", "a\nb"), think("hm")}
	for name, c := range map[string]struct {
		overlay tenfold.Compaction
		note    bool
	}{
		"stripped":        {tenfold.Compaction{ToolCalls: &stripped}, true},
		"with references": {tenfold.Compaction{ToolCalls: &recall}, true},
		"with a handle":   {tenfold.Compaction{ToolCalls: &handled, Handle: "417093"}, true},
		"reasoning alone": {tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}, false},
		"a summary":       {tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}, false},
		"kept":            {tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Keep}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(base[:4:4], overlay("o", c.overlay))...)
			if (p.Note() != "") != c.note {
				t.Fatalf("the note is %q", p.Note())
			}
			if !c.note {
				return
			}
			first := items(p)[0]
			m, _ := first.Payload.(tenfold.UserMessage)
			same(t, "first part", m.Parts[0].Text, p.Note())
			same(t, "the rest", m.Parts[1:], tenfold.Text("go"))
			same(t, "noted", first.Noted, true)
			same(t, "recall is told of", strings.Contains(p.Note(), "recall"), c.overlay.ToolCalls.Recall)
			same(t, "the command is told of", strings.Contains(p.Note(), "tenfold recall ID"), c.overlay.Handle != "")
			if n := (tenfold.Chars4{}).Count(p.Note()); n > 60 {
				t.Errorf("the note has %d tokens", n)
			}
			again := project(t, append([]tenfold.Entry{entry(m)}, append(base[1:4:4], overlay("o", c.overlay))...)...)
			same(t, "one note, where it came back from an export", len(items(again)[0].Payload.(tenfold.UserMessage).Parts), 2)
		})
	}
	// It stands in what the view begins with, and a result that comes later brings none (P11a).
	p := project(t, say("hm"), call("c", "t", `{}`), result("c", "a\nb"), tools(stripped))
	same(t, "of a view that begins with the model's words", items(p)[0].Added, tenfold.AddedOpening)
	same(t, "noted", items(p)[0].Noted, true)
	late := project(t, user("go"), call("c", "t", `{}`), tools(stripped), result("c", "a\nb"))
	same(t, "the late result", fateOf(late, 4), "stripped tools")
	same(t, "its note", late.Note(), "")
}

func TestP5bWholeSentences(t *testing.T) {
	const prose = "Do not touch the parser, e.g. the lexer of version 1.5 stays. Rename the flag instead! Is that clear to all of you? 不要删除它。请改名。"
	for want, piece := range map[string]string{
		"Do not touch the parser, e.g. the lexer of version 1.5 stays.": "lexer",
		"Rename the flag instead!":                                      "flag",
		"Is that clear to all of you?":                                  "clear",
		"不要删除它。":                                                        "删除",
	} {
		at := strings.Index(prose, piece)
		from, to := tenfold.Fragment(prose, at, at+len(piece))
		same(t, piece, prose[from:to], want)
		again, end := tenfold.Fragment(prose, from, to)
		same(t, "again", prose[again:end], want)
	}
	wrapped := "Whatever you do in the whole course of this long change, you must not\ndelete the tables of the old version, since others use them.\n\nAnd then stop.\n"
	p := project(t, user(strings.Repeat(wrapped, 3)), texts("x", tenfold.TextPolicy{Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{
		1: {Action: tenfold.Trim, Lines: lines(2, 2)},
	}}))
	sees(t, p, "user: "+strings.Join(strings.Split(wrapped, "\n")[:2], "\n")+" …")
}

// P5b: a sentence that is wrapped over several lines is kept from its first line to its
// last, whichever of them is asked for, and no line beside it.
func TestP5bSentencesOverSeveralLines(t *testing.T) {
	const text = "Bread is baked in the old oven of the house, and nowhere else at all.\n" +
		"Whatever you do in the whole course of this long change, you must not\n" +
		"delete the tables of the old version, since the people who bake with\n" +
		"them have nothing else to look things up in, and will not have before\n" +
		"the summer comes around and all of it is moved to where it belongs\nthen.\n" +
		"The new oven stays as it is until somebody has had a look at its door.\n"
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for asked := 1; asked <= len(all); asked++ {
		first, last := asked, asked
		if asked > 1 && asked < len(all) {
			first, last = 2, len(all)-1
		}
		p := project(t, user(strings.Repeat(text+"\n", 3)), texts("x", tenfold.TextPolicy{Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{
			1: {Action: tenfold.Trim, Lines: lines(asked, asked)},
		}}))
		got := strings.TrimPrefix(view(p)[0], "user: ")
		for i, line := range all {
			if stands := strings.Contains(got, line); stands != (i+1 >= first && i+1 <= last) {
				t.Errorf("line %d asked for: line %d stands: %v\n%s", asked, i+1, stands, got)
			}
		}
	}
}

// P5b: a line without sentences is cut at a blank that is near, else at the nearest
// end of a word, else where it must be.
func TestP5bWhereALineWithoutSentencesIsCut(t *testing.T) {
	word := func(n int) string { return strings.Repeat("q", n) }
	for name, c := range map[string]struct {
		before, after string // of where the cut is asked for
		left, right   string // what of them stands
	}{
		"at a bound":                         {"a=b=" + word(9) + "=", "=" + word(9) + "=c", "", ""},
		"a blank before a nearer sign":       {"a=b= " + word(9) + "=" + word(30), word(30) + "=" + word(9) + " =c", word(9) + "=" + word(30), word(30) + "=" + word(9)},
		"a blank that is too far":            {"a=b= " + word(9) + "=" + word(31), word(31) + "=" + word(9) + " =c", word(31), word(31)},
		"the nearest of two signs":           {"a=b=" + word(9) + "=" + word(5), word(5) + "=" + word(9) + "=c", word(5), word(5)},
		"a sign as far as one is looked for": {"a=b=" + word(100), word(100) + "=c=d", word(100), word(100)},
		"no sign is near":                    {"a=b=" + word(101), word(101) + "=c=d", "", ""},
	} {
		rest := strings.Repeat("{=}", 400)
		line := rest + c.before + c.after + rest
		at := len(rest) + len(c.before)
		from, _ := tenfold.Fragment(line, at, len(line))
		_, to := tenfold.Fragment(line, 0, at)
		same(t, name+", to the left", line[from:at], c.left)
		same(t, name+", to the right", line[at:to], c.right)
	}
	// No character is cut in two.
	line := strings.Repeat("{=}", 40) + word(120) + "ü" + word(120) + strings.Repeat("{=}", 40)
	at := strings.Index(line, "ü") + 1
	from, _ := tenfold.Fragment(line, at, len(line))
	_, to := tenfold.Fragment(line, 0, at)
	same(t, "before a character", line[from:at+1], "ü")
	same(t, "behind a character", line[at-1:to], "ü")
}

// Widening twice changes nothing, and cuts no word that is short.
func TestP5bFragmentIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`([a-zä。 .,"{}:!?_0-9]{0,40}( |[A-Z]|走)){0,12}`).Draw(t, "line")
		from, to := rapid.IntRange(-2, len(line)+2).Draw(t, "from"), rapid.IntRange(-2, len(line)+2).Draw(t, "to")
		a, b := tenfold.Fragment(line, from, to)
		if a < 0 || b > len(line) || a > b || (from < to && from < len(line) && to > 0 && strings.TrimSpace(line[max(from, 0):min(to, len(line))]) != "" && a == b) {
			t.Fatalf("%q: %d..%d gives %d..%d", line, from, to, a, b)
		}
		if c, d := tenfold.Fragment(line, a, b); c != a || d != b {
			t.Fatalf("%q: %d..%d gives %d..%d, then %d..%d", line, from, to, a, b, c, d)
		}
	})
}

func TestP5FoldedCallsAreToldByName(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 6, From: 2, To: 13}}})
	policy.Primary = primary
	entries := []tenfold.Entry{
		user("go"), call("a", "Read", `{"file_path":"src/a.go"}`), result("a", "x"), call("b", "Read", `{"file_path":"src/b[1].go"}`), result("b", "x"),
		call("c", "Bash", `{"command":"cd src\n go test ./...\nls"}`), result("c", "x"), call("d", "Bash", `{"command":"cd /srv/one && git status"}`), result("d", "x"),
		call("e", "Bash", `{"command":"git status"}`), result("e", "x"),
		call("f", "Bash", `{"command":"cd /srv;"}`), result("f", "x"), call("last", "t", `{}`), result("last", "y"), tools(policy),
	}
	const names = "[6 earlier calls not shown: Read a.go, b_1_.go; Bash go test ./...…, git status ×2, cd /srv;"
	sees(t, project(t, entries...), "user: go", "call last t {}", "result last "+names+"]\ny")
	policy.Recall = true
	entries[len(entries)-1] = tools(policy)
	sees(t, project(t, entries...), "user: go", "call last t {}", "result last "+names+" (recall 2-13)]\ny")
}

// What was done stays named, with the short arguments and that it failed, before what was only
// looked at: a model would do it again.
func TestP5FoldedActsAreTold(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{
		"a": {Action: tenfold.Trim, Body: []tenfold.LineRange{}, Result: tenfold.Strip}, "last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 9, From: 4, To: 21}},
	})
	policy.Arguments = tenfold.ArgumentsPrimary
	policy.Primary = map[string][]string{"book": {"query", tenfold.EveryArgument}, "mail": {"query", tenfold.EveryArgument}, "look": {"query"}}
	entries := []tenfold.Entry{user("go"), call("a", "book", `{"user":"ann","seats":[{"n":"7A"}],"rows":["1","2"],"paid":true,"note":"`+strings.Repeat("word ", 50)+`"}`), result("a", "x")}
	for i, c := range []string{
		`book {"user":"ann","seats":[{"n":"7A"}],"rows":["1","2"],"n":3,"none":null,"note":"` + strings.Repeat("word ", 50) + `"}`,
		`book {"user":"bob","seat":"7B"}`, `book {"user":"bob","seat":"7B"}`, `book {"user":"eve","seat":"[7C]"}`, `mail {"query":"from: eve","n":3}`, `mail {}`,
		`look {"query":"` + strings.Repeat("of ", 30) + `"}`, `look {"query":"` + strings.Repeat("to ", 30) + `"}`, `look {"query":"` + strings.Repeat("at ", 30) + `"}`,
	} {
		name, arguments, _ := strings.Cut(c, " ")
		id := strconv.Itoa(i)
		e := result(id, "x")
		if i == 1 {
			e = failed(id, "no")
		}
		entries = append(entries, call(id, name, arguments), e)
	}
	entries = append(entries, call("last", "t", `{}`), result("last", "y"), tools(policy))
	sees(t, project(t, entries...), "user: go", `call a book {"user":"ann","seats":[{"n":"7A"}],"rows":["1","2"],"paid":true}`, "result a [compacted] book: done", "call last t {}",
		"result last [9 earlier calls not shown: …; book ann 1,2 3, bob 7B (failed), bob 7B, eve _7C_; mail from: eve, …; look"+strings.Repeat(" to", 13)+"…,"+strings.Repeat(" at", 13)+"…]\ny")
}

// Of many short arguments as many are told as there is room for, and of a result that came later
// nothing (P11a).
func TestP5FoldedActsAreToldAsTheyStood(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 2, From: 2, To: 4}}})
	policy.Primary = map[string][]string{"book": {tenfold.EveryArgument}}
	entries := []tenfold.Entry{
		user("go"), call("a", "book", `{"a":"0123456789","b":"01234567890123456789","c":"too long by one","d":"fits"}`), result("a", "x"), call("b", "book", `{"user":"bob"}`),
		call("last", "t", `{}`), result("last", "y"), tools(policy), failed("b", "no"),
	}
	sees(t, project(t, entries...), "user: go", "call last t {}", "result last [2 earlier calls not shown: book 0123456789 01234567890123456789 fits, bob]\ny")
}

// Of many calls the last ones are told, which say how things stand.
func TestP5OfManyFoldedCallsTheLastAreTold(t *testing.T) {
	commands := []string{"ls", "git fetch origin", "cat a.go", "git status", "git add -A", "git commit -m 'Turn the oven down'", "git push origin main"}
	entries := []tenfold.Entry{user("go"), call("0", "Read", `{"file_path":"src/a.go"}`), result("0", "x")}
	for i, c := range commands {
		id := strconv.Itoa(i + 1)
		entries = append(entries, call(id, "Bash", `{"command":"`+c+`"}`), result(id, "x"))
	}
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 8, From: 2, To: 17}}})
	policy.Primary = primary
	entries = append(entries, call("last", "t", `{}`), result("last", "y"), tools(policy))
	sees(t, project(t, entries...), "user: go", "call last t {}",
		"result last [8 earlier calls not shown: …; Bash cat a.go, git status, git add -A, git commit -m 'Turn the oven down', git push origin main]\ny")
}

// Of a long command line the names of its files are told before where they lie.
func TestP5FoldedCommandsNameTheirFiles(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, From: 2, To: 3}}})
	policy.Primary = primary
	for command, want := range map[string]string{
		"cat src/a.go":     "cat src/a.go",
		`C:\\w\\src\\a.go`: "a.go", // as JSON has it
		"sed -n '760,940p' src/components/sessions/treeView.ts":       "sed -n '760,940p' …/treeView.ts",
		"head -5 /srv/one/two/three/four/a.go b.go src/five/six/c.go": "head -5 …/a.go b.go …/c.go",
		"grep -rn 'func/of/many/words/that/are/one' src/five/a.go":    "grep -rn…",
		"curl -s https://example.org/a/long/way/to/a/page.html":       "curl -s https://example.org/a/long/way/…",
		"ls /srv/one/two/three/four/five/six/seven/eight/":            "ls…",
		"diff a/" + strings.Repeat("b", 60):                           "diff…",
	} {
		sees(t, project(t, user("go"), call("a", "Bash", `{"command":"`+command+`"}`), result("a", "x"), call("last", "t", `{}`), result("last", "y"), tools(policy)),
			"user: go", "call last t {}", "result last [1 earlier call not shown: Bash "+want+"]\ny")
	}
}

// Calls that say nothing of what they are about are told beside others that do.
func TestP5FoldedCallsWithoutANameAreTold(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 2, From: 2, To: 5}}})
	policy.Primary = primary
	for arguments, want := range map[string]string{`{}`: "Bash ls, …", `{"command":"ls"}`: "Bash ls ×2"} {
		sees(t, project(t, user("go"), call("a", "Bash", `{"command":"ls"}`), result("a", "x"), call("b", "Bash", arguments), result("b", "x"),
			call("last", "t", `{}`), result("last", "y"), tools(policy)),
			"user: go", "call last t {}", "result last [2 earlier calls not shown: "+want+"]\ny")
	}
}

// Calls that name their files within a patch, or in each of several edits, are told by these.
func TestP5FoldedCallsNameTheFilesOfPatches(t *testing.T) {
	policy := rest(tenfold.Omit, map[string]tenfold.CallPolicy{"last": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, From: 2, To: 3}}})
	policy.Primary = map[string][]string{tenfold.AnyTool: {"path", "paths"}}
	long := strings.Repeat("new ", 60)
	for arguments, want := range map[string]string{
		`{"input":"*** Begin Patch\n*** Update File: src/a.go\n+` + long + `\n*** Add File: b.go\n*** End Patch"}`:                                "edit a.go, b.go",
		`{"input":"*** Begin Patch\n*** Update File: a.go\n+` + long + `\n*** Update File: a.go\n*** End Patch"}`:                                 "edit a.go",
		`{"input":"*** Begin Patch\n*** Update File: ` + strings.Repeat("a", 30) + `.go\n+` + long + `\n*** Add File: bakery.go\n*** End Patch"}`: "edit " + strings.Repeat("a", 30) + ".go, …",
		`{"patterns":[{"new":"` + long + `","paths":["src/a.go"]},{"new":"x","paths":["src/b.go","src/a.go"]}]}`:                                  "edit a.go, b.go",
		`{"patterns":[{"new":"` + long + `","of":"src/a.go"}]}`:                                                                                   "edit",
	} {
		p := project(t, user("go"), call("a", "edit", arguments), result("a", "x"), call("last", "t", `{}`), result("last", "y"), tools(policy))
		sees(t, p, "user: go", "call last t {}", "result last [1 earlier call not shown: "+want+"]\ny")
	}
}

func TestP5HoldsForGeneratedLogs(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		clean := tenfold.NewLog()
		for e := range l.Entries() {
			if !e.Payload.Kind().Visible() && e.Payload.Kind() != tenfold.KindTurnStart {
				continue
			}
			if _, err := clean.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		p := tenfold.Project(clean).With(tenfold.Compaction{ToTurn: 1 << 20, ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Strip, Request: true, Response: true, Primary: primary,
		}})
		logtest.HoldStubs(t, p)
	})
}
