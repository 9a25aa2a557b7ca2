package tool

import (
	"cmp"
	"strings"
	"sync"

	"tenfold"
)

// filePath names the arguments that hold a path, as the agents spell them.
const filePath = "file_path|filePath|path|absolute_path|filename|target_file"

// Agents whose tools have the names of others' besides their own.
const (
	claude   = "claude-code"
	codex    = "codex"
	open     = "opencode"
	pi       = "pi"
	gemini   = "gemini-cli"
	copilot  = "copilot-cli"
	swe      = "swe-agent"
	hands    = "openhands"
	jp       = "jp"
	roo      = "cline roo"
	crush    = "crush"
	ours     = "tenfold jp"
	shared   = open + " " + pi + " " + crush
	everyone = shared + " " + copilot
)

// rows is the table of the tools of the agents whose transcripts come in, and
// of our own: what tools have in common, and their names. What a row leaves out
// comes from its kind.
var rows = []struct {
	Tool
	names string
}{
	// Our own, and JP's.
	{Tool{Kind: Reads, Agents: ours}, "fs_read_file"},
	{Tool{Kind: Lists, Agents: ours}, "fs_list_files fs_find_files"},
	{Tool{Kind: Searches, Agents: ours}, "fs_grep_files git_diff"},
	{Tool{Kind: Writes, Agents: ours}, "fs_create_file"},
	{Tool{Kind: Edits, Agents: ours, Path: filePath + "|paths"}, "fs_modify_file"},
	{Tool{Kind: Edits, Agents: jp, Path: filePath + "|paths"}, "fs_delete_file"},
	{Tool{Kind: Acts, Agents: jp}, "fs_move_file git_stage_patch cargo_format"},
	{Tool{Kind: Searches, Agents: jp}, "fs_grep_user_docs git_log git_show git_list_patches"},
	{Tool{Kind: Shell, Agents: ours + " " + codex}, "shell"},
	{Tool{Kind: Acts, Agents: ours, Hint: writes}, "git_commit"},
	{Tool{Kind: Checks, Agents: jp}, "cargo_check"},
	{Tool{Kind: Acts, Agents: jp, Hint: looks}, "cargo_test"},
	{Tool{Kind: Fetches, Agents: jp}, "github_read_file github_code_search github_issues github_pulls"},
	{Tool{Kind: Thinks, Agents: "tenfold"}, "compact recall"},
	{Tool{Kind: Plans, Agents: "tenfold"}, "plan"},

	{Tool{Kind: Reads, Agents: claude, Limit: 2000}, "Read"},
	{Tool{Kind: Reads, Agents: claude, Path: "notebook_path"}, "NotebookRead"},
	{Tool{Kind: Lists, Agents: claude}, "LS Glob"},
	{Tool{Kind: Searches, Agents: claude}, "Grep"},
	{Tool{Kind: Edits, Agents: claude}, "Edit MultiEdit"},
	{Tool{Kind: Edits, Agents: claude, Path: "notebook_path"}, "NotebookEdit"},
	{Tool{Kind: Writes, Agents: claude}, "Write"},
	{Tool{Kind: Shell, Agents: claude}, "Bash PowerShell"},
	{Tool{Kind: Thinks, Agents: claude, Hint: looks}, "BashOutput"},
	{Tool{Kind: Acts, Agents: claude}, "KillBash KillShell SendMessage"},
	{Tool{Kind: Fetches, Agents: claude}, "WebFetch WebSearch"},
	{Tool{Kind: Thinks, Agents: claude}, "ToolSearch"},
	{Tool{Kind: Acts, Agents: claude, Exempt: true}, "Task Agent TaskStop"},
	{Tool{Kind: Plans, Agents: claude}, "TaskOutput TaskCreate TaskUpdate TaskList TaskGet TodoWrite TodoRead EnterPlanMode"},
	{Tool{Kind: Asks, Agents: claude}, "ExitPlanMode AskUserQuestion"},
	{Tool{Kind: Skills, Agents: claude}, "Skill"},

	{Tool{Kind: Shell, Agents: codex}, "shell_command exec_command local_shell"},
	{Tool{Kind: Acts, Agents: codex}, "write_stdin"},
	{Tool{Kind: Patches, Agents: codex + " " + open + " " + copilot}, "apply_patch"},
	{Tool{Kind: Plans, Agents: codex}, "update_plan"},
	{Tool{Kind: Reads, Agents: codex + " " + swe}, "view_image"},
	{Tool{Kind: Lists, Agents: codex}, "list_dir"},
	{Tool{Kind: Searches, Agents: codex}, "grep_files"},
	{Tool{Kind: Fetches, Agents: codex + " " + copilot}, "web_search"},
	{Tool{Kind: Asks, Agents: codex}, "request_user_input ask_question"},

	// OpenCode, pi, crush and Copilot share names.
	{Tool{Kind: Reads, Agents: open + " " + pi, Limit: 2000}, "read"},
	{Tool{Kind: Edits, Agents: everyone + " " + swe}, "edit"},
	{Tool{Kind: Writes, Agents: shared}, "write"},
	{Tool{Kind: Edits, Agents: open + " " + crush}, "multiedit"},
	{Tool{Kind: Patches, Agents: open}, "patch"},
	{Tool{Kind: Shell, Agents: everyone + " " + swe}, "bash"},
	{Tool{Kind: Searches, Agents: everyone + " " + hands}, "grep"},
	{Tool{Kind: Lists, Agents: everyone + " " + gemini}, "glob"},
	{Tool{Kind: Lists, Agents: open}, "list"},
	{Tool{Kind: Lists, Agents: pi + " " + crush}, "ls"},
	{Tool{Kind: Lists, Agents: pi}, "find"},
	{Tool{Kind: Plans, Agents: open}, "todowrite todoread"},
	{Tool{Kind: Acts, Agents: open + " " + copilot + " tenfold", Exempt: true}, "task"},
	{Tool{Kind: Asks, Agents: open}, "question"},
	{Tool{Kind: Skills, Agents: open + " " + copilot}, "skill"},
	{Tool{Kind: Fetches, Agents: open}, "webfetch websearch codesearch"},
	{Tool{Kind: Searches, Agents: open}, "lsp"},
	{Tool{Kind: Reads, Agents: copilot + " " + crush, FromZero: true}, "view"},
	{Tool{Kind: Plans, Agents: crush}, "todos"},
	{Tool{Kind: Acts, Agents: crush, Exempt: true}, "agent"},
	{Tool{Kind: Fetches, Agents: crush + " " + hands}, "fetch"},
	{Tool{Kind: Fetches, Agents: crush}, "sourcegraph"},
	{Tool{Kind: Checks, Agents: crush}, "diagnostics"},
	{Tool{Kind: Thinks, Agents: crush, Hint: looks}, "job_output"},
	{Tool{Kind: Acts, Agents: crush}, "job_kill"},
	{Tool{Kind: Writes, Agents: crush}, "download"},
	{Tool{Kind: Writes, Agents: copilot + " " + swe}, "create"},
	{Tool{Kind: Searches, Agents: copilot}, "rg"},
	{Tool{Kind: Acts, Agents: copilot}, "sql write_bash stop_bash"},
	{Tool{Kind: Thinks, Agents: copilot}, "report_intent"},
	{Tool{Kind: Asks, Agents: copilot + " " + gemini}, "ask_user exit_plan_mode"},
	{Tool{Kind: Plans, Agents: copilot}, "update_todo"},
	{Tool{Kind: Thinks, Agents: copilot, Hint: looks}, "read_bash"},

	{Tool{Kind: Reads, Agents: gemini + " " + codex + " " + roo, Path: filePath + "|files|args", Limit: 2000, FromZero: true}, "read_file"},
	{Tool{Kind: Searches, Agents: gemini}, "read_many_files grep_search search_file_content"},
	{Tool{Kind: Lists, Agents: gemini}, "list_directory"},
	{Tool{Kind: Edits, Agents: gemini}, "replace"},
	{Tool{Kind: Writes, Agents: gemini}, "write_file"},
	{Tool{Kind: Shell, Agents: gemini}, "run_shell_command"},
	{Tool{Kind: Fetches, Agents: gemini + " " + copilot}, "web_fetch"},
	{Tool{Kind: Fetches, Agents: gemini}, "google_web_search"},
	{Tool{Kind: Plans, Agents: gemini}, "save_memory write_todos enter_plan_mode"},
	{Tool{Kind: Plans, Agents: "qwen-code amp"}, "todo_write todo_read"},
	{Tool{Kind: Plans, Agents: copilot}, "manage_todo_list"},
	{Tool{Kind: Edits, Agents: "amp zed cursor"}, "edit_file"},
	{Tool{Kind: Writes, Agents: "amp zed " + copilot}, "create_file"},
	{Tool{Kind: Skills, Agents: gemini}, "activate_skill"},
	{Tool{Kind: Acts, Agents: gemini, Exempt: true}, "invoke_agent"},
	{Tool{Kind: Thinks, Agents: gemini}, "complete_task"},

	{Tool{Kind: Editor, Agents: swe + " " + hands + " " + copilot}, "str_replace_editor"},
	{Tool{Kind: Editor, Agents: swe}, "str_replace_based_edit_tool"},
	{Tool{Kind: Editor, Agents: hands}, "file_editor"},
	{Tool{Kind: Thinks, Agents: swe, Hint: looks}, "open goto scroll_up scroll_down search_file"},
	{Tool{Kind: Edits, Agents: swe}, "insert"},
	{Tool{Kind: Lists, Agents: swe}, "find_file"},
	{Tool{Kind: Searches, Agents: swe}, "search_dir"},
	{Tool{Kind: Thinks, Agents: swe}, "submit"},
	{Tool{Kind: Shell, Agents: hands}, "execute_bash terminal"},
	{Tool{Kind: Acts, Agents: hands}, "execute_ipython_cell"},
	{Tool{Kind: Thinks, Agents: hands}, "think finish"},
	{Tool{Kind: Plans, Agents: hands}, "task_tracker"},

	{Tool{Kind: Writes, Agents: roo}, "write_to_file"},
	{Tool{Kind: Edits, Agents: roo}, "replace_in_file apply_diff insert_content search_and_replace"},
	{Tool{Kind: Searches, Agents: roo}, "search_files codebase_search list_code_definition_names"},
	{Tool{Kind: Lists, Agents: roo}, "list_files"},
	{Tool{Kind: Shell, Agents: roo}, "execute_command"},
	{Tool{Kind: Acts, Agents: roo}, "browser_action use_mcp_tool"},
	{Tool{Kind: Asks, Agents: roo}, "ask_followup_question plan_mode_respond"},
	{Tool{Kind: Thinks, Agents: roo}, "attempt_completion switch_mode"},
	{Tool{Kind: Plans, Agents: roo}, "update_todo_list"},
	{Tool{Kind: Skills, Agents: roo}, "fetch_instructions"},
	{Tool{Kind: Acts, Agents: roo, Exempt: true}, "new_task"},
}

