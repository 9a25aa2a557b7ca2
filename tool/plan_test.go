package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/tool"
)

func known(t *testing.T, name string) tool.Tool {
	t.Helper()
	k, ok := tool.Lookup(name)
	if !ok {
		t.Fatalf("%s is not in the table", name)
	}
	return k
}

func TestPlansOfTheAgents(t *testing.T) {
	two := []tool.PlanItem{{Text: "read it", Status: "completed"}, {Text: "change it", Status: "in_progress"}}
	for _, c := range []struct {
		name, arguments string
		want            tool.Plan
		ok              bool
	}{
		{"TodoWrite", `{"todos":[{"content":"read it","status":"completed","activeForm":"Reading"},{"content":"change it","status":"in_progress"}]}`, tool.Plan{Items: two}, true},
		{"TodoWrite", `{"todos":["odd",{"id":"2","content":"x","status":"pending"}]}`, tool.Plan{Items: []tool.PlanItem{{Text: "odd"}, {ID: "2", Text: "x", Status: "pending"}}}, true},
		{"TodoWrite", `{"todos":[]}`, tool.Plan{Items: []tool.PlanItem{}}, true},
		{"TodoRead", `{}`, tool.Plan{}, false},
		{"update_plan", `{"explanation":"e","plan":[{"step":"read it","status":"completed"},{"step":"change it","status":"in_progress"}]}`, tool.Plan{Items: two}, true},
		{"write_todos", `{"todos":[{"description":"read it","status":"completed"},{"description":"change it","status":"in_progress"}]}`, tool.Plan{Items: two}, true},
		{"todowrite", `{"todos":"[{\"content\":\"read it\",\"status\":\"completed\"},{\"content\":\"change it\",\"status\":\"in_progress\"}]"}`, tool.Plan{Items: two}, true},
		{"todos", `{"todos":[{"content":"read it","status":"completed","active_form":"r"},{"content":"change it","status":"in_progress"}]}`, tool.Plan{Items: two}, true},
		{"todo_write", `{"todos":[{"id":"1","content":"a","status":"pending"}]}`, tool.Plan{Items: []tool.PlanItem{{ID: "1", Text: "a", Status: "pending"}}}, true},
		{"manage_todo_list", `{"operation":"write","todoList":[{"id":1,"title":"a","status":"not-started"}]}`, tool.Plan{Items: []tool.PlanItem{{ID: "1", Text: "a", Status: "pending"}}}, true},
		{"update_todo", `{"todos":"- [x] read it\n- [~] change it\nnot an item"}`, tool.Plan{Items: two}, true},
		{"update_todo_list", `{"todos":"[x] read it\n[-] change it"}`, tool.Plan{Items: two}, true},
		{"task_tracker", `{"command":"plan","task_list":[{"id":"1","title":"a","status":"todo","notes":"n"}]}`, tool.Plan{Items: []tool.PlanItem{{ID: "1", Text: "a", Status: "pending"}}}, true},
		{"task_tracker", `{"command":"view"}`, tool.Plan{}, false},
		{"TaskCreate", `{"subject":"s","description":"d"}`, tool.Plan{Items: []tool.PlanItem{{Text: "s"}}, Partial: true}, true},
		{"TaskUpdate", `{"taskId":"3","status":"completed"}`, tool.Plan{Items: []tool.PlanItem{{ID: "3", Status: "completed"}}, Partial: true}, true},
		{"TaskGet", `{"taskId":"3"}`, tool.Plan{}, false},
		{"ExitPlanMode", `{"plan":"# First this"}`, tool.Plan{Text: "# First this"}, true},
		{"AskUserQuestion", `{"questions":[]}`, tool.Plan{}, false},
		{"Bash", `{"command":"ls","todos":[]}`, tool.Plan{}, false},
		{"TodoWrite", `{"todos":[{"cont`, tool.Plan{}, false},
	} {
		got, ok := known(t, c.name).Plan(c.arguments)
		if ok != c.ok {
			t.Errorf("%s %s: %v", c.name, c.arguments, ok)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s %s: %s", c.name, c.arguments, d)
		}
	}
}

func TestPlanFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"PLAN.md": true, "w/todo.txt": true, "docs/plan-b.md": true, "docs/big.plan.md": true, `C:\w\plans\oven.md`: true,
		"plans/oven.txt": false, "planet.md": false, "plan.go": false, "src/plan/a.md": false, "": false,
	} {
		if got := tool.IsPlanFile(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

func TestQuestionsAndSkills(t *testing.T) {
	for _, c := range []struct {
		name, arguments string
		want            []string
	}{
		{"AskUserQuestion", `{"questions":[{"question":"A?","header":"h"},{"question":"B?"}]}`, []string{"A?", "B?"}},
		{"request_user_input", `{"questions":[{"id":"x","question":"A?"}]}`, []string{"A?"}},
		{"ask_user", `{"question":"A?","choices":["x"]}`, []string{"A?"}},
		{"ask_followup_question", `{"question":"A?"}`, []string{"A?"}},
		{"exit_plan_mode", `{"summary":"S"}`, []string{"S"}},
		{"ExitPlanMode", `{"plan":"P"}`, []string{"P"}},
		{"question", `{"questions":`, nil},
		{"Bash", `{"question":"A?"}`, nil},
	} {
		if d := cmp.Diff(c.want, known(t, c.name).Questions(c.arguments)); d != "" {
			t.Errorf("%s %s: %s", c.name, c.arguments, d)
		}
	}
	for _, c := range [][3]string{
		{"Skill", `{"skill":"review","args":"x"}`, "review"},
		{"Skill", `{"command":"review"}`, "review"},
		{"skill", `{"name":"review"}`, "review"},
		{"activate_skill", `{"name":"review"}`, "review"},
		{"fetch_instructions", `{"task":"create_mode"}`, "create_mode"},
		{"Bash", `{"command":"review"}`, ""},
	} {
		if got := known(t, c[0]).Skill(c[1]); got != c[2] {
			t.Errorf("%s %s loads %q", c[0], c[1], got)
		}
	}
	if !known(t, "finish").Ends() || known(t, "think").Ends() {
		t.Error("finish ends a task, think does not")
	}
}

func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name, arguments string
		want            []tool.FileOperation
	}{
		{"Read", `{"file_path":"/a"}`, []tool.FileOperation{{"/a", tool.FileRead}}},
		{"Edit", `{"file_path":"/a"}`, []tool.FileOperation{{"/a", tool.FileModified}}},
		{"Write", `{"file_path":"/a"}`, []tool.FileOperation{{"/a", tool.FileWritten}}},
		{"fs_create_file", `{"path":"a"}`, []tool.FileOperation{{"a", tool.FileCreated}}},
		{"fs_delete_file", `{"path":"a"}`, []tool.FileOperation{{"a", tool.FileDeleted}}},
		{"str_replace_editor", `{"command":"create","path":"/a"}`, []tool.FileOperation{{"/a", tool.FileCreated}}},
		{"str_replace_editor", `{"command":"view","path":"/a"}`, []tool.FileOperation{{"/a", tool.FileRead}}},
		{"bash", `{"command":"cd /r && cat a"}`, []tool.FileOperation{{"/r/a", tool.FileRead}}},
		{
			"apply_patch", `"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n*** Add File: c\n+*** Delete File: no\n*** Delete File: d\n*** End Patch"`,
			[]tool.FileOperation{{"a", tool.FileDeleted}, {"b", tool.FileCreated}, {"c", tool.FileCreated}, {"d", tool.FileDeleted}},
		},
		{"Grep", `{"path":"/a"}`, nil},
	} {
		if d := cmp.Diff(c.want, known(t, c.name).Operations(c.arguments)); d != "" {
			t.Errorf("%s %s: %s", c.name, c.arguments, d)
		}
	}
	if command, dir := known(t, "exec_command").Command(`{"cmd":"make","workdir":"/r"}`); command != "make" || dir != "/r" {
		t.Errorf("%q in %q", command, dir)
	}
	if command, _ := known(t, "Read").Command(`{"command":"make"}`); command != "" {
		t.Errorf("a read runs %q", command)
	}
}
