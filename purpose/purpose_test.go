package purpose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tenfold"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

func TestL11WhatHostsPutInIsNoRequest(t *testing.T) {
	for text, want := range map[string]tenfold.Purpose{
		"fix the build":              tenfold.Request,
		"":                           tenfold.Request,
		"<b>bold</b> words":          tenfold.Request,
		"<skills> are what I lack":   tenfold.Request,
		"# AGENTS.md is out of date": tenfold.Request,

		"OBSERVATION:\nnever mind: no such file":  tenfold.Notice,
		"EXECUTION RESULT of [bash]:\nnever mind": tenfold.Notice,
		"OBSERVATION: it fails":                   tenfold.Request,

		"<path>/src/a.go</path>\n<type>file</type>\n<content>\n1: never do it\n</content>":      tenfold.Notice,
		"<path>/src/a.go</path>\n<type>file</type>\n<content>\n1: x\n</content>\n\nnever do it": tenfold.Request,
		"<file>\n00001| never do it\n</file>":                                                   tenfold.Notice,
		"<file>\nnever do it\n</file>":                                                          tenfold.Request,
		"<path>/src/a.go</path> is wrong":                                                       tenfold.Request,

		"<system-reminder>\nContents of /src/CLAUDE.md:\n\nUse tabs.\n</system-reminder>":                                  tenfold.Context,
		"<system-reminder>\nSessionStart hook additional context: Be brief.\n</system-reminder>":                           tenfold.Context,
		"<system-reminder>\nPostToolUse:Edit hook additional context: A server runs.\n</system-reminder>":                  tenfold.Notice,
		"<system-reminder>\nNote: main.go changed on disk since you last read it.\n</system-reminder>":                     tenfold.Notice,
		"# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>":                                  tenfold.Context,
		"<environment_context>\n<cwd>/src</cwd>\n</environment_context>":                                                   tenfold.Context,
		"<user_instructions>\nsay </user_instructions> twice\n</user_instructions>":                                        tenfold.Context,
		"<permissions instructions>\nAsk first.\n</permissions instructions>":                                              tenfold.Context,
		"<skill>\n<name>deploy</name>\ncut off":                                                                            tenfold.Context,
		"<skill-context name=\"deploy\">\nHow.\n</skill-context>":                                                          tenfold.Context,
		"Base directory for this skill: /skills/deploy\n\n# Deploy":                                                        tenfold.Context,
		"<turn_aborted>\nThe user interrupted.\n</turn_aborted>":                                                           tenfold.Notice,
		"[Request interrupted by user for tool use]":                                                                       tenfold.Notice,
		"<local-command-stdout>Set model</local-command-stdout>":                                                           tenfold.Notice,
		"<command-name>/clear</command-name>\n<command-message>clear</command-message>":                                    tenfold.Notice,
		"<command-name>/model</command-name>\n<command-args>opus</command-args>":                                           tenfold.Notice,
		"<bash-input>git status</bash-input>":                                                                              tenfold.Notice,
		"<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>":                                                      tenfold.Notice,
		"<task-notification>\n<task-id>1</task-id>\n</task-notification>":                                                  tenfold.Notice,
		"<task-notification>\n<task-id>1</task-id>\n</task-notification>\nFull transcript available at: /tmp/1.output":     tenfold.Notice,
		"<task-notification>\n<task-id>1</task-id>\n</task-notification>\nRead the output file to retrieve the result: /1": tenfold.Notice,
		"<command-message>review is running</command-message>\n<command-name>/review</command-name>":                       tenfold.Request,
		"<system-reminder>\nThe user sent the following message:\nnever push\n</system-reminder>":                          tenfold.Request,
		"<environment_context>\n<cwd>/</cwd>\n</environment_context>\n\nfix it":                                            tenfold.Request,
		"<system-reminder>\nBe brief.\n</system-reminder>\n<system-reminder>\nNote: x changed</system-reminder>":           tenfold.Context,
	} {
		if got := OfText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestL11WhatAPersonSaidIsFoundInAMixedMessage(t *testing.T) {
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"words after a notice":    {[]string{"<task-notification>\nx\n</task-notification>\nFull transcript available at: /tmp/1\n\nfix it"}, "fix it"},
		"a reminder after it":     {[]string{"fix it\n\n<system-reminder>\nBe brief.\n</system-reminder>"}, "fix it"},
		"a date before it":        {[]string{"<current_datetime>2026</current_datetime>\n\nfix it\n\n<system_reminder>\nx\n</system_reminder>"}, "fix it"},
		"parts of both":           {[]string{"<environment_context>\nx\n</environment_context>", "fix it", "<environment_details>\ny\n</environment_details>"}, "fix it"},
		"two parts of theirs":     {[]string{"look", "and fix"}, "look\nand fix"},
		"a task":                  {[]string{"<task>\nfix it\n</task>"}, "fix it"},
		"an answer":               {[]string{"[ask_followup_question for 'ok?'] Result:\n<answer>\nyes\n</answer>"}, "yes"},
		"of a refusal":            {[]string{"The user denied this operation and provided the following feedback:\n<feedback>\nnot a\n</feedback>"}, "not a"},
		"of a task resumed":       {[]string{"[TASK RESUMPTION] It was interrupted.\n\nNew instructions for task continuation:\n<user_message>\ngo on\n</user_message>"}, "go on"},
		"about a tag":             {[]string{"The user sees <answer>x</answer> there"}, "The user sees <answer>x</answer> there"},
		"an editor's list":        {[]string{"# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex:\nfix it\n"}, "fix it"},
		"typed while it worked":   {[]string{"<system-reminder>\nThe user sent a new message while you were working:\nnever push\n\nIMPORTANT: After completing your current task, do.\n</system-reminder>"}, "never push"},
		"without a reminder":      {[]string{"The user sent a new message while you were working:\nnever push\n\nThis is how Claude Code surfaces messages the user sends mid-turn."}, "never push"},
		"about such a message":    {[]string{"The user sent a new message while you were working: why?"}, "The user sent a new message while you were working: why?"},
		"a command and its words": {[]string{"<command-message>fix is running</command-message>\n<command-name>/fix</command-name>\n<command-args>the login</command-args>"}, "/fix the login"},
		"a command without words": {[]string{"<command-message>review is running</command-message>\n<command-name>/review</command-name>"}, "/review"},
		"around which nothing is": {[]string{"<feedback>not a</feedback> is what I said"}, "<feedback>not a</feedback> is what I said"},
		"beside what a host adds": {[]string{"[plan] Result:\n<feedback>not a</feedback>\n\n<files/>"}, "not a"},
		"a command of the host":   {[]string{"<command-name>/compact</command-name>\n<command-args>keep it</command-args>"}, ""},
	} {
		m := tenfold.UserMessage{}
		for _, text := range c.parts {
			m.Parts = append(m.Parts, tenfold.TextPart(text))
		}
		if got := Said(m); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Said(tenfold.UserMessage{Parts: tenfold.Text("fix it"), Synthetic: true}); got != "" {
		t.Errorf("a synthetic message says %q", got)
	}
}

func TestL11WhateverAPersonSaysBetweenBlocksIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching(`[a-z]{1,8}( [a-z/.]{1,8}){0,6}`).Draw(t, "words")
		blocks := []string{"<system-reminder>\nBe brief.\n</system-reminder>", "<environment_context>\n<cwd>/</cwd>\n</environment_context>", "<current_datetime>1</current_datetime>"}
		var list []string
		for range rapid.IntRange(0, 3).Draw(t, "before") {
			list = append(list, rapid.SampledFrom(blocks).Draw(t, "block"))
		}
		list = append(list, words)
		for range rapid.IntRange(0, 3).Draw(t, "after") {
			list = append(list, rapid.SampledFrom(blocks).Draw(t, "block"))
		}
		if got := Said(tenfold.UserMessage{Parts: tenfold.Text(strings.Join(list, "\n\n"))}); got != words {
			t.Fatalf("%q: %q, want %q", list, got, words)
		}
	})
}