// tools are those of the rows, in their order. They are made when they are first
// asked for: most commands never do.
var tools = sync.OnceValue(func() []Tool {
	var all []Tool
	for _, row := range rows {
		for name := range strings.FieldsSeq(row.names) {
			t := row.filled()
			t.Name = name
			all = append(all, t)
		}
	}
	return all
})

// table is the tools by name, folded by lower-case name: the first of a kind.
var (
	table  = sync.OnceValue(func() map[string]Tool { return byName(func(name string) string { return name }) })
	folded = sync.OnceValue(func() map[string]Tool { return byName(strings.ToLower) })
)

func byName(key func(string) string) map[string]Tool {
	m := map[string]Tool{}
	for _, t := range tools() {
		if _, have := m[key(t.Name)]; !have {
			m[key(t.Name)] = t
		}
	}
	return m
}

// filled adds what a tool's kind says and its row does not.
func (t Tool) filled() Tool {
	var hint tenfold.Hint
	switch t.Kind {
	case Reads, Edits, Writes, Editor:
		t.Path = cmp.Or(t.Path, filePath)
	}
	switch t.Kind {
	case Reads:
		hint, t.Dedup, t.Subsumes = looks, DedupUnchanged, SubsumesLines
	case Lists, Searches, Checks, Fetches:
		hint, t.Dedup = looks, DedupUnchanged
	case Editor:
		// It writes whole files too: a request worth keeping and one that is
		// not have the same name, so there is no wish.
		t.Dedup, t.Subsumes = DedupUnchanged, SubsumesLines
	case Shell:
		hint = looks
	case Writes:
		hint = writes
	case Edits, Patches:
		hint = edits
	case Plans:
		hint, t.Exempt = plans, true
	case Asks, Skills:
		hint, t.Exempt = words, true
	}
	t.Hint = cmp.Or(t.Hint, hint)
	return t
}

// What the common kinds of tools wish for. Arguments that say where the model
// looked are short and worth keeping; bodies of files are long and, once
// written, to be found on disk. What a person answered, the state of a plan
// and a skill's instructions stand nowhere else.
var (
	looks  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Strip}
	writes = tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Keep}
	edits  = tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Strip}
	plans  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Strip}
	words  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Keep}
)
