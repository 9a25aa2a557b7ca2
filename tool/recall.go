package tool

import "strings"

// Recalls reports whether a tool is one of those by which a model gets back what its
// view does not show: the agent's own recall, or one of the program's MCP server,
// before whose name each client puts its own words, such as mcp__tenfold__expand.
func Recalls(name string) bool {
	if name == "recall" {
		return true
	}
	at := strings.LastIndex(name, "tenfold")
	if at < 0 {
		return false
	}
	before, tool := name[:at], name[at+len("tenfold"):]
	switch strings.TrimLeft(tool, "_-./:") {
	case "search", "read", "expand":
		return len(tool) > 0 && strings.ContainsAny(tool[:1], "_-./:") && (before == "" || strings.ContainsAny(before[len(before)-1:], "_-./:"))
	}
	return false
}
