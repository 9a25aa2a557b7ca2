package tool

import (
	"cmp"
	"fmt"

	"tenfold"
)

// A Setting is what a configuration says of a tool's calls (H1); what it
// leaves out stays as the table has it.
type Setting struct {
	// Request is keep or strip, Response keep, strip or remove.
	Request, Response tenfold.Action
	// Dedup true lets the older of two equal calls go even where another may
	// have changed the answer in between; false keeps it always.
	Dedup *bool
	// Subsumes true asks whether later calls make earlier ones needless: by
	// the lines they read where the table knows how, else the tool itself.
	Subsumes *bool
	// Exempt leaves the tool's calls alone.
	Exempt *bool
}

// Check refuses actions that H1 does not know.
func (s Setting) Check() error {
	switch s.Request {
	case "", tenfold.Keep, tenfold.Strip:
	default:
		return fmt.Errorf("request = %q: write keep or strip", s.Request)
	}
	switch s.Response {
	case "", tenfold.Keep, tenfold.Strip, tenfold.Remove:
	default:
		return fmt.Errorf("response = %q: write keep, strip or remove", s.Response)
	}
	return nil
}

// Settings are the settings of tools, by exact name. Nil is the table as it
// comes.
type Settings map[string]Setting

// Tool gives what is known of a tool, settings included. A tool that nobody
// knows acts, nobody knows what on.
func (s Settings) Tool(name string) Tool {
	t, known := Lookup(name)
	if !known {
		t = Tool{Kind: Acts}
	}
	t.Name = name
	set, ok := s[name]
	if !ok {
		return t
	}
	t.Hint = set.over(t.Hint)
	if set.Dedup != nil {
		t.Dedup = DedupNever
		if *set.Dedup {
			t.Dedup = DedupAlways
		}
	}
	switch {
	case set.Subsumes == nil:
	case !*set.Subsumes:
		t.Subsumes = SubsumesNever
	case t.Subsumes == SubsumesNever:
		t.Subsumes = SubsumesAsk
	}
	if set.Exempt != nil {
		t.Exempt = *set.Exempt
	}
	return t
}

// Hints are the table's hints with the settings over them. The map is the
// caller's.
func (s Settings) Hints() Hints {
	h := Hints{}
	for _, t := range tools() {
		if t.Hint != (tenfold.Hint{}) {
			h[t.Name] = t.Hint
		}
	}
	for name, set := range s {
		known, _ := Lookup(name)
		if hint := set.over(known.Hint); hint != (tenfold.Hint{}) {
			h[name] = hint
		}
	}
	return h
}

func (s Setting) over(h tenfold.Hint) tenfold.Hint {
	return tenfold.Hint{Request: cmp.Or(s.Request, h.Request), Response: cmp.Or(s.Response, h.Response)}
}

// Hints are the wishes of tools for their calls (semantics H1), by tool name.
type Hints map[string]tenfold.Hint

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
