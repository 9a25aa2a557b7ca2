package live

import (
	"maps"
	"os"
	"slices"
	"time"

	"tenfold/internal/config"
	"tenfold/tool"
	"tenfold/toolbox/external"
)

// Programs are the person's own programs that a model may call (agent.tools), in the
// order of their names, as they run in a directory; "" is the present one.
func Programs(c config.Config, dir string) (all external.Programs) {
	for _, name := range slices.Sorted(maps.Keys(c.Agent.Tools)) {
		t := c.Agent.Tools[name]
		all = append(all, external.Spec{
			Name: name, Description: t.Description, Schema: t.Schema(), Command: t.Command, Dir: dir,
			Env: Environment(t.Env), Secrets: c.KeyNames(), Timeout: time.Duration(t.Timeout),
		})
	}
	return all
}

// Subsumer asks those programs about their calls that the person says can answer (H2);
// nil where none can. The key conversation.tools.NAME.compaction.subsumes is not
// enough: a stranger may have written it, and a program that does not look at what it
// is asked would do what it was only asked about.
func Subsumer(c config.Config) tool.Subsumer {
	asked := slices.DeleteFunc(Programs(c, ""), func(s external.Spec) bool { return !c.Agent.Tools[s.Name].Subsumes })
	if len(asked) == 0 {
		return nil
	}
	return tool.Asker{Runner: asked}
}

// Environment gives the variables of these names that are set, as NAME=value.
func Environment(names []string) (all []string) {
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}
