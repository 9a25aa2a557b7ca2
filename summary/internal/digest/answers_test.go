package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/summary/internal/digest"
)

// M4a: a question and its answer stand on one line, whatever the host wraps
// around them, and a short answer with what it answers.
func TestM4aQuestionAndAnswer(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"Claude Code", []string{`c 1 AskUserQuestion {"questions":[{"question":"Which port?"},{"question":"Which host?"}]}`, `r 1 Your questions have been answered: "Which port?"="7443" selected preview:\n┌──┐, "Which host?"="localhost, or none". You can now continue with these answers in mind.`}, "- turn 0, to `Which port?`: > 7443\n- turn 0, to `Which host?`: > localhost, or none\n"},
		{"Codex", []string{`c 1 request_user_input {"questions":[{"id":"p","question":"Which port?"}]}`, `r 1 {"answers":{"p":{"answers":["7443"]}}}`}, "- turn 0, to `Which port?`: > 7443\n"},
		{"Copilot", []string{`c 1 ask_user {"question":"Which port?"}`, "r 1 User selected: 7443"}, "- turn 0, to `Which port?`: > 7443\n"},
		{"Cline", []string{`c 1 ask_followup_question {"question":"Which port?"}`, `r 1 <answer>\n7443\n</answer>`}, "- turn 0, to `Which port?`: > 7443\n"},
		{"Cline, with its heading", []string{`c 1 ask_followup_question {"question":"Which port?"}`, `r 1 [ask_followup_question for 'Which port?'] Result:\n<answer>\n7443\n</answer>`}, "- turn 0, to `Which port?`: > 7443\n"},
		{"in words", []string{"a I found two ports.\\nShall I take 7443?", "t", "u yes"}, "- turn 1, to `Shall I take 7443?`: > yes\n"},
		{"in Chinese", []string{"a 找到两个端口。\\n用 7443 可以吗？", "t", "u 可以，先这样"}, "- turn 1, to `用 7443 可以吗？`: > 可以，先这样\n"},
		{"in Japanese", []string{"a 7443 にしますか？", "t", "u はい、お願いします"}, "- turn 1, to `7443 にしますか？`: > はい、お願いします\n"},
		{"in Korean", []string{"a 7443을 쓸까요?", "t", "u 네, 그렇게 해 주세요"}, "- turn 1, to `7443을 쓸까요?`: > 네, 그렇게 해 주세요\n"},
		{"in Portuguese", []string{"a Uso a porta 7443?", "t", "u pode usar"}, "- turn 1, to `Uso a porta 7443?`: > pode usar\n"},
		{"in Italian", []string{"a Prendo la 7443?", "t", "u sì, procedi"}, "- turn 1, to `Prendo la 7443?`: > sì, procedi\n"},
		{"in French", []string{"a Je prends 7443 ?", "t", "u d'accord, vas-y"}, "- turn 1, to `Je prends 7443 ?`: > d'accord, vas-y\n"},
		{"in Spanish", []string{"a ¿Tomo el 7443?", "t", "u dale"}, "- turn 1, to `¿Tomo el 7443?`: > dale\n"},
		{"in Russian", []string{"a Взять 7443?", "t", "u да"}, "- turn 1, to `Взять 7443?`: > да\n"},
		{"in Arabic", []string{"a هل آخذ 7443؟", "t", "u نعم، تابع"}, "- turn 1, to `هل آخذ 7443؟`: > نعم، تابع\n"},
		{"a demand in Chinese", []string{"a 用 7443 可以吗？", "t", "u 不要用端口 7443"}, "- turn 1:\n  > 不要用端口 7443\n"},
		{"of a proposal", []string{"a Here it is.\\n\\n**Framework**: LangGraph\\n```\\n1. code\\n```\\n1. Use its image\\n2. Build **thin** layers\\n\\nDoes this approach work for you?", "t", "u ok"}, "- turn 1, to `Framework: LangGraph; 1. Use its image; 2. Build thin layers; Does this approach work for you?`: > ok\n"},
		{"of a thing that is named", []string{"a 1. one\\n2. two\\nShall I take 7443?", "t", "u ok"}, "- turn 1, to `Shall I take 7443?`: > ok\n"},
		{"no", []string{"a 1. one\\n2. two\\nIs this fine?", "t", "u no"}, "- turn 1, to `1. one; 2. two; Is this fine?`: > no\n"},
		{"in a sentence", []string{"a Five findings.\\nShall I fix them?", "a No response requested.", "t", "u yep, let's do this in 3 commits"}, "- turn 1, to `Shall I fix them?`: > yep, let's do this in 3 commits\n"},
		{"a number", []string{"a Which one do you want?\\n1. the first\\n2. the second", "t", "u 2"}, "- turn 1, to `2. the second`: > 2\n"},
		{"numbers of a list", []string{"a I would do this:\n1. **Warm** the oven\n2. Knead\n3. Bake", "t", "u ok", "a Done.", "t", "u then do 2+3 next, please, as far as you get with the flour that we have"}, "- turn 2, to `2. Knead; 3. Bake`: > then do 2+3 next, please, as far as you get with the flour that we have\n"},
		{"letters of a list", []string{"a I found:\n**A. A name** is wrong\n**B. Punycode** passes\n**C. README** is old", "t", "u let's just add tests, ignore A, do B and C too"}, "- turn 1, to `A. A name is wrong; B. Punycode passes; C. README is old`: > let's just add tests, ignore A, do B and C too\n"},
		{"a number of things", []string{"a I would do this:\n1. Warm the oven\n2. Knead", "t", "u 2 loaves are burnt, what happened to the oven that it was so hot?"}, "- turn 1:\n  > 2 loaves are burnt, what happened to the oven that it was so hot?\n"},
		{"an offer", []string{"a Done.\\n\\n- `runs/` is left. If you want, I can remove it too.", "t", "u remove it"}, "- turn 1, to `If you want, I can remove it too.`: > remove it\n"},
		{"instead of a call", []string{`c 1 Bash {"command":"rm -r old"}`, `e 1 The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nonly move it`}, "- turn 0, to `may I run Bash {\"command\":\"rm -r old\"}?`: > only move it\n"},
		{"of opencode", []string{`c 1 bash {"command":"rm -r old"}`, `e 1 The user rejected permission to use this specific tool call with the following feedback: only move it`}, "?`: > only move it\n"},
		{"of Copilot", []string{`c 1 bash {"command":"rm -r old"}`, `e 1 The user rejected this tool call. User feedback: only move it`}, "?`: > only move it\n"},
		{"of Cline", []string{`c 1 execute_command {"command":"rm -r old"}`, `r 1 The user denied this operation and provided the following feedback:\n<feedback>\nonly move it\n</feedback>`}, "?`: > only move it\n"},
		{"instead of an end", []string{`c 1 attempt_completion {"result":"Done"}`, `r 1 [attempt_completion] Result:\nThe user has provided feedback on the results. Consider it.\n<feedback>\nonly move it\n</feedback>`}, "?`: > only move it\n"},
		{"no answer", []string{`c 1 AskUserQuestion {"questions":[{"question":"Which port?"}]}`, `e 1 The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing.`}, "## What the user demanded\n- turn 0:\n  > Start it.\n"},
	} {
		lines := append([]string{"t", "u Start it."}, c.lines...)
		text := digestOfLines(t, append(lines, "t", "u Go on with the rest of it.")...)
		if !strings.Contains(text+"\n", c.want) {
			t.Errorf("%s: it has no %q:\n%s", c.name, c.want, text)
		}
	}
}

