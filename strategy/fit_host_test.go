package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// In a transcript without calls what commands printed stands in user's messages, all of
// one turn: they stay (P9), but for the target only how they begin, and what was chosen.
func TestF4OutputsInMessagesGiveWay(t *testing.T) {
	l := tenfold.NewLog()
	add := func(p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("find out why the oven is cold")})
	for i := range 20 {
		add(tenfold.AssistantMessage{Text: fmt.Sprintf("I look at shelf %d.", i)})
		add(tenfold.UserMessage{Synthetic: true, Purpose: tenfold.Notice, Parts: tenfold.Text("\n" + strings.Repeat("0", 900) + fmt.Sprintf("\n[shelf %d]\n", i) + strings.Repeat("words of no use to anybody at all\n", 40))})
	}
	add(tenfold.AssistantMessage{Text: "It is not plugged in."})
	p := tenfold.Project(l)
	made := plan(t, p, strategy.Options{}, "fit:target=20%")
	holdTarget(t, "outputs", p, made)
	if !made.Fitted.Met() || made.After*100 < made.Fitted.Target*92 {
		t.Errorf("%d tokens, and the target is %d: %+v", made.After, made.Fitted.Target, made.Fitted.Always)
	}
	shown := payloads(made.View())
	for seq := int64(4); seq < l.Version()-10; seq += 2 { // the last ones fill what is left
		m, _ := shown[seq].(tenfold.UserMessage)
		if want := fmt.Sprintf("[shelf %d]", (seq-4)/2); !strings.Contains(texts(m), want) || strings.Contains(texts(m), "000") {
			t.Errorf("message %d does not say %s: %q", seq, want, texts(m))
		}
	}
	for _, s := range made.Fitted.Always {
		if s.What == strategy.StandsMessages {
			t.Errorf("%d tokens of outputs are called the person's messages", s.Tokens)
		}
	}
}

// Of a long item of standing instructions that gives way the rule stays, and of what it is.
func TestF4TheRuleOfAnItemNamesTheItem(t *testing.T) {
	l := tenfold.NewLog()
	items := strings.Builder{}
	for _, name := range []string{"bread", "cake", "pie"} {
		items.WriteString("- bakery:" + name + ": " + strings.Repeat("Words about it that say little. ", 40) + "Always ask before " + name + " is thrown away. " + strings.Repeat("More of these words. ", 40) + "\n")
	}
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Purpose: tenfold.Context, Synthetic: true, Parts: tenfold.Text(items.String())},
		tenfold.UserMessage{Parts: tenfold.Text("bake")},
		tenfold.AssistantMessage{Text: strings.Repeat("I bake. ", 500)},
		tenfold.AssistantMessage{Text: "Done."},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := payloads(plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=300").View())[2].(tenfold.UserMessage)
	for _, name := range []string{"bread", "cake", "pie"} {
		item, rule, ok := strings.Cut(texts(m), "Always ask before "+name)
		if item = item[strings.LastIndexByte(item, '\n')+1:]; !ok || !strings.HasPrefix(item, "- bakery:"+name+": ") || len(item) > 200 {
			t.Errorf("the rule on %s stands as %q, %q", name, item, rule)
		}
	}
}

// F5: what a sub-agent was told to do stays in its view, though no person wrote it.
func TestF5TheTaskOfASubAgentStands(t *testing.T) {
	l := script(t, "t", "u look around", `c t task {"prompt":"look"}`)
	add := func(p tenfold.Payload) int64 {
		t.Helper()
		if _, err := l.Append(tenfold.Entry{Branch: "root.task3", Payload: p}); err != nil {
			t.Fatal(err)
		}
		return l.Version()
	}
	add(tenfold.Compaction{Strategy: "task", Turns: tenfold.Omit})
	task := add(tenfold.UserMessage{Parts: tenfold.Text("find the oven"), Synthetic: true})
	for i := range 20 {
		id := fmt.Sprint(i)
		add(tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"ls"}`})
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a file\n", 50))})
	}
	view := tenfold.ProjectBranch(l, "root.task3")
	if got := payloads(strategy.AlwaysStands(view, strategy.Options{Range: everything(l)})); got[task] == nil || got[2] != nil {
		t.Errorf("the task: %v, the person's request: %v", got[task], got[2])
	}
}
