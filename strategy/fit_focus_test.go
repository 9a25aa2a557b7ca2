package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/token"
)

// twoSubjects is a log of many reads of files of two subjects, where all else is
// alike, and of answers in prose about each.
func twoSubjects(t *testing.T) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	add := func(p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("look at everything")})
	for i := range 30 {
		for _, subject := range []string{"billing", "auth"} {
			id := fmt.Sprintf("%s%d", subject, i)
			add(tenfold.ToolCall{CallID: id, Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"/src/%s/part%d.go"}`, subject, i)})
			var text strings.Builder
			for n := range 12 {
				fmt.Fprintf(&text, "func %sStep%d_%d(input int) int {\n\treturn input + %d // of %s\n}\n\n", subject, i, n, n*i+1000, subject)
			}
			add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text.String())})
			add(tenfold.AssistantMessage{Text: fmt.Sprintf("Part %d is fine.\nWhat was decided on %s there holds.", i, subject)})
		}
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("and now go on")})
	add(tenfold.AssistantMessage{Text: "done"})
	return l
}

// F5, and focus without a model: of two subjects that are alike in all else, the
// one in focus fills the view; without a focus neither does. The note says how much
// was found.
func TestFocusFillsTheViewOfAFit(t *testing.T) {
	l := twoSubjects(t)
	p := tenfold.Project(l)
	part := 0
	seen := func(focus string) (auth, billing int, notes string) {
		part = 0
		s, err := strategy.Parse("fit:target=15%")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := strategy.Pipeline{s}.Plan(t.Context(), p, strategy.Options{Range: everything(l), Focus: focus})
		if err != nil {
			t.Fatal(err)
		}
		if plan.After > p.Tokens()*15/100 {
			t.Errorf("with the focus %q the target is missed: %d of %d tokens", focus, plan.After, p.Tokens())
		}
		for it := range plan.View().Items() {
			text := tenfold.SearchText(it.Payload)
			auth += strings.Count(text, "auth")
			billing += strings.Count(text, "billing")
			part += strings.Count(text, "billingStep7_")
		}
		return auth, billing, strings.Join(plan.Steps[0].Notes, "\n")
	}
	auth, billing, notes := seen("")
	if auth > 3*billing || billing > 3*auth || strings.Contains(notes, "focus") {
		t.Fatalf("without a focus: %d and %d, %q", auth, billing, notes)
	}
	if auth, billing, notes = seen("the auth module"); auth < 3*billing {
		t.Errorf("in focus %d, beside it %d", auth, billing)
	}
	if !strings.Contains(notes, "the focus is about 553 lines of the conversation, and ") {
		t.Error(notes)
	}
	if seen("/src/billing/part7.go"); part < 12 {
		t.Errorf("of the file in focus %d of 12 functions stand", part)
	}
	if _, _, notes = seen("zymurgy"); !strings.Contains(notes, "nothing in the conversation is about the focus") {
		t.Error(notes)
	}
}