// M4a: a call that the person refused without a word is no open error.
func TestM4aARefusalIsNoError(t *testing.T) {
	for _, refused := range []string{"exec command rejected by user", "patch rejected by user"} {
		text := digestOfLines(t, "t", "u Start it.", `c 1 exec_command {"cmd":"rm -r old"}`, "e 1 "+refused, "t", "u Go on with the rest of it.")
		if strings.Contains(text, "rejected") {
			t.Errorf("%s:\n%s", refused, text)
		}
	}
}

// M4a: of a log that a person pasted the first errors are told.
func TestM4aTheErrorsOfAPastedLogAreTold(t *testing.T) {
	info := strings.Repeat(`08:10 INFO all is well and the oven is as hot as it should be\n`, 60)
	for _, then := range []string{"a so far", "t", "t"} {
		text := ledgerOf(entriesOf(t, "t", `u Why?\n`+info+`08:50 ERROR [oven] no flour\n08:51 ERROR [oven] no flour\n`+info, then, "u go on")).Text(1500)
		if !strings.Contains(text, "> 08:50 ERROR [oven] no flour\n") || strings.Contains(text, "08:51") {
			t.Errorf("told is\n%s", text)
		}
	}
}

// M4a: the last request is quoted whole where there is room, though it is long; else its
// beginning, its end and what it demands are, and nothing of it twice.
func TestM4aALongLastRequest(t *testing.T) {
	var long strings.Builder
	for n := range 40 {
		fmt.Fprintf(&long, "%d. The oven of bakery %d is too warm for the bread in it.\n", n, n)
	}
	long.WriteString("You must never open it.")
	request := requestOfLines(t, "t", "u Start it.", "t", "u "+strings.ReplaceAll(long.String(), "\n", "\\n"), "a I will.")
	for _, tt := range []struct {
		tokens int
		whole  bool
	}{{8000, true}, {700, false}} {
		text := digested(t, digest.Digest{Tokens: tt.tokens}, request)
		if got := strings.Contains(text, "bakery 38 ") && !strings.Contains(text, "from a longer message"); got != tt.whole {
			t.Errorf("in %d tokens it is whole: %v\n%s", tt.tokens, got, text)
		}
		for _, line := range []string{"bakery 0 ", "You must never open it."} {
			if n := strings.Count(text, line); n != 1 {
				t.Errorf("in %d tokens %q stands %d times:\n%s", tt.tokens, line, n, text)
			}
		}
	}
}

