package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F5: a plan file that was read or written lately stays in its newest version; an
// older version, a plan that was left long ago, and other files do not.
func TestF5PlanFilesThatAreWorkedOnStay(t *testing.T) {
	plan := "# Plan\n- [x] parse\n- [ ] print\n"
	log := func(turns int, calls ...tenfold.Payload) *tenfold.Log {
		l := tenfold.NewLog()
		add := func(p tenfold.Payload) {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		add(tenfold.TurnStart{})
		add(tenfold.UserMessage{Parts: tenfold.Text("begin")})
		for _, c := range calls {
			add(c)
		}
		for range turns {
			add(tenfold.TurnStart{})
			add(tenfold.UserMessage{Parts: tenfold.Text("go on")})
			add(tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 200)})
		}
		return l
	}
	read := func(id, path, text string) []tenfold.Payload {
		return []tenfold.Payload{
			tenfold.ToolCall{CallID: id, Name: "Read", Arguments: `{"file_path":"` + path + `"}`},
			tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)},
		}
	}
	both := append(read("1", "/w/PLAN.md", "# Plan\n- [ ] parse\n"), read("2", "/w/PLAN.md", plan)...)
	write := []tenfold.Payload{
		tenfold.ToolCall{CallID: "1", Name: "Write", Arguments: `{"file_path":"/w/docs/plan-b.md","content":"` + strings.ReplaceAll(plan, "\n", `\n`) + `"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("written")},
	}
	for name, c := range map[string]struct {
		log   *tenfold.Log
		stays bool
	}{
		"read twice":          {log(2, both...), true},
		"written":             {log(2, write...), true},
		"of Claude Code":      {log(1, read("1", "/home/x/.claude/plans/happy-fox.md", plan)...), true},
		"left long ago":       {log(9, both...), false},
		"another file":        {log(1, read("1", "/w/planet.md", plan)...), false},
		"too long for a part": {log(1, read("1", "/w/todo.md", plan+strings.Repeat("- [ ] one more thing to do\n", 2000))...), false},
	} {
		p := always(c.log)
		var view strings.Builder
		for it := range p.Items() {
			view.WriteString(tenfold.SearchText(it.Payload) + "\n")
		}
		text := view.String()
		if stays := strings.Contains(text, "[x] parse") && strings.Contains(text, "[ ] print"); stays != c.stays {
			t.Errorf("%s: stays is %v in\n%s", name, stays, text)
		}
		if strings.Contains(text, "[ ] parse") {
			t.Errorf("%s: an older version stays in\n%s", name, text)
		}
		if name == "too long for a part" && !strings.Contains(text, "todo.md") {
			t.Errorf("%s: the path is gone from\n%s", name, text)
		}
	}
}

// F5, item 10: images of the turn under way stay, those that were typed and those
// that tools showed; where there are too many the newest do, and of the others the
// path says how to see them again.
func TestF5ImagesOfTheOpenRequestStay(t *testing.T) {
	l := tenfold.NewLog()
	add := func(p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	image := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "screen.png", MediaType: "image/png", URI: "data:image/png;base64," + strings.Repeat("QUJD", 2000)}}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("an old picture"), image}})
	add(tenfold.AssistantMessage{Text: strings.Repeat("words and more ", 3000)})
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("why is this red?"), image}})
	for _, name := range []string{"a", "b", "c", "d"} {
		add(tenfold.ToolCall{CallID: name, Name: "Read", Arguments: `{"file_path":"/w/` + name + `.png"}`})
		add(tenfold.ToolResult{CallID: name, Parts: []tenfold.Part{image}})
		add(tenfold.AssistantMessage{Text: "I see"})
	}
	add(tenfold.AssistantMessage{Text: "done"})
	s, err := strategy.Parse("fit:target=7000")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := strategy.Pipeline{s}.Plan(t.Context(), tenfold.Project(l), strategy.Options{Range: everything(l)})
	if err != nil {
		t.Fatal(err)
	}
	typed, shown, paths := map[string]bool{}, []string{}, ""
	for it := range plan.View().Items() {
		switch p := it.Payload.(type) {
		case tenfold.UserMessage:
			for _, part := range p.Parts {
				typed[tenfold.TextLines(p)] = typed[tenfold.TextLines(p)] || part.File != nil
			}
		case tenfold.ToolCall:
			paths += p.Arguments
		case tenfold.ToolResult:
			for _, part := range p.Parts {
				if part.File != nil {
					shown = append(shown, p.CallID)
				}
			}
		}
	}
	for text, has := range typed {
		if strings.Contains(text, "red?") != has {
			t.Errorf("%q has its image: %v", text, has)
		}
	}
	if got := strings.Join(shown, ""); !strings.HasSuffix(got, "d") || len(got) == 4 {
		t.Errorf("the images of %q stay", got)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if !strings.Contains(paths, "/w/"+name+".png") {
			t.Errorf("nothing says where %s is: %s", name, paths)
		}
	}
}
