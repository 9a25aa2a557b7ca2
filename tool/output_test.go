package tool_test

import (
	"testing"

	"tenfold"
	"tenfold/tool"
)

// What a host writes around an output is none of it.
func TestOutputIsNotTheHosts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a reminder", "1\tx\n\n<system-reminder>\nBe careful.\n</system-reminder>\n", "1\tx"},
		{"two of them", "x\n<system-reminder>\na\n</system-reminder>\n<system-reminder>\nb\n</system-reminder>", "x"},
		{"one in the middle is the file's", "<system-reminder>\na\n</system-reminder>\nx", "<system-reminder>\na\n</system-reminder>\nx"},
		{"its own check", "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>", "String to replace not found in file.\nString: a"},
		{"a shell moved back", "FAIL\nShell cwd was reset to /w", "FAIL"},
		{"metadata", "x\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 1 ms\n</bash_metadata>", "x"},
		{"a task", "<retrieval_status>success</retrieval_status>\n<task_id>b</task_id>\n<exit_code>1</exit_code>\n<output>\nFAIL\n</output>", "\nFAIL\n"},
		{"mini-swe-agent", "<returncode>1</returncode>\n<output>\nFAIL\n</output>", "\nFAIL\n"},
		{"Gemini CLI", "Command: go test\nDirectory: (root)\nOutput: FAIL\nx\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 5", "FAIL\nx"},
		{"a file of opencode", "<path>/w/a.go</path>\n<type>file</type>\n<content>\n1: a\n2: b\n\n(End of file - total 2 lines)\n</content>\n", "1: a\n2: b\n\n(End of file - total 2 lines)"},
		{"a folder of opencode", "<path>/w</path>\n<type>directory</type>\n<entries>\na.go\n\n(1 entries)\n</entries>", "a.go\n\n(1 entries)"},
		{"a file cut off", "<path>/w/a.go</path>\n<type>file</type>\n<content>\n1: a", "<path>/w/a.go</path>\n<type>file</type>\n<content>\n1: a"},
		{"Codex", "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 5\nOutput:\nFAIL", "FAIL"},
	} {
		if got := tool.Output(tenfold.ToolResult{Parts: tenfold.Text(c.text), IsError: true}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The lines around an output are the host's, as many as there are; of one that is under
// way they say how to go on with it.
func TestFrame(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", "a\nb\n", "a\nb\n"},
		{"Codex", "Chunk ID: 5\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 5\nOutput:\n5\n6\n", "5\n6\n"},
		{"nothing in it", "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n", ""},
		{"under way", "Chunk ID: a\nWall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\nx", "Chunk ID: a\nWall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\nx"},
		{"Gemini CLI", "Command: x\nDirectory: (root)\nOutput: one\ntwo\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 5", "Output: one\ntwo\n"},
		{"a newer one", "Output: one\nProcess Group PGID: 1", "Output: one\n"},
		{"a reminder", "1\tx\n\n<system-reminder>\nBe careful.\n</system-reminder>\n", "1\tx\n"},
		{"mini-swe-agent", "<returncode>1</returncode>\n<output>\nFAIL\n</output>", "FAIL\n"},
		{"a file of opencode", "<path>/w/a.go</path>\n<type>file</type>\n<content>\n1: a\n2: b\n</content>", "1: a\n2: b\n"},
	} {
		head, tail := tool.Frame(tenfold.ToolResult{Parts: tenfold.Text(c.text)})
		if got := c.text[head : len(c.text)-tail]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	picture := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png"}}
	if head, tail := tool.Frame(tenfold.ToolResult{Parts: []tenfold.Part{picture, tenfold.TextPart("x")}}); head != 0 || tail != 0 {
		t.Errorf("%d, %d around a picture", head, tail)
	}
}
