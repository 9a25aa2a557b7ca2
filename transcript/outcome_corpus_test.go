package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// TestL12OutcomesOfTheCorpus holds the outcomes of imports against what the files
// say, read without the importers: every object anywhere in a file that records
// how a call ended. None may contradict, and what is on record is known.
func TestL12OutcomesOfTheCorpus(t *testing.T) {
	counts := map[string]map[string]int{}
	checked, contradictions := map[string]int{}, 0
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Detect(data[:min(len(data), 64<<10)], f.Path); err != nil {
			continue
		}
		if strings.Contains(f.Name, "no-samples") {
			continue
		}
		all, values := importAll(t, f.Path), valuesOf(data)
		for i, c := range all {
			records := recordsOf(values) // calls of several conversations have the same ids
			if len(all) > 1 {
				records = nil
				if len(all) == len(values) {
					records = recordsOf(values[i : i+1])
				}
			}
			format := string(c.Format)
			if counts[format] == nil {
				counts[format] = map[string]int{}
			}
			for _, e := range c.Entries {
				r, ok := e.Payload.(tenfold.ToolResult)
				if !ok {
					continue
				}
				kind, _, _ := strings.Cut(string(r.Outcome), " ")
				counts[format][kind]++
				said := records[r.CallID]
				if len(said) == 0 || r.CallID == "" {
					continue
				}
				checked[format]++
				if !slices.Contains(said, string(r.Outcome)) {
					contradictions++
					t.Errorf("%s: call %s ended with %q, the file says %q", f.Name, r.CallID, r.Outcome, said)
				}
			}
		}
	}
	for format, n := range counts {
		t.Logf("%-18s success %4d  error %3d  exit %3d  unknown %4d  on record %4d", format, n["success"], n["error"], n["exit"], n[""], checked[format])
	}
	if (checked["claude-code"] == 0 || checked["codex"] == 0) && !corpustest.UnderRace { // under it, few files are read
		t.Errorf("nothing was checked: %v", checked)
	}
	t.Logf("%d contradict the record", contradictions)
}

// valuesOf gives the JSON values of a file, until the first that is broken.
func valuesOf(data []byte) (values []any) {
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var v any
		if dec.Decode(&v) != nil {
			return values
		}
		values = append(values, v)
	}
}

// recordsOf gives the outcomes that the objects in values record, by call.
func recordsOf(values []any) map[string][]string {
	said := map[string][]string{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if id, ok := v["tool_use_id"].(string); ok && v["type"] == "tool_result" && v["is_error"] != true {
				said[id] = append(said[id], "success", "") // Claude Code marks errors alone; what runs on is unknown
			}
			if call, outcome := recorded(v); call != "" {
				said[call] = append(said[call], outcome)
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(values)
	return said
}

var (
	codexExit  = regexp.MustCompile(`^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)\n`)
	codexMeta  = regexp.MustCompile(`,"metadata":\{"exit_code":(-?\d+),"duration_seconds":[\d.]+\}\}$`)
	claudeExit = regexp.MustCompile(`^Exit code (\d+)(?:\n|$)`)
	piExit     = regexp.MustCompile(`\n?Command exited with code (\d+)$`)
	copilotEnd = regexp.MustCompile(`(?:^|\n)<(?:exited|shellId: \S+ completed) with exit code (\d+)>$`)
)

// recorded reads one object, of whichever format it may be; an empty call says
// that it records nothing.
func recorded(o map[string]any) (call, outcome string) {
	text := func(name string) string { s, _ := o[name].(string); return s }
	inner := func(name string) map[string]any { m, _ := o[name].(map[string]any); return m }
	exit := func(code any) string {
		n, _ := strconv.Atoi(fmt.Sprint(code))
		if n == 0 {
			return "success"
		}
		return fmt.Sprint("exit ", n)
	}
	switch typ := text("type"); {
	case typ == "function_call_output" || typ == "custom_tool_call_output": // Codex
		out := text("output")
		for _, form := range []*regexp.Regexp{codexExit, codexMeta} {
			if m := form.FindStringSubmatch(out); m != nil {
				return text("call_id"), exit(m[1])
			}
		}
	case typ == "exec_command_end":
		return text("call_id"), exit(o["exit_code"])
	case typ == "tool_result" && o["is_error"] == true: // Claude Code
		content, _ := o["content"].(string)
		if m := claudeExit.FindStringSubmatch(content); m != nil {
			return text("tool_use_id"), exit(m[1])
		}
		return text("tool_use_id"), "error"
	case typ == "tool" && inner("state")["status"] == "error": // opencode
		return text("callID"), "error"
	case typ == "tool" && inner("state")["status"] == "completed":
		metadata, _ := inner("state")["metadata"].(map[string]any)
		if code, ok := metadata["exit"].(float64); ok {
			return text("callID"), exit(code)
		}
		if text("tool") != "bash" {
			return text("callID"), "success"
		}
	case text("role") == "toolResult": // pi
		outcome = "success"
		if o["isError"] == true {
			outcome = "error"
			if list, _ := o["content"].([]any); len(list) > 0 {
				last, _ := list[len(list)-1].(map[string]any)
				said, _ := last["text"].(string)
				if m := piExit.FindStringSubmatch(strings.TrimRight(said, "\n")); m != nil {
					outcome = exit(m[1])
				}
			}
		}
		return text("toolCallId"), outcome
	case o["toolCallId"] != nil && o["success"] == false: // Copilot
		return text("toolCallId"), "error"
	case o["toolCallId"] != nil && o["success"] == true:
		said, _ := inner("result")["content"].(string)
		if m := copilotEnd.FindStringSubmatch(strings.TrimRight(said, "\n")); m != nil {
			return text("toolCallId"), exit(m[1])
		}
	case typ == "tool_call_response" && o["is_error"] == true: // JP
		return text("id"), "error"
	case o["functionResponse"] == nil && o["args"] != nil && (text("status") == "error" || text("status") == "cancelled"): // Gemini CLI
		return text("id"), "error"
	case text("observation") == "run": // OpenHands
		meta := inner("tool_call_metadata")
		id, _ := meta["tool_call_id"].(string)
		extras, _ := inner("extras")["metadata"].(map[string]any)
		if code, ok := extras["exit_code"].(float64); ok && code >= 0 {
			return id, exit(code)
		}
	}
	return "", ""
}
