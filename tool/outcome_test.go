package tool_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/tool"
)

// TestL12Wordings goes through what hosts write around an output, and through
// outputs that tell of exit codes themselves.
func TestL12Wordings(t *testing.T) {
	const (
		ok   = tenfold.Success
		bad  = tenfold.Failed
		none = tenfold.Outcome("")
	)
	for _, test := range []struct {
		host, tool string
		flag       tool.Flag
		isError    bool
		text       string
		want       tenfold.Outcome
	}{
		{"codex", "exec_command", tool.NoFlag, false, "Chunk ID: 1a2b3c\nWall time: 0.2 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nfine", ok},
		{"codex", "exec_command", tool.NoFlag, false, "Chunk ID: 1a2b3c\nWall time: 0.2 seconds\nProcess exited with code 101\nOriginal token count: 3\nOutput:\nerror", "exit 101"},
		{"codex", "exec_command", tool.NoFlag, false, "Wall time: 0.2 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 7\nExit code: 7", ok},
		{"codex, running", "exec_command", tool.NoFlag, false, "Chunk ID: 1a2b3c\nWall time: 10.0 seconds\nProcess running with session ID 71\nOriginal token count: 0\nOutput:\n", none},
		{"codex, a poll", "write_stdin", tool.NoFlag, false, "Chunk ID: 1a2b3c\nWall time: 1.0 seconds\nProcess exited with code 2\nOriginal token count: 0\nOutput:\n", "exit 2"},
		{"codex shell", "shell_command", tool.NoFlag, false, "Exit code: 1\nWall time: 0.2 seconds\nTotal output lines: 900\nOutput:\nred", "exit 1"},
		{"codex patch", "apply_patch", tool.NoFlag, false, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM a.go", ok},
		{"codex patch", "apply_patch", tool.NoFlag, false, "apply_patch verification failed: Failed to find expected lines in a.go:\nx", bad},
		{"old codex", "shell", tool.NoFlag, false, `{"output":"red\n","metadata":{"exit_code":2,"duration_seconds":0.1}}`, "exit 2"},
		{"old codex", "apply_patch", tool.NoFlag, false, `{"output":"Success.\n","metadata":{"exit_code":0,"duration_seconds":0.0}}`, ok},
		{"old codex, about another", "shell", tool.NoFlag, false, `{"output":"\"metadata\":{\"exit_code\":3}","metadata":{"exit_code":0,"duration_seconds":0.1}}`, ok},
		{"codex plan", "update_plan", tool.NoFlag, false, "Plan updated", ok},
		{"codex stopped", "exec_command", tool.NoFlag, false, "aborted by user after 3.1s", bad},
		{"codex code mode", "exec", tool.NoFlag, false, "Script completed\nWall time 0.5 seconds\nOutput:\n\nall green", none},
		{"codex code mode", "exec", tool.NoFlag, false, "Script failed\nWall time 0.5 seconds\nOutput:\n\nReferenceError", bad},
		{"codex code mode", "exec", tool.NoFlag, false, "Script running with cell ID 4\nWall time 10.0 seconds\nOutput:\n", none},
		{"a shell that nobody knows", "bash", tool.NoFlag, false, "all fine", none},
		{"a log that was read", "bash", tool.NoFlag, false, "Exit code 1\nand more", none},
		{"a log that was read", "bash", tool.FlagsTools, false, "make: done\nCommand exited with code 2", none},
		{"a log that was read", "Read", tool.NoFlag, false, "Exit code: 1\nWall time: 0.2 seconds\nOutput:\nred", none},
		{"a log that was searched", "Grep", tool.NoFlag, false, "a.log\n<exited with exit code 3>", none},
		{"a page that was fetched", "WebFetch", tool.NoFlag, false, "<returncode>1</returncode>", none},
		{"claude", "Bash", tool.FlagsAll, false, "Exit code 1\nand more", ok},
		{"claude", "Bash", tool.FlagsAll, false, "", ok},
		{"claude", "Bash", tool.FlagsAll, true, "Exit code 127\nsh: not found", "exit 127"},
		{"claude, timed out", "Bash", tool.FlagsAll, true, "Exit code 143\nCommand timed out after 2m 0s\nhalf", "exit 143"},
		{"claude, timed out", "Bash", tool.FlagsAll, true, "Command timed out after 2m 0s", bad},
		{"claude, an old version", "Bash", tool.FlagsAll, true, "ls: cannot access 'x'", bad},
		{"claude, refused", "Edit", tool.FlagsAll, true, "The user doesn't want to proceed with this tool use.", bad},
		{"claude, stopped", "Bash", tool.FlagsAll, true, "[Request interrupted by user for tool use]", bad},
		{"claude, in the background", "Bash", tool.FlagsAll, false, "Command running in background with ID: bash_1", none},
		{"claude, in the background", "Task", tool.FlagsAll, false, "Async agent launched successfully.\nagentId: 1", none},
		{"claude, a poll", "BashOutput", tool.FlagsAll, false, "<status>running</status>\n\n<stdout>\n<exit_code>1</exit_code>\n</stdout>", none},
		{"claude, a poll", "BashOutput", tool.FlagsAll, false, "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\nred\n</stdout>", "exit 1"},
		{"claude, a poll", "TaskOutput", tool.FlagsAll, false, "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\nok\n</output>", ok},
		{"claude, a poll", "TaskOutput", tool.FlagsAll, false, "<retrieval_status>timeout</retrieval_status>\n\n<task_id>b1</task_id>\n\n<status>running</status>", none},
		{"claude, a file", "Read", tool.FlagsAll, false, "     1→Exit code 1", ok},
		{"claude, as text", "Bash", tool.PlainWords, false, "Exit code 2\nred", "exit 2"},
		{"claude, as text", "Read", tool.PlainWords, false, "Exit code 2\nred", none},
		{"pi", "bash", tool.FlagsAll, false, "Command exited with code 1", ok},
		{"pi", "bash", tool.FlagsAll, true, "red\n\nCommand exited with code 3", "exit 3"},
		{"pi", "bash", tool.FlagsAll, true, "red\n\nCommand aborted", bad},
		{"opencode", "bash", tool.FlagsTools, false, "tests passed", none},
		{"opencode", "bash", tool.FlagsTools, false, "half\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 1000 ms\n</bash_metadata>", bad},
		{"opencode", "edit", tool.FlagsTools, false, "", ok},
		{"opencode", "edit", tool.FlagsTools, true, "Could not find oldString in the file.", bad},
		{"crush", "bash", tool.FlagsTools, false, "red\n\nExit code 2\n\n<cwd>/w</cwd>", "exit 2"},
		{"crush", "bash", tool.FlagsTools, false, "green\n\n<cwd>/w</cwd>", ok},
		{"crush", "bash", tool.FlagsTools, false, "half\n\nCommand was aborted before completion\n\n<cwd>/w</cwd>", bad},
		{"crush", "bash", tool.FlagsTools, false, "red\n\nExit code 2\n\n<cwd>/w\n</cwd>", none}, // no line of the host
		{"copilot", "bash", tool.FlagsTools, false, "red\n<exited with exit code 1>", "exit 1"},
		{"copilot", "bash", tool.FlagsTools, false, "green\n<shellId: 7 completed with exit code 0>", ok},
		{"copilot", "bash", tool.FlagsTools, false, "half\n<command with shellId: 7 is still running after 30 seconds>", none},
		{"copilot", "view", tool.FlagsTools, false, "1. x", ok},
		{"gemini", "run_shell_command", tool.FlagsTools, false, "Command: make\nDirectory: (root)\nOutput: red\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9", "exit 2"},
		{"gemini", "run_shell_command", tool.FlagsTools, false, "Command: cat log\nDirectory: (root)\nOutput: Exit Code: 4\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 9", ok},
		{"gemini, newer", "run_shell_command", tool.FlagsTools, false, "Output: green\nProcess Group PGID: 9", ok},
		{"gemini, newer", "run_shell_command", tool.FlagsTools, false, "Output: red\nExit Code: 1\nProcess Group PGID: 9", "exit 1"},
		{"gemini, newer", "run_shell_command", tool.FlagsTools, false, "Output: half\nSignal: 15\nProcess Group PGID: 9", none},
		{"gemini, stopped", "run_shell_command", tool.FlagsTools, false, "Command was cancelled by user before it could complete.", bad},
		{"openhands", "execute_bash", tool.NoFlag, false, "red\n[The command completed with exit code 2.]\n[Current working directory: /w]\n[Python interpreter: /p]\n[Command finished with exit code 2]", "exit 2"},
		{"openhands", "terminal", tool.NoFlag, false, "green\n[Command finished with exit code 0]", ok},
		{"openhands, a log", "terminal", tool.NoFlag, false, "[Command finished with exit code 9]\nmore\n[Command finished with exit code 0]", ok},
		{"openhands, a log", "terminal", tool.NoFlag, false, "[Command finished with exit code 9]\nmore", none},
		{"openhands", "str_replace_editor", tool.NoFlag, false, "ERROR:\nNo replacement was performed", bad},
		{"swe-agent", "edit", tool.NoFlag, false, "Your proposed edit has introduced new syntax error(s). Please read", bad},
		{"swe-agent", "str_replace_editor", tool.NoFlag, false, "No replacement was performed, old_str `x` did not appear verbatim in /w/a.py.", bad},
		{"swe-agent", "bash", tool.NoFlag, false, "Your command ran successfully and did not produce any output.", ok},
		{"mini-swe-agent", "bash", tool.NoFlag, false, "<returncode>1</returncode>\n<output>\nred\n</output>", "exit 1"},
		{"roo", "execute_command", tool.NoFlag, false, "Command executed in terminal within working directory '/w'. Exit code: 3\nOutput:\nred", "exit 3"},
		{"cline, with its heading", "execute_command", tool.NoFlag, false, "[execute_command for 'make'] Result:\nThe tool execution failed with the following error:\nno", bad},
		{"cline", "write_to_file", tool.NoFlag, false, "The user denied this operation.", bad},
		{"autogen", "", tool.NoFlag, false, "exitcode: 1 (execution failed)\nCode output: red", "exit 1"},
		{"an api", "lookup", tool.NoFlag, false, "Error: user not found", bad},
		{"an api", "lookup", tool.NoFlag, false, `{"exit_code":3,"stdout":"","stderr":"red"}`, "exit 3"},
		{"an api", "lookup", tool.NoFlag, false, `{"exit_code":3}`, none},
		{"an api", "lookup", tool.NoFlag, false, "Error: one\nof the lines of a log", none},
		{"an api", "lookup", tool.NoFlag, false, `{"user":"u1"}`, none},
		{"an api", "", tool.NoFlag, true, "no", bad},
	} {
		r := tenfold.ToolResult{Parts: tenfold.Text(test.text), IsError: test.isError}
		if got := tool.Settle(test.tool, r, test.flag); got != test.want {
			t.Errorf("%s, %s: %q is %q, want %q", test.host, test.tool, test.text, got, test.want)
		}
	}
}

// TestL12TheRecordedOutcomeStands: a field tells more than words do.
func TestL12TheRecordedOutcomeStands(t *testing.T) {
	words := tenfold.Text("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nred")
	for _, o := range []tenfold.Outcome{tenfold.Success, tenfold.Exit(9)} {
		if got := tool.OutcomeOf("shell", tenfold.ToolResult{Parts: words, Outcome: o}); got != o {
			t.Errorf("%q became %q", o, got)
		}
		if got := tool.Settle("shell", tenfold.ToolResult{Parts: words, Outcome: o}, tool.NoFlag); got != o {
			t.Errorf("%q was settled as %q", o, got)
		}
	}
	if got := tool.OutcomeOf("shell", tenfold.ToolResult{Parts: words}); got != "exit 1" {
		t.Errorf("without one it is %q", got)
	}
}

func TestL12Failed(t *testing.T) {
	const red = "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n"
	for _, test := range []struct {
		command, text string
		want          bool
	}{
		{"rg foo src", red, false},
		{"cd src && grep -rn foo . | sort -u 2>/dev/null", red, true}, // sort decides
		{"git grep foo", red, false},
		{"git diff --quiet", red, false},
		{"git diff --exit-code a.go", red, false},
		{"git push", red, true},
		{"command -v go", red, false},
		{"command go", red, true},
		{"make && rg foo", red, false},
		{"rg foo; make", red, true},
		{"git status --short | grep -v 'a && b' && echo --- && git log | tail -8", red, false},
		{"grep foo a | sort && echo done", red, true},
		{"rg foo && ls; make && go test", red, true},
		{"rg foo && (make)", red, false},
		{"&&", red, true},
		{"test -f go.mod", red, false},
		{"rg foo src", red + "rg: src: No such file or directory", true},
		{"rg foo src", strings.Replace(red, "1", "2", 1), true},
		{"rg foo src", strings.Replace(red, "1", "0", 1), false},
		{"go test ./...", red, true},
		{"", red, true},
	} {
		arguments := `{"command":` + `"` + test.command + `"}`
		if got := tool.Failed("shell_command", arguments, tenfold.ToolResult{Parts: tenfold.Text(test.text)}); got != test.want {
			t.Errorf("%s, %q: %v", test.command, test.text, got)
		}
	}
}

func TestL12Polls(t *testing.T) {
	for _, test := range []struct {
		tool, arguments string
		want            bool
	}{
		{"write_stdin", `{"session_id":7,"chars":""}`, true},
		{"write_stdin", `{"session_id":7}`, true},
		{"write_stdin", `{"session_id":7,"chars":"y\n"}`, false},
		{"wait", `{"cell_id":"4"}`, true},
		{"BashOutput", `{"bash_id":"1"}`, true},
		{"TaskOutput", `{"task_id":"1"}`, true},
		{"execute_bash", `{"command":"","is_input":"true"}`, true},
		{"Bash", `{"command":"sleep 30"}`, true},
		{"Bash", `{"command":"sleep 3; make"}`, false},
		{"Bash", `{"command":"make"}`, false},
		{"Bash", `{"comm`, false},
		{"Read", `{}`, false},
		{"KillShell", `{"shell_id":"1"}`, false},
	} {
		if got := tool.Polls(test.tool, test.arguments); got != test.want {
			t.Errorf("%s %s: %v", test.tool, test.arguments, got)
		}
	}
}

func TestL12Output(t *testing.T) {
	for _, test := range []struct {
		isError    bool
		text, want string
	}{
		{false, "Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 0\nOutput:\na\nb", "a\nb"},
		{false, "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n", ""},
		{false, `{"output":"a\nb\n","metadata":{"exit_code":2}}`, "a\nb\n"},
		{true, "Exit code 1\na\nb", "a\nb"},
		{true, "a\n\nCommand exited with code 1\n", "a\n"},
		{true, "Exit code 1", ""},
		{false, "Exit code 1\na", "Exit code 1\na"},
		{false, "a\n<exited with exit code 1>", "a"},
		{false, "a\n[The command completed with exit code 2.]\n[Current working directory: /w]\n[Command finished with exit code 2]", "a"},
		{false, "a\n\nExit code 2\n\n<cwd>/w</cwd>", "a"},
		{false, "a", "a"},
		{false, "", ""},
	} {
		if got := tool.Output(tenfold.ToolResult{Parts: tenfold.Text(test.text), IsError: test.isError}); got != test.want {
			t.Errorf("%q gives %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzL12Outcome: whatever a result says, its outcome is one of L12, a middle
// that is out of sight changes nothing, and what is settled stays.
func FuzzL12Outcome(f *testing.F) {
	f.Add("Bash", "Exit code 1\nx", "", true, uint8(3))
	f.Add("exec_command", "Chunk ID: 1\nWall time: 1 s\nProcess exited with code -9\nOutput:\n", "x", false, uint8(0))
	f.Add("shell", `{"output":"`, `","metadata":{"exit_code":2}}`, false, uint8(2))
	f.Add("bash", "x", "\n[Command finished with exit code 99999999999999999999]", false, uint8(1))
	f.Add("", "{\"metadata\":{\"exit_code\":", "<cwd>", false, uint8(1))
	f.Fuzz(func(t *testing.T, name, head, tail string, isError bool, flag uint8) {
		r := tenfold.ToolResult{Parts: tenfold.Text(head + tail), IsError: isError}
		as := tool.Flag(flag % 4)
		got := tool.Settle(name, r, as)
		if _, code := got.Code(); !code && got != "" && got != tenfold.Success && got != tenfold.Failed {
			t.Fatalf("%q is not an outcome", got)
		}
		if isError && !got.Bad() {
			t.Fatalf("an error is %q", got)
		}
		if as == tool.NoFlag && got != tool.OutcomeOf(name, r) {
			t.Fatalf("an importer records %q, others say %q", got, tool.OutcomeOf(name, r))
		}
		r.Outcome = got
		if got != "" && tool.Settle(name, r, as) != got {
			t.Fatalf("%q, settled again, is %q", got, tool.Settle(name, r, as))
		}
		if text := tool.Output(r); len(text) > 3*(len(head)+len(tail)) { // a bad byte becomes three
			t.Fatal("the output is longer than the result")
		}
		if tool.Failed(name, tail, r) && !got.Bad() {
			t.Fatalf("a call with outcome %q has failed", got)
		}
		tool.Polls(name, tail) // takes whatever a model wrote
		r = tenfold.ToolResult{IsError: isError, Parts: tenfold.Text(strings.Repeat("x", 700) + head + strings.Repeat("\nExit code: 3", 100) + strings.Repeat("x", 700))}
		if got := tool.Settle(name, r, tool.NoFlag); got != "" && !isError {
			t.Fatalf("an output in the middle says %q", got)
		}
	})
}