func TestL11TitlesAreMadeOfRequests(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the build.":                   "Fix the build.",
		"/review":                          "",
		"/review the  login\nform":         "the login form",
		"/etc/hosts is wrong":              "/etc/hosts is wrong",
		"## Plan\n\n- one":                 "Plan - one",
		"Do this:\n\n# Plan: a tree\n> it": "Do this: Plan: a tree it",
		"should we close https://example.com/o/name/issues/1263 as done?": "should we close …/issues/1263 as done?",
		"see https://example.com/o/name/runs/27737304307/?tab=2":          "see …/runs/27737304307",
		"see https://example.com/a":                                       "see https://example.com/a",
		"see https://example.com/?next=" + strings.Repeat("x", 50):        "see…",
		"<bash-input>ls</bash-input>":                                     "",
		"Tenfold: 6.7k → 1.2k tokens, turn 0 trimmed; undo: tenfold conversation undo 4bab\n[The 20 messages below replace the conversation up to here.]\n[Earlier parts are shortened: \"[compacted]\" stands for a result, \"…\" for text; long arguments are left out. Files may have changed: read again before an edit.]\nCount.": "Count.",
		"Tenfold: undo it\nat once":    "Tenfold: undo it at once",
		strings.Repeat("word ", 30):    strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
		strings.Repeat("läuft", 20):    strings.Repeat("läuft", 11) + "läuf…",
		strings.Repeat("x", 60):        strings.Repeat("x", 60),
		"a " + strings.Repeat("x", 58): "a " + strings.Repeat("x", 58),
	} {
		got := Title(tenfold.UserMessage{Parts: tenfold.Text(text)})
		if got != want || utf8.RuneCountInString(got) > TitleWidth {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The words of a title are those of the text, as many as there is room for.
func TestL11TitlesHoldAsManyWordsAsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zä]{1,20}`), 1, 20).Draw(t, "words")
		got := Title(tenfold.UserMessage{Parts: tenfold.Text(strings.Join(words, " "))})
		want := strings.Join(words, " ")
		for n := len(words) - 1; utf8.RuneCountInString(want) > TitleWidth; n-- {
			want = strings.Join(words[:n], " ") + "…"
		}
		if got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// A host's block may quote its own closing tag where the table says so, and a name that
// only begins like one of a host's is a person's.
func TestL11TagsEndWhereTheyEnd(t *testing.T) {
	for _, tag := range tags {
		end := "</" + tag.name + ">"
		text := "<" + tag.name + ">a " + end + " b" + end
		if got := Said(tenfold.UserMessage{Parts: tenfold.Text(text)}); (got == "") != tag.quotes {
			t.Errorf("in %q a person says %q", text, got)
		}
		text = "<" + tag.name + "x> is mine" + end
		if got := Said(tenfold.UserMessage{Parts: tenfold.Text(text)}); got != text {
			t.Errorf("in %q a person says %q", text, got)
		}
	}
	skill := "Base directory for this skill: /s\n\nEnd with </INSTRUCTIONS>\n\nDeploy by hand."
	if got := OfText(skill); got != tenfold.Context {
		t.Errorf("a skill is %q", got)
	}
	file := tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: "a.go"}}
	notice := tenfold.TextPart("<ide_opened_file>a.go</ide_opened_file>")
	for synthetic, want := range map[bool]tenfold.Purpose{false: tenfold.Request, true: tenfold.Notice} {
		if got := Of(tenfold.UserMessage{Parts: []tenfold.Part{file, notice}, Synthetic: synthetic}); got != want {
			t.Errorf("a file in a message, synthetic %t, is %q", synthetic, got)
		}
	}
}

func TestSpeaks(t *testing.T) {
	for text, want := range map[string]bool{"": false, " \n": false, "</div>": false, "Done.": true, "</div>\n\nDone.": true, "<p>Done.</p>": true} {
		if got := Speaks(text); got != want {
			t.Errorf("%q speaks: %t", text, got)
		}
	}
}

func TestL11WhatAHostPutAroundIsToldApart(t *testing.T) {
	for text, want := range map[string][2]string{
		"<current_datetime>2026</current_datetime>\n\nfix  it\n\n<system_reminder>\nx\n</system_reminder>": {"fix  it", "<current_datetime>2026</current_datetime>\n<system_reminder>\nx\n</system_reminder>"},
		"<system-reminder>\nBe brief.\n</system-reminder>":                                                 {"", "<system-reminder>\nBe brief.\n</system-reminder>"},
		"  fix it\n":              {"  fix it\n", ""},
		"<task>\nfix it\n</task>": {"<task>\nfix it\n</task>", ""},
		"<command-name>/fix</command-name>\n<command-args>the login</command-args>": {"<command-name>/fix</command-name>\n<command-args>the login</command-args>", ""},
	} {
		if said, host := Apart(text); said != want[0] || host != want[1] {
			t.Errorf("%q is %q and %q, want %q", text, said, host, want)
		}
	}
}
