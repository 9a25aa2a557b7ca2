package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// longSteps is a conversation whose last step thinks much and reads a long file.
func longSteps(t *testing.T, payloads ...tenfold.Payload) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "line_%d := call_%d(value)\n", i, i)
	}
	all := []tenfold.Payload{tenfold.TurnStart{}}
	all = append(all, payloads...)
	all = append(all, tenfold.UserMessage{Parts: tenfold.Text("read all of it")})
	for i := range 4 {
		id := fmt.Sprint(i)
		all = append(
			all,
			tenfold.Reasoning{Text: strings.Repeat("what could it be? ", 100)},
			tenfold.ToolCall{CallID: id, Name: "Read", Arguments: `{"file_path":"/w/file` + id + `.go"}`},
			tenfold.ToolResult{CallID: id, Parts: tenfold.Text("begin " + id + "\n" + text.String() + "end " + id)},
		)
	}
	for _, p := range all {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// F5: a step that is all there is gives way as well, whether or not a person has
// spoken since: a file that fills the window would end the conversation.
func TestF5TheOnlyStepGivesWayWhereItIsLarge(t *testing.T) {
	for _, more := range [][]string{nil, {"t", "u go on"}} {
		l := script(t, append([]string{"t", "u read both", `c 1 Read {"file_path":"/a.go"}`, `c 2 Read {"file_path":"/b.go"}`, "r 1 first *4000", "r 2 second *4000"}, more...)...)
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=20%")
		if !made.Fitted.Met() || len(made.Compactions) != 1 {
			t.Fatalf("%v: %s %+v", more, made.Nothing, made.Fitted)
		}
		got := shown(made.View())
		for _, want := range []string{"read both", "/a.go", "/b.go"} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: %q is gone from\n%s", more, want, got)
			}
		}
	}
}

// F5: a last step over its part of the target keeps its call, and of the result how
// it begins and ends and what was chosen; of its thoughts what a provider requires.
// A last step within its part stays whole, thoughts included.
func TestF5TheLastStepGivesWayWhereItIsLarge(t *testing.T) {
	l := longSteps(t)
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=20%")
	if !made.Fitted.Met() || len(made.Compactions) != 1 {
		t.Fatalf("%+v", made.Fitted)
	}
	var text strings.Builder
	for it := range made.View().Items() {
		text.WriteString(tenfold.SearchText(it.Payload) + "\n")
	}
	for _, want := range []string{"/w/file3.go", "begin 3", "line_1 :=", "end 3", "read all of it"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is gone from\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "what could it be") {
		t.Errorf("thoughts stand in\n%s", text.String())
	}
	// Small beside the target.
	l = longSteps(t, tenfold.UserMessage{Parts: tenfold.Text("begin")}, tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 60_000)})
	made = plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=20%")
	for seq := l.Version() - 2; seq <= l.Version(); seq++ {
		if fate, _, _ := made.View().Fate(seq); fate != tenfold.Kept {
			t.Errorf("entry %d of a small last step is %v", seq, fate)
		}
	}
}

// B2: signed thoughts of the open loop go where what they are bound to gives way, and
// the calls stay.
func TestB2F5TheLastStepLosesSignedThoughtsWhole(t *testing.T) {
	l := tenfold.NewLog()
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("go")},
		tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 900)},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("on")},
		tenfold.Reasoning{Text: strings.Repeat("signed thought ", 80), Signature: "c2lnbmF0dXJl", Provider: "anthropic"},
		tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"file_path":"/w/file.go"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Repeat("a line of it\n", 500))},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=30%")
	if fate, _, _ := made.View().Fate(6); fate != tenfold.Omitted || made.View().Why(6) != tenfold.ReasonBound {
		t.Errorf("signed thoughts of the open loop are %v: %v", fate, made.View().Why(6))
	}
	if fate, _, _ := made.View().Fate(7); fate != tenfold.Kept {
		t.Errorf("the call is %v", fate)
	}
	if fate, _, _ := made.View().Fate(8); fate != tenfold.Trimmed {
		t.Errorf("the result is %v", fate)
	}
}