// P9: a long message of the turn that the range ends inside of stands in the view, and is
// not quoted again; of a whole turn it is.
func TestP9WhatStandsInTheViewIsNotQuoted(t *testing.T) {
	long := strings.Repeat("The oven of the bakery is too warm for the bread in it. ", 20) + "You must never open it."
	request := requestOfLines(t, "t", "u "+long, "a I start.", "t", "u "+strings.Replace(long, "open it", "shut it", 1), `c 1 Bash {"command":"make"}`, "r 1 done", "a I go on.")
	step := 0
	for _, tt := range []struct {
		to    *int
		again bool
	}{{nil, true}, {&step, false}} {
		request.Range.ToStep = tt.to
		for what, text := range map[string]string{
			"digest": digested(t, digest.Digest{Tokens: 8000}, request),
			"facts":  digest.LedgerOf(request).Text(8000),
		} {
			if got := strings.Contains(text, "You must never shut it."); got != tt.again {
				t.Errorf("%s: quoted again is %v:\n%s", what, got, text)
			}
			if got := strings.Contains(text, "- last request, turn 1: a longer message, shown outside this summary\n"); got == tt.again {
				t.Errorf("%s: told to stand outside is %v:\n%s", what, got, text)
			}
			if !strings.Contains(text, "You must never open it.") {
				t.Errorf("%s: it has not what turn 0 demands:\n%s", what, text)
			}
		}
		got := strings.Join(digest.FactsOf(request).Constraints(), "\n")
		if strings.Contains(got, "never shut it.") != tt.again || !strings.Contains(got, "never open it.") {
			t.Errorf("constraints %q", got)
		}
	}
}

// P9: so is a short one that is longer than what says so; one that is shorter is quoted.
func TestP9AShortMessageInTheViewIsNotQuoted(t *testing.T) {
	step := 0
	for said, again := range map[string]bool{"Heat the oven.": true, "Heat the oven, and then bake all the bread that stands beside it, the brown one first.": false} {
		request := requestOfLines(t, "t", "u Begin.", "a I did.", "t", "u "+said, `c 1 Bash {"command":"make"}`, "r 1 done", "a I go on.")
		for _, to := range []*int{nil, &step} {
			request.Range.ToStep = to
			text := digested(t, digest.Digest{Tokens: 8000}, request)
			if got := strings.Contains(text, "> "+said); got != (again || to == nil) {
				t.Errorf("quoted again is %v:\n%s", got, text)
			}
			if got := strings.Contains(text, "- last request, turn 1: shown outside this summary\n"); got == (again || to == nil) {
				t.Errorf("told to stand outside is %v:\n%s", got, text)
			}
		}
	}
	// An answer stands in the result of a call, which may be cut.
	answer := strings.Repeat("Heat the oven and bake bread. ", 4)
	request := requestOfLines(t, "t", "u Begin.", "t", "u Go on.", `c 1 AskUserQuestion {"questions":[{"question":"What now?"}]}`, `r 1 Your questions have been answered: "What now?"="`+answer+`".`, "a I do.")
	request.Range.ToStep = &step
	holds(t, digested(t, digest.Digest{Tokens: 8000}, request), []string{strings.TrimSpace(answer)}, nil)
}
