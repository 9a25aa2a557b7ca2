package strategy_test

import (
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// S-1: reasoning goes, and nothing else.
func TestS1StripReasoning(t *testing.T) {
	runWindows(t, []windowCase{
		{name: "all of it", strategy: "strip-reasoning", lines: []string{"t", "u go", "k hm", "c 1 Read {}", "r 1 text", "k so", "a done"}, want: "u go | c 1 {} | r 1 text | a done"},
		{name: "none", strategy: "strip-reasoning", lines: threeTurns, want: "u one | a 1 | u two | a 2 | u three | a 3", nothing: true},
	})
}

// S-2: arguments and results become stubs, over a size, where the tool's hint lets them;
// under its other name the results alone do.
func TestS2StripTools(t *testing.T) {
	lines := []string{
		"t", "u go",
		`c 1 Bake {"path":"a.txt","content":"` + long("*300") + `"}`, "r 1 " + long("*300"),
		`c 2 Taste {"path":"b.txt"}`, "r 2 short",
		"a done",
	}
	const path = `{"path":"a.txt"}`
	big := `{"path":"a.txt","content":"` + long("*300") + `"}`
	for _, c := range []struct {
		strategy      string
		hints         tool.Hints
		request, read string // what became of the arguments of Bake, and of the result of Taste
		result        bool   // whether the result of Bake is whole
	}{
		{"strip-tools", nil, path, "stub", false},
		{"strip-tools:over=100", nil, path, "short", false},
		{"strip-tools:over=400", nil, big, "short", true},
		{"strip-tools:request=false", nil, big, "stub", false},
		{"strip-tools:response=false", nil, path, "short", true},
		{"strip-tool-results", nil, big, "stub", false},
		{"strip-tool-results:over=100", nil, big, "short", false},
		{"strip-tools", tool.Hints{"Bake": {Request: tenfold.Keep, Response: tenfold.Strip}, "Taste": {Request: tenfold.Strip, Response: tenfold.Keep}}, big, "short", false},
		{"strip-tools", tool.Hints{"Bake": {Request: tenfold.Strip, Response: tenfold.Keep}}, path, "stub", true},
	} {
		l := script(t, lines...)
		made := plan(t, tenfold.Project(l), strategy.Options{Hints: c.hints}, c.strategy)
		var requests, results []string
		for it := range made.View().Items() {
			switch p := it.Payload.(type) {
			case tenfold.ToolCall:
				requests = append(requests, p.Arguments)
			case tenfold.ToolResult:
				results = append(results, p.Parts[0].Text)
			}
		}
		read := "short"
		if results[1] == "[compacted] Taste: done" {
			read = "stub"
		}
		if requests[0] != c.request || read != c.read || (results[0] == long("*300")) != c.result {
			t.Errorf("%s %v: %q, %q", c.strategy, c.hints, requests, results)
		}
	}
}
