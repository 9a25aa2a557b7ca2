package tool_test

import (
	"testing"

	"tenfold/tool"
)

func TestA9ToolsOfRecall(t *testing.T) {
	for name, want := range map[string]bool{
		"recall": true, "mcp__tenfold__search": true, "mcp__plugin_tenfold_tenfold__read": true, "mcp__tenfold__expand": true, "tenfold_read": true, "tenfold.expand": true, "mcp_tenfold_search": true,
		"Read": false, "tenfold": false, "tenfoldread": false, "tenfold_write": false, "nontenfold_read": false, "mcp__notenfold__read": false, "": false,
	} {
		if got := tool.Recalls(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
