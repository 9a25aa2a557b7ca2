package tool

import "tenfold"

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

// Builtin gives the hints that come with the program: those of the table. The
// map is the caller's.
func Builtin() Hints {
	h := make(Hints, len(table()))
	for name, t := range table() {
		if t.Hint != (tenfold.Hint{}) {
			h[name] = t.Hint
		}
	}
	return h
}

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
