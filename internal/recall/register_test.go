package recall_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"

	"tenfold/internal/recall"
	"tenfold/problem"
)

// Live §5: the text that tells a model when to use recall has at most 15 lines, a
// name and a description, and names what there is.
func TestA9Instructions(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(recall.Instructions, "\n"), "\n")
	if len(lines) > 15 || lines[0] != "---" || lines[1] != "name: "+recall.SkillName || !strings.HasPrefix(lines[2], "description: ") || lines[3] != "---" {
		t.Errorf("the instructions have %d lines:\n%s", len(lines), recall.Instructions)
	}
	for _, name := range []string{"`expand`", "`search`", "`read`", "tenfold recall ID", "tenfold recall --search", "[more: ID]", "(recall "} {
		if !strings.Contains(recall.Instructions, name) {
			t.Errorf("they do not name %s", name)
		}
	}
}

// What a client is told of is the program, whatever its path.
func TestRegistrationsStartTheProgram(t *testing.T) {
	const binary = `/opt/it's "here"\tenfold`
	for _, client := range recall.Clients() {
		r, err := recall.Register(client, binary)
		if client == "pi" {
			var p *problem.Error
			if !errors.As(err, &p) || !strings.Contains(p.Hint, "tenfold recall") {
				t.Errorf("pi: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if r.At == nil {
			err = toml.Unmarshal([]byte(r.Text), &all)
		} else {
			err = json.Unmarshal([]byte(r.Text), &all)
		}
		if err != nil {
			t.Fatalf("%s: %v in\n%s", client, err, r.Text)
		}
		at := r.At
		if at == nil {
			at = []string{"mcp_servers", recall.Name}
		}
		for _, key := range at {
			all = all.(map[string]any)[key]
		}
		var command []any
		switch it := all.(map[string]any); c := it["command"].(type) {
		case string:
			command = append([]any{c}, it["args"].([]any)...)
		case []any:
			command = c
		}
		if len(command) != 2 || command[0] != binary || command[1] != "mcp" {
			t.Errorf("%s starts %v", client, command)
		}
		if r.At != nil && !jsontext.Value(r.Value).IsValid() {
			t.Errorf("%s: %s", client, r.Value)
		}
		if r.Command != "" && !strings.Contains(r.Command, `'/opt/it'\''s "here"\tenfold' mcp`) {
			t.Errorf("%s is told %s", client, r.Command)
		}
	}
	if _, err := recall.Register("codx", binary); err == nil || !strings.Contains(err.(*problem.Error).Hint, "codex") {
		t.Errorf("%v", err)
	}
}

// A model without MCP is told of no tool.
func TestShellInstructionsNameNoTool(t *testing.T) {
	got := recall.ShellInstructions("/opt/my tools/tenfold")
	if !strings.HasPrefix(got, "---\nname: "+recall.SkillName+"\ndescription: ") || strings.Count(got, "\n") > 15 {
		t.Errorf("not a skill of at most 15 lines:\n%s", got)
	}
	if !strings.Contains(got, "`'/opt/my tools/tenfold' recall ID`") {
		t.Errorf("the command is not in\n%s", got)
	}
	for _, tool := range []string{"`expand`", "`search`", "`read`", " tool "} {
		if strings.Contains(got, tool) {
			t.Errorf("%s is in\n%s", tool, got)
		}
	}
}
