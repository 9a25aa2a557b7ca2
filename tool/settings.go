package tool

import (
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

// Hints are the table's hints with the settings over them.
func (s Settings) Hints() Hints {
	h := Builtin()
	for name, set := range s {
		known, _ := Lookup(name)
		if hint := set.over(known.Hint); hint != (tenfold.Hint{}) {
			h[name] = hint
		}
	}
	return h
}

func (s Setting) over(h tenfold.Hint) tenfold.Hint {
	if s.Request != "" {
		h.Request = s.Request
	}
	if s.Response != "" {
		h.Response = s.Response
	}
	return h
}
