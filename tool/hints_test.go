package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/tool"
)

// The table of cli.md for the built-in tools, and Claude Code's of the same
// kinds.
func TestH1BuiltinHints(t *testing.T) {
	const keep, strip = tenfold.Keep, tenfold.Strip
	for names, want := range map[[2]string]tenfold.Hint{
		{"fs_read_file", "Read"}:         {Request: keep, Response: strip},
		{"fs_grep_files", "Grep"}:        {Request: keep, Response: strip},
		{"fs_list_files", "Glob"}:        {Request: keep, Response: strip},
		{"git_diff", "git_diff"}:         {Request: keep, Response: strip},
		{"shell", "Bash"}:                {Request: keep, Response: strip},
		{"fs_create_file", "Write"}:      {Request: strip, Response: keep},
		{"fs_modify_file", "Edit"}:       {Request: strip, Response: strip},
		{"git_commit", "git_commit"}:     {Request: strip, Response: keep},
		{"AskUserQuestion", "Skill"}:     {Request: keep, Response: keep},
		{"TodoWrite", "EnterPlanMode"}:   {Request: keep, Response: strip},
		{"TaskCreate", "TaskUpdate"}:     {Request: keep, Response: strip},
		{"ExitPlanMode", "ExitPlanMode"}: {Request: keep, Response: keep},
	} {
		for _, name := range names {
			if got := tool.Settings(nil).Hints()[name]; got != want {
				t.Errorf("%s has %+v, want %+v", name, got, want)
			}
		}
	}
}

func TestForPicksTheToolsInUse(t *testing.T) {
	hints := tool.Hints{"a": {Request: tenfold.Keep}, "b": {Response: tenfold.Keep}}
	want := map[string]tenfold.Hint{"a": {Request: tenfold.Keep}}
	if d := cmp.Diff(want, hints.For([]string{"a", "c"})); d != "" {
		t.Error(d)
	}
	if got := hints.For([]string{"c"}); got != nil {
		t.Errorf("no tool of ours gives %v, want nil", got)
	}
	given := tool.Settings(nil).Hints()
	given["shell"] = tenfold.Hint{}
	if tool.Settings(nil).Hints()["shell"] == (tenfold.Hint{}) {
		t.Error("a caller's change reached the table")
	}
}
