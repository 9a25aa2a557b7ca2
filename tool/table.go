package tool

import (
	"strings"
	"sync"

	"tenfold"
)

// The arguments that hold a path, as the agents spell them.
const (
	filePath = "file_path|filePath|path|absolute_path|filename|target_file"
	dirPath  = "path|dir_path|dir|directory"
)

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
// of our own. What a row leaves out comes from its kind.
var rows = []Tool{
	// Our own, and JP's.
	{Name: "fs_read_file", Kind: Reads, Agents: ours, Path: filePath},
	{Name: "fs_list_files", Kind: Lists, Agents: ours, Path: dirPath},
	{Name: "fs_grep_files", Kind: Searches, Agents: ours},
	{Name: "fs_create_file", Kind: Writes, Agents: ours, Path: filePath},
	{Name: "fs_modify_file", Kind: Edits, Agents: ours, Path: filePath + "|paths"},
	{Name: "fs_delete_file", Kind: Edits, Agents: jp, Path: filePath + "|paths"},
	{Name: "fs_move_file", Kind: Acts, Agents: jp},
	{Name: "fs_grep_user_docs", Kind: Searches, Agents: jp},
	{Name: "shell", Kind: Shell, Agents: ours + " " + codex},
	{Name: "git_diff", Kind: Searches, Agents: ours},
	{Name: "git_log", Kind: Searches, Agents: jp},
	{Name: "git_show", Kind: Searches, Agents: jp},
	{Name: "git_list_patches", Kind: Searches, Agents: jp},
	{Name: "git_stage_patch", Kind: Acts, Agents: jp},
	{Name: "git_commit", Kind: Acts, Agents: ours, Hint: writes},
	{Name: "cargo_check", Kind: Checks, Agents: jp},
	{Name: "cargo_test", Kind: Acts, Agents: jp, Hint: looks},
	{Name: "cargo_format", Kind: Acts, Agents: jp},
	{Name: "github_read_file", Kind: Fetches, Agents: jp},
	{Name: "github_code_search", Kind: Fetches, Agents: jp},
	{Name: "github_issues", Kind: Fetches, Agents: jp},
	{Name: "github_pulls", Kind: Fetches, Agents: jp},
	{Name: "compact", Kind: Thinks, Agents: "tenfold"},
	{Name: "recall", Kind: Thinks, Agents: "tenfold"},

	{Name: "Read", Kind: Reads, Agents: claude, Path: filePath, Limit: 2000},
	{Name: "NotebookRead", Kind: Reads, Agents: claude, Path: "notebook_path"},
	{Name: "LS", Kind: Lists, Agents: claude, Path: dirPath},
	{Name: "Glob", Kind: Lists, Agents: claude, Path: dirPath},
	{Name: "Grep", Kind: Searches, Agents: claude, Path: dirPath},
	{Name: "Edit", Kind: Edits, Agents: claude, Path: filePath},
	{Name: "MultiEdit", Kind: Edits, Agents: claude, Path: filePath},
	{Name: "NotebookEdit", Kind: Edits, Agents: claude, Path: "notebook_path"},
	{Name: "Write", Kind: Writes, Agents: claude, Path: filePath},
	{Name: "Bash", Kind: Shell, Agents: claude},
	{Name: "PowerShell", Kind: Shell, Agents: claude},
	{Name: "BashOutput", Kind: Thinks, Agents: claude, Hint: looks},
	{Name: "KillBash", Kind: Acts, Agents: claude},
	{Name: "KillShell", Kind: Acts, Agents: claude},
	{Name: "WebFetch", Kind: Fetches, Agents: claude},
	{Name: "WebSearch", Kind: Fetches, Agents: claude},
	{Name: "ToolSearch", Kind: Thinks, Agents: claude},
	{Name: "Task", Kind: Acts, Agents: claude, Exempt: true},
	{Name: "Agent", Kind: Acts, Agents: claude, Exempt: true},
	{Name: "TaskOutput", Kind: Plans, Agents: claude},
	{Name: "TaskStop", Kind: Acts, Agents: claude, Exempt: true},
	{Name: "TaskCreate", Kind: Plans, Agents: claude},
	{Name: "TaskUpdate", Kind: Plans, Agents: claude},
	{Name: "TaskList", Kind: Plans, Agents: claude},
	{Name: "TaskGet", Kind: Plans, Agents: claude},
	{Name: "TodoWrite", Kind: Plans, Agents: claude},
	{Name: "TodoRead", Kind: Plans, Agents: claude},
	{Name: "EnterPlanMode", Kind: Plans, Agents: claude},
	{Name: "ExitPlanMode", Kind: Asks, Agents: claude},
	{Name: "AskUserQuestion", Kind: Asks, Agents: claude},
	{Name: "Skill", Kind: Skills, Agents: claude},
	{Name: "SendMessage", Kind: Acts, Agents: claude},

	{Name: "shell_command", Kind: Shell, Agents: codex},
	{Name: "exec_command", Kind: Shell, Agents: codex},
	{Name: "local_shell", Kind: Shell, Agents: codex},
	{Name: "write_stdin", Kind: Acts, Agents: codex},
	{Name: "apply_patch", Kind: Patches, Agents: codex + " " + open + " " + copilot},
	{Name: "update_plan", Kind: Plans, Agents: codex},
	{Name: "view_image", Kind: Reads, Agents: codex + " " + swe, Path: filePath},
	{Name: "list_dir", Kind: Lists, Agents: codex, Path: dirPath},
	{Name: "grep_files", Kind: Searches, Agents: codex, Path: dirPath},
	{Name: "web_search", Kind: Fetches, Agents: codex + " " + copilot},
	{Name: "request_user_input", Kind: Asks, Agents: codex},
	{Name: "ask_question", Kind: Asks, Agents: codex},

	// OpenCode, pi, crush and Copilot share names.
	{Name: "read", Kind: Reads, Agents: open + " " + pi, Path: filePath, Limit: 2000},
	{Name: "edit", Kind: Edits, Agents: everyone + " " + swe, Path: filePath},
	{Name: "write", Kind: Writes, Agents: shared, Path: filePath},
	{Name: "multiedit", Kind: Edits, Agents: open + " " + crush, Path: filePath},
	{Name: "patch", Kind: Patches, Agents: open},
	{Name: "bash", Kind: Shell, Agents: everyone + " " + swe},
	{Name: "grep", Kind: Searches, Agents: everyone + " " + hands, Path: dirPath},
	{Name: "glob", Kind: Lists, Agents: everyone + " " + gemini, Path: dirPath},
	{Name: "list", Kind: Lists, Agents: open, Path: dirPath},
	{Name: "ls", Kind: Lists, Agents: pi + " " + crush, Path: dirPath},
	{Name: "find", Kind: Lists, Agents: pi, Path: dirPath},
	{Name: "todowrite", Kind: Plans, Agents: open},
	{Name: "todoread", Kind: Plans, Agents: open},
	{Name: "task", Kind: Acts, Agents: open + " " + copilot, Exempt: true},
	{Name: "question", Kind: Asks, Agents: open},
	{Name: "skill", Kind: Skills, Agents: open + " " + copilot},
	{Name: "webfetch", Kind: Fetches, Agents: open},
	{Name: "websearch", Kind: Fetches, Agents: open},
	{Name: "codesearch", Kind: Fetches, Agents: open},
	{Name: "lsp", Kind: Searches, Agents: open},
	{Name: "view", Kind: Reads, Agents: copilot + " " + crush, Path: filePath, FromZero: true},
	{Name: "todos", Kind: Plans, Agents: crush},
	{Name: "agent", Kind: Acts, Agents: crush, Exempt: true},
	{Name: "fetch", Kind: Fetches, Agents: crush + " " + hands},
	{Name: "sourcegraph", Kind: Fetches, Agents: crush},
	{Name: "diagnostics", Kind: Checks, Agents: crush},
	{Name: "job_output", Kind: Thinks, Agents: crush, Hint: looks},
	{Name: "job_kill", Kind: Acts, Agents: crush},
	{Name: "download", Kind: Writes, Agents: crush, Path: filePath},
	{Name: "create", Kind: Writes, Agents: copilot + " " + swe, Path: filePath},
	{Name: "rg", Kind: Searches, Agents: copilot},
	{Name: "sql", Kind: Acts, Agents: copilot},
	{Name: "report_intent", Kind: Thinks, Agents: copilot},
	{Name: "ask_user", Kind: Asks, Agents: copilot + " " + gemini},
	{Name: "exit_plan_mode", Kind: Asks, Agents: copilot + " " + gemini},
	{Name: "update_todo", Kind: Plans, Agents: copilot},
	{Name: "read_bash", Kind: Thinks, Agents: copilot, Hint: looks},
	{Name: "write_bash", Kind: Acts, Agents: copilot},
	{Name: "stop_bash", Kind: Acts, Agents: copilot},

	{Name: "read_file", Kind: Reads, Agents: gemini + " " + codex + " " + roo, Path: filePath + "|files|args", Limit: 2000, FromZero: true},
	{Name: "read_many_files", Kind: Searches, Agents: gemini},
	{Name: "list_directory", Kind: Lists, Agents: gemini, Path: dirPath},
	{Name: "grep_search", Kind: Searches, Agents: gemini, Path: dirPath},
	{Name: "search_file_content", Kind: Searches, Agents: gemini, Path: dirPath},
	{Name: "replace", Kind: Edits, Agents: gemini, Path: filePath},
	{Name: "write_file", Kind: Writes, Agents: gemini, Path: filePath},
	{Name: "run_shell_command", Kind: Shell, Agents: gemini},
	{Name: "web_fetch", Kind: Fetches, Agents: gemini + " " + copilot},
	{Name: "google_web_search", Kind: Fetches, Agents: gemini},
	{Name: "save_memory", Kind: Plans, Agents: gemini},
	{Name: "write_todos", Kind: Plans, Agents: gemini},
	{Name: "todo_write", Kind: Plans, Agents: "qwen-code amp"},
	{Name: "todo_read", Kind: Plans, Agents: "qwen-code amp"},
	{Name: "manage_todo_list", Kind: Plans, Agents: copilot},
	{Name: "activate_skill", Kind: Skills, Agents: gemini},
	{Name: "enter_plan_mode", Kind: Plans, Agents: gemini},
	{Name: "invoke_agent", Kind: Acts, Agents: gemini, Exempt: true},
	{Name: "complete_task", Kind: Thinks, Agents: gemini},

	{Name: "str_replace_editor", Kind: Editor, Agents: swe + " " + hands + " " + copilot, Path: filePath},
	{Name: "str_replace_based_edit_tool", Kind: Editor, Agents: swe, Path: filePath},
	{Name: "file_editor", Kind: Editor, Agents: hands, Path: filePath},
	{Name: "open", Kind: Thinks, Agents: swe, Hint: looks},
	{Name: "goto", Kind: Thinks, Agents: swe, Hint: looks},
	{Name: "scroll_up", Kind: Thinks, Agents: swe, Hint: looks},
	{Name: "scroll_down", Kind: Thinks, Agents: swe, Hint: looks},
	{Name: "insert", Kind: Edits, Agents: swe, Path: filePath},
	{Name: "find_file", Kind: Lists, Agents: swe, Path: dirPath},
	{Name: "search_dir", Kind: Searches, Agents: swe, Path: dirPath},
	{Name: "search_file", Kind: Thinks, Agents: swe, Hint: looks},
	{Name: "submit", Kind: Thinks, Agents: swe},
	{Name: "execute_bash", Kind: Shell, Agents: hands},
	{Name: "terminal", Kind: Shell, Agents: hands},
	{Name: "execute_ipython_cell", Kind: Acts, Agents: hands},
	{Name: "think", Kind: Thinks, Agents: hands},
	{Name: "finish", Kind: Thinks, Agents: hands},
	{Name: "task_tracker", Kind: Plans, Agents: hands},

	{Name: "write_to_file", Kind: Writes, Agents: roo, Path: filePath},
	{Name: "replace_in_file", Kind: Edits, Agents: roo, Path: filePath},
	{Name: "apply_diff", Kind: Edits, Agents: roo, Path: filePath},
	{Name: "insert_content", Kind: Edits, Agents: roo, Path: filePath},
	{Name: "search_and_replace", Kind: Edits, Agents: roo, Path: filePath},
	{Name: "search_files", Kind: Searches, Agents: roo, Path: dirPath},
	{Name: "codebase_search", Kind: Searches, Agents: roo, Path: dirPath},
	{Name: "list_files", Kind: Lists, Agents: roo, Path: dirPath},
	{Name: "list_code_definition_names", Kind: Searches, Agents: roo, Path: dirPath},
	{Name: "execute_command", Kind: Shell, Agents: roo},
	{Name: "browser_action", Kind: Acts, Agents: roo},
	{Name: "use_mcp_tool", Kind: Acts, Agents: roo},
	{Name: "ask_followup_question", Kind: Asks, Agents: roo},
	{Name: "plan_mode_respond", Kind: Asks, Agents: roo},
	{Name: "attempt_completion", Kind: Thinks, Agents: roo},
	{Name: "update_todo_list", Kind: Plans, Agents: roo},
	{Name: "fetch_instructions", Kind: Skills, Agents: roo},
	{Name: "new_task", Kind: Acts, Agents: roo, Exempt: true},
	{Name: "switch_mode", Kind: Thinks, Agents: roo},
}

// table is the rows by name, folded by lower-case name: the first of a kind. They
// are made when they are first asked for: most commands never do.
var (
	table  = sync.OnceValue(func() map[string]Tool { return byName(func(name string) string { return name }) })
	folded = sync.OnceValue(func() map[string]Tool { return byName(strings.ToLower) })
)

func byName(key func(string) string) map[string]Tool {
	m := make(map[string]Tool, len(rows))
	for _, t := range rows {
		if _, have := m[key(t.Name)]; !have {
			m[key(t.Name)] = t.filled()
		}
	}
	return m
}

// filled adds what a tool's kind says and its row does not.
func (t Tool) filled() Tool {
	var hint tenfold.Hint
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
	if t.Hint == (tenfold.Hint{}) {
		t.Hint = hint
	}
	return t
}
