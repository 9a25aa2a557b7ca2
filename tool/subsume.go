package tool

import "context"

// A Subsumer tells whether later calls of a tool make earlier ones needless.
//
// Subsumes is asked about pairs: whether later[i] subsumes earlier[i], both
// the arguments of calls of the named tool as the model wrote them. It answers
// each pair; when in doubt, no. Its error is the context's and nothing else:
// a tool that cannot answer has answered no (H2). Implementations are safe for
// concurrent use and keep none of the slices.
type Subsumer interface {
	Subsumes(ctx context.Context, tool string, earlier, later []string) ([]bool, error)
}

// Lines is the subsumption of H3: a later read of the same path that holds at
// least the lines of the earlier. It knows the tools of the table.
type Lines struct{}

// Subsumes implements [Subsumer].
func (Lines) Subsumes(ctx context.Context, tool string, earlier, later []string) ([]bool, error) {
	answers := make([]bool, min(len(earlier), len(later)))
	t, ok := Lookup(tool)
	if !ok || t.Subsumes != SubsumesLines {
		return answers, ctx.Err()
	}
	for i := range answers {
		answers[i] = Covers(t.Reads(later[i]), t.Reads(earlier[i]))
	}
	return answers, ctx.Err()
}

// Covers reports whether some accesses hold all that others do. Nothing covers
// a call of which nobody knows what it reads.
func Covers(later, earlier []Access) bool {
	for _, e := range earlier {
		held := false
		for _, l := range later {
			held = held || l.Contains(e)
		}
		if !held {
			return false
		}
	}
	return len(earlier) > 0
}
