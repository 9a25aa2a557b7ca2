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

// Of a question of an earlier turn stays the answer alone where that says what was asked: the
// options that were offered take much room.
func TestS13aAnswersThatSayWhatWasAskedStandAlone(t *testing.T) {
	asked := func(id string) string {
		return "c " + id + ` AskUserQuestion {"questions":[{"question":"Which oven?","options":[{"label":"The red one","description":"` + strings.Repeat("It is hot. ", 30) + `"}]}]}`
	}
	l := script(t, "t", "u bake", asked("1"), `r 1 You answered: "Which oven?"="The red one".`, asked("2"), "r 2 The red one.", "c 3 Bash {}", "r 3 *400", "a so far",
		"t", "u go on", asked("4"), `r 4 You answered: "Which oven?"="The red one".`, "c 5 Bash {}", "r 5 *400", "a end")
	got := payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))
	for seq, whole := range map[int64]bool{3: false, 5: true, 12: true} {
		call, ok := got[seq].(tenfold.ToolCall)
		if !ok || strings.Contains(call.Arguments, "It is hot.") != whole {
			t.Errorf("question %d is %v", seq, got[seq])
		}
		if answer, ok := got[seq+1].(tenfold.ToolResult); !ok || !strings.Contains(tenfold.TextLines(answer), "The red one") {
			t.Errorf("answer %d is %v", seq+1, got[seq+1])
		}
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