// F4: long standing instructions give way in the turn under way too, whose requests
// P9 shields; the request stays as it is.
func TestF4ContextOfTheOpenTurnGivesWay(t *testing.T) {
	rules := "# Rules\n\nNever push to main.\n\n" + strings.Repeat("Some words about the project and how it came about.\n\n", 400)
	l := longSteps(t, tenfold.UserMessage{Purpose: tenfold.Context, Parts: tenfold.Text(rules)})
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=10%")
	if !made.Fitted.Met() {
		t.Fatalf("%+v", made.Fitted)
	}
	if fate, _, tokens := made.View().Fate(2); fate != tenfold.Trimmed || tokens > 1100 {
		t.Errorf("the rules are %v and cost %d tokens", fate, tokens)
	}
	if fate, _, _ := made.View().Fate(3); fate != tenfold.Kept {
		t.Errorf("the request is %v", fate)
	}
	var text strings.Builder
	for it := range made.View().Items() {
		text.WriteString(tenfold.SearchText(it.Payload) + "\n")
	}
	if !strings.Contains(text.String(), "Never push to main.") {
		t.Errorf("the rule is gone from\n%s", text.String())
	}
}

// F4: what a command of the person's own printed gives way, also where it is the
// last of the log, in a turn whose requests P9 shields: it shows how it begins
// and ends.
func TestF4NoticesOfTheOpenTurnGiveWay(t *testing.T) {
	var printed strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&printed, "./objects/line %d of it\n", n)
	}
	for _, m := range []tenfold.UserMessage{{Purpose: tenfold.Notice}, {Synthetic: true}} {
		m.Parts = tenfold.Text(printed.String())
		l := longSteps(t, tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 900)})
		for _, p := range []tenfold.Payload{tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("ok")}, tenfold.AssistantMessage{Text: "Done."}, m} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=10%")
		if !made.Fitted.Met() {
			t.Errorf("missed: %+v", made.Fitted)
		}
		fate, _, _ := made.View().Fate(l.Version())
		var text string
		for it := range made.View().Items() {
			text = tenfold.SearchText(it.Payload)
		}
		if fate != tenfold.Trimmed || !strings.Contains(text, "line 0 of it") || !strings.Contains(text, "line 2999 of it") {
			t.Errorf("what it printed is %v: %q", fate, text[:min(len(text), 300)])
		}
	}
}

// F4, F5: of a last step whose result is one huge line, how that line begins stays: the
// target is met.
func TestF4AHugeLineOfTheLastStepGivesWay(t *testing.T) {
	l := longSteps(t)
	for _, p := range []tenfold.Payload{
		tenfold.ToolCall{CallID: "huge", Name: "Bash", Arguments: `{"command":"curl example.com"}`},
		tenfold.ToolResult{CallID: "huge", Parts: tenfold.Text("first_of_all " + strings.Repeat("word ", 20_000))},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=10%")
	if !made.Fitted.Met() || len(made.Compactions) != 1 {
		t.Fatalf("%+v", made.Fitted)
	}
	found := false
	for it := range made.View().Items() {
		found = found || strings.Contains(tenfold.SearchText(it.Payload), "first_of_all word")
	}
	if !found {
		t.Error("nothing of the line stands")
	}
}

// F5: a last message of the model that is most of the target keeps how it begins and ends
// and what was chosen; one within half of it stays whole.
func TestF5TheLastMessageGivesWayWhereItIsLarge(t *testing.T) {
	for lines, whole := range map[int]bool{40: true, 140: false} {
		var dump strings.Builder
		for i := range lines {
			fmt.Fprintf(&dump, "entry_%d = value_%d of the dump\n", i, i)
		}
		l := longSteps(t)
		for _, p := range []tenfold.Payload{
			tenfold.UserMessage{Parts: tenfold.Text("go on")},
			tenfold.AssistantMessage{Text: "It begins here.\n" + dump.String() + "It ends here."},
		} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=1k")
		if !made.Fitted.Met() {
			t.Fatalf("%d lines: %+v", lines, made.Fitted)
		}
		var text strings.Builder
		for it := range made.View().Items() {
			text.WriteString(tenfold.SearchText(it.Payload) + "\n")
		}
		got := text.String()
		for _, want := range []string{"It begins here.", "It ends here.", "read all of it"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d lines: %q is gone from\n%s", lines, want, got)
			}
		}
		if strings.Contains(got, dump.String()) != whole {
			t.Errorf("%d lines: whole is %v in\n%s", lines, !whole, got)
		}
	}
}
