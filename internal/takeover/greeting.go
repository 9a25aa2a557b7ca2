package takeover

import (
	"maps"
	"slices"
	"strings"

	"tenfold"
)

// mostNamed bounds how many tools a greeting names.
const mostNamed = 20

// Greeting is what a model is told when it goes on here with a session of another
// agent: what the tools that it called there are called here. It is empty where
// they have the same names.
func Greeting(log *tenfold.Log, agent string) string {
	called := map[string]string{}
	for e := range log.Entries() {
		if c, ok := e.Payload.(tenfold.ToolCall); ok && called[c.Name] == "" {
			if name := Name(c.Name); name != "" {
				called[c.Name] = name
			}
		}
	}
	if len(called) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(called))
	var list []string
	for _, name := range names[:min(len(names), mostNamed)] {
		list = append(list, name+" is "+called[name])
	}
	// It is true as well where the session goes on in the agent later: an export holds it.
	return "This session began in " + agent + " and was continued in Tenfold, where tools have other names: " + strings.Join(list, ", ") +
		". Files may have changed since: read them before you edit them."
}
