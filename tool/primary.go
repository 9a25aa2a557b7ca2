package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
)

// primaries names, by kind of tool, the arguments that say what a call is about;
// where the path says it, none.
var primaries = map[Kind]string{
	Shell: "command cmd script", Searches: "pattern query regex q symbol", Lists: "pattern glob",
	Fetches: "url urls query", Asks: "question", Skills: "skill name", Thinks: "query bash_id",
	Acts: "command action url description subject title name session_id chars",
	// The path says what a call of an editor is about, the command whether it looked or changed.
	Editor: "path command",
}

// subjects are the arguments that say what a call of a tool is about of which nothing is
// known: what is to be run, looked up or worked out, not the id of a thing.
const subjects = "query sql code command script expression url"

// IsSubject reports whether an argument of a tool says what its calls are about.
func IsSubject(name, argument string) bool {
	t, known := Lookup(name)
	list := subjects
	if known {
		list = primaries[t.Kind]
	}
	return slices.Contains(strings.Fields(list), argument)
}

// Primary gives what an overlay over calls of the named tools stores of their
// primary arguments, the most telling first (P5): the command of a shell, the
// pattern of a search; of tools of which nothing is known but that they do something
// ([Does]) all arguments. The paths of all tools stand under [tenfold.AnyTool].
func Primary(names []string) map[string][]string {
	all := map[string][]string{tenfold.AnyTool: strings.Split(filePath+"|notebook_path|files|paths|file|dir_path", "|")}
	for _, name := range names {
		switch t, known := Lookup(name); {
		case !known:
			if all[name] = strings.Fields(subjects); Does(name) {
				all[name] = append(all[name], tenfold.EveryArgument)
			}
		case t.Path == notebookPath:
			all[name] = []string{notebookPath, "cell_id"}
		case primaries[t.Kind] != "":
			all[name] = strings.Fields(primaries[t.Kind])
		}
	}
	return all
}

// Subject is what a call is about, in the words of its arguments: the first of its
// primary arguments that says something.
func Subject(name, arguments string) string {
	var members map[string]any
	if json.Unmarshal([]byte(arguments), &members) != nil {
		return ""
	}
	primary := Primary([]string{name})
	for _, member := range append(primary[name], primary[tenfold.AnyTool]...) {
		if s, ok := members[member].(string); ok && s != "" {
			return s
		}
	}
	return ""
}
