package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// What a person answered, or said of a call that was refused, stays as messages
// do; of a long call that was refused only what was said.
func TestS13aAnswersAndRefusalsStay(t *testing.T) {
	said := "The user doesn't want to proceed. To tell you how to proceed, the user said:|never touch the vendor directory"
	lines := []string{"t", "u change things", "c 1 AskUserQuestion {\"questions\":[]}", "r 1 take the second way"}
	lines = append(lines, "c 2 Write {\"file_path\":\"a/one.go\",\"content\":\""+strings.Repeat("line after line\\n", 300)+"\"}", "e 2 "+said)
	lines = append(lines, "c 3 Bash {\"command\":\"rm -r build\"}", "e 3 "+said, "c 4 Bash {\"command\":\"ls\"}", "r 4 *400", "c 5 Keep_me {}", "r 5 *400", "c 6 Ask {}", "r 6 *4000")
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("c n%d Bash {}", i), fmt.Sprintf("r n%d *200", i))
	}
	l := script(t, append(lines, "a so far")...)
	yes := true
	p := strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l), Tools: tool.Settings{"Keep_me": {Exempt: &yes}}})
	got := payloads(p)
	for _, seq := range []int64{4, 6, 8, 12} {
		e, _ := l.Entry(seq)
		want := tenfold.TextLines(e.Payload)
		if got[seq] == nil || !strings.Contains(tenfold.TextLines(got[seq]), want) {
			t.Errorf("result %d is %v", seq, got[seq])
		}
	}
	if call, ok := got[5].(tenfold.ToolCall); !ok || len(call.Arguments) > 200 || !strings.Contains(call.Arguments, "a/one.go") {
		t.Errorf("the refused call is %v", got[5])
	}
	if got[10] != nil || got[14] != nil {
		t.Errorf("what nobody said, or is long, stays: %v, %v", got[10], got[14])
	}
}

// L11: what demands something in a file that a message names is code, not what the
// person demands: it does not always stay.
func TestL11AnAttachedFileDemandsNothing(t *testing.T) {
	file := "<path>/w/oven.go</path>\n<type>file</type>\n<content>\n" + strings.Repeat("plain words of a file and more of them\n", 300) +
		"// Never heat the oven twice.\n" + strings.Repeat("plain words of a file and more of them\n", 300) + "</content>"
	l := tenfold.NewLog()
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("Move it to @oven.go\nAlways keep the door shut.\n"), tenfold.TextPart(file)}},
		tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 400)},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("go on")},
		tenfold.AssistantMessage{Text: "done"},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	shown := strings.Join(texted(plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=200,without=blocks").View()), "\n")
	if !strings.Contains(shown, "Always keep the door shut.") || strings.Contains(shown, "Never heat") {
		t.Errorf("%s", shown)
	}
}
