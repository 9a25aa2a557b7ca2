// Package tool holds what is known about tools: how their calls are best
// shortened. It runs none of them.
package tool

import (
	"maps"

	"tenfold"
)

// Hints are the wishes of tools for their calls (semantics H1), by tool name.
type Hints map[string]tenfold.Hint

// What the common kinds of tools wish for. Arguments that say where the model
// looked are short and worth keeping; bodies of files are long and, once
// written, to be found on disk. What a person answered, the state of a plan
// and a skill's instructions stand nowhere else.
var (
	looks  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Strip}
	writes = tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Keep}
	edits  = tenfold.Hint{Request: tenfold.Strip, Response: tenfold.Strip}
	plans  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Strip}
	words  = tenfold.Hint{Request: tenfold.Keep, Response: tenfold.Keep}
)

// builtin is the table of the tools we know: our own and JP's, Claude Code's.
var builtin = Hints{
	"fs_read_file": looks, "fs_grep_files": looks, "fs_list_files": looks, "git_diff": looks,
	"shell": looks, "fs_create_file": writes, "fs_modify_file": edits, "git_commit": writes,
	"cargo_check": looks, "cargo_test": looks, "github_read_file": looks, "github_code_search": looks,

	"Read": looks, "Grep": looks, "Glob": looks, "LS": looks, "Bash": looks, "BashOutput": looks,
	"PowerShell": looks, "WebFetch": looks, "WebSearch": looks, "NotebookRead": looks,
	"Write": writes, "Edit": edits, "MultiEdit": edits, "NotebookEdit": edits,
	"TodoWrite": plans, "TaskCreate": plans, "TaskUpdate": plans, "EnterPlanMode": plans,
	"AskUserQuestion": words, "ExitPlanMode": words, "Skill": words,
}

// Builtin gives the hints that come with the program. The map is the caller's.
func Builtin() Hints { return maps.Clone(builtin) }

// For picks the hints of the named tools: what an overlay over their calls
// stores with it (P5). Nil when there are none.
func (h Hints) For(names []string) map[string]tenfold.Hint {
	var out map[string]tenfold.Hint
	for _, name := range names {
		if hint, ok := h[name]; ok {
			if out == nil {
				out = map[string]tenfold.Hint{}
			}
			out[name] = hint
		}
	}
	return out
}
